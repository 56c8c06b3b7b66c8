"""Recheck a report: derive it again where its version allows, and prove it piece by piece in any case."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from uuid import UUID

from affidavit import __version__
from affidavit.config.settings import ENVIRONMENT_PREFIX, Settings
from affidavit.diff.opened import OpenedChange
from affidavit.diff.record_check import has_its_trees
from affidavit.events import iso
from affidavit.ports import Case, Specialist
from affidavit.proof.running.own_names import own_names
from affidavit.recheck.additions import can_be_derived
from affidavit.recheck.blocking import check_blocking
from affidavit.recheck.compare import differences
from affidavit.recheck.dependencies import prove_dependencies
from affidavit.recheck.derive import Derived, derive_change, derive_report, derived_settings, is_committed
from affidavit.recheck.programs import check_outcomes
from affidavit.recheck.proofs import Proof, check_proofs, recheck_change
from affidavit.recheck.words import taken_on_its_word
from affidavit.records.report import REPORT_VERSION, Report
from affidavit.stages.looking.review import collect_replies

MAX_DIFFERENCES = 10
OF_COMMITS = tuple(("change", name) for name in ("commits", "base", "head", "title", "description"))
Assemble = Callable[[Settings], Sequence[Specialist]]
"""The mechanical specialists under these settings, without any cache."""


@dataclass(frozen=True)
class Rechecked:
    """What was proven again, and what rests on somebody's word."""

    proofs: tuple[Proof, ...]
    words: tuple[str, ...]


async def recheck(
    report: Report,
    opened: OpenedChange,
    assemble: Assemble,
    *,
    runs_programs: bool = False,
    environments: Sequence[Path] = (),
) -> Rechecked:
    """Look again with the machine; compare the whole report with what its inputs come to.

    Whoever runs the reproductions again says so: they are not taken on anybody's word then. Environments
    are folders with packages, beside those that are found by themselves.
    """
    repository = opened.repository
    settings = derived_settings(report, repository)
    case = Case(derive_change(report.change, repository, settings), repository)
    # A report must not name a command that is then run.
    replies = await collect_replies(assemble(without_commands(settings)), case)
    change = recheck_change(report, repository)
    is_whole = has_its_trees(report.change, repository) and not opened.notices
    pieces = check_proofs(report, repository, replies)
    if change.holds is None and not is_committed(report.change):
        pieces = [_not_rebuilt(proof) for proof in pieces]
    quoted, unseen = prove_dependencies(report, repository, environments)
    proofs = [change, *_check_name(report), *pieces, *quoted, *check_outcomes(report, own_names(repository))]
    if report.inputs is None and can_be_derived(report.report_version):
        proofs.append(_whole(False, f"a report of version {report.report_version} keeps its inputs"))
    elif report.inputs is None or _other_version(report):
        proofs.append(_whole(None, _why_not_derived(report)))
    else:
        derived = await derive_report(report, report.inputs, case, settings, replies)
        proofs.append(_compared(report, derived, change, is_rebuilt_in_part=not is_whole))
    if proofs[-1].holds is None and is_whole:
        # A version that is said to be another must not excuse what no version leaves out.
        proofs += await check_blocking(report, case, settings, replies)
    words = taken_on_its_word(report, settings, runs_programs=runs_programs)
    return Rechecked(tuple(proofs), (*words, *unseen))


async def recheck_finding(
    report: Report, opened: OpenedChange, assemble: Assemble, finding: str
) -> tuple[Proof, ...]:
    """The proofs of one finding, the change first; only the specialist that raised it looks again."""
    repository = opened.repository
    settings = derived_settings(report, repository)
    case = Case(derive_change(report.change, repository, settings), repository)
    own = tuple(one for one in report.candidates if one.id == finding)
    asked = {one.specialist for one in own if one.is_proven_by_machine}
    crew = [one for one in assemble(without_commands(settings)) if one.name in asked]
    change = recheck_change(report, repository)
    alone = report.model_copy(update={"candidates": own})
    pieces = [
        *check_proofs(alone, repository, await collect_replies(crew, case)),
        *check_outcomes(alone, own_names(repository)),
    ]
    pieces = [proof for proof in pieces if proof.finding == finding]
    if change.holds is None and not is_committed(report.change):
        pieces = [_not_rebuilt(proof) for proof in pieces]
    return (change, *pieces)


def _check_name(report: Report) -> list[Proof]:
    """A failure for an id or a time that no review writes."""
    wrong = [
        f"{name}: {text!r} is no {what}"
        for name, text, what, written in (
            ("id", report.id, "UUID", lambda text: str(UUID(text))),
            ("created_at", report.created_at, "time", lambda text: iso(datetime.fromisoformat(text))),
        )
        if not _is_written(text, written)
    ]
    return [_whole(False, one) for one in wrong]


def _is_written(text: str, written: Callable[[str], str]) -> bool:
    try:
        return written(text) == text
    except ValueError:
        return False


def _not_rebuilt(proof: Proof) -> Proof:
    """What fails on files that could not be made again from the report may have held on those that were."""
    if proof.holds is not False or proof.kind not in ("quote", "search", "analyser"):
        return proof
    return proof.model_copy(update={"holds": None, "detail": f"on a change rebuilt in part: {proof.detail}"})


def without_commands(settings: Settings) -> Settings:
    """Return a report's settings without the programs that they name; the compiler is this user's own."""
    compiler = os.environ.get(f"{ENVIRONMENT_PREFIX}TYPESCRIPT_SERVER")
    return settings.model_copy(update={"linters": (), "allow_linters": False, "typescript_server": compiler})


def _other_version(report: Report) -> bool:
    return report.affidavit_version != __version__ or not can_be_derived(report.report_version)


def _why_not_derived(report: Report) -> str:
    made_by = f"Affidavit {report.affidavit_version}, report version {report.report_version}"
    if _other_version(report):
        here = f"Affidavit {__version__}, report version {REPORT_VERSION}"
        return f"it was made by {made_by}; this is {here}: only its pieces were proven again"
    return "it keeps none of its inputs: only its pieces were proven again"


def _compared(report: Report, derived: Derived, change: Proof, *, is_rebuilt_in_part: bool) -> Proof:
    found = differences(report, derived.report)
    not_derived = derived.not_derived
    if change.holds is None:
        # A commit that is not here while its tree is: only what it says of itself cannot be read.
        found = [one for one in found if one.path[:2] not in OF_COMMITS]
        not_derived = (*not_derived, "what the commits say of themselves")
    missing = "; ".join(not_derived)
    if found and is_rebuilt_in_part:
        return _whole(None, "the change could not be rebuilt whole, so the report does not come out the same")
    if found:
        shown = "; ".join(map(str, found[:MAX_DIFFERENCES]))
        more = f"; and {len(found) - MAX_DIFFERENCES} more" if len(found) > MAX_DIFFERENCES else ""
        return _whole(False, f"{shown}{more}")
    if missing:
        return _whole(None, f"not derived again here: {missing}")
    return _whole(True, "derived again from its inputs, it is the same in every field")


def _whole(holds: bool | None, detail: str) -> Proof:
    return Proof(finding="", title="report", kind="report", holds=holds, detail=detail)
