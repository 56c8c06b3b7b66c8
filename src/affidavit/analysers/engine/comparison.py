"""Compare the diagnostics of both sides, and return the new ones."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Sequence
from functools import cache, partial

from affidavit.analysers.engine.analyser import Analyser
from affidavit.analysers.engine.rule import MERGE_CONFLICT
from affidavit.diff.hunks import LineMap
from affidavit.ports import Repository, Tree
from affidavit.records.change import Change
from affidavit.records.evidence import AnalyserDiagnostic, AnalyserRun, Unread
from affidavit.records.record import Side

NUMBER = re.compile(r"\d+")
Key = Callable[[AnalyserDiagnostic], Hashable]


def new_diagnostics(
    base: Sequence[AnalyserDiagnostic],
    head: Sequence[AnalyserDiagnostic],
    change: Change,
    repository: Repository,
) -> list[AnalyserDiagnostic]:
    """Return the diagnostics of head that match none of base; one of base matches one of head."""
    before, after = _Side("base", change, repository), _Side("head", change, repository)
    old, new = list(base), list(head)
    for key in (_Side.place_and_message, _Side.place, _Side.text_in_file, _Side.hunk, _Side.moved_text):
        old, new = _unmatched(old, new, partial(key, before), partial(key, after))
    return new


def not_at_base(
    base: Sequence[AnalyserDiagnostic],
    head: Sequence[AnalyserDiagnostic],
    repository: Repository,
    identify: Callable[[AnalyserDiagnostic, Tree], Hashable],
) -> list[AnalyserDiagnostic]:
    """Return the diagnostics of head whose subject no diagnostic of base has, at any place."""
    known = {identify(one, repository.base) for one in base}
    return [one for one in head if identify(one, repository.head) not in known]


def _unmatched(
    old: list[AnalyserDiagnostic], new: list[AnalyserDiagnostic], old_key: Key, new_key: Key
) -> tuple[list[AnalyserDiagnostic], list[AnalyserDiagnostic]]:
    """Return the diagnostics without a partner of the same key; None is no key."""
    if not old or not new:
        return old, new
    pool: dict[Hashable, list[int]] = defaultdict(list)
    for number, one in enumerate(old):
        pool[old_key(one)].append(number)
    pool.pop(None, None)
    used: set[int] = set()
    left = []
    for one in new:
        if same := pool.get(new_key(one)):
            used.add(same.pop(0))
        else:
            left.append(one)
    return [one for number, one in enumerate(old) if number not in used], left


class _Side:
    """Gives the diagnostics of one side the keys by which they are matched with those of the other."""

    def __init__(self, side: Side, change: Change, repository: Repository) -> None:
        tree = repository.side(side)
        self._is_head = side == "head"
        self._files = {file.path_at(side): file for file in change.files}
        self._map = cache(lambda path: LineMap(self._files[path].hunks))
        self._lines = cache(lambda path: tree.lines(path) or [])

    def place_and_message(self, one: AnalyserDiagnostic) -> Hashable:
        """Return the place at base with the message."""
        return self.place(one), one.message

    def place(self, one: AnalyserDiagnostic) -> Hashable:
        """Return the place at base with the rule; None on an added line."""
        path, line = self._path_at_base(one), self._line_opposite(one) if self._is_head else one.line
        return None if path is None or line is None else (path, one.rule, line, one.column)

    def text_in_file(self, one: AnalyserDiagnostic) -> Hashable:
        """Return the file at base with rule, message and text."""
        path = self._path_at_base(one)
        return None if path is None else (path, *self._text(one))

    def hunk(self, one: AnalyserDiagnostic) -> Hashable:
        """Return the hunk around the place with rule and message."""
        file = self._files.get(one.path)
        for number, hunk in enumerate(file.hunks if file else ()):
            start = hunk.new_start if self._is_head else hunk.old_start
            count = hunk.new_count if self._is_head else hunk.old_count
            if file is not None and start <= one.line < start + count:
                return file.path, number, *_worded(one)
        return None

    def moved_text(self, one: AnalyserDiagnostic) -> Hashable:
        """Return rule, message and text, at base only of lines that the change removed."""
        file = self._files.get(one.path)
        is_gone = file is not None and (file.head_path is None or self._line_opposite(one) is None)
        return self._text(one) if self._is_head or is_gone else None

    def _path_at_base(self, one: AnalyserDiagnostic) -> str | None:
        file = self._files.get(one.path) if self._is_head else None
        return one.path if file is None else file.base_path or file.old_path

    def _line_opposite(self, one: AnalyserDiagnostic) -> int | None:
        if one.path not in self._files:
            return one.line
        lines = self._map(one.path)
        return lines.to_base(one.line) if self._is_head else lines.to_head(one.line)

    def _text(self, one: AnalyserDiagnostic) -> tuple[str, str, str]:
        """Return rule, message and the folded text of the line."""
        text = "".join(self._lines(one.path)[max(one.line - 1, 0) : one.line])
        return *_worded(one), " ".join(text.split())


def _worded(diagnostic: AnalyserDiagnostic) -> tuple[str, str]:
    # Some messages name a line, which moves.
    return diagnostic.rule, NUMBER.sub("0", diagnostic.message)


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
        is_divided = is_divided or mark == BETWEEN
        if mark == THEIRS and start is not None and is_divided:
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


def name_dialects(
    head: AnalyserRun, base: AnalyserRun, change: Change, *, reported: Collection[str], has_rule: bool
) -> AnalyserRun:
    """Return the record of head with unparsed files marked as foreign if nothing is reported on them.

    An analyser with a rule for it would report any other file that does not parse. A file that it read at
    base does not become foreign because the change says so: it should have been read.
    """
    unparsed_before = unparsed(base)

    def named(one: Unread) -> Unread:
        before = change.path_before(one.path)
        is_known = has_rule or before in unparsed_before
        if one.why == "unparsed" and one.path not in reported and is_known:
            return one.model_copy(update={"why": "foreign"})
        is_disowned = one.why == "foreign" and before in base.read
        return one.model_copy(update={"why": "left_out"}) if is_disowned else one

    return head.model_copy(update={"unread": tuple(map(named, head.unread))})
