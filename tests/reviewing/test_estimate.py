"""`affidavit review --estimate` says what a review would cost, and asks nobody."""

import re

import pytest
from bench.recorded import recorded_runs, runs_within

from affidavit.minds.choice import ModelChoice, choose_model
from affidavit.ports import Role, Talk
from affidavit.reviewing.cost import (
    COURSES,
    FINDINGS_PER_CONVERSATION,
    WITHIN_FACTOR,
    FirstTalks,
    RoleEstimate,
    estimate_review,
    opening_tokens,
    sent_tokens,
)
from commands import Done, affidavit
from model_server import fails, serving
from repositories import Repo
from talks import a_talk

ROLES: tuple[Role, ...] = ("planner", "specialist", "verifier", "reporter")


def all_on(text: str, base_url: str | None = None) -> dict[Role, ModelChoice]:
    return {role: choose_model(text, role, base_url=base_url) for role in ROLES}


def estimated(
    choices: dict[Role, ModelChoice],
    specialists: int = 2,
    carried_findings: int = 0,
    planner: Talk | None = None,
) -> dict[Role, RoleEstimate]:
    talks = FirstTalks(
        planner=planner or a_talk(),
        specialists=(a_talk(),) * specialists,
        verifier=a_talk(),
        carried_findings=(a_talk(),) * carried_findings,
    )
    return {estimate.role: estimate for estimate in estimate_review(talks, choices)}


def review(repo: Repo, *options: str) -> Done:
    return affidavit("review", "HEAD", "--estimate", "--analysers-off", "ty", *options, cwd=repo.path)


def row(done: Done, role: str) -> list[str]:
    (line,) = [line for line in done.out.splitlines() if line.startswith(f"{role} ")]
    return re.split(r" {2,}", line)


@pytest.fixture
def changed(repo: Repo) -> Repo:
    repo.commit("base", {"app.py": "def total(items):\n    return sum(items)\n"})
    lines = "".join(f"    result += items[{number}]\n" for number in range(30))
    repo.commit("Sum by hand", {"app.py": f"def total(items):\n    result = 0\n{lines}    return result\n"})
    return repo


def test_every_finding_is_verified_in_a_conversation_of_its_own() -> None:
    found = estimated(all_on("openai:gpt-4o"), specialists=3, carried_findings=4)
    assert found["planner"].conversations == 1
    assert found["specialist"].conversations == 3
    assert found["verifier"].conversations == 4 + 3 * FINDINGS_PER_CONVERSATION
    assert found["specialist"].requests == 3 * COURSES["specialist"].requests


def test_a_second_verifier_is_counted_for_the_specialists_findings() -> None:
    choices = all_on("openai:gpt-4o")
    choices["second_verifier"] = choose_model("openai:gpt-4o-mini", "second_verifier")
    found = estimated(choices, specialists=3, carried_findings=4)
    assert found["verifier"].conversations == 4 + 3 * FINDINGS_PER_CONVERSATION
    assert found["second_verifier"].conversations == 3 * FINDINGS_PER_CONVERSATION
    assert "second_verifier" not in estimated(all_on("openai:gpt-4o"))


def test_the_estimate_is_near_what_nine_of_ten_recorded_reviews_sent() -> None:
    runs = recorded_runs()
    assert len(runs) >= 10
    assert len(runs_within(WITHIN_FACTOR)) >= 0.9 * len(runs)
    assert len(runs_within(2)) == len(runs)


def test_no_role_is_foretold_far_from_what_it_sent_over_all_recorded_reviews() -> None:
    for role in ("planner", "specialist", "verifier"):
        own = [found for run in recorded_runs() if (found := run.role(role))]
        expected = sum(sent_tokens(role, [one.opening_tokens] * one.conversations) for one in own)
        assert 1 / WITHIN_FACTOR <= expected / sum(one.input_tokens for one in own) <= WITHIN_FACTOR, role


