"""Prove a report piece by piece: every quote, search and analyser result, and the verdict drawn from them.

These checks need no report of the same version; the whole is compared where it can be derived.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from affidavit import __version__
from affidavit.config.baseline import BASELINE_PATH, dismissed_in_all
from affidavit.diff.record_check import compare_record, lost_files
from affidavit.git.repository import GitRepository
from affidavit.git.revisions import parse_range
from affidavit.ports import Repository
from affidavit.proof.coverage import unseen_files
from affidavit.proof.judging.ruling import rule_on
from affidavit.proof.quoting.quote_check import check_quote, quote_still_stands
from affidavit.proof.quoting.searches import run_search
from affidavit.recheck.additions import is_later_than
from affidavit.records.candidate import Candidate, Status
from affidavit.records.change import Change
from affidavit.records.diagnostics import Reason
from affidavit.records.evidence import QuoteCheck
from affidavit.records.finding import Finding, Search
from affidavit.records.record import Record
from affidavit.records.report import Reply, Report, count_set_aside
from affidavit.render.wording import settings_sentence
from affidavit.stages.looking.parse import read_replies
from affidavit.stages.reporting.report import decide_gate, decide_verdict

CHOICES = frozenset({Reason.NIT, Reason.BELOW_THRESHOLD, Reason.OUT_OF_FOCUS, Reason.STYLE_OFF})
"""Reasons that hide a proven finding; it is checked all the same, and counts at verdict and gate."""

MAX_DIFFERENCES = 10
SHORT = 12
NOT_HERE = {"holds": None, "detail": "its file is not here and cannot be rebuilt from the report"}
Kind = Literal[
    "change",
    "quote",
    "search",
    "analyser",
    "judgement",
    "dismissal",
    "verdict",
    "report",
    "signature",
    "reproduction",
    "behaviour",
    "dependency",
    "patch",
]


class Proof(Record):
    """One proof of a report, checked again. `holds` is None where it cannot be checked here."""

    finding: str
    title: str
    kind: Kind
    holds: bool | None
    detail: str


def recheck_change(report: Report, repository: GitRepository) -> Proof:
    """Whether the report speaks of the commits, files and lines that it says it does."""
    change = report.change
    differences = compare_record(change, repository)
    wrong = [one.detail for one in differences if not one.is_unknown]
    if change.source in ("range", "commit") and change.head.commit is None:
        wrong.append(f"it is called a {change.source}, but names no commit at head")
    if change.tip is None and _has_target(change):
        wrong.append("it is measured from a target branch, but does not name that branch's tip")
    unknown = [one.detail for one in differences if one.is_unknown]
    holds = False if wrong else None if unknown else True
    detail = "; ".join((wrong or unknown)[:MAX_DIFFERENCES]) or "files and lines are as recorded"
    return Proof(finding="", title="change", kind="change", holds=holds, detail=f"{_sides(report)}, {detail}")


def _has_target(change: Change) -> bool:
    span = parse_range(change.target)
    is_since_merge_base = span is not None and span.since_merge_base
    return change.source == "range" and (change.request is not None or is_since_merge_base)


def _sides(report: Report) -> str:
    """Name both sides by their hashes: how a report names its commits is on its word."""
    change, chosen = report.change, settings_sentence(report)
    base, head = (
        f"commit {revision.commit[:SHORT]}" if revision.commit else f"tree {revision.tree[:SHORT]}"
        for revision in (change.base, change.head)
    )
    tip = change.tip and (change.tip.commit or change.tip.tree)
    target = f"target commit {tip[:SHORT]}" if tip else chosen and f"settings {chosen}"
    return f"base {base}, head {head}" + (f", {target}" if target else "")


def check_proofs(report: Report, repository: Repository, replies: Sequence[Reply]) -> list[Proof]:
    """All proofs of a report, in the report's order; the verdict comes last.

    `replies` are those of the mechanical specialists, who have looked again at the same change.
    """
    standing = [candidate for candidate in report.candidates if _is_claimed(candidate)]
    proofs = [proof for candidate in standing for proof in _check_in_tree(candidate, repository)]
    again = _seen_again(report, replies)
    proofs += [_check_analyser(candidate, again) for candidate in standing if candidate.is_proven_by_machine]
    proofs += [proof for candidate in standing for proof in _check_judgement(candidate, report)]
    gone = lost_files(report.change, repository)
    lost = {candidate.id for candidate in standing if _is_lost(candidate, gone)}
    proofs = [proof.model_copy(update=NOT_HERE) if proof.finding in lost else proof for proof in proofs]
    order = {candidate.id: position for position, candidate in enumerate(standing)}
    proofs.sort(key=lambda proof: order[proof.finding])
    return [
        *proofs,
        *_left_out(report, again),
        *_check_dismissals(report, repository),
        _check_verdict(report),
    ]


def _check_dismissals(report: Report, repository: Repository) -> list[Proof]:
    """What is called dismissed has its entry in the base commit, or was said on the forge, by its word."""
    dismissed = [one for one in report.candidates if one.withheld and one.withheld.code is Reason.DISMISSED]
    known = dismissed_in_all(repository.excusing) if dismissed else {}
    said = {one.fingerprint: one.by for one in report.change.dismissals}
    return [_check_dismissal(one, known, said) for one in dismissed]


def _check_dismissal(one: Candidate, at_base: Collection[str], said: Mapping[str, str]) -> Proof:
    names = (one.fingerprint, *one.carries)
    if any(name in at_base for name in names):
        return _proof(one, "dismissal", True, f"{BASELINE_PATH} has its entry")
    by = next((said[name] for name in names if name in said), None)
    if by is not None:
        return _proof(one, "dismissal", True, f"{by} said so on the forge, which is taken on its word")
    detail = f"{BASELINE_PATH} of base or target lacks its entry, and nobody said so on the forge"
    return _proof(one, "dismissal", False, detail)


def _is_claimed(candidate: Candidate) -> bool:
    is_hidden_by_choice = candidate.withheld is not None and candidate.withheld.code in (
        *CHOICES,
        Reason.DISMISSED,
    )
    return candidate.finding is not None and (candidate.withheld is None or is_hidden_by_choice)


def _is_lost(candidate: Candidate, lost: Collection[str]) -> bool:
    return candidate.finding is not None and candidate.finding.file in lost


def _proof(candidate: Candidate, kind: Kind, holds: bool | None, detail: str) -> Proof:
    title = candidate.finding.title if candidate.finding else ""
    return Proof(finding=candidate.id, title=title, kind=kind, holds=holds, detail=detail)


def _check_in_tree(candidate: Candidate, repository: Repository) -> list[Proof]:
    finding, quote = candidate.finding, candidate.quote
    if finding is None:
        return []
    if quote is None:
        return [_proof(candidate, "quote", False, "the report has no checked quote for this finding")]
    problem = _quote_problem(finding, quote, repository)
    stands = f"the quoted code is at {_place(quote)}"
    proofs = [_proof(candidate, "quote", problem is None, problem or stands)]
    return proofs + [_check_search(candidate, search, repository) for search in _declared_searches(finding)]


def _declared_searches(finding: Finding) -> Sequence[Search]:
    proof = finding.verification
    return proof.searches if proof and proof.is_absence_finding else ()


def _quote_problem(finding: Finding, quote: QuoteCheck, repository: Repository) -> str | None:
    """Why the recorded quote does not prove the finding, or None."""
    if not quote_still_stands(quote, repository):
        return f"the quoted code is not at {_place(quote)}"
    again, _ = check_quote(finding, repository)
    if again.outcome == "not_found":
        return again.detail
    # Reason that stands somewhere proves nothing about a finding that speaks of another place.
    if _place(again) != _place(quote):
        return f"the report quotes {_place(quote)}; what the finding is about is at {_place(again)}"
    return None


def _place(quote: QuoteCheck) -> str:
    return f"{quote.file}:{quote.start}-{quote.end} at {quote.side}"


def _check_search(candidate: Candidate, search: Search, repository: Repository) -> Proof:
    again = run_search(search, repository)
    what = f"search for {search.pattern!r}: {again.state.replace('_', ' ')}"
    recorded = next((run for run in candidate.searches if run.search == search), None)
    if recorded is None:
        return _proof(candidate, "search", False, f"{what}; the report does not say what it found")
    is_same = (again.state, again.hits) == (recorded.state, recorded.hits)
    return _proof(candidate, "search", is_same, what if is_same else f"{what}, recorded as {recorded.state}")


def _check_judgement(candidate: Candidate, report: Report) -> list[Proof]:
    """A judgement cannot be made again without a model, but the report must hold the one it rests on."""
    if candidate.is_proven_by_machine or candidate.status is not Status.VERIFIED:
        return []
    if candidate.carried and any(one.by == "earlier" and one.answer for one in candidate.judgements):
        # The earlier report has it, and the digest of that one is on record.
        return []
    judged = [judgement for judgement in candidate.judgements if judgement.by == "verifier"]
    ruled = rule_on(judged) if judged else None
    if report.models and ruled and ruled.answer == "CONFIRMED" and not ruled.qualified:
        return []
    detail = "it is called verified, but the report has no verifier's confirmation of it"
    return [_proof(candidate, "judgement", False, detail)]


@dataclass(frozen=True)
class _Again:
    """What the mechanical specialists say when they look again."""

    findings: dict[str, list[Finding]]
    """Specialist to its findings; a specialist that could not look is missing."""
    silent: dict[str, str]
    """Specialist to the reason why it could not look."""
    others: frozenset[str] = frozenset()
    """Specialists of another version than the report's, whose words and minor findings may differ."""

    def unless_other(self, name: str) -> bool | None:
        """What becomes of a proof that does not come out: it fails only where the version is the same."""
        return None if name in self.others else False


