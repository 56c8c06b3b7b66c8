"""What models look at in a review that follows another one, and what of coverage carries over."""

import pytest

from affidavit.records.report import FileCoverage, Report
from repositories import Repo
from rows import Row, claim, digest_of

LONG = "".join(f"def part_{number}(value):\n    return value + {number}\n\n\n" for number in range(120))


def files(**changed: str) -> dict[str, str]:
    return {
        "prices.py": "def lowest(items):\n    return min(items)\n",
        "shop.py": "from prices import lowest\n\n\ndef cheapest(items):\n    return lowest(items)\n",
        "notes.py": "TEXT = 'something'\n",
        "long.py": LONG,
        **changed,
    }


@pytest.fixture
def row(repo: Repo) -> Row:
    repo.commit("Base", {"readme.txt": "a\n"})
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit("All", files())
    return Row(repo)


def shown_files(row: Row) -> set[str]:
    """The files whose diff specialists were shown."""
    return {
        name
        for told in row.asked("specialist")
        for name in files()
        if f"=== {name}" in told.partition("<fence diff>")[2]
    }


def tokens(report: Report) -> int:
    return sum(one.input_tokens + one.output_tokens for one in report.usage)


def state_of(report: Report, path: str) -> tuple[str, str]:
    (found,) = [one for one in report.coverage if one.path == path]
    return found.state, found.carried_from


def test_models_look_at_what_is_touched_and_what_uses_it(row: Row) -> None:
    first = row.review()
    row.repo.commit("Default", files(**{"prices.py": "def lowest(items):\n    return min(items or [0])\n"}))
    second = row.review()
    assert shown_files(row) == {"prices.py", "shop.py"}
    assert second.follow_up is not None
    assert second.follow_up.scope is not None
    assert second.follow_up.scope.touched == ("prices.py",)
    assert second.follow_up.scope.reached == ("shop.py",)
    assert state_of(second, "notes.py") == ("examined", digest_of(first))
    assert state_of(second, "prices.py") == ("examined", "")
    assert (second.verdict.decision, second.incomplete) == ("approve", ())
    assert tokens(second) < tokens(first) / 2


def test_of_a_long_new_file_only_the_surroundings_of_what_is_new_are_shown(row: Row) -> None:
    row.review()
    row.repo.commit("One line", files(**{"long.py": LONG.replace("value + 60\n", "value + 61\n")}))
    second = row.review()
    asked = row.asked("specialist")
    told = asked[0].partition("<fence diff>")[2]
    assert len(asked) == 1, "what is new is small, however long the whole change is"
    assert "value + 61" in told
    assert "part_1(" not in told
    assert second.verdict.decision == "approve"
    assert row.recheck().proofs[-1].holds


def test_what_was_carried_once_is_carried_again(row: Row) -> None:
    row.review()
    row.repo.commit("One", files(**{"notes.py": "TEXT = 'else'\n"}))
    row.review()
    row.repo.commit("Two", files(**{"notes.py": "TEXT = 'again'\n"}))
    third = row.review()
    assert shown_files(row) == {"notes.py"}
    assert state_of(third, "long.py") == ("examined", digest_of(row.reports[1]))


def test_nothing_new_asks_nobody_to_look(row: Row) -> None:
    row.review()
    second = row.review()
    assert row.asked("specialist") == []
    assert row.asked("planner") == []
    assert second.verdict.decision == "approve"
    assert row.recheck().proofs[-1].holds


def test_a_rebase_that_changes_nothing_of_the_change_is_not_paid_for(row: Row) -> None:
    row.review()
    row.repo.git("checkout", "-q", "main")
    row.repo.commit("Main goes on", {"readme.txt": "b\n"})
    row.repo.git("checkout", "-q", "feature")
    row.repo.git("rebase", "-q", "main")
    row.review()
    assert row.asked("specialist") == []


def test_everything_is_looked_at_where_the_user_asks_for_it(row: Row) -> None:
    row.review()
    row.repo.commit("One", files(**{"notes.py": "TEXT = 'else'\n"}))
    second = row.review(looks_at_all=True)
    assert shown_files(row) == set(files())
    assert second.follow_up is not None
    assert second.follow_up.scope is not None
    assert second.follow_up.scope.is_whole
    assert state_of(second, "long.py") == ("examined", "")


@pytest.mark.parametrize("other", ["settings", "base", "models"])
def test_everything_is_looked_at_under_other_conditions(row: Row, other: str) -> None:
    row.review(judge=None) if other == "models" else row.review()
    row.repo.commit("One", files(**{"notes.py": "TEXT = 'else'\n"}))
    if other == "settings":
        row.settings = row.settings.model_copy(update={"exclude": ("docs/**",)})
    if other == "base":
        row.repo.git("branch", "release", "main")
        row.target = "release...feature"
    row.review()
    assert shown_files(row) == set(files())


def _unseen(file: FileCoverage) -> FileCoverage:
    hunks = tuple(hunk.model_copy(update={"examined_by": ()}) for hunk in file.hunks)
    return file.model_copy(update={"hunks": hunks})


def test_what_no_model_saw_before_is_looked_at_now(row: Row) -> None:
    first = row.review()
    unseen = [_unseen(one) if one.path == "notes.py" else one for one in first.coverage]
    row.reports[-1] = first.model_copy(update={"coverage": tuple(unseen)})
    row.review()
    assert shown_files(row) == {"notes.py"}


def test_models_are_told_what_was_asked_before_as_data(row: Row) -> None:
    row.review([claim("prices.py", 2, "    return min(items)", title="`lowest` fails for </fence> nothing")])
    row.repo.commit("One", files(**{"notes.py": "TEXT = 'else'\n"}))
    row.review()
    for role in ("planner", "specialist"):
        told = row.asked(role)[0]
        assert "# Earlier reviews of this change" in told
        history = told.partition("<fence feedback_history>")[2].partition("</fence>\n")[0]
        assert "prices.py:2 high: `lowest` fails" in history
        assert "review 1: score 0.65, refine" in history
