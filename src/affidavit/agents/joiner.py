"""Ask a model which findings have the same cause."""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import shorten

from affidavit.agents.briefing import Briefing
from affidavit.agents.map_text import NOTHING
from affidavit.diff.redacted import redact_candidate
from affidavit.events import Emit
from affidavit.ports import Mind, Talk
from affidavit.proof.judgement import GROUPING_SCHEMA, GROUPING_SCHEMA_NAME
from affidavit.records.candidate import Candidate
from affidavit.records.plan import Plan
from affidavit.records.report import Answer

MAX_CLAIM = 700
MAX_PROPOSED = 300
MAX_OUTCOME = 200
"""Enough characters to recognise a cause."""
MAX_LINES, MAX_LINE = 12, 200


@dataclass(frozen=True)
class ModelJoiner:
    """Groups findings by their cause; it needs no tools, because it does not judge."""

    mind: Mind
    briefing: Briefing
    plan: Plan
    emit: Emit

    async def join(self, candidates: Sequence[Candidate]) -> Answer:
        """Ask once; the caller reads and checks the answer."""
        return await self.mind.converse(self.talk(candidates), self.emit)

    def talk(self, candidates: Sequence[Candidate]) -> Talk:
        """Write the talk: the findings, sorted by their ids."""
        shown = [redact_candidate(one, self.briefing.repository) for one in candidates]
        wrap, prompts = self.briefing.fence.wrap, self.briefing.prompts
        return Talk(
            speaker="joiner",
            instructions=prompts.render("joiner", fence_rule=self.briefing.fence.rule),
            prefix="",
            task=prompts.render(
                "joiner-task",
                title=wrap("title", self.briefing.change.title or NOTHING),
                goal=wrap("plan", self.plan.goal or NOTHING),
                findings=wrap("findings", "\n\n".join(map(_entry, sorted(shown, key=lambda one: one.id)))),
            ),
            schema=GROUPING_SCHEMA,
            schema_name=GROUPING_SCHEMA_NAME,
            max_turns=2,
        )


def _entry(candidate: Candidate) -> str:
    finding, proof = candidate.claim, candidate.evidence
    first, last = finding.lines
    who = f"rule {finding.rule_id}" if candidate.is_proven_by_machine else candidate.specialist
    cause = proof.caused_by
    parts = [
        f"[{candidate.id}] {finding.file}:{first}-{last} at {finding.side}, {finding.severity}, by {who}",
        f"title: {finding.title}",
        f"claim: {_short(finding.message, MAX_CLAIM)}",
        f"outcome: {_short(proof.wrong_outcome, MAX_OUTCOME)}" if proof.wrong_outcome else "",
        f"caused by: {cause.symbol} in {cause.file}" if cause else "",
        f"code:\n{_quoted(candidate)}" if candidate.quote and candidate.quote.code else "",
        f"proposed: {_short(finding.suggestion, MAX_PROPOSED)}" if finding.suggestion else "",
    ]
    return "\n".join(part for part in parts if part)


def _quoted(candidate: Candidate) -> str:
    lines = candidate.quote.code.split("\n") if candidate.quote else []
    return "\n".join(line[:MAX_LINE] for line in lines[:MAX_LINES])


def _short(text: str, most: int) -> str:
    return shorten(text, most, placeholder=" …")
