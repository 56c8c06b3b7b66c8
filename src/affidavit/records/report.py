"""Define the native report, which holds everything about one review. All other formats are made from it."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from pydantic import Field

from affidavit import __version__
from affidavit.records.candidate import Candidate, Judgement, SpecialistKind
from affidavit.records.change import Change
from affidavit.records.diagnostics import Diagnostic, Reason
from affidavit.records.evidence import AnalyserRun, DependencyCheck, ReproductionCheck, ToolUse
from affidavit.records.finding import Severity
from affidavit.records.iteration import Earlier, FollowUp
from affidavit.records.measure import Rate, TooFew
from affidavit.records.plan import Plan
from affidavit.records.program_runs import ProbeRun, TrialStep
from affidavit.records.record import Record

Decision = Literal["approve", "request_changes", "comment"]
REPORT_VERSION = "1.0"
_RELEASE = re.compile(
    r"([0-9]{1,9}\.[0-9]{1,9})(?:\.[0-9]{1,9})?(?:(?:a|b|rc|\.post|\.dev)[0-9]{1,9}){0,3}", re.ASCII
)

AS_IT_IS = (
    "This report holds the change as it is: secrets in its diff are not redacted. Keep it private; "
    "`affidavit recheck` needs it as it is. To send a report, write another format."
)
REDACTED = "Secrets in this copy are redacted, so `affidavit recheck` does not accept it."


def name_some(names: Sequence[str], most: int = 5) -> str:
    """Name the first of many, and say how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


class Gap(Record):
    name: str
    reason: str
    advice: str = ""


class Explained(Record):
    """The explanation of one difference: the words that announce it, or its own finding."""

    probe: str
    announced: str = ""
    finding: str = ""


class ReplySummary(Record):
    specialist: str
    kind: SpecialistKind
    state: Literal["clean", "accepted", "all_dropped", "rejected", "none"]
    findings: int = 0
    dropped: int = 0
    duration_ms: int = 0
    chunk: int | None = None
    files_read: tuple[str, ...] | None = None
    """The files that it opened, taken from its tool calls; None if they were not recorded."""
    summary: str = ""
    differences: tuple[Explained, ...] = ()


class HunkCoverage(Record):
    new_start: int
    new_count: int
    old_start: int
    old_count: int
    examined_by: tuple[str, ...] = ()
    parts: tuple["HunkCoverage", ...] = ()
    """If a hunk was too long for one conversation: who examined which of its lines."""
    examined_before: tuple[str, ...] = ()
    """The models that examined it in the earlier review and were not shown it again, as it is unchanged."""


class FileCoverage(Record):
    path: str
    state: Literal["examined", "partly", "not_examined", "skipped"]
    reason: str = ""
    hunks: tuple[HunkCoverage, ...] = ()
    carried_from: str = ""
    """The digest of the earlier report that has what was examined before; empty if nothing was."""


class Counts(Record):
    """Numbers of the report; candidates = shown + withheld."""

    candidates: int
    shown: int
    folded: int
    """Of the shown ones, those worth a maybe."""
    withheld: int
    blocking: int
    by_severity: dict[Severity, int]
    withheld_by_code: dict[Reason, int]
    set_aside: int = 0


class Verdict(Record):
    decision: Decision
    summary: str
    confidence: float
    blocking: tuple[str, ...] = ()
    """Ids of the candidates that ask for changes, shown or not."""
    counts: Counts


class Gate(Record):
    """The result for a build."""

    fail_on: Severity | None
    """None: nothing fails the build."""
    failed_by: tuple[str, ...] = ()
    """Ids of the candidates at or above the gate."""
    exit_code: Literal[0, 1, 2, 3]


class RoleUsage(Record):
    role: str
    model: str
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float | None = None
    cached_usd: float = 0.0
    """The part of a known cost that cached tokens have."""
    estimated_requests: int = 0
    """Requests that count by our own estimate, because the server reported impossibly few tokens."""
    reported_tokens: int = 0


class PositiveNote(Record):
    """A good decision in the change."""

    file: str
    note: str


class ReporterWords(Record):
    """A model's words about the finished review; no part of the verdict."""

    summary: str = ""
    positive_notes: tuple[PositiveNote, ...] = ()
    recommendations: tuple[str, ...] = ()


