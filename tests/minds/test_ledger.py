import asyncio
import threading

import pytest

from affidavit.errors import BudgetError
from affidavit.minds.choice import choose_model
from affidavit.minds.ledger import Estimate, Ledger, SpendingLimit
from affidavit.minds.prices import cost_usd, estimate_tokens, has_price
from affidavit.records.report import RoleUsage
from affidavit.records.settings_entries import Price
from model_server import calls, says, serving
from talks import JUDGEMENT, Shelf, a_choice, a_mind, a_talk, answer_of


def spent(tokens: int, usd: float | None = 0.0) -> RoleUsage:
    return RoleUsage(role="verifier", model="m", requests=1, input_tokens=tokens, cost_usd=usd)


def test_a_request_that_the_budget_does_not_cover_is_refused() -> None:
    async def run() -> None:
        ledger = Ledger(SpendingLimit(tokens=100))
        ledger.settle(await ledger.reserve(Estimate(60, None)), "verifier", spent(60))
        with pytest.raises(BudgetError, match="60 of 100 tokens"):
            await ledger.reserve(Estimate(41, None))
        await ledger.reserve(Estimate(40, None))

    asyncio.run(run())


def test_money_is_capped_as_well() -> None:
    async def run() -> None:
        ledger = Ledger(SpendingLimit(usd=1.0))
        ledger.settle(await ledger.reserve(Estimate(1, 0.9)), "verifier", spent(1, 0.9))
        with pytest.raises(BudgetError, match=r"0\.9000 of 1\.0000"):
            await ledger.reserve(Estimate(1, 0.2))
        with pytest.raises(BudgetError, match="price"):
            await ledger.reserve(Estimate(1, None))

    asyncio.run(run())


def test_a_request_waits_for_what_others_may_give_back() -> None:
    async def run() -> None:
        ledger = Ledger(SpendingLimit(tokens=100))
        first = await ledger.reserve(Estimate(90, None))
        second = asyncio.create_task(ledger.reserve(Estimate(90, None)))
        await asyncio.sleep(0.01)
        assert not second.done()
        ledger.settle(first, "verifier", spent(5))
        await asyncio.wait_for(second, 1)

    asyncio.run(run())


def test_who_waited_in_vain_is_refused() -> None:
    async def run() -> None:
        ledger = Ledger(SpendingLimit(tokens=100))
        first = await ledger.reserve(Estimate(90, None))
        second = asyncio.create_task(ledger.reserve(Estimate(90, None)))
        await asyncio.sleep(0.01)
        ledger.settle(first, "verifier", spent(90))
        with pytest.raises(BudgetError):
            await asyncio.wait_for(second, 1)

    asyncio.run(run())


def test_many_threads_count_everything() -> None:
    ledger = Ledger()

    async def work() -> None:
        for _ in range(200):
            ledger.settle(await ledger.reserve(Estimate(1, None)), "verifier", spent(1, 0.5))

    threads = [threading.Thread(target=lambda: asyncio.run(work())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    total = ledger.totals()
    assert (total.requests, total.input_tokens, total.cost_usd) == (800, 800, 400.0)


def test_roles_are_counted_apart_and_an_unknown_cost_stays_unknown() -> None:
    ledger = Ledger()
    ledger.note("planner", spent(3).model_copy(update={"role": "planner"}))
    ledger.note("verifier", spent(4, None))
    assert [(usage.role, usage.cost_usd) for usage in ledger.usage()] == [
        ("planner", 0.0),
        ("verifier", None),
    ]
    assert ledger.totals().cost_usd is None


def test_nothing_is_sent_beyond_the_budget() -> None:
    with serving(calls(("read", '{"path":"a.py"}'))) as (url, script):
        ledger = Ledger(SpendingLimit(tokens=1000))
        mind = a_mind(a_choice(url, max_tokens=100), ledger=ledger)
        answer = asyncio.run(answer_of(mind, a_talk(Shelf(), max_turns=40)))
    assert answer.outcome == "budget_exhausted"
    assert 1 <= len(script.requests) < 10
    assert ledger.totals().input_tokens + ledger.totals().output_tokens <= 1000
    assert answer.usage.requests == len(script.requests)


def test_a_budget_smaller_than_one_request_sends_nothing() -> None:
    with serving(says(JUDGEMENT)) as (url, script):
        answer = asyncio.run(
            answer_of(a_mind(a_choice(url), ledger=Ledger(SpendingLimit(tokens=10))), a_talk())
        )
    assert answer.outcome == "budget_exhausted"
    assert "10 tokens" in answer.detail
    assert script.requests == []


def test_a_known_model_has_a_price_and_cached_tokens_cost_less() -> None:
    choice = choose_model("anthropic:claude-sonnet-4-6", "verifier")
    full, cached = cost_usd(choice, 1000, 100), cost_usd(choice, 1000, 100, 900)
    assert full is not None
    assert cached is not None
    assert 0 < cached < full


def test_the_price_of_a_model_behind_an_address_is_what_the_user_says() -> None:
    unknown = choose_model("gpt-5", "verifier", base_url="http://localhost:1/v1")
    assert not has_price(unknown)
    prices = {"gpt-5": Price(input=1.0, output=2.0)}
    known = choose_model("gpt-5", "verifier", base_url="http://localhost:1/v1", prices=prices)
    assert cost_usd(known, 1_000_000, 1_000_000) == 3.0
    assert cost_usd(choose_model("ollama:llama3", "verifier"), 10, 10) == 0.0
    assert cost_usd(choose_model("openai:no-such-model", "verifier"), 10, 10) is None


def test_an_estimate_is_not_below_one_token_for_three_letters() -> None:
    assert estimate_tokens("abcd", "é") == 3
