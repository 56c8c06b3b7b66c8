"""Find reports by id, summarise, explain and recheck them for an agent."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from affidavit.config.settings import Settings
from affidavit.errors import InputError
from affidavit.git.location import find_repository
from affidavit.mcp.reviews import BackgroundReviews
from affidavit.ports import Specialist
from affidavit.rechecking.check import recheck
from affidavit.records.candidate import Candidate
from affidavit.records.diagnostics import Reason
from affidavit.records.report import Report
from affidavit.render.account import set_aside_lines, set_aside_words
from affidavit.render.proof import proof_steps
from affidavit.render.wording import (
    claim,
    coverage_sentence,
    headline,
    location,
    part_sentence,
    withheld_reason,
)
from affidavit.reviewing.hold import assemble_crew
from affidavit.reviewing.named import find_candidate, find_report, own_ids
from affidavit.stages.intake import rebuild_change
from affidavit.store.open import Store

_ID = re.compile(r"[0-9a-f-]{1,64}|last")
MAX_LISTED = 200
MAX_PROOFS = 300


class ReportDesk:
    """The reports of this server's reviews and submissions, and those that the store keeps."""

    def __init__(self, repo: Path, store: Store, reviews: BackgroundReviews) -> None:
        self._repo = repo
        self._store = store
        self._reviews = reviews
        self._submitted: dict[str, Report] = {}

    def keep(self, report: Report) -> None:
        """Keep the report of a submission: it is not in the store."""
        self._submitted[report.id] = report

    def find(self, name: str) -> Report:
        """Return a report by its id, the id of a review, or `last`; never a file by its name."""
        if name == "last" and self._submitted:
            return next(reversed(self._submitted.values()))
        known = self._submitted.get(name) or self._reviews.report_of(name)
        if known is None and (not _ID.fullmatch(name) or Path(name).exists()):
            # The same answer whether or not there is a file of that name.
            raise InputError(f"there is no kept report {name!r}: name one by its id, or `last`")
        return known or find_report(name, self._store, self._own_ids)

    def _own_ids(self, start: str) -> Iterator[str]:
        # A repository can claim any address, so an agent gets only reports whose commits are here.
        return own_ids(self._store, find_repository(self._repo), start, trusts_address=False)

    async def prove_again(self, name: str) -> dict[str, Any]:
        """Recheck a report, as `affidavit recheck` does.

        `not_holding` lists proofs that fail or cannot be checked here; `on_its_word` unverifiable ones.
        """
        report = await asyncio.to_thread(self.find, name)
        written = Report.model_validate_json(report.model_dump_json())
        with await asyncio.to_thread(rebuild_change, written.change, self._repo) as opened:
            done = await recheck(written, opened, _specialists_without_models)
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
        """Return everything about one finding, shown or withheld."""
        report = self.find(name)
        by_our_id = (one for one in report.candidates if one.id == finding)
        candidate = next(by_our_id, None) or find_candidate(report, finding)
        answer = describe_finding(candidate, report)
        found = candidate.finding
        if found is not None:
            evidence = found.verification
            answer["claim"] = dict(claim(found))
            answer["code_examined"] = evidence.code_examined if evidence else ""
            answer["how_it_was_checked"] = evidence.verification_method if evidence else ""
        answer["proof"] = proof_steps(candidate)
        answer["searches"] = [one.model_dump(mode="json") for one in candidate.searches]
        answer["judgements"] = [one.model_dump(mode="json") for one in candidate.judgements]
        answer["steps"] = [f"{step.stage}: {step.what}" for step in candidate.steps]
        return answer


def _specialists_without_models(settings: Settings) -> Sequence[Specialist]:
    return assemble_crew(settings, cache_dir=None).specialists


def describe_report(report: Report) -> dict[str, Any]:
    """Describe a report for an agent.

    `findings` are shown, each with its status; `withheld` are not, each with why; `set_aside` is what
    analysers reported and their own parts dropped; `incomplete` is what should have been looked at and was
    not, `not_run` what this installation does without.
    """
    return {
        "report": report.id,
        "verdict": report.verdict.decision,
        "summary": headline(report),
        "exit_code": report.gate.exit_code,
        "findings": [describe_finding(one, report) for one in _submitted_first(report.shown)],
        "withheld": [describe_finding(one, report) for one in _submitted_first(report.withheld)],
        "set_aside": [*filter(None, [set_aside_words(report)]), *set_aside_lines(report)[:MAX_LISTED]],
        "coverage": coverage_sentence(report),
        "incomplete": [part_sentence(one) for one in report.incomplete],
        "not_run": [part_sentence(one) for one in report.not_run],
        "diagnostics": [
            f"{one.code}: {one.detail}"
            for one in [one for one in report.diagnostics if not one.is_set_aside][:MAX_LISTED]
        ],
    }


def _submitted_first(candidates: Sequence[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda one: one.kind != "outside")[:MAX_LISTED]


def describe_finding(candidate: Candidate, report: Report) -> dict[str, Any]:
    """Describe a finding in short: `id` is our id, `your_id` is the agent's.

    A withheld finding has `withheld` (the code), `reason` (its meaning) and `because` (what was wrong).
    """
    found = candidate.finding
    answer: dict[str, Any] = {"id": candidate.id, "specialist": candidate.specialist}
    answer |= {"your_id": _id_of_its_finder(candidate)} if candidate.kind == "outside" else {}
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
        answer["because"] = _what_was_wrong(candidate, report)
    return answer


def _id_of_its_finder(candidate: Candidate) -> str:
    """Return the id that the agent gave the finding, even if the contract dropped it."""
    raw = candidate.finding.id if candidate.finding else candidate.raw
    name = raw.get("id") if isinstance(raw, dict) else raw
    return name if isinstance(name, str) else ""


def _what_was_wrong(candidate: Candidate, report: Report) -> str:
    """Return why the finding is withheld: from its diagnostics, else its detail, else its last step."""
    detail = candidate.withheld.detail if candidate.withheld else ""
    own = [
        one
        for one in report.diagnostics
        if (one.specialist, one.index) == (candidate.specialist, candidate.index)
    ]
    if candidate.finding is None:
        # The contract dropped it: name everything that is wrong, so that one more try is enough.
        mended = (Reason.FINDING_DROPPED, Reason.COERCION_APPLIED)
        wrong = [
            f"{one.detail} ({one.expected})" if one.expected else one.detail
            for one in own
            if one.code not in mended
        ]
        return "; ".join(dict.fromkeys(wrong)) or detail
    noted = [one.detail for one in own if candidate.withheld and one.code == candidate.withheld.code]
    last = candidate.steps[-1].what if candidate.steps else ""
    return detail or "; ".join(dict.fromkeys(filter(None, noted))) or last
