"""Match findings with expected problems, one to one, by place and by meaning."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tenacity import AsyncRetrying, retry_if_result, stop_after_attempt

from affidavit.contract.reply_text import object_with_key
from affidavit.events import ignore_events
from affidavit.lab.records import Basis, CaseMatch, ExpectedProblem, KnownClaim, KnownPlace
from affidavit.minds.fence import EXPLANATION, Fence, tag_of
from affidavit.ports import Mind, Talk
from affidavit.prompts import current_prompts
from affidavit.records.candidate import Candidate
from affidavit.records.change import Change
from affidavit.records.finding import Finding
from affidavit.records.record import Record
from affidavit.records.report import Answer, RoleUsage
from affidavit.render.changed_lines import HeadPlace, head_place

TOLERANCE_LINES = 3
"""A reviewer may point at the line above the one that was fixed later."""


class Opinion(Record):
    """Whether a finding means the same as a known claim, with the reason and who decided."""

    is_same: bool
    basis: Basis
    reason: str = ""


class Meaning(Protocol):
    """Compares the meaning of a finding with a known claim in the same place."""

    async def compare(self, claim: KnownClaim, finding: Finding) -> Opinion: ...


class ByCategory:
    """Treats two claims in the same place as the same if their categories agree."""

    async def compare(self, claim: KnownClaim, finding: Finding) -> Opinion:
        """Compare categories; a known claim without one agrees with every finding."""
        if claim.category is None:
            return Opinion(is_same=True, basis="place", reason="the same place; no category is stated")
        if claim.category is finding.category:
            return Opinion(
                is_same=True,
                basis="place_and_category",
                reason=f"the same place and category {claim.category}",
            )
        return Opinion(
            is_same=False,
            basis="place_and_category",
            reason=f"the same place, but {finding.category} where {claim.category} is known",
        )


@dataclass(frozen=True)
class Pairing:
    """The matches, and every opinion about candidates in the place of an expected problem."""

    matches: tuple[CaseMatch, ...]
    opinions: Mapping[tuple[int, str], Opinion]
    """By the position of the expected problem and the id of the candidate."""


async def match_findings(
    expected: Sequence[ExpectedProblem], candidates: Sequence[Candidate], change: Change, meaning: Meaning
) -> Pairing:
    """Pair as many expected problems with a finding as possible, the nearest first."""
    opinions: dict[tuple[int, str], Opinion] = {}
    distances: dict[tuple[int, int], int] = {}
    for number, problem in enumerate(expected):
        for position, candidate in enumerate(candidates):
            distance, finding = distance_to(problem, candidate, change), candidate.finding
            if distance is None or finding is None:
                continue
            opinion = await meaning.compare(problem, finding)
            opinions[number, candidate.id] = opinion
            if opinion.is_same:
                distances[number, position] = distance

    paired = assign(distances)
    matches = []
    for number, position in sorted(paired.items()):
        opinion = opinions[number, candidates[position].id]
        matches.append(
            CaseMatch(
                expected=number,
                candidate=candidates[position].id,
                basis=opinion.basis,
                distance=distances[number, position],
                reason=opinion.reason,
            )
        )
    return Pairing(tuple(matches), opinions)


def assign(distances: Mapping[tuple[int, int], int]) -> dict[int, int]:
    """Map each left number to a right one: as many pairs as possible, out of those with a distance."""
    owners: dict[int, int] = {}

    def place(left: int, tried: set[int]) -> bool:
        wanted = sorted((distance, right) for (one, right), distance in distances.items() if one == left)
        for _, right in wanted:
            if right not in tried:
                tried.add(right)
                # The owner moves to another partner if it has one.
                if right not in owners or place(owners[right], tried):
                    owners[right] = left
                    return True
        return False

    for left in sorted({left for left, _ in distances}):
        place(left, set())
    return {left: right for right, left in owners.items()}


def distance_to(claim: KnownClaim, candidate: Candidate, change: Change) -> int | None:
    """Return the lines between a candidate and the nearest place of a claim; None if it is elsewhere."""
    finding = candidate.finding
    if finding is None:
        return None
    # Code that only base has is compared by the place at head where it was.
    stands = head_place(finding, change)
    gaps = [gap for place in claim.places if (gap := _gap(stands, place)) is not None]
    return min(gaps, default=None)


def _gap(stands: HeadPlace, place: KnownPlace) -> int | None:
    if stands.path != place.file:
        return None
    first, last = place.lines
    gap = max(0, stands.first - last, first - stands.last)
    return gap if gap <= TOLERANCE_LINES else None


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
FINAL = ("refused", "budget_exhausted")
MAX_REASON_LENGTH = 500
MAX_TEXT_LENGTH = 8_000


class ModelJudge:
    """Compares meanings; if it cannot, place and category decide, and the match says so."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self._otherwise = ByCategory()
        self.spent: list[RoleUsage] = []
        self._known: dict[tuple[KnownClaim, Finding], Opinion] = {}

    async def compare(self, claim: KnownClaim, finding: Finding) -> Opinion:
        """Ask about each pair once; a claim without a message has no meaning to compare."""
        if not claim.description.strip():
            return await self._otherwise.compare(claim, finding)
        if (claim, finding) not in self._known:
            self._known[claim, finding] = await self._ask(claim, finding)
        return self._known[claim, finding]

    async def _ask(self, claim: KnownClaim, finding: Finding) -> Opinion:
        async def ask() -> tuple[Answer, Opinion | None]:
            answer = await self._mind.converse(same_problem_talk(claim, finding), ignore_events)
            self.spent.append(answer.usage)
            return answer, read_opinion(answer.text) if answer.outcome == "answered" else None

        retrying = AsyncRetrying(
            stop=stop_after_attempt(ATTEMPTS),
            retry=retry_if_result(lambda last: last[1] is None and last[0].outcome not in FINAL),
            retry_error_callback=lambda state: state.outcome and state.outcome.result(),
        )
        last: tuple[Answer, Opinion | None] = await retrying(ask)
        answer, read = last
        if read is not None:
            return read
        fallback = await self._otherwise.compare(claim, finding)
        why = "unreadable" if answer.outcome == "answered" else answer.outcome.replace("_", " ")
        return fallback.model_copy(update={"reason": f"{fallback.reason} (the judge's answer: {why})"})


