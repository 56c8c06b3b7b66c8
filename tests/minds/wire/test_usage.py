"""What a server says that it used is not believed where it cannot be true."""

import asyncio
import json

import pytest

from affidavit.minds.ledger import Ledger, SpendingLimit
from affidavit.minds.prices import estimate_tokens
from affidavit.ports import Talk
from affidavit.records.report import Answer
from hostile_server import BEHAVIOURS, USAGES, reads_forever, with_usage
from model_server import Act, Script, fails, serving
from talks import JUDGEMENT, Shelf, a_choice, a_mind, a_talk, answer_of

LONG = "def total(items):\n    return sum(items)\n" * 500


def converse(act: Act, ledger: Ledger | None = None, talk: Talk | None = None) -> tuple[Answer, Script]:
    with serving(act) as (url, script):
        mind = a_mind(a_choice(url, silence_seconds=30), ledger=ledger)
        return asyncio.run(answer_of(mind, talk or a_talk(task=LONG))), script


def sent_tokens(script: Script) -> int:
    """What the server got, by the count that budgets are estimated with."""
    return sum(estimate_tokens(json.dumps(request["messages"])) for request in script.requests)


@pytest.mark.parametrize("name", USAGES)
def test_a_request_counts_by_our_own_estimate_where_the_server_reports_what_cannot_be_true(name: str) -> None:
    answer, script = converse(with_usage(USAGES[name], JUDGEMENT))
    # Where the client stumbles over what is no number, the reply counts as broken off, with its text.
    assert (answer.outcome, answer.text) in {("answered", JUDGEMENT), ("cut_off", JUDGEMENT)}
    assert answer.usage.estimated_requests == 1
    assert answer.usage.input_tokens >= len(LONG) // 4
    assert answer.usage.input_tokens < 2 * sent_tokens(script)
    assert answer.usage.output_tokens >= len(JUDGEMENT) // 4
    assert answer.usage.cached_tokens == 0


def test_what_the_server_reported_is_kept_beside_the_estimate() -> None:
    assert converse(with_usage(USAGES["one_token"], JUDGEMENT))[0].usage.reported_tokens == 2


def test_a_server_whose_tokeniser_is_a_little_thriftier_is_believed_but_not_below_our_count() -> None:
    stated = {"prompt_tokens": len(LONG) // 5, "completion_tokens": 20, "total_tokens": 0}
    usage = converse(with_usage(stated, JUDGEMENT))[0].usage
    assert (usage.estimated_requests, usage.reported_tokens, usage.output_tokens) == (0, 0, 20)
    assert len(LONG) // 5 < usage.input_tokens < len(LONG) // 3


def test_a_server_that_reports_more_than_we_count_is_believed() -> None:
    stated = {"prompt_tokens": 50_000, "completion_tokens": 900, "total_tokens": 50_900}
    usage = converse(with_usage(stated, JUDGEMENT))[0].usage
    assert (usage.input_tokens, usage.output_tokens, usage.estimated_requests) == (50_000, 900, 0)


def test_a_budget_ends_a_talk_with_a_server_that_reports_one_token_a_reply() -> None:
    ledger = Ledger(SpendingLimit(tokens=60_000))
    talk = a_talk(Shelf({"a.py": LONG}), task=LONG, max_turns=50)
    answer, script = converse(reads_forever(USAGES["one_token"]), ledger, talk)
    assert answer.outcome == "budget_exhausted"
    assert 1 < len(script.requests) < 10
    assert sent_tokens(script) <= 60_000
    assert answer.usage.input_tokens + answer.usage.output_tokens <= 60_000


def test_nonsense_in_place_of_a_reply_is_paid_for_since_the_request_was_read() -> None:
    answer, script = converse(BEHAVIOURS["invalid_utf8_in_a_line"])
    assert answer.usage.requests == len(script.requests)
    assert answer.usage.input_tokens >= len(script.requests) * len(LONG) // 4


def test_a_flood_in_place_of_a_reply_is_paid_for() -> None:
    assert converse(BEHAVIOURS["endless_line"])[0].usage.input_tokens >= len(LONG) // 4


def test_a_status_in_place_of_a_reply_is_not_paid_for() -> None:
    usage = converse(fails(404))[0].usage
    assert (usage.input_tokens, usage.estimated_requests) == (0, 0)


def test_a_talk_that_is_not_waited_for_is_paid_for_since_its_request_was_read() -> None:
    ledger = Ledger()

    async def give_up(url: str) -> None:
        mind = a_mind(a_choice(url), ledger=ledger)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(answer_of(mind, a_talk(task=LONG)), timeout=3)

    with serving(BEHAVIOURS["silence"]) as (url, _):
        asyncio.run(give_up(url))
    assert ledger.totals().input_tokens >= len(LONG) // 4
