"""Define a review in the series of its change: the review before it, and the fates of its findings."""

from typing import Literal, get_args

from pydantic import Field

from affidavit.records.candidate import Candidate
from affidavit.records.change import Revision
from affidavit.records.finding import Severity
from affidavit.records.record import Record

HISTORY_WINDOW = 5
"""How many earlier reviews are remembered: `feedback_history` and its `window_size`."""
LINE_DIGEST = 8

Fate = Literal["fixed", "partly_fixed", "still_open", "cannot_tell", "dismissed"]
"""dismissed: people have decided that it need not be fixed."""
DecidedBy = Literal["reproduction", "analyser", "evidence", "verifier", "repetition", "people"]
"""repetition: a specialist of this review reports it again, and it is open."""
FeedbackVerdict = Literal["accept", "refine", "reject", "escalate"]

DEFAULT_TENANT = "default"
"""The operator's own tenant; reviews made without a service belong to it, too."""


class EarlierHunk(Record):
    """A reviewed hunk, recognised wherever its lines have moved."""

    digests: str
    """A digest of each line with its mark, one after the other."""
    examined_by: tuple[str, ...] = ()


class EarlierFile(Record):
    path: str
    base_path: str | None = None
    old_blob: str | None = None
    new_blob: str | None = None
    hunks: tuple[EarlierHunk, ...] = ()


class EarlierFinding(Record):
    """A finding that was open or dismissed in the earlier report."""

    candidate: Candidate
    key: str
    """The fingerprint under which it was first reported: its name throughout the series."""
    times: int = 1
    """The number of reviews that reported it, including that one."""
    places: tuple[Candidate, ...] = ()
    """The duplicates that it represented."""


class RememberedItem(Record):
    key: str
    severity: Severity
    place: str
    title: str
    times: int = 1


class IterationSummary(Record):
    """An earlier review in short: for memory, alerts and the curve of scores."""

    number: int
    report_id: str
    digest: str = ""
    created_at: str = ""
    head: str = ""
    """The commit; without one, the tree."""
    tree: str = ""
    score: float
    verdict: FeedbackVerdict
    clarity: float | None = None
    """`feedback_clarity_score` of its feedback document; None if it had no feedback."""
    open: tuple[RememberedItem, ...] = ()
    fates: dict[Fate, int] = Field(default_factory=dict)
    followed: int = 0
    new: int = 0
    back: int = 0
    spent_usd: float | None = None
    tokens: int = 0
    incomplete: tuple[str, ...] = ()
    """The parts that were started and not completed; its score is then a partial one."""
    left_out: tuple[str, ...] = ()
    conditions: str = ""
    """A digest of who examined what, and how."""

    def is_like(self, other: "IterationSummary") -> bool:
        """Check whether two scores compare: both reviews complete, under the same conditions."""
        is_whole = not self.incomplete and not other.incomplete
        return is_whole and self.conditions == other.conditions


class StoredIteration(Record):
    """A review in its series, as stored."""

    repository: str
    series: str
    iteration: int
    report_id: str
    tree: str
    summary: IterationSummary


class StoredSeries(Record):
    repository: str
    series: str
    newest: StoredIteration


class FindingDecision(Record):
    key: str
    earlier: str
    fingerprint: str
    title: str
    severity: Severity
    file: str
    line: int
    specialist: str
    fate: Fate
    by: DecidedBy
    reason: str = ""
    now: str | None = None
    """The candidate of this report that continues it, if any."""
    code_changed: bool = False
    """The code at its place has changed, as `feedback_followed` requires."""
    times: int = 1


class Earlier(Record):
    """The previous review, as far as this one depends on it."""

    report_id: str
    digest: str
    series: str = ""
    number: int = 1
    """Its place in the series; one less where it is of the same head, whose review takes its place."""
    base: Revision
    head: Revision
    models: dict[str, str] = Field(default_factory=dict)
    prompt_version: str = ""
    settings: str = ""
    is_complete: bool = True
    files: tuple[EarlierFile, ...] = ()
    findings: tuple[EarlierFinding, ...] = ()
    dismissed: tuple[EarlierFinding, ...] = ()
    """The findings that people had dismissed; they are not raised again if the dismissal is still there."""
    history: tuple[IterationSummary, ...] = ()
    decided: tuple[FindingDecision, ...] = ()
    """If that review had the same head: its fates of the review before it, which still hold."""
    is_trusted: bool = True
    """The report is from the own store, was posted by the own workflow, or is signed by an allowed signer.

    Otherwise nothing counts as examined because of it.
    """
    looks_at_all: bool = False


class Scope(Record):
    """The files that models looked at in a follow-up review."""

    is_whole: bool
    reason: str = ""
    touched: tuple[str, ...] = ()
    reached: tuple[str, ...] = ()
    """Other files of the change that use these."""


class Returned(Record):
    """A finding that an older review of the series had, and the previous one did not."""

    now: str
    key: str
    """Its name then and now."""
    review: int
    times: int


class FollowUp(Record):
    """The fates of the previous review's findings."""

    series: str = ""
    iteration: int
    previous: str
    digest: str
    decisions: tuple[FindingDecision, ...] = ()
    new: tuple[str, ...] = ()
    """Ids of the shown candidates of this report that are new in the series."""
    returned: tuple[Returned, ...] = ()
    scope: Scope | None = None

    @property
    def counts(self) -> dict[Fate, int]:
        return {fate: sum(one.fate == fate for one in self.decisions) for fate in get_args(Fate)}
