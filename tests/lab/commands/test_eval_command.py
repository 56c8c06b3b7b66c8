"""`affidavit eval` as a user runs it, on real histories with the real mechanical specialists."""

import json
from pathlib import Path
from typing import Any

import pytest

from commands import Done, affidavit
from repositories import Repo

SOUND = "def total(items):\n    return sum(items)\n"
BROKEN = "def total(items):\n    result = sum(items)\n    return reslt\n"
HARMLESS = "def total(items):\n    result = sum(items)\n    return result\n"
QUICK = ("--analysers-off", "ty,kingfisher", "--quiet")


def write_case(cases: Path, name: str, expected: Any = None, **fields: Any) -> Path:
    folder = cases / name
    folder.mkdir(parents=True)
    told = {"id": name, "repository": "../../repo", "base": "base", "language": "python", **fields}
    (folder / "case.json").write_text(json.dumps(told))
    if expected is not None:
        (folder / "expected.json").write_text(json.dumps(expected))
    return folder


@pytest.fixture
def cases(repo: Repo) -> Path:
    """A bug that ruff finds, and a clean change."""
    repo.commit("Begin", {"app.py": SOUND})
    repo.git("tag", "base")
    repo.commit("Name the result", {"app.py": BROKEN})
    repo.git("tag", "broken")
    repo.git("checkout", "-q", "base")
    repo.commit("Name the result", {"app.py": HARMLESS})
    repo.git("tag", "harmless")
    folder = repo.path.parent / "cases"
    bug = {"file": "app.py", "line": 3, "category": "correctness", "description": "The name is misspelt."}
    write_case(folder, "bug", [bug], head="broken", clean=False)
    write_case(folder, "harmless", head="harmless", clean=True)
    return folder


def evaluate(cases: Path, *options: str | Path) -> Done:
    return affidavit("eval", cases, *QUICK, *options, cwd=cases.parent)


def scores(cases: Path, *options: str | Path) -> dict[str, Any]:
    done = evaluate(cases, "--format", "json", *options)
    assert done.code == 0, done.err
    told: dict[str, Any] = json.loads(done.out)
    return told


def claim_clean(cases: Path) -> None:
    """Call the case with the bug clean, so that the true finding counts as wrong."""
    place = cases / "bug" / "case.json"
    place.write_text(json.dumps({**json.loads(place.read_text()), "clean": True}))
    (cases / "bug" / "expected.json").unlink()


def test_json_on_standard_output_holds_the_scores(cases: Path) -> None:
    told = scores(cases)
    assert [told[name]["share"] for name in ("recall", "precision", "wrong_rate")] == [1.0, 1.0, 0.0]
    assert (told["cases"], told["clean_cases"], told["expected"], told["found"]) == (2, 1, 1, 1)
    assert told["by_language"]["python"]["found"] == 1
    run = told["results"][0]["run"]
    assert run["matches"][0]["basis"] == "place_and_category"
    assert run["findings"][0]["specialist"] == "ruff"


def test_the_text_shows_each_match(cases: Path) -> None:
    done = evaluate(cases)
    assert done.code == 0
    assert "recall     100%" in done.out
    told = " ".join(done.out.split())
    assert (
        "found: app.py:3 correctness: The name is misspelt. - app.py:3 ruff: `reslt` is not defined" in told
    )


def test_bad_scores_leave_the_exit_code_at_0_unless_a_limit_is_named(cases: Path) -> None:
    claim_clean(cases)
    assert evaluate(cases).code == 0
    done = evaluate(cases, "--max-wrong", "0")
    assert (done.code, "1 wrong finding, more than --max-wrong 0" in done.err) == (1, True)


def test_a_recall_below_the_limit_makes_the_exit_code_1(cases: Path) -> None:
    place = cases / "bug" / "expected.json"
    place.write_text(json.dumps([*json.loads(place.read_text()), {"file": "app.py", "line": 900}]))
    done = evaluate(cases, "--min-recall", "51%")
    assert done.code == 1
    assert "recall is 50.0%, less than --min-recall 51.0%" in done.err


def test_a_case_that_cannot_be_run_is_stated_and_makes_the_exit_code_3(cases: Path) -> None:
    write_case(cases, "lost", [{"file": "app.py", "line": 1}], head="nowhere")
    done = evaluate(cases, "--format", "json")
    told = json.loads(done.out)
    assert done.code == 3
    assert (told["cases"], told["not_run"], told["expected"]) == (2, 1, 1)
    assert "nowhere" in next(one["failure"] for one in told["results"] if one["case"]["id"] == "lost")


def test_where_no_case_could_be_run_the_exit_code_is_2(cases: Path) -> None:
    write_case(cases.parent / "others", "lost", head="nowhere", clean=True)
    done = evaluate(cases.parent / "others")
    assert done.code == 2
    assert "no case could be run" in done.err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "name the folder of the cases"),
        (("nowhere",), "is not a folder"),
        (("cases", "--max-wrong", "-1"), "--max-wrong: expected a whole number, or a share"),
        (("cases/harmless", "--min-recall", "0.5"), "no case expects a problem"),
        (("cases", "--resume", "nowhere"), "there is no folder nowhere"),
        (("--mutate", "--out", "planted"), "No such option"),
    ],
)
def test_bad_input_makes_the_exit_code_2_with_a_sentence(
    cases: Path, arguments: tuple[str, ...], complaint: str
) -> None:
    done = affidavit("eval", *arguments, cwd=cases.parent)
    assert done.code == 2
    assert complaint in done.err
    assert "Traceback" not in done.err


def test_a_label_that_somebody_gave_counts_in_the_next_evaluation(cases: Path) -> None:
    claim_clean(cases)
    out = cases.parent / "out"
    assert scores(cases, "--out", out)["wrong"] == 1
    report = out / "bug" / "report.json"
    (finding,) = [one for one in json.loads(report.read_text())["candidates"] if one["withheld"] is None]
    done = affidavit("label", report, finding["id"], "valid", cwd=cases.parent)
    assert done.code == 0, done.err
    told = scores(cases)
    assert (told["wrong"], told["true"]) == (0, 1)
    assert scores(cases, "--no-labels")["wrong"] == 1


def test_reviews_that_were_done_in_part_are_said_whatever_the_format(cases: Path) -> None:
    done = evaluate(
        cases,
        *("--model", "scripted", "--base-url", "http://127.0.0.1:9/v1", "--no-judge"),
        *("--format", "json", "--model-timeout-seconds", "1"),
    )
    assert (done.code, json.loads(done.out)["incomplete"]) == (0, 2)
    assert "affidavit: 2 reviews were done in part; the first: " in done.err


def test_the_json_is_written_beside_the_text(cases: Path) -> None:
    written = cases.parent / "out.json"
    done = evaluate(cases, "--format", f"json={written}")
    assert "recall" in done.out
    assert "reslt" in written.read_text()


def test_help_is_there(cases: Path) -> None:
    assert "--min-recall" in affidavit("eval", "--help", cwd=cases.parent).out