def _seen_again(report: Report, replies: Sequence[Reply]) -> _Again:
    known = {reply.specialist: reply.state for reply in report.replies}
    excused = {
        part.name for part in (*report.not_run, *report.incomplete) if known.get(part.name, "none") == "none"
    }
    # A reply that the report leaves out may be one that was taken out of it.
    replies = [
        reply
        for reply in replies
        if reply.specialist not in excused
        and (reply.specialist in known or report.affidavit_version == __version__)
    ]
    silent = {
        reply.specialist: parts[0].reason
        for reply in replies
        if reply.text is None and (parts := [*reply.not_run, *reply.incomplete])
    }
    findings: dict[str, list[Finding]] = {
        reply.specialist: [] for reply in replies if reply.specialist not in silent
    }
    for candidate in read_replies(replies, report.change).candidates:
        if candidate.finding and candidate.specialist in findings:
            findings[candidate.specialist].append(candidate.finding)
    is_other = report.affidavit_version != __version__
    others = {reply.specialist for reply in replies if is_other or has_other_version(reply, report)}
    return _Again(findings, silent, frozenset(others))


def has_other_version(reply: Reply, report: Report) -> bool:
    """Whether the analyser that has looked now is of another version than the one of the report."""
    then = {(run.analyser, run.side): run.version for run in report.analyser_runs}
    return any(then.get((run.analyser, run.side), run.version) != run.version for run in reply.analyser_runs)


