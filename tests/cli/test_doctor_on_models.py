"""`affidavit doctor` says which models have a price and can be reached, and asks them if it may."""

import json
from pathlib import Path
from typing import Any

from commands import affidavit
from model_server import Act, Script, fails, says, serving

NOWHERE = "http://127.0.0.1:9/v1"


def examined(folder: Path, act: Act, *options: str) -> tuple[int, dict[str, Any], Script]:
    with serving(act) as (url, script):
        environment = {
            "AFFIDAVIT_MODEL": "tiny",
            "AFFIDAVIT_BASE_URL": url,
            "AFFIDAVIT_API_KEY": "very-secret",
            "AFFIDAVIT_PRICES_USD_PER_MILLION": "tiny=10/100",
            "AFFIDAVIT_VERIFIER_MODEL": "large",
            "AFFIDAVIT_VERIFIER_BASE_URL": NOWHERE,
        }
        if "--ask" in options:
            del environment["AFFIDAVIT_VERIFIER_MODEL"], environment["AFFIDAVIT_VERIFIER_BASE_URL"]
        done = affidavit("doctor", "--format", "json", *options, cwd=folder, env=environment)
    assert "very-secret" not in done.out + done.err
    return done.code, {check["name"]: check for check in json.loads(done.out)["checks"]}, script


def test_each_model_is_priced_and_reached_without_a_key_or_a_request(tmp_path: Path) -> None:
    code, checks, script = examined(tmp_path, says("yes"))
    assert code == 0
    assert checks["model tiny"]["state"] == "ok"
    assert "its price is known" in checks["model tiny"]["detail"]
    assert checks["model large"]["state"] == "broken"
    assert "its price is not known; http://127.0.0.1:9 cannot be reached" in checks["model large"]["detail"]
    assert script.requests == []
    assert len(script.heads) == 1
    assert "very-secret" not in str(script.heads)


def test_a_model_that_is_asked_answers_in_few_tokens_and_its_cost_is_said(tmp_path: Path) -> None:
    code, checks, script = examined(tmp_path, says('{"word":"yes"}'), "--ask")
    assert code == 0
    assert checks["asked tiny"]["detail"] == "answered; 100 + 10 tokens for $0.0020"
    assert [request["max_tokens"] for request in script.requests] == [1024]


def test_a_model_that_is_asked_and_fails_is_a_failure(tmp_path: Path) -> None:
    code, checks, script = examined(tmp_path, fails(401, "no"), "--ask")
    assert (code, checks["asked tiny"]["state"]) == (1, "broken")
    assert "the provider did not accept the key" in checks["asked tiny"]["detail"]
    assert len(script.requests) == 1
