"""What the models of a panel read through: the map of a change, tools for each role, sources of packages."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from weakref import WeakKeyDictionary

from affidavit.context.gather import gather_context
from affidavit.dependencies.found import find_packages
from affidavit.dependencies.open_packages import OpenPackages
from affidavit.diff.redacted import as_it_leaves
from affidavit.errors import InputError
from affidavit.git.blob_cache import BlobCache
from affidavit.git.objects import ObjectStore
from affidavit.git.repository import GitRepository
from affidavit.ports import Case, ToolSource
from affidavit.proof.running.own_names import own_names
from affidavit.records.context import ContextMap
from affidavit.redaction.text import redact_record
from affidavit.symbols.readers import CodeReaders
from affidavit.tools.checks import Checks, JoinedTools
from affidavit.tools.dependencies import WithDependencies
from affidavit.tools.descriptions import BriefTools
from affidavit.tools.programs import ProgramTools
from affidavit.tools.toolbox import Toolbox

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

    def read_context(self, case: Case) -> ContextMap:
        """The map; history is the commits' own, and what people wrote there is redacted here."""
        context = gather_context(case.change, _git(case), self.readers)
        return context.model_copy(update={"origins": tuple(map(redact_record, context.origins))})

    def opened_packages(self, case: Case) -> OpenPackages | None:
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

    def make_tools(self, case: Case) -> ToolSource:
        """For specialists: everything."""
        return self._offered(case, None)

    def make_planner_tools(self, case: Case) -> ToolSource:
        """For the planner."""
        return self._offered(case, PLANNER_TOOLS)

    def make_verifier_tools(self, case: Case) -> ToolSource:
        """For verifiers: with the analysers beside what reads."""
        checks = Checks(case.repository, case.change, self.cache_dir, analysers_off=self.analysers_off)
        return JoinedTools(self._offered(case, VERIFIER_TOOLS), BriefTools(checks))

    def redact(self, case: Case) -> Case:
        """The change as it may leave the machine."""
        _git(case).redact(self.cache)
        return as_it_leaves(case)

    def _offered(self, case: Case, names: Collection[str] | None) -> ToolSource:
        own: ToolSource = BriefTools(Toolbox(case.repository, case.change, self.surer), names)
        opened = self.opened_packages(case)
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
