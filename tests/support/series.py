"""Series of reviews of one change in a real repository, with minds that say what a test wants."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from affidavit.agents.panel import Panel
from affidavit.config.settings import Settings
from affidavit.contract.versions import CURRENT_PROMPT_VERSION
from affidavit.events import Emit
from affidavit.iterations.scope import earlier_of
from affidavit.pipeline import review
from affidavit.ports import Case, Role, Specialist, Talk
from affidavit.rechecking.check import Rechecked, recheck
from affidavit.records.change import FileChange
from affidavit.records.iteration import FindingDecision
from affidavit.records.report import Answer, Reply, Report, RoleUsage
from affidavit.render.formats import render
from affidavit.stages.intake import ChangeRequest, open_change
from affidavit.stages.review import Crew
from repositories import Repo

PLAN = {"goal": "Change it", "approach": "a", "impact": "i", "questions": {"logic": []}}
Claim = dict[str, Any]
Judge = Callable[[str], Mapping[str, Any]]


def claim(file: str, line: int, quote: str, **fields: Any) -> Claim:
    """A finding as a specialist hands it in."""
    evidence = {
        "code_examined": quote,
        "line_range_examined": [line, line + quote.count("\n")],
        "verification_method": "read the function",
        "checked_for_handling_elsewhere": True,
        "failing_input": "an empty list",
        "wrong_outcome": "a crash",
        **fields.pop("evidence", {}),
    }
    made = {"id": f"{file}-{line}", "severity": "high", "category": "correctness", "file": file, "line": line}
    words = {
        "title": f"`{quote.split(maxsplit=1)[0]}` crashes on an empty list",
        "message": "Nothing checks the length.",
    }
    return {**made, **words, "verification": evidence, **fields}


def reply(claims: Sequence[Claim]) -> str:
    return json.dumps(
        {"schema_version": "1.3", "prompt_version": CURRENT_PROMPT_VERSION, "findings": list(claims)}
    )


def confirming(_told: str) -> Mapping[str, Any]:
    return {"judgment": "CONFIRMED", "qualified": False, "worth": "act", "reason": "it is still so"}


def refuting(_told: str) -> Mapping[str, Any]:
    return {"judgment": "REFUTED", "qualified": False, "worth": "nit", "reason": "it is checked now"}


class Analyser:
    """A mechanical specialist with a fixed reply that looks at every file.

    `silenced_by` in a claim is the comment of the change that silences it.
    """

    kind = "mechanical"

    def __init__(self, claims: Sequence[Claim], name: str = "ruff") -> None:
        self.name, self.claims = name, claims

    def examines(self, file: FileChange) -> bool:
        return file.skipped is None

    async def examine(self, case: Case) -> Reply:
        said = [{name: one[name] for name in one if name != "silenced_by"} for one in self.claims]
        silenced_by = tuple(str(one.get("silenced_by", "")) for one in self.claims)
        return Reply(specialist=self.name, kind="mechanical", text=reply(said), suppressed=silenced_by)


class Mind:
    """A mind that answers by what it is told, and remembers it."""

    model = "scripted"

    def __init__(self, role: Role, answer: Judge) -> None:
        self.role: Role = role
        self.answer = answer
        self.heard: list[Talk] = []

    async def converse(self, talk: Talk, emit: Emit) -> Answer:
        self.heard.append(talk)
        told = f"{talk.prefix}\n{talk.task}"
        tokens = (len(talk.instructions) + len(told)) // 4
        usage = RoleUsage(role=self.role, model=self.model, requests=1, input_tokens=tokens)
        return Answer(outcome="answered", text=json.dumps(self.answer(told)), usage=usage)


class Series:
    """Reviews of `main...feature`, one after the other."""

    def __init__(self, repo: Repo, target: str = "main...feature", **settings: Any) -> None:
        self.repo, self.target = repo, target
        self.settings = Settings(**settings)
        self.reports: list[Report] = []
        self.minds: dict[Role, Mind] = {}
        self.specialists: list[Specialist] = []

    def review(
        self,
        said: Sequence[Claim] = (),
        *,
        judge: Judge | None = confirming,
        join: Judge | None = None,
        proven: Sequence[Claim] | Mapping[str, Sequence[Claim]] | None = None,
        looks_at_all: bool = False,
        follows: bool = True,
    ) -> Report:
        """One more review; without a judge no model looks. `proven` is what ruff says, or each of several."""
        by_name = proven if isinstance(proven, Mapping) else {} if proven is None else {"ruff": proven}
        self.specialists = [Analyser(claims, name) for name, claims in by_name.items()]
        panel = self._panel(said, judge, join) if judge else None
        before = self.reports[-1] if self.reports and follows else None
        earlier = earlier_of(before, digest_of(before), looks_at_all=looks_at_all) if before else None
        crew = Crew(self.specialists, panel=panel)
        with open_change(ChangeRequest(target=self.target, repo=self.repo.path)) as opened:
            made = asyncio.run(review(opened.change, opened.repository, self.settings, crew, earlier=earlier))
        # As it is read again from a file.
        self.reports.append(Report.model_validate_json(render(made, "report")))
        return self.reports[-1]

    def _panel(self, said: Sequence[Claim], judge: Judge, join: Judge | None) -> Panel:
        answers: dict[Role, Judge] = {
            "planner": lambda _told: PLAN,
            "specialist": lambda told: json.loads(reply([one for one in said if _is_shown(one, told)])),
            "verifier": judge,
        }
        answers |= {"joiner": join} if join else {}
        self.minds = {role: Mind(role, answer) for role, answer in answers.items()}
        return Panel(self.minds, reads_dependencies=False)

    def asked(self, role: Role) -> list[str]:
        """What was told to a role in the last review."""
        return [f"{talk.prefix}\n{talk.task}" for talk in self.minds[role].heard]

    def recheck(self) -> Rechecked:
        report = self.reports[-1]
        with open_change(ChangeRequest(target=self.target, repo=self.repo.path)) as opened:
            return asyncio.run(recheck(report, opened, lambda _settings: self.specialists))


def _is_shown(one: Claim, told: str) -> bool:
    """A specialist speaks only of what it was shown."""
    return str(one["file"]) in told.partition(" diff\n")[2]


def digest_of(report: Report) -> str:
    return sha256(render(report, "report").encode()).hexdigest()


def only_decision(report: Report) -> FindingDecision:
    assert report.follow_up is not None
    (decision,) = report.follow_up.decisions
    return decision
