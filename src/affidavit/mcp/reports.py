"""Reports that an agent asks about: found by id, told in short, explained and proven again."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from affidavit.assembly import assemble_crew
from affidavit.config.settings import Settings
from affidavit.errors import InputError
from affidavit.mcp.reviews import Reviews
from affidavit.ports import Specialist
from affidavit.recheck.check import recheck
from affidavit.records.candidate import Candidate
from affidavit.records.report import Report
from affidavit.render.report.wording import (
    claim,
    coverage_sentence,
    headline,
    location,
    part_sentence,
    proof,
    withheld_reason,
)
from affidavit.reviewing.named import find_candidate, find_report
from affidavit.stages.intake import rebuild_change
from affidavit.store.open import Store

MAX_LISTED = 200
MAX_PROOFS = 300


class Reports:
    """The reports of this server's reviews and submissions, and those that the store keeps."""

    def __init__(self, repo: Path, store: Store, reviews: Reviews) -> None:
        self._repo = repo
        self._store = store
        self._reviews = reviews
        self._submitted: dict[str, Report] = {}

    def keep(self, report: Report) -> None:
        """Remember what was handed in, whether or not a store keeps it."""
        self._submitted[report.id] = report

    def names(self) -> list[str]:
        """Ids of the reports that were made here."""
        return [*self._submitted, *self._reviews.completed()]

    def find(self, name: str) -> Report:
        """A report by its id or a review's, or `last`; never a file, which an agent may be led to name."""
        if Path(name).exists():
            raise InputError(f"{name!r} is the name of a file; name a report by its id, or `last`")
        if name == "last" and self._submitted:
            return next(reversed(self._submitted.values()))
        known = self._submitted.get(name) or self._reviews.report_of(name)
        return known or find_report(name, self._store)

    async def prove_again(self, name: str) -> dict[str, Any]:
        """What `affidavit recheck` says of a report."""
        report = await asyncio.to_thread(self.find, name)
        written = Report.model_validate_json(report.model_dump_json())
        with await asyncio.to_thread(rebuild_change, written.change, self._repo) as opened:
            done = await recheck(written, opened, _mechanical)
        failing = [one for one in done.proofs if one.holds is not True]
        return {
            "report": report.id,
            "proofs": len(done.proofs),
            "holding": len(done.proofs) - len(failing),
            "not_holding": [
                {
                    "finding": one.finding,
                    "kind": one.kind,
                    "state": "fails" if one.holds is False else "cannot be checked here",
                    "detail": one.detail,
                }
                for one in failing[:MAX_PROOFS]
            ],
            "on_its_word": list(done.words),
        }

    def explain(self, name: str, finding: str) -> dict[str, Any]:
        """Everything that is known of one finding, shown or withheld."""
        report = self.find(name)
        candidate = find_candidate(report, finding)
        answer = described(candidate)
        found = candidate.finding
        if found is not None:
            evidence = found.verification
            answer["claim"] = dict(claim(found))
            answer["code_examined"] = evidence.code_examined if evidence else ""
            answer["how_it_was_checked"] = evidence.verification_method if evidence else ""
        answer["proof"] = proof(candidate)
        answer["searches"] = [one.model_dump(mode="json") for one in candidate.searches]
        answer["judgements"] = [one.model_dump(mode="json") for one in candidate.judgements]
        answer["steps"] = [f"{step.stage}: {step.what}" for step in candidate.steps]
        return answer


def _mechanical(settings: Settings) -> Sequence[Specialist]:
    return assemble_crew(settings, cache_dir=None).specialists


def told(report: Report) -> dict[str, Any]:
    """A report for an agent: what is proven, what is withheld and why, what was not looked at."""
    return {
        "report": report.id,
        "verdict": report.verdict.decision,
        "summary": headline(report),
        "exit_code": report.gate.exit_code,
        "findings": [described(one) for one in report.shown[:MAX_LISTED]],
        "withheld": [described(one) for one in report.withheld[:MAX_LISTED]],
        "coverage": coverage_sentence(report),
        "incomplete": [part_sentence(one) for one in report.incomplete],
        "not_run": [part_sentence(one) for one in report.not_run],
        "diagnostics": [f"{one.code}: {one.detail}" for one in report.diagnostics[:MAX_LISTED]],
    }


def described(candidate: Candidate) -> dict[str, Any]:
    """One finding in short."""
    found = candidate.finding
    answer: dict[str, Any] = {"id": candidate.id, "specialist": candidate.specialist}
    if found is not None:
        answer |= {
            "title": found.title,
            "severity": str(found.severity),
            "category": str(found.category),
            "place": location(found),
            "message": found.message,
            "status": str(candidate.status),
            "fingerprint": candidate.fingerprint,
        }
        answer |= {"suggestion": found.suggestion} if found.suggestion else {}
    if candidate.withheld:
        answer["withheld"] = str(candidate.withheld.code)
        answer["reason"] = withheld_reason(candidate)
        answer["because"] = candidate.steps[-1].what if candidate.steps else ""
    return answer
