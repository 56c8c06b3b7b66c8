"""`review --run` with an experimenter: probes on both sides, their table in the report, run again later."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from commands import affidavit
from model_server import Exchange, calls, serving
from panelists import CONFIRMED, claim, panelists, result, review, task_in, told_in
from repositories import Repo
from sandboxes import needed_sandbox

BASE = "def total(prices):\n    return sum(prices)\n\n\ndef label(name):\n    return name.strip()\n"
HEAD = (
    "def total(prices):\n    return prices[0] + sum(prices[1:])\n\n\n"
    "def label(name):\n    # Labels are lower case now.\n    return name.strip().lower()\n"
)
TOTALS = """from app import total
for prices in PRICES:
    try:
        print(total(prices))
    except Exception as error:
        print(type(error).__name__)
"""
PROBES = [
    {"name": "total of some", "language": "python", "program": TOTALS.replace("PRICES", "[[1], [1, 2]]")},
    {"name": "total of none", "language": "python", "program": TOTALS.replace("PRICES", "[[]]")},
    {"name": "a label", "language": "python", "program": "from app import label\nprint(label(' Ada '))\n"},
    {"name": "two labels", "language": "python", "program": "from app import label\nprint(label('A B'))\n"},
    {"name": "a time", "language": "python", "program": "import time\nprint(time.time_ns())\n"},
    {"name": "a package", "language": "python", "program": "import no_such_package\n"},
]
SHOWS = {
    "language": "python",
    "program": "from app import total\nprint(total([]))\n",
    "expected_at_base": {"exit_code": 0, "output": "^0"},
    "expected_at_head": {"exit_code": 1, "output": "IndexError"},
}
DIFFERENCES = [
    {"probe": "total of none", "announced": "", "finding": "none"},
    {"probe": "a label", "announced": "Labels are lower case now", "finding": ""},
    {"probe": "two labels", "announced": "as everybody knows", "finding": ""},
    {"probe": "no such probe", "announced": "x y", "finding": ""},
]
PATCH = (
    "--- a/app.py\n+++ b/app.py\n@@ -1,5 +1,5 @@\n def total(prices):\n"
    "-    return prices[0] + sum(prices[1:])\n+    return sum(prices)\n \n \n def label(name):\n"
)
REFUTES = {"language": "python", "program": "from app import total\nprint(total([1]))\n"}


@pytest.fixture(autouse=True)
def sandbox() -> None:
    needed_sandbox()


@pytest.fixture(scope="module")
def change(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = Repo(tmp_path_factory.mktemp("compared") / "repo")
    repo.commit("base", {"app.py": BASE})
    repo.commit("head", {"app.py": HEAD})
    return repo


def experimenting(judgement: Callable[[Exchange], Mapping[str, Any]] = lambda _: CONFIRMED) -> Any:
    """Models of which one experiments, and a verifier that may run something."""
    found = claim(
        "app.py",
        2,
        "    return prices[0] + sum(prices[1:])",
        id="none",
        evidence={"reproduction": SHOWS, "patch": PATCH},
    )
    others = panelists(lambda told: {**result(), "schema_version": "1.2"})

    def act(exchange: Exchange) -> None:
        body = exchange.body
        names = {tool["function"]["name"] for tool in body.get("tools", ())}
        if "review_result" in names and task_in(told_in(body)) == "experiment":
            has_run = any(message["role"] == "tool" for message in body["messages"])
            answer = {**result(found), "schema_version": "1.2", "meta": {"differences": DIFFERENCES}}
            called = ("review_result", answer) if has_run else ("compare_behaviour", {"probes": PROBES})
            calls((called[0], json.dumps(called[1])))(exchange)
        elif "verification_judgment" in names and "run_program" in names:
            said = judgement(exchange)
            name = "run_program" if "program" in said else "verification_judgment"
            calls((name, json.dumps(said)))(exchange)
        else:
            others(exchange)

    return act


def reviewed(change: Repo, report: Path, act: Any, *options: str) -> tuple[dict[str, Any], list[Any], str]:
    with serving(act) as (address, script):
        done = review(change.path, address, "--format", f"report={report}", *options)
    assert report.exists(), done.err
    return json.loads(report.read_text()), script.requests, done.err


@pytest.fixture(scope="module")
def compared(
    change: Repo, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, Any], list[Any]]:
    place = tmp_path_factory.mktemp("report")
    formats = [
        part for name in ("terminal", "markdown", "html") for part in ("--format", f"{name}={place / name}")
    ]
    events = ("--events", str(place / "events.jsonl"))
    kept = ("--record", str(place / "record"))
    report, asked, _ = reviewed(
        change, place / "report.json", experimenting(), "--run", *events, *formats, *kept
    )
    return place / "report.json", report, asked


def states(report: Mapping[str, Any]) -> dict[str, str]:
    return {row["name"]: row["state"] for row in report["behaviour"]}


def test_the_table_says_of_each_probe_what_the_machine_saw(compared: Any) -> None:
    _, report, _ = compared
    assert states(report) == {
        "total of some": "alike",
        "total of none": "reported",
        "a label": "announced",
        "two labels": "differs",  # its announcement stands nowhere in the change
        "a time": "flaky",
        "a package": "could_not_run",
    }
    rows = {row["name"]: row for row in report["behaviour"]}
    assert rows["total of none"]["candidates"] == ["experimenter-0"]
    assert rows["a label"]["announced"] == "Labels are lower case now"
    # Why nothing was compared, and of nothing else.
    assert "is not there: name an environment" in rows["a package"]["detail"]
    assert [name for name, row in rows.items() if row["detail"]] == ["a package"]


def test_a_difference_that_is_a_finding_comes_with_its_reproduction(compared: Any) -> None:
    (one,) = [one for one in compared[1]["candidates"] if one["id"] == "experimenter-0"]
    assert (one["withheld"], one["reproduction"]["outcome"]) == (None, "reproduced")


def test_its_patch_was_tried_and_the_report_says_that_it_holds(compared: Any) -> None:
    (one,) = [one for one in compared[1]["candidates"] if one["id"] == "experimenter-0"]
    steps = {step["name"]: step["passed"] for step in one["patch_trial"]["steps"]}
    assert steps == {"applies": True, "parses": True, "analysers": True, "reproduction": True, "tests": None}
    assert one["patch_trial"]["holds"] is True


def test_models_are_told_of_programs_only_where_there_is_a_sandbox(
    compared: Any, change: Repo, tmp_path: Path
) -> None:
    assert "Expected values come first" in json.dumps(compared[2])
    (python,) = compared[1]["inputs"]["programs"]["languages"]
    assert (python["title"], python["runs"]) == ("Python", True)
    # The planner, each specialist and the verifier.
    told = [json.dumps(one) for one in compared[2] if "Programs: Python yes (" in json.dumps(one)]
    for role in ("review_plan", "review_result", "verification_judgment"):
        assert any(role in one for one in told), role
    assert "Programs: Python yes (" in " ".join((compared[0].parent / "terminal").read_text().split())
    assert compared[1]["plan"]["questions"].keys() == {"logic", "codebase-fit", "experimenter"}
    report, asked, _ = reviewed(change, tmp_path / "r.json", experimenting())
    assert "Expected values come first" not in json.dumps(asked)
    assert "compare_behaviour" not in json.dumps(asked)
    assert report["plan"]["questions"].keys() == {"logic", "codebase-fit"}
    assert report["behaviour"] == []


def test_every_run_is_an_event_and_is_counted(compared: Any) -> None:
    path, report, _ = compared
    events = [json.loads(line) for line in (path.parent / "events.jsonl").read_text().splitlines()]
    runs = [one["data"] for one in events if one["type"] == "program.run"]
    programs = report["inputs"]["programs"]
    # Six probes on both sides, four of them twice; a reproduction at base, twice at head, with its patch.
    assert programs["runs"] == len(runs) == 6 * 2 + 4 * 2 + 4
    assert {one["finding_id"] for one in runs} == {None, "experimenter-0"}
    assert programs["duration_ms"] > 0


SENTENCE = (
    "6 programs run before and after the change: 1 alike, 1 differs as announced, 1 differs (a finding), "
    "1 differs unexplained, 1 not the same twice, 1 could not be run"
)


def test_the_table_is_in_the_page(compared: Any) -> None:
    page = (compared[0].parent / "html").read_text()
    view = json.loads(re.findall(r'<script[^>]* id="contents"[^>]*>(.*?)</script>', page, re.DOTALL)[0])[
        "view"
    ]
    assert view["behaviour"] == SENTENCE
    why = {one["name"]: one["why"] for one in view["probes"]}
    assert why["a label"] == "the change says: Labels are lower case now"
    assert why["a package"].startswith("nothing was compared: at base ")
    printed = [part["text"] for one in view["probes"] for part in one["parts"]]
    assert any("IndexError" in text for text in printed)


@pytest.mark.parametrize("name", ["terminal", "markdown"])
def test_the_table_is_in_the_formats_for_people(compared: Any, name: str) -> None:
    text = " ".join((compared[0].parent / name).read_text().split())
    assert SENTENCE in text
    assert name == "terminal" or "a label (the change says: Labels are lower case now)" in text
    assert name == "terminal" or "IndexError" in text
    assert name == "terminal" or "a package (nothing was compared: at base " in text


@pytest.fixture(scope="module")
def rechecked(compared: Any, change: Repo) -> Callable[..., dict[str, Any]]:
    def run(path: Path, *options: str) -> dict[str, Any]:
        done = affidavit("recheck", path, "--format", "json", *options, cwd=change.path)
        answer: dict[str, Any] = json.loads(done.out)
        return answer

    return run


def test_the_report_is_derived_again_with_its_table(compared: Any, rechecked: Any) -> None:
    answer = rechecked(compared[0])
    (whole,) = [one for one in answer["proofs"] if one["kind"] == "report"]
    assert whole["holds"], whole["detail"]
    # Six probes, a reproduction and a patch.
    assert "8 runs of programs and patches, not repeated without --run" in answer["on_its_word"]


def test_a_row_that_does_not_follow_from_its_runs_is_found(
    compared: Any, rechecked: Any, tmp_path: Path
) -> None:
    forged = json.loads(compared[0].read_text())
    forged["behaviour"][1]["state"] = "alike"
    (tmp_path / "forged.json").write_text(json.dumps(forged))
    (whole,) = [one for one in rechecked(tmp_path / "forged.json")["proofs"] if one["kind"] == "report"]
    assert whole["holds"] is False
    assert "behaviour.1.state" in whole["detail"]


def test_probes_are_run_again_and_one_with_other_outputs_fails(
    compared: Any, rechecked: Any, tmp_path: Path
) -> None:
    forged = json.loads(compared[0].read_text())
    (reply,) = [one for one in forged["inputs"]["replies"] if one["specialist"] == "experimenter"]
    reply["probes"][0]["head"][0]["output"] = "another\n"
    (tmp_path / "forged.json").write_text(json.dumps(forged))
    again = [
        one for one in rechecked(tmp_path / "forged.json", "--run")["proofs"] if one["kind"] == "behaviour"
    ]
    assert [one["holds"] for one in again] == [False, True, True, True, True, True]


def test_what_leaves_names_what_is_said_about_programs(change: Repo) -> None:
    chosen = ("--model", "scripted", "--base-url", "http://127.0.0.1:9", "--run", "--what-leaves")
    done = affidavit("review", "HEAD", *chosen, "--analysers-off", "ty,kingfisher", cwd=change.path)
    assert "Your task: experiment" in done.out
    assert "Expected values come first" in done.out


def test_a_replay_runs_nothing_and_comes_to_the_same(compared: Any, change: Repo, tmp_path: Path) -> None:
    """The probe that prints the time would differ, and with it every request after it."""
    kept = ("--replay", str(compared[0].parent / "record"), "--events", str(tmp_path / "events"))
    again, asked, _ = reviewed(
        change, tmp_path / "r.json", experimenting(), "--run", "--run-seconds", "1", *kept
    )
    assert asked == []
    assert (again["behaviour"], again["verdict"]) == (compared[1]["behaviour"], compared[1]["verdict"])
    assert again["inputs"]["programs"] == compared[1]["inputs"]["programs"]


def refuting_by(program: dict[str, Any]) -> Callable[[Exchange], dict[str, Any]]:
    """A verifier that runs a program and says that it decided."""

    def judge(exchange: Exchange) -> dict[str, Any]:
        told = [one for one in exchange.body["messages"] if one["role"] == "tool"]
        if not told:
            return program
        run = next(line for line in told[-1]["content"].splitlines() if "run" in line)
        return {
            "judgment": "REFUTED",
            "worth": "nit",
            "reason": "it adds up",
            "run": run.split(":")[1].strip(' ",'),
        }

    return judge


def test_a_verifiers_program_that_was_blocked_refutes_nothing(change: Repo, tmp_path: Path) -> None:
    blocked = {**REFUTES, "program": "import no_such_package"}
    report, asked, _ = reviewed(change, tmp_path / "r.json", experimenting(refuting_by(blocked)), "--run")
    (one,) = [one for one in report["candidates"] if one["id"] == "experimenter-0"]
    assert (one["withheld"], one["status"]) == (None, "unverified")
    said = one["judgements"][-1]
    assert (said["outcome"], said["run"]) == ("failed", None)
    assert (
        "it refutes by a program that shows nothing: at base no_such_package is not there" in said["reason"]
    )
    assert "shows_nothing_because" in json.dumps(asked)


def test_a_finding_refuted_by_running_keeps_the_program_as_its_reason(
    change: Repo, tmp_path: Path, rechecked: Any
) -> None:
    report, _, _ = reviewed(change, tmp_path / "r.json", experimenting(refuting_by(REFUTES)), "--run")
    (one,) = [one for one in report["candidates"] if one["id"] == "experimenter-0"]
    kept = one["judgements"][-1]["run"]
    assert one["withheld"]["code"] == "refuted"
    assert (kept["program"]["text"], kept["head"]["output"]) == (REFUTES["program"], "1\n")
    assert states(report)["total of none"] == "reported"
    proofs = rechecked(tmp_path / "r.json", "--run")["proofs"]
    assert [p["holds"] for p in proofs if "verifier's program" in p["detail"]] == [True, True]
