"""Put a review together: the crew that needs no model, the panel of models, the readers of code."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from affidavit.analysers.examine import mechanical_specialists
from affidavit.analysers.execution import find_executable
from affidavit.analysers.tsc import TSC
from affidavit.analysers.user_linters import UnallowedLinters, user_linters
from affidavit.config.settings import ENVIRONMENT_PREFIX, Settings
from affidavit.errors import SettingsError
from affidavit.git.blob_cache import BlobCache
from affidavit.minds.fence import EXPLANATION, fence, tag_of
from affidavit.ports import Mind, Repository, Role, Specialist, ToolSource, Tree
from affidavit.prompts import PromptSet, current_prompts
from affidavit.records.change import Change
from affidavit.records.context import Reference, Symbol, SymbolChange
from affidavit.specialists.agents.panel import Panel
from affidavit.specialists.broken_references.specialist import BrokenReferences
from affidavit.specialists.rulebook import why_rules_are_off
from affidavit.stages.looking.review import Crew
from affidavit.symbols.changed import symbol_changes
from affidavit.symbols.definitions import symbols_of
from affidavit.symbols.import_graph import import_graph
from affidavit.symbols.readers import CodeReaders, Imports, Resolution
from affidavit.symbols.references import find_references


def assemble_crew(settings: Settings, cache_dir: Path | None) -> Crew:
    """Everybody who can look at a change under these settings."""
    why_off = why_rules_are_off(settings)
    compiler = named_compiler(settings, None)
    disabled = frozenset(settings.analysers_off)
    linters = user_linters(linter for linter in settings.linters if linter.name not in disabled)
    specialists: list[Specialist] = [
        *mechanical_specialists(
            cache_dir=cache_dir,
            timeout_seconds=settings.analyser_timeout_seconds,
            disabled=disabled,
            why_off=why_off,
            linters=linters if settings.allow_linters else (),
            programs={TSC.name: str(compiler)} if compiler else {},
        )
    ]
    if linters and not settings.allow_linters:
        specialists.append(UnallowedLinters(linters))
    if BrokenReferences.name not in disabled:
        specialists.append(BrokenReferences(cache_dir=cache_dir, why_off=why_off))
    return Crew(specialists)


def named_compiler(settings: Settings, reviewed_folder: Path | None) -> Path | None:
    """Return the tsc that the user names, if any; raise SettingsError for one that cannot be used."""
    program = settings.typescript_server
    found = find_executable(program, reviewed_folder=reviewed_folder) if program else None
    if program and found is None:
        raise SettingsError(
            f"{program} cannot be used as tsc. Give --typescript-server or "
            f"{ENVIRONMENT_PREFIX}TYPESCRIPT_SERVER the absolute path of a program outside the reviewed "
            "repository, or a name on PATH."
        )
    return found


@dataclass(frozen=True)
class TaggedFence:
    """The fence of one review; its tag comes from the change, so that recorded runs stay valid."""

    tag: str
    rule: str = EXPLANATION

    def wrap(self, label: str, text: str) -> str:
        """The text inside marks that it cannot close."""
        return fence(label, text, self.tag)


class Confirming(Protocol):
    """Who makes references surer, such as language servers, and says what it could not do."""

    def confirm(
        self, references: Sequence[Reference], symbols: Sequence[Symbol], tree: Tree
    ) -> tuple[list[Reference], list[str]]: ...

    def resolve(self, tree: Tree, path: str, line: int, name: str) -> Resolution | None: ...


def assemble_panel(
    minds: Mapping[Role, Mind],
    cache_dir: Path | None,
    prompts: PromptSet | None = None,
    *,
    analysers_off: Collection[str] = (),
    servers: Confirming | None = None,
    environments: Sequence[Path] = (),
    reads_dependencies: bool = True,
    outside: ToolSource | None = None,
) -> Panel:
    """The panel that reads through this installation's map and tools.

    Servers make what the tools find surer. The map does without: everybody would wait for it. Environments
    are folders with packages, beside those that are found by themselves.
    """
    # A review without a model does not pay for the map and the tools.
    from affidavit.panel_reading import PanelReading  # noqa: PLC0415

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
    return Panel(
        minds,
        reading.read_context,
        reading.make_tools,
        lambda change: TaggedFence(tag_of(change.base.tree, change.head.tree)),
        prompts or current_prompts(),
        reading.make_verifier_tools,
        reading.redact,
        reading.make_planner_tools,
        reading.opened_packages,
    )


def assemble_readers(cache: BlobCache | None = None) -> CodeReaders:
    """The readers that this installation has; what they extract from a blob is kept in the cache."""

    def read_imports(tree: Tree) -> Imports:
        return import_graph(tree, cache=cache)

    def read_symbols(tree: Tree, path: str) -> list[Symbol]:
        return symbols_of(tree, path, cache=cache)

    def compare_symbols(change: Change, repository: Repository) -> list[SymbolChange]:
        return symbol_changes(change, repository, cache=cache)

    def search_references(
        symbols: Sequence[Symbol], tree: Tree, imports: Imports
    ) -> tuple[list[Reference], list[str]]:
        return find_references(symbols, tree, imports, cache=cache)

    return CodeReaders(
        read_imports=read_imports,
        symbols_of=read_symbols,
        changed_symbols=compare_symbols,
        find_references=search_references,
    )


def made_precise(readers: CodeReaders, servers: Confirming) -> CodeReaders:
    """The same readers, with somebody who makes references surer and takes seconds for it."""

    def confirmed_references(
        symbols: Sequence[Symbol], tree: Tree, imports: Imports
    ) -> tuple[list[Reference], list[str]]:
        found, left_out = readers.find_references(symbols, tree, imports)
        confirmed, said = servers.confirm(found, symbols, tree)
        return confirmed, [*left_out, *said]

    return replace(readers, find_references=confirmed_references, resolve=servers.resolve)
