"""Measure the size of the house and fail when a number rises above its ceiling.

`make check` runs it. Lower a ceiling when a number falls; only a decision record may raise one.
"""

import ast
import configparser
import importlib.util
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from affidavit.__main__ import main as affidavit

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "affidavit"
WINGS = ("service", "lab")
GENERATED = {"reference.md"}
OPTION = re.compile(r"^[\s│*]*(?:-\w,?\s+)?(--[a-z-]+)", re.MULTILINE)

CEILINGS = {
    "AST nodes": 573_000,
    "lines": 81_100,
    "lines outside the wings": 69_150,
    "modules": 507,
    "folders": 50,
    "layers": 12,
    "function length, 90th percentile": 16,
    "function length, longest": 50,
    "class names used more than once": 15,
    "words of documentation": 25_500,
    "options in review --help": 37,
    "files executed by a review": 193,
    "modules imported by a review": 232,
    "files that hold one finding": 39,
    "room changes of one finding": 22,
}


def source_numbers() -> dict[str, int]:
    """Count what the source consists of."""
    trees = {path: ast.parse(path.read_bytes()) for path in sorted(PACKAGE.rglob("*.py"))}
    lines = {path: len(path.read_bytes().splitlines()) for path in trees}
    lengths = sorted(_function_lengths(trees.values()))
    classes = Counter(
        node.name for tree in trees.values() for node in tree.body if isinstance(node, ast.ClassDef)
    )
    return {
        "AST nodes": sum(1 for tree in trees.values() for _ in ast.walk(tree)),
        "lines": sum(lines.values()),
        "lines outside the wings": sum(count for path, count in lines.items() if not _is_in_wing(path)),
        "modules": len(trees),
        "folders": len({path.parent for path in trees}),
        "layers": _layers(),
        "function length, 90th percentile": lengths[len(lengths) * 9 // 10],
        "function length, longest": lengths[-1],
        "class names used more than once": sum(1 for count in classes.values() if count > 1),
    }


def _function_lengths(trees: Iterable[ast.Module]) -> Iterable[int]:
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
                yield node.end_lineno - node.lineno + 1


def _is_in_wing(path: Path) -> bool:
    return path.relative_to(PACKAGE).parts[0] in WINGS


def _layers() -> int:
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / ".importlinter")
    layers = contracts["importlinter:contract:layers"]["layers"].splitlines()
    return sum(1 for line in layers if line.strip() and not line.strip().startswith("#"))


def document_numbers() -> dict[str, int]:
    """Count the words that people are asked to read."""
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    texts = [page.read_text() for page in pages if page.name not in GENERATED]
    command = [sys.executable, "-m", "affidavit", "review", "--help"]
    env = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"}
    shown = subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout
    return {
        "words of documentation": sum(len(text.split()) for text in texts),
        "options in review --help": len(set(OPTION.findall(shown))),
    }


def build_sample(repository: Path) -> None:
    """Make the repository of `sample/review.py`."""
    spec = importlib.util.spec_from_file_location("sample_review", ROOT / "sample" / "review.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.build(repository)


def review_numbers() -> dict[str, int]:
    """Follow one finding through a review of the sample change, without a model."""
    with tempfile.TemporaryDirectory() as folder:
        repository = Path(folder) / "shop"
        build_sample(repository)
        env = {**os.environ, "AFFIDAVIT_DATA": f"{folder}/data", "AFFIDAVIT_CACHE": f"{folder}/cache"}
        out = Path(folder) / "numbers.json"
        command = [sys.executable, __file__, "--trace", out]
        subprocess.run(command, cwd=repository, env=env, check=True, stdout=subprocess.DEVNULL)
        return json.loads(out.read_text())


class Trace:
    """Which files a review executes, and which of them are given the finding `ruff/F821`."""

    def __init__(self) -> None:
        self.executed: set[str] = set()
        self.holding: list[str] = []

    def __call__(self, frame, event, _argument) -> None:
        """Note one call."""
        file = frame.f_code.co_filename
        if event != "call" or not file.startswith(str(PACKAGE)):
            return
        if frame.f_code.co_name == "<module>":
            return
        self.executed.add(file)
        arguments = frame.f_code.co_varnames[: frame.f_code.co_argcount + frame.f_code.co_kwonlyargcount]
        if any(_is_finding(frame.f_locals.get(name)) for name in arguments):
            self.holding.append(file)

    def numbers(self) -> dict[str, int]:
        """Count what was noted."""
        rooms = [Path(file).relative_to(PACKAGE).parts[0] for file in self.holding]
        # A finding that answers for its own fields has not left the room that asks.
        rooms = [room for room in rooms if room != "records"]
        return {
            "files executed by a review": len(self.executed),
            "modules imported by a review": sum(1 for name in sys.modules if name.startswith("affidavit")),
            "files that hold one finding": len(set(self.holding)),
            "room changes of one finding": sum(1 for a, b in itertools.pairwise(rooms) if a != b),
        }


def _is_finding(value: object, depth: int = 2) -> bool:
    """Whether a value is the finding, or holds it: in a collection or a field, two steps deep."""
    if isinstance(value, list | tuple):
        return any(_is_finding(one, depth) for one in value[:40])
    if not type(value).__module__.startswith("affidavit."):
        return False
    fields = getattr(value, "__dict__", {})
    rule = fields.get("rule_id") or fields.get("rule") or fields.get("code")
    if str(rule) in {"F821", "ruff/F821"}:
        return True
    return depth > 0 and any(_is_finding(one, depth - 1) for one in fields.values())


def trace(out: Path) -> None:
    """Review the repository of the working folder, traced."""
    noted = Trace()
    sys.argv = ["affidavit", "review", "HEAD~1..HEAD", "--no-store"]
    threading.setprofile(noted)
    sys.setprofile(noted)
    try:
        affidavit()
    except SystemExit:
        pass
    finally:
        sys.setprofile(None)
        out.write_text(json.dumps(noted.numbers()))


def above(numbers: dict[str, int]) -> list[str]:
    """Name what is above its ceiling."""
    return [name for name, value in numbers.items() if value > CEILINGS[name]]


def table(numbers: dict[str, int]) -> str:
    """Show each number beside its ceiling."""
    rows = [
        f"{name:<36}{value:>9,}{CEILINGS[name]:>9,}{'  ABOVE' if name in above(numbers) else ''}"
        for name, value in numbers.items()
    ]
    return "\n".join([f"{'':<36}{'now':>9}{'ceiling':>9}", *rows])


def main(arguments: list[str]) -> int:
    """Print the table; 1 where a number is above its ceiling."""
    if arguments[:1] == ["--trace"]:
        trace(Path(arguments[1]))
        return 0
    numbers = {**source_numbers(), **document_numbers(), **review_numbers()}
    print(table(numbers))
    return 1 if above(numbers) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
