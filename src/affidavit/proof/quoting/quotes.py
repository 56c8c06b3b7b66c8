"""Find where a quoted piece of code stands in a file, white space folded line by line."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

LINE_NUMBER = re.compile(r"^[+\-\s]*\d+\s?[:|]\s?")
MAX_EXTRA_LINES = 3


@dataclass(frozen=True)
class Occurrence:
    """Lines `start` to `end` of a file, counted from 1."""

    start: int
    end: int

    def distance(self, line: int) -> int:
        """How many lines away a line is; 0 inside."""
        return max(self.start - line, line - self.end, 0)

    def is_within(self, start: int, end: int) -> bool:
        """It stands wholly inside a range of lines."""
        return start <= self.start and self.end <= end


def fold(line: str) -> str:
    """A line with its white space folded."""
    return " ".join(line.split())


def find_quote(quote: str, lines: Sequence[str]) -> list[Occurrence]:
    """Every place where the quote stands; blank lines do not count on either side.

    Whole lines are looked for first, then a quote that begins or ends inside a line. A quote that was
    copied with its line numbers or diff marks is read without them.
    """
    numbered = [(number, folded) for number, line in enumerate(lines, 1) if (folded := fold(line))]
    for reading in _readings(quote):
        for matches in (_is_same, _is_part):
            found = _occurrences(reading, numbered, matches)
            if found:
                return found
    return []


def extend_until_unique(occurrence: Occurrence, lines: Sequence[str]) -> Occurrence:
    """Add neighbouring lines to a short quote until its text stands only once in the file."""
    start, end = occurrence.start, occurrence.end
    for _ in range(MAX_EXTRA_LINES):
        if len(find_quote("\n".join(lines[start - 1 : end]), lines)) <= 1:
            break
        start, end = max(1, start - 1), min(len(lines), end + 1)
    return Occurrence(start, end)


def _readings(quote: str) -> list[list[str]]:
    raw = [line for line in quote.split("\n") if line.strip()]
    readings = [raw]
    if raw and all(LINE_NUMBER.match(line) for line in raw):
        readings.append([LINE_NUMBER.sub("", line, count=1) for line in raw])
    if raw and all(line[0] in "+- " for line in raw) and any(line[0] in "+-" for line in raw):
        readings.append([line[1:] for line in raw])
    folded = [[text for line in reading if (text := fold(line))] for reading in readings]
    return [reading for reading in folded if reading]


def _occurrences(
    quote: list[str],
    numbered: list[tuple[int, str]],
    matches: Callable[[list[str], list[str]], bool],
) -> list[Occurrence]:
    size = len(quote)
    texts = [text for _, text in numbered]
    return [
        Occurrence(numbered[index][0], numbered[index + size - 1][0])
        for index in range(len(texts) - size + 1)
        if matches(quote, texts[index : index + size])
    ]


def _is_same(quote: list[str], texts: list[str]) -> bool:
    return quote == texts


def _is_part(quote: list[str], texts: list[str]) -> bool:
    if len(quote) == 1:
        return quote[0] in texts[0]
    return texts[0].endswith(quote[0]) and texts[-1].startswith(quote[-1]) and texts[1:-1] == quote[1:-1]
