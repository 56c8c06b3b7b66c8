"""The story of a series of reviews, as text, JSON and a page; and how often feedback was followed."""

import json
from pathlib import Path

import pytest

from affidavit.git.location import is_same_address
from affidavit.iterations.history import became_of, tell, track
from affidavit.iterations.review_summary import find_alerts
from affidavit.records.finding import Severity
from affidavit.records.iteration import IterationSummary, RememberedItem, StoredIteration
from commands import affidavit
from repositories import Repo

OFF = 'analysers_off = ["ty", "kingfisher", "references"]\n'

OF_A_SERVICE = {
    "tenant": "team",
    "status": "completed",
    "created_at": "2026-11-17T12:00:00.000Z",
    "source": "api",
    "submitted_by": "",
    "request": "{}",
}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Repo, Path]:
    folder = tmp_path_factory.mktemp("history")
    repo, data = Repo(folder / "repo"), folder / "data"
    repo.commit("Base", {"affidavit.toml": OFF, "app.py": "def total(items):\n    return 0\n"})
    repo.git("checkout", "-q", "-b", "topic")
    for text in ("return itms, nothing", "return items, nothing", "return items"):
        repo.commit("Push", {"app.py": f"def total(items):\n    {text}\n"})
        affidavit("review", "main...topic", "--quiet", "--data", data, cwd=repo.path)
    return repo, data


def test_a_series_is_told_as_text(kept: tuple[Repo, Path]) -> None:
    done = affidavit("history", "topic", "--data", kept[1], cwd=kept[0].path)
    assert done.code == 0, done.err
    assert "3 reviews" in done.out
    assert "of what was asked before: 1 fixed" in done.out
    assert "open now: 0" in done.out


def test_a_series_is_told_as_json_with_its_quality_tracking(kept: tuple[Repo, Path]) -> None:
    done = affidavit("history", "topic", "--format", "json", "--data", kept[1], cwd=kept[0].path)
    chapters = json.loads(done.out)["chapters"]
    assert [one["summary"]["number"] for one in chapters] == [1, 2, 3]
    tracking = chapters[0]["quality_tracking"]
    assert tracking["feedback_followed"] is True
    assert tracking["improvement_observed"] is True
    assert tracking["improvement_delta"] > 0
    assert 0 < tracking["feedback_clarity_score"] <= 1
    assert "feedback_followed" not in chapters[2]["quality_tracking"]


def test_all_series_are_listed(kept: tuple[Repo, Path]) -> None:
    done = affidavit("history", "--data", kept[1], cwd=kept[0].path)
    assert "topic  review 3, score 1.00, accept, 0 open" in done.out
    listed = json.loads(affidavit("history", "--format", "json", "--data", kept[1], cwd=kept[0].path).out)
    assert [one["series"] for one in listed] == ["topic"]


def test_only_the_series_of_this_repository_are_listed_unless_all_are_asked_for(
    kept: tuple[Repo, Path], tmp_path: Path
) -> None:
    other = Repo(tmp_path / "other")
    other.commit("Base", {"a.py": "x = 1\n"})
    here = affidavit("history", "--data", kept[1], cwd=other.path)
    assert "topic" not in here.out.replace("main...topic", "")
    assert "1 series of other repositories: --all lists them, too" in here.out
    assert "topic  review 3" in affidavit("history", "--all", "--data", kept[1], cwd=other.path).out
    assert "topic  review 3" in affidavit("history", "--data", kept[1], cwd=tmp_path).out


@pytest.mark.parametrize(
    "other",
    [
        "git@host.example:o/n.git",
        "ssh://git@host.example/o/n",
        "https://host.example/o/n/",
        "host.example/o/n",
    ],
)
def test_one_repository_is_known_by_all_its_addresses(other: str) -> None:
    assert is_same_address("https://host.example/o/n.git", other)
    assert not is_same_address("https://host.example/o/n.git", other.replace("o/n", "o/m"))


def test_an_unknown_series_is_said(kept: tuple[Repo, Path]) -> None:
    done = affidavit("history", "elsewhere", "--data", kept[1], cwd=kept[0].path)
    assert (done.code, "stored series of this repository: topic" in done.err) == (2, True)


def test_quality_says_how_often_feedback_was_followed(kept: tuple[Repo, Path]) -> None:
    done = affidavit("quality", "--format", "json", "--data", kept[1], cwd=kept[0].path)
    said = json.loads(done.out)
    assert (said["followed"]["count"], said["improved"]["count"]) == (2, 2)
    text = affidavit("quality", "--data", kept[1], cwd=kept[0].path).out
    assert "followed" in text


def summary(
    number: int, score: float, tree: str = "", keys: tuple[str, ...] = (), times: int = 1
) -> IterationSummary:
    items = tuple(
        RememberedItem(key=key, severity=Severity.HIGH, place="a.py:1", title=key, times=times)
        for key in keys
    )
    return IterationSummary(
        number=number,
        report_id=f"r{number}",
        tree=tree or str(number),
        score=score,
        verdict="refine",
        open=items,
    )