def _check_analyser(candidate: Candidate, again: _Again) -> Proof:
    """The specialist must say the very same again: rule, place, severity and words.

    One of another version may say otherwise; that it blocks all the same is proven by `blocking`.
    """
    name, finding = candidate.specialist, candidate.finding
    if finding is None or name not in again.findings:
        reason = again.silent.get(name, f"there is no specialist {name} here")
        return _proof(candidate, "analyser", None, reason)
    here = [one for one in again.findings[name] if _spot(one) == _spot(finding)]
    same = next((one for one in here if _said(one) == _said(finding)), None)
    if same is not None:
        return _proof(candidate, "analyser", True, _method(same) + _other_version(finding, same))
    if here:
        detail = f"checked again, {name} says {here[0].severity}: {here[0].title}; the report says otherwise"
        detail += _other_version(finding, here[0])
    else:
        place = f"{finding.file}:{finding.line}"
        detail = f"checked again, {name} does not report {finding.rule_id} at {place}"
    return _proof(candidate, "analyser", again.unless_other(name), detail)


def _left_out(report: Report, again: _Again) -> list[Proof]:
    """What the specialists find again and the report does not hold."""
    recorded = {
        (candidate.specialist, _spot(candidate.finding))
        for candidate in report.candidates
        if candidate.finding
    }
    return [
        Proof(
            finding="",
            title=finding.title,
            kind="analyser",
            holds=again.unless_other(name),
            detail=f"checked again, {name} also reports {finding.rule_id} at {finding.file}:{finding.line}",
        )
        for name, findings in again.findings.items()
        for finding in findings
        if (name, _spot(finding)) not in recorded
    ]


