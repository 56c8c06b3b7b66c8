"""Trace the code of an earlier finding at the new head, from the earlier report and the new trees."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from hashlib import blake2b

from affidavit.ports import Case, Tree
from affidavit.proof.quotes import QuoteMatch, find_quote, fold
from affidavit.records.candidate import Candidate, TraceOutcome
from affidavit.records.change import FileChange, Hunk
from affidavit.records.finding import Finding
from affidavit.records.iteration import LINE_DIGEST, Earlier, EarlierFile, EarlierHunk
from affidavit.symbols.definitions import symbols_of

SHORT_HUNK = 120
"""A hunk with at most this many lines is shown whole if any of it is new."""
REACH_LINES = 40
"""Lines shown around what is new in a longer hunk."""
SAME_FILE = 0.5
"""Share of its shown lines that a renamed file keeps at least."""


def digests_of(hunk: Hunk) -> str:
    """Return a digest for each line with its mark, so that new context counts as new."""
    return "".join(_digest(line) for line in hunk.lines)


def new_parts(file: FileChange, known: Sequence[EarlierHunk]) -> list[tuple[int, int, int]]:
    """Return the parts of hunks that no earlier review saw: hunk number, first line, last line."""
    parts: list[tuple[int, int, int]] = []
    seen = {one.digests for one in known}
    for number, hunk in enumerate(file.hunks):
        if digests_of(hunk) not in seen:
            parts += [(number, start, end) for start, end in _new_spans(hunk, known)]
    return parts


def new_head_lines(file: FileChange, known: Sequence[EarlierHunk]) -> list[int]:
    """Return the head lines that are new, or next to deleted lines."""
    seen = {one.digests for one in known}
    found: list[int] = []
    for hunk in file.hunks:
        if digests_of(hunk) in seen:
            continue
        new = _new_lines(hunk, known)
        numbers = [number for _, _, number, _ in hunk.numbered()]
        found += [number for at in new if (number := numbers[at]) is not None]
    return found


def examined_before(hunk: Hunk, known: Sequence[EarlierHunk]) -> tuple[str, ...]:
    """Return the models that saw all of a hunk; for one that changed in part, those that saw the rest."""
    digests = digests_of(hunk)
    whole = next((one for one in known if one.digests == digests), None)
    if whole is not None:
        return whole.examined_by
    if len(hunk.lines) <= SHORT_HUNK:
        # It is shown whole again.
        return ()
    like = [one for one in known if (not set(_split(digests)).isdisjoint(_split(one.digests)))]
    return tuple(dict.fromkeys(name for one in like for name in one.examined_by))


def known_file(file: FileChange, files: Sequence[EarlierFile]) -> EarlierFile | None:
    """Return the same file of the earlier review: by path, by path at base, or by content."""
    by_base = [one for one in files if file.base_path and one.base_path == file.base_path]
    by_path = [one for one in files if one.path == file.path]
    by_blob = [one for one in files if file.new_blob and one.new_blob == file.new_blob]
    return next(iter((*by_path, *by_base, *by_blob)), None)


def renamed_since(gone: EarlierFile, files: Sequence[FileChange]) -> str | None:
    """Return the new path of a file that is gone: an added file with most of its lines."""
    shown = {digest for hunk in gone.hunks for digest in _split(hunk.digests)}
    added = [file for file in files if file.base_path is None]
    shares = [(len(shown & _head_digests(file)) / max(len(shown), 1), file.path) for file in added]
    share, path = max(shares, default=(0.0, ""))
    return path if share >= SAME_FILE else None


def _head_digests(file: FileChange) -> set[str]:
    """Return digests of the lines at head, as added and as context; a new file shows all as added."""
    texts = [line[1:] for hunk in file.hunks for line in hunk.lines if line[0] != "-"]
    return {_digest(mark + text) for text in texts for mark in "+ "}


def _new_spans(hunk: Hunk, known: Sequence[EarlierHunk]) -> Iterator[tuple[int, int]]:
    """Yield the runs of lines around what is new; the whole of a short hunk."""
    count = len(hunk.lines)
    if count <= SHORT_HUNK or not known:
        yield 0, count
        return
    spans: list[tuple[int, int]] = []
    for line in sorted(_new_lines(hunk, known)):
        first, last = max(0, line - REACH_LINES), min(count, line + REACH_LINES + 1)
        if spans and first <= spans[-1][1]:
            first = spans.pop()[0]
        spans.append((first, last))
    yield from spans


def _new_lines(hunk: Hunk, known: Sequence[EarlierHunk]) -> set[int]:
    """Return the positions of lines in no earlier hunk, and of those beside deleted lines."""
    own = [_digest(line) for line in hunk.lines]
    best: set[int] | None = None
    for one in known:
        matcher = SequenceMatcher(None, _split(one.digests), own, autojunk=False)
        new = {
            at
            for tag, _, _, start, end in matcher.get_opcodes()
            if tag != "equal"
            for at in (range(start, end) if end > start else (min(start, len(own) - 1),))
        }
        best = new if best is None or len(new) < len(best) else best
    return best if best is not None else set(range(len(own)))


def _digest(line: str) -> str:
    text = line[:1] + line[1:].rstrip()
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=LINE_DIGEST // 2).hexdigest()


def _split(digests: str) -> list[str]:
    return [digests[at : at + LINE_DIGEST] for at in range(0, len(digests), LINE_DIGEST)]


LONG_ENOUGH = 15
"""Characters that a quote needs to be searched for in other files."""
NEAR_LINES = 40
LIKE_LINE, LIKE_LINES = 0.6, 0.34
SAYS_NOTHING = 6
"""Characters of a bracket or an `else:` alone."""
MAX_LINES = 20_000
MAX_FILES = 200


@dataclass(frozen=True)
class Trace:
    """Where the code is now; without lines if it is gone."""

    outcome: TraceOutcome
    path: str
    start: int = 0
    end: int = 0
    detail: str = ""

    @property
    def is_somewhere(self) -> bool:
        """Check whether the code still exists."""
        return self.outcome != "gone"


def trace_code(candidate: Candidate, finding: Finding, earlier: Earlier, case: Case) -> Trace:
    """Follow the quoted code of an earlier finding; a model's finding needs every quoted line unchanged."""
    tree = case.repository.side(finding.side)
    path = path_now(finding, earlier, case)
    lines = ((tree.redacted_lines(path) if path else None) or [])[:MAX_LINES]
    near = candidate.quote.start if candidate.quote and candidate.quote.start else finding.line
    is_machine = candidate.kind == "mechanical"
    text = own_code(candidate) if is_machine else ""
    text = text if text.strip() else _quoted(candidate, finding)
    if path and (found := _unchanged(text, lines, near, fold if is_machine else str.rstrip)):
        was = "" if path == finding.file else f", which was {finding.file}"
        detail = f"the quoted code is at {path}:{found.start}-{found.end}{was}"
        return Trace("stands", path, found.start, found.end, detail)
    # Code that the file has in another form was changed, not moved.
    stays = path is not None and find_quote(text, lines)
    if not stays and (moved := _elsewhere(text, finding, path, earlier, case)):
        return moved
    if path and (like := _resembling(text, lines, near) or _same_name(candidate, tree, path)):
        detail = f"the quoted code was changed at {path}:{like.start}-{like.end}"
        return Trace("changed", path, like.start, like.end, detail)
    gone = f"nothing like the quoted code is left in {path}" if path else f"{finding.file} is gone"
    return Trace("gone", path or finding.file, detail=gone)


