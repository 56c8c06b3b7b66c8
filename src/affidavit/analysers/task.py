"""Describe one run of one analyser on one side: its input, the key of its cached result, its record."""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from affidavit.analysers.analyser import Analyser, Invocation
from affidavit.analysers.encoding import as_utf8
from affidavit.git.tree import own_content
from affidavit.ports import Tree
from affidavit.records.evidence import AnalyserDiagnostic, AnalyserRun, RunState, Unread
from affidavit.records.record import Side
from affidavit.system.private_files import write_private_file

FORMAT = 9
MAX_BYTES = 256 * 1024 * 1024


def cache_key(*parts: Any) -> str:
    """Hash everything that a result depends on."""
    text = json.dumps([FORMAT, *parts], sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Kept:
    """The cached part of a run: its diagnostics, and the files that it did not read."""

    diagnostics: Sequence[AnalyserDiagnostic]
    unread: Sequence[Unread] = ()


class ResultCache:
    """A private folder of results; None caches nothing. A broken file is a miss, a full disk is no error."""

    def __init__(self, folder: Path | None, *, max_bytes: int = MAX_BYTES) -> None:
        self._folder = None if folder is None else folder / "analysers"
        self._max_bytes = max_bytes

    def load(self, key: str) -> Kept | None:
        """Return the cached result, or None."""
        if self._folder is None:
            return None
        place = self._folder / f"{key}.json"
        try:
            stored = json.loads(place.read_bytes())
            found = Kept(
                [AnalyserDiagnostic.model_validate(row) for row in stored["diagnostics"]],
                [Unread.model_validate(row) for row in stored["unread"]],
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None
        with suppress(OSError):
            os.utime(place)
        return found

    def save(self, key: str, kept: Kept) -> None:
        """Cache a result atomically."""
        if self._folder is None:
            return
        rows, unread = (
            [one.model_dump(exclude_defaults=True) for one in several]
            for several in (kept.diagnostics, kept.unread)
        )
        text = json.dumps({"format": FORMAT, "diagnostics": rows, "unread": unread})
        with suppress(OSError):
            write_private_file(self._folder / f"{key}.json", text)
            self._trim(self._folder)

    def _trim(self, folder: Path) -> None:
        """Delete the least recently used results until the folder is small enough."""
        files = [(entry.stat(), Path(entry.path)) for entry in os.scandir(folder) if entry.is_file()]
        total = sum(stat.st_size for stat, _ in files)
        for stat, place in sorted(files, key=lambda file: file[0].st_mtime):
            if total <= self._max_bytes:
                return
            place.unlink(missing_ok=True)
            total -= stat.st_size


@dataclass(frozen=True)
class Program:
    """The program of an analyser."""

    path: Path
    version: str
    launcher: tuple[str, ...] = ()
    """The interpreter that a script is started with."""

    @property
    def command(self) -> tuple[str, ...]:
        """Return the command that starts it."""
        return (*self.launcher, str(self.path.resolve() if self.launcher else self.path))


@dataclass(frozen=True)
class SideResult:
    """The diagnostics of an analyser for one side, with the record of its run."""

    run: AnalyserRun
    diagnostics: tuple[AnalyserDiagnostic, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Return whether the absence of a diagnostic means something."""
        return self.run.state in ("completed", "nothing_to_do")


def laid_names(analyser: Analyser, paths: Sequence[str], trees: Sequence[Tree]) -> dict[str, str]:
    """Map the names of files in the checkout to their paths; `trees` are both sides."""
    if analyser.canary is not None:
        return {str(number): path for number, path in enumerate(paths)}
    aside = {path: name for path in paths if (name := analyser.name_aside(path, trees))}
    laid = {path: path for path in paths if path not in aside and analyser.name_for(path) in (path, None)}
    for path in paths:
        name = aside.get(path) or analyser.name_for(path) or path
        # If another file has that name, it keeps its own, and is reported as unread.
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
    """The names of the files in the checkout, and their paths."""
    rewritten: Mapping[str, bytes] = field(default_factory=dict)
    """Files with another content than in the tree."""

    def text_of(self, path: str) -> bytes:
        """Return a file as the analyser gets it."""
        instead = self.rewritten.get(path)
        return self.laid_out(path, (own_content(self.tree, path) or b"") if instead is None else instead)

    def laid_out(self, path: str, content: bytes) -> bytes:
        """Return the content of a file as the analyser gets it."""
        return self.analyser.disarm(as_utf8(path, content))

    def key(self) -> str:
        """Return the key of the cached result."""
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
        """Return the result with the record of the run."""
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
