"""Read the options that name a change and its settings, open the change, and print hints about both."""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from affidavit.cli.saying import note
from affidavit.config.baseline import BASELINE_PATH
from affidavit.config.settings import (
    ENVIRONMENT_PREFIX,
    FILE_NAMES,
    Settings,
    settings_files,
    unknown_variables,
)
from affidavit.errors import InputError, SettingsError
from affidavit.forges.address import is_request_url
from affidavit.git.location import Allowed
from affidavit.ports import Tree
from affidavit.records.change import Comment
from affidavit.records.record import first_mistake
from affidavit.reviewing.hold import open_target
from affidavit.stages.intake import ChangeRequest, OpenedChange


def requested_change(options: Mapping[str, Any]) -> ChangeRequest:
    """Return the requested change; `-` as the target reads a diff from standard input."""
    if options["target"] == "":
        raise InputError("the target is empty: name a change, or leave it out for uncommitted changes")
    is_input_taken = options["target"] == "-"
    return ChangeRequest(
        target=options["target"],
        staged=options["staged"],
        repo=options["repo"],
        allowed=allowed_of(options),
        title=options["title"],
        description=options.get("description", ""),
        diff_text=sys.stdin.buffer.read() if is_input_taken else None,
        discussion=read_discussion(options.get("discussion"), is_input_taken=is_input_taken),
        may_be_empty=True,
    )


def opened_change(options: Mapping[str, Any]) -> OpenedChange:
    """Open the change of a command: a local one, or a request at its address."""
    if is_request_url(options["target"]) and options["work_tree"]:
        raise SettingsError("--work-tree does not go with the address of a pull request")
    heard = (lambda _text: None) if options.get("quiet") else note
    return open_target(requested_change(options), has_full_history=_names_model(options), say=heard)


def allowed_of(options: Mapping[str, Any]) -> Allowed:
    return Allowed(
        work_tree=options["work_tree"],
        alternates=options["allow_alternates"],
        filters=options.get("allow_filters", False),
    )


MAX_DISCUSSION_BYTES = 5_000_000
COMMENTS = TypeAdapter(
    Annotated[tuple[Comment, ...], Field(max_length=5_000)], config=ConfigDict(defer_build=True)
)


def read_discussion(source: str | None, *, is_input_taken: bool = False) -> tuple[Comment, ...]:
    """Read the comments of a JSON file, or a text as one comment; `-` is standard input."""
    if source is None:
        return ()
    if source == "-" and is_input_taken:
        raise InputError("--discussion: standard input already holds the diff; name a file")
    try:
        with open(sys.stdin.fileno() if source == "-" else source, "rb", closefd=source != "-") as file:
            data = file.read(MAX_DISCUSSION_BYTES + 1)
    except OSError as error:
        raise InputError(f"--discussion: {source}: {error.strerror}") from error
    if len(data) > MAX_DISCUSSION_BYTES:
        raise InputError(f"--discussion: {source} is larger than {MAX_DISCUSSION_BYTES:,} bytes; pass less")
    text = data.decode("utf-8", errors="replace").removeprefix("\ufeff").strip()
    if not source.endswith(".json") and not text.startswith("[{"):
        return (Comment(body=text),) if text else ()
    try:
        return COMMENTS.validate_python([_known_fields(one) for one in json.loads(text)])
    except ValidationError as error:
        raise InputError(f"--discussion: {source}: {first_mistake(error)}") from error
    except (ValueError, TypeError, RecursionError) as error:
        raise InputError(f"--discussion: {source} is not a JSON list of comments: {error}") from error


def _known_fields(comment: Any) -> Any:
    """Leave out what other tools add to a comment, and what is null."""
    if not isinstance(comment, dict):
        return comment
    fields = Comment.model_fields
    return {name: value for name, value in comment.items() if name in fields and value is not None}


def _names_model(options: Mapping[str, Any]) -> bool:
    """Check whether a model is named: models ask who wrote a line, which needs the whole history."""
    return bool(options.get("model") or os.environ.get(f"{ENVIRONMENT_PREFIX}MODEL"))


MAX_SETTINGS_BYTES = 1_000_000


def say_hints(opened: OpenedChange) -> None:
    """Note what could not be read, and settings that do not apply because base lacks them."""
    base, head, folder = opened.repository.base, opened.repository.head, opened.repository.folder
    hints = [*opened.notices]
    changed = [path for path in [*settings_files(head), BASELINE_PATH] if _is_changed(path, base, head)]
    hints += [f"{path} is changed here; it applies once it is part of the base commit" for path in changed]
    if folder is not None:
        names = [name for name in (*FILE_NAMES, BASELINE_PATH) if name not in changed]
        hints += [
            f"{name} of the working tree is not used: the base commit of this change has another, or none"
            for name in names
            if _is_unused(name, base, folder)
        ]
    for hint in hints:
        note(hint)


def say_named_settings(opened: OpenedChange, named: Path | None) -> None:
    """Note that a `--config` file of the repository lets the change choose its settings."""
    folder = opened.repository.folder
    if named is None or folder is None or not named.resolve().is_relative_to(folder.resolve()):
        return
    path = named.resolve().relative_to(folder.resolve()).as_posix()
    if opened.repository.base.read(path) != named.read_bytes():
        note(f"--config: {path} is not as the base commit has it: the change may choose its own settings")


def say_unknown_names(settings: Settings) -> None:
    """Warn about analysers and rules to switch off, and variables, that do not exist."""
    rules = [
        *settings.rules_off,
        *(rule for folder in settings.folders for rule in folder.rules_off),
    ]
    named = [("analysers_off", name, name) for name in settings.analysers_off]
    named += [("rules_off", rule, rule.partition("/")[0]) for rule in rules]
    if named:
        _say_unknown(named, settings)
    for variable in unknown_variables(os.environ):
        note(f"Affidavit does not read {variable}; check its spelling")


def _say_unknown(named: Sequence[tuple[str, str, str]], settings: Settings) -> None:
    """Warn about names that do not exist: the setting, its text, and the analyser that it names."""
    from affidavit.analysers.rulebook import known_rules  # noqa: PLC0415
    from affidavit.reviewing.hold import assemble_crew  # noqa: PLC0415 - few settings switch anything off

    everybody = assemble_crew(settings.model_copy(update={"analysers_off": (), "allow_linters": True}), None)
    known = [specialist.name for specialist in everybody.specialists]
    with_fixed_rules = {rule.partition("/")[0] for rule in known_rules()}
    for setting, text, name in dict.fromkeys(named):
        if name not in known:
            note(f"{setting}: {text!r} matches no analyser; known: {', '.join(known)}")
        elif setting == "rules_off" and name in with_fixed_rules and text not in known_rules():
            note(f"{setting}: {name} has no rule {text!r}")


def _is_changed(path: str, base: Tree, head: Tree) -> bool:
    here, there = head.entry(path), base.entry(path)
    if here is None or (there is not None and there.blob == here.blob):
        return False
    return _concerns_us(path, head.read(path) or b"")


def _is_unused(name: str, base: Tree, folder: Path) -> bool:
    file = folder / name
    try:
        if file.is_symlink() or not file.is_file() or file.stat().st_size > MAX_SETTINGS_BYTES:
            return False
        content = file.read_bytes()
    except OSError:
        return False
    there = base.read(name) or b""
    # A checkout may have converted line ends.
    return _concerns_us(name, content) and content.replace(b"\r\n", b"\n") != there.replace(b"\r\n", b"\n")


def _concerns_us(path: str, content: bytes) -> bool:
    return not path.endswith("pyproject.toml") or b"affidavit" in content
