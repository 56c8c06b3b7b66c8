"""Prompts as markdown templates, a folder a version, filled strictly: no value missing, none unused.

A version that comes with a release may build on an earlier one: it holds only what differs.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from affidavit.contract.schema import ASKED_SCHEMA_VERSION, CURRENT_SCHEMA_VERSION, SCHEMAS
from affidavit.contract.versions import CURRENT_PROMPT_VERSION, parse_prompt_version
from affidavit.errors import SettingsError

PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
SUFFIX = ".md"
BUILDS_ON = "builds-on"
"""The file that names the version whose templates a version has beside its own."""
EXPERIMENTER = "experimenter"
QUOTING = "quoting-dependencies"
MAX_TEMPLATE_BYTES = 200_000
"""More than any prompt needs; a larger file stands there by mistake."""


@dataclass(frozen=True)
class PromptSet:
    """All templates of one version, and the schema version that they ask for."""

    version: str
    templates: Mapping[str, str]
    schema_version: str = ASKED_SCHEMA_VERSION
    place: Path | None = field(default=None, compare=False)
    """The folder that they were read from; None for those that come with this release."""

    def render(self, name: str, /, **values: str) -> str:
        """Fill a template in one pass: what stands in a value is never read as a placeholder."""
        text = self.templates[name]
        wanted = set(PLACEHOLDER.findall(text))
        if wanted != values.keys():
            missing, unused = sorted(wanted - values.keys()), sorted(values.keys() - wanted)
            raise ValueError(f"prompt {name}: missing {missing}, not used {unused}")
        return PLACEHOLDER.sub(lambda match: values[match[1]], text).strip() + "\n"

    def optional(self, name: str, /, **values: str) -> dict[str, str]:
        """Of these values, those that the template of this version has a place for."""
        wanted = set(PLACEHOLDER.findall(self.templates[name]))
        return {key: value for key, value in values.items() if key in wanted}

    @property
    def asks_for_causes(self) -> bool:
        """Whether findings are joined by cause, and verifiers say scenario and severity: since 1.1.0."""
        return "joiner" in self.templates

    @property
    def asks_for_experiments(self) -> bool:
        """Whether these prompts know what to say where programs can be run: since 1.2.0."""
        return EXPERIMENTER in self.templates

    @property
    def asks_for_dependencies(self) -> bool:
        """Whether findings may quote packages: the version says how, and its schema has a place for it."""
        return QUOTING in self.templates and self.schema_version == CURRENT_SCHEMA_VERSION

    def asking_for_all(self) -> "PromptSet":
        """The same, with a form for replies that has room for programs and for quotes of packages."""
        is_plain = self.schema_version == ASKED_SCHEMA_VERSION
        return replace(self, schema_version=CURRENT_SCHEMA_VERSION) if is_plain else self

    def section(self, name: str) -> str:
        """What is said only where it is of use, as about programs; empty in versions that do not know it."""
        return "\n" + self.render(name) if name in self.templates else ""

    @property
    def digest(self) -> str:
        """The same for the same words: a version whose words change is another version."""
        content = hashlib.sha256()
        for name in sorted(self.templates):
            content.update(f"{name}\0{self.templates[name]}\0".encode())
        return content.hexdigest()


@lru_cache(maxsize=1)
def current_prompts() -> PromptSet:
    """The version that comes with this release."""
    return PromptSet(CURRENT_PROMPT_VERSION, _built_in(CURRENT_PROMPT_VERSION))


def render_prompt(name: str, /, **values: str) -> str:
    """Fill a template of the version that comes with this release."""
    return current_prompts().render(name, **values)


def built_in_versions() -> list[str]:
    """The versions that come with this release, oldest first."""
    names = [folder.name for folder in files(__name__).iterdir() if folder.is_dir()]
    return sorted(filter(parse_prompt_version, names), key=_order)


def own_versions(folder: Path) -> list[str]:
    """The versions in a folder of the user's, oldest first."""
    try:
        names = [entry.name for entry in folder.iterdir() if entry.is_dir()]
    except OSError as error:
        raise SettingsError(f"the folder of prompts {folder} cannot be read: {error.strerror}") from error
    return sorted(filter(parse_prompt_version, names), key=_order)


