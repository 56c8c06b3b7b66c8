"""Verifiers with fixed answers, and what the stage makes of them."""

import asyncio
from collections.abc import Sequence
from typing import Any

from affidavit.events import ignore_events
from affidavit.ports import Judged, Verifiers
from affidavit.records.candidate import Candidate, Judgement
from affidavit.records.docket import Docket, Group
from affidavit.records.evidence import QuoteCheck
from affidavit.records.report import RoleUsage
from affidavit.stages.verify import verify as verify_docket

EXACT = QuoteCheck(outcome="exact", file="app.py", side="head")

SPENT = RoleUsage(role="verifier", model="one", requests=1)

YES = {"judgment": "CONFIRMED", "worth": "act", "reason": "app.py:2"}

NO = {"judgment": "REFUTED", "worth": "nit", "reason": "app.py:3 guards it"}

SILENT = {"outcome": "cut_off", "reason": "the reply reached the limit of tokens"}

REFUTED: dict[str, Any] = {"answer": "REFUTED", "worth": "nit"}

MAYBE: dict[str, Any] = {"answer": "CONFIRMED", "worth": "maybe"}

NIT: dict[str, Any] = {"answer": "CONFIRMED", "worth": "nit"}


class Answers:
    """A verifier with a fixed answer."""

    def __init__(self, **answer: Any) -> None:
        self.answer = Judgement(by="verifier", **answer)
        self.asked = 0

    async def judge(self, candidate: Candidate) -> Judged:
        self.asked += 1
        return Judged(judgement=self.answer, usage=(SPENT,))


class ByTitle:
    """A verifier with an answer for each title."""

    def __init__(self, **answers: dict[str, Any]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    async def judge(self, candidate: Candidate) -> Judged:
        title = candidate.finding.title if candidate.finding else ""
        self.asked.append(title)
        judgement = Judgement(
            by="verifier", **self.answers.get(title, {"answer": "CONFIRMED", "worth": "act"})
        )
        return Judged(judgement=judgement, usage=(SPENT,))


def judged(items: Sequence[Candidate], verifier: Any, emit: Any, *groups: Group) -> Docket:
    verifiers = verifier if verifier is None or isinstance(verifier, Verifiers) else Verifiers(verifier)
    docket = asyncio.run(verify_docket(Docket(candidates=tuple(items), groups=groups), verifiers, emit))
    # Whatever a step returns, another process can go on with it.
    assert Docket.model_validate_json(docket.model_dump_json()) == docket
    return docket


def verify(item: Candidate, verifier: Any = None, emit: Any = ignore_events) -> Candidate:
    return judged([item], verifier, emit).candidates[0]


def judges(answer: dict[str, Any], second: dict[str, Any] | None = None) -> Verifiers:
    """The first verifier's answer, and the second's."""
    other = Answers(model="two", role="second_verifier", **second) if second else None
    return Verifiers(Answers(model="one", **answer), other)
