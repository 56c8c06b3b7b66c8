"""What a person said about a finding: valid, wrong, or true and not worth saying."""

from enum import StrEnum

from affidavit.records.record import Record


class Label(StrEnum):
    """The judgement of a person."""

    VALID = "valid"
    WRONG = "wrong"
    NIT = "nit"


FORGE = "forge"
"""On a forge, by somebody who may write there and is not the author of the change."""
UNHEARD = {
    "author": "forge: by the author of the change",
    "no_rights": "forge: without write access",
    "unknown": "forge: rights not known",
}
"""On a forge, by anybody else: kept, and counted in no rate, since a change could move it for itself."""


class LabelEntry(Record):
    """One act of labelling; `label` is None where it was taken back.

    The newest entry of a finding counts, of those by people whose word does.
    """

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

    @property
    def counts(self) -> bool:
        """Whether it is the word of somebody who has a say in the error rate."""
        return self.source not in UNHEARD.values()


class LabelledFinding(Record):
    """A label with what it counts by. `repository` and `fingerprint` say which problem is meant."""

    entry: LabelEntry
    repository: str
    fingerprint: str
    is_shown: bool
