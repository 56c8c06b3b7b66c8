"""The scores of the starter cases must not change while the code does."""

import json
from pathlib import Path
from typing import Any

import pytest

from commands import affidavit
from golden import assert_data
from long_tests import IS_LONG

CASES = Path(__file__).parents[3] / "evaluation" / "cases"


@pytest.mark.skipif(not IS_LONG, reason="a minute; see CONTRIBUTING.md")
def test_the_starter_cases_score_the_same(tmp_path: Path) -> None:
    done = affidavit("eval", CASES, "--format", "json", "-q", cwd=tmp_path)
    assert done.code == 0, done.err
    scores = json.loads(done.out)
    found = {one["case"]["id"]: _shown(one) for one in scores["results"]}
    kept = ("cases", "expected", "found", "shown", "true", "wrong", "recall", "precision")
    assert_data("evaluation", {"scores": {key: scores[key] for key in kept}, "found": found})


def _shown(result: dict[str, Any]) -> list[dict[str, Any]]:
    kept = ("fingerprint", "file", "line", "severity", "category", "specialist", "outcome")
    return [{key: one[key] for key in kept} for run in result["runs"] for one in run["findings"]]
