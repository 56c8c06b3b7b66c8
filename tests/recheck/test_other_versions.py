"""What an honest report of another version may say otherwise, and what no version leaves out."""

import json
from typing import Any

import pytest

from commands import affidavit
from remade import Machine, Made
from repositories import Repo

OFF = 'analysers_off = ["kingfisher", "ty", "references"]\n'
TWO_NAMES = "def a():\n    return first\n\n\ndef b():\n    return second\n\n\ndef c():\n    return first\n"
MINOR = "def d(items=[]):\n    items.append(1)\n    return items\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    repo = Repo(tmp_path_factory.mktemp("versions"))
    repo.commit("Base", {"affidavit.toml": OFF, "app.py": "def a():\n    return 1\n"})
    repo.commit("Change", {"app.py": TWO_NAMES, "minor.py": MINOR})
    done = affidavit("review", "HEAD", "--format", "report", "--no-store", cwd=repo.path)
    return Made(repo.path, json.loads(done.out), Machine())


def of_other_version(content: Any) -> Any:
    """The report as an older ruff and its release of Affidavit would have written it."""
    said = json.dumps({**content, "affidavit_version": "0.0.1"})
    copy = json.loads(said.replace("nothing in this file defines", "nobody defines"))
    for run in copy["analyser_runs"]:
        run["version"] = "0.0.1" if run["analyser"] == "ruff" else run["version"]
    return copy


def without(content: Any, *ids: str) -> Any:
    """The report as if these had never been found; every count says so."""
    copy = json.loads(json.dumps(content))
    gone = [one for one in copy["candidates"] if one["id"] in ids]
    assert len(gone) == len(ids)
    copy["candidates"] = [one for one in copy["candidates"] if one["id"] not in ids]
    verdict, counts = copy["verdict"], copy["verdict"]["counts"]
    verdict["blocking"] = [one for one in verdict["blocking"] if one not in ids]
    copy["gate"]["failed_by"] = [one for one in copy["gate"]["failed_by"] if one not in ids]
    counts["blocking"] = len(verdict["blocking"])
    for one in gone:
        counts["candidates"] -= 1
        counts["shown"] -= 1
        counts["folded"] -= one["folded"]
        counts["by_severity"][one["finding"]["severity"]] -= 1
    return copy


def by_line(made: Made) -> dict[int, str]:
    candidates = [one for one in made.content["candidates"] if one["finding"]["file"] == "app.py"]
    assert all(one["withheld"] is None for one in candidates)
    return {one["finding"]["line"]: one["id"] for one in candidates}


def minor(made: Made) -> str:
    (found,) = [one["id"] for one in made.content["candidates"] if one["finding"]["file"] == "minor.py"]
    assert found not in made.content["verdict"]["blocking"]
    return str(found)


def test_the_report_as_it_was_written_holds(made: Made) -> None:
    assert made.outcome(made.content) is True
    assert len(made.content["verdict"]["blocking"]) == 3


def test_other_words_of_another_version_cannot_be_checked(made: Made) -> None:
    done = made.recheck(of_other_version(made.content))
    assert {proof.holds for proof in done.proofs if proof.kind == "analyser"} >= {None}
    assert [proof for proof in done.proofs if proof.holds is False] == []


def test_other_words_of_the_same_version_fail(made: Made) -> None:
    copy = {**of_other_version(made.content), "affidavit_version": made.content["affidavit_version"]}
    copy["analyser_runs"] = made.content["analyser_runs"]
    assert made.outcome(copy) is False


def test_a_minor_finding_that_another_version_did_not_know_is_no_failure(made: Made) -> None:
    assert made.outcome(without(of_other_version(made.content), minor(made))) is None


def test_a_minor_finding_that_only_another_version_knew_is_no_failure(made: Made) -> None:
    copy = of_other_version(made.content)
    (known,) = [one for one in copy["candidates"] if one["id"] == minor(made)]
    known["finding"]["rule_id"] = "ruff/B999"
    assert made.outcome(copy) is None


@pytest.mark.parametrize("line", [2, 6, 10])
def test_a_finding_of_the_same_rule_in_the_same_file_covers_no_other(made: Made, line: int) -> None:
    gone = by_line(made)[line]
    assert made.outcome(without(of_other_version(made.content), gone)) is False


def test_one_line_beside_is_the_same_place_for_another_version(made: Made) -> None:
    copy = of_other_version(made.content)
    (moved,) = [one for one in copy["candidates"] if one["id"] == by_line(made)[6]]
    moved["finding"]["line"] = 5
    failed = [proof.detail for proof in made.recheck(copy).proofs if proof.holds is False]
    assert [detail for detail in failed if "blocks in every version" in detail] == []


def asked_for_other_rules(content: Any) -> Any:
    """The report as a build of before, whose table of rules was shorter, would have written it."""
    copy = json.loads(json.dumps(content))
    runs = [*copy["analyser_runs"], *(r for one in copy["inputs"]["replies"] for r in one["analyser_runs"])]
    for run in runs:
        run["command"] = run["command"] and [*run["command"], "--rule=other"]
    return copy


def test_an_analyser_that_was_asked_for_other_rules_is_not_derived_again(made: Made) -> None:
    assert made.outcome(asked_for_other_rules(made.content)) is None


def test_other_rules_excuse_nothing_that_is_left_out(made: Made) -> None:
    for gone in (by_line(made)[6], minor(made)):
        assert made.outcome(without(asked_for_other_rules(made.content), gone)) is False


def test_an_analyser_that_is_said_to_have_had_nothing_to_do_fails(made: Made) -> None:
    copy = asked_for_other_rules(made.content)
    for reply in copy["inputs"]["replies"]:
        for run in reply["analyser_runs"]:
            run.update(state="nothing_to_do", command=[])
    assert made.outcome(copy) is False


@pytest.fixture(scope="module")
def renamed(tmp_path_factory: pytest.TempPathFactory) -> Made:
    repo = Repo(tmp_path_factory.mktemp("renamed"))
    use = "from lib import helper\n\nprint(helper())\n"
    off = OFF.replace(', "references"', "")
    repo.commit(
        "Base", {"affidavit.toml": off, "lib.py": "def helper():\n    return 1\n", "u1.py": use, "u2.py": use}
    )
    repo.commit("Change", {"lib.py": "def other():\n    return 1\n"})
    done = affidavit("review", "HEAD", "--format", "report", "--no-store", cwd=repo.path)
    return Made(repo.path, json.loads(done.out), Machine())


def test_a_place_that_a_blocking_finding_stands_for_is_left_out_by_no_version(renamed: Made) -> None:
    assert renamed.outcome(renamed.content) is True
    copy = of_other_version(renamed.content)
    assert renamed.outcome(copy) is not False
    (place,) = [one for one in copy["candidates"] if one["withheld"]]
    copy["candidates"].remove(place)
    counts = copy["verdict"]["counts"]
    counts["candidates"] -= 1
    counts["withheld"] -= 1
    counts["withheld_by_code"] = {}
    assert renamed.outcome(copy) is False
