"""Define the diagnostics of a reply, a finding or a review."""

from enum import StrEnum

from pydantic import Field

from affidavit.records.finding import Category, Severity
from affidavit.records.record import Record


class Reason(StrEnum):
    """Every diagnostic code; a withheld finding has one of them as its reason."""

    FILE_NOT_IN_CHANGED_FILES = "file_not_in_changed_files"
    ALL_FINDINGS_DROPPED = "all_findings_dropped"
    INCOMPATIBLE_VERSION = "incompatible_version"
    INVALID_JSON = "invalid_json"
    TRUNCATED_JSON = "truncated_json"
    RESPONSE_REJECTED = "response_rejected"
    MISSING_REQUIRED_FIELD = "missing_required_field"
    UNKNOWN_FIELD = "unknown_field"
    INVALID_ENUM_VALUE = "invalid_enum_value"
    INVALID_TYPE = "invalid_type"
    INVALID_LINE_RANGE = "invalid_line_range"
    COERCION_APPLIED = "coercion_applied"
    FINDING_DROPPED = "finding_dropped"
    EVIDENCE_NOT_FOUND = "evidence_not_found"
    EVIDENCE_RELOCATED = "evidence_relocated"
    EVIDENCE_AMBIGUOUS = "evidence_ambiguous"
    ABSENCE_NOT_SEARCHED = "absence_not_searched"
    ABSENCE_DISPROVED = "absence_disproved"
    REFUTED = "refuted"
    NIT = "nit"
    DUPLICATE_OF = "duplicate_of"
    VERIFIER_FAILED = "verifier_failed"
    JOINER_FAILED = "joiner_failed"
    BUDGET_EXHAUSTED = "budget_exhausted"
    BELOW_THRESHOLD = "below_threshold"
    OUT_OF_FOCUS = "out_of_focus"
    STYLE_OFF = "style_off"
    EXCLUDED = "excluded"
    DISMISSED = "dismissed"
    SUPPRESSED = "suppressed"
    FIXED = "fixed"
    PRE_EXISTING = "pre_existing"
    PATCH_DOES_NOT_FIX = "patch_does_not_fix"
    CLAIMED_LOOK_NOT_MADE = "claimed_look_not_made"
    WORDS_CONTRADICT_VERDICT = "words_contradict_verdict"
    SHORTER_TEXT_REFUSED = "shorter_text_refused"


HIDDEN_BY_CHOICE = (Reason.BELOW_THRESHOLD, Reason.OUT_OF_FOCUS, Reason.STYLE_OFF, Reason.EXCLUDED)
"""Why an open finding is hidden: the user chose what to see.

All but those in excluded files still count for verdict and gate.
"""


class SetAside(Record):
    """A result that the analyser module dropped before it became a finding, and why."""

    rule: str
    severity: Severity
    """The severity that it would have as a finding; likewise the category."""
    category: Category
    file: str
    line: int
    """0: in the name of the file."""
    message: str
    reason: str


class Diagnostic(Record):
    """One note about a reply, a finding or an analyser."""

    code: Reason
    detail: str = ""
    specialist: str | None = None
    index: int | None = None
    id: str | None = None
    field: str | None = None
    expected: str | None = None
    set_aside: SetAside | None = None
    unlisted: dict[str, int] = Field(default_factory=dict)
    """How many further results of each rule are not listed."""

    @property
    def is_set_aside(self) -> bool:
        """Check for a result that an analyser's module dropped: findings in a reply have an index."""
        return self.code is Reason.FINDING_DROPPED and self.index is None
