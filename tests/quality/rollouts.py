"""Rollouts for tests: own prompts, reviews with counts, and scripted models."""

import asyncio
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from affidavit.agents.panel import Panel
from affidavit.config.settings import Settings
from affidavit.contract.schema import CURRENT_SCHEMA_VERSION
from affidavit.events import Emit
from affidavit.pipeline import review
from affidavit.ports import Role, Talk
from affidavit.quality.prompts import ChosenPrompts, choose_prompts
from affidavit.quality.rollout import BUILT_IN, record_review, start_rollout
from affidavit.records.measure import Arm, ReviewCounts, Rollout, RolloutDecision, RolloutReview, Versions
from affidavit.records.report import Answer, Report, RoleUsage
from affidavit.stages.intake import OpenedChange
from affidavit.stages.review import Crew
from affidavit.store.open import Store
from claims import verification
from prompt_folders import copy_prompts

ASKED_VERSIONS = re.compile(r'`schema_version` is "([\d.]+)" and `prompt_version` is "([\d.]+)"')
PLAN = {"goal": "This change is trying to add", "approach": "a", "impact": "i", "questions": {"logic": []}}
CONFIRMED = {"judgment": "CONFIRMED", "qualified": False, "worth": "act", "reason": "app.py:4"}
FINDING = {
    "id": "f",
    "severity": "medium",
    "category": "correctness",
    "title": "The sum starts at 1",
    "file": "app.py",
    "line": 2,
    "message": "The sum of nothing is 1.",
    "verification": verification(code_examined="    result = 1", line_range_examined=[1, 5]),
}
BROKEN_FINDING = {"id": "f", "severity": "medium", "title": "no file, no line, no evidence"}


def own_prompts(folder: Path, *versions: str) -> Path:
    """A folder of prompts with these versions, each with one word of its own."""
    for version in versions:
        specialist = copy_prompts(folder / version) / "specialist.md"
        specialist.write_text(specialist.read_text() + f"\nThese are the words of {version}.\n")
    return folder


def new_version(
    folder: Path, version: str = "1.5.0", schema_version: str = CURRENT_SCHEMA_VERSION
) -> Versions:
    if not (folder / version).exists():
        own_prompts(folder, version)
    return Versions(prompt=version, schema_version=schema_version, folder=str(folder))


def started(store: Store, new: Versions, **options: Any) -> Rollout:
    defaults = {"by": "ada", "why": "try it", "share": 1.0, "slo_dropped": 0.05, "min_reviews": 3}
    return start_rollout(store, new, **{**defaults, **options})


def a_rollout(**fields: Any) -> Rollout:
    """A rollout that is nowhere kept."""
    defaults: dict[str, Any] = {
        "old": BUILT_IN,
        "new": Versions(prompt="1.5.0", schema_version="1.1"),
        "share": 0.1,
        "slo_dropped": 0.05,
        "min_reviews": 3,
        "decisions": (RolloutDecision(state="running", at="2026-01-01", by="ada"),),
        "number": 1,
        "state": "running",
    }
    return Rollout(**{**defaults, **fields})


def a_review(number: int = 0, arm: Arm = "new", **counts: Any) -> RolloutReview:
    return RolloutReview(
        change_key=f"change {number}",
        arm=arm,
        at=f"2026-01-01T00:00:{number:02}.000Z",
        counts=ReviewCounts(**{"asked": 1, "replies": 1, "findings": 10, **counts}),
    )


def reviews(count: int, arm: Arm = "new", **counts: Any) -> list[RolloutReview]:
    return [a_review(number, arm, **counts) for number in range(count)]


@dataclass
class ScriptedModel:
    """Answers by its role; as a specialist it says `findings[version]` of the version it is asked for."""

    role: Role
    findings: dict[str, list[Any]] = field(default_factory=dict)
    says_version: str | None = None
    """A version that it names whatever it is asked for."""
    model: str = "scripted"
    heard: list[Talk] = field(default_factory=list)

    async def converse(self, talk: Talk, emit: Emit) -> Answer:
        self.heard.append(talk)
        usage = RoleUsage(role=self.role, model=self.model, requests=1, input_tokens=10, cost_usd=0.01)
        return Answer(outcome="answered", text=json.dumps(self._answer(talk)), usage=usage)

    def _answer(self, talk: Talk) -> dict[str, Any]:
        if self.role != "specialist":
            return PLAN if self.role == "planner" else CONFIRMED
        asked = ASKED_VERSIONS.search(talk.instructions)
        assert asked
        schema, prompt = asked.groups()
        findings = self.findings.get(prompt, [FINDING])
        return {
            "schema_version": schema,
            "prompt_version": self.says_version or prompt,
            "findings": findings,
        }


def review_with(opened: OpenedChange, chosen: ChosenPrompts, specialist: ScriptedModel) -> Report:
    """A whole review by scripted models."""
    minds = {
        "planner": ScriptedModel("planner"),
        "specialist": specialist,
        "verifier": ScriptedModel("verifier"),
    }
    panel = Panel(minds, prompts=chosen.prompts, reads_dependencies=False)
    crew = Crew([], panel=panel)
    return asyncio.run(review(opened.change, opened.repository, Settings(), crew))


def review_change(store: Store, opened: OpenedChange, number: int, specialist: ScriptedModel) -> Report:
    """Review the change as pull request `number`, and count it as the command does."""
    change = opened.change.model_copy(update={"request": f"https://forge.example/pull/{number}"})
    chosen = choose_prompts(store, change)
    report = review_with(opened, chosen, specialist)
    if chosen.rollout is not None:
        record_review(store, chosen.rollout, chosen.arm, chosen.change_key, report)
    return report