class Answer(Record):
    """The result of a talk. `text` is the model's last message, unparsed."""

    outcome: Literal["answered", "cut_off", "failed", "refused", "timed_out", "budget_exhausted"]
    text: str | None = None
    detail: str = ""
    usage: RoleUsage
    request: str = ""
    """The key of what was asked: the same for the same words to the same model."""

    @property
    def failure(self) -> str:
        """Say why a model gave no answer."""
        return f"{self.outcome.replace('_', ' ')}: {self.detail}".rstrip(": ")


class Reply(Record):
    """A specialist's `ReviewResult` as text, and what it could not do."""

    specialist: str
    kind: SpecialistKind
    text: str | None
    """None: the specialist had nothing to read, or could not run (then `incomplete` or `not_run` says so)."""
    prompt_version: str | None = None
    """The version it was asked for; None: the contract's current one. Likewise `schema_version`."""
    schema_version: str | None = None
    suppressed: tuple[str, ...] = ()
    """For each finding, the comment added by the change that suppresses it, or nothing."""
    incomplete: tuple[Gap, ...] = ()
    not_run: tuple[Gap, ...] = ()
    analyser_runs: tuple[AnalyserRun, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    usage: tuple[RoleUsage, ...] = ()
    files: tuple[str, ...] = ()
    """The changed files that it covers; set when it is asked."""
    claims: tuple[str, ...] = ()
    """The same, with files that it would cover if more than their hunks were known."""
    chunk: int | None = None
    uses: tuple[ToolUse, ...] | None = None
    probes: tuple[ProbeRun, ...] = ()
    request: str = ""
    """The key of what it was asked; empty for a specialist that is no model."""
    duration_ms: int = 0


class GivenJudgement(Record):
    candidate: str
    judgement: Judgement


class GivenDependencies(Record):
    """The checks of package quotes of one candidate, where the review was made."""

    candidate: str
    checks: tuple[DependencyCheck, ...]


class GivenReproduction(Record):
    candidate: str
    check: ReproductionCheck


class GivenTrial(Record):
    candidate: str
    steps: tuple[TrialStep, ...]


class LanguageHere(Record):
    """Whether programs in a language of the change can run where it is reviewed."""

    title: str
    runs: bool
    detail: str = ""
    tests: str = ""
    """The project's own test runner, if one starts."""

    @property
    def words(self) -> str:
        """Say it in a few words."""
        if not self.runs:
            return f"{self.title} {self.detail}"
        said = "; ".join(filter(None, [self.detail, f"tests with {self.tests}" if self.tests else ""]))
        return f"{self.title} yes ({said})" if said else f"{self.title} yes"


class Programs(Record):
    """The runs of programs, and their sandbox; or why none ran."""

    sandbox: str = ""
    reason: str = ""
    advice: str = ""
    reproductions: tuple[GivenReproduction, ...] = ()
    patches: tuple[GivenTrial, ...] = ()
    languages: tuple[LanguageHere, ...] = ()
    """The languages of the change; empty if no model was asked."""
    runs: int = 0
    duration_ms: int = 0


ProbeState = Literal["alike", "announced", "reported", "differs", "flaky", "untouched", "could_not_run"]
"""announced: it differs, and the change says so in the quoted words; reported: it differs, and a finding says
so; differs: nobody explains it; flaky: one side varies between runs; untouched: both sides end alike, and no
run read a file of the change."""


class BehaviourRow(Record):
    """One compared probe; its program and outputs are in its specialist's reply."""

    specialist: str
    name: str
    state: ProbeState
    announced: str = ""
    """The words of the change that announce it or a part of it, as found there."""
    candidates: tuple[str, ...] = ()
    """The findings about it."""
    detail: str = ""


class Inputs(Record):
    """The redacted inputs of a report beside the change and the settings."""

    replies: tuple[Reply, ...] = ()
    """From all specialists; `recheck` runs the mechanical ones again."""
    planner: Answer | None = None
    verifier_failures: tuple[Gap, ...] = ()
    """Why a verifier could not be asked at all, so that no specialist was."""
    joiner: Answer | None = None
    judgements: tuple[GivenJudgement, ...] = ()
    reporter: Answer | None = None
    dependency_quotes: tuple[GivenDependencies, ...] = ()
    """Packages are not part of the change, and another machine may have other versions."""
    programs: Programs | None = None
    earlier: Earlier | None = None
    submitted_by: str = ""
    """The outside agent that submitted the findings; the review's own models only judged them."""


class Report(Record):
    """Everything about one review."""

    notice: str = AS_IT_IS
    """A notice for readers of the file."""
    report_version: str = REPORT_VERSION
    affidavit_version: str
    id: str
    created_at: str
    duration_ms: int
    schema_version: str
    prompt_version: str
    change: Change
    settings: dict[str, Any]
    models: dict[str, str] = Field(default_factory=dict)
    plan: Plan | None = None
    candidates: tuple[Candidate, ...]
    replies: tuple[ReplySummary, ...]
    verdict: Verdict
    gate: Gate
    incomplete: tuple[Gap, ...] = ()
    """What was started and not completed. If not empty, the review cannot approve."""
    not_run: tuple[Gap, ...] = ()
    """What was not available: no model, an analyser that is not installed."""
    coverage: tuple[FileCoverage, ...] = ()
    analyser_runs: tuple[AnalyserRun, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    usage: tuple[RoleUsage, ...] = ()
    words: ReporterWords | None = None
    follow_up: FollowUp | None = None
    behaviour: tuple[BehaviourRow, ...] = ()
    inputs: Inputs = Field(default_factory=Inputs)
    measured: Rate | TooFew | None = None
    """Wrong among the shown and labelled findings of this installation, when the review was made.

    None: nothing is labelled yet. No part of the proof.
    """

    def __repr__(self) -> str:
        # At the end of a review asyncio writes out its result: of a large change that took a second.
        return f"Report({self.id!r})"

    @property
    def shown(self) -> list[Candidate]:
        """Return the shown findings, worst first within a file."""
        return [candidate for candidate in self.candidates if candidate.is_shown]

    @property
    def withheld(self) -> list[Candidate]:
        """Return the withheld findings, each with its reason."""
        return [candidate for candidate in self.candidates if not candidate.is_shown]

    @property
    def dropped(self) -> list[Diagnostic]:
        """Return the notes on every dropped finding or analyser result."""
        return [one for one in self.diagnostics if one.code is Reason.FINDING_DROPPED]

    @property
    def set_aside(self) -> list[Diagnostic]:
        """Return the notes on results that analysers' modules dropped: they are not candidates."""
        return [one for one in self.diagnostics if one.is_set_aside]

    @property
    def cost_usd(self) -> float | None:
        """Return what the models cost; None if a price is unknown."""
        costs = [one.cost_usd for one in self.usage]
        return None if None in costs else sum(cost or 0.0 for cost in costs)

    @property
    def tokens(self) -> int:
        return sum(one.input_tokens + one.output_tokens for one in self.usage)

    @property
    def set_aside_count(self) -> int:
        return count_set_aside(self.diagnostics)


def count_set_aside(diagnostics: Iterable[Diagnostic]) -> int:
    return sum(sum(one.unlisted.values()) or 1 for one in diagnostics if one.is_set_aside)


def why_not_derived(affidavit_version: str, report_version: str) -> str:
    """Say why this release cannot derive a report, and what to install; empty if it can.

    A release derives the reports of its own minor line. Both texts may be forged, so that only a well-formed
    release is repeated.
    """
    made_by, own = _RELEASE.fullmatch(affidavit_version), _RELEASE.fullmatch(__version__)
    if made_by is None:
        return "the report does not name a release of Affidavit"
    if own is None or made_by[1] != own[1]:
        return (
            f"the report was made by Affidavit {made_by[0]}, and this is {__version__}: "
            f"pip install affidavit=={made_by[0]} to recheck it"
        )
    if report_version != REPORT_VERSION:
        return f"the report does not have the version {REPORT_VERSION} that Affidavit {made_by[0]} writes"
    return ""


class StoredFinding(Record):
    report_id: str
    fingerprint: str
    title: str
    file: str
    line: int
