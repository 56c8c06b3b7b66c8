"""How many of the files that a later fix touches are among the first of the map of the change it fixes.

`python -m bench map FOLDER…`: repositories in, the share of such files among the first twenty out.
The message of a fix names the commit that it repairs: "Regression in 0123abcd".
"""

import argparse
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from affidavit.agents.panel import assemble_readers
from affidavit.context.gather import gather_context
from affidavit.errors import AffidavitError
from affidavit.git.blob_cache import BlobCache
from affidavit.languages.registry import grammar_of
from affidavit.languages.test_files import is_test
from affidavit.stages.intake import ChangeRequest, open_change

FIRST = 20
NEWEST = 40
MAX_CHANGED = 40
"""A change of more files touches most of what a fix touches, so it is left out."""
_PHRASES = "[Rr]egression in|[Ff]ixes:|[Rr]egressed in"
_NAMED = re.compile(rf"(?:{_PHRASES})\s+([0-9a-f]{{8,40}})\b")


class Wanted(NamedTuple):
    """A change, and the files that its map should name."""

    repository: Path
    head: str
    files: frozenset[str]


class Found(NamedTuple):
    """The place of each wanted file in the map; None if the map lacks it."""

    places: tuple[int | None, ...]
    seconds: float


def repaired_changes(repository: Path) -> Iterator[Wanted]:
    """Yield changes that a later commit says it repairs, the newest fixes first."""
    log = _git(
        repository,
        "log",
        "--no-merges",
        "-E",
        f"--grep=({_PHRASES}) +[0-9a-f]{{8,40}}",
        "--format=%H%x00%B%x01",
    )
    for entry in log.split("\x01"):
        fix, _, message = entry.strip().partition("\0")
        for named in dict.fromkeys(_NAMED.findall(message)):
            head = _git(repository, "rev-parse", "--verify", "-q", f"{named}^{{commit}}").strip()
            wanted = _wanted(repository, head, fix) if head and fix else None
            if wanted is not None:
                yield wanted


def _wanted(repository: Path, head: str, fix: str) -> Wanted | None:
    """Return the code that the fix touches and the change does not, if it existed already."""
    changed = set(_git(repository, "diff", "--name-only", f"{head}^", head).split("\n"))
    touched = set(_git(repository, "show", "--format=", "--name-only", fix).split("\n"))
    there = set(_git(repository, "ls-tree", "-r", "--name-only", head).split("\n"))
    files = frozenset(path for path in (touched & there) - changed if path and _is_code(path))
    return Wanted(repository, head, files) if files and len(changed) <= MAX_CHANGED else None


def _is_code(path: str) -> bool:
    return grammar_of(path) is not None and not is_test(path)


def _git(repository: Path, *args: str) -> str:
    done = subprocess.run(["git", "-C", str(repository), *args], capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace")


def measure(wanted: Wanted, cache: BlobCache) -> Found | None:
    """Return the places of the wanted files in the map; None if the change cannot be opened."""
    started = time.perf_counter()
    request = ChangeRequest(target=f"{wanted.head}^..{wanted.head}", repo=wanted.repository)
    try:
        with open_change(request) as opened:
            found = gather_context(opened.change, opened.repository, assemble_readers(cache))
    except AffidavitError as error:
        print(f"{wanted.head[:12]} was left out: {error}", file=sys.stderr)
        return None
    order = [file.path for file in found.related_files]
    places = tuple(order.index(path) + 1 if path in order else None for path in sorted(wanted.files))
    return Found(places, time.perf_counter() - started)


def table(found: Sequence[Found]) -> str:
    """Return the figures as lines."""
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
    parser = argparse.ArgumentParser(prog="python -m bench map", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--newest", type=int, default=NEWEST, help="so many changes of each repository")
    parser.add_argument("--cache", type=Path, help="a folder that keeps what was parsed")
    options = parser.parse_args(arguments)
    chosen = [one for folder in options.folders for one in islice(repaired_changes(folder), options.newest)]
    cache = BlobCache(options.cache)
    print(table([one for wanted in dict.fromkeys(chosen) if (one := measure(wanted, cache))]))
