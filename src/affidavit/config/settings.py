"""Merge settings: defaults < files of the base commit < environment < flags.

If the target branch is known, the files of its tip replace those of base; what excuses or hides must then be
in both.
"""

import difflib
import tomllib
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, Literal

from pydantic import Field

from affidavit.config.baseline import read_baseline
from affidavit.config.readers import READERS, ROLES
from affidavit.errors import SettingsError
from affidavit.git.glob import matches_any
from affidavit.ports import Tree
from affidavit.records.finding import Category, Severity
from affidavit.records.record import Record
from affidavit.records.settings_entries import EFFORTS, Effort, Linter, Price, Reasoning

FILE_NAMES = ("affidavit.toml", "pyproject.toml")
"""In one folder the first of these that has settings counts."""
ENVIRONMENT_PREFIX = "AFFIDAVIT_"
Origin = Literal["base", "file", "environment", "flag"]


class FolderSettings(Record):
    """The settings of a folder below the root."""

    folder: str
    severity_threshold: Severity | None = None
    focus: frozenset[Category] | None = None
    include_style: bool | None = None
    rules_off: tuple[str, ...] = ()
    effort: Effort | None = None


class Settings(Record):
    """The settings of a review."""

    fail_on: Severity | None = Severity.HIGH
    severity_threshold: Severity = Severity.INFO
    focus: frozenset[Category] = frozenset()
    include_style: bool = True
    nits: bool = False
    fold: Severity | None = Severity.LOW
    """Findings of this severity and below get one line; None: only those that may not be worth acting on."""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    analysers_off: tuple[str, ...] = ()
    rules_off: tuple[str, ...] = ()
    analyser_timeout_seconds: int = Field(120, ge=1, le=86_400)
    whole: bool = False
    """Whether ty checks the whole project, not only what the change can affect."""
    linters: tuple[Linter, ...] = ()
    allow_linters: bool = False
    """Whether the linters that a file names may run; only a flag or the environment can allow it."""
    language_servers: bool = False
    typescript_server: str | None = None
    """The program to ask about TypeScript; None: the one beside the interpreter or on PATH."""
    run: bool = False
    """Whether programs may run, in a sandbox; only a flag or the environment can allow it."""
    run_seconds: int = Field(600, ge=1, le=86_400)
    run_at_once: int | None = Field(None, ge=1, le=256)
    """How many programs of a review run at one time; None: as many as there are cores."""
    effort: Effort = "normal"
    """How much models look at a change; of several files, the highest counts."""
    model: str | None = None
    """PROVIDER:NAME for all roles; None, and no role has its own: no model is used."""
    planner_model: str | None = None
    specialist_model: str | None = None
    """Several with commas: conversations are spread over them."""
    verifier_model: str | None = None
    second_verifier_model: str | None = None
    """None: there is no second verifier; it must be another model, so `model` does not apply."""
    reporter_model: str | None = None
    base_url: str | None = None
    """The endpoint of models; only a flag or the environment can set it."""
    planner_base_url: str | None = None
    specialist_base_url: str | None = None
    verifier_base_url: str | None = None
    second_verifier_base_url: str | None = None
    reporter_base_url: str | None = None
    planner_temperature: float | None = None
    specialist_temperature: float | None = None
    verifier_temperature: float | None = None
    second_verifier_temperature: float | None = None
    reporter_temperature: float | None = None
    planner_reasoning: Reasoning | None = None
    specialist_reasoning: Reasoning | None = None
    verifier_reasoning: Reasoning | None = None
    second_verifier_reasoning: Reasoning | None = None
    reporter_reasoning: Reasoning | None = None
    planner_max_tokens: int | None = None
    specialist_max_tokens: int | None = None
    verifier_max_tokens: int | None = None
    second_verifier_max_tokens: int | None = None
    reporter_max_tokens: int | None = None
    model_timeout_seconds: float | None = None
    budget_usd: float | None = None
    budget_tokens: int | None = None
    prices_usd_per_million: dict[str, Price] | None = None
    max_iterations: int = Field(5, ge=1, le=1_000)
    """The limit of reviews of a change; the last one accepts, rejects or escalates."""
    folders: tuple[FolderSettings, ...] = ()
    sources: tuple[str, ...] = ()
    origins: dict[str, Origin] = Field(default_factory=dict)
    """The source of each setting that differs from its default; settings of folders come from base."""
    problems: tuple[str, ...] = ()
    """Files of the base commit that cannot be read; defaults replace them, and the review reports it."""
    at_base: "Settings | None" = None
    """The settings of base, if those of the target's tip differ."""

    def leaves_out(self, path: str) -> bool:
        """Check whether `include` and `exclude` leave a path out."""
        is_included = not self.include or matches_any(path, self.include)
        is_left_out = not is_included or matches_any(path, self.exclude)
        return is_left_out and (self.at_base is None or self.at_base.leaves_out(path))

    def for_path(self, path: str) -> "Settings":
        """Return the settings for one file: the nearest folder's, then the root's, limited by base."""
        own = self._nearest(path)
        if self.at_base is None:
            return own
        base = self.at_base.for_path(path)
        is_narrow = bool(own.focus and base.focus)
        return own.model_copy(
            update={
                "severity_threshold": max(own.severity_threshold, base.severity_threshold, key=_rank),
                "focus": own.focus | base.focus if is_narrow else frozenset(),
                "include_style": own.include_style or base.include_style,
                "effort": max(own.effort, base.effort, key=EFFORTS.index),
                "rules_off": tuple(rule for rule in own.rules_off if rule in base.rules_off),
            }
        )

    def _nearest(self, path: str) -> "Settings":
        settings = self
        for folder in self.folders:
            if path.startswith(folder.folder + "/"):
                chosen = {
                    name: value
                    for name in ("severity_threshold", "focus", "include_style", "effort")
                    if (value := getattr(folder, name)) is not None
                }
                rules_off = (*settings.rules_off, *folder.rules_off)
                settings = settings.model_copy(update={**chosen, "rules_off": rules_off})
        return settings


