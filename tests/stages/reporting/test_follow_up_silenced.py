"""A comment that comes after a review settles nothing, at whichever of a finding's places it stands."""

from typing import Any

import pytest

from affidavit.records.candidate import Candidate
from affidavit.records.report import Report
from series import Series, claim, only_decision

NAMES = tuple(f"name_{letter}" for letter in "abcdefg")
NOQA = "  # noqa"


def undefined(line: int, name: str, comment: str = "") -> dict[str, Any]:
    said = claim("shop.py", line, f"    use({name}){comment}", rule_id="ruff/F821")
    return {**said, "title": f"`{name}` is not defined", "silenced_by": comment.strip()}


def push(
    series: Series, silenced: tuple[str, ...] = (), fixed: tuple[str, ...] = (), above: str = ""
) -> Report:
    """Review the names after some of them were silenced, others fixed, and a line was added above."""
    comments = {name: NOQA if name in silenced else "" for name in NAMES}
    lines = ["1" if name in fixed else f"use({name}){comments[name]}" for name in NAMES]
    text = above + "def total():\n" + "".join(f"    {line}\n" for line in lines)
    series.repo.commit("Push", {"shop.py": text})
    first = 3 if above else 2
    said = [undefined(at, name, comments[name]) for at, name in enumerate(NAMES, first) if name not in fixed]
    return series.review(proven=said, judge=None)


def named(report: Report, name: str) -> list[Candidate]:
    """What stands for a name in a report, shown or under another finding."""
    title = f"`{name}` is not defined"
    return [
        one
        for one in report.candidates
        if one.finding
        and one.finding.title == title
        and (not one.withheld or one.withheld.code == "duplicate_of")
    ]


@pytest.mark.parametrize("name", ["name_a", "name_c"], ids=["the first", "another"])
def test_a_place_that_is_silenced_stays_open_when_the_others_are_fixed(series: Series, name: str) -> None:
    fingerprint = named(push(series), name)[0].fingerprint
    silenced = push(series, silenced=(name,))
    assert only_decision(silenced).fate == "still_open"
    assert (len(silenced.shown), len(named(silenced, name))) == (1, 1)
    others = tuple(one for one in NAMES if one != name)
    for _ in range(2):
        report = push(series, silenced=(name,), fixed=others)
        (shown,) = report.shown
        assert shown.finding is not None
        assert shown.finding.title == f"`{name}` is not defined"
        assert (shown.fingerprint, report.gate.failed_by) == (fingerprint, (shown.id,))
        assert report.follow_up is not None
        assert report.follow_up.new == ()
        assert [proof for proof in series.recheck().proofs if proof.holds is not True] == []
        series.repo.commit("Elsewhere", {"util.py": "def helper():\n    return 2\n"})
    assert push(series, fixed=NAMES).gate.exit_code == 0


def test_every_place_that_is_silenced_stays_open(series: Series) -> None:
    push(series)
    report = push(series, silenced=NAMES[1:])
    assert (only_decision(report).fate, len(report.shown)) == ("still_open", 1)
    last = push(series, silenced=NAMES[1:], fixed=NAMES[:1])
    assert [len(named(last, name)) for name in NAMES] == [0, 1, 1, 1, 1, 1, 1]
    assert (len(last.shown), last.gate.exit_code) == (1, 1)


def test_a_place_has_its_own_name_where_the_first_is_fixed(series: Series) -> None:
    (leading,) = push(series).shown
    (place,) = named(series.reports[0], "name_c")
    fixed = tuple(one for one in NAMES if one != "name_c")
    report = push(series, silenced=("name_c",), fixed=fixed)
    (shown,) = report.shown
    assert (shown.fingerprint, shown.carries) == (place.fingerprint, ())
    decision = only_decision(report)
    assert (decision.fate, decision.key, decision.now) == ("partly_fixed", leading.fingerprint, shown.id)


@pytest.mark.parametrize(("dismissed", "code"), [("name_a", 1), ("name_c", 0)])
def test_a_place_that_is_silenced_is_dismissed_under_its_own_name_only(
    series: Series, dismissed: str, code: int
) -> None:
    (entry,) = named(push(series), dismissed)
    repo = series.repo
    repo.git("checkout", "-q", "main")
    ignored = f'[[ignore]]\nfingerprint = "{entry.fingerprint}"\nwhy = "Known."\n'
    repo.commit("Dismiss", {".affidavit/ignored.toml": ignored})
    repo.git("checkout", "-q", "feature")
    repo.git("rebase", "-q", "main")
    fixed = tuple(one for one in NAMES if one not in (dismissed, "name_c"))
    assert push(series, silenced=("name_c",), fixed=fixed).gate.exit_code == code
    assert push(series, silenced=("name_c",), fixed=fixed, above="import os\n").gate.exit_code == code


def test_a_place_that_moved_is_told_in_the_words_of_now(series: Series) -> None:
    push(series)
    fixed = tuple(one for one in NAMES if one != "name_c")
    (shown,) = push(series, silenced=("name_c",), fixed=fixed, above="import os\n").shown
    assert shown.finding is not None
    assert (shown.finding.line, shown.finding.id) == (5, "shop.py-5")


def test_a_place_is_not_forgotten_while_its_analyser_does_not_look(series: Series) -> None:
    push(series)
    series.repo.commit("Elsewhere", {"util.py": "def helper():\n    return 2\n"})
    report = series.review(judge=None)
    assert (len(report.shown), only_decision(report).fate) == (1, "cannot_tell")
    fixed = tuple(one for one in NAMES if one != "name_c")
    assert push(series, silenced=("name_c",), fixed=fixed).gate.exit_code == 1


def test_of_two_equal_lines_one_comment_keeps_one_open(series: Series) -> None:
    def both(*comments: str) -> Report:
        lines = [f"    use(name){one}\n" for one in comments]
        series.repo.commit("Push", {"shop.py": "def total():\n" + "".join(lines)})
        said = [undefined(at, "name", one) for at, one in enumerate(comments, 2)]
        return series.review(proven=said, judge=None)

    assert len(both("", "").shown) == 2
    report = both(NOQA)
    assert len(report.shown) == 1
    assert report.follow_up is not None
    assert sorted(one.fate for one in report.follow_up.decisions) == ["fixed", "still_open"]
