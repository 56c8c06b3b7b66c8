"""Existing comments on a change as models read them: numbered, on pages, none posing as another."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from affidavit.records.change import Comment
from affidavit.records.plan import Chunk

PAGE_CHARACTERS = 24_000
MAX_NAME_LENGTH = 200

NumberedComment = tuple[int, Comment]
"""A comment and its number in the discussion, from 1."""


@dataclass(frozen=True)
class Page:
    """As many comments as fit into a prompt beside the diff."""

    text: str
    numbers: tuple[int, ...]
    """The numbers of its comments."""


def comments_on(chunk: Chunk, comments: Sequence[Comment], chunks: Sequence[Chunk]) -> list[NumberedComment]:
    """The comments on the files of a chunk; the first chunk also has those on no chunk's files."""
    return [
        (number, comment)
        for number, comment in enumerate(comments, start=1)
        if _home(comment, chunks) == chunk.number
    ]


def pages_of(comments: Sequence[NumberedComment], page_characters: int = PAGE_CHARACTERS) -> list[Page]:
    """All comments, nothing cut: one that is longer than a page continues on the next."""
    pages: list[list[tuple[int, str]]] = []
    size = 0
    for number, text in _texts(comments, page_characters):
        if not pages or size + len(text) > page_characters:
            pages.append([])
            size = 0
        pages[-1].append((number, text))
        size += len(text)
    return [_page(texts) for texts in pages]


def _page(texts: Sequence[tuple[int, str]]) -> Page:
    numbers = tuple(dict.fromkeys(number for number, _ in texts))
    return Page("\n\n".join(text for _, text in texts), numbers)


def _home(comment: Comment, chunks: Sequence[Chunk]) -> int:
    return next((chunk.number for chunk in chunks if comment.file in chunk.paths), 1)


def _texts(comments: Sequence[NumberedComment], page_characters: int) -> Iterator[tuple[int, str]]:
    for number, comment in comments:
        heading = _heading(number, comment)
        for lines in _filled(_barred(comment.body, page_characters // 4), page_characters // 2):
            yield number, "\n".join([heading, *lines])
            heading = f"Comment {number}, continued:"


def _barred(body: str, longest: int) -> list[str]:
    """A bar before each line: none can look like the heading of another comment, not even a cut one."""
    return [
        f"| {line[start : start + longest]}"
        for line in body.splitlines() or [""]
        for start in range(0, max(len(line), 1), longest)
    ]


def _filled(lines: Sequence[str], room: int) -> list[list[str]]:
    """The lines in as many lots as needed."""
    lots: list[list[str]] = [[]]
    size = 0
    for line in lines:
        if lots[-1] and size + len(line) > room:
            lots.append([])
            size = 0
        lots[-1].append(line)
        size += len(line) + 1
    return lots


def _heading(number: int, comment: Comment) -> str:
    author = _one_line(comment.author) or "somebody"
    kind = " (a bot)" if comment.is_bot else ""
    place = _one_line(comment.file or "")
    where = f" on {place}{f':{comment.line}' if comment.line else ''}" if place else " on the whole change"
    when = f", {_one_line(comment.created_at)}" if comment.created_at else ""
    return f"Comment {number}, by {author}{kind}{where}{when}{', marked as resolved' * comment.resolved}:"


def _one_line(text: str) -> str:
    return " ".join(text.split())[:MAX_NAME_LENGTH]
