"""What the models used up is said in every report that people read."""

from affidavit.records.report import RoleUsage
from affidavit.render.wording import spent_sentence
from reports import a_candidate, a_report


def spent(*usage: RoleUsage) -> str:
    return spent_sentence(a_report(a_candidate(), usage=usage))


def test_tokens_and_money_of_all_roles_are_added_up() -> None:
    planner = RoleUsage(
        role="planner", model="m", requests=1, input_tokens=1_500, output_tokens=20, cost_usd=0.25
    )
    verifier = RoleUsage(
        role="verifier",
        model="n",
        requests=2,
        input_tokens=500,
        cached_tokens=300,
        cost_usd=0.5,
        cached_usd=0.02,
    )
    assert spent(planner) == "1 request, 1,500 new tokens in, 20 out, 0.2500 USD"
    both = "1,700 new tokens in, 20 out for 0.7300 USD, 300 repeated for 0.0200 USD"
    assert spent(planner, verifier) == f"3 requests, {both}, 0.7500 USD in all"


def test_money_of_which_a_part_is_not_known_is_not_given() -> None:
    known = RoleUsage(role="planner", model="m", requests=1, input_tokens=1, cost_usd=0.25)
    unknown = RoleUsage(role="verifier", model="n", requests=1, input_tokens=1)
    assert spent(known, unknown).endswith("0 out, price not known")
    repeated = unknown.model_copy(update={"cached_tokens": 1})
    assert spent(known, repeated).endswith("1 new tokens in, 0 out, 1 repeated, price not known")


def test_a_role_that_was_not_asked_has_no_say_in_the_price() -> None:
    known = RoleUsage(role="planner", model="m", requests=1, input_tokens=1, cost_usd=0.25)
    assert spent(known, RoleUsage(role="verifier", model="n")).endswith("0.2500 USD")


def test_where_no_model_was_asked_nothing_is_said() -> None:
    assert spent() == spent(RoleUsage(role="planner", model="m")) == ""


def test_it_is_said_for_how_many_requests_the_server_was_not_believed() -> None:
    usage = RoleUsage(
        role="planner",
        model="m",
        requests=38,
        input_tokens=665_000,
        estimated_requests=37,
        reported_tokens=37,
    )
    said = "; estimated for 37 of 38 requests, for which the server reported 37 tokens"
    assert spent(usage).endswith(said)
