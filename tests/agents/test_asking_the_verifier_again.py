"""How often a verifier is asked about one finding before it counts as silent."""

import asyncio
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from affidavit.agents.briefing import Briefing
from affidavit.agents.verifier import ModelVerifier
from affidavit.events import Emit, ignore_events
from affidavit.git.repository import GitRepository
from affidavit.minds.fence import Fence
from affidavit.ports import Case, Role, Talk
from affidavit.records.candidate import Judgement
from affidavit.records.context import ContextMap
from affidavit.records.plan import Plan
from affidavit.records.report import Answer, RoleUsage
from claims import candidate, change_of, opened
from repositories import Repo

CONFIRMED = '{"judgment": "CONFIRMED", "qualified": false, "worth": "act", "reason": "app.py:1"}'


class Verifier:
    """Gives one outcome after the other; the last is repeated."""

    role: Role = "verifier"
    model = "scripted"

    def __init__(self, *outcomes: Any) -> None:
        self.outcomes, self.asked = outcomes, 0

    async def converse(self, talk: Talk, emit: Emit) -> Answer:
        outcome = self.outcomes[min(self.asked, len(self.outcomes) - 1)]
        self.asked += 1
        text = CONFIRMED if outcome == "answered" else None
        return Answer(outcome=outcome, text=text, usage=RoleUsage(role=self.role, model=self.model))


class Toolless:
    """Nothing to call."""

    descriptions: ClassVar[list[dict[str, Any]]] = []

    def call(self, name: str, arguments: object) -> dict[str, Any]:
        return {"error": f"no tool {name}"}


class Plain(Fence):
    """A fence without marks."""

    rule = ""

    def wrap(self, label: str, text: str) -> str:
        return f"{label}: {text}"


@pytest.fixture
def repository(repo: Repo) -> Iterator[GitRepository]:
    with opened(repo, {"app.py": "x = 1\n"}, {"app.py": "x = 2\n"}) as both:
        yield both


def judged(repository: GitRepository, mind: Verifier) -> Judgement:
    briefing = Briefing(Case(change_of("app.py"), repository), Plain(), ContextMap())
    verifier = ModelVerifier(mind, briefing, Plan(), Toolless, ignore_events)
    heard = asyncio.run(verifier.judge(candidate()))
    assert len(heard.usage) == mind.asked
    return heard.judgement


@pytest.mark.parametrize("outcome", ["cut_off", "failed", "refused"])
def test_a_verifier_without_an_answer_is_asked_once_more(repository: GitRepository, outcome: str) -> None:
    mind = Verifier(outcome, "answered")
    assert (judged(repository, mind).answer, mind.asked) == ("CONFIRMED", 2)
    silent = Verifier(outcome)
    assert (judged(repository, silent).answer, silent.asked) == (None, 2)


@pytest.mark.parametrize("outcome", ["timed_out", "budget_exhausted"])
def test_silence_is_not_paid_for_twice_and_a_spent_budget_stays_spent(
    repository: GitRepository, outcome: str
) -> None:
    mind = Verifier(outcome, "answered")
    assert (judged(repository, mind).answer, mind.asked) == (None, 1)