NOT_FROM_FILES = (
    "allow_linters",
    "allow_filters",
    "allow_alternates",
    "typescript_server",
    "run",
    "run_seconds",
    "run_at_once",
    "base_url",
    *(f"{role}_base_url" for role in ROLES),
)
"""A file must not allow its own commands, nor choose where code and keys are sent."""
MODEL_NAMES = ("model", *(f"{role}_model" for role in ROLES))
_BY_THE_USER = "as a flag or in the environment"
FOLDER_NAMES = ("severity_threshold", "focus", "include_style", "rules_off", "effort", "exclude")


def _rank(severity: Severity | None) -> int:
    return -1 if severity is None else severity.rank


def _limited(settings: Settings, base: Settings) -> Settings:
    """Limit the tip's settings: what excuses or hides counts only if base says it too."""
    if settings == base:
        return settings
    return settings.model_copy(
        update={
            "fail_on": max(settings.fail_on, base.fail_on, key=_rank),
            "nits": settings.nits or base.nits,
            "analysers_off": tuple(name for name in settings.analysers_off if name in base.analysers_off),
            "at_base": base.model_copy(update={"problems": ()}),
        }
    )


def load_settings(
    base: Tree | None,
    environment: Mapping[str, str],
    flags: Mapping[str, Any],
    explicit_file: tuple[str, bytes] | None = None,
    tip: Tree | None = None,
) -> Settings:
    """Merge all sources; raise SettingsError for an unknown name or a bad value.

    An invalid file of the base commit is skipped and named in `problems`, so that its repair can be
    reviewed.
    """
    at_base = _merged(base, environment, flags, explicit_file)
    return _limited(_merged(tip, environment, flags, explicit_file), at_base) if tip else at_base


def _merged(
    tree: Tree | None,
    environment: Mapping[str, str],
    flags: Mapping[str, Any],
    explicit_file: tuple[str, bytes] | None,
) -> Settings:
    settings = _settings_at_base(tree, with_root=explicit_file is None)
    if explicit_file is not None:
        is_pyproject = PurePosixPath(explicit_file[0]).name == "pyproject.toml"
        raw = _parse_toml(*explicit_file, is_pyproject=is_pyproject) or {}
        values = _read_root(raw, explicit_file[0])
        settings = _laid_over(settings, values, "file", (explicit_file[0], *settings.sources))
    from_environment = {
        name: environment[ENVIRONMENT_PREFIX + name.upper()]
        for name in READERS
        if environment.get(ENVIRONMENT_PREFIX + name.upper())
    }
    values = read_values(from_environment, "", shown_as=lambda name: ENVIRONMENT_PREFIX + name.upper())
    sources = (*settings.sources, *(["environment"] if from_environment else []))
    settings = _laid_over(settings, values, "environment", sources)
    chosen = {name: value for name, value in flags.items() if value is not None}
    values = read_values(chosen, "", shown_as=lambda name: "--" + name.replace("_", "-"))
    return _laid_over(settings, values, "flag", settings.sources)


