"""From the diagnostics of both sides to those that the change makes new."""

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence

from affidavit.diff.line_map import LineMap
from affidavit.ports import Repository, Tree
from affidavit.records.change import Change, FileChange
from affidavit.records.evidence import AnalyserDiagnostic

NUMBER = re.compile(r"\d+")
Key = Callable[[AnalyserDiagnostic], Hashable | None]


def new_diagnostics(
    base: Sequence[AnalyserDiagnostic],
    head: Sequence[AnalyserDiagnostic],
    change: Change,
    repository: Repository,
) -> list[AnalyserDiagnostic]:
    """The diagnostics of head that no diagnostic of base excuses; one of base excuses one of head."""
    places = _Places(change, repository)
    old, new = list(base), list(head)
    pairs: list[tuple[Key, Key]] = [
        (lambda d: (places.at_base(d), d.message), lambda d: ((d.path, d.rule, d.line, d.column), d.message)),
        (places.at_base, lambda d: (d.path, d.rule, d.line, d.column)),
        (places.same_text_at_base, lambda d: (d.path, *places.text_of(d, repository.base))),
        (places.head_hunk, places.base_hunk),
        (lambda d: places.text_of(d, repository.head), places.text_of_moved),
    ]
    for head_key, base_key in pairs:
        old, new = _unmatched(old, new, head_key, base_key)
    return new


def not_at_base(
    base: Sequence[AnalyserDiagnostic],
    head: Sequence[AnalyserDiagnostic],
    repository: Repository,
    identify: Callable[[AnalyserDiagnostic, Tree], Hashable],
) -> list[AnalyserDiagnostic]:
    """The diagnostics of head that speak of what no diagnostic of base speaks of, wherever it stood."""
    known = {identify(one, repository.base) for one in base}
    return [one for one in head if identify(one, repository.head) not in known]


def _unmatched(
    old: list[AnalyserDiagnostic], new: list[AnalyserDiagnostic], head_key: Key, base_key: Key
) -> tuple[list[AnalyserDiagnostic], list[AnalyserDiagnostic]]:
    if not old or not new:
        return old, new
    pool: dict[Hashable, list[int]] = defaultdict(list)
    for position, diagnostic in enumerate(old):
        key = base_key(diagnostic)
        if key is not None:
            pool[key].append(position)
    used: set[int] = set()
    left = []
    for diagnostic in new:
        key = head_key(diagnostic)
        candidates = pool.get(key) if key is not None else None
        if candidates:
            used.add(candidates.pop(0))
        else:
            left.append(diagnostic)
    return [diagnostic for position, diagnostic in enumerate(old) if position not in used], left


def _worded(diagnostic: AnalyserDiagnostic) -> tuple[str, str]:
    # Some messages name a line, which moves.
    return diagnostic.rule, NUMBER.sub("0", diagnostic.message)


class _Places:
    """Where a diagnostic of one side would stand on the other."""

    def __init__(self, change: Change, repository: Repository) -> None:
        self._repository = repository
        self._by_head = {file.head_path: file for file in change.files if file.head_path is not None}
        self._by_base = {file.base_path: file for file in change.files if file.base_path is not None}
        self._maps: dict[str, LineMap] = {}
        self._lines: dict[tuple[str, str], list[str]] = {}

    def at_base(self, diagnostic: AnalyserDiagnostic) -> Hashable | None:
        """Path, rule, line and column at base of a diagnostic of head; None on an added line."""
        file = self._by_head.get(diagnostic.path)
        if file is None:
            return diagnostic.path, diagnostic.rule, diagnostic.line, diagnostic.column
        path = file.base_path or file.old_path
        line = self._map(file).to_base(diagnostic.line)
        return None if path is None or line is None else (path, diagnostic.rule, line, diagnostic.column)

    def same_text_at_base(self, diagnostic: AnalyserDiagnostic) -> Hashable | None:
        """The file at base with rule, message and text of a diagnostic of head."""
        file = self._by_head.get(diagnostic.path)
        path = diagnostic.path if file is None else file.base_path or file.old_path
        return None if path is None else (path, *self.text_of(diagnostic, self._repository.head))

    def text_of(self, diagnostic: AnalyserDiagnostic, tree: Tree) -> tuple[str, str, str]:
        """Rule, message and the folded text of the line that a diagnostic stands on."""
        known = (tree.revision, diagnostic.path)
        if known not in self._lines:
            self._lines[known] = tree.lines(diagnostic.path) or []
        lines = self._lines[known]
        text = lines[diagnostic.line - 1] if 0 < diagnostic.line <= len(lines) else ""
        return *_worded(diagnostic), " ".join(text.split())

    def text_of_moved(self, diagnostic: AnalyserDiagnostic) -> Hashable | None:
        """The text of a diagnostic of base whose line the change took away."""
        file = self._by_base.get(diagnostic.path)
        if file is None or (file.head_path is not None and self._map(file).to_head(diagnostic.line)):
            return None
        return self.text_of(diagnostic, self._repository.base)

    def head_hunk(self, diagnostic: AnalyserDiagnostic) -> Hashable | None:
        """The hunk that a diagnostic of head stands in, with rule and message."""
        file = self._by_head.get(diagnostic.path)
        spans = ((hunk.new_start, hunk.new_count) for hunk in file.hunks) if file else ()
        return self._hunk(file, spans, diagnostic)

    def base_hunk(self, diagnostic: AnalyserDiagnostic) -> Hashable | None:
        """The hunk that a diagnostic of base stands in, with rule and message."""
        file = self._by_base.get(diagnostic.path)
        spans = ((hunk.old_start, hunk.old_count) for hunk in file.hunks) if file else ()
        return self._hunk(file, spans, diagnostic)

    def _hunk(
        self, file: FileChange | None, spans: Iterable[tuple[int, int]], diagnostic: AnalyserDiagnostic
    ) -> Hashable | None:
        for number, (start, count) in enumerate(spans):
            if file is not None and start <= diagnostic.line < start + count:
                return file.path, number, *_worded(diagnostic)
        return None

    def _map(self, file: FileChange) -> LineMap:
        if file.path not in self._maps:
            self._maps[file.path] = LineMap(file.hunks)
        return self._maps[file.path]
