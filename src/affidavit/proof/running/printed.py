"""What a program printed, as it is shown: its output in, lines behind a bar that it cannot leave out.

A program of the change can print what looks like our own words, such as how it ended on the other side.
"""

from collections.abc import Sequence

BAR = "| "
MAX_LINES = 30
MAX_LINE_LENGTH = 300


def printed_lines(output: str, most: int = MAX_LINES, longest: int = MAX_LINE_LENGTH) -> list[str]:
    """Each line behind a bar; of many lines and of a long one both ends, and how much is left out."""
    # Whatever a reader's screen may take for the end of a line ends one here.
    return both_ends([f"{BAR}{_middle_out(line, longest)}" for line in output.splitlines()], most)


def both_ends(lines: Sequence[str], most: int) -> list[str]:
    """The first and the last of many lines, and how many are left out between them."""
    if len(lines) <= most:
        return [*lines]
    half = most // 2
    return [*lines[:half], f"… {len(lines) - 2 * half} lines left out …", *lines[-half:]]


def _middle_out(line: str, longest: int) -> str:
    if len(line) <= longest:
        return line
    half = longest // 2
    return f"{line[:half]} … {len(line) - 2 * half} characters left out … {line[-half:]}"
