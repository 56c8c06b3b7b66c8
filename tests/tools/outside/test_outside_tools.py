"""Tools of servers that the user named."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from affidavit.errors import SettingsError
from affidavit.minds.conversation_log import ConversationLog, LogMode
from affidavit.tools.outside import OutsideTools
from affidavit.tools.outside_connection import NamedServer, ServerConnection, ServerLimits, read_servers

PROGRAM = Path(__file__).parent / "outside_server.py"
ALLOWED = ("lookup", "hang", "flood", "change")


def named(**changes: Any) -> NamedServer:
    return NamedServer(
        name="library", command=sys.executable, args=(str(PROGRAM),), allow=ALLOWED
    ).model_copy(update=changes)


def opened(
    log: ConversationLog | None = None, *servers: NamedServer, call_seconds: float = 20
) -> OutsideTools:
    limits = ServerLimits(connect_seconds=30, call_seconds=call_seconds)
    return OutsideTools(
        [ServerConnection(one, limits) for one in servers or (named(),)], log or ConversationLog()
    )


@pytest.fixture(scope="module")
def tools() -> Iterator[OutsideTools]:
    with opened() as made:
        yield made


def ask(tools: OutsideTools, tool: str, **arguments: Any) -> dict[str, Any]:
    return tools.call("call_outside_tool", {"tool": f"library/{tool}", "arguments": json.dumps(arguments)})


def test_a_model_finds_a_tool_by_searching_and_sees_its_description_when_it_asks(tools: OutsideTools) -> None:
    found = tools.call("find_outside_tools", {"query": "documents of a library"})
    assert found["tools"][0] == "library/lookup"
    described = tools.call("describe_outside_tool", {"tool": "library/lookup"})
    assert described["description"] == "Look a library's documents up."
    assert "query" in described["arguments"]


def test_the_same_call_has_the_same_answer_without_secrets(tools: OutsideTools) -> None:
    first = ask(tools, "lookup", query="json")
    assert first["answer"].startswith("json: documented (")
    assert "ghp_" not in first["answer"]
    assert ask(tools, "lookup", query="json") == first


def test_arguments_leave_without_secrets(tools: OutsideTools) -> None:
    secret = "ghp_" + "9876543210abcdefghijklmnopqrstuvwxyzCD"
    assert secret not in ask(tools, "lookup", query=f"token = '{secret}'")["answer"]


def test_a_tool_that_the_user_did_not_allow_is_not_there(tools: OutsideTools) -> None:
    assert "library/delete_everything" not in tools.call("find_outside_tools", {"query": ""})["tools"]
    assert "there is no outside tool" in ask(tools, "delete_everything")["error"]


def test_a_flood_is_cut(tools: OutsideTools) -> None:
    answer = ask(tools, "flood")["answer"]
    assert len(answer) < 21_000
    assert "cut here" in answer


def test_what_is_no_json_object_is_answered_with_what_to_send(tools: OutsideTools) -> None:
    bad = tools.call("call_outside_tool", {"tool": "library/lookup", "arguments": "[1]"})
    assert "JSON object" in bad["error"]


def test_a_tool_that_hangs_or_vanishes_costs_its_own_answers_only() -> None:
    with opened(None, named(), named(name="second"), call_seconds=2) as tools:
        assert "in time" in ask(tools, "hang")["error"]
        second = {"tool": "second/lookup", "arguments": '{"query": "a"}'}
        assert "documented" in tools.call("call_outside_tool", second)["answer"]
        tools.call("call_outside_tool", {"tool": "second/change", "arguments": "{}"})
        gone = tools.call("call_outside_tool", {"tool": "second/lookup", "arguments": '{"query": "b"}'})
        assert gone.get("is_error") or "error" in gone


def test_a_server_that_cannot_be_started_is_a_problem_that_is_said() -> None:
    with opened(None, named(name="broken", command="/nowhere/at-all", args=())) as tools:
        found = tools.call("find_outside_tools", {"query": "x"})
    assert found["tools"] == []
    assert "broken" in found["problems"][0]


def test_a_replay_answers_from_the_record_and_starts_no_server(tmp_path: Path) -> None:
    with opened(ConversationLog(tmp_path, LogMode.RECORD)) as tools:
        first = ask(tools, "lookup", query="kept")
    nowhere = named(command="/nowhere/at-all")
    with opened(ConversationLog(tmp_path, LogMode.REPLAY), nowhere) as again:
        assert ask(again, "lookup", query="kept") == first
        assert "did not make this call" in ask(again, "lookup", query="new")["error"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[]", "mcpServers"),
        ('{"mcpServers": {"a": 1}}', "mcpServers.a: .* object"),
        ('{"mcpServers": {"a": {"command": "x"}}}', "allow"),
        ('{"mcpServers": {"a": {"command": "x", "url": "http://y", "allow": ["t"]}}}', "either"),
        ('{"mcpServers": {"a": {"url": "file:///etc", "allow": ["t"]}}}', "not the address"),
        ('{"mcpServers": {"a": {"command": "x", "env": {"K": "${NO_KEY}"}, "allow": ["t"]}}}', "NO_KEY"),
        ("{", "Invalid JSON"),
    ],
)
def test_a_file_that_is_wrong_is_refused_with_the_reason(tmp_path: Path, content: str, said: str) -> None:
    file = tmp_path / "servers.json"
    file.write_text(content)
    with pytest.raises(SettingsError, match=said):
        read_servers(file, None, {})


def test_a_file_of_the_reviewed_repository_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "servers.json"
    file.write_text('{"mcpServers": {}}')
    with pytest.raises(SettingsError, match="reviewed repository"):
        read_servers(file, tmp_path, {})


def test_variables_of_the_environment_are_filled_in(tmp_path: Path) -> None:
    file = tmp_path / "servers.json"
    headers = {"Authorization": "Bearer ${KEY}"}
    server = {"url": "https://docs.example/mcp", "headers": headers, "allow": ["a"]}
    file.write_text(json.dumps({"mcpServers": {"docs": server}}))
    assert read_servers(file, None, {"KEY": "k"})[0].headers == {"Authorization": "Bearer k"}
