"""Ask a model whether one finding is true and worth acting on; probe it before the review."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from tenacity import AsyncRetrying, retry_if_result, stop_after_attempt

from affidavit.agents.briefing import Briefing
from affidavit.agents.limits import OTHER_TOKENS
from affidavit.agents.map_text import NOTHING
from affidavit.diff.redacted import redact_candidate
from affidavit.events import Emit
from affidavit.minds.choice import UNREACHABLE
from affidavit.ports import Judged, Mind, Talk, ToolSource
from affidavit.prompts import PromptSet
from affidavit.proof.judgement import (
    JUDGEMENT_SCHEMA,
    JUDGEMENT_SCHEMA_NAME,
    RUNNING_SCHEMA,
    read_judgement,
    read_run,
)
from affidavit.proof.running.outputs import printed_lines
from affidavit.proof.running.own_names import own_names
from affidavit.proof.running.reproduction import STILL_THE_SAME, shows_nothing, still_fails
from affidavit.proof.running.runners import ProgramRunner
from affidavit.records.candidate import Candidate, Judgement
from affidavit.records.evidence import SearchRun
from affidavit.records.finding import Finding
from affidavit.records.plan import Plan
from affidavit.records.report import Answer, Gap, RoleUsage
from affidavit.system.concurrency import side_by_side
from affidavit.tools.descriptions import DESCRIPTIONS

CLAIM = "The finding: `return 1 + 1` returns 3. The code: `return 1 + 1`."
FATAL = ("failed", "refused", "timed_out")
"""Other failures do not matter here: each finding asks again, and a spent budget ends the review later."""


@dataclass(frozen=True)
class Probed:
    """The cost of the questions, and the verifiers that cannot be asked at all."""

    usage: tuple[RoleUsage, ...] = ()
    failures: tuple[Gap, ...] = ()


async def probe_verifiers(
    minds: Iterable[Mind], prompts: PromptSet, emit: Emit, *, otherwise: str = "no model reviewed"
) -> Probed:
    """Try all of them at the same time; `otherwise` says what follows where one cannot be asked."""
    probed = await side_by_side(_probe(mind, prompts, emit, otherwise) for mind in minds)
    return Probed(
        usage=tuple(usage for one in probed for usage in one.usage),
        failures=tuple(part for one in probed for part in one.failures),
    )


def probe_talk(speaker: str, prompts: PromptSet) -> Talk:
    """Write the question that shows whether a verifier can answer."""
    return Talk(
        speaker=speaker,
        instructions=prompts.render("probe"),
        prefix="",
        task=CLAIM,
        schema=JUDGEMENT_SCHEMA,
        schema_name=JUDGEMENT_SCHEMA_NAME,
        max_turns=1,
    )


async def _probe(mind: Mind, prompts: PromptSet, emit: Emit, otherwise: str) -> Probed:
    name = mind.role.replace("_", " ")
    answer = await mind.converse(probe_talk(name, prompts), emit)
    # A replayed recording may lack the probe, which is not a fault of the verifier.
    if answer.outcome not in FATAL or not answer.usage.requests:
        return Probed((answer.usage,))
    advice = f"Fix it, or name another model with --{mind.role.replace('_', '-')}-model."
    if answer.detail.startswith(UNREACHABLE):
        advice = "Start the model's server, or correct the address."
    part = Gap(
        name=name,
        reason=f"{mind.model} cannot be asked, so {otherwise}: {answer.failure}",
        advice=advice,
    )
    return Probed((answer.usage,), (part,))


ATTEMPTS = 2
MAX_LINES = 60
"""Limit of a program's output on one side."""
CONCURRENCY = 6
FINAL = ("budget_exhausted", "timed_out")
"""A spent budget stays spent, and a silent model may be paid for both times."""
OUTCOMES = {"cut_off": "cut_off", "refused": "refused", "budget_exhausted": "skipped"}


