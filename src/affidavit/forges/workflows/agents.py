"""Fill in the files of `affidavit init --agent`: a plug-in for Claude Code, a skill for Codex."""

import json
from importlib.resources import files
from typing import Any, Literal, get_args

from affidavit import __version__
from affidavit.forges.workflows.writing import Written

CodingAgent = Literal["claude", "codex"]
AGENTS: tuple[CodingAgent, ...] = get_args(CodingAgent)
PLUGIN = ".claude/skills/affidavit"
"""Claude Code loads a plug-in from here when the folder is trusted."""
SKILL = ".agents/skills/affidavit"
"""Codex reads skills from here."""
_HOOK = {"type": "command", "command": 'sh "${CLAUDE_PLUGIN_ROOT}/hooks/stop.sh"', "timeout": 600}


def agent_files(agent: CodingAgent) -> list[Written]:
    """Return what one agent reads; the skill is the same for all."""
    skill = _read("agent-skill.md")
    if agent == "codex":
        advice = "the skill is $affidavit; its server: codex mcp add affidavit -- affidavit mcp"
        return [Written(f"{SKILL}/SKILL.md", skill, advice=advice)]
    about = {
        "name": "affidavit",
        "version": __version__,
        "description": "Review a change, fix what is proven, prove it again",
        "author": {"name": "Affidavit"},
        "license": "Apache-2.0",
    }
    advice = "start Claude Code here: /affidavit reviews; AFFIDAVIT_STOP_HOOK=1 makes it fix before it stops"
    return [
        Written(f"{PLUGIN}/skills/affidavit/SKILL.md", skill),
        Written(f"{PLUGIN}/commands/review.md", _read("agent-command.md")),
        Written(f"{PLUGIN}/hooks/stop.sh", _read("agent-stop.sh"), is_program=True),
        Written(f"{PLUGIN}/hooks/hooks.json", _json({"hooks": {"Stop": [{"hooks": [_HOOK]}]}})),
        Written(
            f"{PLUGIN}/.mcp.json",
            _json({"mcpServers": {"affidavit": {"command": "affidavit", "args": ["mcp"]}}}),
        ),
        Written(f"{PLUGIN}/.claude-plugin/plugin.json", _json(about), advice=advice),
    ]


def _json(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=2) + "\n"


def _read(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")
