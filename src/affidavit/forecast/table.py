"""`affidavit review --estimate`: what a review would cost, as a table."""

from collections.abc import Mapping, Sequence

from affidavit.forecast.cost import (
    BYTES_A_TOKEN,
    CALL_TOKENS,
    COURSES,
    FINDINGS_PER_CONVERSATION,
    VERIFIER_TASK_TOKENS,
    WITHIN_FACTOR,
    RoleEstimate,
    estimate_review,
)
from affidavit.forecast.recorded import recorded_runs, runs_within
from affidavit.forecast.talks import FirstTalks
from affidavit.minds.choice import ModelChoice
from affidavit.ports import Role
from affidavit.render.safe_text import one_line

HEADINGS = (
    "role",
    "model",
    "conversations",
    "requests",
    "tokens in",
    "tokens out",
    "USD, no cache",
    "USD, cached",
)
NUMBERS_FROM = 2
UNKNOWN = "price not known"


def estimates_of(
    talks: FirstTalks, choices: Mapping[Role, ModelChoice], votes: int = 1
) -> list[RoleEstimate]:
    """What each role would use for a review that begins with these talks."""
    return estimate_review(
        choices,
        planner=talks.planner,
        specialists=talks.specialists,
        verifier=talks.verifier,
        carried_findings=len(talks.carried_findings),
        votes=votes,
    )


def describe_cost(talks: FirstTalks, choices: Mapping[Role, ModelChoice], votes: int = 1) -> str:
    """The table, and what it rests on."""
    estimates = estimates_of(talks, choices, votes)
    rows = [HEADINGS, *(_row(estimate) for estimate in estimates), _total(estimates)]
    return "\n".join(
        [
            "An estimate of this review. No model was asked.",
            "",
            *_aligned(rows),
            "",
            *_assumptions(talks, choices),
            "",
        ]
    )


def _row(estimate: RoleEstimate) -> tuple[str, ...]:
    return (
        estimate.role.replace("_", " "),
        one_line(estimate.model),
        f"{estimate.conversations:,}",
        f"{estimate.requests:,}",
        f"{estimate.input_tokens:,}",
        f"{estimate.output_tokens:,}",
        _money(estimate.usd_without_cache),
        _money(estimate.usd_with_cache),
    )


def _total(estimates: Sequence[RoleEstimate]) -> tuple[str, ...]:
    return (
        "total",
        "",
        f"{sum(one.conversations for one in estimates):,}",
        f"{sum(one.requests for one in estimates):,}",
        f"{sum(one.input_tokens for one in estimates):,}",
        f"{sum(one.output_tokens for one in estimates):,}",
        _money(_sum([one.usd_without_cache for one in estimates])),
        _money(_sum([one.usd_with_cache for one in estimates])),
    )


def _sum(prices: Sequence[float | None]) -> float | None:
    """None where one price is not known: a part of the money is not the money."""
    known = [price for price in prices if price is not None]
    return sum(known) if len(known) == len(prices) else None


def _money(usd: float | None) -> str:
    return UNKNOWN if usd is None else f"{usd:.3f}"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    return ["  ".join(_cells(row, widths)).rstrip() for row in rows]


def _cells(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    return [
        cell.ljust(width) if column < NUMBERS_FROM else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]


def _runs(count: int) -> str:
    return f"{count} review" if count == 1 else f"{count} reviews"


def _assumptions(talks: FirstTalks, choices: Mapping[Role, ModelChoice]) -> list[str]:
    requests = ", ".join(
        f"{course.requests} of the {role.replace('_', ' ')}"
        for role, course in COURSES.items()
        if role in choices
    )
    recorded, near = len(recorded_runs()), len(runs_within(WITHIN_FACTOR))
    one, many = COURSES["verifier"].result_tokens, COURSES["specialist"].result_tokens
    return [
        f"What the models read first is measured; a token is counted as {BYTES_A_TOKEN} bytes.",
        f"The rest is fitted on {_runs(recorded)} that were recorded: {near} sent what is foretold for them,",
        f"within a factor of {WITHIN_FACTOR:g}.",
        f"Assumed: requests in a conversation: {requests}.",
        f"Assumed: {CALL_TOKENS:,} tokens for a tool call, {one:,} for its result,",
        f"and {many:,} for the results that a specialist asks for at once.",
        f"Assumed: {FINDINGS_PER_CONVERSATION} findings to verify from each conversation of a specialist,",
        f"beside {len(talks.carried_findings)} of the review before; "
        f"{VERIFIER_TASK_TOKENS:,} tokens for each.",
        "The planner may call fewer specialists. --budget-usd and --budget-tokens always apply.",
    ]