def own_code(candidate: Candidate) -> str:
    """Return the quoted lines that the finding is about, without context."""
    quote, finding = candidate.quote, candidate.finding
    if quote is None or finding is None or not quote.start:
        return ""
    first, last = finding.lines
    return "\n".join(quote.code.split("\n")[max(first - quote.start, 0) : last - quote.start + 1])


def path_now(finding: Finding, earlier: Earlier, case: Case) -> str | None:
    """Return the current path of a file of the earlier head; None if it is gone."""
    change, tree = case.change, case.repository.side(finding.side)
    if finding.side == "base":
        return finding.file if tree.entry(finding.file) else None
    then = next((one for one in earlier.files if one.path == finding.file), None)
    for file in change.files:
        is_same = then is not None and known_file(file, earlier.files) == then
        if is_same and file.head_path:
            return file.head_path
    renamed = change.file_at(finding.file, "base")
    if renamed is not None and renamed.head_path:
        return renamed.head_path
    if tree.entry(finding.file):
        return finding.file
    return renamed_since(then, [file for file in change.files if file.head_path]) if then else None


def _quoted(candidate: Candidate, finding: Finding) -> str:
    """Return the quoted lines of the file, or the quote of the finding if there are none."""
    own = candidate.quote.code if candidate.quote else ""
    claimed = finding.verification.code_examined if finding.verification else ""
    return own if own.strip() else claimed


