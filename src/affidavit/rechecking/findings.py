"""Prove each finding by comparing it with the derived one."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from affidavit.git.repository import GitRepository
from affidavit.proof.coverage import unseen_files
from affidavit.proof.quotes import PackageFile, check_dependency, still_follows
from affidavit.rechecking.compare import ABSENT, Difference, as_written, differing
from affidavit.rechecking.derive import Derived
from affidavit.records.candidate import Candidate
from affidavit.records.diagnostics import Reason
from affidavit.records.evidence import DependencyCheck
from affidavit.records.finding import DependencyQuote
from affidavit.records.record import Record
from affidavit.records.report import Report, count_set_aside
from affidavit.stages.report import decide_gate, decide_verdict
from affidavit.tools.installed_packages import find_packages
from affidavit.tools.open_packages import OpenPackages

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
CHOICES = frozenset({Reason.NIT, Reason.BELOW_THRESHOLD, Reason.OUT_OF_FOCUS, Reason.STYLE_OFF})
"""Reasons that hide a proven finding, which still counts for verdict and gate."""
KIND_OF_FIELD: dict[str, Kind] = {
    "quote": "quote",
    "searches": "search",
    "reproduction": "reproduction",
    "judgements": "judgement",
    "status": "judgement",
}
"""The kind of proof for a field of a candidate; other fields are the reporter's own words."""
KEPT = ("reproduction", "judgement", "dismissal")
"""Kinds that follow from the report alone, and so can fail even if files could not be rebuilt."""
RENUMBERED = ("id", "index")
MAX_DIFFERENCES = 3


class Proof(Record):
    """One proof of a report, checked again. `holds` is None if it cannot be checked here."""

    finding: str
    title: str
    kind: Kind
    holds: bool | None
    detail: str


def proof_of(candidate: Candidate, kind: Kind, holds: bool | None, detail: str) -> Proof:
    """Return a proof about one finding."""
    title = candidate.finding.title if candidate.finding else ""
    return Proof(finding=candidate.id, title=title, kind=kind, holds=holds, detail=detail)


def prove_findings(report: Report, derived: Derived, *, is_in_part: bool) -> list[Proof]:
    """Return the proofs of every finding; if the change `is_in_part`, most differences prove nothing."""
    left = [one for one in derived.report.candidates if one.finding]
    proofs: list[Proof] = []
    for candidate, written in zip(report.candidates, as_written(report)["candidates"], strict=True):
        again = _partner(candidate, left)
        if again is not None:
            left.remove(again)
        if _is_claimed(candidate):
            proofs += _prove(candidate, written, again, derived.silent, is_in_part=is_in_part)
    return [*proofs, *(_left_out(one, holds=None if is_in_part else False) for one in left)]


def _partner(candidate: Candidate, derived: Sequence[Candidate]) -> Candidate | None:
    """Find the derived finding of the same rule at the same place; ids shift if one was removed."""
    here = [one for one in derived if _spot(one) == _spot(candidate)]
    return next((one for one in here if one.id == candidate.id), here[0] if here else None)


def _spot(candidate: Candidate) -> tuple[object, ...]:
    found = candidate.finding
    return (candidate.specialist, found.rule_id, found.file, found.line) if found else ()


def _is_claimed(candidate: Candidate) -> bool:
    code = candidate.withheld.code if candidate.withheld else None
    return candidate.finding is not None and (code is None or code in CHOICES or code is Reason.DISMISSED)


def _prove(
    candidate: Candidate,
    written: Mapping[str, Any],
    again: Candidate | None,
    silent: Mapping[str, str],
    *,
    is_in_part: bool,
) -> Iterator[Proof]:
    of_words: Kind = "analyser" if candidate.is_proven_by_machine else "report"
    if again is None:
        yield proof_of(candidate, of_words, None if is_in_part else False, f"derived again, {_no(candidate)}")
        return
    found = _differences_by_kind(candidate, written, again, of_words)
    why_not_read = silent.get(candidate.specialist, "")
    for kind, detail in _claims(candidate):
        if kind == "analyser" and why_not_read:
            yield proof_of(candidate, kind, None, why_not_read)
        elif kind not in found:
            yield proof_of(candidate, kind, True, detail)
    for kind, differences in found.items():
        counts = not is_in_part or (
            kind in KEPT and candidate.quote == again.quote and not again.duplicate_of
        )
        shown = "; ".join(map(str, differences[:MAX_DIFFERENCES]))
        yield proof_of(candidate, kind, False if counts else None, shown)


def _differences_by_kind(
    candidate: Candidate, written: Mapping[str, Any], again: Candidate, of_words: Kind
) -> dict[Kind, list[Difference]]:
    is_dismissed = candidate.withheld is not None and candidate.withheld.code is Reason.DISMISSED
    kinds = {**KIND_OF_FIELD, "withheld": "dismissal"} if is_dismissed else KIND_OF_FIELD
    derived = again.model_dump(mode="json")
    found: dict[Kind, list[Difference]] = {}
    for name in dict.fromkeys([*written, *derived]):
        own = list(differing(written.get(name, ABSENT), derived.get(name, ABSENT), (name,)))
        if own and name not in RENUMBERED:
            found.setdefault(kinds.get(name, of_words), []).extend(own)
    return found


