"""Trace the code of an earlier finding at the new head: still there, moved, changed or gone.

Only the earlier report and the new trees are asked, never the old commit: after a rebase it may be nowhere.
"""

from collections.abc import Iterator, Sequence
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
"""A hunk with no more lines is shown whole where anything of it is new."""
REACH_LINES = 40
"""Of a longer one, so many lines around what is new."""
SAME_FILE = 0.5
"""A file that was renamed keeps at least so much of what was shown of it."""


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
    """The models that saw all of a hunk as it is; of one that changed in part, those that saw the rest."""
    digests = digests_of(hunk)
    whole = next((one for one in known if one.digests == digests), None)
    if whole is not None:
        return whole.examined_by
    if len(hunk.lines) <= SHORT_HUNK:
        # It is shown whole again.
        return ()
    like = [one for one in known if _shared(digests, one.digests)]
    return tuple(dict.fromkeys(name for one in like for name in one.examined_by))


def known_file(file: FileChange, files: Sequence[EarlierFile]) -> EarlierFile | None:
    """The earlier review's file that this one is, by what it was at base, its path, or its content."""
    by_base = [one for one in files if file.base_path and one.base_path == file.base_path]
    by_path = [one for one in files if one.path == file.path]
    by_blob = [one for one in files if file.new_blob and one.new_blob == file.new_blob]
    return next(iter((*by_path, *by_base, *by_blob)), None) or _likest(file, files)


def renamed_since(gone: EarlierFile, files: Sequence[FileChange]) -> str | None:
    """Return the new path of a file that is gone: an added file with most of its lines."""
    shown = {digest for hunk in gone.hunks for digest in _split(hunk.digests)}
    added = [file for file in files if file.base_path is None]
    shares = [(len(shown & _head_digests(file)) / max(len(shown), 1), file.path) for file in added]
    share, path = max(shares, default=(0.0, ""))
    return path if share >= SAME_FILE else None


def _head_digests(file: FileChange) -> set[str]:
    """Its lines at head, as added ones and as context: a file that is added anew shows all as added."""
    texts = [line[1:] for hunk in file.hunks for line in hunk.lines if line[0] != "-"]
    return {_digest(mark + text) for text in texts for mark in "+ "}


def _likest(file: FileChange, files: Sequence[EarlierFile]) -> EarlierFile | None:
    """A file that was added in both under two names shares most of its lines."""
    if file.base_path is not None:
        return None
    own = {digest for hunk in file.hunks for digest in _split(digests_of(hunk))}
    others = [one for one in files if one.base_path is None]
    best = max(others, key=lambda one: _overlap(own, one), default=None)
    return best if best is not None and _overlap(own, best) > SAME_FILE else None


def _overlap(own: set[str], other: EarlierFile) -> float:
    theirs = {digest for hunk in other.hunks for digest in _split(hunk.digests)}
    return len(own & theirs) / max(len(own | theirs), 1)


def _new_spans(hunk: Hunk, known: Sequence[EarlierHunk]) -> Iterator[tuple[int, int]]:
    """Runs of lines with what is new in them; the whole of a short hunk."""
    count = len(hunk.lines)
    if count <= SHORT_HUNK or not known:
        yield 0, count
        return
    new = sorted(_new_lines(hunk, known))
    start = end = -1
    for line in new:
        first, last = max(0, line - REACH_LINES), min(count, line + REACH_LINES + 1)
        if start < 0:
            start, end = first, last
        elif first <= end:
            end = max(end, last)
        else:
            yield start, end
            start, end = first, last
    if start >= 0:
        yield start, end


def _new_lines(hunk: Hunk, known: Sequence[EarlierHunk]) -> set[int]:
    """The positions of lines that stand in no earlier hunk, and those beside lines that are gone."""
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


def _shared(one: str, other: str) -> bool:
    return not set(_split(one)).isdisjoint(_split(other))


LONG_ENOUGH = 15
"""Characters that a quote needs to be looked for in other files."""
NEAR_LINES = 40
LIKE_LINE, LIKE_LINES = 0.6, 0.34
SAYS_NOTHING = 6
"""A bracket or an `else:` alone."""
MAX_LINES = 20_000
MAX_FILES = 200


