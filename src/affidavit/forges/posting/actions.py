"""Define the actions that post a report, as data."""

from typing import Literal

from affidavit.records.record import Record, Side


class PostOptions(Record):
    """Options of posting; verdicts that bind people must be asked for."""

    may_approve: bool = False
    may_block: bool = False
    nits: bool = False
    sets_gate: bool = True
    digest: str = ""
    """SHA-256 of the report's bytes."""
    unproven: tuple[str, ...] = ()
    """The parts that a recheck could not prove again, named in the summary."""
    is_rechecked: bool = False
    signer: str = ""
    """The key that signed the report."""
    run: str = ""
    """The job that posts and keeps the report as an artifact; the next run finds it by this id."""
    refused: frozenset[str] = frozenset()
    """Places where the forge refused a comment; these findings go into the summary."""


Event = Literal["comment", "approve", "request_changes"]
GateState = Literal["success", "failure", "in_part"]

GATE_NAME = "affidavit"
"""The name of the commit status."""


class Limits(Record):
    """What a forge accepts."""

    body_length: int
    comments: int
    """Comments on lines in one go; more go into the summary."""
    has_reviews: bool
    """Comments on lines can be posted together, and with a verdict."""
    suggests_by: Literal["lines", "offsets"] = "lines"
    """How a suggestion names the lines it replaces: the comment's lines, or the number of lines above it."""
    status_length: int = 140
    """Limit of the text of a commit status."""


class Inline(Record):
    """A comment on lines of the diff; of several, on the last one."""

    fingerprint: str = ""
    path: str
    """At head; of a deleted file, at base."""
    old_path: str
    side: Side
    line: int
    """On its side; the last of several."""
    start_line: int | None = None
    old_line: int | None = None
    """The same line on both sides, where both have it; some forges want both."""
    new_line: int | None = None
    body: str = ""

    @property
    def place(self) -> str:
        """Return a name for the place, to remember refusals."""
        return f"{self.path}:{self.side}:{self.line}"


class PostSummary(Record):
    """Post the summary; later runs edit it."""

    kind: Literal["post_summary"] = "post_summary"
    body: str


class PostReview(Record):
    """Post comments on lines together, with a verdict; without comments where a forge approves apart."""

    kind: Literal["post_review"] = "post_review"
    head: str
    body: str = ""
    event: Event = "comment"
    comments: tuple[Inline, ...] = ()


class PostInline(Record):
    """Post one comment on lines: for forges without reviews, and after a refused review."""

    kind: Literal["post_inline"] = "post_inline"
    head: str
    comment: Inline


class Edit(Record):
    """Replace the text of our summary."""

    kind: Literal["edit"] = "edit"
    note: str
    body: str


class Reply(Record):
    """Reply in one of our threads."""

    kind: Literal["reply"] = "reply"
    note: str
    """The comment that begins the thread."""
    thread: str = ""
    body: str


class Resolve(Record):
    """Resolve a thread of ours whose finding is fixed; reply if resolving is not allowed."""

    kind: Literal["resolve"] = "resolve"
    note: str
    thread: str
    instead: str


class SetGate(Record):
    """Set the commit status of the gate."""

    kind: Literal["set_gate"] = "set_gate"
    head: str
    state: GateState
    title: str


class WithdrawVerdict(Record):
    """Withdraw our earlier approval or request for changes."""

    kind: Literal["withdraw_verdict"] = "withdraw_verdict"
    review: str
    why: str


Action = PostSummary | PostReview | PostInline | Edit | Reply | Resolve | SetGate | WithdrawVerdict
