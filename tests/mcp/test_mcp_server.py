"""Another agent at work: the official client over standard input and output, and over HTTP."""

import asyncio
import json
import os
import socket
from pathlib import Path
from typing import Any

import httpx2
from mcp.client.streamable_http import streamable_http_client

from agent_client import AFTER, EDITOR, TOKEN, answer_of, listening, over_stdio, review_result
from commands import affidavit
from mcp import Client


async def review_by_hand(client: Client) -> dict[str, Any]:
    """Open a change, read it, hand findings in, have them explained and proven again: what came of each."""
    opened = answer_of(await client.call_tool("open_change", {"target": "HEAD"}))
    change = opened["change"]
    lines = {"file_path": "mean.py", "start_line": 1, "end_line": 2, "change": change}
    read = await client.call_tool("get_file_context", lines)
    handed = {"result": review_result(), "change": change}
    proven = answer_of(await client.call_tool("submit_findings", handed))
    named = {"report": proven["report"], "finding": proven["findings"][0]["id"]}
    explained = answer_of(await client.call_tool("explain", named))
    again = answer_of(await client.call_tool("recheck", {"report": proven["report"]}))
    wrong = {"result": json.dumps(review_result("    return 0")), "change": change}
    withheld = answer_of(await client.call_tool("submit_findings", wrong))
    return {
        "files": [file["path"] for file in opened["files"]],
        "read": f"2: {AFTER.splitlines()[1]}" in read.content[0].text,
        "found": [(one["title"], one["status"]) for one in proven["findings"]],
        "verdict": proven["verdict"],
        "explained by": explained["code_examined"].strip(),
        "not holding": again["not_holding"],
        "shown of a wrong quote": withheld["findings"],
        "withheld": [one["withheld"] for one in withheld["withheld"]],
    }


REVIEWED = {
    "files": ["mean.py"],
    "read": True,
    "found": [("The mean of nothing divides by zero", "unverified")],
    "verdict": "comment",
    "explained by": AFTER.splitlines()[1].strip(),
    "not holding": [],
    "shown of a wrong quote": [],
    "withheld": ["evidence_not_found"],
}


def test_an_agent_reads_a_change_and_its_findings_come_back_proven_or_withheld(folder: Path) -> None:
    async def run() -> dict[str, Any]:
        async with over_stdio(folder) as client:
            return await review_by_hand(client)

    assert asyncio.run(run()) == REVIEWED


def test_the_same_holds_over_http(folder: Path) -> None:
    async def run() -> dict[str, Any]:
        async with listening(folder) as url, Client(url, client_info=EDITOR) as client:
            return await review_by_hand(client)

    assert asyncio.run(run()) == REVIEWED


def test_an_agent_is_told_what_is_wrong_with_its_call(folder: Path) -> None:
    async def run() -> None:
        async with over_stdio(folder) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert {"open_change", "search", "find_references", "start_review", "submit_findings"} <= names
            for name, arguments, expected in [
                ("open_change", {"target": "nowhere..HEAD"}, "nowhere"),
                ("open_change", {"target": "HEAD", "diff": "x"}, "not both"),
                ("open_change", {"goal": "x"}, "takes no argument 'goal'"),
                ("open_change", {"goal": "x"}, "; diff: "),
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


def test_a_port_that_is_taken_is_said_before_anything_listens(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = affidavit("mcp", "--http", str(port), cwd=folder)
    assert done.code == 2
    assert f"cannot listen on 127.0.0.1:{port}: another program listens there" in done.err
    assert "listening on" not in done.err
    assert "Errno" not in done.err


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
            empty = answer_of(await client.call_tool("start_review", {"target": "HEAD..HEAD"}))
            asked = {"review": empty["review"], "wait_seconds": 30}
            ended = answer_of(await client.call_tool("get_review", asked))
            assert (ended["status"], ended["verdict"]) == ("completed", "comment")
            opened = answer_of(await client.call_tool("open_change", {"target": "HEAD..HEAD"}))
            assert opened["files"] == []
            assert opened["notices"] == ["nothing to review: HEAD..HEAD changes no file"]

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
