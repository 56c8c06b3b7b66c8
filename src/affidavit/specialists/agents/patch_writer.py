"""A patch that a model writes for one finding of a report: the talk that asks for it, and its answer."""

from dataclasses import dataclass, replace
from typing import Any

from affidavit.contract.keyed_object import object_with_key
from affidavit.ports import Talk, ToolSource
from affidavit.records.candidate import Candidate
from affidavit.records.finding import Finding
from affidavit.records.plan import Plan
from affidavit.records.program_runs import PatchTrial
from affidavit.specialists.agents.brief.briefing import Briefing
from affidavit.specialists.agents.question import question_talk

PATCH_SCHEMA_NAME = "patch"
PATCH_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["patch", "why"],
    "properties": {
        "patch": {"type": "string", "description": "A unified diff against head; empty: none settles it"},
        "why": {"type": "string", "description": "One sentence"},
    },
}
ASKED = "Write a patch that settles this finding."


@dataclass(frozen=True)
class WrittenPatch:
    """What a model wrote; `patch` is empty where it says that none settles the finding."""

    patch: str
    why: str = ""


def patch_talk(
    briefing: Briefing,
    plan: Plan,
    candidate: Candidate,
    finding: Finding,
    tools: ToolSource,
    failed: tuple[WrittenPatch, PatchTrial] | None = None,
) -> Talk:
    """What is sent: the finding with all its evidence; after a first try, that patch and why it failed."""
    asked = ASKED
    if failed is not None:
        written, trial = failed
        reasons = "; ".join(f"{step.name}: {step.detail}" for step in trial.steps if step.passed is False)
        asked = f"{ASKED} Your first one failed ({reasons}). It was:\n{written.patch}"
    talk = question_talk(briefing, plan, candidate, finding, asked, tools)
    return replace(
        talk,
        speaker="patch",
        instructions=briefing.prompts.render("patch", fence_rule=briefing.fence.rule),
        schema=PATCH_SCHEMA,
        schema_name=PATCH_SCHEMA_NAME,
    )


def read_patch(text: str | None) -> WrittenPatch | None:
    """The patch out of its object; None where there is none to be read."""
    held = object_with_key(text, "patch") or {}
    patch, why = held.get("patch"), held.get("why")
    if not isinstance(patch, str):
        return None
    return WrittenPatch(patch if patch.strip() else "", why if isinstance(why, str) else "")