def same_problem_talk(claim: KnownClaim, finding: Finding) -> Talk:
    """Return the question for the judge; both texts are fenced as data."""
    wrap = Fence(tag_of(claim.description, finding.message)).wrap
    evidence = finding.verification
    task = current_prompts().render(
        "judge-task",
        known=wrap("known", claim.description[:MAX_TEXT_LENGTH]),
        title=wrap("finding", finding.title[:MAX_TEXT_LENGTH]),
        message=wrap("finding", finding.message[:MAX_TEXT_LENGTH]),
        failing_input=wrap("finding", ((evidence and evidence.failing_input) or "-")[:MAX_TEXT_LENGTH]),
        wrong_outcome=wrap("finding", ((evidence and evidence.wrong_outcome) or "-")[:MAX_TEXT_LENGTH]),
    )
    return Talk(
        speaker="judge",
        instructions=current_prompts().render("judge", fence_rule=EXPLANATION),
        prefix="",
        task=task,
        schema=SAME_SCHEMA,
        schema_name=SAME_SCHEMA_NAME,
        max_turns=1,
    )


def read_opinion(text: str | None) -> Opinion | None:
    """Read the judge's answer; return None if it is not a clear yes or no."""
    value = object_with_key(text, "same")
    if value is None or not isinstance(value.get("same"), bool):
        return None
    reason = " ".join(str(value.get("reason") or "").split())[:MAX_REASON_LENGTH]
    return Opinion(is_same=value["same"], basis="judged", reason=reason.encode("utf-8", "replace").decode())
