"""Estimate the cost of a review from its first requests and from recorded runs."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from affidavit.minds.choice import ModelChoice
from affidavit.minds.prices import cached_cost_usd, cost_usd
from affidavit.ports import SPECIALISTS, Role, Talk
from affidavit.render.safe_text import one_line


@dataclass(frozen=True)
class Course:
    """The assumed course of a role's conversations."""

    requests: int
    answer_tokens: int
    result_tokens: int = 2_000
    """For the results of one request's tool calls: about two screens of numbered code."""


COURSES: Mapping[Role, Course] = {
    "planner": Course(requests=1, answer_tokens=600),
    **dict.fromkeys(SPECIALISTS, Course(requests=2, answer_tokens=1_200, result_tokens=4_000)),
    "joiner": Course(requests=1, answer_tokens=600),
    "verifier": Course(requests=2, answer_tokens=200),
    "second_verifier": Course(requests=2, answer_tokens=200),
    "reporter": Course(requests=1, answer_tokens=1_000),
}
"""Fitted on `bench/recorded_runs.json`: models ask for several things at once, so a conversation has few
requests, and results for a specialist are long. Reporter and joiner have no tools."""
BYTES_A_TOKEN = 4
"""An average over code and English, as providers count."""
CALL_TOKENS = 200
VERIFIER_TASK_TOKENS = 2_000
JOINER_TOKENS = 500
JOINED_FINDING_TOKENS = 90
REPORTER_TOKENS = 600
REPORTED_FINDING_TOKENS = 60
FINDINGS_PER_CONVERSATION = 2
"""Assumed: specialists report widely, and the verifier is asked about each finding by itself."""

WITHIN_FACTOR = 1.5
"""A review as assumed sends between this part and this multiple of the estimate, role by role; most recorded
reviews did in total."""


@dataclass(frozen=True)
class RoleEstimate:
    """The estimated use of one role; an unknown price is None."""

    role: Role
    model: str
    conversations: int
    requests: int
    input_tokens: int
    repeated_tokens: int
    """The part of the input that an earlier request of the conversation sent."""
    output_tokens: int
    usd_without_cache: float | None
    usd_with_cache: float | None
    usd_repeated: float | None
    """The part of the price with a cache that repeated tokens have."""

    @property
    def new_tokens(self) -> int:
        return self.input_tokens - self.repeated_tokens


@dataclass(frozen=True)
class FirstTalks:
    """The talks of a review that are known before any model has answered."""

    planner: Talk
    specialists: tuple[Talk, ...]
    """Of their first model."""
    verifier: Talk
    """The shared part of its talks; the task is empty."""
    carried_findings: tuple[Talk, ...]
    """Questions to the verifier about findings of the earlier review."""
    packages: tuple[str, ...] = ()
    further_specialists: Mapping[Role, Sequence[Talk]] = field(default_factory=dict)
    """By the role of a model that is not the first of the specialists'."""

    @property
    def by_specialist(self) -> dict[Role, Sequence[Talk]]:
        return {"specialist": self.specialists, **self.further_specialists}


@dataclass(frozen=True)
class _Request:
    input_tokens: int
    known_tokens: int
    output_tokens: int


def opening_tokens(talk: Talk) -> int:
    """Estimate the size of a talk's first request; a budget is guarded by an upper bound instead."""
    tools = talk.tools.descriptions if talk.tools else []
    texts = (
        talk.instructions,
        talk.prefix,
        talk.task,
        json.dumps(talk.schema, ensure_ascii=False),
        json.dumps(tools, ensure_ascii=False),
    )
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in texts) // BYTES_A_TOKEN


def sent_tokens(role: Role, openings: Sequence[int]) -> int:
    return sum(one.input_tokens for size in openings for one in _requests(size, COURSES[role]))


def estimate_review(talks: FirstTalks, choices: Mapping[Role, ModelChoice]) -> list[RoleEstimate]:
    """Estimate each role's share, as if no verifier refuted a finding of a specialist."""
    looks = {role: list(map(opening_tokens, each)) for role, each in talks.by_specialist.items()}
    proposed = FINDINGS_PER_CONVERSATION * sum(map(len, looks.values()))
    findings = len(talks.carried_findings) + proposed
    to_verify = opening_tokens(talks.verifier) + VERIFIER_TASK_TOKENS
    openings: dict[Role, list[int]] = {
        "planner": [opening_tokens(talks.planner)],
        **looks,
        "verifier": [to_verify] * findings,
        "second_verifier": [to_verify] * proposed,
        "joiner": [JOINER_TOKENS + JOINED_FINDING_TOKENS * findings] if findings > 1 else [],
        "reporter": [REPORTER_TOKENS + REPORTED_FINDING_TOKENS * findings],
    }
    return [_estimate_role(role, choices[role], sizes) for role, sizes in openings.items() if role in choices]