@dataclass(frozen=True)
class Trace:
    """Where the code is now; without lines where it is nowhere."""

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
    """Follow the quoted code of an earlier finding."""
    tree = case.repository.side(finding.side)
    path = path_now(finding, earlier, case)
    texts = _quoted(candidate, finding)
    lines = (tree.redacted_lines(path) if path else None) or []
    near = candidate.quote.start if candidate.quote and candidate.quote.start else finding.line
    if path and (found := _standing(texts, lines, near) or _requoted(texts, lines, near)):
        was = "" if path == finding.file else f", which was {finding.file}"
        detail = f"the quoted code is at {path}:{found.start}-{found.end}{was}"
        if candidate.kind != "mechanical" and _is_indented_otherwise(texts, lines, found):
            # A condition around it, or one less, may be the whole repair.
            return Trace("changed", path, found.start, found.end, f"{detail}, under another condition")
        if candidate.kind != "mechanical" and _goes_on_otherwise(texts, lines, found):
            return Trace("changed", path, found.start, found.end, f"{detail}, with something else beside it")
        return Trace("stands", path, found.start, found.end, detail)
    if moved := _elsewhere(texts, finding, path, earlier, case):
        return moved
    if line := _own_line(candidate, lines, near, path):
        return line
    if path and (like := _resembling(texts, lines, near) or _same_name(candidate, tree, path)):
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


def _quoted(candidate: Candidate, finding: Finding) -> list[str]:
    """The quote as it stood in the file, then as the finding has it."""
    own = candidate.quote.code if candidate.quote else ""
    claimed = finding.verification.code_examined if finding.verification else ""
    return list(dict.fromkeys(text for text in (own, claimed) if text.strip()))


def _standing(texts: Sequence[str], lines: Sequence[str], near: int) -> QuoteMatch | None:
    """Where the quote stands: a part of it that stood elsewhere, too, only beside what stood beside it."""
    whole = _nearest(texts[:1], lines, near)
    if whole or len(texts) == 1:
        return whole
    around = [folded for line in texts[0].split("\n") if (folded := fold(line))]
    if not any(folded not in fold(texts[1]) for folded in around):
        return _nearest(texts[1:], lines, near)
    found = [one for one in find_quote(texts[1], lines[:MAX_LINES]) if _is_beside(one, around, lines)]
    return min(found, key=lambda one: one.distance(near), default=None)


def _requoted(texts: Sequence[str], lines: Sequence[str], near: int) -> QuoteMatch | None:
    """Where it stands with other quotation marks, as formatters write them."""
    return _standing([_quoted_alike(text) for text in texts], [_quoted_alike(line) for line in lines], near)


def _quoted_alike(text: str) -> str:
    return text.replace("'", '"')


def _is_beside(one: QuoteMatch, around: Sequence[str], lines: Sequence[str]) -> bool:
    """The line before or after is one that was quoted with it, and not one that says nothing."""
    before = next((text for line in reversed(lines[: one.start - 1]) if (text := fold(line))), "")
    after = next((text for line in lines[one.end :] if (text := fold(line))), "")
    return any(len(text) > SAYS_NOTHING and text in around for text in (before, after))


def _is_indented_otherwise(texts: Sequence[str], lines: Sequence[str], found: QuoteMatch) -> bool:
    """Further in or out than it was; tabs for spaces is no such difference."""
    now = next((line for line in lines[found.start - 1 : found.end] if line.strip()), "")
    then = [line for text in texts for line in text.split("\n") if fold(line) == fold(now)]
    margins = [line[: len(line) - len(line.lstrip())] for line in (*then, now)]
    if not then or any("\t" in one for one in margins) != all("\t" in one for one in margins):
        return False
    return margins[-1] not in margins[:-1]


def _goes_on_otherwise(texts: Sequence[str], lines: Sequence[str], found: QuoteMatch) -> bool:
    """A line that was quoted is longer now: `items[0]` may have become `items[0] if items else None`."""
    then = {fold(_quoted_alike(line)) for line in texts[0].split("\n")}
    now = [fold(_quoted_alike(line)) for line in lines[found.start - 1 : found.end]]
    return any(line and line not in then for line in now)


def _nearest(texts: Sequence[str], lines: Sequence[str], near: int) -> QuoteMatch | None:
    for text in texts:
        found = find_quote(text, lines[:MAX_LINES])
        if found:
            return min(found, key=lambda one: one.distance(near))
    return None


