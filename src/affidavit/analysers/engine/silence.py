"""Find comments and settings that suppress a problem: older ones, and those that the change adds."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property

from affidavit.analysers.engine.rule import Rule, is_suppressed_with
from affidavit.analysers.engine.silencing_comments import (
    Suppression,
    begins_silence,
    ends_silence,
    has_suppression,
    is_comment,
    suppressions_in,
    without_suppressions,
)
from affidavit.analysers.python_syntax import call_lines
from affidavit.analysers.registry import all_analysers, all_rules
from affidavit.ports import Repository
from affidavit.records.change import Change, FileChange
from affidavit.records.record import Side


class Silence:
    """The suppressions in comments of head and the configuration of base, for all tools.

    A comment for one tool suppresses the same problem of every other; `others` are rules of no tool.
    """

    def __init__(self, change: Change, repository: Repository, others: Iterable[Rule] = ()) -> None:
        self._change, self._repository, self._others = change, repository, others
        self._comments_of = cache(lambda path: suppressions_in(path, self._lines(path)))
        self._ignored_for = cache(self._find_ignored)
        self.fresh_lines = cache(self._find_fresh_lines)
        self._base_paths = {file.head_path: file.old_path or file.path for file in change.files}

    @cached_property
    def _rules(self) -> Mapping[str, Rule]:
        return {**all_rules(), **{rule.id: rule for rule in self._others}}

    def before(self, rule: str, path: str, lines: range, *, counted_before: bool = True) -> str | None:
        """Return the older suppression of a problem; None if there is none.

        A comment in a moved file silences a rule only if the rule counted at the old place.
        """
        if any(is_suppressed_with(rule, ignored, self._rules) for ignored in self._ignored_for(path)):
            return "the base commit's configuration ignores this problem under another tool's name"
        file = self._change.file_at(path) if counted_before else None
        fresh = self._added_comments(file, path) if file else self.fresh_lines(path)
        void = fresh | self._removed_lines("head", path)
        old = next((one for one in self._silencing(rule, path, lines) if one.line not in void), None)
        return f"`{old.text}` in line {old.line} suppresses it since before the change" if old else None

    def added_by_change(self, rule: str, path: str, lines: range) -> Suppression | None:
        """Return the change's own comment that suppresses the problem."""
        fresh = self.fresh_lines(path)
        return next((one for one in self._silencing(rule, path, lines) if one.line in fresh), None)

    def nearest(self, path: str, line: int) -> str:
        """Return the change's own comment nearest to a line."""
        fresh = sorted(self.fresh_lines(path), key=lambda number: abs(number - line))
        lines = self._lines(path)
        return f"line {fresh[0]}: {lines[fresh[0] - 1].strip()[:80]}" if fresh else "a comment of the change"

    def without_added(self, covers: Callable[[str], bool]) -> dict[str, bytes]:
        """Return the changed files with added comments, with these and removed ones disabled."""
        found = {}
        for file in self._change.reviewed_files():
            path = file.head_path
            if path is not None and covers(path) and (fresh := self.fresh_lines(path)):
                void = fresh | self._removed_lines("head", path)
                found[path] = without_suppressions(self._repository.head.read(path) or b"", sorted(void))
        return found

    def without_removed(self, side: Side, paths: Iterable[str]) -> dict[str, bytes]:
        """Return the files with comments of base that the target has removed, without their effect."""
        tree = self._repository.side(side)
        void = {path: sorted(self._removed_lines(side, path)) for path in paths}
        return {
            path: without_suppressions(tree.read(path) or b"", lines) for path, lines in void.items() if lines
        }

    def _find_fresh_lines(self, path: str) -> frozenset[int]:
        """Return the lines with a comment that the change added, or moved from another kind of place."""
        file = self._change.file_at(path)
        if file is None or not file.came_from:
            return frozenset() if file is None else self._added_comments(file, path)
        numbered = enumerate(self._lines(path), start=1)
        return frozenset(number for number, line in numbered if has_suppression(line))

    def _removed_lines(self, side: Side, path: str) -> frozenset[int]:
        """Return the lines of a side whose comments base has more often than the target's tip."""
        base, tip = self._repository.base, self._repository.tip
        before = self._base_paths.get(path, path) if side == "head" else path
        if tip is None or (old := base.entry(before)) is None:
            return frozenset()
        now = tip.entry(before) or tip.entry(path)
        if now is not None and now.blob == old.blob:
            return frozenset()
        had = _counted(base.lines(before) or ())
        has = _counted(tip.lines(now.path) or () if now else ())
        gone = set(had - has)
        if any(ends_silence(line) for line in (had - has) + (has - had)):
            gone.update(filter(begins_silence, had))
        lines = self._repository.side(side).lines(path) or ()
        found = {
            number for number, line in enumerate(lines, start=1) if gone and " ".join(line.split()) in gone
        }
        return frozenset(found - self.fresh_lines(path) if side == "head" else found)

    def _added_comments(self, file: FileChange, path: str) -> frozenset[int]:
        added = frozenset(_added_comments(file))
        changed = (line[1:] for hunk in file.hunks for line in hunk.lines if line[:1] in "+-")
        if not any(map(ends_silence, changed)):
            return added
        # A suppressed block that ends elsewhere than before counts as new.
        return added.union(
            number for number, line in enumerate(self._lines(path), start=1) if begins_silence(line)
        )

    def _silencing(self, rule: str, path: str, lines: range) -> list[Suppression]:
        return [
            one
            for one in self._comments_of(path)
            if one.concerns(lines if one.tool != "bandit" else self._call_lines(path, lines))
            and self._is_about(one, rule)
        ]

    def _call_lines(self, path: str, lines: range) -> range:
        return call_lines(self._repository.head.read(path) or b"", lines)

    def _is_about(self, one: Suppression, rule: str) -> bool:
        if one.rules:
            return any(is_suppressed_with(rule, named, self._rules) for named in one.rules)
        prefix = f"{one.tool}/"
        if rule.startswith(prefix):
            return True
        known = (other for other in self._rules if other.startswith(prefix))
        return any(is_suppressed_with(rule, other, self._rules) for other in (f"{prefix}*", *known))

    def _lines(self, path: str) -> list[str]:
        return self._repository.head.lines(path) or []

    def _find_ignored(self, path: str) -> frozenset[str]:
        """Return the rules that every excusing tree ignores."""
        said = (
            (rule for analyser in all_analysers() for rule in analyser.ignored_at(one, path))
            for one in self._repository.excusing
        )
        return frozenset.intersection(*map(frozenset, said))


