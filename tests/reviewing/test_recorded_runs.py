"""A recorded review becomes a row of what its roles sent, on which the estimate can be fitted."""

import json
from pathlib import Path

from bench.recorded import RecordedRole, recorded_runs, run_of, written

from affidavit.minds.conversation_log import ConversationLog, LogMode
from commands import affidavit
from model_server import serving
from panelists import claim, panelists, result, task_in
from repositories import Repo

WRONG = claim("app.py", 2, "    return 1 + sum(items)", title="One too much", severity="medium")


def test_what_was_recorded_is_counted_conversation_by_conversation(repo: Repo, tmp_path: Path) -> None:
    repo.commit("base", {"app.py": "def total(items):\n    return sum(items)\n"})
    repo.commit("Add one", {"app.py": "def total(items):\n    return 1 + sum(items)\n"})
    script = panelists(lambda told: result(WRONG) if task_in(told) == "logic" else result())
    report, folder = tmp_path / "report.json", tmp_path / "run"
    options = ("--record", str(folder), "--format", f"report={report}", "--no-store")
    with serving(script) as (address, server):
        affidavit("review", "HEAD~1..HEAD", "--model", "tiny", "--base-url", address, *options, cwd=repo.path)
    run = run_of("app", 2, ConversationLog(folder, LogMode.REPLAY).exchanges)
    usage = {one["role"]: one for one in json.loads(report.read_text())["usage"]}
    assert {one.role for one in run.roles} == usage.keys() >= {"planner", "specialist", "verifier"}
    specialist = run.role("specialist")
    assert specialist is not None
    assert (specialist.requests, specialist.input_tokens) == (
        usage["specialist"]["requests"],
        usage["specialist"]["input_tokens"],
    )
    assert specialist.conversations <= specialist.requests
    assert sum(one.requests for one in run.roles) == len(server.requests) - 1, "all but the verifier's test"


def test_what_is_kept_reads_as_it_was_written() -> None:
    runs = recorded_runs()
    assert json.loads(written(runs))[0]["change"] == runs[0].change
    assert RecordedRole(**json.loads(written(runs))[0]["roles"][0]) == runs[0].roles[0]