def derive_settings(base: Tree, recorded: Settings, tip: Tree | None = None) -> Settings:
    """Read a recorded review's settings from base and tip again; take the user's choices from the record."""
    with_root = "file" not in recorded.origins.values()
    at_files = _settings_at_base(tip or base, with_root=with_root).exclude
    # The user's excludes come before those of files.
    given = recorded.exclude[: max(0, len(recorded.exclude) - len(at_files))]
    at_base = _derived(base, recorded, given)
    return _limited(_derived(tip, recorded, given), at_base) if tip else at_base


def _derived(tree: Tree, recorded: Settings, given: tuple[str, ...]) -> Settings:
    is_root_replaced = "file" in recorded.origins.values()
    settings = _settings_at_base(tree, with_root=not is_root_replaced)
    # Settings that nobody can choose are not taken from the record.
    chosen = {
        name: origin for name, origin in recorded.origins.items() if origin != "base" and name in READERS
    }
    values = {name: getattr(recorded, name) for name in chosen}
    values["exclude"] = (*(given if "exclude" in chosen else ()), *settings.exclude)
    sources = (
        *(recorded.sources[:1] if is_root_replaced else ()),
        *settings.sources,
        *(name for name in recorded.sources if name == "environment"),
    )
    origins = {**settings.origins, **chosen}
    return settings.model_copy(update={**values, "origins": origins, "sources": sources})


def _settings_at_base(base: Tree | None, *, with_root: bool) -> Settings:
    """Return the settings of the commit's files."""
    settings = Settings()
    for folder, path, raw in _files_at_base(base):
        try:
            if isinstance(raw, SettingsError):
                raise raw
            if folder:
                chosen, excluded = _read_folder(folder, path, raw)
                update = {"folders": (*settings.folders, chosen), "exclude": (*settings.exclude, *excluded)}
                settings = settings.model_copy(update=update)
            elif with_root:
                settings = _laid_over(settings, _read_root(raw, path), "base", settings.sources)
            else:
                continue
        except SettingsError as error:
            settings = settings.model_copy(update={"problems": (*settings.problems, *str(error).split("\n"))})
        else:
            settings = settings.model_copy(update={"sources": (*settings.sources, path)})
    unread = read_baseline(base).problem if base is not None else ""
    if unread:
        settings = settings.model_copy(update={"problems": (*settings.problems, unread)})
    return settings


def _laid_over(
    settings: Settings, values: Mapping[str, Any], origin: Origin, sources: tuple[str, ...]
) -> Settings:
    """Return the settings with one more source on top; its excludes are added."""
    origins = {**settings.origins, **dict.fromkeys(values, origin)}
    exclude = (*values.get("exclude", ()), *settings.exclude)
    return settings.model_copy(update={**values, "exclude": exclude, "origins": origins, "sources": sources})


def _read_root(raw: Mapping[str, Any], where: str) -> dict[str, Any]:
    values = read_values(raw, where, refused=dict.fromkeys(NOT_FROM_FILES, _BY_THE_USER))
    for name in MODEL_NAMES:
        # It starts a program, so that no file of a repository may name it.
        if any(one.strip().startswith("agent:") for one in str(values.get(name)).split(",")):
            raise SettingsError(f"{where}: {name} = {values[name]!r} can be set only {_BY_THE_USER}")
    return values


def read_values(
    raw: Mapping[str, Any],
    where: str,
    shown_as: Callable[[str], str] = lambda name: name,
    refused: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Any]:
    """Read the settings of one source (empty: flags or environment); one error names all mistakes."""
    values, mistakes = {}, []
    place = f"{where}: " if where else ""
    for name, value in raw.items():
        if name in refused:
            mistakes.append(f"{place}{name} can be set only {refused[name]}")
        elif name not in READERS:
            close = difflib.get_close_matches(name, READERS, n=1)
            hint = f"; did you mean {close[0]}?" if close else f"; known: {', '.join(READERS)}"
            mistakes.append(f"{place}unknown setting {name}{hint}")
        else:
            try:
                _refuse_other_encodings(value)
                values[name] = READERS[name](value)
            except ValueError as error:
                mistakes.append(f"{place}{shown_as(name)}: {error}")
    if mistakes:
        raise SettingsError("\n".join(mistakes))
    return values


