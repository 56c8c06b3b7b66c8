"""Where the code that an earlier finding quotes is at the new head: still there, moved, changed or gone.

Only the earlier report and the new trees are asked, never the old commit: after a rebase it may be nowhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from affidavit.iterations.following.hunks import known_file, new_head_lines, renamed_since
from affidavit.ports import Case, Tree
from affidavit.proof.quoting.quotes import Occurrence, find_quote, fold
from affidavit.records.candidate import Candidate, TraceOutcome
from affidavit.records.change import FileChange
from affidavit.records.finding import Finding
from affidavit.records.iteration import Earlier
from affidavit.symbols.definitions import symbols_of

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
        """There is code to look at."""
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
    """Of what is quoted, the lines that the finding speaks of: an analyser quotes what is around, too."""
    quote, finding = candidate.quote, candidate.finding
    if quote is None or finding is None or not quote.start:
        return ""
    first, last = finding.lines
    return "\n".join(quote.code.split("\n")[max(first - quote.start, 0) : last - quote.start + 1])


def path_now(finding: Finding, earlier: Earlier, case: Case) -> str | None:
    """What a file of the earlier head is called at this one; None where it is gone."""
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


def _standing(texts: Sequence[str], lines: Sequence[str], near: int) -> Occurrence | None:
    """Where the quote stands: a part of it that stood elsewhere, too, only beside what stood beside it."""
    whole = _nearest(texts[:1], lines, near)
    if whole or len(texts) == 1:
        return whole
    around = [folded for line in texts[0].split("\n") if (folded := fold(line))]
    if not any(folded not in fold(texts[1]) for folded in around):
        return _nearest(texts[1:], lines, near)
    found = [one for one in find_quote(texts[1], lines[:MAX_LINES]) if _is_beside(one, around, lines)]
    return min(found, key=lambda one: one.distance(near), default=None)


def _requoted(texts: Sequence[str], lines: Sequence[str], near: int) -> Occurrence | None:
    """Where it stands with other quotation marks, as formatters write them."""
    return _standing([_quoted_alike(text) for text in texts], [_quoted_alike(line) for line in lines], near)


def _quoted_alike(text: str) -> str:
    return text.replace("'", '"')


def _is_beside(one: Occurrence, around: Sequence[str], lines: Sequence[str]) -> bool:
    """The line before or after is one that was quoted with it, and not one that says nothing."""
    before = next((text for line in reversed(lines[: one.start - 1]) if (text := fold(line))), "")
    after = next((text for line in lines[one.end :] if (text := fold(line))), "")
    return any(len(text) > SAYS_NOTHING and text in around for text in (before, after))


def _is_indented_otherwise(texts: Sequence[str], lines: Sequence[str], found: Occurrence) -> bool:
    """Further in or out than it was; tabs for spaces is no such difference."""
    now = next((line for line in lines[found.start - 1 : found.end] if line.strip()), "")
    then = [line for text in texts for line in text.split("\n") if fold(line) == fold(now)]
    margins = [line[: len(line) - len(line.lstrip())] for line in (*then, now)]
    if not then or any("\t" in one for one in margins) != all("\t" in one for one in margins):
        return False
    return margins[-1] not in margins[:-1]


def _goes_on_otherwise(texts: Sequence[str], lines: Sequence[str], found: Occurrence) -> bool:
    """A line that was quoted is longer now: `items[0]` may have become `items[0] if items else None`."""
    then = {fold(_quoted_alike(line)) for line in texts[0].split("\n")}
    now = [fold(_quoted_alike(line)) for line in lines[found.start - 1 : found.end]]
    return any(line and line not in then for line in now)


def _nearest(texts: Sequence[str], lines: Sequence[str], near: int) -> Occurrence | None:
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


def _is_new_there(found: Occurrence, file: FileChange, earlier: Earlier) -> bool:
    """Lines that the earlier review did not see there: code that was there before has not moved."""
    known = known_file(file, earlier.files)
    new = set(new_head_lines(file, known.hunks if known else ())) & set(file.changed_lines("head"))
    return any(found.start <= line <= found.end for line in new)


def _is_whole(text: str, lines: Sequence[str]) -> bool:
    """The quote is these lines, not a part of one of them."""
    return fold(text) == fold("\n".join(lines))


def _resembling(texts: Sequence[str], lines: Sequence[str], near: int) -> Occurrence | None:
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
    return Occurrence(numbered[first][0], numbered[last][0])


def _like_line(quoted: str, numbered: Sequence[tuple[int, str]], near: int) -> Occurrence | None:
    around = [(number, text) for number, text in numbered if abs(number - near) <= NEAR_LINES]
    rated = [
        (matcher.ratio(), -abs(number - near), number)
        for number, text in around
        if (matcher := SequenceMatcher(None, quoted, text, autojunk=False)).quick_ratio() >= LIKE_LINE
    ]
    best = max(rated, default=None)
    return Occurrence(best[2], best[2]) if best and best[0] >= LIKE_LINE else None


def _same_name(candidate: Candidate, tree: Tree, path: str) -> Occurrence | None:
    """The definition that the finding stood in, rewritten from its first line to its last."""
    place = candidate.place
    if place is None or not place.name or path is None:
        return None
    found = next((one for one in symbols_of(tree, path) if one.qualified == place.name), None)
    return Occurrence(found.line, found.end_line) if found else None
