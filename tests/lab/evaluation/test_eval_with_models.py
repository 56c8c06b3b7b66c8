"""`affidavit eval --model` against a model server over its real wire protocol: reviewed, judged, replayed."""

import json
from pathlib import Path
from typing import Any

import pytest

from commands import Done, affidavit
from model_server import Act, Exchange, Script, calls, says, serving
from repositories import Repo
from sandboxes import needed_sandbox
from scripted_model import JOINING, all_together

BASE = "def total(items):\n    return sum(items)\n"
HEAD = (
    "def total(items):\n    result = 1\n    for item in items:\n        result += item\n    return result\n"
)
CLAIM: dict[str, Any] = {
    "id": "1",
    "severity": "high",
    "category": "reliability",
    "title": "The total is one too many",
    "file": "app.py",
    "line": 2,
    "message": "The sum starts at 1.",
    "verification": {
        "code_examined": "    result = 1",
        "line_range_examined": [1, 5],
        "verification_method": "read the function",
        "checked_for_handling_elsewhere": True,
        "failing_input": "total([])",
        "wrong_outcome": "1 instead of 0",
    },
}
ANSWERS: dict[str, Any] = {
    "review_plan": {"goal": "sum", "approach": "a loop", "impact": "none", "questions": {"logic": []}},
    "review_result": {"schema_version": "1.1", "prompt_version": "2.0.0", "findings": [CLAIM]},
    "verification_judgment": {
        "judgment": "CONFIRMED",
        "qualified": False,
        "worth": "act",
        "reason": "app.py:2",
    },
    "review_words": {"summary": "It sums.", "positive_notes": [], "recommendations": []},
    "same_problem": {"same": True, "reason": "both start the sum at one"},
}


def model(**answers: Any) -> Act:
    """A model that hands in what each role asks for."""
    final = {**ANSWERS, **answers}

    def act(exchange: Exchange) -> None:
        text = json.dumps(exchange.body)
        if "tools" in exchange.body:
            (wanted,) = {tool["function"]["name"] for tool in exchange.body["tools"]} & final.keys()
            calls((wanted, json.dumps(final[wanted])))(exchange)
            return
        if JOINING in text:
            says(json.dumps(all_together(exchange)))(exchange)
            return
        wanted = next(
            name for name in ("same_problem", "verification_judgment", "review_words") if name in text
        )
        says(json.dumps(final[wanted]))(exchange)

    return act


@pytest.fixture
def cases(repo: Repo) -> Path:
    repo.commit("Begin", {"app.py": BASE})
    repo.git("tag", "base")
    repo.commit("Sum by hand", {"app.py": HEAD})
    repo.git("tag", "head")
    folder = repo.path.parent / "cases" / "one"
    folder.mkdir(parents=True)
    told = {"id": "one", "repository": "../../repo", "base": "base", "head": "head", "clean": False}
    (folder / "case.json").write_text(json.dumps(told))
    expected = {
        "file": "app.py",
        "line": 2,
        "category": "correctness",
        "description": "The sum begins with 1.",
    }
    (folder / "expected.json").write_text(json.dumps([expected]))
    return folder.parent


def evaluate(cases: Path, address: str, *options: str | Path) -> Done:
    chosen = ("--model", "openai:scripted", "--base-url", address, "--format", "json", "--quiet")
    return affidavit(
        "eval",
        cases,
        *("--analysers-off", "ruff,ty,kingfisher", *chosen, *options),
        cwd=cases.parent,
        env={"OPENAI_API_KEY": "sk-none"},
    )


def asked_to_compare(script: Script) -> int:
    return sum("same_problem" in json.dumps(request) for request in script.requests)


def test_a_finding_of_a_model_is_matched_by_meaning_and_its_cost_is_counted(cases: Path) -> None:
    with serving(model()) as (address, script):
        done = evaluate(cases, address)
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert told["found"] == 1
    assert told["judge"] == "scripted"
    assert told["models"]["verifier"] == "scripted"
    (match,) = told["results"][0]["run"]["matches"]
    assert (match["basis"], match["reason"]) == ("judged", "both start the sum at one")
    assert told["tokens"] > 0
    assert told["judge_tokens"] > 0
    assert asked_to_compare(script) == 1


def test_with_the_flag_models_may_run_programs_and_their_own_are_run(cases: Path) -> None:
    needed_sandbox()
    program = {
        "language": "python",
        "program": "from app import total\nprint(total([]))\n",
        "expected_at_base": {"exit_code": 0, "output": "^0$"},
        "expected_at_head": {"exit_code": 0, "output": "^1$"},
    }
    shown = {**CLAIM, "verification": {**CLAIM["verification"], "reproduction": program}}
    reply = {"schema_version": "1.2", "prompt_version": "2.0.0", "findings": [shown]}
    out = cases.parent / "out"
    with serving(model(review_result=reply)) as (address, script):
        done = evaluate(cases, address, "--no-judge", "--run", "--out", out)
    assert done.code == 0, done.err
    assert any("run_program" in json.dumps(request.get("tools", [])) for request in script.requests)
    report = json.loads((out / "one" / "report.json").read_text())
    (found,) = (one for one in report["candidates"] if not one["withheld"])
    assert found["reproduction"]["outcome"] == "reproduced"


def test_what_the_judge_holds_to_be_another_problem_is_not_found(cases: Path) -> None:
    with serving(model(same_problem={"same": False, "reason": "another cause"})) as (address, _):
        told = json.loads(evaluate(cases, address).out)
    assert (told["found"], told["unlabelled"]) == (0, 1)
    assert told["results"][0]["run"]["misses"][0]["near"][0]["why"] == "another cause"


def test_without_the_judge_the_category_decides(cases: Path) -> None:
    with serving(model()) as (address, script):
        told = json.loads(evaluate(cases, address, "--no-judge").out)
    assert (told["found"], told["judge"], asked_to_compare(script)) == (0, "", 0)


def test_a_recorded_evaluation_is_replayed_without_asking_anybody(cases: Path) -> None:
    record = cases.parent / "record"
    with serving(model()) as (address, _):
        first = json.loads(evaluate(cases, address, "--record", record).out)
    assert (record / "one" / "conversation.jsonl").is_file()
    again = json.loads(evaluate(cases, "http://127.0.0.1:9/v1", "--replay", record).out)
    assert again["found"] == first["found"] == 1
    assert again["results"][0]["run"]["matches"] == first["results"][0]["run"]["matches"]


def test_an_evaluation_that_goes_on_pays_for_no_exchange_twice(cases: Path) -> None:
    out = cases.parent / "out"
    with serving(model()) as (address, script):
        assert evaluate(cases, address, "--out", out).code == 0
        paid = len(script.requests)
        done = evaluate(cases, address, "--resume", out)
    assert done.code == 0, done.err
    assert json.loads(done.out)["found"] == 1
    assert len(script.requests) == paid
