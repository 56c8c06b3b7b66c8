"""Prove mechanical findings again: run their analysers afresh and say which findings hold."""

from collections.abc import Iterable, Mapping, Sequence

from affidavit.analysers.analyser import Analyser
from affidavit.analysers.execution import Limits
from affidavit.analysers.registry import ANALYSERS
from affidavit.analysers.sides import find_program
from affidavit.errors import OutsideError
from affidavit.ports import Brief
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.finding import Finding
from affidavit.specialists.broken_references.specialist import BrokenReferences, reprove_references
from affidavit.specialists.mechanical import Examination, MechanicalSpecialist

Proof = tuple[bool | None, str]
"""Whether a finding holds (None: cannot be told here), and the sentence that says why."""


async def reprove(
    findings: Sequence[Finding],
    brief: Brief,
    *,
    analysers: Iterable[Analyser] = ANALYSERS,
    timeout_seconds: float = 120.0,
) -> dict[str, Proof]:
    """For each finding of an analyser, by its id: whether it holds. Nothing is taken from a cache."""
    known = {analyser.name: analyser for analyser in analysers}
    proofs: dict[str, Proof] = {}
    for name in dict.fromkeys(_analyser_name(finding) for finding in findings):
        asked = [finding for finding in findings if _analyser_name(finding) == name]
        if name == BrokenReferences.name:
            proofs |= await reprove_references(asked, brief)
        elif name not in known:
            proofs |= {finding.id: (None, f"{name or 'no analyser'} is not known here") for finding in asked}
        else:
            proofs |= await _reprove_with(known[name], asked, brief, Limits(timeout_seconds=timeout_seconds))
    return proofs


def _analyser_name(finding: Finding) -> str:
    return (finding.rule_id or "").partition("/")[0]


async def _reprove_with(
    analyser: Analyser, findings: Sequence[Finding], brief: Brief, limits: Limits
) -> Mapping[str, Proof]:
    program = await find_program(analyser, brief.repository.folder)
    if program is None:
        sentence = f"{analyser.name} is not installed: {analyser.install_hint}"
        return {finding.id: (None, sentence) for finding in findings}
    try:
        found = await MechanicalSpecialist(analyser, limits=limits).look(brief, program, use_cache=False)
    except (OutsideError, OSError) as error:
        return {finding.id: (None, f"{analyser.name} could not be run: {error}") for finding in findings}
    if not found.is_complete:
        failed = next(side.run for side in (found.base, found.head) if not side.is_complete)
        return {finding.id: (None, failed.detail) for finding in findings}
    ran = f"{analyser.name} {program.version}".strip()
    return {finding.id: _proof(finding, found, ran) for finding in findings}


def _proof(finding: Finding, found: Examination, ran: str) -> Proof:
    then = _proven_by(finding)
    versions = f" (the report is from {then})" if then and then != ran else ""
    rule = (finding.rule_id or "").partition("/")[2]
    place = f"{finding.file}:{finding.line}"
    if any(_is_same(finding, counted.diagnostic) for counted in found.counted):
        return True, f"{ran} reports {rule} at {place} at head and not at base{versions}"
    if any(_is_same(finding, diagnostic) for diagnostic in found.head.diagnostics):
        return False, f"{ran} reports {rule} at {place}, but the change does not make it new{versions}"
    return False, f"{ran} does not report {rule} at {place}{versions}"


def _proven_by(finding: Finding) -> str:
    method = finding.verification.verification_method if finding.verification else ""
    return method.partition(" reports ")[0] if " reports " in method else ""


def _is_same(finding: Finding, diagnostic: AnalyserDiagnostic) -> bool:
    # A diagnostic past the last line, as of a file that ends too early, is quoted from the last line.
    is_near = finding.line in (diagnostic.line, diagnostic.line - 1)
    return finding.rule_id == diagnostic.rule and finding.file == diagnostic.path and is_near
