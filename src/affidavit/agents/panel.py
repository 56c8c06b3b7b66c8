"""Put the models of a review to work on one change: plan, specialists, verifiers, report."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from textwrap import shorten
from typing import Any
from weakref import WeakKeyDictionary

from affidavit.agents.briefing import Briefing, lead_line
from affidavit.agents.chunks import shown_line_count
from affidavit.agents.joiner import ModelJoiner
from affidavit.agents.limits import LEVELS, OTHER_TOKENS, Level
from affidavit.agents.map_text import NOTHING
from affidavit.agents.model_agents import (
    LENSES,
    SECOND_LOOK,
    SHARED_LOOK_LINES,
    SUBJECTS,
    TRIAGE,
    ModelAgent,
    looks,
)
from affidavit.agents.verifier import ModelVerifier
from affidavit.context.gather import gather_context
from affidavit.diff.redacted import redact_candidate, redact_case
from affidavit.errors import InputError
from affidavit.git.blob_cache import BlobCache
from affidavit.git.objects import ObjectStore
from affidavit.git.repository import GitRepository
from affidavit.minds.fence import Fence, tag_of
from affidavit.ports import SPECIALISTS, Case, Mind, Role, Specialist, Talk, ToolSource, Tree, Verifiers
from affidavit.prompts import PromptSet, current_prompts
from affidavit.proof.rewording import is_too_long
from affidavit.proof.running.own_names import own_names
from affidavit.proof.running.runners import ProgramRunner
from affidavit.records.candidate import Candidate
from affidavit.records.context import ContextMap, Reference, Symbol
from affidavit.records.finding import Finding
from affidavit.records.plan import Chunk, Plan
from affidavit.records.report import ReplySummary, Report
from affidavit.records.settings_entries import Effort
from affidavit.redaction.text import redact_record
from affidavit.symbols.import_graph import import_graph
from affidavit.symbols.readers import CodeReaders, Imports
from affidavit.symbols.references import find_references
from affidavit.tools.arguments import JoinedTools
from affidavit.tools.checks import Checks
from affidavit.tools.dependencies import WithDependencies
from affidavit.tools.descriptions import DESCRIPTIONS
from affidavit.tools.installed_packages import find_packages
from affidavit.tools.language_server import ServerPool
from affidavit.tools.open_packages import OpenPackages
from affidavit.tools.programs import ProgramTools
from affidavit.tools.toolbox import Toolbox

MAX_PROPOSED = 300
"""Characters of a proposal that the reporter reads."""
TOOLS: Mapping[Role, tuple[str, ...]] = {
    "planner": ("get_file_context", "search"),
    "verifier": (
        "get_file_context",
        "search",
        "find_references",
        "find_definition",
        "compare_definition",
    ),
}
"""The tools of roles that need not explore a repository."""


def assemble_readers(cache: BlobCache | None = None) -> CodeReaders:
    """Return the readers of this installation; the imports of each blob are cached."""
    return CodeReaders(partial(import_graph, cache=cache), find_references)


def made_precise(readers: CodeReaders, servers: ServerPool) -> CodeReaders:
    """Return readers whose references are confirmed by language servers, which takes seconds."""

    def confirmed_references(
        symbols: Sequence[Symbol], tree: Tree, imports: Imports
    ) -> tuple[list[Reference], list[str]]:
        found, left_out = readers.find_references(symbols, tree, imports)
        confirmed, said = servers.confirm(found, symbols, tree)
        return confirmed, [*left_out, *said]

    return replace(readers, find_references=confirmed_references, resolve=servers.resolve)


@dataclass(frozen=True)
class Panel:
    """The models of a review, with the map, tools and packages that they read a change through.

    What it opens is closed with the repository of the change.
    """

    minds: Mapping[Role, Mind]
    cache_dir: Path | None = None
    prompts: PromptSet = field(default_factory=current_prompts)
    servers: ServerPool | None = None
    """Confirm what the tools find. The map does not use them, because everything would wait for it."""
    analysers_off: Collection[str] = ()
    environments: Sequence[Path] = ()
    """Folders with packages, besides those found automatically."""
    reads_dependencies: bool = True
    outside: ToolSource | None = None
    effort: Effort = "normal"
    _packages: WeakKeyDictionary[ObjectStore, OpenPackages] = field(default_factory=WeakKeyDictionary)

    @cached_property
    def _cache(self) -> BlobCache:
        return BlobCache(self.cache_dir)

    @cached_property
    def _readers(self) -> CodeReaders:
        return assemble_readers(self._cache)

    @property
    def level(self) -> Level:
        """Return what the effort asks for."""
        return LEVELS[self.effort]

    @property
    def models(self) -> dict[str, str]:
        """Map role to model."""
        return {role: mind.model for role, mind in self.minds.items()}

    @property
    def judging(self) -> list[Mind]:
        """Return the models that verify findings."""
        roles: tuple[Role, ...] = ("verifier", "second_verifier")
        return [self.minds[role] for role in roles if role in self.minds]

    def brief(self, case: Case, context: ContextMap | None = None) -> Briefing:
        """Redact a change and make its map, unless it is given; models see only what is in the briefing."""
        case = self.redact(case)
        fence = Fence(tag_of(case.change.base.tree, case.change.head.tree))
        return Briefing(case, fence, context or self.context(case), self.prompts)

    def redact(self, case: Case) -> Case:
        """Return the change as it may leave the machine."""
        _git(case).redact(self._cache)
        return redact_case(case)

    def context(self, case: Case) -> ContextMap:
        """Return the map; text from the history is redacted here."""
        context = gather_context(case.change, _git(case), self._readers)
        return context.model_copy(update={"origins": tuple(map(redact_record, context.origins))})

    def packages(self, case: Case) -> OpenPackages | None:
        """Return the packages of a change's repository; None if there are none, or they are not read."""
        if not self.reads_dependencies:
            return None
        repository = _git(case)
        store = repository.store
        if store not in self._packages:
            found = find_packages(
                repository.folder, repository.base, self.environments, is_tracked=repository.tracks
            )
            self._packages[store] = OpenPackages(found, self._cache)
            store.close_with(self._packages[store])
        opened = self._packages[store]
        return opened if opened.packages.by_name else None

    def tools(self, case: Case, role: Role = "specialist") -> ToolSource:
        """Return the tools of a role: all, few for the planner, analysers beside few for the verifier."""
        offered = self._offered(case, TOOLS.get(role, DESCRIPTIONS))
        if role != "verifier":
            return offered
        checks = Checks(case.repository, case.change, self.cache_dir, analysers_off=self.analysers_off)
        return JoinedTools(offered, checks)

    def _offered(self, case: Case, names: Collection[str]) -> ToolSource:
        readers = self._readers
        surer = made_precise(readers, self.servers) if self.servers else readers
        own: ToolSource = Toolbox(case.repository, case.change, surer, names, is_brief=True)
        if opened := self.packages(case):
            own = WithDependencies(own, opened, lambda package, change: Toolbox(package, change, readers))
        further: list[ToolSource] = [self.outside] if self.outside else []
        if case.runner:
            runners = [one.tests for one in case.languages] if case.languages else None
            further.insert(0, ProgramTools(case.runner, own_names(case.repository), runners))
        return JoinedTools(own, *further) if further else own

    def planner_talk(self, briefing: Briefing, rough: Plan, schema: dict[str, Any], schema_name: str) -> Talk:
        """Return the question to the planner, with the first chunk and the list of all files."""
        shown = rough.chunks[0] if rough.chunks else Chunk(number=1, paths=(), tokens=0)
        return Talk(
            speaker="planner",
            instructions=briefing.prompts.render(
                "planner",
                fence_rule=briefing.fence.rule,
                specialists="; ".join(map(_looks_at, dict.fromkeys([*LENSES, *rough.questions]))),
            ),
            # As one chunk: the planner reads the comments on all of them.
            prefix=briefing.planner_text(shown, rough.model_copy(update={"chunks": ()})),
            task="Plan the review of this change.",
            schema=schema,
            schema_name=schema_name,
            tools=self.tools(briefing.case, "planner"),
            max_turns=self.level.planner_rounds,
            max_tokens=OTHER_TOKENS,
        )

    def agents(self, briefing: Briefing, plan: Plan) -> list[Specialist]:
        """Return a specialist for each look of the plan and each chunk, and for the comments of others."""
        lenses = [lens for lens in plan.questions if lens != TRIAGE]
        agents: list[Specialist] = [
            self._agent(briefing, together, plan, chunk, number=number)
            for number, together in enumerate(
                looks(lenses, shown_line_count(briefing.case.change, plan.chunks), self.level)
            )
            for chunk in plan.chunks
        ]
        return agents + (self._triage(briefing, plan) if TRIAGE in plan.questions else [])

    def _triage(self, briefing: Briefing, plan: Plan) -> list[Specialist]:
        """Return the agents that check existing comments, one per page, with the diff of the comments."""
        chunks = plan.chunks or (Chunk(number=1, paths=(), tokens=0),)
        return [
            replace(self._agent(briefing, (TRIAGE,), plan, chunk), page=page, page_number=number)
            for chunk in chunks
            for number, page in enumerate(briefing.comment_pages(chunk, plan), start=1)
        ]

    def second_look(
        self, briefing: Briefing, plan: Plan, reported: Sequence[Finding], replies: Sequence[ReplySummary]
    ) -> list[Specialist]:
        """Return specialists, of the last model, for what no finding is about; none if all saw it whole."""
        # Up to this size one conversation uses several lenses, and each sees the whole change.
        is_small = shown_line_count(briefing.case.change, plan.chunks) <= SHARED_LOOK_LINES
        if self.level.is_together or (is_small and not self.level.is_apart):
            return []
        said = tuple(f"{one.specialist}: {one.summary}" for one in replies if one.summary)
        read = frozenset(path for one in replies for path in one.files_read or ())
        agents = [
            self._agent(briefing, (SECOND_LOOK,), plan, chunk, reported, number=-1) for chunk in plan.chunks
        ]
        looking = [replace(agent, in_order=said, opened=read) for agent in agents]
        return [agent for agent in looking if agent.uncovered()]

    def joiner(self, briefing: Briefing, plan: Plan) -> ModelJoiner | None:
        """Return the joiner; None if no model has that role."""
        mind = self.minds.get("joiner")
        return ModelJoiner(mind, briefing, plan, briefing.case.emit) if mind else None

    def verifier(self, briefing: Briefing, plan: Plan) -> ModelVerifier:
        """Return the verifier of findings; it has not seen the specialists' work."""
        runner = briefing.case.runner
        # Runs of verifiers are recorded apart from those of others.
        runs = ProgramRunner(runner.name, runner.languages, runner) if runner else None
        # Made once, so that conversations share the results of checks.
        tools = self.tools(replace(briefing.case, runner=runs), "verifier")
        return ModelVerifier(
            mind=self.minds["verifier"],
            briefing=briefing,
            plan=plan,
            tools=lambda: tools,
            emit=briefing.case.emit,
            runs=runs,
        )

    def verifiers(self, briefing: Briefing, plan: Plan) -> Verifiers:
        """Return the verifier and, if one is named, the second verifier; they share turns."""
        first, second = self.verifier(briefing, plan), self.minds.get("second_verifier")
        return Verifiers(first, replace(first, mind=second) if second else None)

    def reporter_talk(
        self, briefing: Briefing, report: Report, schema: dict[str, Any], schema_name: str
    ) -> Talk:
        """Return the question to the reporter about a finished review; it has no tools."""
        wrap, verdict = briefing.fence.wrap, report.verdict
        shown = [redact_candidate(one, briefing.case.repository) for one in report.shown]
        found = [_outcome(one, is_blocking=one.id in verdict.blocking) for one in shown]
        parts = [f"- {part.name}: {part.reason}" for part in report.incomplete]
        task = briefing.prompts.render(
            "reporter-task",
            title=wrap("title", briefing.case.change.title or NOTHING),
            goal=wrap("plan", (report.plan and report.plan.goal) or NOTHING),
            changed_files=wrap("changed_files", briefing.changed_files()),
            verdict=verdict.decision,
            counts=wrap("outcome", verdict.summary),
            findings=wrap("findings", "\n".join(found) or NOTHING),
            incomplete="# Not completed\n" + wrap("incomplete", "\n".join(parts)) if parts else "",
        )
        return Talk(
            speaker="reporter",
            instructions=briefing.prompts.render("reporter", fence_rule=briefing.fence.rule),
            prefix="",
            task=task,
            schema=schema,
            schema_name=schema_name,
            max_turns=2,
        )

    def _agent(
        self,
        briefing: Briefing,
        lenses: tuple[str, ...],
        plan: Plan,
        chunk: Chunk,
        reported: Sequence[Finding] = (),
        *,
        number: int = 0,
    ) -> ModelAgent:
        minds = [self.minds[role] for role in SPECIALISTS if role in self.minds]
        return ModelAgent(
            lenses=lenses,
            # The same change is spread in the same way each time.
            mind=minds[number % len(minds)],
            briefing=briefing,
            plan=plan,
            chunk=chunk,
            make_tools=lambda: self.tools(briefing.case),
            level=self.level,
            reported=briefing.redacted(reported),
        )


def _looks_at(lens: str) -> str:
    subject = SUBJECTS.get(lens)
    return f"{lens} ({subject})" if subject else lens


def _outcome(candidate: Candidate, *, is_blocking: bool) -> str:
    """Write a shown finding: its place, title, message and proposal."""
    finding = candidate.claim
    marks = " (must be fixed before merging)" if is_blocking else ""
    marks += " (too long)" if is_too_long(candidate) else ""
    proposed = shorten(finding.suggestion or "", MAX_PROPOSED, placeholder=" …")
    lines = [f"{lead_line(finding)} [{candidate.id}]{marks}", f"  {finding.message}"]
    return "\n".join([*lines, f"  Proposed: {proposed}"] if proposed else lines)


def _git(case: Case) -> GitRepository:
    if not isinstance(case.repository, GitRepository):
        raise InputError("the map of a change needs a git repository")
    return case.repository
