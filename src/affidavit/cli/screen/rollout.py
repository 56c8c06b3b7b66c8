"""Rollouts in words and tables, for the terminal."""

import io
import shutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table

from affidavit.lab.rollout.comparison import Comparison, MedianPair, Middle, SharePair
from affidavit.lab.rollout.rules import show_rate
from affidavit.records.lab.measure import Interval, Rate
from affidavit.records.lab.rollout import Decision, Rollout, Versions
from affidavit.render.safe_text import encodable, visible
from affidavit.render.wording import counted

WIDEST = 118
ACTIONS = {
    "start": "started",
    "slice": "slice changed",
    "promote": "promoted",
    "roll_back": "rolled back",
    "retire": "retired",
}
EN_DASH = "\N{EN DASH}"
NOTHING = EN_DASH


@dataclass(frozen=True)
class Prospects:
    """A running rollout, what is known of it, and what speaks against its promotion."""

    running: Rollout
    comparison: Comparison
    against_promotion: Sequence[str]
    against_automatic: Sequence[str] | None
    """None: it is not promoted without a person."""


def has_all_signs(encoding: str) -> bool:
    """Whether dashes and boxes can be written in it."""
    return encoding.lower().startswith("utf")


def shown_on(text: str, encoding: str) -> str:
    """The text in signs that this encoding has."""
    return text if has_all_signs(encoding) else encodable(text.replace(EN_DASH, "-"), encoding)


def describe_status(current: Versions, prospects: Prospects | None, last: Decision | None) -> str:
    """What is under way, whether it may be promoted, and what was decided last."""
    lines = [f"Reviews use prompts {current.name}."]
    lines += _under_way(prospects) if prospects else ["No rollout is running."]
    if last:
        lines.append(f"Last decision: {_line(last)}")
    return "\n".join(lines) + "\n"


def _under_way(prospects: Prospects) -> list[str]:
    running, comparison = prospects.running, prospects.comparison
    dropped = comparison.share("dropped").new
    problems = prospects.against_promotion
    lines = [
        f"Rollout {running.number} of prompts {running.new.name} to {100 * running.share:g}% of the changes,"
        f" since {running.started_at[:10]}: {counted(comparison.new_reviews, 'review')},"
        f" {comparison.old_reviews} with the old version.",
        f"Dropped findings: {show_rate(dropped) if dropped else 'none handed in yet'}"
        f" (SLO {100 * running.slo_dropped:g}%).",
        f"Not to be promoted yet: {'; '.join(problems)}." if problems else "It may be promoted.",
    ]
    if prospects.against_automatic and not problems:
        lines.append(f"Not promoted automatically yet: {'; '.join(prospects.against_automatic)}.")
    return lines


def describe_comparison(rollout: Rollout, comparison: Comparison, encoding: str = "utf-8") -> str:
    """A table of all measures: old, new, difference."""
    title = f"Rollout {rollout.number}, {rollout.state.replace('_', ' ')}: {rollout.new.name}"
    frame = box.HEAVY_HEAD if has_all_signs(encoding) else box.ASCII
    table = Table(title=f"{title} against {rollout.old.name}", title_justify="left", box=frame)
    table.add_column("measure", overflow="fold")
    # Where a column is too narrow for a number, the number goes on in the next line.
    table.add_column(f"old, {counted(comparison.old_reviews, 'review')}", overflow="fold")
    table.add_column(f"new, {counted(comparison.new_reviews, 'review')}", overflow="fold")
    table.add_column("new minus old", overflow="fold")
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
    between = f" [{interval.low:.3g}{EN_DASH}{interval.high:.3g}]" if interval else ""
    return f"{middle.median:.3g}{between}, n={middle.n}"


def describe_history(decisions: Sequence[Decision]) -> str:
    """A line a decision, oldest first."""
    return "".join(f"{_line(decision)}\n" for decision in decisions) or "Nothing has been decided yet.\n"


def describe_versions(
    known: Mapping[str, str], current: Versions, running: Rollout | None, retired: Collection[str]
) -> str:
    """A line a version: where it comes from and what it is used for."""
    uses = {current.prompt: "current"}
    if running:
        uses[running.new.prompt] = f"on trial for {100 * running.share:g}% of the changes"
    uses |= dict.fromkeys(retired, "retired")
    return "".join(
        f"{version:<10} {visible(folder) or 'comes along':<30} {uses.get(version, '')}".rstrip() + "\n"
        for version, folder in known.items()
    )


def _line(decision: Decision) -> str:
    number = f"rollout {decision.rollout}: " if decision.rollout else ""
    what = f"{decision.versions} {ACTIONS[decision.action]} {_by(decision)}"
    return visible(f"{decision.at[:16].replace('T', ' ')}  {number}{what}: {decision.why}")


def _by(decision: Decision) -> str:
    return decision.by if decision.is_automatic else f"by {decision.by}"


def _printed(table: Table) -> str:
    text = io.StringIO()
    width = min(WIDEST, shutil.get_terminal_size((WIDEST, 0)).columns)
    Console(file=text, width=width, color_system=None).print(table)
    return text.getvalue()
