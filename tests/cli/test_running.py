"""`review --run` and what comes after it: programs on both sides, in a report, again and by hand."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
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
RAISES = {**SHOWS, "program": "raise IndexError"}
LACKS = {**SHOWS, "program": "import no_such_package"}
FORMS = ("terminal", "markdown", "html", "sarif")
Reviewed = Callable[..., dict[str, Any]]


@pytest.fixture(autouse=True)
def sandbox() -> None:
    needed_sandbox()


@pytest.fixture
def change(repo: Repo) -> Repo:
    repo.commit("base", {"app.py": BASE})
    repo.commit("head", {"app.py": HEAD})
    return repo


def finding(program: Mapping[str, Any] | None, **evidence: Any) -> dict[str, Any]:
    offered = {"reproduction": program} if program else {}
    return claim("app.py", 2, "    return prices[0] + sum(prices[1:])", evidence={**offered, **evidence})


@dataclass(frozen=True)
class Ran:
    """A review in which a program was run, with its report, its events and all formats in a folder."""

    repo: Repo
    folder: Path
    asked: list[Any]

    @property
    def place(self) -> Path:
        return self.folder / "report.json"

    @property
    def report(self) -> dict[str, Any]:
        """A copy, to be forged."""
        read: dict[str, Any] = json.loads(self.place.read_text())
        return read


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Mapping[str, Any]], Ran]:
    """Run a program in a review, once for all tests that look at it."""
    needed_sandbox()
    repo = Repo(tmp_path_factory.mktemp("ran") / "repo")
    repo.commit("base", {"app.py": BASE})
    repo.commit("head", {"app.py": HEAD})
    made: dict[str, Ran] = {}

    def run(program: Mapping[str, Any]) -> Ran:
        key = json.dumps(program)
        if key not in made:
            folder = tmp_path_factory.mktemp("review")
            outputs = [part for form in FORMS for part in ("--format", f"{form}={folder / form}")]
            outputs += ["--format", f"report={folder}/report.json", "--events", f"{folder}/events"]
            # Without what was reviewed before.
            outputs += ["--data", f"{folder}/data"]
            with serving(specialist_with(finding(program))) as (address, script):
                done = review(repo.path, address, "--run", "--verbose", *outputs)
            assert (folder / "report.json").exists(), done.err
            made[key] = Ran(repo, folder, script.requests)
        return made[key]

    return run


def specialist_with(one: dict[str, Any]) -> Any:
    """A model that finds this, and nothing else."""
    return panelists(lambda told: {**result(*[one] * (task_in(told) == "logic")), "schema_version": "1.2"})


@pytest.fixture
def asked() -> list[Any]:
    """Everything that models were sent."""
    return []


@pytest.fixture
def reviewed(change: Repo, tmp_path: Path, asked: list[Any]) -> Reviewed:
    def run(one: dict[str, Any], *options: str) -> dict[str, Any]:
        report = tmp_path / "report.json"
        with serving(specialist_with(one)) as (address, script):
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


def test_a_declared_program_is_run_on_both_sides_and_twice_at_head(ran: Callable[..., Ran]) -> None:
    report = ran(SHOWS).report
    check = only(report)["reproduction"]
    assert check["outcome"] == "reproduced"
    assert (check["base"]["exit_code"], check["base"]["output"]) == (0, "0\n")
    assert [run["exit_code"] for run in check["head"]] == [1, 1]
    assert "IndexError" in check["head"][0]["output"]
    assert report["inputs"]["programs"]["sandbox"] == "bubblewrap"


def test_nothing_is_run_unless_the_user_asks(reviewed: Reviewed, change: Repo) -> None:
    change.write({"affidavit.toml": "run = true\n"})
    assert only(reviewed(finding(SHOWS)))["reproduction"] is None


@pytest.mark.parametrize(("asked", "is_said"), [((), True), (("--run",), False)])
def test_an_environment_that_is_not_fetched_without_running_is_noted(
    change: Repo, asked: tuple[str, ...], is_said: bool
) -> None:
    options = ("--environment", "auto", "--no-store", *asked)
    done = affidavit("review", "HEAD", *options, cwd=change.path)
    assert ("--environment auto fetches nothing without --run" in done.err) is is_said, done.err


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
        (RAISES, "also_at_base"),
        ({**SHOWS, "program": "print(0)"}, "not_reproduced"),
        (LACKS, "could_not_run"),
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
    ran: Callable[..., Ran], program: dict[str, Any], outcome: str | None
) -> None:
    one = only(ran(program).report)
    assert one["status"] == "verified"
    assert outcome is None or one["reproduction"]["outcome"] == outcome


def test_what_could_not_be_run_is_said_once_with_what_to_do(ran: Callable[..., Ran]) -> None:
    (gap,) = [one for one in ran(LACKS).report["not_run"] if one["name"] == "programs"]
    assert "no_such_package" in gap["reason"]
    assert "--environment" in gap["advice"]


def test_the_verifier_is_shown_the_program_and_what_it_did(ran: Callable[..., Ran]) -> None:
    asked = json.dumps(ran(SHOWS).asked)
    assert "Outcome: reproduced" in asked
    assert "decide whether" in asked


def test_models_may_run_programs_only_where_the_user_asked(reviewed: Reviewed, asked: list[Any]) -> None:
    def offered() -> bool:
        return any("run_program" in json.dumps(body.get("tools", [])) for body in asked)

    reviewed(finding(None))
    assert not offered()
    reviewed(finding(None), "--run")
    assert offered()


def test_events_name_every_run(ran: Callable[..., Ran]) -> None:
    events = [json.loads(line) for line in (ran(SHOWS).folder / "events").read_text().splitlines()]
    runs = [one for one in events if one["type"] == "program.run"]
    assert len(runs) == 3


def test_a_recheck_proves_reproductions_again_only_where_it_may_run_them(
    ran: Callable[..., Ran],
) -> None:
    place, folder = ran(SHOWS).place, ran(SHOWS).repo.path
    quiet = affidavit("recheck", place, cwd=folder)
    assert quiet.code == 0, quiet.out
    assert "1 run of programs and patches, not repeated without --run" in quiet.out
    again = affidavit("recheck", place, "--run", cwd=folder)
    assert again.code == 0, again.out
    assert "holds: reproduction: run again: reproduced" in again.out
    assert "not run again" not in again.out


def test_a_report_that_calls_its_runs_what_they_are_not_fails(
    ran: Callable[..., Ran], tmp_path: Path
) -> None:
    report = ran(RAISES).report
    for check in (only(report)["reproduction"], report["inputs"]["programs"]["reproductions"][0]["check"]):
        check["outcome"] = "reproduced"
    (tmp_path / "report.json").write_text(json.dumps(report))
    done = affidavit("recheck", tmp_path / "report.json", cwd=ran(RAISES).repo.path)
    assert done.code == 1
    assert (
        "reproduction.outcome: the report says 'reproduced', derived again it is 'also_at_base'" in done.out
    )


def test_a_recheck_says_where_a_program_prints_otherwise_than_the_report_shows(
    ran: Callable[..., Ran], tmp_path: Path
) -> None:
    report = ran(SHOWS).report
    for check in (only(report)["reproduction"], report["inputs"]["programs"]["reproductions"][0]["check"]):
        for run in check["head"]:
            run["output"] = "IndexError: the customer's money is gone\n"
    (tmp_path / "report.json").write_text(json.dumps(report))
    done = affidavit("recheck", tmp_path / "report.json", "--run", cwd=ran(SHOWS).repo.path)
    assert done.code == 3, done.out
    said = "differs here: reproduction: run again: reproduced; at head it prints something else now"
    assert said in done.out, done.out


VARYING = """import tempfile
from app import total
print(total, tempfile.mkdtemp())
print(total([]))
"""


def test_what_is_known_to_vary_from_run_to_run_does_not_keep_a_program_from_being_proven_again(
    reviewed: Reviewed, change: Repo, tmp_path: Path
) -> None:
    report = reviewed(finding({**SHOWS, "program": VARYING}), "--run")
    printed = [run["output"].splitlines()[0] for run in only(report)["reproduction"]["head"]]
    assert printed[0] != printed[1]
    again = affidavit("recheck", tmp_path / "report.json", "--run", cwd=change.path)
    assert again.code == 0, again.out


RANDOM = "import random\nfrom app import total\nprint(random.random())\nprint(total([]))\n"


def test_a_program_that_prints_what_is_drawn_by_lot_is_proven_again_and_its_text_is_on_its_word(
    reviewed: Reviewed, change: Repo, tmp_path: Path
) -> None:
    report = reviewed(finding({**SHOWS, "program": RANDOM, "expected_at_base": {"exit_code": 0}}), "--run")
    check = only(report)["reproduction"]
    assert (check["outcome"], check["detail"][:17]) == ("reproduced", "run twice at head")
    again = affidavit("recheck", tmp_path / "report.json", "--run", cwd=change.path)
    assert again.code == 0, again.out
    assert "at base and head it prints something else now: the recorded text is not verified" in again.out


SWALLOWS = """try:
    import no_such_package as fast
