"""How many of the files that a later fix touches stand among the first of the map of the change it fixes.

`python -m bench map FOLDER…`: repositories in, the share of such files among the first twenty out. Which
commit a fix repairs is read from its message ("Regression in 0123abcd"), or from a file of cases.
"""

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from affidavit.context.gather import gather_context
from affidavit.errors import AffidavitError
from affidavit.git.blob_cache import BlobCache
from affidavit.languages.registry import grammar_of
from affidavit.languages.test_files import is_test
from affidavit.reviewing.panel import assemble_readers
from affidavit.stages.looking.intake import ChangeRequest, open_change

FIRST = 20
NEWEST = 40
MAX_CHANGED = 40
"""A change of more files is a sweep: whatever a fix touches is hardly elsewhere."""
_NAMED = re.compile(r"(?:[Rr]egression in|[Ff]ixes:|[Rr]egressed in)\s+([0-9a-f]{8,40})\b")
_GREP = r"([Rr]egression in|[Ff]ixes:|[Rr]egressed in) +[0-9a-f]{8,40}"


class Wanted(NamedTuple):
    """A change, and the files that its map should name."""

    repository: Path
    base: str
    head: str
    files: frozenset[str]


class Found(NamedTuple):
    """How far up each wanted file stands; None where the map lacks it."""

    wanted: Wanted
    places: tuple[int | None, ...]
    seconds: float


def mined(repository: Path) -> Iterator[Wanted]:
    """Changes that a later commit says it repairs, the newest fixes first."""
    log = _git(repository, "log", "--no-merges", "-E", f"--grep={_GREP}", "--format=%H%x00%B%x01")
    for entry in log.split("\x01"):
        fix, _, message = entry.strip().partition("\0")
        for named in dict.fromkeys(_NAMED.findall(message)):
            head = _git(repository, "rev-parse", "--verify", "-q", f"{named}^{{commit}}").strip()
            wanted = _wanted(repository, f"{head}^", head, fix) if head and fix else None
            if wanted is not None:
                yield wanted


def from_cases(cases: Path, repositories: Sequence[Path]) -> Iterator[Wanted]:
    """Changes of a file of cases, with the files that its findings cite and its fixes touch."""
    for case in json.loads(cases.read_text())["cases"]:
        repository = next((one for one in repositories if _has(one, case["head"])), None)
        for problem in case.get("expected", ()) if repository else ():
            cited = frozenset({problem["file"]})
            fix = problem.get("fixed_by", "")
            wanted = _wanted(repository, case["base"], case["head"], fix, cited)
            if wanted is not None:
                yield wanted


def _wanted(
    repository: Path, base: str, head: str, fix: str, cited: frozenset[str] = frozenset()
) -> Wanted | None:
    """The code that the fix touches and the change does not, as far as it was there already."""
    changed = set(_git(repository, "diff", "--name-only", base, head).split("\n"))
    touched = set(_git(repository, "show", "--format=", "--name-only", fix).split("\n")) if fix else set()
    there = [path for path in sorted((touched | cited) - changed) if path and _is_code(path)]
    files = frozenset(path for path in there if _has(repository, f"{head}:{path}"))
    return Wanted(repository, base, head, files) if files and 0 < len(changed) <= MAX_CHANGED else None


def _is_code(path: str) -> bool:
    return grammar_of(path) is not None and not is_test(path)


def _has(repository: Path, name: str) -> bool:
    done = subprocess.run(
        ["git", "-C", str(repository), "cat-file", "-e", name], capture_output=True, check=False
    )
    return done.returncode == 0


def _git(repository: Path, *args: str) -> str:
    done = subprocess.run(["git", "-C", str(repository), *args], capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace")


def measure(wanted: Wanted, cache: BlobCache) -> Found | None:
    """The places of the wanted files in the map; None where the change cannot be opened."""
    started = time.perf_counter()
    request = ChangeRequest(target=f"{wanted.base}..{wanted.head}", repo=wanted.repository)
    try:
        with open_change(request) as opened:
            found = gather_context(opened.change, opened.repository, assemble_readers(cache))
    except AffidavitError as error:
        print(f"{wanted.head[:12]} was left out: {error}", file=sys.stderr)
        return None
    order = [file.path for file in found.related_files]
    places = tuple(order.index(path) + 1 if path in order else None for path in sorted(wanted.files))
    return Found(wanted, places, time.perf_counter() - started)


def table(found: Sequence[Found]) -> str:
    """The figures."""
    places = [place for one in found for place in one.places]
    first = sum(place is not None and place <= FIRST for place in places)
    there = sum(place is not None for place in places)
    whole = sum(all(place is not None and place <= FIRST for place in one.places) for one in found)
    seconds = sorted(one.seconds for one in found)
    return "\n".join(
        [
            f"changes {len(found)}, files that their fixes touch elsewhere {len(places)}",
            f"among the first {FIRST}: {first} ({_share(first, len(places))})",
            f"in the map: {there} ({_share(there, len(places))})",
            f"changes with all of them among the first {FIRST}: {whole} ({_share(whole, len(found))})",
            f"seconds a map, median: {seconds[len(seconds) // 2]:.1f}" if seconds else "nothing was measured",
        ]
    )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "none"


def main(arguments: Sequence[str]) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="bench map", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--cases", type=Path, help="a JSON file with cases instead of the commits' messages")
    parser.add_argument("--newest", type=int, default=NEWEST, help="so many changes of each repository")
    parser.add_argument("--cache", type=Path, help="a folder that keeps what was parsed")
    parser.add_argument("--verbose", action="store_true", help="a line for each change")
    options = parser.parse_args(arguments)
    if options.cases:
        chosen = list(from_cases(options.cases, options.folders))
    else:
        chosen = [one for folder in options.folders for one in islice(mined(folder), options.newest)]
    cache = BlobCache(options.cache)
    found = []
    for wanted in dict.fromkeys(chosen):
        one = measure(wanted, cache)
        found += [one] if one else []
        if one and options.verbose:
            rows = zip(sorted(wanted.files), one.places, strict=True)
            print(
                f"{wanted.head[:12]} {one.seconds:5.1f} s  " + ", ".join(f"{p}: {n}" for p, n in rows),
                flush=True,
            )
    print(table(found))


if __name__ == "__main__":
    main(sys.argv[1:])
