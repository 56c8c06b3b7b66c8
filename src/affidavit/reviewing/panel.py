"""Put the models of a review together: their tools, their map, and the connections to them."""

import os
from collections.abc import Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from affidavit.config.settings import Settings
from affidavit.context.gather import gather_context
from affidavit.dependencies.found import find_packages
from affidavit.dependencies.open_packages import OpenPackages
from affidavit.diff.redacted import as_it_leaves
from affidavit.errors import InputError
from affidavit.git.blob_cache import BlobCache
from affidavit.git.objects import ObjectStore
from affidavit.git.repository import GitRepository
from affidavit.minds.conversation_log import ConversationLog
from affidavit.minds.fence import EXPLANATION, fence, tag_of
from affidavit.minds.roles import kept_open, minds_from
from affidavit.ports import Case, Mind, Role, ToolSource, Tree
from affidavit.prompts import PromptSet, current_prompts
from affidavit.proof.running.own_names import own_names
from affidavit.records.change import Change
from affidavit.records.context import ContextMap, Reference, Symbol
from affidavit.redaction.text import redact_record
from affidavit.reviewing.hold import named_compiler
from affidavit.reviewing.models import ledger_of, models_of, opened_log
from affidavit.reviewing.options import ReviewOptions
from affidavit.reviewing.running import environments_for
from affidavit.specialists.agents.panel import Panel
from affidavit.stages.intake import OpenedChange
from affidavit.symbols.changed import symbol_changes
from affidavit.symbols.definitions import symbols_of
from affidavit.symbols.import_graph import import_graph
from affidavit.symbols.readers import CodeReaders, Imports
from affidavit.symbols.references import find_references
from affidavit.tools.checks import Checks, JoinedTools
from affidavit.tools.dependencies import WithDependencies
from affidavit.tools.descriptions import BriefTools
from affidavit.tools.language_server import TSC, ServerPool, find_servers
from affidavit.tools.outside import OutsideTools
from affidavit.tools.outside_connection import NamedServer, ServerConnection, read_servers
from affidavit.tools.programs import ProgramTools
from affidavit.tools.toolbox import Toolbox

Result = TypeVar("Result")
VERIFIER_TOOLS = (
    "get_file_context",
    "search",
    "find_references",
    "find_definition",
    "compare_definition",
)
"""Of those that read: who judges one finding need not find its way through a repository."""
PLANNER_TOOLS = ("get_file_context", "search")
"""Who plans has the change before it, and looks for its purpose, not for problems."""


def chosen_panel(
    opened: OpenedChange,
    settings: Settings,
    options: ReviewOptions,
    cache: Path | None,
    prompts: PromptSet,
    minds: Mapping[Role, Mind] | None = None,
    log: ConversationLog | None = None,
) -> Panel:
    """The panel of a review in which models look: those of the options, unless they are made already."""
    log = log or opened_log(options)
    if minds is None:
        minds = minds_from(models_of(settings, options), ledger=ledger_of(settings), log=log)
    servers = server_pool(settings, opened.repository.folder)
    return assemble_panel(
        minds,
        cache,
        prompts,
        analysers_off=settings.analysers_off,
        servers=servers,
        reads_dependencies=options.dependencies,
        environments=environments_for(opened.repository, options),
        outside=_outside_tools(opened, options, log),
    )


def named_servers(opened: OpenedChange, options: ReviewOptions) -> tuple[NamedServer, ...]:
    """The servers whose tools models may call: named by the user alone, never by a file of the repository."""
    path = options.mcp_servers
    return read_servers(path, opened.repository.folder, os.environ) if path else ()


def _outside_tools(opened: OpenedChange, options: ReviewOptions, log: ConversationLog) -> OutsideTools | None:
    servers = named_servers(opened, options)
    if not servers:
        return None
    tools = OutsideTools([ServerConnection(one) for one in servers], log)
    # They are left when the change is closed.
    opened.repository.store.close_with(tools)
    return tools


async def connected(panel: Panel, reviewing: Coroutine[Any, Any, Result]) -> Result:
    """Keep the connections to the models open for the whole review."""
    async with kept_open(panel.minds.values()):
        return await reviewing


def server_pool(settings: Settings, reviewed_folder: Path | None) -> ServerPool | None:
    """The servers to ask; None unless the user wants them."""
    compiler = named_compiler(settings, reviewed_folder)
    if not settings.language_servers:
        return None
    named = {TSC.name: compiler} if compiler else {}
    return ServerPool(find_servers(reviewed_folder=reviewed_folder, programs=named))


@dataclass(frozen=True)
class TaggedFence:
    """The fence of one review; its tag comes from the change, so that recorded runs stay valid."""

    tag: str
    rule: str = EXPLANATION

    def wrap(self, label: str, text: str) -> str:
        """The text inside marks that it cannot close."""
        return fence(label, text, self.tag)


