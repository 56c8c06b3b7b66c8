"""An agent's client: the official one, over standard input and output or HTTP, on a small repository."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp.types import Implementation

from forks import forks
from mcp import Client, StdioServerParameters
from repositories import clean_environment

BEFORE = "def mean(values):\n    return sum(values) / len(values) if values else 0\n"
AFTER = "def mean(values):\n    return sum(values) / len(values)\n"
TOKEN = "a-token-of-a-test-only"
OFF = {"AFFIDAVIT_ANALYSERS_OFF": "kingfisher,ty,oxlint,shellcheck,hadolint,zizmor,yamllint"}
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
    return {"schema_version": "1.3", "prompt_version": "2.0.0", "findings": [finding]}


def environment(folder: Path) -> dict[str, str]:
    return {**clean_environment(), **OFF, "XDG_STATE_HOME": str(folder.parent / "state")}


@asynccontextmanager
async def over_stdio(folder: Path, *arguments: str) -> AsyncIterator[Client]:
    server = StdioServerParameters(
        command=str(forks().python),
        args=["-m", "affidavit", "mcp", "--repo", str(folder), *arguments],
        env=environment(folder),
    )
    async with Client(server, client_info=EDITOR) as client:
        yield client


@asynccontextmanager
async def listening(folder: Path, *arguments: str, **more: str) -> AsyncIterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = await asyncio.create_subprocess_exec(
        *(
            str(forks().python),
            "-m",
            "affidavit",
            "mcp",
            "--repo",
            str(folder),
            "--http",
            str(port),
            *arguments,
        ),
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
