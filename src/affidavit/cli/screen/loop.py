"""A loop of reviews and an agent as people read it: its journal in, lines that are never cut out."""

from collections.abc import Iterator

from affidavit.iterations.refine.loop import Journal, Turn, named, not_taken
from affidavit.render.safe_text import one_line, visible

STOPPED = {
    "accepted": "accepted",
    "escalated": "a person has to look: an issue repeats, the review is not sure, or work is held back",
    "rejected": "rejected: grave problems are left after the last iteration",
    "plateau": "nothing moves any more",
    "oscillation": "the agent goes back and forth",
    "limit": "the limit of iterations is reached, and something is left",
    "budget": "the budget is spent",
    "agent": "the agent failed",
    "incomplete": "the last review was not whole, and silence accepts nothing",
    "undone": "the agent undid the change: its files are those of base, and nothing is left to review",
}
MAX_REASONS = 10
_HEADS = ("iteration", "commit", "score", "verdict", "blocking", "held back", "agent")


def loop_lines(journal: Journal) -> Iterator[str]:
    """A row for each iteration, what was not taken, why the loop ended, and what it left."""
    rows = [_HEADS, *(_cells(turn, journal.best) for turn in journal.turns)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADS))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    for turn in journal.turns:
        yield from _not_taken(turn)
        yield from _held_back(turn)
    yield f"stopped: {_why_stopped(journal)}"
    if journal.branch:
        yield f"the best iteration is on branch {visible(journal.branch)}"
    else:
        yield "no branch is left: nothing was better than what was there"


def _why_stopped(journal: Journal) -> str:
    """What ended the loop, and what the last review does not speak for."""
    newest = next((one.summary for one in reversed(journal.turns) if one.summary), None)
    why = STOPPED.get(journal.stopped, journal.stopped)
    lacks = [("not completed", newest.incomplete), ("not looked at", newest.left_out)] if newest else []
    return "; ".join([why, *(f"{what}: {one_line(', '.join(names), 300)}" for what, names in lacks if names)])


def _cells(turn: Turn, best: int) -> tuple[str, ...]:
    summary = turn.summary
    return (
        f"{turn.number}{' best' if turn.number == best else ''}",
        turn.commit[:8],
        f"{summary.score:.2f}" if summary else "",
        summary.verdict if summary else "",
        str(turn.blocking),
        str(len(turn.held_back)),
        turn.agent.state.replace("_", " ") if turn.agent else "",
    )


def _not_taken(turn: Turn) -> Iterator[str]:
    """What the agent left after one review and no branch has."""
    for paths, why in not_taken(turn.left_out, turn.ignored):
        yield f"not taken after review {turn.number} ({why}): {visible(named(paths))}"


def _held_back(turn: Turn) -> Iterator[str]:
    """Why only a person may accept an iteration, and where its diff is."""
    for why in turn.held_back[:MAX_REASONS]:
        yield f"iteration {turn.number} is held back: the agent's work {visible(why)}"
    if len(turn.held_back) > MAX_REASONS:
        yield f"iteration {turn.number} is held back for {len(turn.held_back) - MAX_REASONS} more reasons"
    if turn.diff:
        yield f"all that the agent did until iteration {turn.number}: {visible(turn.diff)}"
