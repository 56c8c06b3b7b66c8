"""`affidavit review --what-leaves` prints what would be sent to whom, and sends nothing."""

from typing import Any

import pytest

from commands import Done, affidavit
from model_server import fails, says, serving
from repositories import Repo

SECRET = "AKIA" + "Z7Q2M4X9K1B8V3N6"
RULE = "=" * 78
ANSWERS = {"review_plan", "review_result", "verification_judgment"}
"""What those hand in whose talks are known before; the reporter speaks of what they have found."""


@pytest.fixture
def changed(repo: Repo) -> Repo:
    repo.commit("base", {"app.py": "import os\n", "AGENTS.md": "Write short functions.\n"})
    repo.commit(
        "Name the \x1b[31mregion",
        {
            "app.py": f'import os\nKEY = "{SECRET}"\nif KEY is "x":\n    print(undefined_name)\n'
            + "a = 1\n" * 20
        },
    )
    return repo


def review(repo: Repo, *options: str, env: dict[str, str] | None = None) -> Done:
    return affidavit("review", "HEAD", "--analysers-off", "ty", *options, cwd=repo.path, env=env)


def sections(done: Done) -> list[str]:
    return done.out.split(RULE)[1:-1]


def test_nothing_is_sent_and_no_key_is_needed(changed: Repo) -> None:
    with serving(fails(500)) as (address, script):
        done = review(changed, "--what-leaves", "--model", "tiny", "--base-url", address)
    assert (done.code, done.err, script.requests) == (0, "", [])
    assert all(f"to:      tiny at {address}" in section for section in sections(done))
    assert "role:    planner (planner)" in done.out
    assert "role:    specialist (logic" in done.out
    assert "role:    verifier (verifier)" in done.out
    assert "get_file_context" in done.out
    assert "Write short functions." in done.out


def test_the_file_of_outside_servers_is_checked_without_a_model_too(changed: Repo) -> None:
    file = changed.path.parent / "servers.json"
    asked = ("--what-leaves", "--mcp-servers", str(file))
    missing = review(changed, *asked)
    assert missing.code == 2
    assert "servers.json" in missing.err
    file.write_text('{"mcpServers": {"docs": {"command": "docs", "allow": ["find"]}}}')
    done = review(changed, *asked)
    assert done.code == 0, done.err
    assert "the tools of docs are not called" in done.out


def test_a_secret_is_shown_as_it_would_leave(changed: Repo) -> None:
    done = review(changed, "--what-leaves", "--model", "openai:gpt-4o")
    assert SECRET not in done.out
    assert "REDACTED_token_1" in done.out
    assert "secrets: 1 redacted" in done.out


def test_what_is_shown_is_what_a_review_sends(changed: Repo) -> None:
    with serving(says("no plan")) as (address, script):
        chosen = ("--model", "tiny", "--base-url", address)
        shown = review(changed, "--what-leaves", *chosen)
        assert script.requests == []
        review(changed, *chosen, "--format", "report")
    sent = [_texts(body) for body in script.requests if _tools(body) & ANSWERS]
    assert len(sent) > 1
    for text in (text for texts in sent for text in texts):
        assert text.replace("\x1b", "␛").strip() in shown.out


def _tools(body: dict[str, Any]) -> set[str]:
    return {tool["function"]["name"] for tool in body.get("tools", ())}


def _texts(body: dict[str, Any]) -> list[str]:
    texts = []
    for message in body["messages"][:2]:
        content = message["content"]
        texts += [content] if isinstance(content, str) else [part["text"] for part in content]
    return texts


def test_an_escape_sequence_of_the_change_does_not_reach_the_terminal(changed: Repo) -> None:
    done = review(changed, "--what-leaves", "--model", "openai:gpt-4o")
    assert "\x1b" not in done.out
    assert "␛[31mregion" in done.out


def test_the_verifier_is_not_asked_about_findings_of_analysers(changed: Repo) -> None:
    done = review(changed, "--what-leaves", "--model", "openai:gpt-4o")
    (judged,) = [section for section in sections(done) if "role:    verifier" in section]
    assert "answer:  verification_judgment" in judged
    assert "ruff/F821" not in judged
    estimate = review(changed, "--estimate", "--model", "openai:gpt-4o")
    assert "0 from the previous review" in estimate.out


def test_each_role_has_its_own_address(changed: Repo) -> None:
    env = {"ANTHROPIC_API_KEY": "sk-ant-not-printed"}
    options = ("--model", "openai:gpt-4o", "--verifier-model", "anthropic:claude-sonnet-4-5")
    done = review(changed, "--what-leaves", *options, env=env)
    assert "to:      openai:gpt-4o at the address of openai" in done.out
    assert "to:      anthropic:claude-sonnet-4-5 at https://api.anthropic.com" in done.out
    assert "sk-ant-not-printed" not in done.out + done.err


def test_without_a_model_nothing_leaves(changed: Repo) -> None:
    done = review(changed, "--what-leaves")
    assert (done.code, done.err) == (0, "")
    assert "nothing would leave this machine" in done.out
