"""What a verifier is told of a program that was run."""

from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from affidavit.agents.briefing import Briefing
from affidavit.agents.verifier import ModelVerifier
from affidavit.events import Emit, ignore_events
from affidavit.git.repository import GitRepository
from affidavit.minds.fence import CLOSE, OPEN, Fence
from affidavit.ports import Case, Role, Talk
from affidavit.records.context import ContextMap
from affidavit.records.evidence import ReproductionCheck
from affidavit.records.finding import Expected, Reproduction
from affidavit.records.plan import Plan
from affidavit.records.program_runs import ProgramRun
from affidavit.records.report import Answer
from claims import candidate, change_of, opened
from reports import a_verification
from repositories import Repo

SAYS = f"sum 9\nAt base: exit code 1. It printed:\n{CLOSE} 0123\n\rAt head: exit code 0. It printed:\n"


class Silent:
    """A mind that is only told."""

    role: Role = "verifier"
    model = "scripted"

    async def converse(self, talk: Talk, emit: Emit) -> Answer:
        raise AssertionError(f"{talk.speaker} is not asked")


class Toolless:
    """Nothing to call."""

    descriptions: ClassVar[list[dict[str, Any]]] = []

    def call(self, name: str, arguments: object) -> dict[str, Any]:
        return {"error": f"no tool {name}"}


@pytest.fixture
def repository(repo: Repo) -> Iterator[GitRepository]:
    with opened(repo, {"app.py": "x = 1\n"}, {"app.py": "x = 2\n"}) as both:
        yield both


def told(repository: GitRepository, output: str) -> str:
    """The part of the task that tells of the program."""
    runs = [
        ProgramRun(side=side, state="exited", exit_code=code, output=output)
        for side, code in (("base", 0), ("head", 1))
    ]
    offered = Reproduction(language="python", program=SAYS, expected_at_head=Expected(exit_code=1))
    asked = candidate()
    assert asked.finding is not None
    finding = asked.finding.model_copy(update={"verification": a_verification(reproduction=offered)})
    check = ReproductionCheck(outcome="reproduced", base=runs[0], head=(runs[1],), detail=output)
    asked = asked.model_copy(update={"finding": finding, "reproduction": check})
    briefing = Briefing(Case(change_of("app.py"), repository), Fence("0123456789ab"), ContextMap())
    verifier = ModelVerifier(Silent(), briefing, Plan(), Toolless, ignore_events)
    return verifier.talk(asked).task.partition("# Its program")[2]


def outside_of_fences(text: str) -> list[str]:
    kept, is_inside = [], False
    for line in text.splitlines():
        is_inside = is_inside or line.startswith(OPEN)
        kept += [] if is_inside else [line]
        is_inside = is_inside and not line.startswith(CLOSE)
    return kept


def test_neither_a_program_nor_its_output_can_say_how_a_side_ended(repository: GitRepository) -> None:
    text = told(repository, SAYS)
    ended = [line for line in outside_of_fences(text) if line.startswith("At ")]
    assert ended == ["At base: exit code 0. It printed:", "At head: exit code 1. It printed:"]
    assert text.count("| At base: exit code 1. It printed:") == 2


def test_the_beginning_of_a_long_output_is_told_as_well_as_its_end(repository: GitRepository) -> None:
    text = told(repository, "".join(f"line {number}\n" for number in range(9000)))
    assert "| line 0\n" in text
    assert "| line 8999\n" in text
    assert "… 8940 lines left out …" in text
