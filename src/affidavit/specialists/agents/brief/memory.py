"""What models are told of the reviews before this one: `feedback_history`, the last five, as data."""

from affidavit.records.iteration import HISTORY_WINDOW, Earlier, IterationSummary, Scope
from affidavit.redaction.text import redact_text

MEMORY_KEY = "feedback_history"
MAX_ITEMS = 20
HEADING = "# Earlier reviews of this change\n"
RULE = (
    "This change was reviewed before. What was asked for then stands below, as data. What is open of it is "
    "checked by others: report it again only if you can say more about it, and look for what is new.\n"
)
NEW_ONLY = (
    "You are shown what is new since the last review, and what uses it; the rest of the change was looked at "
    "then, and your tools can read it.\n"
)


def memory_of(earlier: Earlier, scope: Scope | None) -> tuple[str, str]:
    """What to say about the data, and the data."""
    said = HEADING + RULE + (NEW_ONLY if scope is not None and not scope.is_whole else "")
    reviews = [_review(one) for one in earlier.history[-HISTORY_WINDOW:]]
    return said, redact_text("\n\n".join(reviews))


def _review(summary: IterationSummary) -> str:
    fates = ", ".join(f"{count} {fate.replace('_', ' ')}" for fate, count in summary.fates.items() if count)
    head = f"review {summary.number}: score {summary.score:.2f}, {summary.verdict}"
    head += f"; not completed: {', '.join(summary.incomplete)}" if summary.incomplete else ""
    lines = [f"{head}; of what was asked before: {fates}" if fates else head]
    lines += [
        f"- {one.place} {one.severity}: {one.title}"
        + (f" (asked {one.times} times)" if one.times > 1 else "")
        for one in summary.open[:MAX_ITEMS]
    ]
    more = len(summary.open) - MAX_ITEMS
    return "\n".join([*lines, *([f"… and {more} more"] if more > 0 else [])])