except ImportError:
    fast = None


def total(prices):
    return prices[0] + sum(prices[1:])
"""


def test_a_head_that_swallows_a_missing_package_reproduces_nothing_and_it_is_said(
    reviewed: Reviewed, change: Repo, tmp_path: Path
) -> None:
    change.write({"app.py": SWALLOWS})
    change.git("commit", "-q", "-a", "--amend", "-m", "head")
    one = claim("app.py", 8, "    return prices[0] + sum(prices[1:])", evidence={"reproduction": SHOWS})
    report = reviewed(one, "--run")
    check = only(report)["reproduction"]
    assert check["outcome"] == "could_not_run"
    assert check["detail"].startswith("no_such_package is not there, and the code at head goes on without it")
    assert check["head"][0]["missing"] == ["no_such_package"]
    (gap,) = [one for one in report["not_run"] if one["name"] == "programs"]
    assert "no_such_package" in gap["reason"]
    place = tmp_path / "report.json"
    assert affidavit("recheck", place, "--run", cwd=change.path).code == 0


def test_evidence_against_a_finding_cannot_be_left_out_of_a_report(
    ran: Callable[..., Ran], tmp_path: Path
) -> None:
    report = ran(RAISES).report
    one = only(report)
    assert one["reproduction"]["outcome"] == "also_at_base"
    one["reproduction"] = None
    one["steps"] = [step for step in one["steps"] if step["stage"] != "reproduce"]
    report["inputs"]["programs"]["reproductions"] = []
    (tmp_path / "report.json").write_text(json.dumps(report))
    done = affidavit("recheck", tmp_path / "report.json", cwd=ran(RAISES).repo.path)
    assert done.code == 1, done.out
    assert "FAILS: reproduction: reproduction: the report says None" in done.out


HOSTILE = (
    "print('\\x1b]0;title\\x07\\x1b[2Jgone <script>alert(1)</script>')\nprint('::set-output name=a::b')\n"
)


@pytest.mark.parametrize("form", FORMS)
def test_what_a_program_prints_is_text_in_every_format(ran: Callable[..., Ran], form: str) -> None:
    program = {**SHOWS, "program": f"{HOSTILE}{SHOWS['program']}", "expected_at_base": {"exit_code": 0}}
    written = (ran(program).folder / form).read_text()
    assert "\x1b" not in written
    assert "<script>alert" not in written or form in ("terminal", "markdown", "sarif")
    assert "\n::set-output" not in written
    assert "IndexError" in written


def test_the_doctor_says_what_programs_can_be_written_in(tmp_path: Path) -> None:
    done = affidavit("doctor", "--format", "json", cwd=tmp_path)
    (row,) = [one for one in json.loads(done.out)["checks"] if one["name"] == "programs"]
    here = row["detail"].removeprefix("programs in ").split(";")[0].split(", ")
    assert {"python", "node", "typescript", "sh"} <= set(here)


SETTLES = (
    "--- a/app.py\n+++ b/app.py\n@@ -1,2 +1,2 @@\n def total(prices):\n"
    "-    return prices[0] + sum(prices[1:])\n+    return sum(prices)\n"
)


def test_a_recheck_tries_patches_again_only_where_it_may_run_programs(
    reviewed: Reviewed, change: Repo, tmp_path: Path
) -> None:
    place = tmp_path / "report.json"
    report = reviewed(finding(SHOWS, patch=SETTLES), "--run")
    quiet = affidavit("recheck", place, cwd=change.path)
    assert (quiet.code, "of programs and patches, not repeated without --run" in quiet.out) == (0, True), (
        quiet.out
    )
    again = affidavit("recheck", place, "--run", cwd=change.path)
    said = "holds: patch: tried again: applies passed, parses passed, analysers passed, reproduction passed"
    assert (again.code, said in again.out) == (0, True), again.out

    useless = SETTLES.replace("+    return sum(prices)", "+    return prices[0] + sum(list(prices[1:]))")
    place.write_text(json.dumps(report).replace(json.dumps(SETTLES)[1:-1], json.dumps(useless)[1:-1]))
    forged = affidavit("recheck", place, "--run", cwd=change.path)
    assert forged.code == 1
    assert "tried again, it fails (reproduction:" in forged.out, forged.out


def test_a_resumed_review_does_not_run_again_what_is_recorded_and_counts_it_once(
    reviewed: Reviewed, asked: list[Any], tmp_path: Path
) -> None:
    """Every run of this program prints something else, so whoever runs it again is seen."""
    told = {**SHOWS, "program": f"import os\nprint(os.urandom(8).hex())\n{SHOWS['program']}"}
    first = reviewed(finding(told), "--run", "--record", str(tmp_path / "log"))
    log = tmp_path / "log" / "conversation.jsonl"
    lines = log.read_text().splitlines(keepends=True)
    runs = [at for at, line in enumerate(lines) if "run" in json.loads(line)]
    # Three before planning (languages, imports, test runners), and three of the reproduction.
    assert len(runs) == 6
    runs = runs[3:]
    # It died after the first run at head.
    log.write_text("".join(lines[: runs[1] + 1]))
    again = reviewed(finding(told), "--run", "--resume", str(tmp_path / "log"))
    then, now = only(first)["reproduction"], only(again)["reproduction"]
    assert (now["base"], now["head"][0]) == (then["base"], then["head"][0])
    assert now["head"][1]["output"] != then["head"][1]["output"]
    assert [one["inputs"]["programs"]["runs"] for one in (first, again)] == [3, 3]
    spent = sum(run["duration_ms"] for run in (now["base"], *now["head"]))
    assert again["inputs"]["programs"]["duration_ms"] == spent
    # The specialist had answered before, and is not asked, or paid, again.
    assert not any("review_result" in json.dumps(body) and "logic" in json.dumps(body) for body in asked)
    specialists = [
        [row for row in report["usage"] if row["role"] == "specialist"] for report in (first, again)
    ]
    assert specialists[0] == specialists[1]
