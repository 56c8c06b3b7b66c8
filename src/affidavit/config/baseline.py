"""Read the findings that maintainers have dismissed, from a file at base."""

import json
import re
import tomllib
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import Field

from affidavit.errors import SettingsError
from affidavit.ports import Tree
from affidavit.records.change import Dismissed
from affidavit.records.record import Record

BASELINE_PATH = ".affidavit/ignored.toml"
FINGERPRINT = re.compile(r"[0-9a-f]{16}")
NEEDED = {
    "fingerprint": "16 characters 0-9 and a-f, as a report shows them",
    "why": "the reason of the dismissal",
}
FIELDS = (*NEEDED, "title", "file", "added")
HEADER = "# Dismissed findings, by fingerprint. Written by `affidavit ignore`; read from the base commit.\n"


class Dismissal(Record):
    fingerprint: str
    why: str
    title: str = ""
    file: str = ""
    added: str = ""
    by: str = ""
    """Who brought it into the base commit; git says so, never the file."""


class Baseline(Record):
    """The dismissals of the base commit by fingerprint; none, and why, if the file is invalid."""

    dismissals: dict[str, Dismissal] = Field(default_factory=dict)
    problem: str = ""


def read_baseline(base: Tree) -> Baseline:
    """Read the base commit's file; an invalid one must not stop the review that repairs it."""
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
    """Return the dismissals of these findings that all trees have, base first, each with its author.

    In the base commit that is who brought it there, by git's own word; of what was said on the forge, by the
    forge's.
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
    """Parse the file; an error names the entry, the field and what was expected."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{BASELINE_PATH}: not valid TOML: {error}") from error
    strange = [name for name in content if name != "ignore"]
    if strange:
        raise SettingsError(f"{BASELINE_PATH}: unknown name {strange[0]!r}; expected [[ignore]] tables only")
    entries = content.get("ignore", [])
    if not isinstance(entries, list):
        raise SettingsError(f"{BASELINE_PATH}: ignore: expected [[ignore]] tables, found {_kind(entries)}")
    dismissals = [_dismissal(entry, number) for number, entry in enumerate(entries, 1)]
    return {dismissal.fingerprint: dismissal for dismissal in dismissals}


def _dismissal(entry: Any, number: int) -> Dismissal:
    where = f"{BASELINE_PATH}: entry {number}"
    if not isinstance(entry, dict):
        raise SettingsError(f"{where}: expected an [[ignore]] table, found {_kind(entry)}")
    for name, value in entry.items():
        if name not in FIELDS:
            raise SettingsError(f"{where}: unknown field {name!r}; known: {', '.join(FIELDS)}")
        if not isinstance(value, str):
            raise SettingsError(f"{where}: {name}: expected text in quotes, found {_kind(value)}")
    for name, expected in NEEDED.items():
        if not entry.get(name, "").strip():
            raise SettingsError(f"{where}: {name} is missing: expected {expected}")
    if not FINGERPRINT.fullmatch(entry["fingerprint"]):
        raise SettingsError(
            f"{where}: fingerprint: expected {NEEDED['fingerprint']}, found {entry['fingerprint'][:40]!r}"
        )
    return Dismissal(**entry)


def _kind(value: Any) -> str:
    kinds = {dict: "a table", list: "a list", str: "text", bool: "true or false", int: "a number"}
    return kinds.get(type(value), f"a {type(value).__name__}")


def add_dismissal(text: str, dismissal: Dismissal) -> str:
    """Return the text of the file with one entry added or replaced."""
    entries = parse_baseline(text) if text.strip() else {}
    entries[dismissal.fingerprint] = dismissal
    return HEADER + "".join(_entry_text(entry) for entry in entries.values())


def new_dismissal(fingerprint: str, why: str, title: str = "", file: str = "") -> Dismissal:
    """Make a dismissal dated today; fingerprint and reason are required."""
    if not FINGERPRINT.fullmatch(fingerprint):
        raise SettingsError(f"{fingerprint!r} is not a fingerprint: {NEEDED['fingerprint']}")
    if not why.strip():
        raise SettingsError("--why must say why the finding is dismissed")
    added = datetime.now(UTC).date().isoformat()
    return Dismissal(fingerprint=fingerprint, why=why.strip(), title=title, file=file, added=added)


def _entry_text(entry: Dismissal) -> str:
    fields = entry.model_dump(exclude_defaults=True, exclude={"by"})
    return "\n[[ignore]]\n" + "".join(f"{name} = {_toml_string(value)}\n" for name, value in fields.items())


def _toml_string(value: str) -> str:
    # A JSON string is a TOML string, but for the delete character, which only TOML wants escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
