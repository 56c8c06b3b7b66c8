"""Another agent at work: the official client over standard input and output, and over HTTP."""

import asyncio
import json
import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client
from mcp.types import Implementation

from mcp import Client, StdioServerParameters
from repositories import Repo, clean_environment

BEFORE = "def mean(values):\n    return sum(values) / len(values) if values else 0\n"
AFTER = "def mean(values):\n    return sum(values) / len(values)\n"
TOKEN = "a-token-of-a-test-only"
OFF = {"AFFIDAVIT_ANALYSERS_OFF": "kingfisher,ty,bandit,oxlint,shellcheck,hadolint,zizmor,yamllint"}
EDITOR = Implementation(name="an editor", version="3")


def review_result(code: str = "    return sum(values) / len(values)") -> dict[str, Any]:
    finding = {
        "id": "one",
        "severity": "high",
        "category": "correctness",
        "title": "The mean of nothing divides by zero",
        "file": "mean.py",
        "line": 2,
        "message": "An empty list raises ZeroDivisionError instead of returning 0.",
        "verification": {
            "code_examined": code,
            "line_range_examined": [2, 2],
            "verification_method": "read",
            "checked_for_handling_elsewhere": True,
            "failing_input": "mean([])",
            "wrong_outcome": "ZeroDivisionError",
        },
    }
    return {"schema_version": "1.1", "prompt_version": "1.2.0", "findings": [finding]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    repo = Repo(tmp_path_factory.mktemp("mcp") / "repo")
    repo.commit("A mean", {"mean.py": BEFORE, "use.py": "from mean import mean\n\nprint(mean([1]))\n"})
    repo.commit("Simpler", {"mean.py": AFTER})
    return repo.path


def environment(folder: Path) -> dict[str, str]:
    return {**clean_environment(), **OFF, "XDG_STATE_HOME": str(folder.parent / "state")}


@asynccontextmanager
async def over_stdio(folder: Path, *arguments: str) -> AsyncIterator[Client]:
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "affidavit", "mcp", "--repo", str(folder), *arguments],
        env=environment(folder),
    )
    async with Client(server, client_info=EDITOR) as client:
        yield client


@asynccontextmanager
async def listening(folder: Path, **more: str) -> AsyncIterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "affidavit", "mcp", "--repo", str(folder), "--http", str(port)),
        env=environment(folder) | more,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        for _ in range(600):
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.05)
                continue
            writer.close()
            await writer.wait_closed()
            break
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        await process.wait()


def answer_of(result: Any) -> dict[str, Any]:
    assert result.structured_content is not None
    return dict(result.structured_content)


async def review_by_hand(client: Client) -> None:
    """Open a change, read it, hand findings in, have them explained and proven again."""
    opened = answer_of(await client.call_tool("open_change", {"target": "HEAD"}))
    assert [file["path"] for file in opened["files"]] == ["mean.py"]
    change = opened["change"]
    read = await client.call_tool(
        "get_file_context", {"file_path": "mean.py", "start_line": 1, "end_line": 2, "change": change}
    )
    assert "2: " in read.content[0].text
    assert AFTER.splitlines()[1] in read.content[0].text

    handed = {"result": review_result(), "change": change}
    proven = answer_of(await client.call_tool("submit_findings", handed))
    assert [(one["title"], one["status"]) for one in proven["findings"]] == [
        ("The mean of nothing divides by zero", "unverified")
    ]
    assert proven["verdict"] == "comment"

    named = {"report": proven["report"], "finding": proven["findings"][0]["id"]}
    explained = answer_of(await client.call_tool("explain", named))
    assert explained["code_examined"].strip() == AFTER.splitlines()[1].strip()
    again = answer_of(await client.call_tool("recheck", {"report": proven["report"]}))
    assert again["not_holding"] == []

    wrong = {"result": json.dumps(review_result("    return 0")), "change": change}
    withheld = answer_of(await client.call_tool("submit_findings", wrong))
    assert withheld["findings"] == []
    assert [one["withheld"] for one in withheld["withheld"]] == ["evidence_not_found"]

    uris = {str(one.uri) for one in (await client.list_resources()).resources}
    assert {f"affidavit://change/{change}/map", f"affidavit://report/{proven['report']}"} <= uris
    kept = await client.read_resource(f"affidavit://report/{proven['report']}")
    assert json.loads(kept.contents[0].text)["inputs"]["submitted_by"] == "an editor 3"


def test_an_agent_reads_a_change_and_its_findings_come_back_proven_or_withheld(folder: Path) -> None:
    async def run() -> None:
        async with over_stdio(folder) as client:
            await review_by_hand(client)

    asyncio.run(run())


