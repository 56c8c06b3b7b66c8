"""Load versioned prompt templates in markdown, and fill every placeholder."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from affidavit.contract.schema import CURRENT_SCHEMA_VERSION, PROGRAMS_SCHEMA_VERSION, SCHEMAS
from affidavit.contract.versions import CURRENT_PROMPT_VERSION, parse_prompt_version
from affidavit.errors import SettingsError

PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
SUFFIX = ".md"
QUOTING = "quoting-dependencies"
MAX_TEMPLATE_BYTES = 200_000
"""Larger than any prompt."""


@dataclass(frozen=True)
class PromptSet:
    """All templates of one version, and the schema version that they ask for."""

    version: str
    templates: Mapping[str, str]
    schema_version: str = CURRENT_SCHEMA_VERSION
    place: Path | None = field(default=None, compare=False)
    """The folder that they were read from; None for the built-in set."""

    def render(self, name: str, /, **values: str) -> str:
        """Fill a template in one pass: a value is never read as a placeholder."""
        text = self.templates[name]
        wanted = set(PLACEHOLDER.findall(text))
        if wanted != values.keys():
            missing, unused = sorted(wanted - values.keys()), sorted(values.keys() - wanted)
            raise ValueError(f"prompt {name}: missing {missing}, not used {unused}")
        return PLACEHOLDER.sub(lambda match: values[match[1]], text).strip() + "\n"

    @property
    def asks_for_programs(self) -> bool:
        """Check whether findings may bring programs and quotes of packages."""
        versions = list(SCHEMAS)
        return versions.index(self.schema_version) >= versions.index(PROGRAMS_SCHEMA_VERSION)

    def section(self, name: str) -> str:
        """Render a template to append to another one, such as that about running programs."""
        return "\n" + self.render(name)

    @property
    def digest(self) -> str:
        """Return a digest of the words: if the words change, it is another version."""
        content = hashlib.sha256()
        for name in sorted(self.templates):
            content.update(f"{name}\0{self.templates[name]}\0".encode())
        return content.hexdigest()


@lru_cache(maxsize=1)
def current_prompts() -> PromptSet:
    """Return the built-in set."""
    templates = {
        entry.name.removesuffix(SUFFIX): entry.read_text(encoding="utf-8")
        for entry in files(__name__).iterdir()
        if entry.name.endswith(SUFFIX)
    }
    return PromptSet(CURRENT_PROMPT_VERSION, templates)


def own_versions(folder: Path) -> list[str]:
    """List the versions in a user's folder, oldest first."""
    try:
        names = [entry.name for entry in folder.iterdir() if entry.is_dir()]
    except OSError as error:
        raise SettingsError(f"the folder of prompts {folder} cannot be read: {error.strerror}") from error
    versions = [(version, name) for name in names if (version := parse_prompt_version(name))]
    return [name for _, name in sorted(versions)]


def load_prompts(
    version: str, folder: Path | None = None, schema_version: str = CURRENT_SCHEMA_VERSION
) -> PromptSet:
    """Load the built-in set, or a version from the user's folder, which must be complete."""
    if parse_prompt_version(version) is None:
        raise SettingsError(f"{version[:40]!r} is not a prompt version; write it as 1.1 or 1.1.0")
    if schema_version not in SCHEMAS:
        known = ", ".join(SCHEMAS)
        raise SettingsError(f"the parser does not read schema version {schema_version[:40]!r}, only {known}")
    is_built_in, own = version == CURRENT_PROMPT_VERSION, own_versions(folder) if folder else []
    if version in own and is_built_in:
        raise SettingsError(
            f"prompt version {version} comes with Affidavit; rename the folder {version} in {folder}"
        )
    if is_built_in:
        return replace(current_prompts(), schema_version=schema_version)
    if folder is None or version not in own:
        known = ", ".join([CURRENT_PROMPT_VERSION, *own])
        place = f"there is no folder {version} in {folder}" if folder else "name its folder with --prompts"
        raise SettingsError(f"prompt version {version} is not known, only {known}: {place}")
    return PromptSet(version, _checked(folder / version), schema_version, folder / version)


def _checked(folder: Path) -> dict[str, str]:
    """Read the templates of a folder; they need the names and placeholders of the built-in set."""
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
