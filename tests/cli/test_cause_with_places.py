"""What one changed definition breaks in several files is one finding with its places, without any model."""

import json
from typing import Any

from commands import affidavit
from repositories import Repo

LIB = 'def helper(a):\n    """Return the double of a."""\n    return a * 2\n'
USED = "from lib import helper\n\n\ndef use{0}():\n    return helper({0})\n"
OVER_MODULE = "import lib\n\n\ndef use():\n    return lib.helper(1)\n"
EDITED = USED.replace("helper({0})", "helper({0} + 1)")
OWN_USES = LIB + "\n\ndef twice():\n    return helper(1)\n\n\ndef thrice():\n    return helper(2)\n"
TOUCHED = USED.format(3) + "\n\nLIMIT = 3\n"


def reviewed(repo: Repo, before: dict[str, str], after: dict[str, str]) -> dict[str, Any]:
    repo.commit("Begin", before)
    repo.commit("Change", after)
    options = ("--format", "report", "--analysers-off", "kingfisher")
    done = affidavit("review", "HEAD~1..HEAD", *options, cwd=repo.path)
    assert done.code == 1, done.err
    report: dict[str, Any] = json.loads(done.out)
    return report


def places_under(report: dict[str, Any]) -> tuple[str, set[tuple[str, str]]]:
    """The place of the one finding that is shown, and who is read under it, where."""
    (leader,) = (one for one in report["candidates"] if one["withheld"] is None)
    assert report["verdict"]["blocking"] == [leader["id"]]
    assert report["gate"]["failed_by"] == [leader["id"]]
    under = [one for one in report["candidates"] if one["withheld"]]
    assert {one["withheld"]["detail"] for one in under} == {leader["id"]}
    return leader["finding"]["file"], {(one["specialist"], one["finding"]["file"]) for one in under}


def test_a_renamed_definition_that_three_files_use_by_two_rules_is_one_finding(repo: Repo) -> None:
    files = {"lib.py": LIB, "u1.py": USED.format(1), "u2.py": USED.format(2), "u3.py": OVER_MODULE}
    report = reviewed(repo, files, {"lib.py": LIB.replace("helper", "helper2")})
    leader, under = places_under(report)
    assert leader == "u1.py"
    assert {("references", "u2.py"), ("references", "u3.py")} < under


def test_callers_that_a_new_parameter_breaks_are_one_finding_also_in_a_changed_file(repo: Repo) -> None:
    files = {"lib.py": LIB, "u1.py": USED.format(1), "u2.py": USED.format(2), "u3.py": USED.format(3)}
    report = reviewed(repo, files, {"lib.py": LIB.replace("(a)", "(a, b)"), "u3.py": TOUCHED})
    assert places_under(report) == ("u3.py", {("ty", "u1.py"), ("ty", "u2.py")})


def test_an_edited_call_has_the_same_cause_as_the_calls_that_nobody_touched(repo: Repo) -> None:
    files = {"lib.py": LIB, "u1.py": USED.format(1), "u2.py": USED.format(2)}
    report = reviewed(repo, files, {"lib.py": LIB.replace("(a)", "(a, b)"), "u1.py": EDITED.format(1)})
    assert places_under(report) == ("u1.py", {("ty", "u2.py")})


def test_a_removed_definition_that_its_own_file_and_another_use_is_one_finding(repo: Repo) -> None:
    report = reviewed(
        repo, {"lib.py": OWN_USES, "u1.py": USED.format(1)}, {"lib.py": OWN_USES.removeprefix(LIB)}
    )
    leader, under = places_under(report)
    assert leader == "lib.py"
    assert {("ruff", "lib.py"), ("references", "u1.py")} <= under
