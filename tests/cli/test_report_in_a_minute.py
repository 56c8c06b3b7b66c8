"""A report of models, made over the wire, as somebody reads it who has a minute."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from commands import affidavit
from model_server import Act, Exchange, calls, says, serving
from panelists import CONFIRMED, claim, panelists, result, task_in
from repositories import Repo

BEFORE = "def total(items):\n    return sum(items)\n"
AFTER = (
    "def total(items):\n    result = 1\n    for item in items:\n        result += item\n    return result\n"
    "\n\n"
    "def mean(items):\n    if not items:\n        return None\n    return total(items) / len(items)\n\n\n"
    "def spread(items):\n    low = min(items)\n    return max(items) - low\n"
)
LONG = "The running sum starts at 1 and not at 0, " + "so the outcome is one larger than the sum, " * 10
SHORT = "The running sum starts at 1: the outcome is one larger than the sum."
HALF_A_SCREEN = 25
OFF = "ty,kingfisher"
SHOWN = {
    "one too many": {"severity": "high"},
    "raises on an empty": {"severity": "medium", "reason": "app.py:15 has no guard"},
    "returns None": {"severity": "high", "worth": "maybe", "reason": "app.py:10 is new"},
}
"""What the verifiers add to their confirmation of each finding, known by a part of its title."""


def found(told: str) -> Mapping[str, Any]:
    if not task_in(told).startswith("logic"):
        return result()
    return result(
        claim(
            "app.py",
            2,
            "    result = 1",
            title="The total is one too many",
            message=LONG,
            suggestion="Set 0.",
        ),
        claim(
            "app.py",
            15,
            "    low = min(items)",
            title="`spread` raises on an empty list",
            message="No guard.",
        ),
        claim("app.py", 10, "        return None", title="`mean` returns None", message="It raised before."),
    )


def models(exchange: Exchange) -> None:
    told = json.dumps(exchange.body["messages"])
    names = {tool["function"]["name"] for tool in exchange.body.get("tools", ())}
    if "verification_judgment" in names:
        more = next((more for part, more in SHOWN.items() if part in told), {})
        answer = {**CONFIRMED, "scenario": "differs", **more}
        calls(("verification_judgment", json.dumps(answer)))(exchange)
    elif "[logic-0] (must be fixed before merging) (too long)" in told:
        shorter = [{"id": "logic-0", "title": "The total is one too many", "message": SHORT}]
        words = {"summary": "It sums.", "positive_notes": [], "recommendations": [], "shorter": shorter}
        says(json.dumps(words))(exchange)
    else:
        others: Act = panelists(found)
        others(exchange)


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The same review in three forms: terminal, the same in detail, markdown."""
    place = tmp_path_factory.mktemp("read")
    repo = Repo(place / "repo")
    repo.commit("Begin", {"app.py": BEFORE})
    repo.commit("Sum by hand", {"app.py": AFTER})
    models_named = ("--model", "judge-1", "--second-verifier-model", "judge-2", "--analysers-off", OFF, "-q")
    with serving(models) as (address, _):
        chosen = ("review", "HEAD", *models_named, "--base-url", address)
        recorded = ("--record", place / "kept", "--format", f"markdown={place / 'r.md'}")
        made = affidavit(*chosen, *recorded, "--format", "terminal", cwd=repo.path)
    again = affidavit(*chosen, "--replay", place / "kept", "--verbose", cwd=repo.path)
    assert (made.code, again.code) == (1, 1), made.err + again.err
    return {"terminal": made.out, "verbose": again.out, "markdown": (place / "r.md").read_text()}


def squeezed(text: str) -> str:
    return " ".join(text.split())


def test_it_begins_with_one_line_a_finding(reports: dict[str, str]) -> None:
    lines = reports["terminal"].splitlines()
    at = lines.index("  high     app.py:2  The total is one too many (blocks)")
    assert lines[at + 1] == "  medium   app.py:15  `spread` raises on an empty list"
    assert at < 6
    marked = reports["markdown"]
    assert marked.index("- high `app.py:2` The total is one too many (blocks)") < marked.index("### `app.py`")


def test_each_finding_fits_half_a_screen(reports: dict[str, str]) -> None:
    text = reports["terminal"]
    findings = text[text.index("  HIGH  ") : text.index("smaller points")].split("  MEDIUM  ")
    assert len(findings) == 2
    assert all(len(one.splitlines()) <= HALF_A_SCREEN for one in findings)


def test_proof_is_one_line_with_both_verifiers_and_what_was_claimed(reports: dict[str, str]) -> None:
    read = "only read, not run · quote found in the commit · found by a model (logic)"
    said = f"{read} · both verifiers confirmed · claimed as high"
    assert f"proof {said}" in squeezed(reports["terminal"])
    assert f"Proof: {said}\n" in reports["markdown"]


def test_a_high_finding_that_does_not_block_says_why(reports: dict[str, str]) -> None:
    said = "`mean` returns None (does not block: perhaps not worth acting on)"
    assert said in squeezed(reports["terminal"])
    assert said in reports["markdown"]


def test_shortened_words_are_shown_and_the_first_ones_kept_in_the_details(reports: dict[str, str]) -> None:
    assert SHORT in squeezed(reports["terminal"])
    assert "and not at 0" not in reports["terminal"]
    assert "first said The total is one too many The running sum starts at 1 and not at 0" in squeezed(
        reports["verbose"]
    )
    assert reports["markdown"].index("<details>") < reports["markdown"].index("and not at 0")


def test_no_internal_name_is_read(reports: dict[str, str]) -> None:
    for text in reports.values():
        assert "second_verifier" not in text
    assert "confirmed by judge-2, the second verifier: app.py:15 has no guard" in squeezed(reports["verbose"])
