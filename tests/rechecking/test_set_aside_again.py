"""What analysers set aside is derived again: none is taken out of a report or forged in it."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from commands import affidavit
from remade import Machine, Made
from repositories import Repo

OFF = 'analysers_off = ["kingfisher", "ty"]\nrules_off = ["ruff/F821"]\n'


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    repo = Repo(tmp_path_factory.mktemp("aside"))
    repo.commit("Base", {"affidavit.toml": OFF, "app.py": "def a():\n    return 1\n"})
    repo.commit("Change", {"app.py": "def a():\n    return first + second\n"})
    done = affidavit("review", "HEAD", "--format", "report", "--no-store", cwd=repo.path)
    return Made(repo.path, json.loads(done.out), Machine())


def lists(content: Any) -> list[Any]:
    """Wherever a report has the notes: its own list, and those of its inputs."""
    return [content, *content["inputs"]["replies"]]


def forged(content: Any, change: Callable[[Any], Any], *, more: int = 0) -> Any:
    """The report with each note changed, or taken out where that gives nothing; the count says so."""
    copy = json.loads(json.dumps(content))
    for place in lists(copy):
        place["diagnostics"] = [said for one in place["diagnostics"] if (said := change(one))]
    copy["verdict"]["counts"]["set_aside"] += more
    return copy


def test_a_report_that_lists_what_was_set_aside_holds(made: Made) -> None:
    counts = made.content["verdict"]["counts"]
    assert (counts["set_aside"], counts["candidates"]) == (2, counts["shown"] + counts["withheld"])
    assert made.outcome(made.content) is True


def test_one_that_is_taken_out_is_found(made: Made) -> None:
    names = [one["set_aside"] for one in made.content["diagnostics"] if one["set_aside"]]
    without = lambda one: None if one["set_aside"] == names[0] else one  # noqa: E731 - said once
    assert made.outcome(forged(made.content, without, more=-1)) is False


@pytest.mark.parametrize(
    "fields",
    [{"line": 1}, {"rule": "ruff/E501"}, {"reason": "the file is data of a test"}, {"severity": "low"}],
)
def test_one_that_is_forged_is_found(made: Made, fields: dict[str, Any]) -> None:
    def lied(one: Any) -> Any:
        return {**one, "set_aside": one["set_aside"] and {**one["set_aside"], **fields}}

    assert made.outcome(forged(made.content, lied)) is False


def test_another_count_is_found_by_the_list(made: Made) -> None:
    lied = forged(made.content, lambda one: one, more=-1)
    failed = [proof.kind for proof in made.recheck(lied).proofs if proof.holds is False]
    assert failed == ["verdict", "report"]
