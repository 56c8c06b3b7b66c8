"""The verifier: one finding at a time, in a conversation of its own: is it true, is it worth acting on?"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from affidavit.contract.judgement import JUDGEMENT_SCHEMA, JUDGEMENT_SCHEMA_NAME, Unreadable, read_judgement
from affidavit.events import Emit
from affidavit.ports import Answer, Mind, Talk, ToolSource
from affidavit.records.candidate import Candidate, Judgement
from affidavit.records.evidence import SearchRun
from affidavit.records.finding import Finding
from affidavit.records.plan import Plan
from affidavit.records.report import RoleUsage
from affidavit.specialists.briefing import NOTHING, Briefing

ATTEMPTS = 2
OUTCOMES = {"cut_off": "cut_off", "refused": "refused", "budget_exhausted": "skipped"}


@dataclass
class ModelVerifier:
    """Cross-examines findings; `spent` is what it cost."""

    mind: Mind
    briefing: Briefing
    plan: Plan
    tools: Callable[[], ToolSource]
    emit: Emit
    concurrency: int = 6
    spent: list[RoleUsage] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._turns = asyncio.Semaphore(self.concurrency)

    async def judge(self, candidate: Candidate) -> Judgement:
        """Ask; a verifier that was cut off or could not be read is asked once more, and refutes nothing."""
        if candidate.finding is None:
            return Judgement(by="verifier", outcome="skipped", reason="there is no finding to judge")
        talk = self.talk(candidate, candidate.finding)
        judgement = Judgement(by="verifier", outcome="failed", model=self.mind.model)
        for _ in range(ATTEMPTS):
            async with self._turns:
                answer = await self.mind.converse(talk, self.emit)
            self.spent.append(answer.usage)
            judgement = self._read(answer)
            if judgement.outcome in ("answered", "skipped", "refused"):
                break
        return judgement

    def _read(self, answer: Answer) -> Judgement:
        if answer.outcome == "answered":
            read = read_judgement(answer.text, self.mind.model)
            if not isinstance(read, Unreadable):
                return read
            return Judgement(by="verifier", outcome="failed", reason=read.reason, model=self.mind.model)
        outcome = OUTCOMES.get(answer.outcome, "failed")
        return Judgement(by="verifier", outcome=outcome, reason=answer.detail, model=self.mind.model)

    def talk(self, candidate: Candidate, finding: Finding) -> Talk:
        """What is sent about one finding: the claim and its evidence, not the specialist's reasoning."""
        return Talk(
            speaker="verifier",
            instructions=self.briefing.prompts.render("verifier", fence_rule=self.briefing.fence.rule),
            prefix=self.briefing.verifier_text(self.plan),
            task=self._worth_task(candidate, finding)
            if candidate.kind == "mechanical"
            else self._task(candidate, finding),
            schema=JUDGEMENT_SCHEMA,
            schema_name=JUDGEMENT_SCHEMA_NAME,
            tools=self.tools(),
            max_turns=20,
        )

    def _task(self, candidate: Candidate, finding: Finding) -> str:
        wrap, evidence = self.briefing.fence.wrap, finding.verification
        return self.briefing.prompts.render(
            "verifier-task",
            file=wrap("file", finding.file),
            line=str(finding.line),
            side=finding.side,
            severity=finding.severity,
            category=finding.category,
            finding_title=wrap("claim", finding.title),
            message=wrap("claim", finding.message),
            failing_input=wrap("claim", (evidence and evidence.failing_input) or NOTHING),
            wrong_outcome=wrap("claim", (evidence and evidence.wrong_outcome) or NOTHING),
            suggestion=wrap("claim", finding.suggestion or NOTHING),
            impact=self._impact(finding),
            quote=self._quote(candidate, finding),
            hunks=self.briefing.hunks_for(finding),
            searches=self._searches(candidate.searches),
        )

    def _worth_task(self, candidate: Candidate, finding: Finding) -> str:
        wrap = self.briefing.fence.wrap
        return self.briefing.prompts.render(
            "worth-task",
            file=wrap("file", finding.file),
            line=str(finding.line),
            rule_id=finding.rule_id or NOTHING,
            severity=finding.severity,
            finding_title=wrap("claim", finding.title),
            message=wrap("claim", finding.message),
            quote=self._quote(candidate, finding),
            hunks=self.briefing.hunks_for(finding),
        )

    def _impact(self, finding: Finding) -> str:
        cause = finding.verification.caused_by if finding.verification else None
        if cause is None:
            return ""
        return "- caused by: " + self.briefing.fence.wrap("cause", f"{cause.symbol} in {cause.file}") + "\n"

    def _quote(self, candidate: Candidate, finding: Finding) -> str:
        quote = candidate.quote
        start = quote.start if quote and quote.start else finding.line
        end = quote.end if quote and quote.end else finding.lines[1]
        return self.briefing.quote_of(finding.file, finding.side, start, end)

    def _searches(self, runs: tuple[SearchRun, ...]) -> str:
        if not runs:
            return ""
        lines = []
        for run in runs:
            where = ", ".join(run.search.paths) or "the whole repository"
            found = run.state.replace("_", " ")
            lines.append(f"search for {run.search.pattern!r} in {where} at {run.search.side}: {found}")
            lines += [f"  {hit.path}:{hit.line}: {hit.text[:200]}" for hit in run.hits]
        return (
            "\n# Its searches, run again by the machine\n"
            + self.briefing.fence.wrap("searches", "\n".join(lines))
            + "\n"
        )
