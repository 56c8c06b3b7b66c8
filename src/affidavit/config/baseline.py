"""Read the findings that maintainers have dismissed, from a file at base."""

import json
import re
import tomllib
from collections.abc import Collection, Sequence
from datetime import UTC, datetime

from pydantic import Field, ValidationError

from affidavit.errors import SettingsError
from affidavit.ports import Tree
from affidavit.records.change import Dismissed
from affidavit.records.record import Record, first_mistake

BASELINE_PATH = ".affidavit/ignored.toml"
FINGERPRINT = re.compile(r"[0-9a-f]{16}")
HEADER = "# Dismissed findings, by fingerprint. Written by `affidavit ignore`; read from the base commit.\n"


class BaselineEntry(Record):
    """A dismissal as the file has it."""

    fingerprint: str = Field(pattern=f"^{FINGERPRINT.pattern}$")
    why: str = Field(pattern=r"\S")
    title: str = ""
    file: str = ""
    added: str = ""


class Dismissal(BaselineEntry):
    by: str = ""
    """Who added it to the base commit, according to git, never the file."""


class _File(Record):
    ignore: tuple[BaselineEntry, ...] = ()


class Baseline(Record):
    """The dismissals of the base commit by fingerprint; none, and why, if the file is invalid."""

    dismissals: dict[str, Dismissal] = Field(default_factory=dict)
    problem: str = ""


def read_baseline(base: Tree) -> Baseline:
    """Read the base commit's file; an invalid one must not stop the review of its repair."""
    content = base.read(BASELINE_PATH)
    if not content:
        return Baseline()
    try:
        return Baseline(dismissals=parse_baseline(content.decode("utf-8")))
    except UnicodeDecodeError as error:
        problem = f"{BASELINE_PATH}: byte {error.start + 1} is not UTF-8"
    except SettingsError as error:
        problem = str(error)
    return Baseline(problem=f"{problem}; until it is repaired, no dismissal counts")


def dismissals_of(
    trees: Sequence[Tree], fingerprints: Collection[str], said: Sequence[Dismissed] = ()
) -> dict[str, Dismissal]:
    """Return the dismissals of these findings that all trees have, each with its author.

    The author is who added the line to the base commit (`git blame`), or who commented on the forge.
    """
    given = {one.fingerprint: one for one in said}
    on_forge = {
        name: Dismissal(fingerprint=name, why=one.why, by=f"{one.by} on the forge")
        for name, one in given.items()
    }
    base = trees[0]
    found = {name: one for name, one in dismissed_in_all(trees).items() if name in fingerprints}
    lines = base.lines(BASELINE_PATH) or [] if found else []
    at_base = {name: one.model_copy(update={"by": _author(base, lines, name)}) for name, one in found.items()}
    return {**on_forge, **at_base}


def dismissed_in_all(trees: Sequence[Tree]) -> dict[str, Dismissal]:
    """Return the entries of the first tree that all others have too."""
    first, *others = (read_baseline(tree).dismissals for tree in trees)
    return {name: one for name, one in first.items() if all(name in other for other in others)}


def _author(base: Tree, lines: Sequence[str], fingerprint: str) -> str:
    number = next((at for at, line in enumerate(lines, 1) if fingerprint in line), None)
    blamed = base.blame(BASELINE_PATH, number) if number else None
    return f"{blamed.author} in {blamed.commit[:8]}" if blamed else ""


def parse_baseline(text: str) -> dict[str, Dismissal]:
    """Parse the file; an error names the entry, counted from 0, the field and what was expected."""
    try:
        entries = _File.model_validate(tomllib.loads(text)).ignore
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{BASELINE_PATH}: not valid TOML: {error}") from error
    except ValidationError as error:
        raise SettingsError(f"{BASELINE_PATH}: {first_mistake(error)}") from error
    return {one.fingerprint: Dismissal(**one.model_dump()) for one in entries}


def add_dismissal(text: str, dismissal: Dismissal) -> str:
    """Return the text of the file with one entry added or replaced."""
    entries = parse_baseline(text) if text.strip() else {}
    entries[dismissal.fingerprint] = dismissal
    return HEADER + "".join(_entry_text(entry) for entry in entries.values())


def new_dismissal(fingerprint: str, why: str, title: str = "", file: str = "") -> Dismissal:
    """Make a dismissal dated today; fingerprint and reason are required."""
    if not FINGERPRINT.fullmatch(fingerprint):
        raise SettingsError(f"{fingerprint!r} is not a fingerprint: expected 16 characters 0-9 and a-f")
    if not why.strip():
        raise SettingsError("--why must say why the finding is dismissed")
    added = datetime.now(UTC).date().isoformat()
    return Dismissal(fingerprint=fingerprint, why=why.strip(), title=title, file=file, added=added)


def _entry_text(entry: Dismissal) -> str:
    fields = entry.model_dump(exclude_defaults=True, exclude={"by"})
    return "\n[[ignore]]\n" + "".join(f"{name} = {_toml_string(value)}\n" for name, value in fields.items())


def _toml_string(value: str) -> str:
    # A JSON string is a TOML string, except that TOML also escapes the delete character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
