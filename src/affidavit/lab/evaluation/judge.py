"""Ask a model whether a finding and a known claim in the same place are the same problem."""

from typing import Any

from affidavit.contract.keyed_object import object_with_key
from affidavit.events import ignore_events
from affidavit.lab.evaluation.matching import ByCategory, Opinion
from affidavit.minds.fence import EXPLANATION, fence, tag_of
from affidavit.ports import Mind, Talk
from affidavit.prompts import render_prompt
from affidavit.records.finding import Finding
from affidavit.records.lab.evaluation import KnownClaim
from affidavit.records.report import Answer, RoleUsage

SAME_SCHEMA_NAME = "same_problem"
SAME_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["same", "reason"],
    "properties": {
        "same": {"type": "boolean", "description": "True where fixing the one would fix the other"},
        "reason": {"type": "string", "description": "One sentence"},
    },
}
ATTEMPTS = 2
MAX_REASON_LENGTH = 500
MAX_TEXT_LENGTH = 8_000


class ModelJudge:
    """Compares meanings; where it cannot, place and category decide, and the match says so."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self._otherwise = ByCategory()
        self.spent: list[RoleUsage] = []
        self._known: dict[tuple[KnownClaim, Finding], Opinion] = {}

    async def compare(self, claim: KnownClaim, finding: Finding) -> Opinion:
        """Each pair is asked about once; a claim without words has no meaning to compare."""
        if not claim.description.strip():
            return await self._otherwise.compare(claim, finding)
        if (claim, finding) not in self._known:
            self._known[claim, finding] = await self._ask(claim, finding)
        return self._known[claim, finding]

    async def _ask(self, claim: KnownClaim, finding: Finding) -> Opinion:
        answer: Answer | None = None
        for _ in range(ATTEMPTS):
            answer = await self._mind.converse(same_problem_talk(claim, finding), ignore_events)
            self.spent.append(answer.usage)
            read = read_opinion(answer.text) if answer.outcome == "answered" else None
            if read is not None:
                return read
            if answer.outcome in ("refused", "budget_exhausted"):
                break
        fallback = await self._otherwise.compare(claim, finding)
        why = answer.outcome.replace("_", " ") if answer and answer.outcome != "answered" else "unreadable"
        return fallback.model_copy(update={"reason": f"{fallback.reason} (the judge's answer: {why})"})


def same_problem_talk(claim: KnownClaim, finding: Finding) -> Talk:
    """What the judge is asked; both texts are data, whoever wrote them."""
    tag = tag_of(claim.description, finding.message)
    evidence = finding.verification
    task = render_prompt(
        "judge-task",
        known=fence("known", claim.description[:MAX_TEXT_LENGTH], tag),
        title=fence("finding", finding.title[:MAX_TEXT_LENGTH], tag),
        message=fence("finding", finding.message[:MAX_TEXT_LENGTH], tag),
        failing_input=fence("finding", ((evidence and evidence.failing_input) or "-")[:MAX_TEXT_LENGTH], tag),
        wrong_outcome=fence("finding", ((evidence and evidence.wrong_outcome) or "-")[:MAX_TEXT_LENGTH], tag),
    )
    return Talk(
        speaker="judge",
        instructions=render_prompt("judge", fence_rule=EXPLANATION),
        prefix="",
        task=task,
        schema=SAME_SCHEMA,
        schema_name=SAME_SCHEMA_NAME,
        max_turns=1,
    )


def read_opinion(text: str | None) -> Opinion | None:
    """The judge's answer; None where it is no clear yes or no."""
    value = object_with_key(text, "same")
    if value is None or not isinstance(value.get("same"), bool):
        return None
    reason = " ".join(str(value.get("reason") or "").split())[:MAX_REASON_LENGTH]
    return Opinion(is_same=value["same"], basis="judged", reason=reason.encode("utf-8", "replace").decode())
