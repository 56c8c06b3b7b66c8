"""The models of a review at work on one change: plan, specialists, verifiers, report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from textwrap import shorten
from typing import Any, Protocol

from affidavit.diff.redacted import redact_candidate, redact_findings
from affidavit.ports import Case, Dependencies, Mind, Role, Specialist, Talk, ToolSource, Verifiers
from affidavit.prompts import PromptSet, current_prompts
from affidavit.proof.rewording import is_too_long
from affidavit.proof.running.runners import WatchedRunner
from affidavit.records.candidate import Candidate
from affidavit.records.change import Change
from affidavit.records.context import ContextMap
from affidavit.records.finding import Finding
from affidavit.records.plan import Chunk, Plan
from affidavit.records.report import ReplySummary, Report
from affidavit.specialists.agents.briefing import Briefing, Fence, lead_line
from affidavit.specialists.agents.chunks import shown_line_count
from affidavit.specialists.agents.joiner import ModelJoiner
from affidavit.specialists.agents.map_text import NOTHING
from affidavit.specialists.agents.model_agents import (
    LENSES,
    SECOND_LOOK,
    SHARED_LOOK_LINES,
    SUBJECTS,
    TRIAGE,
    ModelAgent,
    asked_at_any_size,
    looks,
)
from affidavit.specialists.agents.verifier import ModelVerifier

MAX_PROPOSED = 300
"""Characters of a proposal that the reporter reads."""


class PanelReader(Protocol):
    """Gives models access to a change."""

    def context(self, case: Case, /) -> ContextMap:
        """Return the map of the change."""

    def tools(self, case: Case, role: Role = "specialist", /) -> ToolSource:
        """Return the tools of a role."""

    def fence(self, change: Change, /) -> Fence:
        """Return the marks around text of the change."""

    def redact(self, case: Case, /) -> Case:
        """Return the case as it may leave the machine."""

    def packages(self, case: Case, /) -> Dependencies | None:
        """Open the sources of packages, if there are any."""


@dataclass(frozen=True)
class Panel:
    """The minds of a review, and what they work with."""

    minds: Mapping[Role, Mind]
    reading: PanelReader
    prompts: PromptSet = field(default_factory=current_prompts)

    @property
    def models(self) -> dict[str, str]:
        """Role to model."""
        return {role: mind.model for role, mind in self.minds.items()}

    @property
    def judging(self) -> list[Mind]:
        """Those of its minds that verify findings."""
        roles: tuple[Role, ...] = ("verifier", "second_verifier")
        return [self.minds[role] for role in roles if role in self.minds]

    def convene(self, case: Case) -> "PanelSession":
        """Begin with a change: its map is read once and shared by all."""
        case = self.reading.redact(case)
        return self.brief(case, self.reading.context(case))

    def brief(self, case: Case, context: ContextMap) -> "PanelSession":
        """Begin with a change whose map is known.

        This is the door to the models: the case is the one that may leave the machine.
        """
        fence = self.reading.fence(case.change)
        briefing = Briefing(
            case.change,
            case.repository,
            fence,
            context,
            prompts=self.prompts,
            earlier=case.earlier,
            scope=case.scope,
        )
        return PanelSession(self, case, briefing)


@dataclass(frozen=True)
class PanelSession:
    """One change before the panel."""

    panel: Panel
    case: Case
    """As it may leave the machine."""
    briefing: Briefing

    @property
    def always(self) -> tuple[str, ...]:
        """Specialists that are asked whatever the size of the change."""
        return asked_at_any_size(self.case.change, can_experiment=self.case.runner is not None)

    def with_leads(self, leads: Sequence[Finding]) -> "PanelSession":
        """The same session, with what the machine has found."""
        return replace(self, briefing=replace(self.briefing, leads=self._shown(leads)))

    def _shown(self, findings: Sequence[Finding]) -> tuple[Finding, ...]:
        return tuple(redact_findings(findings, self.case.repository))

    def planner_talk(self, rough: Plan, schema: dict[str, Any], schema_name: str) -> Talk:
        """Return the question to the planner, with the first chunk and the list of all files."""
        shown = rough.chunks[0] if rough.chunks else Chunk(number=1, paths=(), tokens=0)
        return Talk(
            speaker="planner",
            instructions=self.briefing.prompts.render(
                "planner",
                fence_rule=self.briefing.fence.rule,
                specialists="; ".join(map(_looks_at, dict.fromkeys([*LENSES, *rough.questions]))),
            ),
            # As if there were one chunk only: the planner reads the comments on all of them.
            prefix=self.briefing.change_text(shown, rough.model_copy(update={"chunks": ()})),
            task="Plan the review of this change.",
            schema=schema,
            schema_name=schema_name,
            tools=self.panel.reading.tools(self.case, "planner"),
            max_turns=12,
        )

    def agents(self, plan: Plan) -> list[Specialist]:
        """A specialist for each look of the plan and each chunk of the change, and for what others said."""
        lenses = [lens for lens in plan.questions if lens != TRIAGE]
        agents: list[Specialist] = [
            self._agent(together, plan, chunk)
            for together in looks(lenses, shown_line_count(self.case.change, plan.chunks))
            for chunk in plan.chunks
        ]
        return agents + (self._triage(plan) if TRIAGE in plan.questions else [])

    def _triage(self, plan: Plan) -> list[Specialist]:
        """Return the agents that check existing comments, one per page, with the diff of the comments."""
        chunks = plan.chunks or (Chunk(number=1, paths=(), tokens=0),)
        return [
            replace(self._agent((TRIAGE,), plan, chunk), page=page, page_number=number)
            for chunk in chunks
            for number, page in enumerate(self.briefing.comment_pages(chunk, plan), start=1)
        ]

    def second_look(
        self, plan: Plan, reported: Sequence[Finding], replies: Sequence[ReplySummary] = ()
    ) -> list[Specialist]:
        """Fresh eyes on what nobody has spoken of; none for a change that is seen whole at once.

        Where every part has been spoken of, it could only repeat that.
        """
        # Up to here one conversation looks through several lenses, and each of them sees the whole.
        if shown_line_count(self.case.change, plan.chunks) <= SHARED_LOOK_LINES:
            return []
        said = tuple(f"{one.specialist}: {one.summary}" for one in replies if one.summary)
        read = frozenset(path for one in replies for path in one.files_read or ())
        agents = [
            replace(self._agent((SECOND_LOOK,), plan, chunk, tuple(reported)), in_order=said, opened=read)
            for chunk in plan.chunks
        ]
        return [agent for agent in agents if agent.uncovered()]

    def joiner(self, plan: Plan) -> ModelJoiner | None:
        """Return who says which findings have one cause; None where no model has that role."""
        mind = self.panel.minds.get("joiner")
        return ModelJoiner(mind, self.briefing, plan, self.case.emit) if mind else None

    def verifier(self, plan: Plan) -> ModelVerifier:
        """Return the verifier of findings; it has not seen the specialists' work."""
        runs = WatchedRunner(self.case.runner) if self.case.runner else None
        # Made once, so that a check made for one talk is known to the next.
        tools = self.panel.reading.tools(replace(self.case, runner=runs), "verifier")
        return ModelVerifier(
            mind=self.panel.minds["verifier"],
            briefing=self.briefing,
            plan=plan,
            tools=lambda: tools,
            emit=self.case.emit,
            runs=runs,
        )

    def verifiers(self, plan: Plan) -> Verifiers:
        """Return the verifier and, if one is named, the second verifier; they share turns."""
        first, second = self.verifier(plan), self.panel.minds.get("second_verifier")
        return Verifiers(first, replace(first, mind=second) if second else None)

    def reporter_talk(self, report: Report, schema: dict[str, Any], schema_name: str) -> Talk:
        """Return the question to the reporter about a finished review; it has no tools."""
        wrap, verdict = self.briefing.fence.wrap, report.verdict
        shown = [redact_candidate(one, self.case.repository) for one in report.shown]
        found = [line for one in shown if (line := _outcome(one, is_blocking=one.id in verdict.blocking))]
        parts = [f"- {part.name}: {part.reason}" for part in report.incomplete]
        task = self.briefing.prompts.render(
            "reporter-task",
            title=wrap("title", self.case.change.title or NOTHING),
            goal=wrap("plan", (report.plan and report.plan.goal) or NOTHING),
            changed_files=wrap("changed_files", self.briefing.changed_files()),
            verdict=verdict.decision,
            counts=wrap("outcome", verdict.summary),
            findings=wrap("findings", "\n".join(found) or NOTHING),
            incomplete="# Not completed\n" + wrap("incomplete", "\n".join(parts)) if parts else "",
            too_long=self._too_long(shown),
        )
        return Talk(
            speaker="reporter",
            instructions=self.briefing.prompts.render("reporter", fence_rule=self.briefing.fence.rule),
            prefix="",
            task=task,
            schema=schema,
            schema_name=schema_name,
            max_turns=2,
        )

    def _too_long(self, shown: Sequence[Candidate]) -> str:
        """The findings whose words are to be made shorter."""
        texts = [
            f"[{one.id}]\ntitle: {one.finding.title}\nmessage: {one.finding.message}"
            for one in shown
            if one.finding and is_too_long(one)
        ]
        return "# Too long\n" + self.briefing.fence.wrap("long_texts", "\n\n".join(texts)) if texts else ""

    def _agent(
        self, lenses: tuple[str, ...], plan: Plan, chunk: Chunk, reported: tuple[Finding, ...] = ()
    ) -> ModelAgent:
        return ModelAgent(
            lenses=lenses,
            mind=self.panel.minds["specialist"],
            briefing=self.briefing,
            plan=plan,
            chunk=chunk,
            make_tools=lambda: self.panel.reading.tools(self.case),
            reported=self._shown(reported),
        )


def _looks_at(lens: str) -> str:
    subject = SUBJECTS.get(lens)
    return f"{lens} ({subject})" if subject else lens


def _outcome(candidate: Candidate, *, is_blocking: bool) -> str:
    """A shown finding in one line, with what it says is to be done."""
    finding = candidate.finding
    if finding is None:
        return ""
    blocks = " (must be fixed before merging)" if is_blocking else ""
    proposed = shorten(finding.suggestion or "", MAX_PROPOSED, placeholder=" …")
    return f"{lead_line(finding)}{blocks}" + (f". Proposed: {proposed}" if proposed else "")
