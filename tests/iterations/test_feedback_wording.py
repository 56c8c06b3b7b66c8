"""Wording rules: what is forbidden is repaired once, then flagged; what nobody proposed has a template."""

from typing import Any

import pytest

from affidavit.iterations.feedback_document import feedback_document
from affidavit.iterations.feedback_words import (
    at_least,
    clarity,
    cut,
    lint_issue,
    lint_suggestion,
    plainer,
    suggestion_of,
)
from affidavit.records.finding import Category
from reports import a_candidate, a_finding, a_report, a_verification


def item(**fields: Any) -> dict[str, Any]:
    made = feedback_document(a_report(a_candidate(finding=a_finding(**fields))))
    assert made is not None
    found: dict[str, Any] = made["feedback_items"][0]
    return found


@pytest.mark.parametrize(
    ("text", "forbidden"),
    [
        ("`f` could be better", ("could be better",)),
        ("`f` Should  Probably return", ("should probably",)),
        ("`f` should probably-ish", ("should probably",)),
        ("it was considered changing hands", ()),
        ("mightwant to", ()),
        ("`f` is slow, consider using a set", ("consider",)),
        ("Consider a set: `f` is slow", ("consider",)),
        ("`f` does not consider an empty list", ()),
        ("Perhaps `f` fails", ("perhaps",)),
    ],
)
def test_patterns_match_on_word_boundaries_only(text: str, forbidden: tuple[str, ...]) -> None:
    assert lint_issue(text).forbidden == forbidden


def test_a_suggestion_is_linted_with_its_rationale() -> None:
    assert lint_suggestion("Return early.", "Perhaps it is faster then.").forbidden == ("perhaps",)
    assert lint_suggestion("Reconsider `x`; the considered way.", "So that it works.").forbidden == ()


@pytest.mark.parametrize(
    "hedge", ["might want to", "should probably", "could be better", "maybe", "consider"]
)
def test_what_an_issue_may_not_say_a_suggestion_may_not_either(hedge: str) -> None:
    assert lint_suggestion(f"Callers {hedge} close it.", "So that it is closed.").forbidden == (hedge,)


def test_hedges_of_the_other_list_are_repaired_too() -> None:
    made = item(
        title="`f` might want to close the file",
        message="Perhaps `f` leaks it: consider using a `with` block.",
        suggestion="Close the file, which callers might want to.",
    )
    said = f"{made['issue']} {made['suggestion']['action']}".lower()
    assert not [word for word in ("might want to", "perhaps", "consider") if word in said]
    assert "wording_flags" not in made


def test_elements_are_recognised() -> None:
    assert lint_issue("The code is bad").missing == ("specific_problem", "observable_effect")
    assert lint_issue("`parse` raises on an empty list").missing == ()
    assert lint_suggestion("The other way round", "Nicer").missing == ("concrete_action", "expected_outcome")
    assert lint_suggestion("Return an empty list", "Then the loop no longer fails").missing == ()


@pytest.mark.parametrize(
    ("hedged", "plain"),
    [
        ("Consider using a set here.", "Start using a set here."),
        ("You might want to close the file.", "Close the file."),
        ("Perhaps return None.", "Return None."),
        ("`f` should probably check it.", "`f` must check it."),
        ("Add a check.", "Add a check."),
    ],
)
def test_hedging_is_repaired_by_a_template(hedged: str, plain: str) -> None:
    assert plainer(hedged) == plain


def test_a_hedged_proposal_is_repaired_and_not_flagged() -> None:
    made = item(suggestion="Consider adding `total = 0` before the loop.")
    assert made["suggestion"]["action"] == "Start adding `total = 0` before the loop."
    assert "wording_flags" not in made


def test_what_is_still_vague_after_the_repair_is_flagged_and_shown_all_the_same() -> None:
    made = item(title="Bad", message="Bad code", verification=a_verification(wrong_outcome=None))
    assert "missing: observable_effect" in made["wording_flags"]
    assert made["clarity"] < 1


@pytest.mark.parametrize("category", list(Category))
def test_a_finding_without_a_proposal_gets_an_action_of_its_kind(category: Category) -> None:
    finding = a_finding(suggestion=None, category=category, rule_id=None)
    made = suggestion_of(finding, "shop/cart.py:12")
    assert made.lint.flags == []
    assert "shop/cart.py:12" in made.action
    assert 20 <= len(made.action) <= 1000
    assert 20 <= len(made.rationale) <= 500


def test_a_rule_has_a_template_of_its_own() -> None:
    made = suggestion_of(a_finding(suggestion=None, rule_id="ruff/F821"), "a.py:1")
    assert made.action.startswith("Define or import the name")


def test_code_of_a_proposal_and_a_patch_become_the_example() -> None:
    fenced = item(suggestion="Set it first.\n```python\ntotal = 0\n```")
    assert fenced["suggestion"]["example"] == "total = 0"
    assert "```" not in fenced["suggestion"]["action"]
    patched = item(verification=a_verification(patch="--- a\n+++ b\n"))
    assert patched["suggestion"]["example"] == "--- a\n+++ b\n"


def test_a_clear_item_passes_all_seven_checks() -> None:
    issue, suggestion = lint_issue("`f` raises"), lint_suggestion("Return `1`.", "So that it works.")
    assert clarity(issue, suggestion, is_exact=True) == 1
    assert clarity(issue, suggestion, is_exact=False) == round(6 / 7, 3)


def test_long_texts_are_cut_at_a_sentence_or_a_word() -> None:
    assert cut("One two three. " + "x" * 40, 20) == "One two three."
    assert cut("alpha beta gamma delta", 12) == "alpha beta…"
    assert len(cut("x" * 900, 500)) == 500
    assert at_least("ab", 20, "Found at a.py:1.") == "ab. Found at a.py:1."
    assert len(at_least("", 50, "x")) == 50