def _claims(candidate: Candidate) -> Iterator[tuple[Kind, str]]:
    """Yield the claims of a finding, each with the words for the case that it holds."""
    quote = candidate.quote
    if quote is not None:
        yield "quote", f"the quoted code is at {quote.file}:{quote.start}-{quote.end} at {quote.side}"
    for run in candidate.searches:
        yield "search", f"search for {run.search.pattern!r}: {run.state.replace('_', ' ')}"
    if candidate.is_proven_by_machine:
        yield "analyser", candidate.evidence.verification_method or "it is reported again"
    if candidate.withheld and candidate.withheld.code is Reason.DISMISSED:
        yield "dismissal", "it is dismissed in the base commit, the target branch or on the forge"


def _no(candidate: Candidate) -> str:
    found = candidate.claim
    return f"{candidate.specialist} does not report {found.rule_id or 'it'} at {found.file}:{found.line}"


def _left_out(candidate: Candidate, *, holds: bool | None) -> Proof:
    detail = f"derived again, {_no(candidate).replace(' does not report ', ' also reports ')}"
    kind: Kind = "analyser" if candidate.kind == "mechanical" else "report"
    return proof_of(candidate, kind, holds, detail).model_copy(update={"finding": ""})


def check_verdict(report: Report) -> Proof:
    """Compute verdict and gate again from the recorded candidates."""
    judged = [
        candidate.model_copy(update={"withheld": None})
        if candidate.withheld and candidate.withheld.code in CHOICES
        else candidate
        for candidate in report.candidates
    ]
    verdict = decide_verdict(
        judged,
        report.candidates,
        change=report.change,
        unseen=unseen_files(report.change, report.coverage, report.plan),
        incomplete=report.incomplete,
        models=report.models,
        set_aside=count_set_aside(report.diagnostics),
    )
    gate = decide_gate(judged, report.gate.fail_on, is_incomplete=bool(report.incomplete))
    drawn = {
        "decision": (report.verdict.decision, verdict.decision),
        "blocking": (sorted(report.verdict.blocking), sorted(verdict.blocking)),
        "counts": (report.verdict.counts, verdict.counts),
        "failed_by": (sorted(report.gate.failed_by), sorted(gate.failed_by)),
        "exit_code": (report.gate.exit_code, gate.exit_code),
    }
    wrong = [
        f"{name} differ" if name == "counts" else f"{name} is {recorded}, computed again {now}"
        for name, (recorded, now) in drawn.items()
        if recorded != now
    ]
    detail = f"{report.verdict.decision}: computed again from the candidates"
    if wrong:
        detail = "the report does not follow from its candidates: " + "; ".join(wrong)
    return Proof(finding="", title="verdict", kind="verdict", holds=not wrong, detail=detail)


def prove_dependencies(
    report: Report, repository: GitRepository, environments: Sequence[Path] = ()
) -> tuple[list[Proof], list[str]]:
    """Look up again what findings quote of packages; return the proofs, and what is not here."""
    if not any(one.dependency_quotes or one.evidence.dependency_quotes for one in report.candidates):
        return [], []
    found = find_packages(repository.folder, repository.base, environments, is_tracked=repository.tracks)
    with OpenPackages(found) as packages:
        said = [one for candidate in report.candidates for one in _quoted_again(candidate, packages)]
    return [one for one in said if isinstance(one, Proof)], [one for one in said if isinstance(one, str)]


def _quoted_again(candidate: Candidate, packages: OpenPackages) -> Iterator[Proof | str]:
    quotes, checks = candidate.evidence.dependency_quotes, candidate.dependency_quotes
    if candidate.finding is None or (candidate.withheld and not checks):
        # It was withheld before its quotes were checked.
        return
    if len(quotes) != len(checks):
        detail = "the report does not say what became of each quote"
        yield proof_of(candidate, "dependency", False, detail)
        return
    for quote, check in zip(quotes, checks, strict=True):
        if not still_follows(quote, check):
            detail = f"what is recorded of {check.file} of {check.package} is not what the finding quotes"
            yield proof_of(candidate, "dependency", False, detail)
        else:
            yield _looked_up(candidate, quote, check, packages.file(quote.package, quote.file))


def _looked_up(
    candidate: Candidate, quote: DependencyQuote, then: DependencyCheck, file: PackageFile | str
) -> Proof | str:
    if isinstance(file, str) or file.sha256 != then.sha256.lower():
        why = "that package is not here" if isinstance(file, str) else "another file is here"
        name = f"{then.package} {then.version} {then.file}"
        return f"what {candidate.id} quotes of {name}, sha256 {then.sha256[:12]}: {why}"
    now = check_dependency(quote, file)
    place = (now.outcome, now.start, now.end, now.code)
    if place == (then.outcome, then.start, then.end, then.code):
        return proof_of(candidate, "dependency", True, f"looked up again: it {now.summary}")
    if then.outcome in ("not_here", "other_file"):
        detail = f"not looked up then; looked up here: it {now.summary}"
        return proof_of(candidate, "dependency", True, detail)
    detail = f"looked up again, it {now.summary}; the report says that it {then.summary}"
    return proof_of(candidate, "dependency", False, detail)
