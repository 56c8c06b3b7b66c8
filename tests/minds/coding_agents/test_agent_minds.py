"""A coding agent's command line as a mind: our tools alone, every exchange kept, refused with others."""

import asyncio
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from affidavit.errors import SettingsError
from affidavit.events import ignore_events
from affidavit.minds.choice import choose_model
from affidavit.minds.coding_agents.canary import TASK, CanaryProvider
from affidavit.minds.coding_agents.line import _refuse_repository
from affidavit.minds.coding_agents.programs import PROGRAMS, Errand, ForeignToolError, find_agent
from affidavit.minds.conversation_log import ConversationLog, LogMode
from affidavit.minds.ledger import Ledger, SpendingLimit
from affidavit.minds.roles import kept_open, minds_from
from affidavit.records.report import Answer
from agent_provider import Act, CallTool, Provider, Say, provider
from agents import AGENTS, REAL, environment, installed
from talks import JUDGEMENT, Shelf, a_talk

SECRET = "AKIAIOSFODNN7REALKEY"
BOTH = [*AGENTS, *REAL]


def reads_then(answer: str, reads: int = 1) -> Callable[[str, int], Act]:
    def script(_text: str, results: int) -> Act:
        return CallTool("read", {"path": "a.py"}) if results < reads else Say(answer)

    return script


def converse(
    folder: Path,
    agent: str,
    kept: Provider,
    tools: Shelf | None = None,
    *,
    ledger: Ledger | None = None,
    log: ConversationLog | None = None,
    max_turns: int = 3,
    task: str = "Judge this.",
    **environ: str,
) -> Answer:
    choice = choose_model(f"agent:{agent}", "verifier")
    known = environment(folder, kept.address) | environ
    minds = minds_from({"verifier": choice}, ledger=ledger or Ledger(), log=log, environment=known)

    async def talk() -> Answer:
        async with kept_open(minds.values()):
            return await minds["verifier"].converse(
                a_talk(tools, task=task, max_turns=max_turns), ignore_events
            )

    return asyncio.run(talk())


@pytest.mark.parametrize("name", BOTH)
def test_an_agent_reads_with_our_tools_and_answers(tmp_path: Path, name: str) -> None:
    agent, shelf = installed(tmp_path, name), Shelf({"a.py": f"key = '{SECRET}'"})
    with provider(reads_then(JUDGEMENT, reads=2)) as kept:
        answer = converse(tmp_path, agent, kept, shelf)
    assert (answer.outcome, answer.text) == ("answered", JUDGEMENT)
    assert shelf.asked == [("read", {"path": "a.py"})] * 2
    sent = json.dumps(kept.requests)
    assert "You check facts." in sent
    assert "REDACTED" in sent
    assert SECRET not in sent


