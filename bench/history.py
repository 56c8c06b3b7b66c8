"""Reviews of many commits, one after the other, beside the linters that somebody would run instead."""

import os
import random
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from bench.commits import last_commits
from bench.context import put_commit
from bench.measure import BIN, Row, Scale, call
from bench.repositories import repository, run

HISTORY = "BENCH_HISTORY"
"""The variable that names a repository whose commits are reviewed; else commits to Django are made up."""
RETURN = re.compile(r"(?m)^( +)return (\w.*[\w)])$")
EVERY = 25
"""The linters read all files, so they take as long at any commit: so many commits share one run."""
LINTERS = (
    [BIN / "ruff", "check", "--no-cache", "--quiet"],
    [BIN / "ty", "check", "--exit-zero", "--quiet"],
)
BOUNDS = {"median": (0.25, 0.5), "slowest tenth": (0.8, 1.6)}
"""Beside the linters on both sides, and on head alone."""


def history(scale: Scale) -> Iterator[Row]:
    """Compare reviews of commits with ruff and ty on both sides, and on head filtered by the diff."""
    named = os.environ.get(HISTORY)
    place = Path(named) if named else _made_up(scale)
    commits = [one.id for one in last_commits(place, scale.commits)][::-1]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run("git", "clone", "--quiet", "--shared", "--no-checkout", place, folder / "clone")
        env = {"AFFIDAVIT_CACHE": str(folder / "kept"), "AFFIDAVIT_DATA": str(folder / "kept")}
        _review(folder / "clone", commits[0], env)
        reviews = sorted(_review(folder / "clone", one, env) for one in commits)
        sampled = [_by_hand(folder / "clone", one) for one in commits[::EVERY]]
    both, head = (median(times) for times in zip(*sampled, strict=True))
    places = {"median": len(reviews) // 2, "slowest tenth": len(reviews) * 9 // 10}
    for words, place_in_order in places.items():
        what, seconds = f"{len(commits)} commits, {words}", reviews[place_in_order]
        yield Row(what, seconds, "ruff and ty on both sides", both, BOUNDS[words][0])
        yield Row("  the same", seconds, "ruff and ty on head, for reviewdog", head, BOUNDS[words][1])


def _review(place: Path, commit: str, env: dict[str, str]) -> float:
    started = time.perf_counter()
    command = [BIN / "affidavit", "review", commit, "--repo", place, "--format", "verdict"]
    done = subprocess.run(command, env={**os.environ, **env}, check=False, capture_output=True)
    # 2: a commit that changes no file is no review.
    if done.returncode not in (0, 1, 2, 3):
        raise RuntimeError(f"the review of {commit} ended with {done.returncode}: {done.stderr!r}")
    return time.perf_counter() - started


def _by_hand(place: Path, commit: str) -> tuple[float, float]:
    """Return the seconds of the linters on both sides, and on head with the diff that filters them."""
    taken = []
    for side in (f"{commit}^", commit):
        run("git", "checkout", "--quiet", "--force", "--detach", side, cwd=place)
        started = time.perf_counter()
        for linter in LINTERS:
            call(linter, place)
        taken.append(time.perf_counter() - started)
    started = time.perf_counter()
    call(["git", "diff", "-U0", f"{commit}^", commit], place)
    return sum(taken), taken[-1] + time.perf_counter() - started


def _made_up(scale: Scale) -> Path:
    """Return a repository with small commits to the project, each of one to four files; it is made once."""
    place = scale.folder / "history"
    if (place / ".git" / "ready").is_file():
        return place
    run("git", "clone", "--quiet", repository(scale.folder, scale.project), place)
    with subprocess.Popen(
        ["git", "fast-import", "--quiet", "--force"], cwd=place, stdin=subprocess.PIPE
    ) as importer:
        assert importer.stdin is not None
        importer.stdin.write(b"reset refs/heads/main\nfrom refs/heads/main^0\n\n")
        importer.stdin.writelines(_edits(place, scale))
    if importer.returncode != 0:
        raise RuntimeError("git fast-import failed")
    (place / ".git" / "ready").touch()
    return place


def _edits(place: Path, scale: Scale) -> Iterator[bytes]:
    """Yield commits that name what some functions return."""
    chance = random.Random(0)
    folder = place / scale.project.packages[0]
    texts = {str(file.relative_to(place)): file.read_text() for file in sorted(folder.rglob("*.py"))}
    paths = [path for path, text in texts.items() if RETURN.search(text)]
    for number in range(scale.commits):
        chosen = chance.sample(paths, min(len(paths), chance.randint(1, 4)))
        for path in chosen:
            found = chance.choice(list(RETURN.finditer(texts[path])))
            named = f"{found[1]}result = {found[2]}\n{found[1]}return result"
            texts[path] = texts[path][: found.start()] + named + texts[path][found.end() :]
        yield from put_commit(f"Name results {number}", [(path, texts[path]) for path in chosen])