def kinds(*series: IterationSummary) -> list[str]:
    return [one.kind for one in find_alerts(series)]


def test_alerts_say_when_a_series_gets_nowhere() -> None:
    assert kinds(summary(1, 0.5)) == []
    assert kinds(summary(3, 0.9, keys=("a",), times=3)) == ["repeated_issue"]
    assert kinds(summary(1, 0.5), summary(2, 0.51), summary(3, 0.515)) == ["stuck"]
    assert kinds(summary(1, 0.5), summary(2, 0.53), summary(3, 0.56)) == []
    assert kinds(summary(1, 0.5, "a"), summary(2, 0.6, "b"), summary(3, 0.5, "a")) == ["oscillation"]
    assert kinds(summary(1, 0.5, keys=("x",)), summary(2, 0.9), summary(3, 0.95, keys=("x",))) == [
        "oscillation"
    ]
    gone = (summary(2, 0.9), summary(3, 0.95))
    assert kinds(summary(1, 0.5, keys=("x",)), *gone, summary(4, 0.98, keys=("x",))) == ["oscillation"]


def test_the_history_names_what_came_back() -> None:
    first, second = summary(1, 0.5), summary(2, 0.5).model_copy(update={"fates": {"fixed": 1}, "back": 2})
    series = [
        StoredIteration(
            repository="r", series="s", iteration=one.number, report_id="r", tree=one.tree, summary=one
        )
        for one in (first, second)
    ]
    assert became_of(tell(series).chapters[1].summary) == "1 fixed, 2 back again"


def test_feedback_that_nobody_acted_on_was_not_followed() -> None:
    following = summary(2, 0.5).model_copy(update={"fates": {"still_open": 2, "fixed": 1}, "followed": 1})
    assert track(summary(1, 0.5), following).feedback_followed is False
    assert track(summary(1, 0.5), None).feedback_followed is None


def test_scores_of_reviews_that_did_not_look_at_the_same_are_not_compared() -> None:
    half = summary(2, 0.9).model_copy(update={"incomplete": ("verifier",)})
    other = summary(2, 0.9).model_copy(update={"conditions": "without ruff"})
    for unlike in (half, other):
        assert kinds(unlike, summary(3, 0.6)) == kinds(summary(1, 0.95), unlike) == []
        assert kinds(summary(1, 0.6), unlike, summary(3, 0.6)) == []
        assert track(unlike, summary(3, 0.6)).improvement_delta is None
        assert track(summary(1, 0.6), unlike).improvement_observed is None


def test_a_review_that_was_not_completed_is_marked_as_such(repo: Repo, tmp_path: Path) -> None:
    repo.commit("Base", {"affidavit.toml": OFF, "app.py": "def total(items):\n    return 0\n"})
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit("Push", {"app.py": "def total(items):\n    return sum(items)\n"})
    dead = ("--model", "openai:x", "--base-url", "http://127.0.0.1:9/v1")
    options = ("--quiet", "--data", tmp_path / "data")
    assert affidavit("review", "main...topic", *dead, *options, cwd=repo.path).code == 3
    told = affidavit("history", "topic", "--data", tmp_path / "data", cwd=repo.path).out
    assert "escalate, not completed" in told
    assert "(1.00)" in told
    assert "not completed: verifier" in told
    assert "not completed (score so far 1.00)" in affidavit("history", *options[1:], cwd=repo.path).out
    repo.commit("More", {"app.py": "def total(items):\n    return sum(itms)\n"})
    done = affidavit("review", "main...topic", *options, cwd=repo.path)
    assert (done.code, "alert" in done.out) == (1, False)


def test_what_a_user_chooses_to_see_makes_no_alert(repo: Repo, tmp_path: Path) -> None:
    repo.commit("Base", {"affidavit.toml": OFF, "app.py": "def total(items):\n    return 0\n"})
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit("Push", {"app.py": "def total(items):\n    return sum(itms)\n"})
    options = ("--quiet", "--data", tmp_path / "data")
    for number, chosen in enumerate(((), ("--severity-threshold", "critical"), ("--exclude", "app.py"))):
        repo.commit("Note", {"notes.txt": f"{number}\n"})
        affidavit("review", "main...topic", *chosen, *options, cwd=repo.path)
    said = affidavit("history", "topic", "--format", "json", "--data", tmp_path / "data", cwd=repo.path).out
    summaries = [one["summary"] for one in json.loads(said)["chapters"]]
    assert [(one["score"], len(one["open"])) for one in summaries] == [(0.65, 1)] * 3
    assert [one["kind"] for one in json.loads(said)["alerts"]] == ["repeated_issue"]
    assert [one["verdict"] for one in summaries] == ["refine", "refine", "escalate"]
    assert summaries[2]["left_out"] == ["app.py"]
