"""Committable suggestions: only of patches that were tried, and only where the forge shows them truly."""

from typing import Any

import pytest

from affidavit.forges.github.forge import LIMITS
from affidavit.forges.gitlab.forge import LIMITS as GITLAB_LIMITS
from affidavit.forges.posting.actions import Inline, Limits, PostInline, PostOptions, PostReview
from affidavit.forges.posting.plan import plan_actions
from affidavit.forges.standing import Standing
from affidavit.records.program_runs import TrialStep, trial_of
from reports import a_candidate, a_change, a_file, a_finding, a_hunk, a_report, a_verification

HUNK = a_hunk(
    "+def add(items):",
    "+    for item in items:",
    "+        total += item.price",
    "+    return total",
    start=10,
)
APPLIES = TrialStep(name="applies", passed=True, detail="")
PATCH = """--- a/shop/cart.py
+++ b/shop/cart.py
@@ -10,3 +10,4 @@
 def add(items):
+    total = 0
     for item in items:
         total += item.price
"""
REPLACING = """--- a/shop/cart.py
+++ b/shop/cart.py
@@ -11,3 +11,1 @@
-    for item in items:
-        total += item.price
-    return total
+    return sum(item.price for item in items)
"""


def comment(patch: str, limits: Limits = LIMITS, **fields: Any) -> Inline:
    finding = a_finding(verification=a_verification(patch=patch))
    given: dict[str, Any] = {"patch_trial": trial_of([APPLIES]), **fields}
    report = a_report(
        a_candidate(1, finding=finding, **given), change=a_change([a_file("shop/cart.py", HUNK)])
    )
    actions = plan_actions(report, Standing(account="bot"), limits, PostOptions())
    found = [one for action in actions if isinstance(action, PostReview) for one in action.comments]
    found += [action.comment for action in actions if isinstance(action, PostInline)]
    return found[0]


def test_a_tried_patch_is_offered_on_the_lines_that_it_replaces() -> None:
    made = comment(REPLACING)
    assert (made.start_line, made.line) == (11, 13)
    assert "```suggestion\n    return sum(item.price for item in items)\n```" in made.body


def test_added_lines_are_offered_with_the_line_before_them() -> None:
    made = comment(PATCH)
    assert (made.start_line, made.line) == (None, 10)
    assert "```suggestion\ndef add(items):\n    total = 0\n```" in made.body


def test_gitlab_is_told_how_many_lines_above_are_replaced() -> None:
    made = comment(REPLACING, GITLAB_LIMITS)
    assert made.line == 13
    assert "```suggestion:-2+0\n" in made.body


@pytest.mark.parametrize(
    "trial",
    [
        None,
        trial_of([]),
        trial_of([APPLIES, TrialStep(name="analysers", passed=False, detail="new results")]),
    ],
)
def test_a_patch_that_nobody_tried_or_that_failed_is_not_offered(trial: object) -> None:
    assert "suggestion" not in comment(PATCH, patch_trial=trial).body


@pytest.mark.parametrize(
    "patch",
    [
        PATCH.replace("-10,3", "-11,3"),
        PATCH.replace("    total = 0", "    total = 0 \u202e"),
        PATCH.replace("+    total = 0", "+/close"),
        PATCH.replace("shop/cart.py", "shop/other.py"),
        PATCH + PATCH.replace("shop/cart.py", "shop/prices.py"),
        "no patch",
    ],
    ids=["other lines", "hidden signs", "a command", "another file", "two files", "no diff"],
)
def test_what_the_forge_would_not_show_truly_is_not_offered(patch: str) -> None:
    assert "suggestion" not in comment(patch).body


def test_backticks_in_a_suggestion_do_not_end_it() -> None:
    made = comment(PATCH.replace("total = 0", "doc = '```'"))
    assert "````suggestion\n" in made.body