def _refuse_other_encodings(value: Any) -> None:
    try:
        str(value).encode()
    except UnicodeEncodeError as error:
        raise ValueError("expected text in UTF-8") from error


def _read_folder(folder: str, where: str, raw: Mapping[str, Any]) -> tuple[FolderSettings, list[str]]:
    foreign = {name: "at the root of the repository" for name in READERS if name not in FOLDER_NAMES}
    values = read_values(raw, where, refused=foreign)
    excluded = [f"{folder}/{pattern}" for pattern in values.pop("exclude", ())]
    return FolderSettings(folder=folder, **values), excluded


def _files_at_base(tree: Tree | None) -> list[tuple[str, str, dict[str, Any] | SettingsError]]:
    """Return each folder (the root as '') with its settings file, outer folders first."""
    found: dict[str, tuple[str, dict[str, Any] | SettingsError]] = {}
    for path in settings_files(tree) if tree is not None else ():
        folder = path.rpartition("/")[0]
        content = tree.read(path) if tree is not None and folder not in found else None
        if not content:
            continue
        try:
            raw = _parse_toml(path, content, is_pyproject=path.endswith("pyproject.toml"))
        except SettingsError as error:
            found[folder] = (path, error)
        else:
            if raw is not None:
                found[folder] = (path, raw)
    return [(folder, *found[folder]) for folder in sorted(found, key=lambda one: (one.count("/"), one))]


def settings_files(tree: Tree) -> list[str]:
    paths = [path for path in tree.entries() if path.rpartition("/")[2] in FILE_NAMES]
    return sorted(
        paths, key=lambda path: (str(PurePosixPath(path).parent), FILE_NAMES.index(PurePosixPath(path).name))
    )


def _parse_toml(where: str, content: bytes, *, is_pyproject: bool) -> dict[str, Any] | None:
    if is_pyproject and b"affidavit" not in content:
        return None
    try:
        raw = tomllib.loads(content.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{where}: not valid TOML: {error}") from error
    if not is_pyproject:
        return raw
    tool = raw.get("tool", {})
    section = tool.get("affidavit") if isinstance(tool, dict) else None
    if section is not None and not isinstance(section, dict):
        raise SettingsError(f"{where}: [tool.affidavit] must be a table")
    return section


OTHER_VARIABLES = {
    "ALLOWED_HOSTS", "ALLOW_ALTERNATES", "ALLOW_FILTERS", "API_KEY", "CACHE", "DATA", "DATABASE", "DEBUG",
    "ENVIRONMENT", "FEEDBACK", "GITHUB_APP_ID", "GITHUB_APP_INSTALLATION", "GITHUB_APP_KEY",
    "GITHUB_APP_KEY_FILE", "GITHUB_HOSTS", "GITHUB_TOKEN",
    "GITHUB_WEBHOOK_SECRET", "GITLAB_HOSTS", "GITLAB_TOKEN",
    "GITLAB_WEBHOOK_TOKEN", "MAX_CLONE_MB", "MCP_SERVERS", "MCP_TOKEN", "NAME", "POST_AS", "POST_TOKEN",
    "PROMPTS", "PROMPT_VERSION", "REQUEST", "RETENTION_DAYS", "SIGNING_KEY",
    "SIGNING_KEY_FILE", "STOP_HOOK", "WEBHOOK_TENANT", "WITHOUT_PAGE",
}  # fmt: skip


def unknown_variables(environment: Mapping[str, str]) -> list[str]:
    """Return the variables with our prefix that nothing reads."""
    known = {name.upper() for name in READERS} | {f"{role.upper()}_API_KEY" for role in ROLES}
    known |= OTHER_VARIABLES
    ours = (name for name in sorted(environment) if name.startswith(ENVIRONMENT_PREFIX))
    return [name for name in ours if name.removeprefix(ENVIRONMENT_PREFIX) not in known]
