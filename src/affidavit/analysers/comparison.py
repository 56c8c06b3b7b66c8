"""Compare the diagnostics of both sides, and return the new ones."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence

from affidavit.analysers.analyser import Analyser
from affidavit.analysers.rule import MERGE_CONFLICT
from affidavit.diff.hunks import LineMap
from affidavit.ports import Repository, Tree
from affidavit.records.change import Change, FileChange
from affidavit.records.evidence import AnalyserDiagnostic, AnalyserRun, Unread

NUMBER = re.compile(r"\d+")
Key = Callable[[AnalyserDiagnostic], Hashable | None]


def new_diagnostics(
    base: Sequence[AnalyserDiagnostic],
    head: Sequence[AnalyserDiagnostic],
    change: Change,
    repository: Repository,
) -> list[AnalyserDiagnostic]:
    """Return the diagnostics of head that match none of base; one of base matches one of head."""
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
    """Return the diagnostics of head about things that no diagnostic of base is about, at any place."""
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
    """Maps the place of a diagnostic to the other side."""

    def __init__(self, change: Change, repository: Repository) -> None:
        self._repository = repository
        self._by_head = {file.head_path: file for file in change.files if file.head_path is not None}
        self._by_base = {file.base_path: file for file in change.files if file.base_path is not None}
        self._maps: dict[str, LineMap] = {}
        self._lines: dict[tuple[str, str], list[str]] = {}

    def at_base(self, diagnostic: AnalyserDiagnostic) -> Hashable | None:
        """Return path, rule, line and column at base of a diagnostic of head; None on an added line."""
        file = self._by_head.get(diagnostic.path)
        if file is None:
            return diagnostic.path, diagnostic.rule, diagnostic.line, diagnostic.column
        path = file.base_path or file.old_path
        line = self._map(file).to_base(diagnostic.line)
        return None if path is None or line is None else (path, diagnostic.rule, line, diagnostic.column)

    def same_text_at_base(self, diagnostic: AnalyserDiagnostic) -> Hashable | None:
        """Return the file at base with rule, message and text of a diagnostic of head."""
        file = self._by_head.get(diagnostic.path)
        path = diagnostic.path if file is None else file.base_path or file.old_path
        return None if path is None else (path, *self.text_of(diagnostic, self._repository.head))

    def text_of(self, diagnostic: AnalyserDiagnostic, tree: Tree) -> tuple[str, str, str]:
        """Return rule, message and the folded text of the line of a diagnostic."""
        known = (tree.revision, diagnostic.path)
        if known not in self._lines:
            self._lines[known] = tree.lines(diagnostic.path) or []
        lines = self._lines[known]
        text = lines[diagnostic.line - 1] if 0 < diagnostic.line <= len(lines) else ""
        return *_worded(diagnostic), " ".join(text.split())

    def text_of_moved(self, diagnostic: AnalyserDiagnostic) -> Hashable | None:
        """Return the text of a diagnostic of base whose line the change removed."""
        file = self._by_base.get(diagnostic.path)
        if file is None or (file.head_path is not None and self._map(file).to_head(diagnostic.line)):
            return None
        return self.text_of(diagnostic, self._repository.base)

    def head_hunk(self, diagnostic: AnalyserDiagnostic) -> Hashable | None:
        """Return the hunk around a diagnostic of head, with rule and message."""
        file = self._by_head.get(diagnostic.path)
        spans = ((hunk.new_start, hunk.new_count) for hunk in file.hunks) if file else ()
        return self._hunk(file, spans, diagnostic)

    def base_hunk(self, diagnostic: AnalyserDiagnostic) -> Hashable | None:
        """Return the hunk around a diagnostic of base, with rule and message."""
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


OURS, BETWEEN, THEIRS = "<<<<<<<", "=======", ">>>>>>>"


def one_for_each_cause(
    analyser: Analyser, diagnostics: Sequence[AnalyserDiagnostic], tree: Tree
) -> list[AnalyserDiagnostic]:
    """Remove the diagnostics that only follow from others."""
    faults = [one for one in diagnostics if one.rule in analyser.syntax_rules]
    broken = {one.path for one in faults}
    firsts = [
        _named(analyser, min((one for one in faults if one.path == path), key=_place), tree)
        for path in sorted(broken)
    ]
    return [*firsts, *analyser.join([one for one in diagnostics if one.path not in broken])]


def _place(diagnostic: AnalyserDiagnostic) -> tuple[int, int]:
    return diagnostic.line, diagnostic.column or 0


def _named(analyser: Analyser, fault: AnalyserDiagnostic, tree: Tree) -> AnalyserDiagnostic:
    """Return the fault, or the merge conflict that causes it."""
    conflict = find_conflict(tree.lines(fault.path) or [])
    if conflict is None:
        return fault
    start, end = conflict
    return AnalyserDiagnostic(
        rule=f"{analyser.name}/{MERGE_CONFLICT}",
        message=f"There are merge conflict markers in lines {start} to {end}",
        path=fault.path,
        line=start,
        end_line=end,
    )


def find_conflict(lines: Sequence[str]) -> tuple[int, int] | None:
    """Return the first and last line of the first unresolved merge conflict; None if there is none."""
    start = None
    is_divided = False
    for number, line in enumerate(lines, start=1):
        mark = line.rstrip("\r").partition(" ")[0]
        if mark == OURS:
            start, is_divided = number, False
        elif mark == BETWEEN:
            is_divided = True
        elif mark == THEIRS and start is not None and is_divided:
            return start, number
    return None


def about_changed_files(run: AnalyserRun, change: Change) -> AnalyserRun:
    """Remove the files that the change does not touch from the record of a run."""
    paths = change.changed_files
    return run.model_copy(
        update={
            "read": tuple(path for path in run.read if path in paths),
            "unread": tuple(one for one in run.unread if one.path in paths),
        }
    )


def unparsed(run: AnalyserRun) -> set[str]:
    """Return the files that are not valid in their language."""
    return {one.path for one in run.unread if one.why == "unparsed"}


def unresolved(run: AnalyserRun) -> frozenset[str]:
    """Return the files whose imports the analyser lacks."""
    return frozenset(one.path for one in run.unread if one.why == "unresolved")


def unsure_about(
    diagnostic: AnalyserDiagnostic, file: FileChange, base: AnalyserRun, *, is_fault: bool
) -> str | None:
    """Return why it is unknown whether a diagnostic is new, if base does not parse."""
    if (file.old_path or file.path) not in unparsed(base):
        return None
    if is_fault:
        return "the file did not parse before the change either"
    lines = range(diagnostic.line, (diagnostic.end_line or diagnostic.line) + 1)
    if not set(file.changed_lines("head")).isdisjoint(lines):
        return None
    return "the file does not parse at base, so it is not known what was there before"


def name_dialects(
    head: AnalyserRun, base: AnalyserRun, change: Change, *, reported: Collection[str], has_rule: bool
) -> AnalyserRun:
    """Return the record of head with unparsed files marked as foreign if nothing is reported on them.

    An analyser with a rule for it would report any other file that does not parse. A file that it read at
    base does not become foreign because the change says so: it should have been read.
    """
    before = unparsed(base)

    def path_before(one: Unread) -> str:
        file = change.file_at(one.path)
        return one.path if file is None else file.old_path or file.path

    def is_foreign(one: Unread) -> bool:
        is_known = has_rule or path_before(one) in before
        return one.why == "unparsed" and one.path not in reported and is_known

    def named(one: Unread) -> Unread:
        if is_foreign(one):
            return one.model_copy(update={"why": "foreign"})
        is_disowned = one.why == "foreign" and path_before(one) in base.read
        return one.model_copy(update={"why": "left_out"}) if is_disowned else one

    return head.model_copy(update={"unread": tuple(map(named, head.unread))})
