"""The plug-in and the skill that `affidavit init --agent` writes, in the real agents where installed."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agent_provider import Act, CallTool, Say, provider
from agents import environment
from commands import affidavit, environment_of
from posting_flow import ALL_BUT_RUFF
from repositories import Repo

PLUGIN = ".claude/skills/affidavit"
NEEDED = "is not installed: npm install @anthropic-ai/claude-code @openai/codex"


@pytest.fixture
def folder(repo: Repo) -> Path:
    repo.commit("Begin", {"a.py": "x = 1\n"})
    for agent in ("claude", "codex"):
        assert affidavit("init", "--agent", agent, cwd=repo.path).code == 0
    repo.commit("Add the plug-in")
    return repo.path


def own(folder: Path, **more: str) -> dict[str, str]:
    """The environment of a user who has `affidavit`."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {
        **environment_of(folder.parent / "data"),
        "AFFIDAVIT_ANALYSERS_OFF": ALL_BUT_RUFF,
        **more,
        "PATH": path,
    }


def stopped(folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    command = ["sh", folder / PLUGIN / "hooks" / "stop.sh"]
    done = subprocess.run(command, cwd=folder, env=own(folder, **more), capture_output=True, check=False)
    return subprocess.CompletedProcess(command, done.returncode, done.stdout.decode(), done.stderr.decode())


def test_both_agents_get_the_same_skill(folder: Path) -> None:
    claude, codex = (
        folder / PLUGIN / "skills/affidavit/SKILL.md",
        folder / ".agents/skills/affidavit/SKILL.md",
    )
    assert claude.read_text() == codex.read_text()
    assert claude.read_text().startswith("---\nname: affidavit\ndescription: ")
    hooks = json.loads((folder / PLUGIN / "hooks/hooks.json").read_text())["hooks"]
    assert list(hooks) == ["Stop"]


def test_an_existing_plug_in_is_kept_unless_forced(folder: Path) -> None:
    assert affidavit("init", "--agent", "claude", cwd=folder).code == 2
    assert affidavit("init", "--agent", "claude", "--force", cwd=folder).code == 0


def test_the_hook_is_off_by_default_and_otherwise_asks_until_nothing_blocks(folder: Path) -> None:
    subprocess.run(
        [Path(sys.executable).with_name("shellcheck"), folder / PLUGIN / "hooks/stop.sh"], check=True
    )
    (folder / "a.py").write_text("x = undefined_name\n")
    assert (stopped(folder).returncode, stopped(folder).stderr) == (0, "")
    for _ in range(2):
        done = stopped(folder, AFFIDAVIT_STOP_HOOK="1")
        assert done.returncode == 2
        assert "1. a.py:1 (high, blocks): `undefined_name` is not defined" in done.stderr
    (folder / "a.py").write_text("x = 2\n")
    assert stopped(folder, AFFIDAVIT_STOP_HOOK="1").returncode == 0


def test_a_review_that_fails_stops_nobody_and_is_said(folder: Path) -> None:
    (folder / "a.py").write_text("x = undefined_name\n")
    done = stopped(folder, AFFIDAVIT_STOP_HOOK="1", AFFIDAVIT_FAIL_ON="nonsense")
    assert done.returncode == 0
    assert "NOT reviewed as a whole (exit code 2)" in json.loads(done.stdout)["systemMessage"]


def works(text: str, results: int) -> Act:
    """Say that it is done; fix the file once the hook has told what is wrong; use a tool of ours, too."""
    if results == 0:
        return CallTool("open_change", {}, "mcp__plugin_affidavit_affidavit__")
    if "Affidavit proved problems" not in text:
        return Say("I am done.")
    return CallTool("Bash", {"command": "echo 'x = 2' > a.py"}, "") if results == 1 else Say("Fixed.")


def test_claude_code_loads_the_plug_in_and_its_hook_asks_for_a_fix(folder: Path, tmp_path: Path) -> None:
    claude = shutil.which("claude")
    if claude is None:
        pytest.skip(f"claude {NEEDED}")
    (folder / "a.py").write_text("x = undefined_name\n")
    with provider(works) as kept:
        env = own(folder, **environment(tmp_path, kept.address), AFFIDAVIT_STOP_HOOK="1", IS_SANDBOX="1")
        trusted = {"projects": {str(folder): {"hasTrustDialogAccepted": True}}}
        (tmp_path / "home" / ".claude.json").write_text(json.dumps(trusted))
        subprocess.run([claude, "plugin", "validate", "--strict", PLUGIN], cwd=folder, env=env, check=True)
        command = [claude, "-p", "--output-format", "stream-json", "--verbose", "--allowed-tools"]
        command += ["Bash,mcp__plugin_affidavit_affidavit__open_change", "--", "/affidavit HEAD"]
        done = subprocess.run(
            command, cwd=folder, env=env, capture_output=True, stdin=subprocess.DEVNULL, check=True
        )
    events = [json.loads(line) for line in done.stdout.splitlines()]
    start = next(one for one in events if one.get("subtype") == "init")
    assert {"affidavit:review", "affidavit:affidavit"} <= set(start["slash_commands"])
    assert events[-1]["result"] == "Fixed."
    assert b"undefined_name` is not defined" in done.stdout
    assert (folder / "a.py").read_text() == "x = 2\n"


def test_codex_lists_the_skill(folder: Path, tmp_path: Path) -> None:
    codex = shutil.which("codex")
    if codex is None:
        pytest.skip(f"codex {NEEDED}")
    with provider(lambda *_: Say("done")) as kept:
        env = own(folder, **environment(tmp_path, kept.address))
        address = f'openai_base_url="{kept.address}/v1"'
        subprocess.run(
            [codex, "exec", "--json", "-c", address, "--sandbox", "read-only", "-"],
            cwd=folder,
            env=env,
            input=b"$affidavit",
            capture_output=True,
            check=True,
        )
    assert "- affidavit: Review my change with Affidavit" in json.dumps(kept.requests[0])
