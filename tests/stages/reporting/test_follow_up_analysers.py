"""What becomes of the findings of analysers: the analyser decides, name by name."""

from typing import Any

import pytest
from first_items import F821, FIRST, FIXED, QUOTE, fate

from affidavit.iterations.review_summary import alerts_of, summary_of
from affidavit.records.report import Report
from series import Series, claim, only_decision


def test_an_analysers_finding_is_decided_by_the_analyser(series: Series) -> None:
    series.review(proven=[F821], judge=None)
    series.repo.commit("Shift", {"shop.py": "import os\n\n\n" + FIRST})
    again = claim("shop.py", 5, QUOTE, title="`items` is odd", rule_id="ruff/F821")
    series.review(proven=[again], judge=None)
    assert fate(series) == ("still_open", "analyser")
    series.repo.commit("Fix", {"shop.py": FIXED})
    report = series.review(proven=[], judge=None)
    assert fate(series) == ("fixed", "analyser")
    assert report.candidates == ()


def test_an_analyser_that_did_not_look_tells_nothing(series: Series) -> None:
    series.review(proven=[F821], judge=None)
    series.repo.commit("Elsewhere", {"util.py": "def helper():\n    return 2\n"})
    report = series.review(judge=None)
    assert fate(series) == ("cannot_tell", "analyser")
    (open_one,) = report.shown
    assert (open_one.status, report.gate.exit_code) == ("unverified", 0)


UNDEFINED = "ruff/F821"


def undefined(file: str, line: int, text: str, name: str) -> dict[str, Any]:
    """What ruff says of a name, quoted with the line above it, as it is."""
    start, evidence = max(line - 1, 1), text.split("\n")
    quote = "\n".join(evidence[start - 1 : line])
    made = claim(file, line, quote, title=f"`{name}` is not defined", rule_id=UNDEFINED)
    made["verification"]["line_range_examined"] = [start, line]
    return made


def fates(report: Report) -> dict[str, str]:
    assert report.follow_up is not None
    return {one.title: one.fate for one in report.follow_up.decisions}


@pytest.mark.parametrize("path", ["shop.py", "added.py"])
def test_a_rename_with_an_edit_beside_it_squashed_leaves_an_analysers_finding_the_same(
    series: Series, path: str
) -> None:
    text = "def total(items):\n    start = 0\n    return sum(itms)\n"
    series.repo.commit("Total", {path: text})
    series.review(proven=[undefined(path, 3, text, "itms")], judge=None)
    edited = text.replace("start = 0", "start = 1")
    series.repo.git("rm", "-q", path)
    series.repo.commit("Rename", {"core.py": edited})
    series.repo.git("reset", "-q", "--soft", "main")
    series.repo.commit("All in one")
    report = series.review(proven=[undefined("core.py", 3, edited, "itms")], judge=None)
    assert fate(series) == ("still_open", "analyser")
    assert report.follow_up is not None
    assert report.follow_up.new == ()


def test_a_file_that_was_renamed_and_edited_is_followed_where_its_line_changed(series: Series) -> None:
    text = FIRST + "\n\ndef total(items):\n    return sum(itms)\n"
    series.repo.commit("Total", {"shop.py": text})
    series.review(proven=[undefined("shop.py", 9, text, "itms")], judge=None)
    edited = text.replace("return sum(itms)", "return sum(itms) + 1")
    series.repo.git("rm", "-q", "shop.py")
    series.repo.commit("Rename", {"core.py": edited})
    report = series.review(proven=[undefined("core.py", 9, edited, "itms")], judge=None)
    assert fate(series) == ("still_open", "analyser")
    assert report.follow_up is not None
    assert report.follow_up.new == ()


def test_another_undefined_name_on_the_same_line_is_another_finding(series: Series) -> None:
    text = "def total(items):\n    return sum(itms)\n"
    series.repo.commit("Total", {"shop.py": text})
    series.review(proven=[undefined("shop.py", 2, text, "itms")], judge=None)
    other = text.replace("sum(itms)", "sum(itemz)")
    series.repo.commit("Other", {"shop.py": other})
    report = series.review(proven=[undefined("shop.py", 2, other, "itemz")], judge=None)
    assert fate(series) == ("fixed", "analyser")
    assert report.follow_up is not None
    assert len(report.follow_up.new) == 1


