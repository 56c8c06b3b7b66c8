"""Findings that the repository's maintainers have dismissed: a file in the repository, read at base."""

import json
import re
import tomllib
from collections.abc import Collection, Sequence
from datetime import UTC, datetime

from affidavit.errors import SettingsError
from affidavit.ports import Tree
from affidavit.records.record import Record

BASELINE_PATH = ".affidavit/ignored.toml"
FINGERPRINT = re.compile(r"[0-9a-f]{16}")
HEADER = "# Dismissed findings, by fingerprint. Written by `affidavit ignore`; read from the base commit.\n"


class Dismissal(Record):
    """One entry of the baseline."""

    fingerprint: str
    why: str
    title: str = ""
    file: str = ""
    added: str = ""
    by: str = ""
    """Who brought it into the base commit; git says so, never the file."""


def read_baseline(base: Tree) -> dict[str, Dismissal]:
    """The dismissals of the base commit, by fingerprint."""
    content = base.read(BASELINE_PATH)
    return parse_baseline(content.decode("utf-8", "replace")) if content else {}


def dismissals_of(base: Tree, fingerprints: Collection[str]) -> dict[str, Dismissal]:
    """The dismissals of these findings, each with who brought it into the base commit, by git's own word."""
    found = {name: one for name, one in read_baseline(base).items() if name in fingerprints}
    lines = base.lines(BASELINE_PATH) or [] if found else []
    return {name: one.model_copy(update={"by": _author(base, lines, name)}) for name, one in found.items()}


def _author(base: Tree, lines: Sequence[str], fingerprint: str) -> str:
    number = next((at for at, line in enumerate(lines, 1) if fingerprint in line), None)
    blamed = base.blame(BASELINE_PATH, number) if number else None
    return f"{blamed.author} in {blamed.commit[:8]}" if blamed else ""


def parse_baseline(text: str) -> dict[str, Dismissal]:
    """Read the text of a baseline file."""
    try:
        entries = tomllib.loads(text).get("ignore", [])
        dismissals = [Dismissal(**entry) for entry in entries]
    except (tomllib.TOMLDecodeError, TypeError, ValueError) as error:
        raise SettingsError(f"{BASELINE_PATH}: {error}") from error
    return {dismissal.fingerprint: dismissal for dismissal in dismissals}


def add_dismissal(text: str, dismissal: Dismissal) -> str:
    """The text of the baseline file with one more entry; an entry that is there already is replaced."""
    entries = parse_baseline(text) if text.strip() else {}
    entries[dismissal.fingerprint] = dismissal
    return HEADER + "".join(_entry_text(entry) for entry in entries.values())


def new_dismissal(fingerprint: str, why: str, title: str = "", file: str = "") -> Dismissal:
    """A dismissal of today; both the fingerprint and the reason are needed."""
    if not FINGERPRINT.fullmatch(fingerprint):
        raise SettingsError(
            f"{fingerprint!r} is not a fingerprint: 16 characters 0-9 and a-f, as a report shows them"
        )
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
