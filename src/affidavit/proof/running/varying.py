"""What is never the same in two runs of the same program: an output in, the same without that out.

This is the one place where it is said what may vary. It is written narrowly: what is taken out of both texts
can hide no difference that a program was written to show.
"""

import re

STANDS_FOR_IT = "…"
_NUMBER = r"\d+(?:\.\d+)?"
_ENDED = r"passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?|ran"
VARYING: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("where an object lies in memory", re.compile(r"( at )0x[0-9a-fA-F]{6,16}\b")),
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
    """The same text, with a mark for each thing that varies from run to run."""
    for _, pattern in VARYING:
        text = pattern.sub(rf"\1{STANDS_FOR_IT}", text)
    return text
