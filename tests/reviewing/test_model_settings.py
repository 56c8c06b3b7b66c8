"""Models and budgets from settings files, the environment and flags."""

import re
from typing import Any

import pytest

from affidavit.config.readers import MODEL_READERS
from affidavit.config.settings import Settings, load_settings
from affidavit.errors import SettingsError
from affidavit.git.repository import open_repository
from affidavit.minds.ledger import SpendingLimit
from affidavit.minds.prices import cost_usd
from affidavit.minds.wire.providers import build_client
from affidavit.reviewing.models import chosen_model, chosen_models, ledger_of, models_of, opened_ledger
from affidavit.reviewing.options import ReviewOptions
from repositories import Repo


def loaded(repo: Repo, file: str, environment: dict[str, str] | None = None, **flags: Any) -> Settings:
    commit = repo.commit("settings", {"affidavit.toml": file})
    with open_repository(repo.path, commit, commit) as repository:
        return load_settings(repository.base, environment or {}, flags)


def test_a_file_lists_the_models_of_specialists_but_no_agent_among_them(repo: Repo) -> None:
    settings = loaded(repo, 'model = "openai:large"\nspecialist_model = ["openai:a", "anthropic:b"]\n')
    choices = models_of(settings, ReviewOptions(), {})
    assert (choices["specialist"].model, choices["specialist_2"].model) == ("openai:a", "anthropic:b")
    for hidden in ('["openai:a", " agent:claude"]', '"openai:a, agent:claude"'):
        (problem,) = loaded(repo, f"specialist_model = {hidden}\n").problems
        assert "specialist_model = 'openai:a,agent:claude' can be set only as a flag" in problem


def test_a_file_of_the_base_commit_names_the_models_and_the_budget(repo: Repo) -> None:
    settings = loaded(
        repo,
        'model = "openai:large"\nverifier_model = "anthropic:careful"\nverifier_temperature = 0.5\n'
        'verifier_reasoning = "high"\n'
        "specialist_max_tokens = 4096\nmodel_timeout_seconds = 7.5\nbudget_usd = 2\nbudget_tokens = 90_000\n",
    )
    choices = models_of(settings, ReviewOptions(), {})
    assert {role: choice.model for role, choice in choices.items()} == {
        "planner": "openai:large",
        "specialist": "openai:large",
        "verifier": "anthropic:careful",
        "joiner": "anthropic:careful",
        "reporter": "openai:large",
    }
    assert (choices["verifier"].temperature, choices["planner"].temperature) == (0.5, None)
    assert (choices["specialist"].max_tokens, choices["planner"].max_tokens) == (4096, 8192)
    assert choices["reporter"].silence_seconds == 7.5
    assert (choices["verifier"].reasoning, choices["joiner"].reasoning) == ("high", None)
    assert ledger_of(settings).budget == SpendingLimit(tokens=90_000, usd=2.0)


def test_flags_come_before_the_environment_and_that_before_the_file(repo: Repo) -> None:
    environment = {
        "AFFIDAVIT_MODEL": "openai:b",
        "AFFIDAVIT_PLANNER_TEMPERATURE": "0.25",
        "AFFIDAVIT_PLANNER_REASONING": "low",
    }
    settings = loaded(repo, 'model = "openai:a"\nbudget_tokens = 5\n', environment, budget_tokens="7")
    assert (settings.model, settings.planner_temperature, settings.budget_tokens) == ("openai:b", 0.25, 7)
    assert settings.planner_reasoning == "low"
    assert loaded(repo, 'model = "openai:a"\n', environment, model="openai:c").model == "openai:c"


def test_without_a_model_in_any_source_no_model_looks(repo: Repo) -> None:
    assert (
        models_of(loaded(repo, "budget_usd = 1\n"), ReviewOptions(), {"AFFIDAVIT_BASE_URL": "http://x/v1"})
        == {}
    )


@pytest.mark.parametrize("file", ['base_url = "http://evil.example/v1"\n', 'base_url = ""\n'])
def test_no_file_says_where_code_goes(repo: Repo, file: str) -> None:
    (problem,) = loaded(repo, file).problems
    assert "base_url can be set only as a flag or in the environment" in problem


def test_the_address_comes_from_the_flag_before_the_environment(repo: Repo) -> None:
    settings, environment = (
        loaded(repo, 'model = "openai:a"\n'),
        {"AFFIDAVIT_BASE_URL": "http://one.example/v1"},
    )
    assert models_of(settings, ReviewOptions(), environment)["planner"].base_url == "http://one.example/v1"
    flags = {"base_url": "http://two.example/v1"}
    assert (
        models_of(settings, ReviewOptions(**flags), environment)["planner"].base_url
        == "http://two.example/v1"
    )