def test_of_two_undefined_names_on_a_line_the_one_that_is_defined_now_is_fixed(series: Series) -> None:
    text = "def total(items):\n    return foo(itms)\n"
    series.repo.commit("Total", {"shop.py": text})
    both = [undefined("shop.py", 2, text, name) for name in ("foo", "itms")]
    series.review(proven=both, judge=None)
    defined = "from sums import foo\n" + text
    series.repo.commit("Import", {"shop.py": defined})
    report = series.review(proven=[undefined("shop.py", 3, defined, "itms")], judge=None)
    assert fates(report) == {"`foo` is not defined": "fixed", "`itms` is not defined": "still_open"}
    assert report.follow_up is not None
    assert report.follow_up.new == ()


def many(names: list[str]) -> tuple[str, list[dict[str, Any]]]:
    text = "def total():\n" + "".join(f"    use({name}, again)\n" for name in names)
    return text, [undefined("shop.py", at, text, name) for at, name in enumerate(names, 2)]


NAMES = [f"name_{letter}" for letter in "abcdefg"]


@pytest.mark.parametrize(
    ("later", "became"),
    [
        ([*NAMES], "still_open"),
        ([name for name in NAMES if name != "name_c"], "partly_fixed"),
        ([name for name in NAMES if name != "name_a"], "partly_fixed"),
        ([], "fixed"),
    ],
)
def test_a_finding_that_stands_for_many_is_partly_fixed_only_where_one_of_them_is(
    series: Series, later: list[str], became: str
) -> None:
    text, said = many(NAMES)
    series.repo.commit("Many", {"shop.py": text})
    assert len(series.review(proven=said, judge=None).shown) == 1
    text, said = many(later)
    edited = text.replace("again)", "once_more)")
    series.repo.commit("Edit", {"shop.py": edited})
    said = [undefined("shop.py", one["line"], edited, one["title"].split("`")[1]) for one in said]
    report = series.review(proven=said, judge=None)
    assert only_decision(report).fate == became
    assert report.follow_up is not None
    assert report.follow_up.new == ()


BY_TY = claim("shop.py", 2, QUOTE, title="`items` is odd", rule_id="ty/unresolved-reference")


def test_what_another_analyser_proves_now_leads_what_is_only_carried_and_blocks(series: Series) -> None:
    series.review(proven={"ruff": [F821], "ty": [BY_TY]}, judge=None)
    series.repo.commit("Elsewhere", {"util.py": "def helper():\n    return 2\n"})
    report = series.review(proven={"ty": [BY_TY]}, judge=None)
    (standing,) = report.shown
    assert (standing.specialist, standing.agreed_by, report.gate.exit_code) == ("ty", (), 1)
    assert fate(series) == ("still_open", "analyser")
    assert only_decision(report).reason == "ty reports it at shop.py:2"
    assert [proof for proof in series.recheck().proofs if proof.holds is not True] == []


def test_a_finding_keeps_its_name_whichever_analyser_speaks_for_it(series: Series) -> None:
    both, one = {"ruff": [F821], "ty": [BY_TY]}, {"ty": [BY_TY]}
    for number, proven in enumerate((both, one, both)):
        series.repo.commit("Elsewhere", {"util.py": f"def helper():\n    return {number}\n"})
        series.review(proven=proven, judge=None)
    assert len({item.key for report in series.reports for item in summary_of(report).open}) == 1
    assert "oscillation" not in {one.kind for one in alerts_of(series.reports[-1])}


def test_a_rule_that_is_off_tells_nothing_of_code_that_nobody_touched(series: Series) -> None:
    series.review(proven=[F821], judge=None)
    series.repo.commit("Elsewhere", {"util.py": "def helper():\n    return 2\n"})
    # Under the name of another analyser's rule for the same problem, too.
    series.settings = series.settings.model_copy(update={"rules_off": ("ty/unresolved-reference",)})
    report = series.review(proven=[], judge=None)
    assert fate(series) == ("cannot_tell", "analyser")
    decision = only_decision(report)
    assert (decision.reason, decision.code_changed) == ("the rule ruff/F821 is off in this review", False)


@pytest.mark.parametrize(
    ("files", "is_changed"),
    [
        ({"util.py": "def helper():\n    return 2\n"}, False),
        ({"shop.py": "items = [1]\n\n\n" + FIRST}, True),
        ({"shop.py": FIXED}, True),
    ],
    ids=["elsewhere", "in its file", "at its place"],
)
def test_feedback_counts_as_followed_only_where_its_file_was_changed(
    series: Series, files: dict[str, str], is_changed: bool
) -> None:
    series.review(proven=[F821], judge=None)
    series.repo.commit("Fix", files)
    report = series.review(proven=[], judge=None)
    assert fate(series) == ("fixed", "analyser")
    assert only_decision(report).code_changed is is_changed
