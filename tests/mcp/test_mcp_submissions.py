"""What an agent hands in: by its own names, refused where it is no result, judged by a model, left behind."""

import asyncio
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from affidavit.contract.schema import CURRENT_SCHEMA_VERSION
from affidavit.mcp.changes import Changes, WantedChange, prompt_text
from affidavit.mcp.reports import ReportDesk
from affidavit.mcp.reviews import BackgroundReviews
from affidavit.mcp.tools import OWN_TOOLS, Desk
from affidavit.reviewing.options import ReviewOptions
from affidavit.store.open import open_store
from agent_client import AFTER, BEFORE, EDITOR, OFF, answer_of, listening, over_stdio, review_result
from mcp import Client
from model_server import Exchange, serving
from panelists import panelists
from repositories import Repo
from sandboxes import needed_sandbox


def named(name: str, **changes: Any) -> dict[str, Any]:
    finding: dict[str, Any] = deepcopy(review_result()["findings"][0])
    return {**finding, "id": name, **changes}


def result_of(*findings: dict[str, Any]) -> dict[str, Any]:
    return {**review_result(), "findings": list(findings)}


Call = Callable[..., dict[str, Any]]


@contextmanager
def calling(folder: Path, own: Path, **chosen: Any) -> Iterator[Call]:
    """Calls the tools of a server that is not started: what a transport adds is tested with one."""
    options = ReviewOptions(**{"analysers_off": OFF["AFFIDAVIT_ANALYSERS_OFF"], **chosen})

    async def silent(_text: str) -> None:
        return

    with Changes(folder, options) as changes, open_store(own / "store") as store:
        reviews = BackgroundReviews(folder, options)
        desk = Desk(changes, reviews, ReportDesk(folder, store, reviews), options)

        def called(name: str, **arguments: Any) -> dict[str, Any]:
            return asyncio.run(desk.call(name, arguments, "an editor", silent))

        called("open_change", target="HEAD")
        yield called


@pytest.fixture
def call(folder: Path, tmp_path: Path) -> Iterator[Call]:
    with calling(folder, tmp_path) as call:
        yield call


def test_an_agent_knows_its_findings_by_its_own_names_and_reads_what_was_wrong(call: Call) -> None:
    unproven = named("G3")
    unproven["verification"]["code_examined"] = "    return 0"
    dropped = named("G2")
    del dropped["severity"]
    told = call("submit_findings", result=result_of(named("G1"), dropped, unproven))
    assert [one["your_id"] for one in told["findings"]] == ["G1"]
    assert {one["your_id"]: one["because"] for one in told["withheld"]} == {
        "G2": "`severity` is missing (a value)",
        "G3": "the quoted code does not appear in mean.py at head",
    }
    assert "missing_required_field: `severity` is missing" in told["diagnostics"]
    for ours in ("submitted-0", "submitted-1", "submitted-2"):
        assert call("explain", report=told["report"], finding=ours)["id"] == ours
    assert call("explain", report="last", finding="G1")["id"] == "submitted-0"


def test_the_program_of_a_submitted_finding_is_run_where_programs_run(folder: Path, tmp_path: Path) -> None:
    needed_sandbox()
    shown = named("G1")
    shown["verification"]["reproduction"] = {
        "language": "python",
        "program": "from mean import mean\ntry:\n    mean([])\nexcept ZeroDivisionError:\n    exit(1)\n",
        "expected_at_base": {"exit_code": 0},
        "expected_at_head": {"exit_code": 1},
    }
    with calling(folder, tmp_path, run=True) as call:
        told = call("submit_findings", result=result_of(shown))
        found = call("explain", report=told["report"], finding="G1")
    assert "reproduce: reproduced" in found["steps"]


def test_everything_that_the_contract_misses_in_a_finding_is_named_at_once(call: Call) -> None:
    poor = {"id": "G1", "title": "Wrong mean", "severity": "bad", "category": "security", "verification": {}}
    (told,) = call("submit_findings", result=result_of(poor))["withheld"]
    missing = [name for name in ("file", "line", "message") if f"`{name}` is missing" not in told["because"]]
    evidence = ("code_examined", "line_range_examined", "failing_input", "wrong_outcome")
    missing += [name for name in evidence if f"`verification.{name}` is missing" not in told["because"]]
    assert missing == []
    assert "`severity` is 'bad' (one of critical, high," in told["because"]


def test_what_the_contract_requires_is_in_the_schema_of_the_tool() -> None:
    schema = jsonschema_rs.validator_for(OWN_TOOLS["submit_findings"].schema["properties"]["result"])
    current = {"schema_version": CURRENT_SCHEMA_VERSION}
    assert schema.is_valid(result_of(named("G1")) | current)
    for required in ("failing_input", "wrong_outcome", "code_examined"):
        poor = named("G1")
        del poor["verification"][required]
        assert not schema.is_valid(result_of(poor) | current), required


def test_an_agents_own_findings_come_before_those_of_analysers(repo: Repo, tmp_path: Path) -> None:
    repo.commit("A mean", {"mean.py": BEFORE})
    repo.commit("Simpler", {"mean.py": f"{AFTER}\n\ndef total(items):\n    return sum(item)\n"})
    with calling(repo.path, tmp_path, analysers_off="ty,kingfisher") as call:
        told = call("submit_findings", result=result_of(named("Z9", severity="info", category="style")))
    assert [one.get("your_id") for one in told["findings"]] == ["Z9", None]


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ({"findings": "no"}, "`findings` is 'no'"),
        ({**review_result(), "findings": "no"}, "`findings` is 'no'"),
        ([], "an array, where an object was expected"),
        ("Looks good to me.", "has no ReviewResult object"),
    ],
)
def test_what_is_no_review_result_is_an_error_that_says_what_to_do(
    call: Call, result: object, said: str
) -> None:
    answer = call("submit_findings", result=result)
    assert list(answer) == ["error"]
    assert said in answer["error"]
    assert 'and "findings", a list (empty, if there is nothing to say)' in answer["error"]


