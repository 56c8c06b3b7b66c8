"""Show what a program printed, and replace the parts that vary between runs."""

import re
from collections.abc import Sequence

BAR = "| "
MAX_LINES = 30
MAX_LINE_LENGTH = 300


def printed_lines(output: str, most: int = MAX_LINES, longest: int = MAX_LINE_LENGTH) -> list[str]:
    """Put a bar before each line, and leave out the middle of long lines and of long outputs."""
    # Whatever a reader's screen may take for the end of a line ends one here.
    return both_ends([f"{BAR}{_middle_out(line, longest)}" for line in output.splitlines()], most)


def both_ends(lines: Sequence[str], most: int) -> list[str]:
    """Return the first and last of many lines, and say how many are left out between them."""
    if len(lines) <= most:
        return [*lines]
    half = most // 2
    return [*lines[:half], f"… {len(lines) - 2 * half} lines left out …", *lines[-half:]]


def _middle_out(line: str, longest: int) -> str:
    if len(line) <= longest:
        return line
    half = longest // 2
    return f"{line[:half]} … {len(line) - 2 * half} characters left out … {line[-half:]}"


STANDS_FOR_IT = "…"
_NUMBER = r"\d+(?:\.\d+)?"
_ENDED = r"passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?|ran"
VARYING: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("the address of an object", re.compile(r"( at )0x[0-9a-fA-F]{6,16}\b")),
    ("an address of the kernel's usual ranges", re.compile(r"\b()0x(?:7[ef]|5[56])[0-9a-f]{10}\b")),
    ("an address of Go's heap", re.compile(r"\b()0xc000[0-9a-f]{6}\b")),
    (
        "a temporary folder or file",
        re.compile(
            r"(/tmp/)(?:tmp[\w.]{6,12}|go-build\d+|pytest-of-\w+/pytest-\d+|d?\d{8}-\d+-\w+"
            r"|[\w.]{1,40}-(?=[a-z]*[A-Z0-9])[A-Za-z0-9]{6}(?![\w.-]))"
        ),
    ),
    ("how long unittest took", re.compile(rf"^(Ran \d+ tests? in ){_NUMBER}s$", re.MULTILINE)),
    (
        "how long pytest took",
        re.compile(rf"(\b(?:{_ENDED}) in ){_NUMBER}s(?: \(\d+:\d\d:\d\d\))?(?= =|$)", re.MULTILINE),
    ),
    ("how long Ruby's tests took", re.compile(rf"^(Finished in ){_NUMBER} ?s(?:econds?)?\b", re.MULTILINE)),
    ("how fast they were", re.compile(rf"\b(){_NUMBER}(?= (?:runs|assertions|tests)/s)")),
    ("how long rspec loaded", re.compile(rf"(\(files took ){_NUMBER} seconds?")),
    (
        "how long a test of Go took",
        re.compile(rf"^(\s*--- \w+: .{{1,200}} \(){_NUMBER}s(?=\)$)", re.MULTILINE),
    ),
    (
        "how long a package of Go took",
        re.compile(rf"^((?:ok|FAIL) ?\s?\t.{{1,200}}\t){_NUMBER}s\b", re.MULTILINE),
    ),
    ("how long node took", re.compile(rf"(\bduration_ms:? ){_NUMBER}")),
    (
        "how long a test of node took",
        re.compile(rf"^(\s*[✔✖▶✓✗] .{{1,200}} \(){_NUMBER}ms(?=\))", re.MULTILINE),
    ),
    (
        "how long jest or phpunit took",
        re.compile(rf"^(Time: +)(?:{_NUMBER} m?s\b|\d\d:\d\d(?::\d\d)?\.\d+)", re.MULTILINE),
    ),
)


def steady(text: str) -> str:
    """Replace everything that varies from run to run."""
    for _, pattern in VARYING:
        text = pattern.sub(rf"\1{STANDS_FOR_IT}", text)
    return text