@pytest.mark.parametrize("name", REAL)
def test_a_real_agent_brings_nothing_of_the_users_and_no_other_tool(tmp_path: Path, name: str) -> None:
    agent = installed(tmp_path, name)
    mark, planted = "PLANTED-WORDS", tmp_path / "planted"
    hooks = {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": f"touch {planted}"}]}]}}
    servers = {"mcpServers": {"evil": {"command": "touch", "args": [str(planted)]}}}
    for place, text in {
        "home/.claude/settings.json": json.dumps(hooks),
        "home/.claude/CLAUDE.md": mark,
        "home/.claude.json": json.dumps(servers),
        "home/.codex/config.toml": f'[mcp_servers.evil]\ncommand = "touch"\nargs = ["{planted}"]\n',
        "home/.codex/AGENTS.md": mark,
    }.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(text)
    (tmp_path / "private").write_text(mark)
    named = f"@{tmp_path / 'private'}"
    with provider(reads_then(JUDGEMENT)) as kept:
        answer = converse(tmp_path, agent, kept, Shelf({"a.py": named}), task=f"Judge {named} first.")
    assert answer.outcome == "answered"
    assert json.dumps(kept.requests[-1]).count(named) == 2
    assert mark not in json.dumps(kept.requests)
    assert not planted.exists()
    names = {one.get("name") for request in kept.requests for one in request["tools"]}
    assert names <= {
        *("mcp__affidavit__read", "mcp__affidavit__get_task", "mcp__affidavit", "request_user_input"),
        *("list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource"),
    }


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("tool", ["Bash", "shell", "WebFetch", "apply_patch", "mcp__other__read"])
def test_an_agent_with_another_tool_is_refused_before_the_first_request(
    tmp_path: Path, agent: str, tool: str
) -> None:
    installed(tmp_path, agent, f"EXTRA = [{tool!r}]")
    with provider(reads_then(JUDGEMENT)) as kept, pytest.raises(SettingsError, match=rf"refused.*{tool}"):
        converse(tmp_path, agent, kept, Shelf())
    assert kept.requests == []


def test_tools_in_namespaces_and_in_the_input_are_seen(tmp_path: Path) -> None:
    canary = CanaryProvider(tmp_path / "canary")
    nested = {"type": "namespace", "name": "functions", "tools": [{"type": "custom", "name": "exec"}]}
    client = TestClient(Starlette(routes=canary.routes))
    ours = [{"type": "namespace", "name": "mcp__affidavit", "tools": [{"name": TASK}]}]
    client.post("/v1/responses", json={"tools": ours, "input": [{"content": canary.task}]})
    assert canary.fault() == ""
    client.post("/v1/responses", json={"tools": ours, "input": [{"tools": [nested]}]})
    assert canary.fault() == "its model has other tools than ours: functions__exec"


@pytest.mark.parametrize("body", [b"\x28\xb5\x2f\xfd", b"[]", b'{"tools": 7}'])
def test_a_request_that_cannot_be_read_is_a_refusal(tmp_path: Path, body: bytes) -> None:
    canary = CanaryProvider(tmp_path / "canary")
    TestClient(Starlette(routes=canary.routes)).post("/v1/messages", content=body)
    assert canary.fault() == "its list of tools could not be read"


@pytest.mark.parametrize(
    ("agent", "event"),
    [
        ("claude", {"type": "system", "subtype": "init", "tools": ["mcp__affidavit__read", "Bash"]}),
        ("claude", {"type": "assistant", "message": {"content": [{"type": "tool_use", "name": "Read"}]}}),
        ("codex", {"type": "item.started", "item": {"type": "command_execution"}}),
        ("codex", {"type": "item.started", "item": {"type": "mcp_tool_call", "server": "other"}}),
    ],
)
def test_another_tool_in_the_output_is_seen_after_the_canary(agent: str, event: dict[str, Any]) -> None:
    with pytest.raises(ForeignToolError):
        PROGRAMS[agent]("/bin/true", {}).read(event, frozenset({"read"}))


def test_an_agent_that_uses_another_tool_later_is_ended(tmp_path: Path) -> None:
    later = "EXTRA = ['Bash'] * (os.environ['ANTHROPIC_API_KEY'] != 'canary')"
    agent = installed(tmp_path, "claude", "import os", later)
    with provider(reads_then(JUDGEMENT)) as kept:
        answer = converse(tmp_path, agent, kept, Shelf())
    assert answer.outcome == "failed"
    assert "has a tool that is not ours and was ended: Bash" in answer.detail


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_that_sends_files_named_in_a_text_is_refused(tmp_path: Path, agent: str) -> None:
    installed(tmp_path, agent, "IS_NOSY = True")
    with provider(reads_then(JUDGEMENT)) as kept, pytest.raises(SettingsError, match="only names"):
        converse(tmp_path, agent, kept, Shelf())
    assert kept.requests == []


@pytest.mark.parametrize("agent", AGENTS)
def test_no_token_of_a_forge_is_in_the_environment_of_an_agent(tmp_path: Path, agent: str) -> None:
    known = environment(tmp_path, "http://127.0.0.1:1")
    errand = Errand(tmp_path, "", "", (), "", 100)
    given = PROGRAMS[agent]("/bin/true", known).environment(errand)
    assert not any("not-for-agents" in value or "not_for_agents" in value for value in given.values())
    assert given["HOME"] == known["HOME"]


def test_the_canary_gets_no_key_and_no_login(tmp_path: Path) -> None:
    known = environment(tmp_path, "http://127.0.0.1:1")
    errand = Errand(tmp_path, "", "", (), "", 100, endpoint="http://127.0.0.1:2")
    for agent in AGENTS:
        given = PROGRAMS[agent]("/bin/true", known).environment(errand)
        assert not any(value.startswith("sk-") for value in given.values())


@pytest.mark.parametrize("agent", AGENTS)
def test_every_exchange_is_kept_and_can_be_replayed_without_the_agent(tmp_path: Path, agent: str) -> None:
    installed(tmp_path, agent)
    with provider(reads_then(JUDGEMENT)) as kept:
        first = converse(
            tmp_path, agent, kept, Shelf(), log=ConversationLog(tmp_path / "log", LogMode.RECORD)
        )
    lines = (tmp_path / "log" / "conversation.jsonl").read_text().splitlines()
    assert [len(json.loads(line)["reply"]["parts"]) for line in lines] == [1, 1]
    (tmp_path / "bin" / agent).unlink()
    log = ConversationLog(tmp_path / "log", LogMode.REPLAY)
    again = converse(tmp_path, agent, Provider(reads_then("")), Shelf(), log=log, PATH="")
    assert again == first


def test_a_resumed_conversation_goes_on_from_what_is_kept(tmp_path: Path) -> None:
    agent = installed(tmp_path, "claude")
    with provider(reads_then(JUDGEMENT)) as kept:
        converse(tmp_path, agent, kept, Shelf(), log=ConversationLog(tmp_path / "log", LogMode.RECORD))
    place = tmp_path / "log" / "conversation.jsonl"
    place.write_text(place.read_text().splitlines()[0] + "\n")
    with provider(lambda text, _: Say(JUDGEMENT if "Go on from here" in text else "{}")) as kept:
        log = ConversationLog(tmp_path / "log", LogMode.RESUME)
        answer = converse(tmp_path, agent, kept, Shelf(), log=log)
    assert (answer.text, answer.usage.requests) == (JUDGEMENT, 2)


def test_tokens_are_estimated_and_a_budget_of_tokens_holds(tmp_path: Path) -> None:
    agent = installed(tmp_path, "claude")
    with provider(reads_then(JUDGEMENT)) as kept:
        answer = converse(tmp_path, agent, kept, Shelf())
        assert answer.usage.estimated_requests == answer.usage.requests == 2
        assert answer.usage.input_tokens > 100
        stopped = converse(tmp_path, agent, kept, Shelf(), ledger=Ledger(SpendingLimit(tokens=100)))
    assert stopped.outcome == "budget_exhausted"


def test_a_budget_in_dollars_is_refused_without_a_price(tmp_path: Path) -> None:
    agent = installed(tmp_path, "claude")
    with pytest.raises(SettingsError, match="price is not known"):
        converse(tmp_path, agent, Provider(reads_then("")), ledger=Ledger(SpendingLimit(usd=1.0)))


def test_an_agent_that_only_calls_tools_is_told_to_answer_and_then_ended(tmp_path: Path) -> None:
    agent = installed(tmp_path, "codex")
    with provider(reads_then("", reads=100)) as kept:
        answer = converse(tmp_path, agent, kept, Shelf(), max_turns=2)
    assert (answer.outcome, answer.usage.requests) == ("failed", 4)
    assert "Hand in your answer now" in json.dumps(kept.requests[-1])


def test_a_program_that_ends_without_an_answer_says_its_last_words(tmp_path: Path) -> None:
    agent = installed(tmp_path, "claude", "print('unknown option --tools'); raise SystemExit(1)")
    with pytest.raises(SettingsError, match="refused: agent:claude ended.*unknown option --tools"):
        converse(tmp_path, agent, Provider(reads_then("")))


def test_a_program_that_is_not_installed_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no `codex` on PATH"):
        converse(tmp_path, "codex", Provider(reads_then("")), PATH=str(tmp_path))


@pytest.mark.parametrize("way", ["real/repo/bin", "link/repo/bin", "real/../real/repo/bin", "tools"])
def test_no_way_leads_to_an_agent_of_the_reviewed_repository(tmp_path: Path, way: str) -> None:
    repository, tools = tmp_path / "real" / "repo", tmp_path / "tools"
    repository.mkdir(parents=True)
    tools.mkdir()
    installed(repository, "claude")
    (tmp_path / "link").symlink_to("real")
    (tools / "claude").symlink_to(repository / "bin" / "claude")
    search = {"PATH": f"{tmp_path}/{way}"}
    assert find_agent("claude", search).path == f"{tmp_path}/{way}/claude"
    with pytest.raises(SettingsError, match="no `claude` on PATH"):
        find_agent("claude", search, repository)


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_starts_no_program_of_the_reviewed_repository(tmp_path: Path, agent: str) -> None:
    repository, tools, files = (tmp_path / one for one in ("repo", "tools", "files"))
    for folder, name, text in (
        (repository / "bin", "interpreter", f"#!/bin/sh\ntouch {tmp_path}/planted\n"),
        (tools, "interpreter", "#!/bin/sh\necho '{\"models\": []}'\n"),
        (tools, agent, "#!/usr/bin/env interpreter\n"),
    ):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    files.mkdir()
    search = f"{repository}/bin:bin:{tools}:/usr/bin:/bin"
    program = find_agent(agent, {"PATH": search, "HOME": str(tmp_path)}, repository)
    errand = Errand(files, "", "http://127.0.0.1:1", (), "", 100)
    command = program.command(errand)
    subprocess.run(command, cwd=repository, env=program.environment(errand), check=True)
    assert program.environment(errand)["PATH"] == f"{tools}:/usr/bin:/bin"
    assert not (tmp_path / "planted").exists()


def test_an_agent_does_not_run_inside_a_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    with pytest.raises(SettingsError, match="set TMPDIR"):
        _refuse_repository(tmp_path / "run" / "agent-1")