def test_agents_are_shown_one_version_of_the_contract_everywhere(folder: Path, call: Call) -> None:
    shown = OWN_TOOLS["submit_findings"].schema["properties"]["result"]["properties"]
    assert shown["schema_version"]["enum"] == [CURRENT_SCHEMA_VERSION]
    evidence = shown["findings"]["items"]["properties"]["verification"]["properties"]
    assert {"reproduction", "patch", "dependency_quotes"} <= evidence.keys()
    with Changes(folder, ReviewOptions(analysers_off=OFF["AFFIDAVIT_ANALYSERS_OFF"])) as changes:
        prompt = prompt_text("review-logic", changes.open(WantedChange(target="HEAD")))
    assert f'`schema_version` is "{CURRENT_SCHEMA_VERSION}"' in prompt
    assert f'"schema_version": "{CURRENT_SCHEMA_VERSION}"' in call("submit_findings", result=[])["error"]
    newest = named("G1")
    newest["verification"]["patch"] = "no patch"
    told = call("submit_findings", result={**result_of(newest), "schema_version": CURRENT_SCHEMA_VERSION})
    assert [one["your_id"] for one in told["findings"]] == ["G1"]
    assert [one for one in told["diagnostics"] if one.startswith("unknown_field")] == []


def test_nothing_found_is_a_result(call: Call) -> None:
    assert call("submit_findings", result=result_of())["findings"] == []


@pytest.mark.parametrize("before", ["", "../../../../../../../.."])
@pytest.mark.parametrize(
    ("tool", "key", "more"),
    [
        ("open_change", "target", {}),
        ("start_review", "target", {}),
        ("recheck", "report", {}),
        ("explain", "report", {"finding": "x"}),
        ("get_file_context", "file_path", {"start_line": 1, "end_line": 2}),
    ],
)
def test_nobody_learns_whether_a_file_outside_of_the_repository_is_there(
    call: Call, tool: str, key: str, more: dict[str, Any], before: str
) -> None:
    there, missing = (
        call(tool, **{key: f"{before}/etc/{name}"}, **more)["error"] for name in ("passwd", "passwx")
    )
    assert there == missing.replace("passwx", "passwd")


@pytest.mark.parametrize(
    ("judgement", "shown", "withheld"),
    [("CONFIRMED", [("G1", "verified")], []), ("REFUTED", [], [("G1", "refuted")])],
)
def test_a_model_of_ours_cross_examines_what_an_agent_hands_in(
    folder: Path, tmp_path: Path, judgement: str, shown: list[Any], withheld: list[Any]
) -> None:
    said = {"judgment": judgement, "qualified": False, "worth": "act", "reason": "mean.py:2 divides by 0"}
    acts = panelists(reads={"file_path": "mean.py"}, judgement=said)
    with (
        serving(acts) as (address, script),
        calling(folder, tmp_path, model="scripted", base_url=address) as call,
    ):
        told = call("submit_findings", result=result_of(named("G1")))
    assert [(one["your_id"], one["status"]) for one in told["findings"]] == shown
    assert [(one["your_id"], one["withheld"]) for one in told["withheld"]] == withheld
    assert "verifier" not in " ".join(told["not_run"])
    assert script.requests


class Waiting:
    """A model that does not answer until it is let go, and notes that it was asked."""

    def __init__(self) -> None:
        self.reached, self.let_go = threading.Event(), threading.Event()

    def __call__(self, exchange: Exchange) -> None:
        self.reached.set()
        self.let_go.wait(60)
        exchange.close_connection = True


async def hand_in_and_leave(client: Client, reached: Callable[[], bool]) -> None:
    """Begin to hand in, and give up while the model is still thinking."""
    await client.call_tool("open_change", {"target": "HEAD"})
    handing = asyncio.create_task(client.call_tool("submit_findings", {"result": result_of(named("G1"))}))
    while not reached():
        assert not handing.done(), handing.result()
        await asyncio.sleep(0.02)
    handing.cancel()
    await asyncio.gather(handing, return_exceptions=True)


def test_a_client_that_goes_away_while_it_hands_in_leaves_no_server_behind(
    folder: Path, tmp_path: Path
) -> None:
    waiting = Waiting()

    async def run(address: str) -> None:
        model = ("--model", "scripted", "--base-url", address, "--data", str(tmp_path / "store"))
        async with over_stdio(folder, *model) as client:
            await hand_in_and_leave(client, waiting.reached.is_set)

    with serving(waiting) as (address, _script):
        asyncio.run(run(address))
        waiting.let_go.set()
    assert not [words for words in running() if str(tmp_path / "store") in words]


def running() -> list[str]:
    """The command lines of all processes but this one."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                found.append((entry / "cmdline").read_bytes().decode(errors="replace"))
            except OSError:
                continue
    return found


def test_over_http_the_next_client_is_served_after_one_went_away_in_the_middle(folder: Path) -> None:
    waiting = Waiting()

    async def run(address: str) -> None:
        model = ("--model", "scripted", "--base-url", address)
        async with listening(folder, *model) as url:
            async with Client(url, client_info=EDITOR) as first:
                await hand_in_and_leave(first, waiting.reached.is_set)
            async with Client(url, client_info=EDITOR) as second:
                opened = answer_of(await second.call_tool("open_change", {"target": "HEAD"}))
                assert [file["path"] for file in opened["files"]] == ["mean.py"]
            waiting.let_go.set()

    with serving(waiting) as (address, _script):
        asyncio.run(run(address))
