"""Findings of one cause are one in `affidavit review` as a user runs it, and a recheck derives it again."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from affidavit.records.report import Report
from commands import Done, affidavit
from model_server import Act, Exchange, fails, says, serving
from panelists import claim, panelists, result, review, task_in
from repositories import Repo
from scripted_model import JOINING

BASE = {"app.py": "def total(items):\n    return sum(items)\n"}
LOOP = (
    "def total(items):\n    result = 1\n    for item in items:\n        result += item\n    return result\n"
)
WRONG = claim("app.py", 2, "    result = 1", title="The sum starts at one", severity="medium")
EFFECT = claim(
    "app.py",
    5,
    "    return result",
    title="Empty carts cost a cent",
    message="What comes back for nothing is not nothing.",
)
CAUSE = "`result` starts at 1 in app.py:2"


@pytest.fixture
def changed(repo: Repo) -> Repo:
    repo.commit("base", BASE)
    repo.commit("Sum by hand", {"app.py": LOOP})
    return repo


def is_joining(body: Mapping[str, Any]) -> bool:
    return JOINING in json.dumps(body["messages"])


def joining(act: Act) -> Act:
    """All roles by script, the joiner by `act`."""
    others = panelists(lambda told: result(WRONG, EFFECT) if task_in(told) == "logic" else result())

    def answer(exchange: Exchange) -> None:
        (act if is_joining(exchange.body) else others)(exchange)

    return answer


def groups(*ids: str) -> Act:
    return says(json.dumps({"groups": [{"cause": CAUSE, "findings": list(ids)}]}))


TOGETHER = groups("logic-0", "logic-1")


def reported(done: Done) -> Report:
    return Report.model_validate_json(done.out)


def recheck(repo: Repo, report: Path) -> Done:
    return affidavit("recheck", report, cwd=repo.path)


def test_findings_of_one_cause_are_one_and_that_holds_when_it_is_derived_again(
    changed: Repo, tmp_path: Path
) -> None:
    with serving(joining(TOGETHER)) as (address, server):
        done = review(changed.path, address)
    report = reported(done)
    assert [one.finding.title for one in report.shown if one.finding] == ["Empty carts cost a cent"]
    (under,) = report.withheld
    assert under.withheld is not None
    assert (under.id, under.withheld.code, under.withheld.detail) == ("logic-0", "duplicate_of", "logic-1")
    assert report.shown[0].carries == (under.fingerprint,)
    assert report.models["joiner"] == report.models["verifier"]
    assert report.inputs is not None
    assert report.inputs.joiner is not None
    assert CAUSE in (report.inputs.joiner.text or "")
    assert sum(is_joining(asked) for asked in server.requests) == 1
    assert [one.requests for one in report.usage if one.role == "joiner"] == [1]
    kept = tmp_path / "report.json"
    kept.write_text(done.out)
    again = recheck(changed, kept)
    assert again.code == 0, again.out
    assert "which findings have one cause, by scripted" in again.out


def test_another_grouping_than_the_one_that_was_answered_does_not_hold(changed: Repo, tmp_path: Path) -> None:
    with serving(joining(TOGETHER)) as (address, _):
        content = json.loads(review(changed.path, address).out)
    apart = [{"cause": CAUSE, "findings": [name]} for name in ("logic-0", "logic-1")]
    content["inputs"]["joiner"]["text"] = json.dumps({"groups": apart})
    forged = tmp_path / "forged.json"
    forged.write_text(json.dumps(content))
    assert recheck(changed, forged).code == 1


def shown(repo: Repo, address: str) -> Done:
    chosen = ("--model", "scripted", "--base-url", address, "--analysers-off", "ty,kingfisher")
    return affidavit("review", "HEAD", *chosen, cwd=repo.path)


def test_what_stands_for_a_cause_names_the_others_as_not_judged(changed: Repo) -> None:
    with serving(joining(TOGETHER)) as (address, _):
        done = shown(changed, address)
    assert "logic, app.py:2: The sum starts at one (not verified separately)" in " ".join(done.out.split())


def test_a_joiner_that_fails_is_a_note_and_the_review_is_whole(changed: Repo, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with serving(joining(fails(400, "no"))) as (address, _):
        first = reported(review(changed.path, address, "--record", log))
    assert [note.code for note in first.diagnostics if note.code == "joiner_failed"] == ["joiner_failed"]
    assert first.incomplete == ()
    assert len(first.shown) == 2
    with serving(fails(500, "nobody is to be asked")) as (address, server):
        replayed = reported(review(changed.path, address, "--replay", log))
        assert server.requests == []
    assert [note.code for note in replayed.diagnostics if note.code == "joiner_failed"] == ["joiner_failed"]
    with serving(joining(TOGETHER)) as (address, server):
        resumed = reported(review(changed.path, address, "--resume", log))
        assert [is_joining(asked) for asked in server.requests].count(True) == 1
    assert len(resumed.shown) == 1