def test_a_folder_cannot_choose_a_model(repo: Repo) -> None:
    repo.write({"web/affidavit.toml": 'model = "openai:a"\n'})
    settings = loaded(repo, "")
    assert "model can be set only at the root" in settings.problems[0]
    assert settings.model is None


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("model = 3", "expected PROVIDER:NAME, found 3"),
        ('model = " "', "expected PROVIDER:NAME"),
        ("planner_temperature = 3", "from 0 to 2"),
        ("planner_temperature = nan", "from 0 to 2"),
        ('planner_reasoning = "extreme"', "expected minimal, low, medium or high"),
        ("planner_temperature = true", "from 0 to 2"),
        ("verifier_max_tokens = 0", "whole number from 1"),
        ("verifier_max_tokens = 1.5", "whole number from 1"),
        ("verifier_max_tokens = true", "whole number from 1"),
        ("budget_tokens = 'many'", "whole number from 1"),
        ("budget_usd = -1", "from 0 to"),
        ("budget_usd = inf", "from 0 to"),
        ("budget_usd = []", "from 0 to"),
        ("model_timeout_seconds = 0", "from 0.001 to 86400"),
        ("modle = 'openai:a'", "did you mean model"),
        ("second_verifier_model = ''", "expected PROVIDER:NAME"),
        ("prices_usd_per_million = 3", "expected a table for each model"),
        ("prices_usd_per_million.large = 3", "expected a table with input, output"),
        ("prices_usd_per_million.large.input = 3", r"large\.output: Field required"),
        ("prices_usd_per_million.large = {input = -1, output = 1}", r"large\.input: .* greater than"),
        ("prices_usd_per_million.large = {input = nan, output = 1}", r"large\.input: "),
        ("prices_usd_per_million.large = {input = true, output = 1}", "expected numbers"),
        ("prices_usd_per_million.large = {input = 1, output = 1, inptu = 1}", r"large\.inptu: "),
        ("prices_usd_per_million.large = {input = 1, cached_input = 2, output = 3}", "costs more than input"),
        ("prices_usd_per_million = 'large=1'", "expected MODEL=INPUT/OUTPUT"),
        ("prices_usd_per_million = '=1/2'", "expected MODEL=INPUT/OUTPUT"),
        ("second_verifier_base_url = 'http://evil.example/v1'", "only as a flag or in the environment"),
    ],
)
def test_a_bad_value_is_one_clear_line(repo: Repo, line: str, complaint: str) -> None:
    (problem,) = loaded(repo, line + "\n").problems
    assert re.search(complaint, problem)
    assert "affidavit.toml" in problem


def test_a_file_says_what_a_model_costs_that_no_table_knows(repo: Repo) -> None:
    settings = loaded(
        repo, 'prices_usd_per_million."acme/large:2" = {input = 2, cached_input = 0.5, output = 8}\n'
    )
    chosen = models_of(settings, ReviewOptions(base_url=ONE), {}) | models_of(
        settings.model_copy(update={"model": "acme/large:2", "verifier_model": "small"}),
        ReviewOptions(base_url=ONE),
        {},
    )
    assert cost_usd(chosen["planner"], 1_000_000, 1_000_000) == 10.0
    assert cost_usd(chosen["planner"], 1_000_000, 1_000_000, 600_000) == pytest.approx(9.1)
    assert cost_usd(chosen["verifier"], 1, 1) is None


@pytest.mark.parametrize("name", ["openai:large", "large"])
def test_a_price_is_found_by_the_name_as_written_and_as_reported(name: str) -> None:
    flags = {"model": "openai:large", "base_url": ONE, "prices_usd_per_million": f"{name}=1/2, other=3/1/4"}
    assert cost_usd(chosen_models(ReviewOptions(**flags), {})["planner"], 1_000_000, 1_000_000) == 3.0


def test_a_file_cannot_make_a_model_cheap_whose_price_is_known(repo: Repo) -> None:
    file = 'model = "openai:gpt-4o"\nprices_usd_per_million."openai:gpt-4o" = {input = 0, output = 0}\n'
    choice = models_of(loaded(repo, file), ReviewOptions(), {})["planner"]
    assert cost_usd(choice, 1_000_000, 0) == pytest.approx(2.5)


def test_prices_of_the_environment_come_before_those_of_a_file(repo: Repo) -> None:
    file = 'model = "large"\nprices_usd_per_million.large = {input = 0, output = 0}\n'
    settings = loaded(repo, file, {"AFFIDAVIT_PRICES_USD_PER_MILLION": "large=5/6"})
    assert cost_usd(models_of(settings, ReviewOptions(base_url=ONE), {})["planner"], 1_000_000, 0) == 5.0


def test_a_command_without_a_repository_reads_flags_and_the_environment() -> None:
    environment = {"AFFIDAVIT_MODEL": "openai:a", "AFFIDAVIT_BUDGET_TOKENS": "5"}
    assert chosen_models(ReviewOptions(), environment)["reporter"].model == "openai:a"
    assert chosen_models(ReviewOptions(model="openai:b"), environment)["reporter"].model == "openai:b"
    assert opened_ledger(ReviewOptions(budget_usd=1.5), environment).budget == SpendingLimit(
        tokens=5, usd=1.5
    )


