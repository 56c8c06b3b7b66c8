"""Check every candidate's proof against the commit: its quote, the cause of an impact, its searches."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from affidavit.ports import Case, Repository
from affidavit.proof.quotes import check_dependency, check_quote
from affidavit.proof.sameness import lines_apart
from affidavit.proof.searches import cause_problem, run_search
from affidavit.records.candidate import Candidate, Status
from affidavit.records.change import Comment
from affidavit.records.diagnostics import Reason
from affidavit.records.docket import Docket, Outcome
from affidavit.records.evidence import QuoteOutcome, SearchRun, is_within
from affidavit.records.finding import NEAR_LINES, Finding, Search
from affidavit.records.plan import Plan
from affidavit.records.report import Reply, name_some

NOBODY = "somebody"
MAX_NAME_LENGTH = 100


def note_existing(docket: Docket, case: Case) -> Docket:
    """Note the authors of earlier comments at the place of each candidate."""
    placed = [comment for comment in case.change.discussion if comment.file and comment.line]
    return docket.then(_noted(candidate, placed) for candidate in docket.candidates)


def _noted(candidate: Candidate, placed: Sequence[Comment]) -> Candidate:
    finding = candidate.finding
    if finding is None:
        return candidate
    authors = [" ".join(one.author.split())[:MAX_NAME_LENGTH] for one in placed if _is_at(one, finding)]
    names = tuple(dict.fromkeys(name or NOBODY for name in authors))
    return (
        candidate.then("comments", f"commented on before by {', '.join(names)}", said_by=names)
        if names
        else candidate
    )


def _is_at(comment: Comment, finding: Finding) -> bool:
    line = comment.line or 0
    return comment.file == finding.file and lines_apart(finding.lines, (line, line)) <= NEAR_LINES


FLAG = "verification.checked_for_handling_elsewhere"
PATH = re.compile(r"[\w@+.~-]+(?:/[\w@+.~-]+)*/?")
MAX_CLAIM_LENGTH = 4_000


@dataclass(frozen=True)
class FilesSeen:
    """The files that one specialist saw."""

    shown: frozenset[str]
    """Files in its part of the diff."""
    read: frozenset[str]
    searched: frozenset[str]
    calls: int

    def covers(self, path: str) -> bool:
        """Check whether a part of the file was seen, or a search was limited to it."""
        return path in self.shown or path in self.read or any(is_within(path, each) for each in self.searched)


def check_claimed_reads(docket: Docket, case: Case) -> Docket:
    """Clear the flag of findings that claim to have looked elsewhere and made no such tool call."""
    readings = {
        reply.specialist: _reading(reply, case.plan) for reply in case.replies if reply.uses is not None
    }
    if not readings:
        return docket
    known = _Files.of(case.repository)

    def doubt(candidate: Candidate, finding: Finding) -> Outcome:
        reading = readings.get(candidate.specialist)
        problem = _problem(finding, reading, known) if reading else None
        if problem is None:
            return candidate, ()
        note = candidate.note(Reason.CLAIMED_LOOK_NOT_MADE, problem, FLAG)
        return _without_flag(candidate, finding, problem), [note]

    return docket.each(doubt)


def _reading(reply: Reply, plan: Plan | None) -> FilesSeen:
    uses = reply.uses or ()
    shown = [
        path for chunk in (plan.chunks if plan else ()) if chunk.number == reply.chunk for path in chunk.paths
    ]
    return FilesSeen(
        shown=frozenset(shown),
        read=frozenset(path for use in uses for path in use.read),
        searched=frozenset(place for use in uses for place in use.searched),
        calls=len(uses),
    )


def _problem(finding: Finding, reading: FilesSeen, known: "_Files") -> str | None:
    """Say why no tool call confirms the claim to have looked elsewhere; None if one does."""
    evidence = finding.evidence
    if not evidence.checked_for_handling_elsewhere:
        return None
    named = known.named_in(evidence.where_checked or "")
    unread = [name for name, files in named.items() if not any(map(reading.covers, files))]
    if unread:
        return f"it says that it looked in {name_some(unread)}, but no tool call read that"
    if not reading.calls and not named:
        return "it says that it looked elsewhere, but it made no tool call"
    return None


@dataclass(frozen=True)
class _Files:
    """The files of both sides, by path and by name."""

    paths: frozenset[str]
    by_name: dict[str, list[str]]

    @classmethod
    def of(cls, repository: Repository) -> "_Files":
        paths = frozenset([*repository.head.entries(), *repository.base.entries()])
        by_name: dict[str, list[str]] = {}
        for path in paths:
            by_name.setdefault(path.rsplit("/", 1)[-1], []).append(path)
        return cls(paths, by_name)

    def named_in(self, text: str) -> dict[str, list[str]]:
        """Return the files that each name in a text may refer to."""
        words = dict.fromkeys(match.group().strip(".~") for match in PATH.finditer(text[:MAX_CLAIM_LENGTH]))
        meant = {word: self._meant_by(word) for word in words}
        return {word: files for word, files in meant.items() if files}

    def _meant_by(self, word: str) -> list[str]:
        path = word.removeprefix("./").rstrip("/")
        if path in self.paths and ("/" in path or "." in path):
            return [path]
        if "/" not in word:
            return self.by_name.get(path, []) if "." in path else []
        ending = [
            known for known in self.by_name.get(path.rsplit("/", 1)[-1], ()) if known.endswith(f"/{path}")
        ]
        return ending or [known for known in self.paths if known.startswith(f"{path}/")]


def _without_flag(candidate: Candidate, finding: Finding, problem: str) -> Candidate:
    checked = finding.evidence.model_copy(update={"checked_for_handling_elsewhere": False})
    corrected = finding.model_copy(update={"verification": checked})
    return candidate.then("reading", f"not believed: {problem}", finding=corrected)


STAGE = "evidence"
NO_PACKAGES = "no sources of packages were read in this review"
WIDER = "the rest of the change, of which the specialist saw a part"

REASONS: dict[QuoteOutcome, Reason] = {
    "relocated": Reason.EVIDENCE_RELOCATED,
    "ambiguous": Reason.EVIDENCE_AMBIGUOUS,
    "not_found": Reason.EVIDENCE_NOT_FOUND,
}


def locate_quotes(docket: Docket, case: Case) -> Docket:
    """Find the quoted code in the commit and move the finding there; withhold it if there is none."""

    def locate(candidate: Candidate, finding: Finding) -> Outcome:
        is_machine = candidate.kind == "mechanical"
        quote, anchored = check_quote(finding, case.repository, saw_secrets=is_machine)
        what = f"quote {quote.outcome}: {quote.detail}"
        located = candidate.then(STAGE, what, quote=quote, finding=anchored)
        notes = [located.note(REASONS[quote.outcome], quote.detail)] if quote.outcome in REASONS else []
        return (_disproved(located, quote.detail) if quote.outcome == "not_found" else located), notes

    return docket.each(locate)


def leave_pre_existing(docket: Docket, _case: Case) -> Docket:
    """Withhold a finding that says of itself that its problem was there before the change."""

    def leave(candidate: Candidate, finding: Finding) -> Outcome:
        if not finding.evidence.is_pre_existing:
            return candidate, ()
        detail = "its specialist says that the problem was there before the change"
        return candidate.withhold(STAGE, Reason.PRE_EXISTING, detail), ()

    return docket.each(leave)


def check_causes(docket: Docket, case: Case) -> Docket:
    """Withhold an impact finding whose cause is not part of the change."""

    def check(candidate: Candidate, finding: Finding) -> Outcome:
        problem = cause_problem(finding.evidence, case.change, case.repository)
        if problem is None:
            return candidate, ()
        return _disproved(candidate, problem), [candidate.note(Reason.EVIDENCE_NOT_FOUND, problem)]

    return docket.each(check)


def check_dependencies(docket: Docket, case: Case) -> Docket:
    """Check quotes of packages and note the result; they support a finding and never withhold it."""

    def check(candidate: Candidate, finding: Finding) -> Outcome:
        quotes = finding.evidence.dependency_quotes
        if not quotes:
            return candidate, ()
        checks = case.dependencies.check(candidate) if case.dependencies else ()
        checks = checks or tuple(check_dependency(one, NO_PACKAGES) for one in quotes)
        said = "; ".join(f"{one.package} {one.file} {one.outcome.replace('_', ' ')}" for one in checks)
        checked = candidate.then(STAGE, f"quotes of packages: {said}", dependency_quotes=checks)
        failed = [one for one in checks if one.is_refuted]
        return checked, [
            checked.note(Reason.EVIDENCE_NOT_FOUND, one.detail, "dependency_quotes") for one in failed
        ]

    return docket.each(check)


def run_searches(docket: Docket, case: Case) -> Docket:
    """Search for what is said to be missing; hits go to the verifier, or disprove the finding."""

    def search(candidate: Candidate, finding: Finding) -> Outcome:
        if not finding.evidence.is_absence_finding:
            return candidate, ()
        runs = tuple(run_search(each, case.repository) for each in finding.evidence.searches)
        searched = candidate.then(STAGE, f"{len(runs)} searches run again", searches=runs)
        failed = [run.detail for run in runs if run.state == "failed"]
        if not runs or failed:
            detail = "; ".join(failed) or "it says that something is missing and declares no search"
            note = searched.note(Reason.ABSENCE_NOT_SEARCHED, detail)
            return searched.withhold(STAGE, Reason.ABSENCE_NOT_SEARCHED, detail), [note]
        hits = [f"{hit.path}:{hit.line}" for run in runs for hit in run.hits]
        # The verifier gets the hits with the claim.
        if not hits or case.has_verifier:
            return searched, ()
        detail = "what is said to be missing was found at " + ", ".join(hits[:3])
        return _disproved(searched, detail, Reason.ABSENCE_DISPROVED), [
            searched.note(Reason.ABSENCE_DISPROVED, detail)
        ]

    return docket.each(search)


def search_whole_change(docket: Docket, case: Case) -> Docket:
    """Repeat searches in changed files that they left out, if their finder saw only a part."""
    if case.plan is None or len(case.plan.chunks) < 2:
        return docket

    def search(candidate: Candidate, finding: Finding) -> Outcome:
        if candidate.kind == "mechanical" or not finding.evidence.is_absence_finding:
            return candidate, ()
        # A search without paths has covered everything.
        declared = [run.search for run in candidate.searches if run.search.paths]
        more = [run for one in declared if (run := _search_elsewhere(one, case))]
        if not more:
            return candidate, ()
        what = f"searched in the rest of the change: {sum(len(run.hits) for run in more)} hits"
        return candidate.then(STAGE, what, searches=(*candidate.searches, *more)), ()

    return docket.each(search)


def _search_elsewhere(search: Search, case: Case) -> SearchRun | None:
    shown = case.repository.redacted.shown_name
    changed = [path for file in case.change.files if (path := file.path_at(search.side))]
    others = [
        path for path in map(shown, changed) if not any(is_within(path, place) for place in search.paths)
    ]
    wider = search.model_copy(update={"paths": tuple(others)})
    return run_search(wider, case.repository, WIDER) if others else None


def _disproved(candidate: Candidate, detail: str, code: Reason = Reason.EVIDENCE_NOT_FOUND) -> Candidate:
    return candidate.withhold(STAGE, code, detail, status=Status.FALSE_POSITIVE)


CHECKS: tuple[Callable[[Docket, Case], Docket], ...] = (
    check_claimed_reads,  # tool calls show that files were read
    locate_quotes,  # the quoted code is in the commit
    leave_pre_existing,  # the change is not to blame
    check_causes,  # an impact names a part of the change
    check_dependencies,  # the quoted code is in the package
    run_searches,  # what is "missing" is searched for,
    search_whole_change,  # also in parts of the change that its finder was not shown
    note_existing,  # who has commented here before
)


def check(docket: Docket, case: Case) -> Docket:
    """Run every check on the findings."""
    for each in CHECKS:
        docket = each(docket, case)
    return docket
