"""What every section shares: the scale it runs at, the rows it returns, and how it measures."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.repositories import DJANGO, SMALL, Project

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
SUPPORT = ROOT / "tests" / "support"
"""How the tests start servers and browsers; sections import from here."""


@dataclass(frozen=True)
class Scale:
    """How much is measured. The defaults are the full size; `smoke_scale` returns a tiny one."""

    folder: Path = field(default_factory=lambda: Path(".bench").absolute())
    """Where repositories and other files are kept."""
    project: Project = DJANGO
    rounds: int = 3
    short_rounds: int = 10
    """For what takes less than a second."""
    packages: int = 120
    """Of the repository whose map is made: about 140 files each."""
    big_packages: int = 36
    """Of the repository whose files are all edited: about 140 files each."""
    huge_lines: int = 200_000
    """Of one more file there."""
    commits: int = 100
    """Reviewed one after the other."""
    latency_seconds: float = 2.0
    """Of the model in the sections `minds`, `iterations` and `tokens`."""
    changed_files: int = 20
    """Of the change that models review: 100 changed lines each."""
    page_files: int = 20
    page_findings: int = 300
    service_latency_seconds: float = 3.0
    service_reviews: int = 200
    reviews_at_once: int = 8
    """Of each of two workers."""
    listeners: int = 500
    stored_reviews: int = 2_000
    stored_events: int = 150
    """Of each stored review."""
    is_started: bool = True
    """Servers and workers start as users start them; in a smoke run they are forks, which start sooner."""


def smoke_scale(folder: Path) -> Scale:
    """Return a scale at which every section ends within seconds and needs no network."""
    return Scale(
        folder=folder,
        project=SMALL,
        rounds=1,
        short_rounds=1,
        packages=1,
        big_packages=1,
        huge_lines=500,
        commits=3,
        latency_seconds=0.01,
        changed_files=5,
        page_files=2,
        page_findings=10,
        service_latency_seconds=0.01,
        service_reviews=2,
        reviews_at_once=1,
        listeners=4,
        stored_reviews=25,
        stored_events=2,
        is_started=False,
    )


@dataclass(frozen=True)
class Row:
    """One comparison: two measured values and the bound of their ratio."""

    what: str
    value: float
    against: str
    other: float
    bound: float
    unit: str = "s"

    def line(self) -> str:
        """Return the row as text."""
        return (
            f"{self.what:<38} {self._shown(self.value):>12} {self.against:<42} {self._shown(self.other):>12}"
            f"  ratio {self.ratio:6.2f}   {self.mark} {self.bound:.3g}"
        )

    def table_row(self) -> str:
        """Return the row as a line of a Markdown table."""
        cells = [self.what.strip(), self._shown(self.value), self.against, self._shown(self.other)]
        return f"| {' | '.join([*cells, f'{self.ratio:.2f}', f'{self.mark} {self.bound:.3g}'])} |\n"

    @property
    def ratio(self) -> float:
        """Return the value as a multiple of the other."""
        return self.value / self.other

    @property
    def is_over(self) -> bool:
        """Return whether the ratio is over its bound."""
        return self.ratio > self.bound

    @property
    def mark(self) -> str:
        """Return whether the ratio is within its bound, in a word."""
        return "OVER" if self.is_over else "within"

    def _shown(self, value: float) -> str:
        return f"{value:.{0 if self.unit == 'tok' else 3}f} {self.unit}"


Section = Callable[[Scale], Iterable[Row]]


def best(action: Callable[[], object], rounds: int) -> float:
    """Return the seconds of the shortest run; longer ones measure what else the machine does."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        action()
        times.append(time.perf_counter() - started)
    return min(times)


def call(
    command: Sequence[str | Path], cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> None:
    """Run a command quietly. Its exit code may be 1, since findings set it."""
    done = subprocess.run(
        command, cwd=cwd, env={**os.environ, **(env or {})}, check=False, capture_output=True, text=True
    )
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{command} ended with {done.returncode}: {done.stderr}")
