"""Several models for the specialists: their conversations are spread over them, their families agree."""

import re
from typing import Any

import pytest

from affidavit.errors import SettingsError
from affidavit.records.report import Report
from affidavit.reviewing.models import chosen_models
from affidavit.reviewing.options import ReviewOptions
from commands import Done, affidavit
from model_server import serving
from repositories import Repo
from scripted_model import PLAN, model

SUMS = "def total(items):\n    return sum(items)\n"
LOOP = (
    "def total(items):\n    result = 1\n    for item in items:\n        result += item\n    return result\n"
)


@pytest.fixture
def changed(repo: Repo) -> Repo:
    repo.commit("base", {"app.py": SUMS})
    repo.commit("Sum by hand", {"app.py": LOOP})
    return repo


def review(repo: Repo, specialists: str, *options: str, address: str = "http://127.0.0.1:9/v1") -> Done:
    named = ("--model", "scripted", "--base-url", address, "--specialist-model", specialists)
    return affidavit(
        "review", "HEAD", *named, "--effort", "deep", "--analysers-off", "ty", *options, cwd=repo.path
    )


def reviewed(repo: Repo, specialists: str) -> Report:
    plan = PLAN | {"questions": {"logic": [], "security": [], "quality": []}}
    with serving(model(review_plan=plan)) as (address, _):
        done = review(repo, specialists, "--format", "report=report.json", address=address)
    assert done.code == 1, done.err
    return Report.model_validate_json((repo.path / "report.json").read_text())


def models_of_replies(report: Report) -> dict[str, str]:
    return {one.specialist: one.usage[0].model for one in report.inputs.replies if one.usage}


def test_conversations_are_spread_over_the_models_in_a_fixed_order(changed: Repo) -> None:
    first, again = reviewed(changed, "claude-a,gpt-b"), reviewed(changed, "claude-a, gpt-b")
    spread = models_of_replies(first)
    assert list(spread.values())[:2] == ["claude-a", "gpt-b"]
    assert models_of_replies(again) == spread
    spent = {one.role: one.model for one in first.usage if one.role.startswith("specialist")}
    assert spent == {"specialist": "claude-a", "specialist_2": "gpt-b"}


@pytest.mark.parametrize(
    ("specialists", "is_agreed"), [("claude-a,gpt-b", True), ("claude-a,claude-b", False)]
)
def test_only_another_family_agrees_and_recheck_derives_the_same(
    changed: Repo, specialists: str, is_agreed: bool
) -> None:
    (found, *_) = reviewed(changed, specialists).shown
    assert bool(found.agreed_by) is is_agreed
    done = affidavit("recheck", "report.json", cwd=changed.path)
    assert done.code == 0, done.out


def test_the_estimate_shows_the_price_of_each_model(changed: Repo) -> None:
    prices = ("--prices-usd-per-million", "claude-a=1/0.1/4,gpt-b=2/0.2/8,scripted=1/1/1")
    done = review(changed, "claude-a,gpt-b", "--estimate", *prices)
    rows = [re.split(r" {2,}", line) for line in done.out.splitlines() if line.startswith("specialist")]
    assert [row[:2] for row in rows] == [["specialist", "claude-a"], ["specialist 2", "gpt-b"]]
    assert all(float(row[-2]) > 0 for row in rows)


@pytest.mark.parametrize("specialists", ["a,a", "a,b,c,d", ",", "openai:a,nonesuch:b"])
def test_models_that_cannot_be_spread_over_are_named(specialists: str) -> None:
    with pytest.raises(SettingsError, match=r"specialist.model|nonesuch"):
        chosen_models(ReviewOptions(model="openai:a", specialist_model=specialists), {})


@pytest.mark.parametrize("place", ["environment", "flag"])
def test_each_model_has_the_settings_of_the_role(place: str) -> None:
    named = {"AFFIDAVIT_SPECIALIST_MODEL": "openai:a, anthropic:b"} if place == "environment" else {}
    flag: dict[str, Any] = {} if named else {"specialist_model": "openai:a, anthropic:b"}
    chosen = chosen_models(ReviewOptions(model="google:c", specialist_max_tokens=99, **flag), named)
    found = [(chosen[role].model, chosen[role].max_tokens) for role in ("specialist", "specialist_2")]
    assert found == [("openai:a", 99), ("anthropic:b", 99)]
    assert "specialist_3" not in chosen
