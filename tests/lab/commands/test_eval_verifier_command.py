"""`affidavit eval verifier` as a user runs it: real claims, real repositories, a model over the wire."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from affidavit.lab.cases.claims import load_claims
from affidavit.lab.records import ClaimKind, PlantedClaim
from claim_verifiers import Answer, as_known, confirming, verifier_of
from commands import Done, affidavit
from model_server import Act, Exchange, fails, serving
from sandboxes import needed_sandbox

EVALUATION = Path(__file__).parents[3] / "evaluation"
FILES = ("python-cache-without-tenant", "c-realloc-leak", "python-clean-jitter", "java-price-rounding")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A part of the planted claims, laid out as in the project."""
    place = tmp_path_factory.mktemp("project")
    (place / "evaluation/claims").mkdir(parents=True)
    for name in FILES:
        shutil.copy(EVALUATION / f"claims/{name}.json", place / "evaluation/claims")
        shutil.copytree(EVALUATION / f"cases/{name}", place / f"evaluation/cases/{name}")
    return place


@pytest.fixture(scope="module")
def claims(folder: Path) -> list[PlantedClaim]:
    return [claim for one in load_claims(folder / "evaluation/claims") for claim in one.claims]


Run = Callable[..., Done]


@pytest.fixture
def run(folder: Path) -> Run:
    def run_command(*options: str | Path) -> Done:
        return affidavit("eval", "verifier", "--model", "judge", "--quiet", *options, cwd=folder)

    return run_command


def judged(run: Run, claims: list[PlantedClaim], answer: Answer, *options: str | Path) -> Done:
    with serving(verifier_of(claims, answer)) as (address, _):
        return run("--base-url", address, *options)


def told(done: Done) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(done.out)
    return content


def test_the_chosen_part_of_the_set_has_every_kind(claims: list[PlantedClaim]) -> None:
    assert {claim.kind for claim in claims} == set(ClaimKind)


def test_a_verifier_that_knows_the_answers_has_every_rate_at_one(
    run: Run, claims: list[PlantedClaim]
) -> None:
    done = judged(run, claims, as_known, "--format", "json", "--min-refuted", "100%")
    assert done.code == 0, done.err
    trial = told(done)
    wrong = sum(claim.kind is ClaimKind.WRONG for claim in claims)
    assert (trial["claims"], trial["not_judged"]) == (len(claims), 0)
    assert (trial["refuted"]["count"], trial["refuted"]["n"]) == (wrong, wrong)
    assert 0 < trial["refuted"]["low"] < trial["refuted"]["high"] == 1
    rates = ("refuted", "confirmed", "called_small", "worth_as_known")
    assert {name: trial[name]["share"] for name in rates} == dict.fromkeys(rates, 1.0)
    assert trial["requests"] == len(claims) + 1
    assert trial["tokens"] > 0
    assert trial["models"] == {"verifier": "judge"}


def test_a_verifier_that_confirms_everything_refutes_nothing_and_misses_the_gate(
    run: Run, claims: list[PlantedClaim]
) -> None:
    done = judged(run, claims, confirming, "--min-refuted", "0.5")
    assert done.code == 1
    assert "0.0% of the wrong claims were refuted, less than --min-refuted 50.0%" in done.err
    shown = " ".join(done.out.split())
    wrong = next(claim for claim in claims if claim.kind is ClaimKind.WRONG)
    assert "refuted 0%" in shown
    assert "confirmed 100%" in shown
    assert "Wrong claims by trap" in shown
    assert str(wrong.trap).replace("_", " ") in shown
    assert "verifier CONFIRMED, worth act" in shown
    assert f"known wrong: {' '.join(wrong.why.split())}"[:60] in shown


def test_without_a_gate_bad_rates_leave_the_exit_code_at_0(run: Run, claims: list[PlantedClaim]) -> None:
    assert judged(run, claims, confirming).code == 0


def test_a_gate_on_true_claims_catches_a_verifier_that_refutes_everything(
    run: Run, claims: list[PlantedClaim]
) -> None:
    def refuting(claim: PlantedClaim) -> dict[str, Any]:
        return {**as_known(claim), "scenario": "unchanged", "judgment": "REFUTED"}

    done = judged(run, claims, refuting, "--min-refuted", "1", "--min-confirmed", "10%")
    assert done.code == 1
    assert "less than --min-confirmed 10.0%" in done.err
    assert "--min-refuted" not in done.err
    assert "refuted 100%" in " ".join(done.out.split())
    assert "Judged otherwise than is known" in done.out


def test_a_scenario_that_is_unchanged_refutes_as_in_a_review(run: Run, claims: list[PlantedClaim]) -> None:
    def unchanged(claim: PlantedClaim) -> dict[str, Any]:
        return {**confirming(claim), "scenario": "unchanged"}

    assert told(judged(run, claims, unchanged, "--format", "json"))["refuted"]["share"] == 1.0


