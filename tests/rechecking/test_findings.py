"""The proof of one finding is cut out of the comparison: what is forged fails there, and nowhere else."""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from affidavit.rechecking.check import recheck
from affidavit.records.report import Report
from affidavit.stages.intake import rebuild_change
from forging import forged
from remade import Made
from repositories import Repo
from series import Series, claim, confirming

ABSENT = {"is_absence_finding": True, "searches": [{"pattern": "is_empty"}]}
APP = "def total(items):\n    return items[0]\n"


def failing(made: Made, content: Any) -> set[tuple[str, str]]:
    """The findings whose proofs fail, each with the kind."""
    return {(one.finding, one.kind) for one in made.recheck(content).proofs if one.holds is False}


def first(made: Made, kind: str) -> tuple[int, str]:
    """The first shown finding of a kind, and its id."""
    shown = [(number, one) for number, one in enumerate(made.content["candidates"]) if not one["withheld"]]
    return next((number, one["id"]) for number, one in shown if one["kind"] == kind)


OF_ANALYSERS: dict[str, tuple[tuple[str, ...], str]] = {
    "another quote": (("quote", "code"), "quote"),
    "another place of the quote": (("quote", "start"), "quote"),
    "another title": (("finding", "title"), "analyser"),
    "another severity": (("finding", "severity"), "analyser"),
    "another suggestion": (("finding", "suggestion"), "analyser"),
    "another status": (("status",), "judgement"),
    "another step": (("steps", "0", "what"), "analyser"),
}


@pytest.mark.parametrize(("path", "kind"), OF_ANALYSERS.values(), ids=OF_ANALYSERS.keys())
def test_what_is_forged_of_a_finding_fails_its_own_proof(
    mechanical: Made, path: tuple[str, ...], kind: str
) -> None:
    number, name = first(mechanical, "mechanical")
    content = forged(mechanical.content, ("candidates", str(number), *path))
    assert {one for one in failing(mechanical, content) if one[0]} == {(name, kind)}


def test_a_finding_that_was_invented_fails_and_one_that_was_left_out_is_named(mechanical: Made) -> None:
    number, name = first(mechanical, "mechanical")
    moved = forged(mechanical.content, ("candidates", str(number), "finding", "line"))
    proofs = mechanical.recheck(moved).proofs
    assert (name, "analyser", False) in [(one.finding, one.kind, one.holds) for one in proofs]
    assert [one.detail for one in proofs if "also reports" in one.detail and one.holds is False]


def test_a_finding_taken_out_leaves_the_proofs_of_the_others_as_they_are(mechanical: Made) -> None:
    copy = json.loads(json.dumps(mechanical.content))
    number, _ = first(mechanical, "mechanical")
    del copy["candidates"][number]
    proofs = mechanical.recheck(copy).proofs
    assert [one for one in proofs if one.finding and one.holds is not True] == []
    assert {one.kind for one in proofs if one.holds is False} == {"analyser", "verdict", "report"}


def test_one_finding_is_proven_by_itself(mechanical: Made) -> None:
    _, name = first(mechanical, "mechanical")
    report = Report.model_validate(mechanical.content)
    with rebuild_change(report.change, mechanical.folder) as opened:
        done = asyncio.run(recheck(report, opened, mechanical.machine.assemble))
    proofs = [one for one in done.proofs if one.finding == name or one.kind == "change"]
    assert [(one.finding, one.kind, one.holds) for one in proofs] == [
        ("", "change", True),
        (name, "quote", True),
        (name, "analyser", True),
    ]


def verified(content: Any, judgements: list[Any]) -> Any:
    """The finding of the model called verified by these judgements, in its record and in the inputs."""
    copy = json.loads(json.dumps(content))
    for one in copy["candidates"]:
        if one["kind"] == "model":
            one.update(judgements=judgements, status="verified", withheld=None)
    copy["inputs"]["judgements"] = [
        {"candidate": one["id"], "judgement": judgement}
        for one in copy["candidates"]
        if one["kind"] == "model"
        for judgement in judgements
    ]
    return copy


def series_of(repo: Repo, judge: Callable[[str], Mapping[str, Any]]) -> Series:
    repo.commit("Base", {"app.py": "def total(items):\n    return 0\n"})
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit("Change", {"app.py": APP})
    series = Series(repo)
    series.review([claim("app.py", 2, "return items[0]", evidence=ABSENT)], judge=judge)
    return series


def kinds_that_fail(series: Series, content: Any) -> set[str]:
    series.reports.append(Report.model_validate(content))
    return {one.kind for one in series.recheck().proofs if one.holds is False and one.finding}


def test_an_honest_absence_claim_holds_with_its_quote_and_its_search(repo: Repo) -> None:
    series = series_of(repo, confirming)
    proofs = [(one.kind, one.holds) for one in series.recheck().proofs if one.finding]
    assert proofs == [("quote", True), ("search", True)]


@pytest.mark.parametrize(
    "searches", [[], [{"search": {"pattern": "is_empty"}, "state": "hits", "hits": [], "detail": ""}]]
)
def test_a_search_with_another_outcome_or_none_fails(repo: Repo, searches: list[Any]) -> None:
    series = series_of(repo, confirming)
    content = series.reports[-1].model_dump(mode="json")
    content["candidates"][0]["searches"] = searches
    assert kinds_that_fail(series, content) == {"search"}


REFUTING = {"judgment": "REFUTED", "qualified": False, "worth": "act", "reason": "it is checked"}
QUALIFIED = {"judgment": "CONFIRMED", "qualified": True, "worth": "act", "reason": "perhaps"}


@pytest.mark.parametrize("said", [REFUTING, QUALIFIED])
def test_a_finding_called_verified_that_its_verifier_did_not_confirm_fails(
    repo: Repo, said: dict[str, Any]
) -> None:
    series = series_of(repo, lambda _told: said)
    content = series.reports[-1].model_dump(mode="json")
    (one,) = content["candidates"]
    kept = [given["judgement"] for given in content["inputs"]["judgements"]]
    assert kept
    assert one["status"] != "verified"
    # Also where the forger repeats the judgement as it was, or leaves it out everywhere.
    for judgements in (kept, []):
        assert "judgement" in kinds_that_fail(series, verified(content, judgements)), judgements


def test_a_confirmation_in_a_report_that_names_no_model_fails(repo: Repo) -> None:
    series = series_of(repo, confirming)
    content = {**series.reports[-1].model_dump(mode="json"), "models": {}}
    series.reports.append(Report.model_validate(content))
    assert False in {one.holds for one in series.recheck().proofs}
