"""The specialists' prompts for an agent that looks itself: a change and a lens in, what it is asked out."""

from dataclasses import dataclass
from typing import Any

from affidavit.errors import InputError
from affidavit.events import Emit
from affidavit.mcp.changes import KeptChange
from affidavit.ports import Role, Talk
from affidavit.records.report import Answer, RoleUsage
from affidavit.specialists.agents.model_agents import LENSES, SUBJECTS, ModelAgent
from affidavit.stages.looking.plan import plan_by_size

HAND_IN = """
# How to hand in
Read with the tools of this server (get_file_context, search, find_references, …): they read the same trees
against which your quotes are checked. Then call `submit_findings` with `change` "{change}" and the review
result as `result`. Each finding comes back proven or withheld, with the reason: tell the user about those
that are shown, with their status, and about no other. An empty list of findings is a good result.
"""


@dataclass
class _Nobody:
    """Stands where a model would be asked: the agent that gets the prompt is the model."""

    role: Role = "specialist"
    model: str = ""

    async def converse(self, _talk: Talk, _emit: Emit) -> Answer:
        return Answer(outcome="failed", usage=RoleUsage(role=self.role, model=self.model))


def prompt_list() -> list[dict[str, Any]]:
    """Name, purpose and arguments of each prompt."""
    return [
        {"name": f"review-{lens}", "description": f"Look at a change: {SUBJECTS[lens]}."} for lens in LENSES
    ]


def prompt_text(name: str, change: KeptChange, part: int = 1) -> str:
    """What a specialist with this lens is asked about one part of the change."""
    lens = name.removeprefix("review-")
    if lens not in LENSES:
        known = ", ".join(f"review-{one}" for one in LENSES)
        raise InputError(f"there is no prompt {name!r}; there are: {known}")
    session = change.session
    plan = plan_by_size(session.case.change, (lens,), (), session.briefing.context.symbols)
    if not 1 <= part <= max(1, len(plan.chunks)):
        raise InputError(f"the change has {len(plan.chunks)} parts: ask for one from 1 to {len(plan.chunks)}")
    if not plan.chunks:
        raise InputError("the change has no file that is reviewed: there is nothing to look at")
    agent = ModelAgent(
        (lens,), _Nobody(), session.briefing, plan, plan.chunks[part - 1], lambda: change.tools
    )
    talk = agent.talk(None, has_dependencies=bool(change.dependencies))
    parts = f"\nThis is part {part} of {len(plan.chunks)}.\n" if len(plan.chunks) > 1 else ""
    hand_in = HAND_IN.format(change=change.id).strip()
    return f"{talk.instructions}\n{talk.prefix}\n{parts}{talk.task}\n{hand_in}\n"