def load_prompts(
    version: str, folder: Path | None = None, schema_version: str = ASKED_SCHEMA_VERSION
) -> PromptSet:
    """A version from the user's folder, or one that comes with this release; it is checked whole."""
    if parse_prompt_version(version) is None:
        raise SettingsError(f"{version[:40]!r} is not a prompt version; write it as 1.1 or 1.1.0")
    if schema_version not in SCHEMAS:
        known = ", ".join(SCHEMAS)
        raise SettingsError(f"the parser does not read schema version {schema_version[:40]!r}, only {known}")
    built_in, own = built_in_versions(), own_versions(folder) if folder else []
    if version in own and version in built_in:
        raise SettingsError(
            f"prompt version {version} comes with Affidavit; rename the folder {version} in {folder}"
        )
    if version in built_in:
        return PromptSet(version, _built_in(version), schema_version)
    if folder is None or version not in own:
        known = ", ".join([*built_in, *own])
        place = f"there is no folder {version} in {folder}" if folder else "name its folder with --prompts"
        raise SettingsError(f"prompt version {version} is not known, only {known}: {place}")
    return PromptSet(version, _checked(folder / version), schema_version, folder / version)


def copy_prompts(version: str, target: Path, folder: Path | None = None) -> None:
    """Write the templates of a version into a new folder, to be changed there."""
    if parse_prompt_version(target.name) is None:
        raise SettingsError(f"{target}: name the folder by its version, such as {target / '1.1.0'}")
    # What an older version lacks is taken from the current one: a version of one's own is whole.
    templates = {**current_prompts().templates, **load_prompts(version, folder).templates}
    try:
        target.mkdir(parents=True)
        for name, text in templates.items():
            (target / f"{name}{SUFFIX}").write_text(text, encoding="utf-8")
    except FileExistsError as error:
        raise SettingsError(f"{target} exists already; a new version needs a new folder") from error
    except OSError as error:
        raise SettingsError(f"{target} cannot be written: {error.strerror}") from error


def _order(version: str) -> tuple[int, int, int]:
    parsed = parse_prompt_version(version)
    return (parsed.major, parsed.minor, parsed.patch or 0) if parsed else (0, 0, 0)


def asks_for_experiments(version: str) -> bool:
    """Whether a version knows what to say about programs; a user's own has every template of this release."""
    return version not in built_in_versions() or EXPERIMENTER in _built_in(version)


def _built_in(version: str) -> dict[str, str]:
    folder = files(__name__).joinpath(version)
    earlier = folder.joinpath(BUILDS_ON)
    inherited = _built_in(earlier.read_text(encoding="utf-8").strip()) if earlier.is_file() else {}
    return inherited | {
        entry.name.removesuffix(SUFFIX): entry.read_text(encoding="utf-8")
        for entry in folder.iterdir()
        if entry.name.endswith(SUFFIX)
    }


def _checked(folder: Path) -> dict[str, str]:
    """The templates of a folder: the names and placeholders of those that come with this release."""
    model = current_prompts().templates
    unknown = sorted(path.name for path in folder.glob(f"*{SUFFIX}") if path.stem not in model)
    if unknown:
        known = ", ".join(sorted(model))
        raise SettingsError(f"{folder}: {unknown[0]} is not a template of this release; known: {known}")
    return {name: _read(folder / f"{name}{SUFFIX}", like=text) for name, text in model.items()}


def _read(path: Path, like: str) -> str:
    if path.exists() and not path.is_file():
        raise SettingsError(f"{path} is not a file")
    try:
        with path.open("rb") as file:
            content = file.read(MAX_TEMPLATE_BYTES + 1)
        text = content.decode("utf-8")
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}; a version needs every template") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} is not UTF-8") from error
    if len(content) > MAX_TEMPLATE_BYTES:
        raise SettingsError(f"{path} is longer than {MAX_TEMPLATE_BYTES} bytes")
    wanted, found = set(PLACEHOLDER.findall(like)), set(PLACEHOLDER.findall(text))
    if wanted != found:
        missing, unused = sorted(wanted - found), sorted(found - wanted)
        raise SettingsError(f"{path}: placeholders missing {missing}, not known {unused}")
    return text
