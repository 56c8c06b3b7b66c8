"""Settings: defaults < files of the base commit < environment < flags, merged once and frozen."""

import difflib
import math
import tomllib
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Any, get_args

from pydantic import Field, ValidationError

from affidavit.contract.vocabulary import UnknownWordError, read_focus, read_severity
from affidavit.errors import SettingsError
from affidavit.ports import Role, Tree
from affidavit.records.finding import Category, Severity
from affidavit.records.linter import Linter
from affidavit.records.price import Price, read_prices
from affidavit.records.record import Record

FILE_NAMES = ("affidavit.toml", "pyproject.toml")
"""In one folder the first of these that has settings counts."""
ENVIRONMENT_PREFIX = "AFFIDAVIT_"
ROLES: tuple[Role, ...] = get_args(Role)
MOST_VOTES = 9


class FolderSettings(Record):
    """What a settings file below the root says about its own folder."""

    folder: str
    severity_threshold: Severity | None = None
    focus: frozenset[Category] | None = None
    include_style: bool | None = None
    rules_off: tuple[str, ...] = ()


class Settings(Record):
    """Everything that can be chosen about a review."""

    fail_on: Severity | None = Severity.HIGH
    severity_threshold: Severity = Severity.INFO
    focus: frozenset[Category] = frozenset()
    """Empty: everything."""
    include_style: bool = True
    nits: bool = False
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    analysers_off: tuple[str, ...] = ()
    rules_off: tuple[str, ...] = ()
    analyser_timeout_seconds: int = Field(120, ge=1, le=86_400)
    linters: tuple[Linter, ...] = ()
    """The user's own linters."""
    allow_linters: bool = False
    """Whether the linters that a file names may be run; only a flag or the environment says so."""
    language_servers: bool = False
    """Whether the tools of models, and the map, ask language servers which references are certain."""
    typescript_server: str | None = None
    """The program to ask about TypeScript; None: the one beside the interpreter or on PATH."""
    model: str | None = None
    """PROVIDER:NAME for all roles; None and no role's own: no model looks."""
    planner_model: str | None = None
    specialist_model: str | None = None
    verifier_model: str | None = None
    second_verifier_model: str | None = None
    """None: there is no second verifier; it must be another model to be of use, so `model` is not for it."""
    reporter_model: str | None = None
    planner_temperature: float | None = None
    specialist_temperature: float | None = None
    verifier_temperature: float | None = None
    second_verifier_temperature: float | None = None
    reporter_temperature: float | None = None
    planner_max_tokens: int | None = None
    specialist_max_tokens: int | None = None
    verifier_max_tokens: int | None = None
    second_verifier_max_tokens: int | None = None
    verifier_votes: int | None = None
    """How often the verifier is asked about a finding of severity high or critical; None: once."""
    reporter_max_tokens: int | None = None
    model_timeout_seconds: float | None = None
    budget_usd: float | None = None
    budget_tokens: int | None = None
    prices_usd_per_million: dict[str, Price] | None = None
    """Of models that the table of prices does not know, by their names."""
    folders: tuple[FolderSettings, ...] = ()
    sources: tuple[str, ...] = ()
    """Where settings came from, for the report."""

    def for_path(self, path: str) -> "Settings":
        """The settings that hold for one file: the nearest folder's over the root's."""
        settings = self
        for folder in self.folders:
            if path.startswith(folder.folder + "/"):
                chosen = {
                    name: value
                    for name in ("severity_threshold", "focus", "include_style")
                    if (value := getattr(folder, name)) is not None
                }
                rules_off = (*settings.rules_off, *folder.rules_off)
                settings = settings.model_copy(update={**chosen, "rules_off": rules_off})
        return settings


def _severity(value: Any) -> Severity:
    return read_severity(_text(value))


def _gate(value: Any) -> Severity | None:
    if _text(value).strip().lower() == "never":
        return None
    try:
        return read_severity(_text(value))
    except UnknownWordError as error:
        raise ValueError(f"{error}, or never") from error


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected text, found {value!r}")
    return value


def _words(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [word.strip() for word in value.split(",")]
    if not isinstance(value, list | tuple) or not all(isinstance(word, str) for word in value):
        raise ValueError(f"expected a list of texts, found {value!r}")
    return tuple(word for word in value if word)


def _linters(value: Any) -> tuple[Linter, ...]:
    if not isinstance(value, list):
        raise ValueError("expected [[linters]] tables")
    try:
        linters = tuple(Linter.model_validate(entry) for entry in value)
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}") from error
    names = [linter.name for linter in linters]
    if len(set(names)) < len(names):
        raise ValueError(f"the same name twice among {', '.join(names)}")
    return linters


def _focus(value: Any) -> frozenset[Category]:
    return read_focus(_words(value))


def _truth(value: Any) -> bool:
    words = {
        "1": True,
        "true": True,
        "yes": True,
        "on": True,
        "0": False,
        "false": False,
        "no": False,
        "off": False,
    }
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in words:
        return words[value.lower()]
    raise ValueError(f"expected true or false, found {value!r}")


def _seconds(value: Any) -> int:
    try:
        seconds = int(value) if not isinstance(value, bool) else 0
    except (TypeError, ValueError):
        seconds = 0
    if not 1 <= seconds <= 86_400:
        raise ValueError(f"expected seconds from 1 to 86400, found {value!r}")
    return seconds


def _number_between(least: float, most: float) -> Callable[[Any], float]:
    def read(value: Any) -> float:
        try:
            number = float(value) if isinstance(value, int | float | str) else math.nan
        except (ValueError, OverflowError):
            number = math.nan
        if isinstance(value, bool) or not least <= number <= most:
            raise ValueError(f"expected a number from {least:g} to {most:g}, found {value!r}")
        return number

    return read


