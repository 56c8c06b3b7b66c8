"""Know a reviewed hunk again wherever its lines have gone: digests of lines, and what of a hunk is new."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from hashlib import blake2b

from affidavit.records.change import FileChange, Hunk
from affidavit.records.iteration import LINE_DIGEST, EarlierFile, EarlierHunk

SHORT_HUNK = 120
"""A hunk with no more lines is shown whole where anything of it is new."""
REACH_LINES = 40
"""Of a longer one, so many lines around what is new."""
SAME_FILE = 0.5
"""A file that was renamed keeps at least so much of what was shown of it."""


def digests_of(hunk: Hunk) -> str:
    """A digest for each line, with its mark: context that was not there before is new, too."""
    return "".join(_digest(line) for line in hunk.lines)


def new_parts(file: FileChange, known: Sequence[EarlierHunk]) -> list[tuple[int, int, int]]:
    """What of a file's hunks no earlier review saw: number of the hunk, and where its lines are cut."""
    parts: list[tuple[int, int, int]] = []
    seen = {one.digests for one in known}
    for number, hunk in enumerate(file.hunks):
        if digests_of(hunk) not in seen:
            parts += [(number, start, end) for start, end in _new_spans(hunk, known)]
    return parts


def new_head_lines(file: FileChange, known: Sequence[EarlierHunk]) -> list[int]:
    """The head lines that are new, or that stand where lines are gone."""
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
    """What a file that is gone is called now: one that the change adds, with most of the lines it showed."""
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