def _counted(lines: Iterable[str]) -> Counter[str]:
    """Count the lines with a comment that silences or ends a silence, by their words."""
    return Counter(" ".join(line.split()) for line in lines if has_suppression(line) or ends_silence(line))


def _added_comments(file: FileChange) -> Iterable[int]:
    """Yield added lines with such a comment, except those that moved within the file.

    A comment line moved if the line below it did, too.
    """
    if not any(line[0] == "+" and has_suppression(line[1:]) for hunk in file.hunks for line in hunk.lines):
        return
    before, after = _with_next(file, "-"), _with_next(file, "+")
    known = {_folded(text, below) for _, text, below in before}
    for new, text, below in after:
        is_moved = _folded(text, below) in known and not begins_silence(text)
        if new is not None and has_suppression(text) and not is_moved:
            yield new


Place = tuple[int | None, str, str]
"""The number of a line at head, its text, and the one below it."""


def _with_next(file: FileChange, mark: str) -> list[Place]:
    """Return the lines with a mark, each with the line below it on its side."""
    found: list[Place] = []
    for hunk in file.hunks:
        side = [line for line in hunk.numbered() if line[0] in (mark, " ")]
        texts = [text for *_, text in side]
        found += [
            (new, text, "".join(texts[at + 1 : at + 2]))
            for at, (kind, _, new, text) in enumerate(side)
            if kind == mark
        ]
    return found


def _folded(text: str, below: str) -> str:
    return " ".join(f"{text}\n{below}".split() if is_comment(text) else text.split())
