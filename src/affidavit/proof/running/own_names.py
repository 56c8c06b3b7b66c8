"""Name what a run calls its own: names, printed lines and values that vary."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from affidavit.ports import Repository

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
    """Replace everything that varies from run to run."""
    for _, pattern in VARYING:
        text = pattern.sub(rf"\1{STANDS_FOR_IT}", text)
    return text


ROOTS = ("", "src/", "lib/", "node_modules/")
"""Where interpreters look for modules of the repository itself."""
CODE = (
    *(".py", ".pyc", ".pyd", ".pyi", ".pyw", ".pyx", ".so", ".rb", ".php", ".pl", ".pm", ".go", ".rs", ".sh"),
    *(".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx", ".json", ".node", ".vue", ".svelte"),
)
"""What an interpreter may load by the name of the file; `redis.conf` is no package."""
FILES_OF_PACKAGES = ("__init__", "index", "mod")


@dataclass(frozen=True)
class OwnNames:
    """The modules and programs that the repository has, or had."""

    roots: frozenset[str] = field(default_factory=frozenset)
    """What can be imported from the root of either side, as a path without its ending."""
    moved: frozenset[str] = field(default_factory=frozenset)
    """What only one side has: a module that the change adds, deletes or renames, wherever it lies."""
    files: frozenset[str] = field(default_factory=frozenset)
    """Names of files, as a shell names what it does not find."""

    def has(self, name: str) -> bool:
        """Check whether a name is the repository's own, so that no environment could bring it."""
        if name in self.files:
            return True
        path = name if "/" in name else name.replace(".", "/")
        if path in self.roots or any(one == path or one.endswith(f"/{path}") for one in self.moved):
            return True
        # A package of the repository hides every other of its name; a folder without a file of its own
        # (a namespace package) does not.
        return f"{path.split('/')[0]}/" in self.roots


NOTHING_OWN = OwnNames()


def own_names(repository: Repository) -> OwnNames:
    """Return the names that the repository has at base or at head."""
    base, head = (frozenset(tree.entries()) for tree in (repository.redacted.base, repository.redacted.head))
    return own_names_of(base, head)


def own_names_of(base: Iterable[str], head: Iterable[str]) -> OwnNames:
    """Return the names that these paths of both sides have."""
    before, after = frozenset(base), frozenset(head)
    rooted = {name for path in before | after for name in _importable(path)}
    moved = {name for path in before ^ after for name in _without_ending(path)}
    files = {path.rsplit("/", 1)[-1] for path in before | after}
    return OwnNames(frozenset(rooted), frozenset(moved), frozenset(files))


def _importable(path: str) -> Iterator[str]:
    """Yield the names by which a file can be imported; one with a slash covers all below it."""
    for root in ROOTS:
        if path.startswith(root):
            inner = path.removeprefix(root)
            yield from _without_ending(inner)
            stem, _, rest = inner.partition("/")
            if not rest and "." in stem and _is_code(inner):
                yield f"{stem.split('.')[0]}/"
            elif rest.split(".")[0] in FILES_OF_PACKAGES and _is_code(inner):
                yield f"{stem}/"


def _without_ending(path: str) -> Iterator[str]:
    folder, slash, file = path.rpartition("/")
    yield path
    if not _is_code(path):
        return
    stem = file.split(".")[0]
    yield f"{folder}{slash}{stem}"
    if stem in FILES_OF_PACKAGES and folder:
        yield folder


def _is_code(path: str) -> bool:
    name = path.rpartition("/")[2]
    return "." not in name or name.endswith(CODE)
