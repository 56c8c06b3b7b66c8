"""`review --run` and what comes after it: programs on both sides, in a report, again and by hand."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commands import affidavit
from model_server import serving
from panelists import claim, panelists, result, review, task_in
from repositories import Repo
from sandboxes import needed_sandbox

BASE = "def total(prices):\n    return sum(prices)\n"
HEAD = "def total(prices):\n    return prices[0] + sum(prices[1:])\n"
SHOWS = {
    "language": "python",
    "program": "from app import total\nprint(total([]))\n",
    "expected_at_base": {"exit_code": 0, "output": "^0"},
    "expected_at_head": {"exit_code": 1, "output": "IndexError"},
}
Reviewed = Callable[..., dict[str, Any]]


@pytest.fixture(autouse=True)
def sandbox() -> None:
    needed_sandbox()


@pytest.fixture
def change(repo: Repo) -> Repo:
    repo.commit("base", {"app.py": BASE})
    repo.commit("head", {"app.py": HEAD})
    return repo


def finding(program: dict[str, Any] | None, **evidence: Any) -> dict[str, Any]:
    offered = {"reproduction": program} if program else {}
    return claim("app.py", 2, "    return prices[0] + sum(prices[1:])", evidence={**offered, **evidence})


@pytest.fixture
def asked() -> list[Any]:
    """Everything that models were sent."""
    return []


@pytest.fixture
def reviewed(change: Repo, tmp_path: Path, asked: list[Any]) -> Reviewed:
    def run(one: dict[str, Any], *options: str) -> dict[str, Any]:
        report = tmp_path / "report.json"
        says = panelists(
            lambda told: {**result(*[one] * (task_in(told) == "logic")), "schema_version": "1.2"}
        )
        with serving(says) as (address, script):
            done = review(change.path, address, "--format", f"report={report}", *options)
        asked[:] = script.requests
        assert report.exists(), done.err
        read: dict[str, Any] = json.loads(report.read_text())
        return read

    return run


def only(report: dict[str, Any]) -> dict[str, Any]:
    one: dict[str, Any]
    (one,) = [one for one in report["candidates"] if one["kind"] == "model" and one["withheld"] is None]
    return one


def test_a_declared_program_is_run_on_both_sides_and_twice_at_head(reviewed: Reviewed) -> None:
    report = reviewed(finding(SHOWS), "--run")
    check = only(report)["reproduction"]
    assert check["outcome"] == "reproduced"
    assert (check["base"]["exit_code"], check["base"]["output"]) == (0, "0\n")
    assert [run["exit_code"] for run in check["head"]] == [1, 1]
    assert "IndexError" in check["head"][0]["output"]
    assert report["inputs"]["programs"]["sandbox"] == "bubblewrap"


def test_nothing_is_run_unless_the_user_asks(reviewed: Reviewed, change: Repo) -> None:
    change.write({"affidavit.toml": "run = true\n"})
    assert only(reviewed(finding(SHOWS)))["reproduction"] is None


def test_no_file_of_the_repository_can_ask_for_it(change: Repo) -> None:
    change.commit("settings", {"affidavit.toml": "run = true\n"})
    change.commit("more", {"app.py": BASE})
    done = affidavit("review", "HEAD", "--format", "report", cwd=change.path)
    assert json.loads(done.out)["settings"]["run"] is False


def test_the_environment_of_the_user_can_ask_for_it(change: Repo) -> None:
    done = affidavit("review", "HEAD", "--format", "report", cwd=change.path, env={"AFFIDAVIT_RUN": "1"})
    assert json.loads(done.out)["inputs"]["programs"]["sandbox"] == "bubblewrap"


@pytest.mark.parametrize(
    ("program", "outcome"),
    [
        ({**SHOWS, "program": "raise IndexError"}, "also_at_base"),
        ({**SHOWS, "program": "print(0)"}, "not_reproduced"),
        ({**SHOWS, "program": "import no_such_package"}, "could_not_run"),
        ({**SHOWS, "language": "cobol"}, "could_not_run"),
        (
            {
                **SHOWS,
                "program": "import os, time\nprint(0)\nif time.time_ns() // 1000 % 2: raise IndexError",
                "expected_at_head": {"exit_code": 1},
            },
            None,
        ),
    ],
)
def test_a_program_that_proves_nothing_withholds_nothing_and_is_recognised(
    reviewed: Reviewed, program: dict[str, Any], outcome: str | None
) -> None:
    one = only(reviewed(finding(program), "--run"))
    assert one["status"] == "verified"
    assert outcome is None or one["reproduction"]["outcome"] == outcome


def test_what_could_not_be_run_is_said_once_with_what_to_do(reviewed: Reviewed) -> None:
    report = reviewed(finding({**SHOWS, "program": "import no_such_package"}), "--run")
    (gap,) = [one for one in report["not_run"] if one["name"] == "programs"]
    assert "no_such_package" in gap["reason"]
    assert "--environment" in gap["reason"]


def test_the_verifier_is_shown_the_program_and_what_it_did(reviewed: Reviewed, asked: list[Any]) -> None:
    reviewed(finding(SHOWS), "--run")
    assert "outcome: reproduced" in json.dumps(asked)
    assert "decide whether" in json.dumps(asked)


def test_models_may_run_programs_only_where_the_user_asked(reviewed: Reviewed, asked: list[Any]) -> None:
    def offered() -> bool:
        return any("run_program" in json.dumps(body.get("tools", [])) for body in asked)

    reviewed(finding(None))
    assert not offered()
    reviewed(finding(None), "--run")
    assert offered()


def test_events_name_every_run(reviewed: Reviewed, tmp_path: Path) -> None:
    reviewed(finding(SHOWS), "--run", "--events", str(tmp_path / "events"))
    events = [json.loads(line) for line in (tmp_path / "events").read_text().splitlines()]
    runs = [one for one in events if one["type"] == "program.run"]
    assert len(runs) == 3


def test_a_finding_is_reproduced_by_hand(reviewed: Reviewed, change: Repo, tmp_path: Path) -> None:
    reviewed(finding(SHOWS), "--run")
    done = affidavit("reproduce", tmp_path / "report.json", "app.py-2", cwd=change.path)
    assert done.code == 0, done.err
    assert "reproduced" in done.out
    assert "IndexError" in done.out
    one_side = affidavit("reproduce", tmp_path / "report.json", "app.py-2", "--side", "base", cwd=change.path)
    assert (one_side.code, "| 0" in one_side.out) == (0, True)


def test_a_finding_without_a_program_cannot_be_reproduced(
    reviewed: Reviewed, change: Repo, tmp_path: Path
) -> None:
    reviewed(finding(None))
    done = affidavit("reproduce", tmp_path / "report.json", "app.py-2", cwd=change.path)
    assert done.code == 2
    assert "no reproduction" in done.err


def test_a_recheck_proves_reproductions_again_only_where_it_may_run_them(
    reviewed: Reviewed, change: Repo, tmp_path: Path
) -> None:
    reviewed(finding(SHOWS), "--run")
    quiet = affidavit("recheck", tmp_path / "report.json", cwd=change.path)
    assert quiet.code == 0, quiet.out
    assert "1 reproduction, not run again without --run" in quiet.out
    again = affidavit("recheck", tmp_path / "report.json", "--run", cwd=change.path)
    assert again.code == 0, again.out
    assert "holds: reproduction: run again: reproduced" in again.out
    assert "not run again" not in again.out


def test_a_report_that_calls_its_runs_what_they_are_not_fails(
    reviewed: Reviewed, change: Repo, tmp_path: Path
) -> None:
    report = reviewed(finding({**SHOWS, "program": "raise IndexError"}), "--run")
    for check in (only(report)["reproduction"], report["inputs"]["programs"]["reproductions"][0]["check"]):
        check["outcome"] = "reproduced"
    (tmp_path / "report.json").write_text(json.dumps(report))
    done = affidavit("recheck", tmp_path / "report.json", cwd=change.path)
    assert done.code == 1
    assert "its recorded runs come to also_at_base" in done.out


HOSTILE = (
    "print('\\x1b]0;title\\x07\\x1b[2Jgone <script>alert(1)</script>')\nprint('::set-output name=a::b')\n"
)


@pytest.mark.parametrize("form", ["terminal", "markdown", "html", "sarif"])
def test_what_a_program_prints_is_text_in_every_format(reviewed: Reviewed, tmp_path: Path, form: str) -> None:
    program = {**SHOWS, "program": f"{HOSTILE}{SHOWS['program']}", "expected_at_base": {"exit_code": 0}}
    reviewed(finding(program), "--run", "--format", f"{form}={tmp_path / form}", "--verbose")
    written = (tmp_path / form).read_text()
    assert "\x1b" not in written
    assert "<script>alert" not in written or form in ("terminal", "markdown", "sarif")
    assert "\n::set-output" not in written
    assert "IndexError" in written


def test_the_doctor_says_what_programs_can_be_written_in(tmp_path: Path) -> None:
    done = affidavit("doctor", "--format", "json", cwd=tmp_path)
    (row,) = [one for one in json.loads(done.out)["checks"] if one["name"] == "programs"]
    here = row["detail"].removeprefix("programs in ").split(";")[0].split(", ")
    assert {"python", "node", "typescript", "sh"} <= set(here)
