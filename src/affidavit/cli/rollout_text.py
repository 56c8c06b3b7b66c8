"""Rollouts in words and tables, for the terminal."""

import io
from collections.abc import Collection, Sequence

from rich.console import Console
from rich.table import Table

from affidavit.quality.rollout_comparison import Comparison, MedianPair, Middle, SharePair
from affidavit.quality.rollout_rules import show_rate, why_not_promote
from affidavit.records.measure import Interval, Rate
from affidavit.records.rollout import Decision, Rollout, Versions
from affidavit.render.plain_text import visible

WIDTH = 118
ACTIONS = {
    "start": "started",
    "slice": "slice changed",
    "promote": "promoted",
    "roll_back": "rolled back",
    "retire": "retired",
}
NOTHING = "–"  # noqa: RUF001 - an en dash in an empty cell


def describe_status(
    current: Versions, running: Rollout | None, comparison: Comparison | None, last: Decision | None
) -> str:
    """What is under way, whether it may be promoted, and what was decided last."""
    lines = [f"Reviews use prompts {current.name}."]
    if running is None or comparison is None:
        lines.append("No rollout is running.")
    else:
        lines += _under_way(running, comparison)
    if last:
        lines.append(f"Last decision: {_line(last)}")
    return "\n".join(lines) + "\n"


def _under_way(running: Rollout, comparison: Comparison) -> list[str]:
    dropped = comparison.share("dropped").new
    problems = why_not_promote(running, comparison)
    return [
        f"Rollout {running.number} of prompts {running.new.name} to {100 * running.share:g}% of the changes,"
        f" since {running.started_at[:10]}: {comparison.new_reviews} reviews,"
        f" {comparison.old_reviews} with the old version.",
        f"Dropped findings: {show_rate(dropped) if dropped else 'none handed in yet'}"
        f" (SLO {100 * running.slo_dropped:g}%).",
        f"Not to be promoted yet: {'; '.join(problems)}." if problems else "It may be promoted.",
    ]


def describe_comparison(rollout: Rollout, comparison: Comparison) -> str:
    """A table of all measures: old, new, difference."""
    title = f"Rollout {rollout.number}, {rollout.state.replace('_', ' ')}: {rollout.new.name}"
    table = Table(title=f"{title} against {rollout.old.name}", title_justify="left")
    table.add_column("measure")
    table.add_column(f"old, {comparison.old_reviews} reviews")
    table.add_column(f"new, {comparison.new_reviews} reviews")
    table.add_column("new less old")
    for pair in comparison.shares:
        table.add_row(*_share_row(pair))
    for median in comparison.medians:
        table.add_row(*_median_row(median))
    meanings = [f"{pair.name}: {pair.meaning}" for pair in comparison.shares]
    note = "Shares have Wilson's 95% interval, their differences Newcombe's; medians are bootstrapped."
    return _printed(table) + "\n".join([*meanings, note]) + "\n"


def _share_row(pair: SharePair) -> tuple[str, str, str, str]:
    mark = " worse" if pair.is_worse else ""
    return pair.name, _rate(pair.old), _rate(pair.new), _points(pair.difference) + mark


def _rate(rate: Rate | None) -> str:
    return show_rate(rate) if rate else NOTHING


def _points(difference: Interval | None) -> str:
    if difference is None:
        return NOTHING
    return f"{100 * difference.estimate:+.1f} [{100 * difference.low:+.1f} to {100 * difference.high:+.1f}]"


def _median_row(pair: MedianPair) -> tuple[str, str, str, str]:
    return f"{pair.name} a review, {pair.unit}", _middle(pair.old), _middle(pair.new), ""


def _middle(middle: Middle | None) -> str:
    if middle is None:
        return NOTHING
    interval = middle.interval
    between = f" [{interval.low:.3g}–{interval.high:.3g}]" if interval else ""  # noqa: RUF001
    return f"{middle.median:.3g}{between}, n={middle.n}"


def describe_history(decisions: Sequence[Decision]) -> str:
    """A line a decision, oldest first."""
    return "".join(f"{_line(decision)}\n" for decision in decisions) or "Nothing was decided yet.\n"


def describe_versions(
    known: Sequence[tuple[str, str]], current: Versions, running: Rollout | None, retired: Collection[str]
) -> str:
    """A line a version: where it comes from and what it is used for."""
    uses = {current.prompt: "current"}
    if running:
        uses[running.new.prompt] = f"on trial for {100 * running.share:g}% of the changes"
    uses |= dict.fromkeys(retired, "retired")
    return "".join(
        f"{version:<10} {visible(folder) or 'comes along':<30} {uses.get(version, '')}".rstrip() + "\n"
        for version, folder in known
    )


def _line(decision: Decision) -> str:
    number = f"rollout {decision.rollout}: " if decision.rollout else ""
    what = f"{decision.versions} {ACTIONS[decision.action]} {_by(decision)}"
    return visible(f"{decision.at[:16].replace('T', ' ')}  {number}{what}: {decision.why}")


def _by(decision: Decision) -> str:
    return decision.by if decision.is_automatic else f"by {decision.by}"


def _printed(table: Table) -> str:
    text = io.StringIO()
    Console(file=text, width=WIDTH, color_system=None).print(table)
    return text.getvalue()
