"""`make bench`: measure, and print each ratio beside the bound that it should keep."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import django

BIN = Path(sys.executable).parent
ROUNDS = 3


@dataclass(frozen=True)
class Row:
    """One comparison."""

    what: str
    seconds: float
    against: str
    other_seconds: float
    bound: float

    def line(self) -> str:
        """The row as text."""
        ratio = self.seconds / self.other_seconds
        mark = "within" if ratio <= self.bound else "OVER"
        return (
            f"{self.what:<38} {self.seconds:8.3f} s   {self.against:<42} {self.other_seconds:8.3f} s"
            f"   ratio {ratio:6.2f}   {mark} {self.bound:g}"
        )


def best(action: Callable[[], object], rounds: int = ROUNDS) -> float:
    """The shortest of several runs: the others measure the machine's neighbours."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        action()
        times.append(time.perf_counter() - started)
    return min(times)


def call(
    command: Sequence[str | Path], cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> None:
    """Run quietly; findings make other exit codes than 0."""
    subprocess.run(
        command, cwd=cwd, env=env, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def version_row() -> Row:
    """How fast the command starts."""
    return Row(
        "affidavit --version",
        best(lambda: call([BIN / "affidavit", "--version"]), 10),
        "a bare interpreter",
        best(lambda: call([sys.executable, "-c", "pass"]), 10),
        6,
    )


def review_rows(repository: Path) -> list[Row]:
    """A review of a small change, cold and warm, against its slowest analyser alone on both sides."""
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "AFFIDAVIT_CACHE": folder, "AFFIDAVIT_DATA": folder}
        command = [BIN / "affidavit", "review", "HEAD~1..HEAD", "--format", "verdict"]

        def review(*options: str) -> None:
            call([*command, *options], repository.absolute(), env)

        alone = best(lambda: slowest_alone(repository))
        cold = best(lambda: review("--no-cache"))
        review()
        warm = best(review)
    return [
        Row("review of a small change, cold", cold, "ty alone on base and head", alone, 1.3),
        Row("the same review, warm", warm, "cold", cold, 1 / 3),
    ]


def slowest_alone(repository: Path) -> None:
    """The type checker on a checkout of each side, one after the other."""
    for revision in ("HEAD~1", "HEAD"):
        checkout = django.FOLDER.absolute() / f"checkout-{revision}"
        if not checkout.is_dir():
            django.run("git", "worktree", "add", "--detach", checkout, revision, cwd=repository)
        call([BIN / "ty", "check", "--exit-zero", "--output-format", "concise"], checkout)


def main() -> None:
    """Print the table and the peak memory of the largest child process."""
    repository = django.repository()
    for row in [version_row(), *review_rows(repository)]:
        print(row.line())
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"peak memory of the largest process: {peak:.0f} MB (Django {django.VERSION}, two commits)")


if __name__ == "__main__":
    main()
