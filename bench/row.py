"""One comparison of the benchmark, and how it is measured."""

import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

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
    unit: str = "s"

    def line(self) -> str:
        """The row as text."""
        ratio = self.seconds / self.other_seconds
        mark = "within" if ratio <= self.bound else "OVER"
        return (
            f"{self.what:<38} {self.seconds:8.3f} {self.unit:<2}  "
            f"{self.against:<42} {self.other_seconds:8.3f} {self.unit:<2}"
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