def _estimate_role(role: Role, choice: ModelChoice, openings: Sequence[int]) -> RoleEstimate:
    requests = [request for size in openings for request in _requests(size, COURSES[role])]
    return RoleEstimate(
        role=role,
        model=choice.model,
        conversations=len(openings),
        requests=len(requests),
        input_tokens=sum(request.input_tokens for request in requests),
        repeated_tokens=sum(request.known_tokens for request in requests),
        output_tokens=sum(request.output_tokens for request in requests),
        usd_without_cache=_price(choice, requests, has_cache=False),
        usd_with_cache=_price(choice, requests, has_cache=True),
        usd_repeated=total([cached_cost_usd(choice, one.input_tokens, one.known_tokens) for one in requests]),
    )


def _requests(opening: int, course: Course) -> list[_Request]:
    """List the requests: each repeats the one before it and adds a call and its result."""
    growth = CALL_TOKENS + course.result_tokens
    sizes = [opening + growth * number for number in range(course.requests)]
    outputs = [*[CALL_TOKENS] * (course.requests - 1), course.answer_tokens]
    return [
        _Request(size, known, output)
        for size, known, output in zip(sizes, [0, *sizes[:-1]], outputs, strict=True)
    ]


def _price(choice: ModelChoice, requests: Sequence[_Request], *, has_cache: bool) -> float | None:
    # Request by request: some providers charge more per token for a long request.
    prices = [
        cost_usd(
            choice, one.input_tokens, one.output_tokens, one.known_tokens, one.input_tokens - one.known_tokens
        )
        if has_cache
        else cost_usd(choice, one.input_tokens, one.output_tokens)
        for one in requests
    ]
    if not prices:
        return 0.0 if cost_usd(choice, 1, 1) is not None else None
    return total(prices)


HEADINGS = (
    "role",
    "model",
    "conversations",
    "requests",
    "new tokens in",
    "repeated",
    "tokens out",
    "USD, no cache",
    "USD, cached",
    "of it repeated",
)
NUMBERS_FROM = 2
UNKNOWN = "price not known"


def describe_cost(talks: FirstTalks, choices: Mapping[Role, ModelChoice]) -> str:
    estimates = estimate_review(talks, choices)
    named = [(one.role.replace("_", " "), one_line(one.model), [one]) for one in estimates]
    table = _aligned([HEADINGS, *(_row(*row) for row in named), _row("total", "", estimates)])
    return "\n".join(
        ["Estimate for this review. No model was asked.", "", *table, "", *_assumptions(talks, choices), ""]
    )


def _row(name: str, model: str, estimates: Sequence[RoleEstimate]) -> tuple[str, ...]:
    counts = ("conversations", "requests", "new_tokens", "repeated_tokens", "output_tokens")
    prices = ("usd_without_cache", "usd_with_cache", "usd_repeated")
    return (
        name,
        model,
        *(f"{sum(getattr(one, field) for one in estimates):,}" for field in counts),
        *(_money(total([getattr(one, field) for one in estimates])) for field in prices),
    )


def total(prices: Sequence[float | None]) -> float | None:
    """Add up prices; None if one is unknown, since a part of the sum would mislead."""
    known = [price for price in prices if price is not None]
    return sum(known) if len(known) == len(prices) else None


def _money(usd: float | None) -> str:
    return UNKNOWN if usd is None else f"{usd:.3f}"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    forms = [f"{'<' if column < NUMBERS_FROM else '>'}{width}" for column, width in enumerate(widths)]
    return ["  ".join(map(format, row, forms)).rstrip() for row in rows]


def _assumptions(talks: FirstTalks, choices: Mapping[Role, ModelChoice]) -> list[str]:
    named = [role for role in COURSES if role in choices and role not in SPECIALISTS[1:]]
    requests = ", ".join(f"{role.replace('_', ' ')} {COURSES[role].requests}" for role in named)
    one, many = COURSES["verifier"].result_tokens, COURSES["specialist"].result_tokens
    return [
        f"The first request of each conversation is measured, at {BYTES_A_TOKEN} bytes per token.",
        f"The rest is an average of recorded reviews; most stay within a factor of {WITHIN_FACTOR:g}.",
        f"Assumed requests per conversation: {requests}.",
        f"Assumed tokens: {CALL_TOKENS:,} per tool call, {one:,} per result ({many:,} for specialists),",
        f"{VERIFIER_TASK_TOKENS:,} per finding to verify.",
        f"Assumed findings: {FINDINGS_PER_CONVERSATION} per specialist conversation, plus"
        f" {len(talks.carried_findings)} from the previous review.",
        "The planner may call fewer specialists. --budget-usd and --budget-tokens always apply.",
    ]
