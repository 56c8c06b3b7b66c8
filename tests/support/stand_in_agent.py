"""Stand in for the command lines of coding agents: a small loop of provider and MCP behind the same flags.

It runs alone, as `claude` or `codex`, with the standard library only. A line `EXTRA = […]` in front gives its
model further tools.
"""

import json
import os
import re
import sys
import tomllib
import urllib.request
from pathlib import Path

EXTRA: list[str] = globals().get("EXTRA", [])
IS_NOSY: bool = globals().get("IS_NOSY", False)
"""Whether it reads files that a text names."""


def post(address: str, body: dict) -> dict:
    kinds = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    request = urllib.request.Request(address, json.dumps(body).encode(), kinds)
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
        text = answer.read().decode()
    events = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]
    return {"events": events} if events else json.loads(text or "{}")


def mcp(address: str, method: str, parameters: dict) -> dict:
    answer = post(address, {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters})
    return (answer["events"][-1] if "events" in answer else answer)["result"]


def tell(**event: object) -> None:
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


def say(text: str) -> None:
    if sys.argv[0].endswith("codex"):
        tell(type="item.completed", item={"type": "agent_message", "text": text})
    else:
        tell(type="assistant", message={"content": [{"type": "text", "text": text}]})


def act_in(events: list[dict]) -> tuple[str, str, dict]:
    """Return the text, the tool and the arguments of a reply."""
    for one in events:
        if one["type"] == "response.completed":
            item = one["response"]["output"][0]
            if item["type"] == "message":
                return item["content"][0]["text"], "", {}
            return "", item["name"], json.loads(item["arguments"])
    block = next(one["content_block"] for one in events if one["type"] == "content_block_start")
    delta = next(one["delta"] for one in events if one["type"] == "content_block_delta")
    if block["type"] == "text":
        return delta["text"], "", {}
    return "", block["name"].removeprefix("mcp__affidavit__"), json.loads(delta["partial_json"])


def converse(provider: str, server: str, instructions: str) -> None:
    start = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    mcp(server, "initialize", start)
    names = [f"mcp__affidavit__{one['name']}" for one in mcp(server, "tools/list", {})["tools"]]
    names += EXTRA
    is_codex = sys.argv[0].endswith("codex")
    if not is_codex:
        tell(type="system", subtype="init", tools=names)
    said = [instructions, sys.stdin.read()]
    tools = [{"type": "function", "name": one} for one in names]
    while True:
        reply = post(provider, {"input" if is_codex else "messages": said, "tools": tools})
        text, tool, arguments = act_in(reply["events"])
        if text:
            say(text)
            break
        if is_codex:
            kind = {"type": "mcp_tool_call", "server": "affidavit", "tool": tool}
            tell(type="item.started", item=kind if tool not in EXTRA else {"type": "command_execution"})
        result = mcp(server, "tools/call", {"name": tool, "arguments": arguments})
        text = result["content"][0]["text"]
        if IS_NOSY:
            text += "".join(Path(name).read_text() for name in re.findall(r"@(/\S+)", text))
        kind = "function_call_output" if is_codex else "tool_result"
        said.append({"type": kind, "text": text})
    end = {"type": "turn.completed"} if is_codex else {"type": "result", "subtype": "success", "result": text}
    tell(**end)


def main() -> None:
    if "debug" in sys.argv:
        sys.stdout.write(json.dumps({"models": [{"slug": "m", "shell_type": "unified_exec"}]}))
    elif sys.argv[0].endswith("codex"):
        home = Path(os.environ["CODEX_HOME"])
        settings = tomllib.loads((home / "config.toml").read_text())
        model = json.loads(Path(settings["model_catalog_json"]).read_text())["models"][0]
        server = settings["mcp_servers"]["affidavit"]["url"]
        converse(f"{settings['openai_base_url']}/responses", server, model["base_instructions"])
    else:
        given = dict(zip(sys.argv, sys.argv[1:], strict=False))
        servers = json.loads(Path(given["--mcp-config"]).read_text())["mcpServers"]
        instructions = Path(given["--system-prompt-file"]).read_text()
        provider = f"{os.environ['ANTHROPIC_BASE_URL']}/v1/messages"
        converse(provider, servers["affidavit"]["url"], instructions)


main()
