"""What a person said about a finding: valid, wrong, or true and not worth saying."""

from enum import StrEnum

from affidavit.records.record import Record


class Label(StrEnum):
    """The judgement of a person."""

    VALID = "valid"
    WRONG = "wrong"
    NIT = "nit"


class LabelEntry(Record):
    """One act of labelling. The newest entry of a finding counts; `label` is None where it was taken back."""

    report_id: str
    candidate_id: str
    label: Label | None
    why: str = ""
    by: str = ""
    source: str = "command line"
    """Where it was said: the command line, the page, a reply on a forge."""
    at: str
    """UTC, as ISO 8601."""
    report_digest: str = ""
    """SHA-256 of the report that it speaks of, byte for byte as it was kept; the store fills it in."""


class LabelledFinding(Record):
    """A label with what it counts by. `repository` and `fingerprint` say which problem is meant."""

    entry: LabelEntry
    repository: str
    fingerprint: str
    is_shown: bool