def test_the_same_holds_over_http(folder: Path) -> None:
    async def run() -> None:
        async with listening(folder) as url, Client(url, client_info=EDITOR) as client:
            await review_by_hand(client)

    asyncio.run(run())


def test_an_agent_is_told_what_is_wrong_with_its_call(folder: Path) -> None:
    async def run() -> None:
        async with over_stdio(folder) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert {"open_change", "search", "find_references", "start_review", "submit_findings"} <= names
            for name, arguments, expected in [
                ("open_change", {"target": "nowhere..HEAD"}, "nowhere"),
                ("open_change", {"target": "/etc/passwd"}, "name of a file"),
                ("open_change", {"target": "HEAD", "diff": "x"}, "not both"),
                ("open_change", {"goal": "x"}, "takes no argument"),
                ("submit_findings", {}, "needs the argument 'result'"),
                ("search", {"pattern": "mean", "change": "feedbeef"}, "no change 'feedbeef'"),
                ("get_review", {"review": "none"}, "there is no review"),
                ("explain", {"report": "none", "finding": "x"}, "no kept report"),
                ("recheck", {"report": "mean.py"}, "no kept report"),
                ("no_such_tool", {}, "there is no tool"),
            ]:
                result = await client.call_tool(name, arguments)
                assert result.is_error, name
                assert expected in result.content[0].text

    asyncio.run(run())


def test_a_review_runs_in_the_background_and_ends_with_its_report(folder: Path) -> None:
    said: list[str] = []

    async def hear(_progress: float, _total: float | None, message: str | None) -> None:
        said.append(message or "")

    async def run() -> None:
        async with over_stdio(folder) as client:
            begun = answer_of(await client.call_tool("start_review", {"target": "HEAD", "title": "Simpler"}))
            assert begun["status"] == "running"
            done: dict[str, Any] = {"status": "running"}
            while done["status"] == "running":
                asked = {"review": begun["review"], "wait_seconds": 30}
                done = answer_of(await client.call_tool("get_review", asked, progress_callback=hear))
            assert (done["status"], done["verdict"]) == ("completed", "comment")
            failed = answer_of(await client.call_tool("start_review", {"target": "nowhere"}))
            asked = {"review": failed["review"], "wait_seconds": 30}
            ended = answer_of(await client.call_tool("get_review", asked))
            assert ended["status"] == "failed"
            assert "nowhere" in ended["error"]

    asyncio.run(run())
    assert said


def test_a_client_that_goes_away_leaves_no_review_running(folder: Path, tmp_path: Path) -> None:
    async def run() -> None:
        async with over_stdio(folder, "--data", str(tmp_path / "store")) as client:
            await client.call_tool("start_review", {"target": "HEAD"})

    asyncio.run(run())
    marks = [str(tmp_path / "store"), "review"]
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                words = (entry / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            assert not all(mark in words for mark in marks), words


def test_a_specialists_prompt_holds_the_change_and_says_how_to_hand_in(folder: Path) -> None:
    async def run() -> None:
        async with over_stdio(folder) as client:
            names = [one.name for one in (await client.list_prompts()).prompts]
            assert names == ["review-logic", "review-codebase-fit", "review-security", "review-quality"]
            got = await client.get_prompt("review-logic", {"target": "HEAD"})
            text = got.messages[0].content.text
            assert "return sum(values) / len(values)" in text
            assert "submit_findings" in text

    asyncio.run(run())


def test_http_answers_no_other_site_and_nobody_without_the_token(folder: Path) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    accept = {"Accept": "application/json, text/event-stream"}

    async def run() -> None:
        async with listening(folder, AFFIDAVIT_MCP_TOKEN=TOKEN) as url, httpx2.AsyncClient() as http:
            bearer = {"Authorization": f"Bearer {TOKEN}", **accept}
            assert (await http.post(url, json=body, headers=accept)).status_code == 401
            wrong = {**bearer, "Authorization": "Bearer another"}
            assert (await http.post(url, json=body, headers=wrong)).status_code == 401
            rebound = {**bearer, "Host": "evil.example"}
            assert (await http.post(url, json=body, headers=rebound)).status_code == 421
            foreign = {**bearer, "Origin": "https://evil.example"}
            assert (await http.post(url, json=body, headers=foreign)).status_code == 403
            async with (
                httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}) as known,
                Client(streamable_http_client(url, http_client=known)) as client,
            ):
                assert (await client.list_tools()).tools

    asyncio.run(run())
