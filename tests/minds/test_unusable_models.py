"""A model that cannot be reached, or whose answers cannot be read: how often it is asked."""

import asyncio
import json
import socket
from typing import Any

import pytest
from test_whole_review import review

from affidavit.records.report import Report
from model_server import Act, Exchange, calls, says, serving
from repositories import Repo
from scripted_model import FINDING, REVIEW, model
from talks import a_choice, a_mind, a_talk, answer_of

BASE = {"app.py": "def total(items):\n    return sum(items)\n"}
LINES = [f"    result += items[{number}]" for number in range(20)]
LOOP = "\n".join(["def total(items):", "    result = 1", *LINES, "    return result", ""])
MOST_AT_ONCE = 8


@pytest.fixture
def changed(repo: Repo) -> Repo:
    repo.commit("base", BASE)
    repo.commit("Sum by hand", {"app.py": LOOP})
    return repo


def test_a_model_that_cannot_be_reached_is_named_with_its_address_and_the_cause(changed: Repo) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        done = review(changed, address)
    report = Report.model_validate_json(done.out)
    (gap,) = report.incomplete
    assert f"cannot connect to {address}: connection refused" in gap.reason
    assert "--verifier-model" not in gap.advice


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/v1", "http://nosuch.invalid/v1"])
def test_a_model_that_was_never_reached_is_tried_once(address: str) -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    answer = asyncio.run(answer_of(a_mind(a_choice(address), sleep=sleep), a_talk()))
    assert answer.outcome == "failed"
    assert answer.detail.startswith(f"cannot connect to {address}: ")
    assert waited == []


def many_findings() -> dict[str, object]:
    first: dict[str, Any] = FINDING["verification"]  # type: ignore[assignment]
    found = [
        FINDING
        | {
            "id": str(number),
            "title": f"Wrong{number} alpha{number}",
            "message": f"beta{number} gamma{number}",
            "line": number + 3,
            "verification": {
                **first,
                "code_examined": LINES[number],
                "line_range_examined": [number + 3] * 2,
            },
        }
        for number in range(20)
    ]
    return {**REVIEW, "findings": found}


@pytest.mark.parametrize(
    "answer",
    [
        says("I think it is fine."),
        calls(("verification_judgment", '{"judgment": "PERHAPS"}')),
        calls(("verification_judgment", '{"answer": 42}')),
    ],
    ids=["prose", "bad word", "other fields"],
)
def test_three_answers_in_a_row_that_cannot_be_read_end_the_review(changed: Repo, answer: Act) -> None:
    good = model(review_result=many_findings())

    def act(exchange: Exchange) -> None:
        names = {tool["function"]["name"] for tool in exchange.body.get("tools", ())}
        (answer if "verification_judgment" in names else good)(exchange)

    with serving(act) as (address, script):
        done = review(changed, address)
    report = Report.model_validate_json(done.out)
    asked = [body for body in script.requests if "verification_judgment" in json.dumps(body.get("tools"))]
    assert len(asked) <= 3 + MOST_AT_ONCE
    assert done.code == 3
    assert any("could not be read in a row" in gap.reason for gap in report.incomplete)
    assert {str(one.status) for one in report.shown} == {"unverified"}