def test_every_setting_of_models_has_a_field_and_no_value_by_itself() -> None:
    assert {name: getattr(Settings(), name) for name in MODEL_READERS} == dict.fromkeys(MODEL_READERS)


def addresses(flags: dict[str, Any], environment: dict[str, str] | None = None) -> dict[str, str]:
    """Role to where its model is asked."""
    chosen = chosen_models(ReviewOptions(**{"model": "large", **flags}), environment or {})
    return {role: f"{choice.provider} {choice.base_url or ''}".strip() for role, choice in chosen.items()}


ONE, TWO = "http://one.example/v1", "http://two.example/v1"


def test_a_role_that_names_its_provider_is_asked_there_whatever_the_general_address() -> None:
    chosen = addresses({"base_url": ONE, "verifier_model": "anthropic:careful", "planner_model": "small"})
    assert chosen == {
        "planner": f"compatible {ONE}",
        "specialist": f"compatible {ONE}",
        "verifier": "anthropic",
        "joiner": "anthropic",
        "reporter": f"compatible {ONE}",
    }


def test_a_file_cannot_lead_code_away_from_the_address_of_the_user(repo: Repo) -> None:
    settings = loaded(repo, 'verifier_model = "anthropic:careful"\n', model="large")
    chosen = models_of(settings, ReviewOptions(base_url=ONE, model="large"), {})
    assert (chosen["verifier"].base_url, chosen["verifier"].provider) == (ONE, "compatible")
    named = models_of(
        settings, ReviewOptions(base_url=ONE), {"AFFIDAVIT_VERIFIER_MODEL": "anthropic:careful"}
    )
    assert (named["verifier"].base_url, named["verifier"].provider) == (None, "anthropic")


def test_the_model_of_all_roles_goes_to_the_general_address_however_it_is_named() -> None:
    assert set(addresses({"model": "openai:large", "base_url": ONE}).values()) == {f"compatible {ONE}"}


def test_a_role_has_an_address_of_its_own_from_a_flag_before_the_environment() -> None:
    environment = {"AFFIDAVIT_VERIFIER_BASE_URL": TWO, "AFFIDAVIT_BASE_URL": ONE}
    assert addresses({}, environment)["verifier"] == f"compatible {TWO}"
    assert addresses({"verifier_base_url": ONE + "/x"}, environment)["verifier"] == f"compatible {ONE}/x"
    named = {"verifier_model": "openai:m", "verifier_base_url": TWO}
    assert addresses({"base_url": ONE, **named})["verifier"] == f"compatible {TWO}"


def test_the_key_of_one_address_is_not_sent_to_another() -> None:
    chosen = chosen_models(ReviewOptions(model="large", base_url=ONE, verifier_base_url=TWO), {})
    assert chosen["planner"].key_variable == "AFFIDAVIT_API_KEY"
    assert chosen["verifier"].key_variable == "AFFIDAVIT_VERIFIER_API_KEY"
    keys = {"AFFIDAVIT_API_KEY": "one", "AFFIDAVIT_VERIFIER_API_KEY": "two"}
    sent = {role: build_client(chosen[role], keys).model.client.api_key for role in ("planner", "verifier")}  # type: ignore[attr-defined]
    assert sent == {"planner": "one", "verifier": "two"}
    assert build_client(chosen["verifier"], {"AFFIDAVIT_API_KEY": "one"}).model.client.api_key == "none"  # type: ignore[attr-defined]


def test_there_is_a_second_verifier_only_where_one_is_named() -> None:
    assert "second_verifier" not in chosen_models(ReviewOptions(model="openai:a"), {})
    named = chosen_models(ReviewOptions(model="openai:a"), {"AFFIDAVIT_SECOND_VERIFIER_MODEL": "anthropic:b"})
    assert (named["second_verifier"].model, named["second_verifier"].temperature) == ("anthropic:b", 1.0)


def test_the_same_model_twice_is_no_second_opinion() -> None:
    with pytest.raises(SettingsError, match="same model as the first.*--second-verifier-model"):
        chosen_models(ReviewOptions(model="openai:a", second_verifier_model="openai:a"), {})


def test_a_second_verifier_alone_is_no_panel() -> None:
    with pytest.raises(SettingsError, match="no model for the planner"):
        chosen_models(ReviewOptions(second_verifier_model="openai:a"), {})


def test_a_command_that_asks_one_model_takes_its_own_flag_before_the_environment() -> None:
    environment = {"AFFIDAVIT_REPORTER_MODEL": "anthropic:words", "AFFIDAVIT_SECOND_VERIFIER_MODEL": "large"}
    flags = {"model": "openai:large", "base_url": ONE}
    chosen = chosen_model("reporter", ReviewOptions(**flags), environment)
    assert chosen is not None
    assert (chosen.name, chosen.base_url) == ("large", ONE)
    from_environment = chosen_model("reporter", ReviewOptions(base_url=ONE), environment)
    assert from_environment is not None
    assert from_environment.model == "anthropic:words"
    assert chosen_model("verifier", ReviewOptions(), environment) is None