def _spot(finding: Finding) -> tuple[str | None, str, int]:
    return finding.rule_id, finding.file, finding.line


def _said(finding: Finding) -> tuple[object, ...]:
    proof = finding.verification
    evidence = (proof.failing_input, proof.wrong_outcome, proof.caused_by) if proof else ()
    words = (finding.title, finding.message, finding.suggestion)
    return finding.severity, finding.category, *words, *evidence


def _method(finding: Finding) -> str:
    return finding.verification.verification_method if finding.verification else "it is found again"


def _other_version(recorded: Finding, again: Finding) -> str:
    """Named where the report was made with another version of the analyser."""
    then, now = (_method(finding).partition(" reports ")[0] for finding in (recorded, again))
    return "" if then == now else f" (the report is from {then})"


def _check_verdict(report: Report) -> Proof:
    """Draw the verdict again from the recorded candidates."""
    # Before 2.0 a dismissed finding counted at verdict and gate.
    counting = CHOICES | ({Reason.DISMISSED} if report.report_version.startswith("1.") else set())
    judged = [
        candidate.model_copy(update={"withheld": None})
        if candidate.withheld and candidate.withheld.code in counting
        else candidate
        for candidate in report.candidates
    ]
    differences = _differences(report, judged)
    detail = f"{report.verdict.decision}: computed again from the candidates"
    if differences:
        detail = "the report does not follow from its candidates: " + "; ".join(differences)
    return Proof(finding="", title="verdict", kind="verdict", holds=not differences, detail=detail)


def _unseen(report: Report) -> list[tuple[str, str]]:
    """What nobody looked at; reports of before 2.0 did not ask who excuses what they skipped."""
    if report.report_version.startswith("1."):
        return []
    return unseen_files(report.change, report.coverage, report.plan)


def _set_aside(report: Report) -> int:
    """How many results of analysers the report lists as set aside; none where it is too old to count them."""
    is_counted = not is_later_than(report.report_version, ("verdict", "counts", "set_aside"))
    return count_set_aside(report.diagnostics) if is_counted else report.verdict.counts.set_aside


def _differences(report: Report, judged: Sequence[Candidate]) -> list[str]:
    verdict = decide_verdict(
        judged,
        report.candidates,
        change=report.change,
        unseen=_unseen(report),
        incomplete=report.incomplete,
        models=report.models,
        set_aside=_set_aside(report),
    )
    gate = decide_gate(judged, report.gate.fail_on, is_incomplete=bool(report.incomplete))
    drawn = {
        "decision": (report.verdict.decision, verdict.decision),
        "blocking": (sorted(report.verdict.blocking), sorted(verdict.blocking)),
        "counts": (report.verdict.counts, verdict.counts),
        "failed_by": (sorted(report.gate.failed_by), sorted(gate.failed_by)),
        "exit_code": (report.gate.exit_code, gate.exit_code),
    }
    return [f"{name} {_changed(*pair)}" for name, pair in drawn.items() if pair[0] != pair[1]]


def _changed(recorded: object, drawn: object) -> str:
    return "differ" if isinstance(recorded, Record) else f"is {recorded}, computed again {drawn}"
