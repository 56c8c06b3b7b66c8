"""Coding agents for the tests: stand-ins, and the real command lines where they are installed."""

import os
import shutil
import sys
from pathlib import Path

import pytest

STAND_IN = Path(__file__).with_name("stand_in_agent.py")
AGENTS = ("claude", "codex")
REAL = [pytest.param(f"real {name}", id=f"real-{name}") for name in AGENTS]


def installed(folder: Path, name: str, *first_lines: str) -> str:
    """The name of an agent, as `agent:NAME` has it, whose program is now in the folder."""
    kind, _, real = name.rpartition(" ")
    place = folder / "bin" / real
    place.parent.mkdir(exist_ok=True)
    if kind:
        found = shutil.which(real)
        if found is None:
            pytest.skip(f"{real} is not installed: npm install @anthropic-ai/claude-code @openai/codex")
        place.symlink_to(found)
    else:
        lines = [f"#!{sys.executable}", *first_lines]
        place.write_text("\n".join(lines) + "\n" + STAND_IN.read_text())
        place.chmod(0o755)
    return real


def environment(folder: Path, address: str) -> dict[str, str]:
    """What a user has who is logged in at the scripted provider, with a token of a forge."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    return {
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "ANTHROPIC_API_KEY": "sk-anthropic",
        "ANTHROPIC_BASE_URL": address,
        "CODEX_API_KEY": "sk-codex",
        "OPENAI_BASE_URL": f"{address}/v1",
        "GITHUB_TOKEN": "ghp_not_for_agents",
        "AFFIDAVIT_GITLAB_TOKEN": "glpat-not-for-agents",
    }
