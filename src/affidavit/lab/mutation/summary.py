"""Say in plain text what was planted, what was discarded and why."""

from collections import Counter
from pathlib import Path

from affidavit.lab.mutation.planting import PlantingSummary


def describe_planting(summary: PlantingSummary, out: Path) -> str:
    """The counts of a planting, and what to do next."""
    kinds = Counter(bug.mutant.operator for bug in summary.bugs)
    languages = Counter(bug.language for bug in summary.bugs)
    planted = f"{_counted(len(summary.bugs), 'bug')} planted in {_counted(summary.commits, 'commit')}"
    lines = [
        f"{planted}, with {_counted(summary.commits, 'clean twin')}: {out}",
        *_listed("kinds", kinds),
        *_listed("languages", languages),
        f"{_counted(summary.commits_read, 'commit')} read; "
        f"not suited: {sum(summary.commits_unsuited.values())}",
        *_reasons(summary.commits_unsuited),
        f"{_counted(summary.candidates, 'candidate')} found, {summary.tried} tried; "
        f"discarded: {sum(summary.discarded.values())}",
        *_reasons(summary.discarded),
        "checked in what was planted:",
        *_reasons(summary.checks),
        f"Next: affidavit eval {out}",
    ]
    return "\n".join(lines)


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _listed(heading: str, counts: Counter[str]) -> list[str]:
    shown = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in _ordered(counts))
    return [f"  {heading}: {shown}"] if shown else []


def _reasons(counts: Counter[str]) -> list[str]:
    return [f"  {_counted(count, 'time')}: {reason}" for reason, count in _ordered(counts)]


def _ordered(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