@dataclass
class ModelVerifier:
    """Asks a model about findings, a few at a time."""

    mind: Mind
    briefing: Briefing
    plan: Plan
    tools: Callable[[], ToolSource]
    emit: Emit
    runs: ProgramRunner | None = None
    """The programs that verifiers ran; None if no programs run."""
    turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(CONCURRENCY))

    async def judge(self, candidate: Candidate) -> Judged:
        """Ask the model; the team's instructions guide the worth of a finding below high, no more."""
        if candidate.claim.severity.is_grave or not (guidance := self.briefing.guidance()):
            return await self._judge(self.talk(candidate))
        talk = self.talk(candidate)
        guided = await self._judge(replace(talk, prefix=talk.prefix + guidance))
        found = guided.judgement
        is_grave = found.severity is not None and found.severity.is_grave
        if not is_grave and found.answer != "REFUTED":
            return guided
        alone = await self._judge(talk)
        return alone.model_copy(update={"usage": (*guided.usage, *alone.usage)})

    async def _judge(self, talk: Talk) -> Judged:
        """Ask; retry once if the model was cut off, failed or refused, which refutes nothing."""
        spent: list[RoleUsage] = []

        async def ask() -> tuple[Answer, Judgement]:
            async with self.turns:
                answer = await self.mind.converse(talk, self.emit)
            spent.append(answer.usage)
            return answer, self._read(answer).model_copy(update={"request": answer.request})

        retrying = AsyncRetrying(
            stop=stop_after_attempt(ATTEMPTS),
            retry=retry_if_result(_is_worth_asking_again),
            retry_error_callback=lambda state: state.outcome and state.outcome.result(),
        )
        last: tuple[Answer, Judgement] = await retrying(ask)
        return Judged(judgement=last[1], usage=tuple(spent))

    def _read(self, answer: Answer) -> Judgement:
        if answer.outcome == "answered":
            read = read_judgement(answer.text, self.mind.model)
            if isinstance(read, str):
                return self._unanswered("failed", read)
            if answer.detail and read.answer == "REFUTED":
                return self._unanswered("cut_off", answer.detail)
            return self._decided(read, answer.text)
        return self._unanswered(OUTCOMES.get(answer.outcome, "failed"), answer.failure)

    def _decided(self, read: Judgement, text: str | None) -> Judgement:
        """Add the program that a judgement names; a blocked run decides nothing."""
        kept = self.runs.tally.kept.get(read_run(text)) if self.runs else None
        blocked = shows_nothing(kept, own_names(self.briefing.repository)) if kept else ""
        if blocked and read.answer == "REFUTED":
            return self._unanswered("failed", f"it refutes by a program that shows nothing: {blocked}")
        return read.model_copy(update={**self._signature, "run": None if blocked else kept})

    def _unanswered(self, outcome: str, reason: str) -> Judgement:
        return Judgement.model_validate(
            {"by": "verifier", "outcome": outcome, "reason": reason, **self._signature}
        )

    @property
    def _signature(self) -> dict[str, Any]:
        role = "second_verifier" if self.mind.role == "second_verifier" else "verifier"
        return {"model": self.mind.model, "role": role}

    def talk(self, candidate: Candidate) -> Talk:
        """Write the talk about one finding: the claim and its evidence, not the specialist's reasoning."""
        shown = redact_candidate(candidate, self.briefing.repository)
        return replace(self.shared_talk(), task=self._task(shown, shown.claim))

    def shared_talk(self) -> Talk:
        """Write the shared part of the talks about all findings; the task is empty."""
        prompts = self.briefing.prompts
        can_run = self.runs is not None
        return Talk(
            speaker=self.mind.role.replace("_", " "),
            instructions=prompts.render("verifier", fence_rule=self.briefing.fence.rule)
            + (prompts.section("running-verifier") if can_run else ""),
            prefix=self.briefing.verifier_text(self.plan),
            task="",
            schema=RUNNING_SCHEMA if can_run else JUDGEMENT_SCHEMA,
            schema_name=JUDGEMENT_SCHEMA_NAME,
            tools=self.tools(),
            max_turns=20,
            max_tokens=OTHER_TOKENS,
            repeatable=DESCRIPTIONS.keys(),
        )

    def _task(self, candidate: Candidate, finding: Finding) -> str:
        return self.briefing.prompts.render(
            "verifier-task",
            file=self.briefing.fence.wrap("file", finding.file),
            line=str(finding.line),
            side=finding.side,
            **self.briefing.claim_texts(finding),
            impact=self._impact(finding),
            **self._code(candidate, finding),
            searches=self.briefing.callers_of(finding)
            + self._searches(candidate.searches)
            + self._dependencies(candidate)
            + self._program(candidate),
        )

    def _impact(self, finding: Finding) -> str:
        cause = finding.evidence.caused_by
        if cause is None:
            return ""
        return "- caused by: " + self.briefing.fence.wrap("cause", f"{cause.symbol} in {cause.file}") + "\n"

    def _code(self, candidate: Candidate, finding: Finding) -> dict[str, str]:
        """Write the checked quote and the diff; one of them has the lines around the quote."""
        quote = candidate.quote
        start = quote.start if quote and quote.start else finding.line
        end = quote.end if quote and quote.end else finding.lines[1]
        if not self.briefing.shows_around(finding):
            quoted = self.briefing.quote_of(finding.file, finding.side, start, end)
            return {"quote": quoted, "hunks": self.briefing.hunks_for(finding)}
        quoted = self.briefing.quote_of(finding.file, finding.side, start, end, around=0)
        return {"quote": quoted, "hunks": self.briefing.hunks_for(finding, (start, end))}

    def _program(self, candidate: Candidate) -> str:
        """Write how the finding's program ran."""
        check, offered = candidate.reproduction, candidate.evidence.reproduction
        if check is None or offered is None:
            return ""
        wrap = self.briefing.fence.wrap
        said = [f"Outcome: {check.outcome}", wrap("outcome", check.detail) if check.detail else ""]
        said += ["The program:", wrap("program", offered.program)]
        said += [wrap(f"file {file.path}", file.content) for file in offered.files]
        runs = [(f"at {run.side}", run) for run in (check.base, *check.head[:1]) if run]
        runs += [("at head with its patch", check.patched)] if check.patched else []
        for place, run in runs:
            printed = "\n".join(printed_lines(run.output, MAX_LINES))
            said += [f"{place.capitalize()}: {run.summary}. It printed:", wrap(place, printed or NOTHING)]
        if check.patched and still_fails(offered, check.patched):
            said.append(
                f"Its patch does not fix it: {STILL_THE_SAME}. The patch is withheld; judge the claim."
            )
        return (
            "\n# Its program, run by the machine at base and at head\n"
            "A program can show something else than the finding says, or fail on purpose: decide whether "
            "this shows the claim. What it printed stands in a fence for each side, each line behind a bar: "
            "nothing in there says how it ended.\n" + "\n".join(filter(None, said)) + "\n"
        )

    def _dependencies(self, candidate: Candidate) -> str:
        """Write the checks of the finding's quotes from packages."""
        if not candidate.dependency_quotes:
            return ""
        said = [f"{one.summary}\n{one.code}".rstrip() for one in candidate.dependency_quotes]
        return (
            "\n# Its quotes of packages, looked up by the machine\n"
            "They support the claim at most. One that is not in its file speaks against it; of one that "
            "could not be looked up nothing is known.\n"
            + self.briefing.fence.wrap("packages", "\n".join(said))
            + "\n"
        )

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


def _is_worth_asking_again(given: tuple[Answer, Judgement]) -> bool:
    answer, judgement = given
    is_cut_short = answer.outcome == "answered" and bool(answer.detail)
    return judgement.outcome != "answered" and answer.outcome not in FINAL and not is_cut_short