def test_a_longer_prompt_is_paid_for_with_each_request() -> None:
    short, long = a_talk(), a_talk(task="x" * 30_000)
    more = opening_tokens(long) - opening_tokens(short)
    assert 7_000 < more <= 7_500
    before = estimated(all_on("openai:gpt-4o"), planner=short)["planner"]
    after = estimated(all_on("openai:gpt-4o"), planner=long)["planner"]
    assert after.input_tokens - before.input_tokens == more * COURSES["planner"].requests


def test_caches_make_a_known_model_cheaper_and_the_prices_are_of_its_table() -> None:
    usage = estimated(all_on("openai:gpt-4o"))["specialist"]
    assert usage.usd_without_cache is not None
    assert usage.usd_with_cache is not None
    dollars = (usage.input_tokens * 2.5 + usage.output_tokens * 10) / 1_000_000
    assert usage.usd_without_cache == pytest.approx(dollars)
    assert 0 < usage.usd_with_cache < usage.usd_without_cache


def test_a_model_behind_another_address_has_no_known_price_even_where_it_is_not_needed() -> None:
    found = estimated(all_on("tiny", base_url="http://127.0.0.1:9/v1"), specialists=0)
    assert {usage.usd_without_cache for usage in found.values()} == {None}
    assert found["verifier"].conversations == 0


def test_a_review_is_estimated_without_a_key_and_without_a_question(changed: Repo) -> None:
    with serving(fails(500)) as (address, script):
        done = review(changed, "--model", "tiny", "--base-url", address)
    assert (done.code, done.err, script.requests) == (0, "", [])
    assert row(done, "planner")[1:4] == ["tiny", "1", str(COURSES["planner"].requests)]
    assert row(done, "specialist")[-1] == row(done, "total")[-1] == "price not known"
    assert "Assumed requests" in done.out


def test_a_model_behind_an_address_is_estimated_at_the_price_that_the_user_says(changed: Repo) -> None:
    priced = ("--prices-usd-per-million", "tiny=1/0.25/4")
    done = review(changed, "--model", "tiny", "--base-url", "http://127.0.0.1:9/v1", *priced)
    new, repeated, out = (int(cell.replace(",", "")) for cell in row(done, "total")[-6:-3])
    without, cached, of_it_repeated = (float(cell) for cell in row(done, "total")[-3:])
    assert without == pytest.approx((new + repeated + 4 * out) / 1_000_000, abs=0.003)
    assert cached == pytest.approx((new + repeated / 4 + 4 * out) / 1_000_000, abs=0.003)
    assert of_it_repeated == pytest.approx(repeated / 4 / 1_000_000, abs=0.003)
    assert of_it_repeated > 0


def test_the_money_of_each_role_adds_up(changed: Repo) -> None:
    done = review(changed, "--model", "openai:gpt-4o", "--verifier-model", "anthropic:claude-sonnet-4-5")
    assert row(done, "verifier")[1] == "anthropic:claude-sonnet-4-5"
    money = [float(row(done, role)[-3]) for role in (*ROLES, "joiner")]
    assert min(money) > 0
    assert float(row(done, "total")[-3]) == pytest.approx(sum(money), abs=0.003)


def test_a_small_change_costs_less_than_a_large_one(repo: Repo) -> None:
    repo.commit("base", {"app.py": "a = 1\n"})
    repo.commit("small", {"app.py": "a = 2\n"})
    small = review(repo, "--model", "openai:gpt-4o")
    repo.commit("large", {"app.py": "".join(f"a{number} = {number}\n" for number in range(400))})
    large = review(repo, "--model", "openai:gpt-4o")
    assert float(row(small, "total")[-2]) < float(row(large, "total")[-2])
    assert int(row(small, "specialist")[2]) == 1


def test_without_a_model_there_is_nothing_to_pay(changed: Repo) -> None:
    done = review(changed)
    assert done.code == 0
    assert "nothing would be paid" in done.out


def test_a_question_about_cost_and_one_about_content_are_asked_one_by_one(changed: Repo) -> None:
    done = review(changed, "--what-leaves", "--model", "openai:gpt-4o")
    assert (done.code, done.out) == (2, "")
    assert "exclude each other" in done.err