def assemble_panel(
    minds: Mapping[Role, Mind],
    cache_dir: Path | None,
    prompts: PromptSet | None = None,
    *,
    analysers_off: Collection[str] = (),
    servers: ServerPool | None = None,
    environments: Sequence[Path] = (),
    reads_dependencies: bool = True,
    outside: ToolSource | None = None,
) -> Panel:
    """The panel that reads through this installation's map and tools.

    Servers make what the tools find surer. The map does without: everybody would wait for it. Environments
    are folders with packages, beside those that are found by themselves.
    """

    cache = BlobCache(cache_dir)
    readers = assemble_readers(cache if cache_dir else None)
    reading = PanelReading(
        cache=cache,
        cache_dir=cache_dir,
        readers=readers,
        surer=made_precise(readers, servers) if servers is not None else readers,
        analysers_off=analysers_off,
        environments=environments,
        reads_dependencies=reads_dependencies,
        outside=outside,
    )
    return Panel(minds, reading, prompts or current_prompts())


def assemble_readers(cache: BlobCache | None = None) -> CodeReaders:
    """Return the readers of this installation; the imports of each blob are cached."""

    def read_imports(tree: Tree) -> Imports:
        return import_graph(tree, cache=cache)

    return CodeReaders(
        read_imports=read_imports,
        symbols_of=symbols_of,
        changed_symbols=symbol_changes,
        find_references=find_references,
    )


def made_precise(readers: CodeReaders, servers: ServerPool) -> CodeReaders:
    """The same readers, with somebody who makes references surer and takes seconds for it."""

    def confirmed_references(
        symbols: Sequence[Symbol], tree: Tree, imports: Imports
    ) -> tuple[list[Reference], list[str]]:
        found, left_out = readers.find_references(symbols, tree, imports)
        confirmed, said = servers.confirm(found, symbols, tree)
        return confirmed, [*left_out, *said]

    return replace(readers, find_references=confirmed_references, resolve=servers.resolve)


@dataclass(frozen=True)
class PanelReading:
    """One installation's way to read changes; what it opens is closed with the repository of the change."""

    cache: BlobCache
    cache_dir: Path | None
    readers: CodeReaders
    surer: CodeReaders
    """For the tools; the map does without, because everybody would wait for it."""
    analysers_off: Collection[str] = ()
    environments: Sequence[Path] = ()
    reads_dependencies: bool = True
    outside: ToolSource | None = None
    _packages: WeakKeyDictionary[ObjectStore, OpenPackages] = field(default_factory=WeakKeyDictionary)

    def context(self, case: Case) -> ContextMap:
        """The map; history is the commits' own, and what people wrote there is redacted here."""
        context = gather_context(case.change, _git(case), self.readers)
        return context.model_copy(update={"origins": tuple(map(redact_record, context.origins))})

    def packages(self, case: Case) -> OpenPackages | None:
        """The packages of a change's repository; None where there are none, or they are not to be read."""
        if not self.reads_dependencies:
            return None
        repository = _git(case)
        store = repository.store
        if store not in self._packages:
            found = find_packages(
                repository.folder, repository.base, self.environments, is_tracked=repository.tracks
            )
            self._packages[store] = OpenPackages(found, self.cache)
            store.close_with(self._packages[store])
        opened = self._packages[store]
        return opened if opened.packages.by_name else None

    def tools(self, case: Case, role: Role = "specialist") -> ToolSource:
        """Return the tools of a role: all, few for the planner, analysers beside few for the verifier."""
        if role == "planner":
            return self._offered(case, PLANNER_TOOLS)
        if role != "verifier":
            return self._offered(case, None)
        checks = Checks(case.repository, case.change, self.cache_dir, analysers_off=self.analysers_off)
        return JoinedTools(self._offered(case, VERIFIER_TOOLS), BriefTools(checks))

    def fence(self, change: Change) -> TaggedFence:
        return TaggedFence(tag_of(change.base.tree, change.head.tree))

    def redact(self, case: Case) -> Case:
        """The change as it may leave the machine."""
        _git(case).redact(self.cache)
        return as_it_leaves(case)

    def _offered(self, case: Case, names: Collection[str] | None) -> ToolSource:
        own: ToolSource = BriefTools(Toolbox(case.repository, case.change, self.surer), names)
        opened = self.packages(case)
        if opened:
            readers = self.readers
            own = WithDependencies(own, opened, lambda package, change: Toolbox(package, change, readers))
        further: list[ToolSource] = (
            [ProgramTools(case.runner, own_names(case.repository))] if case.runner else []
        )
        further += [self.outside] if self.outside else []
        return JoinedTools(own, *further) if further else own


def _git(case: Case) -> GitRepository:
    if not isinstance(case.repository, GitRepository):
        raise InputError("the map of a change needs a git repository")
    return case.repository