def _unchanged(
    text: str, lines: Sequence[str], near: int, written: Callable[[str], str]
) -> QuoteMatch | None:
    """Return the nearest place of exactly these lines; `written` normalises a line."""
    then = [written(line) for line in text.split("\n") if line.strip()]

    def now(found: QuoteMatch) -> list[str]:
        return [written(line) for line in lines[found.start - 1 : found.end] if line.strip()]

    places = [one for one in find_quote(text, lines) if now(one) == then]
    return min(places, key=lambda one: one.distance(near), default=None)


def _elsewhere(text: str, finding: Finding, path: str | None, earlier: Earlier, case: Case) -> Trace | None:
    """Find the same code among the lines of another file that are new since the earlier review."""
    if len(fold(text)) < LONG_ENOUGH:
        return None
    tree = case.repository.side(finding.side)
    for file in case.change.files[:MAX_FILES]:
        other = file.path_at(finding.side)
        if other is None or other == path or file.skipped:
            continue
        found = _unchanged(text, tree.redacted_lines(other) or [], finding.line, fold)
        known = known_file(file, earlier.files)
        new = new_head_lines(file, known.hunks if known else ())
        if found and any(found.start <= line <= found.end for line in new):
            detail = f"the quoted code moved from {finding.file} to {other}:{found.start}-{found.end}"
            return Trace("moved", other, found.start, found.end, detail)
    return None


def _resembling(text: str, lines: Sequence[str], near: int) -> QuoteMatch | None:
    """Return the lines that are like the quoted ones, if enough of these are left."""
    quoted = [folded for line in text.split("\n") if len(folded := fold(line)) > SAYS_NOTHING]
    alike = [
        (abs(number - near), number, was)
        for number, line in enumerate(map(fold, lines), 1)
        for was in quoted
        if line == was or (abs(number - near) <= NEAR_LINES and _is_like(was, line))
    ]
    if not alike or len({was for _, _, was in alike}) < LIKE_LINES * len(set(quoted)):
        return None
    _, nearest, _ = min(alike)
    beside = [number for _, number, _ in alike if abs(number - nearest) <= len(quoted)]
    return QuoteMatch(min(beside), max(beside))


def _is_like(one: str, other: str) -> bool:
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return matcher.quick_ratio() >= LIKE_LINE and matcher.ratio() >= LIKE_LINE


def _same_name(candidate: Candidate, tree: Tree, path: str) -> QuoteMatch | None:
    """Return the definition that the finding was in, even if all of it was rewritten."""
    place = candidate.place
    if place is None or not place.name:
        return None
    found = next((one for one in symbols_of(tree, path) if one.qualified == place.name), None)
    return QuoteMatch(found.line, found.end_line) if found else None
