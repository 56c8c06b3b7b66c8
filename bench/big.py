"""Reviews of very large changes: thousands of edited files with one of many lines, and a large move."""

import os
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from bench.context import contents, put_commit
from bench.measure import BIN, Row, Scale, best, call
from bench.repositories import run

EDITED_SECONDS, MOVED_SECONDS, MEGABYTES = 20.0, 5.0, 600.0
BOUND = 8.0
"""Of the ratio to ruff and a diff, which compare nothing and read one language."""
LENGTH = 10
"""Of each of the twelve methods of a file: files have 170 lines."""
EDITS = {
    ".py": ("* 2\n", "* 3\n"),
    ".ts": ("depth > 0", "depth > 1"),
    ".go": ("Println(", "Println(1 + "),
    ".md": ("See", "Read"),
}
"""What is replaced in each kind of file, twice."""


def big(scale: Scale) -> Iterator[Row]:
    """Compare reviews of large changes with ruff on both sides and a diff, and with what they may take."""
    place = _repository(scale)
    files = [path for path, _ in contents(scale.big_packages)]
    for what, target, allowed in (
        (f"{len(files) + 1} edited files", "main~2..main~1", EDITED_SECONDS),
        (f"{len(_moves(files))} moved files", "main~1..main", MOVED_SECONDS),
    ):
        by_hand = _by_hand(place, target)
        seconds, megabytes = _reviewed(place, target)
        yield Row(f"a review of {what}", seconds, "ruff on both sides and git diff", by_hand, BOUND)
        yield Row("  the same", seconds, "what it may take", allowed, 1)
        yield Row("  memory of its largest process", megabytes, "what it may take", MEGABYTES, 1, "MB")


def _reviewed(place: Path, target: str) -> tuple[float, float]:
    """Return the seconds of a cold review, and the megabytes of the largest process in it."""
    command = [BIN / "affidavit", "review", target, "--repo", place, "--no-store", "--format", "verdict"]
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "AFFIDAVIT_CACHE": folder, "AFFIDAVIT_DATA": folder}
        started = time.perf_counter()
        with subprocess.Popen(
            command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1, 3):
        raise RuntimeError(f"{command} ended with {process.returncode}")
    return time.perf_counter() - started, used.ru_maxrss / 1024


def _by_hand(place: Path, target: str) -> float:
    """Return the seconds of ruff on a checkout of both sides, and of the diff between them."""
    with tempfile.TemporaryDirectory() as name:
        return best(lambda: call(["git", "diff", "-M", target], place), 1) + sum(
            _checked(place, side, Path(name) / str(number)) for number, side in enumerate(target.split(".."))
        )


def _checked(place: Path, side: str, folder: Path) -> float:
    run("git", "clone", "--quiet", "--shared", "--no-checkout", place, folder)
    run("git", "checkout", "--quiet", "--detach", run("git", "rev-parse", side, cwd=place), cwd=folder)
    return best(lambda: call([BIN / "ruff", "check", "--no-cache", "--quiet"], folder), 1)


def _repository(scale: Scale) -> Path:
    """Return a generated repository whose second commit edits all files, and whose third moves many."""
    place = scale.folder / "big"
    if (place / "ready").is_file():
        return place
    place.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "init", "--quiet", "--bare", "-b", "main", place], check=True)
    with subprocess.Popen(["git", "fast-import", "--quiet"], cwd=place, stdin=subprocess.PIPE) as importer:
        assert importer.stdin is not None
        importer.stdin.writelines(_history(scale))
    if importer.returncode != 0:
        raise RuntimeError("git fast-import failed")
    (place / "ready").touch()
    return place


def _history(scale: Scale) -> Iterator[bytes]:
    files = dict(contents(scale.big_packages, LENGTH))
    yield from put_commit("Everything", {**files, "src/huge.py": _huge(scale, 1)}.items())
    edited = {path: _edited(path, text) for path, text in files.items()}
    yield from put_commit("Edit everything", {**edited, "src/huge.py": _huge(scale, 2)}.items())
    yield from put_commit("Move", (), _moves(files))


def _edited(path: str, text: str) -> str:
    old, new = EDITS.get(Path(path).suffix, ("", ""))
    return text.replace(old, new, 2) if old in text and old else f"{text}\n"


def _huge(scale: Scale, factor: int) -> str:
    """Return a file of many lines, every hundredth of which depends on the factor."""
    functions = (
        f"def step_{one}(value, other=None):\n"
        f"    total = value * {one * (factor if one % 20 == 0 else 1)} + len(str(other))\n"
        f"    if total > {one}:\n"
        f"        return total - {one}\n"
        "    return total\n"
        for one in range(scale.huge_lines // 5)
    )
    return "".join(functions)


def _moves(files: Iterable[str]) -> dict[str, str]:
    """Return the new places of the Python files, which import each other by relative names."""
    return {path: path.replace("src/", "lib/", 1) for path in files if path.startswith("src/")}