def _own_line(candidate: Candidate, lines: Sequence[str], near: int, path: str | None) -> Trace | None:
    """An analyser speaks of its line: an edit beside it, which it quoted, changes nothing."""
    own = own_code(candidate)
    if candidate.kind != "mechanical" or path is None or not own.strip():
        return None
    whole = [one for one in find_quote(own, lines) if _is_whole(own, lines[one.start - 1 : one.end])]
    found = min(whole, key=lambda one: one.distance(near), default=None)
    if found is None:
        return None
    detail = f"its line is at {path}:{found.start}, with an edit beside it"
    return Trace("stands", path, found.start, found.end, detail)


def _elsewhere(
    texts: Sequence[str], finding: Finding, path: str | None, earlier: Earlier, case: Case
) -> Trace | None:
    """The same code in another changed file: whole lines only, long enough to be the same, and new there."""
    long = [text for text in texts if len(fold(text)) >= LONG_ENOUGH][:1]
    tree = case.repository.side(finding.side)
    for file in case.change.files[:MAX_FILES]:
        other = file.path_at(finding.side)
        if other is None or other == path or file.skipped:
            continue
        lines = tree.redacted_lines(other) or []
        found = _nearest(long, lines, finding.line)
        is_whole = found is not None and _is_whole(long[0], lines[found.start - 1 : found.end])
        if found and is_whole and (finding.side == "base" or _is_new_there(found, file, earlier)):
            detail = f"the quoted code moved from {finding.file} to {other}:{found.start}-{found.end}"
            return Trace("moved", other, found.start, found.end, detail)
    return None


def _is_new_there(found: QuoteMatch, file: FileChange, earlier: Earlier) -> bool:
    """Lines that the earlier review did not see there: code that was there before has not moved."""
    known = known_file(file, earlier.files)
    new = set(new_head_lines(file, known.hunks if known else ())) & set(file.changed_lines("head"))
    return any(found.start <= line <= found.end for line in new)


def _is_whole(text: str, lines: Sequence[str]) -> bool:
    """The quote is these lines, not a part of one of them."""
    return fold(text) == fold("\n".join(lines))


def _resembling(texts: Sequence[str], lines: Sequence[str], near: int) -> QuoteMatch | None:
    """The lines that are most like the quote, where enough of it is left."""
    if not texts or not lines:
        return None
    quoted = [folded for line in texts[-1].split("\n") if (folded := fold(line))]
    numbered = [
        (number, folded) for number, line in enumerate(lines[:MAX_LINES], 1) if (folded := fold(line))
    ]
    if len(quoted) <= 1:
        return _like_line(quoted[0] if quoted else "", numbered, near)
    matcher = SequenceMatcher(None, quoted, [text for _, text in numbered], autojunk=False)
    blocks = [
        block
        for block in matcher.get_matching_blocks()
        if any(len(text) > SAYS_NOTHING for text in quoted[block.a : block.a + block.size])
    ]
    matched = sum(block.size for block in blocks)
    if not blocks or matched / len(quoted) < LIKE_LINES:
        return _like_line(max(quoted, key=len), numbered, near)
    first, last = blocks[0].b, blocks[-1].b + blocks[-1].size - 1
    if last - first > 3 * len(quoted):
        longest = max(blocks, key=lambda block: block.size)
        first, last = longest.b, longest.b + longest.size - 1
    return QuoteMatch(numbered[first][0], numbered[last][0])


def _like_line(quoted: str, numbered: Sequence[tuple[int, str]], near: int) -> QuoteMatch | None:
    around = [(number, text) for number, text in numbered if abs(number - near) <= NEAR_LINES]
    rated = [
        (matcher.ratio(), -abs(number - near), number)
        for number, text in around
        if (matcher := SequenceMatcher(None, quoted, text, autojunk=False)).quick_ratio() >= LIKE_LINE
    ]
    best = max(rated, default=None)
    return QuoteMatch(best[2], best[2]) if best and best[0] >= LIKE_LINE else None


def _same_name(candidate: Candidate, tree: Tree, path: str) -> QuoteMatch | None:
    """The definition that the finding stood in, rewritten from its first line to its last."""
    place = candidate.place
    if place is None or not place.name or path is None:
        return None
    found = next((one for one in symbols_of(tree, path) if one.qualified == place.name), None)
    return QuoteMatch(found.line, found.end_line) if found else None
