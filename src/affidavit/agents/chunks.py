"""Divide a change into parts that fit into one conversation each: by files, by hunks, by definitions."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from affidavit.records.change import Change, FileChange, Hunk
from affidavit.records.context import SymbolChange
from affidavit.records.plan import Chunk, Piece

Item = TypeVar("Item")
CHUNK_TOKENS = 60_000
MAX_CHUNKS = 40
"""No reviewer can grasp a larger change: the rest is reported as left out."""
BYTES_PER_TOKEN = 4
LINE_MARKS = 8
"""Mark, line number and line end of each line as models read it."""

PartsOfFiles = Mapping[str, Sequence[tuple[int, int, int]]]
"""Path to hunks and where their lines are cut; none: the whole file."""
Starts = Mapping[str, frozenset[int]]
"""Path to the head lines at which a definition begins."""


@dataclass(frozen=True)
class Division:
    """The chunks of a change, and sentences about what no chunk shows."""

    chunks: tuple[Chunk, ...]
    not_shown: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Portion:
    """A file, or a piece of one, that is never divided further."""

    path: str
    tokens: int
    piece: Piece | None = None


def packed(items: Iterable[Item], room: int, size_of: Callable[[Item], int]) -> list[list[Item]]:
    """Put items into lots, in their order and as many as fit."""
    lots: list[list[Item]] = []
    left = 0
    for item in items:
        size = size_of(item)
        if not lots or size > left:
            lots.append([])
            left = room
        lots[-1].append(item)
        left -= size
    return lots


def divide(
    files: Sequence[FileChange],
    starts: Starts | None = None,
    *,
    chunk_tokens: int = CHUNK_TOKENS,
    max_chunks: int = MAX_CHUNKS,
    parts: PartsOfFiles | None = None,
) -> Division:
    """Put files together as long as they fit, and divide a longer one between definitions.

    `parts` limits what is shown of which files.
    """
    fitting: list[_Portion] = []
    not_shown: list[str] = []
    for file in files:
        wanted = (parts or {}).get(file.path, ())
        for portion in _portions(file, (starts or {}).get(file.path, frozenset()), chunk_tokens, wanted):
            if portion.tokens > chunk_tokens:
                not_shown.append(f"{_place(file, portion)} is too long for one conversation")
            else:
                fitting.append(portion)
    lots = packed(fitting, chunk_tokens, lambda portion: portion.tokens)
    chunks = [_chunk(number, portions) for number, portions in enumerate(lots[:max_chunks], start=1)]
    by_path = {file.path: file for file in files}
    not_shown += [
        f"{_place(by_path[portion.path], portion)} is left out: the change is too large"
        for portions in lots[max_chunks:]
        for portion in portions
    ]
    return Division(tuple(chunks), tuple(not_shown))


def definition_starts(symbols: Iterable[SymbolChange]) -> dict[str, frozenset[int]]:
    """Return where the changed definitions begin, by file."""
    lines: dict[str, set[int]] = {}
    for change in symbols:
        if change.head:
            lines.setdefault(change.head.path, set()).add(change.head.line)
    return {path: frozenset(numbers) for path, numbers in lines.items()}


def shown_hunks(file: FileChange, chunk: Chunk) -> list[Hunk]:
    """Return what a chunk shows of a file."""
    pieces = chunk.shown_of(file.path)
    if pieces is None:
        return []
    if not pieces:
        return list(file.hunks)
    return [file.hunks[piece.hunk].part(piece.start, piece.end) for piece in pieces]


def shown_line_count(change: Change, chunks: Iterable[Chunk]) -> int:
    """Count the added, removed and moved lines that these chunks show."""
    return sum(
        line[0] != " " or bool(file.came_from)
        for chunk in chunks
        for file in change.reviewed_files()
        for hunk in shown_hunks(file, chunk)
        for line in hunk.lines
    )


def _portions(
    file: FileChange, starts: frozenset[int], chunk_tokens: int, wanted: Sequence[tuple[int, int, int]] = ()
) -> Iterator[_Portion]:
    whole = [(number, 0, len(hunk.lines)) for number, hunk in enumerate(file.hunks)]
    tokens = sum(_tokens(hunk.lines) for hunk in file.hunks)
    if list(wanted or whole) == whole and tokens <= chunk_tokens:
        yield _Portion(file.path, tokens)
        return
    for number, first, last in wanted or whole:
        hunk = file.hunks[number].part(first, last)
        for start, end in _cuts(hunk, starts, chunk_tokens):
            piece = Piece(path=file.path, hunk=number, start=first + start, end=first + end)
            yield _Portion(file.path, _tokens(hunk.lines[start:end]), piece)


def _cuts(hunk: Hunk, starts: frozenset[int], chunk_tokens: int) -> Iterator[tuple[int, int]]:
    """Cut a hunk as late as fits, before a definition if one begins in the later half."""
    sizes = [_line_tokens(line) for line in hunk.lines]
    beginnings = _beginnings(hunk, starts)
    start = size = 0
    for index, tokens in enumerate(sizes):
        if index > start and size + tokens > chunk_tokens:
            end = next((at for at in range(index, (start + index) // 2, -1) if at in beginnings), index)
            yield start, end
            start, size = end, sum(sizes[end:index])
        size += tokens
    yield start, len(sizes)


def _beginnings(hunk: Hunk, starts: frozenset[int]) -> set[int]:
    """Return where definitions begin; if the map names none, where paragraphs do."""
    numbered = list(hunk.numbered())
    named = {index for index, (_, _, new, _) in enumerate(numbered) if new in starts}
    if named:
        return named
    return {
        index
        for index in range(1, len(numbered))
        if numbered[index][3][:1].strip() and not numbered[index - 1][3].strip()
    }


def _chunk(number: int, portions: Sequence[_Portion]) -> Chunk:
    return Chunk(
        number=number,
        paths=tuple(dict.fromkeys(portion.path for portion in portions)),
        tokens=sum(portion.tokens for portion in portions),
        pieces=tuple(portion.piece for portion in portions if portion.piece),
    )


def _tokens(lines: Sequence[str]) -> int:
    return sum(map(_line_tokens, lines))


def _line_tokens(line: str) -> int:
    return (len(line.encode("utf-8", "replace")) + LINE_MARKS) // BYTES_PER_TOKEN + 1


def _place(file: FileChange, portion: _Portion) -> str:
    piece = portion.piece
    if piece is None:
        return file.path
    part = file.hunks[piece.hunk].part(piece.start, piece.end)
    side, first, count = (
        ("head", part.new_start, part.new_count)
        if part.new_count
        else ("base", part.old_start, part.old_count)
    )
    return f"{file.path} from line {first} to {first + max(count, 1) - 1} at {side}"
