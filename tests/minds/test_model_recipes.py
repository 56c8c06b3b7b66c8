"""Each command of docs/model-recipes.md asks the model that it names, at the path of its address."""

import asyncio
import re
import shlex
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from affidavit.cli.review import command
from affidavit.minds.ledger import SpendingLimit
from affidavit.minds.mind import PydanticMind
from affidavit.minds.prices import has_price
from affidavit.minds.wire.providers import build_client
from affidavit.reviewing.models import chosen_models, opened_ledger
from affidavit.reviewing.options import ReviewOptions
from model_server import says, serving
from talks import JUDGEMENT, a_talk, answer_of

PAGE = (Path(__file__).parents[2] / "docs" / "model-recipes.md").read_text().replace("\\\n", " ")
COMMANDS = re.findall(r"^\$ affidavit review (.*)$", PAGE, re.MULTILINE)
ADDRESS = re.compile(r"https?://[^ ]+")


@pytest.mark.parametrize("written", COMMANDS)
def test_a_recipe_asks_its_model_at_its_address(written: str) -> None:
    address = ADDRESS.search(written)
    assert address
    path = urlsplit(address[0]).path
    with serving(says(JUDGEMENT)) as (url, script):
        arguments = shlex.split(ADDRESS.sub(url.removesuffix("/v1") + path, written))
        given = command.make_context("review", list(arguments)).params
        options = ReviewOptions.from_all(given)
        environment = {"AFFIDAVIT_API_KEY": "k-1"}
        choice = chosen_models(options, environment)["verifier"]
        mind = PydanticMind("verifier", choice, client=lambda: build_client(choice, environment))
        answer = asyncio.run(answer_of(mind, a_talk()))
    assert (answer.outcome, len(script.requests)) == ("answered", 1)
    assert script.requests[0]["model"] == arguments[arguments.index("--model") + 1]
    assert script.headers[0][":path"] == f"{path}/chat/completions"
    assert script.headers[0]["authorization"] == "Bearer k-1"
    assert opened_ledger(options, {}).budget == (
        SpendingLimit(usd=2.0) if has_price(choice) else SpendingLimit()
    )


def test_there_is_a_recipe_for_each_server() -> None:
    assert len(COMMANDS) == 5
