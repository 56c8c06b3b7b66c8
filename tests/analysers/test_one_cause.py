"""One cause, one finding: files that do not parse, merge conflicts, renamed parameters, moved modules."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from affidavit.analysers.engine.specialist import MechanicalSpecialist
from affidavit.analysers.hadolint import HADOLINT
from affidavit.analysers.oxlint import OXLINT
from affidavit.analysers.ruff import RUFF
from affidavit.analysers.shellcheck import SHELLCHECK
from affidavit.analysers.ty import TY
from affidavit.analysers.yamllint import YAMLLINT
from affidavit.config.settings import Settings
from affidavit.pipeline import review
from affidavit.records.report import Report
from affidavit.reviewing.hold import assemble_crew
from python_changes import Case, Open, opened_cases
from repositories import Repo

PARENTHESIS = "def f(g):\n    x = g(1, (2\n    for i in range(3):\n        print(i)\n    return x\n"
CONFLICT = "def f():\n<<<<<<< HEAD\n    return aa\n=======\n    return bb\n>>>>>>> other\n"


@pytest.fixture
def case(repo: Repo) -> Iterator[Open]:
    """Make a case; its processes end with the test."""
    yield from opened_cases(repo)


def findings_of(analyser: Any, one: Case) -> list[dict[str, Any]]:
    reply = asyncio.run(MechanicalSpecialist(analyser).examine(one.case))
    assert reply.text is not None
    found: list[dict[str, Any]] = json.loads(reply.text)["findings"]
    return found


def reviewed(one: Case) -> Report:
    settings = Settings(analysers_off=("kingfisher",))  # there are no secrets here, and it takes longest
    return asyncio.run(review(one.change, one.repository, settings, assemble_crew(settings, None)))


def test_a_file_that_does_not_parse_excuses_nothing_in_another_one(case: Open) -> None:
    shell = 'import subprocess\n\n\ndef run(user):\n    subprocess.run(f"ls {user}", shell=True)\n'
    broken = "def f(user):\n    return undefined_<svg>\n"
    found = findings_of(RUFF, case({"readme.txt": "a\n"}, {"bad.py": broken, "x/ab.py": shell}))
    assert [one["file"] for one in found if one["rule_id"].endswith("602")] == ["x/ab.py"]


def test_one_missing_parenthesis_is_one_finding(case: Open) -> None:
    report = reviewed(case({"a.py": "def f(g):\n    return g\n"}, {"a.py": PARENTHESIS}))
    (shown,) = report.shown
    assert shown.finding is not None
    assert (shown.finding.title, shown.finding.line) == ("Syntax error", 3)


def test_a_merge_conflict_is_one_finding_and_named_as_such(case: Open) -> None:
    report = reviewed(case({"a.py": "def f():\n    return 1\n"}, {"a.py": CONFLICT}))
    (shown,) = report.shown
    assert shown.finding is not None
    assert shown.finding.title == "Unresolved merge conflict"
    assert (shown.finding.line, shown.finding.end_line) == (2, 6)
    assert report.verdict.decision == "request_changes"


@pytest.mark.parametrize(
    ("analyser", "path", "before"),
    [
        (RUFF, "a.py", "x = 1\n"),
        (TY, "a.py", "x = 1\n"),
        (OXLINT, "a.js", "let x = 1;\n"),
        (SHELLCHECK, "a.sh", "#!/bin/sh\necho 1\n"),
        (HADOLINT, "Dockerfile", "FROM a:1\n"),
        (YAMLLINT, "a.yml", "a: 1\n"),
    ],
)
def test_every_analyser_names_the_conflict(analyser: Any, path: str, before: str, case: Open) -> None:
    broken = f"{before}<<<<<<< HEAD\n{before}=======\n{before}{before}>>>>>>> other\n"
    found = findings_of(analyser, case({path: before}, {path: broken}))
    assert [one["rule_id"] for one in found] == [f"{analyser.name}/merge-conflict"]
    assert found[0]["line"] == before.count("\n") + 1


def test_nothing_is_concluded_elsewhere_from_a_file_that_does_not_parse(case: Open) -> None:
    library = "def first():\n    return 1\n\n\ndef second():\n    return 2\n"
    broken = "def first(:\n    return 1\n\n\ndef secnd():\n    return 2\n"
    user = "from library import second\n\nprint(second())\n"
    report = reviewed(case({"library.py": library, "user.py": user}, {"library.py": broken}))
    assert [one.finding.file for one in report.shown if one.finding] == ["library.py"]


def test_a_file_that_never_parsed_draws_nothing(case: Open) -> None:
    report = reviewed(case({"a.py": "print 'a'\n"}, {"a.py": "print 'a'\nprint undefd\n"}))
    assert (report.shown, report.gate.exit_code) == ([], 0)
    assert report.coverage[0].state != "examined"


def test_a_repaired_file_does_not_answer_for_its_old_lines(case: Open) -> None:
    repaired = "def f():\n    return undefd\n\n\ndef g():\n    return 2\n"
    broken = repaired.replace("def g():", "def g(:")
    assert findings_of(RUFF, case({"a.py": broken}, {"a.py": repaired})) == []


def test_a_renamed_parameter_is_one_finding_for_each_call(case: Open) -> None:
    before = {
        "lib.py": "def f(path, oldname):\n    return path\n",
        "use.py": 'from lib import f\n\nf("a", oldname=3)\nf(\n    "b",\n    oldname=f("c", oldname=4),\n)\n',
    }
    after = {"lib.py": "def f(path, newname):\n    return path\n"}
    found = findings_of(TY, case(before, after))
    assert [(one["file"], one["line"]) for one in found] == [("use.py", 3), ("use.py", 6), ("use.py", 6)]
    assert {one["title"] for one in found} == {"Unknown argument `oldname`"}
    assert all("`newname` is left out" in one["message"] for one in found)


def test_a_moved_module_leaves_the_findings_about_its_importers(case: Open) -> None:
    text = "def total(items):\n    return sum(items)\n\n\ndef mean(items):\n    return total(items) / 2\n"
    before = {
        "shop/sums.py": text,
        "shop/__init__.py": "",
        "app.py": "from shop.sums import total\n\nprint(total([]))\n",
    }
    report = reviewed(case(before, {"shop/sums.py": None, "shop/totals.py": text}))
    assert "evidence_not_found" not in report.verdict.counts.withheld_by_code
    of_ty = [one for one in report.candidates if one.specialist == "ty"]
    assert of_ty
    assert [(one.finding.file, one.finding.line) for one in report.shown if one.finding] == [("app.py", 1)]
