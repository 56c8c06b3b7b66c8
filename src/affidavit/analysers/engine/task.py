"""One run of one analyser on one side: what it gets, the key of its result, and the record of how it went."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from affidavit.analysers.analyser import Analyser, Invocation
from affidavit.analysers.engine.cache import cache_key
from affidavit.analysers.engine.encoding import as_utf8
from affidavit.git.tree import own_content
from affidavit.ports import Tree
from affidavit.records.evidence import AnalyserDiagnostic, AnalyserRun, RunState, Unread
from affidavit.records.record import Side


@dataclass(frozen=True)
class Program:
    """An analyser that was found here."""

    path: Path
    version: str
    launcher: tuple[str, ...] = ()
    """The interpreter that a script is started with."""

    @property
    def command(self) -> tuple[str, ...]:
        """The words that start it."""
        return (*self.launcher, str(self.path.resolve() if self.launcher else self.path))


@dataclass(frozen=True)
class SideResult:
    """What an analyser found on one side, and how it went."""

    run: AnalyserRun
    diagnostics: tuple[AnalyserDiagnostic, ...] = ()

    @property
    def is_complete(self) -> bool:
        """The absence of a diagnostic means something."""
        return self.run.state in ("completed", "nothing_to_do")


def laid_names(analyser: Analyser, paths: Sequence[str], trees: Sequence[Tree]) -> dict[str, str]:
    """The names that files have in a checkout for an analyser, and their paths; `trees` are both sides."""
    if analyser.canary is not None:
        return {str(number): path for number, path in enumerate(paths)}
    aside = {path: name for path in paths if (name := analyser.name_aside(path, trees))}
    laid = {path: path for path in paths if path not in aside and analyser.name_for(path) in (path, None)}
    for path in paths:
        name = aside.get(path) or analyser.name_for(path) or path
        # Beside a file that has that name already it keeps its own, and is seen not to be read.
        laid.setdefault(path if name in laid else name, path)
    return dict(sorted(laid.items(), key=lambda pair: pair[1]))


@dataclass(frozen=True)
class Task:
    """One run of one analyser on one side."""

    analyser: Analyser
    program: Program
    tree: Tree
    side: Side
    paths: tuple[str, ...]
    invocation: Invocation
    laid: Mapping[str, str]
    """The names that the files have in the checkout, and their paths."""
    rewritten: Mapping[str, bytes] = field(default_factory=dict)
    """Files that are laid out otherwise than the tree has them."""

    def text_of(self, path: str) -> bytes:
        """A file as it is laid out."""
        instead = self.rewritten.get(path)
        return self.laid_out(path, (own_content(self.tree, path) or b"") if instead is None else instead)

    def laid_out(self, path: str, content: bytes) -> bytes:
        """The content of a file as the analyser gets it."""
        return self.analyser.disarm(as_utf8(path, content))

    def key(self) -> str:
        """Everything that the result depends on."""
        entries = self.tree.entries()
        laid = {
            **self.invocation.files,
            **{f"../{name}": text for name, text in self.invocation.outside.items()},
        }
        return cache_key(
            self.analyser.name,
            self.program.version or str(self.program.path),
            self.invocation.arguments,
            {name: text.hex() for name, text in laid.items()},
            [(path, entries[path].blob) for path in self.paths],
            {name: path for name, path in self.laid.items() if name != path},
            {path: text.hex() for path, text in self.rewritten.items()},
            dict(self.invocation.environment),
        )

    def result(
        self,
        state: RunState,
        diagnostics: Sequence[AnalyserDiagnostic] = (),
        *,
        detail: str = "",
        duration_ms: int = 0,
        is_cached: bool = False,
        refused: Sequence[str] = (),
        unread: Sequence[Unread] = (),
    ) -> SideResult:
        """The result with the record of the run."""
        missed = {*refused, *(one.path for one in unread)}
        read = tuple(path for path in self.paths if path not in missed) if state == "completed" else ()
        run = AnalyserRun(
            analyser=self.analyser.name,
            version=self.program.version,
            side=self.side,
            tree=self.tree.revision,
            state=state,
            command=(self.analyser.executable, *self.invocation.arguments),
            files=len(self.paths),
            diagnostics=len(diagnostics),
            duration_ms=duration_ms,
            is_cached=is_cached,
            detail=detail,
            refused=tuple(refused),
            read=read,
            unread=tuple(unread),
            looks_for=self.analyser.looks_for,
        )
        return SideResult(run, tuple(diagnostics))
