"""Say on standard error what a user should know of a change before its review."""

from pathlib import Path

from affidavit.assembly import assemble_crew
from affidavit.cli.screen.saying import note
from affidavit.config.baseline import BASELINE_PATH
from affidavit.config.settings import FILE_NAMES, Settings, settings_files
from affidavit.ports import Tree
from affidavit.stages.looking.intake import OpenedChange

MAX_SETTINGS_BYTES = 1_000_000


def say_hints(opened: OpenedChange) -> None:
    """What could not be read, and settings that do not count because base lacks them."""
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
    """That a change may choose its own settings, where the command line names a file of the repository."""
    folder = opened.repository.folder
    if named is None or folder is None or not named.resolve().is_relative_to(folder.resolve()):
        return
    path = named.resolve().relative_to(folder.resolve()).as_posix()
    if opened.repository.base.read(path) != named.read_bytes():
        note(f"--config: {path} is not as the base commit has it: the change may choose its own settings")


def say_unknown_names(settings: Settings) -> None:
    """What the settings switch off and nobody has: a slip of the pen would leave it on."""
    everybody = assemble_crew(settings.model_copy(update={"analysers_off": (), "allow_linters": True}), None)
    known = [specialist.name for specialist in everybody.specialists]
    rules = [
        *settings.rules_off,
        *(rule for folder in settings.folders for rule in folder.rules_off),
    ]
    named = [("analysers_off", name, name) for name in settings.analysers_off]
    named += [("rules_off", rule, rule.partition("/")[0]) for rule in rules]
    for setting, text, name in dict.fromkeys(named):
        if name not in known:
            hint = f"{setting}: {text!r} is of no analyser here; known: {', '.join(known)}"
            note(hint)


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
    # A checkout may have converted the ends of lines.
    return _concerns_us(name, content) and content.replace(b"\r\n", b"\n") != there.replace(b"\r\n", b"\n")


def _concerns_us(path: str, content: bytes) -> bool:
    return not path.endswith("pyproject.toml") or b"affidavit" in content
