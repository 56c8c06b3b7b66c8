"""A team's instructions guide the worth of low and medium findings, never that of high ones."""

import asyncio
import json
from typing import Any, ClassVar

from affidavit.agents.briefing import Briefing
from affidavit.agents.verifier import ModelVerifier
from affidavit.events import Emit, ignore_events
from affidavit.minds.fence import Fence
from affidavit.ports import Case, Judged, Role, Talk
from affidavit.records.context import ContextMap
from affidavit.records.plan import Plan
from affidavit.records.report import Answer, RoleUsage
from claims import candidate, change_of, finding, opened
from repositories import Repo

TEAM = "Races are not worth a comment."


class Obedient:
    """A verifier that calls everything a nit where the team's instructions say so."""

    role: Role = "verifier"
    model = "scripted"

    def __init__(self, severity: str, guided: dict[str, str] | None = None) -> None:
        self.severity, self.read = severity, list[bool]()
        self.guided = {"worth": "nit"} if guided is None else guided

    async def converse(self, talk: Talk, emit: Emit) -> Answer:
        self.read.append(TEAM in talk.prefix)
        answer = {
            "judgment": "CONFIRMED",
            "qualified": False,
            "worth": "act",
            "severity": self.severity,
            "reason": "app.py:1",
            **(self.guided if self.read[-1] else {}),
        }
        usage = RoleUsage(role=self.role, model=self.model, requests=1)
        return Answer(outcome="answered", text=json.dumps(answer), usage=usage)


class Toolless:
    descriptions: ClassVar[list[dict[str, Any]]] = []

    def call(self, name: str, arguments: object) -> dict[str, Any]:
        return {"error": f"no tool {name}"}


def judged(repo: Repo, proposed: str, mind: Obedient, files: dict[str, str] | None = None) -> Judged:
    base = {"app.py": "x = 1\n", **({"AGENTS.md": TEAM + "\n"} if files is None else files)}
    with opened(repo, base, {"app.py": "x = 2\n"}) as pair:
        briefing = Briefing(Case(change_of("app.py"), pair), Fence("f00d"), ContextMap())
        verifier = ModelVerifier(mind, briefing, Plan(), Toolless, ignore_events)
        return asyncio.run(verifier.judge(candidate(finding(severity=proposed))))


def test_instructions_guide_the_worth_of_a_medium_finding(repo: Repo) -> None:
    mind = Obedient("medium")
    assert (judged(repo, "medium", mind).judgement.worth, mind.read) == ("nit", [True])


def test_a_verifier_of_a_high_finding_never_reads_them(repo: Repo) -> None:
    mind = Obedient("high")
    assert (judged(repo, "high", mind).judgement.worth, mind.read) == ("act", [False])


def test_a_finding_that_turns_out_to_be_high_is_judged_again_without_them(repo: Repo) -> None:
    mind = Obedient("high")
    found = judged(repo, "low", mind)
    assert (found.judgement.worth, mind.read) == ("act", [True, False])
    assert sum(one.requests for one in found.usage) == 2


def test_without_instructions_there_is_one_question(repo: Repo) -> None:
    mind = Obedient("medium")
    assert (judged(repo, "medium", mind, {}).judgement.worth, mind.read) == ("act", [False])


def test_instructions_raise_no_severity(repo: Repo) -> None:
    mind = Obedient("low", {"severity": "high"})
    assert (judged(repo, "low", mind).judgement.severity, mind.read) == ("low", [True, False])


def test_instructions_refute_nothing(repo: Repo) -> None:
    mind = Obedient("medium", {"judgment": "REFUTED", "worth": "nit"})
    assert (judged(repo, "medium", mind).judgement.answer, mind.read) == ("CONFIRMED", [True, False])
