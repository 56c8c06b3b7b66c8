"""A finding stays the same one wherever its code goes, and no other code is taken for it."""

from collections.abc import Callable

import pytest
from first_items import BASE, CLAIM, FIRST, QUOTE, fate

from repositories import Repo
from series import Series, claim, only_decision


def rename(repo: Repo) -> None:
    repo.git("mv", "shop.py", "store.py")
    repo.commit("Rename")


def move(repo: Repo) -> None:
    repo.commit("Move", {"shop.py": BASE["shop.py"], "prices.py": "import math\n\n\n" + FIRST})


def shift(repo: Repo) -> None:
    repo.commit("Shift", {"shop.py": "import os\n\nPLACE = os.getcwd()\n\n\n" + FIRST})


def rebase(repo: Repo) -> None:
    repo.git("checkout", "-q", "main")
    repo.commit("Main goes on", {"shop.py": "import sys\n\n\n" + BASE["shop.py"], "other.py": "x = 1\n"})
    repo.git("checkout", "-q", "feature")
    repo.git("rebase", "-q", "main")


def squash(repo: Repo) -> None:
    repo.commit("One more", {"notes.txt": "n\n"})
    repo.git("reset", "-q", "--soft", "main")
    repo.commit("All in one")


@pytest.mark.parametrize("happens", [rename, move, shift, rebase, squash])
@pytest.mark.parametrize("repeats", [False, True])
def test_a_finding_stays_the_same_one(series: Series, happens: Callable[[Repo], None], repeats: bool) -> None:
    before = series.review([CLAIM])
    happens(series.repo)
    where = next(
        path
        for path in ("store.py", "prices.py", "shop.py")
        if (series.repo.path / path).exists() and QUOTE in (series.repo.path / path).read_text()
    )
    line = (series.repo.path / where).read_text().split("\n").index(QUOTE) + 1
    again = claim(where, line, QUOTE, title="Indexing `items[0]` fails for no items", rule_id="empty-list")
    report = series.review([again] if repeats else [])
    decision = only_decision(report)
    assert decision.fate == "still_open"
    assert report.follow_up is not None
    assert report.follow_up.new == ()
    (open_one,) = report.shown
    assert open_one.finding is not None
    assert (open_one.finding.file, open_one.finding.line) == (where, line)
    assert (decision.now, decision.times, decision.key) == (open_one.id, 2, before.shown[0].fingerprint)


def test_code_that_stands_under_another_condition_cannot_be_told_without_a_verifier(series: Series) -> None:
    series.review([CLAIM])
    guarded = FIRST.replace(QUOTE, "    if items:\n        price = items[0].price")
    series.repo.commit("Guard", {"shop.py": guarded})
    series.review([], judge=None)
    assert fate(series) == ("cannot_tell", "evidence")


def test_a_short_quote_is_not_found_again_where_it_stood_for_something_else(series: Series) -> None:
    hook = "@hook(first=True)\n"
    one, two = "def first(items):\n    return items[0]\n", "def last(items):\n    return items[-1]\n"
    series.repo.commit("Hooks", {"shop.py": f"{hook}{one}\n\n{hook}{two}"})
    series.review([claim("shop.py", 1, hook.strip(), title="`first` runs before the others now")])
    series.repo.commit("Without", {"shop.py": f"{one}\n\n{hook}{two}"})
    series.review([], judge=None)
    assert fate(series)[0] in ("cannot_tell", "fixed")


def test_a_line_that_another_file_had_before_has_not_moved_there(series: Series) -> None:
    hook = "@hook(first=True, wrapper=True)\n"
    other = f"{hook}def helper():\n    return 2\n"
    series.repo.commit("Hooks", {"shop.py": hook + FIRST, "util.py": other})
    series.review([claim("shop.py", 1, hook.strip(), title="`first` runs before the others now")])
    series.repo.commit("Without", {"shop.py": FIRST, "util.py": other + "\n\nPLACE = 1\n"})
    report = series.review([], judge=None)
    assert only_decision(report).fate in ("cannot_tell", "fixed")
    assert "moved" not in only_decision(report).reason


def test_a_short_quote_is_found_again_beside_what_stood_beside_it(series: Series) -> None:
    hook = "@hook(first=True)\n"
    one, two = "def first(items):\n    return items[0]\n", "def last(items):\n    return items[-1]\n"
    series.repo.commit("Hooks", {"shop.py": f"{hook}{one}\n\n{hook}{two}"})
    series.review([claim("shop.py", 1, hook.strip(), title="`first` runs before the others now")])
    series.repo.commit("Above", {"shop.py": f"import os\n\n\n{hook}{two}\n\n{hook}{one}"})
    report = series.review([], judge=None)
    assert only_decision(report).fate == "still_open"
    (open_one,) = report.shown
    assert open_one.finding is not None
    assert open_one.finding.line == 9