def test_claims_without_an_answer_are_in_no_rate_and_make_the_exit_code_3(
    run: Run, claims: list[PlantedClaim]
) -> None:
    lost = next(claim for claim in claims if claim.kind is ClaimKind.WRONG)
    knowing = verifier_of(claims, as_known)

    def act(exchange: Exchange) -> None:
        is_lost = lost.finding.title in json.dumps(exchange.body["messages"], ensure_ascii=False)
        (fails(400, "no such thing") if is_lost else knowing)(exchange)

    with serving(act) as (address, _):
        done = run("--base-url", address, "--format", "json")
    assert done.code == 3, done.err
    trial = told(done)
    wrong = sum(claim.kind is ClaimKind.WRONG for claim in claims)
    assert (trial["not_judged"], trial["refuted"]["n"]) == (1, wrong - 1)
    assert "1 claim could not be judged" in done.err
    failure = next(one["failure"] for one in trial["results"] if one["id"] == lost.id)
    assert failure == "failed: HTTP status 400: no such thing"


def test_a_verifier_that_cannot_be_asked_at_all_ends_it_before_the_first_claim(run: Run) -> None:
    dead: Act = fails(401, "bad key")
    with serving(dead) as (address, script):
        done = run("--base-url", address)
    assert done.code == 2
    assert "judge cannot be asked, so no claim was judged" in done.err
    assert len(script.requests) == 1


def test_a_recorded_trial_is_replayed_without_a_model(
    run: Run, claims: list[PlantedClaim], tmp_path: Path
) -> None:
    first = judged(run, claims, as_known, "--format", "json", "--record", tmp_path / "kept")
    again = run("--base-url", "http://127.0.0.1:1/v1", "--replay", tmp_path / "kept", "--format", "json")
    assert again.code == 0, again.err
    assert told(again)["results"] == told(first)["results"]


def test_a_second_verifier_judges_as_in_a_review(run: Run, claims: list[PlantedClaim]) -> None:
    with serving(verifier_of(claims, as_known)) as (address, script):
        options = ("--second-verifier-model", "other", "--format", "json")
        done = run("--base-url", address, *options)
    trial = told(done)
    assert trial["models"] == {"verifier": "judge", "second_verifier": "other"}
    confirmed = sum(claim.judgement == "CONFIRMED" for claim in claims)
    # Both are tried first; the second is not asked about what is refuted.
    assert len(script.requests) == 2 + len(claims) + confirmed


def test_the_verifier_reads_the_claim_and_the_change_and_not_what_is_known(
    run: Run, claims: list[PlantedClaim]
) -> None:
    with serving(verifier_of(claims, as_known)) as (address, script):
        run("--base-url", address)
    sent = [json.dumps(body, ensure_ascii=False) for body in script.requests]
    assert all("get_file_context" in body for body in sent[1:])
    for claim in claims:
        assert sum(claim.finding.title in body for body in sent) == 1
        assert not any(claim.why in body for body in sent)


def test_a_verifier_is_shown_what_the_program_of_a_claim_did(tmp_path: Path) -> None:
    needed_sandbox()
    name = "python-clean-unmutated-default"
    shutil.copytree(EVALUATION / f"cases/{name}", tmp_path / f"cases/{name}")
    (tmp_path / "claims").mkdir()
    shutil.copy(EVALUATION / f"claims/{name}.json", tmp_path / "claims")
    (held,) = load_claims(tmp_path / "claims")
    with serving(verifier_of(held.claims, as_known)) as (address, script):
        chosen = ("--model", "judge", "--base-url", address, "--quiet", "--min-refuted", "1", "--run")
        done = affidavit("eval", "verifier", "claims", *chosen, cwd=tmp_path)
    assert done.code == 0, done.err
    sent = json.dumps(script.requests)
    # It raises on purpose, which a machine cannot tell: that is what the verifier is shown it for.
    assert "Outcome: reproduced" in sent
    assert "render.__defaults__[0].append" in sent
    assert "run_program" in sent


def test_without_a_model_nothing_is_judged(folder: Path) -> None:
    done = affidavit("eval", "verifier", cwd=folder)
    assert done.code == 2
    assert "no model for the verifier; choose one with --model or --verifier-model" in done.err


def test_a_folder_without_claims_is_asked_for_by_name(tmp_path: Path) -> None:
    done = affidavit("eval", "verifier", "--model", "openai:m", cwd=tmp_path)
    assert (done.code, "name the folder of the claims" in done.err) == (2, True)


def test_a_claim_whose_case_cannot_be_opened_is_stated(
    run: Run, claims: list[PlantedClaim], folder: Path
) -> None:
    place = folder / "evaluation/cases/python-clean-jitter/case.json"
    kept = place.read_text()
    place.write_text(json.dumps({**json.loads(kept), "head": "nowhere"}))
    try:
        done = judged(run, claims, as_known)
    finally:
        place.write_text(kept)
    assert done.code == 3
    assert "Not judged" in done.out
    assert "nowhere" in done.out