def _whole_number(most: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        try:
            number = int(value) if isinstance(value, int | str) and not isinstance(value, bool) else 0
        except ValueError:
            number = 0
        if not 1 <= number <= most:
            raise ValueError(f"expected a whole number from 1 to {most}, found {value!r}")
        return number

    return read


def _votes(value: Any) -> int:
    try:
        number = _whole_number(MOST_VOTES)(value)
    except ValueError:
        number = 0
    if number % 2 == 0:
        raise ValueError(f"expected an odd number from 1 to {MOST_VOTES}, so that a majority decides")
    return number


def _model_name(value: Any) -> str:
    name = _text(value).strip()
    if not name:
        raise ValueError("expected PROVIDER:NAME, found nothing")
    return name


MODEL_READERS: dict[str, Callable[[Any], Any]] = {
    "model": _model_name,
    **{f"{role}_model": _model_name for role in ROLES},
    **{f"{role}_temperature": _number_between(0, 2) for role in ROLES},
    **{f"{role}_max_tokens": _whole_number(10_000_000) for role in ROLES},
    "verifier_votes": _votes,
    "model_timeout_seconds": _number_between(0.001, 86_400),
    "budget_usd": _number_between(0, 1_000_000),
    "budget_tokens": _whole_number(10**12),
    "prices_usd_per_million": read_prices,
}
READERS: dict[str, Callable[[Any], Any]] = {
    "fail_on": _gate,
    "severity_threshold": _severity,
    "focus": _focus,
    "include_style": _truth,
    "nits": _truth,
    "include": _words,
    "exclude": _words,
    "analysers_off": _words,
    "rules_off": _words,
    "analyser_timeout_seconds": _seconds,
    "linters": _linters,
    "allow_linters": _truth,
    "language_servers": _truth,
    "typescript_server": _text,
    **MODEL_READERS,
}
"""The one list of settings: the same name in files, in flags and, in capitals, in the environment."""
NOT_FROM_FILES = ("allow_linters", "typescript_server", "base_url", *(f"{role}_base_url" for role in ROLES))
"""A file that names commands must not allow them to run, and none may say where code and keys go."""
FOLDER_NAMES = ("severity_threshold", "focus", "include_style", "rules_off", "exclude")


def load_settings(
    base: Tree | None,
    environment: Mapping[str, str],
    flags: Mapping[str, Any],
    explicit_file: tuple[str, bytes] | None = None,
) -> Settings:
    """Merge all sources; an unknown name or a bad value is an error that says where it stands."""
    files = _read_files(base) if base is not None else {}
    if explicit_file is not None:
        is_pyproject = PurePosixPath(explicit_file[0]).name == "pyproject.toml"
        files[""] = (explicit_file[0], _parse_toml(*explicit_file, is_pyproject=is_pyproject) or {})
    root_name, root = files.pop("", ("", {}))
    for name in NOT_FROM_FILES:
        if name in root:
            raise SettingsError(f"{root_name}: {name} counts only as a flag or in the environment")
    values = read_values(root, root_name)
    from_environment = {
        name: environment[ENVIRONMENT_PREFIX + name.upper()]
        for name in READERS
        if environment.get(ENVIRONMENT_PREFIX + name.upper())
    }
    values |= read_values(
        from_environment, "the environment", shown_as=lambda name: ENVIRONMENT_PREFIX + name.upper()
    )
    chosen = {name: value for name, value in flags.items() if value is not None}
    values |= read_values(chosen, "the command line", shown_as=lambda name: "--" + name.replace("_", "-"))
    folders, excluded = _folders(files)
    values["exclude"] = (*values.get("exclude", ()), *excluded)
    sources = [root_name] if root_name else []
    sources += [name for name, _ in files.values()]
    sources += ["environment"] if from_environment else []
    return Settings(**values, folders=folders, sources=tuple(sources))


def read_values(
    raw: Mapping[str, Any], where: str, shown_as: Callable[[str], str] = lambda name: name
) -> dict[str, Any]:
    """Read the settings of one source."""
    values = {}
    for name, value in raw.items():
        if name not in READERS:
            close = difflib.get_close_matches(name, READERS, n=1)
            hint = f"; did you mean {close[0]}?" if close else f"; known: {', '.join(sorted(READERS))}"
            raise SettingsError(f"{where}: unknown setting {name}{hint}")
        try:
            values[name] = READERS[name](value)
        except ValueError as error:
            raise SettingsError(f"{where}: {shown_as(name)}: {error}") from error
    return values


def _folders(files: Mapping[str, tuple[str, dict[str, Any]]]) -> tuple[tuple[FolderSettings, ...], list[str]]:
    folders, excluded = [], []
    for folder in sorted(files, key=lambda path: path.count("/")):
        where, raw = files[folder]
        foreign = [name for name in raw if name in READERS and name not in FOLDER_NAMES]
        if foreign:
            raise SettingsError(f"{where}: {foreign[0]} can be set only at the root of the repository")
        values = read_values(raw, where)
        excluded += [f"{folder}/{pattern}" for pattern in values.pop("exclude", ())]
        folders.append(FolderSettings(folder=folder, **values))
    return tuple(folders), excluded


def _read_files(tree: Tree) -> dict[str, tuple[str, dict[str, Any]]]:
    """Folder to (name, settings), root folder as ''."""
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    for path in settings_files(tree):
        folder = str(PurePosixPath(path).parent)
        folder = "" if folder == "." else folder
        if folder in found:
            continue
        content = tree.read(path)
        raw = _parse_toml(path, content, is_pyproject=path.endswith("pyproject.toml")) if content else None
        if raw is not None:
            found[folder] = (path, raw)
    return found


def settings_files(tree: Tree) -> list[str]:
    """The paths that may hold settings, those that count first before the others."""
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
