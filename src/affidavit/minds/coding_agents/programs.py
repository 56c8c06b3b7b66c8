"""Know the command lines of coding agents: how each starts with our tools alone, and what it prints."""

import json
import os
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from affidavit.errors import SettingsError

SERVER = "affidavit"
PREFIX = f"mcp__{SERVER}__"
HARMLESS = frozenset(
    {"request_user_input", "update_plan", "list_mcp_resources", "list_mcp_resource_templates"}
    | {"read_mcp_resource"}
)
"""Tools of the programs that reach nothing: our server has no resources, and nobody answers questions."""
KEPT_VARIABLES = (
    *("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "TMPDIR", "USER"),
    *("HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"),
    *("NODE_EXTRA_CA_CERTS", "SSL_CERT_DIR", "SSL_CERT_FILE"),
)
TOOL_SECONDS = 3600
"""Our tools have limits of their own; the programs must not give up before."""
CATALOG_SECONDS = 30.0


class ForeignToolError(Exception):
    """The program has, or used, a tool that is not ours."""


@dataclass(frozen=True)
class Utterance:
    """A text of the model between two calls of tools."""

    text: str


@dataclass(frozen=True)
class TalkEnd:
    """The end of the conversation; without a text, what was said last is the answer."""

    text: str = ""
    failure: str = ""
    finish: Literal["stop", "length", "content_filter"] = "stop"


@dataclass(frozen=True)
class Errand:
    """One conversation, as the program is told of it."""

    folder: Path
    """Private, and outside the folder in which the program runs."""
    instructions: str
    server: str
    """The address of our tools."""
    tools: tuple[str, ...]
    model: str
    max_tokens: int
    endpoint: str = ""
    """An address that replaces the provider's, for the canary."""


class AgentProgram(ABC):
    """The command line of one coding agent."""

    name: str
    own_variables: tuple[str, ...]
    """Its variables that are kept: where it is logged in, its keys, its provider's address."""

    def __init__(self, path: str, environment: Mapping[str, str]) -> None:
        self.path = path
        self._given = environment

    @abstractmethod
    def command(self, errand: Errand) -> list[str]:
        """Write the files of a conversation, and return its command; the task goes to its input."""

    @abstractmethod
    def read(self, line: Mapping[str, Any], tools: frozenset[str]) -> Utterance | TalkEnd | None:
        """Read a line of its output; raise ForeignToolError if it shows a tool that is not ours."""

    @abstractmethod
    def own_environment(self, errand: Errand) -> dict[str, str]:
        """Return the variables that it needs beside those that are kept."""

    def environment(self, errand: Errand) -> dict[str, str]:
        """Return the environment: a short list of variables, so that no token of a forge is among them."""
        kept = (*KEPT_VARIABLES, *(() if errand.endpoint else self.own_variables))
        values = {name: self._given[name] for name in kept if self._given.get(name)}
        direct = ",".join(filter(None, (self._given.get("NO_PROXY"), "127.0.0.1")))
        return values | {"NO_PROXY": direct, "no_proxy": direct} | self.own_environment(errand)


class Claude(AgentProgram):
    """Claude Code. It reads the user's login and no settings."""

    name = "claude"
    own_variables = (
        *("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"),
        *("CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR"),
    )

    def command(self, errand: Errand) -> list[str]:
        """Write its servers and instructions; return its command."""
        servers = errand.folder / "servers.json"
        servers.write_text(json.dumps({"mcpServers": {SERVER: {"type": "http", "url": errand.server}}}))
        instructions = errand.folder / "instructions.txt"
        instructions.write_text(errand.instructions)
        allowed = ",".join(f"{PREFIX}{name}" for name in errand.tools)
        return [
            *(self.path, "--print", "--output-format", "stream-json", "--verbose"),
            *("--include-partial-messages", "--no-session-persistence", "--no-chrome"),
            *("--tools", "", "--setting-sources", "", "--disable-slash-commands"),
            *("--settings", json.dumps({"disableAllHooks": True}), "--permission-mode", "dontAsk"),
            *("--strict-mcp-config", "--mcp-config", str(servers)),
            *(("--allowed-tools", allowed) if allowed else ()),
            *(("--model", errand.model) if errand.model else ()),
            *("--system-prompt-file", str(instructions)),
        ]

    def own_environment(self, errand: Errand) -> dict[str, str]:
        """Switch off what it sends and keeps beside the conversation."""
        values = {
            "CLAUDE_CODE_DISABLE_ATTACHMENTS": "1",
            "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
            "CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(errand.max_tokens),
            "DISABLE_AUTOUPDATER": "1",
            "ENABLE_CLAUDEAI_MCP_SERVERS": "false",
            "ENABLE_TOOL_SEARCH": "false",
            # Longer results would be written to a file that it has no tool to read.
            "MAX_MCP_OUTPUT_TOKENS": "200000",
            "MCP_TOOL_TIMEOUT": str(TOOL_SECONDS * 1000),
        }
        canary = {"ANTHROPIC_API_KEY": "canary", "ANTHROPIC_BASE_URL": errand.endpoint}
        return values | (canary if errand.endpoint else {})

    def read(self, line: Mapping[str, Any], tools: frozenset[str]) -> Utterance | TalkEnd | None:
        """Read an event; the first one lists the tools of the session."""
        if line.get("type") == "system" and line.get("subtype") == "init":
            refuse_others(line.get("tools", ()), tools)
        if line.get("type") == "assistant":
            parts = line.get("message", {}).get("content", ())
            refuse_others((one.get("name") for one in parts if one.get("type") == "tool_use"), tools)
            return Utterance("".join(one.get("text", "") for one in parts if one.get("type") == "text"))
        if line.get("type") != "result":
            return None
        text = str(line.get("result") or "")
        if line.get("is_error") or line.get("subtype") != "success":
            return TalkEnd(failure=text or str(line.get("subtype")))
        finish = {"max_tokens": "length", "refusal": "content_filter"}.get(
            str(line.get("stop_reason")), "stop"
        )
        return TalkEnd(text, finish=finish)  # type: ignore[arg-type]


_CODEX_FEATURES = (
    *("apps", "browser_use", "computer_use", "enable_request_compression", "goals", "hooks"),
    *("image_generation", "plugins", "shell_snapshot", "shell_tool", "skill_search", "tool_suggest"),
    *("unified_exec", "view_image"),
)
_CODEX_OFF = (
    *("include_permissions_instructions", "include_environment_context"),
    *("include_collaboration_mode_instructions", "analytics.enabled", "agents.enabled"),
    "skills.bundled.enabled",
)
_CODEX_MODEL = {
    "apply_patch_tool_type": None,
    "experimental_supported_tools": [],
    "input_modalities": ["text"],
    "model_messages": None,
    "multi_agent_version": "disabled",
    "node_repl_disabled": True,
    "shell_type": "disabled",
    "supports_search_tool": False,
    "truncation_policy": {"mode": "tokens", "limit": 200_000},
    "tool_mode": "direct",
    "use_responses_lite": False,
}
"""What its catalog of models must say of each, or models bring tools of their own."""
_CODEX_ITEMS = ("agent_message", "error", "reasoning", "todo_list")


class Codex(AgentProgram):
    """Codex. It gets a home of its own, with nothing of the user's but the login."""

    name = "codex"
    own_variables = ("CODEX_API_KEY", "OPENAI_API_KEY")

    def command(self, errand: Errand) -> list[str]:
        """Write its home, and return its command."""
        home = errand.folder / "home"
        home.mkdir()
        login = (
            Path(self._given.get("CODEX_HOME") or Path(self._given.get("HOME", "/")) / ".codex") / "auth.json"
        )
        if login.is_file() and not errand.endpoint:
            # A link: the program renews the login, and the user's must not grow stale.
            (home / "auth.json").symlink_to(login.resolve())
        catalog = home / "models.json"
        catalog.write_text(json.dumps(self._catalog(errand)))
        (home / "config.toml").write_text(self._settings(errand, catalog))
        model = ("--model", errand.model) if errand.model else ()
        return [
            *(self.path, "exec", "--json", "--ephemeral", "--ignore-rules", "--skip-git-repo-check"),
            *("--strict-config", *model, "-"),
        ]

    def own_environment(self, errand: Errand) -> dict[str, str]:
        """Name its home, and the canary's key."""
        return {"CODEX_HOME": str(errand.folder / "home")} | (
            {"CODEX_API_KEY": "canary"} if errand.endpoint else {}
        )

    def _settings(self, errand: Errand, catalog: Path) -> str:
        address = errand.endpoint + "/v1" if errand.endpoint else self._given.get("OPENAI_BASE_URL")
        values = {
            "approval_policy": "never",
            "sandbox_mode": "read-only",
            "web_search": "disabled",
            "model_catalog_json": str(catalog),
            **({"openai_base_url": address} if address else {}),
        }
        off = [*_CODEX_OFF, *(f"features.{name}" for name in _CODEX_FEATURES)]
        server = {"url": errand.server, "default_tools_approval_mode": "approve"}
        lines = [f"{name} = {json.dumps(value)}" for name, value in values.items()]
        lines += [f"{name} = false" for name in off]
        lines += [f"mcp_servers.{SERVER}.{name} = {json.dumps(value)}" for name, value in server.items()]
        lines += [f"mcp_servers.{SERVER}.tool_timeout_sec = {TOOL_SECONDS}", "project_doc_max_bytes = 0"]
        return "\n".join(lines) + "\n"

    def _catalog(self, errand: Errand) -> Any:
        """Return its own catalog of models, with the tools that models bring along taken out."""
        command = [self.path, "debug", "models", "--bundled"]
        environment = {name: self._given[name] for name in KEPT_VARIABLES if self._given.get(name)}
        try:
            done = subprocess.run(
                command,
                cwd=errand.folder,
                env=environment | {"CODEX_HOME": str(errand.folder / "home")},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=CATALOG_SECONDS,
                check=True,
            )
            catalog = json.loads(done.stdout)
            models = [
                one | _CODEX_MODEL | {"base_instructions": errand.instructions} for one in catalog["models"]
            ]
        except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError) as error:
            raise SettingsError(
                f"agent:codex: `{' '.join(command)}` lists no models, so its tools cannot be switched off "
                f"({type(error).__name__}): install Codex 0.169 or later"
            ) from error
        return catalog | {"models": models}

    def read(self, line: Mapping[str, Any], tools: frozenset[str]) -> Utterance | TalkEnd | None:
        """Read an event; whatever it does is an item."""
        kind, item = str(line.get("type")), line.get("item") or {}
        if kind.startswith("item."):
            is_ours = item.get("type") == "mcp_tool_call" and item.get("server") == SERVER
            if not is_ours and item.get("type") not in _CODEX_ITEMS:
                raise ForeignToolError(str(item.get("type")))
            if is_ours:
                refuse_others([f"{PREFIX}{item.get('tool')}"], tools)
            is_text = kind == "item.completed" and item.get("type") == "agent_message"
            return Utterance(str(item.get("text") or "")) if is_text else None
        if kind == "turn.failed":
            return TalkEnd(failure=str((line.get("error") or {}).get("message") or "the turn failed"))
        return TalkEnd() if kind == "turn.completed" else None


PROGRAMS: Mapping[str, type[AgentProgram]] = {one.name: one for one in (Claude, Codex)}


def refuse_others(names: Any, tools: frozenset[str]) -> None:
    """Raise ForeignToolError for a tool that is neither ours nor harmless."""
    others = sorted({str(name) for name in names} - {f"{PREFIX}{one}" for one in tools} - HARMLESS)
    if others:
        raise ForeignToolError(", ".join(others)[:200])


def find_agent(model: str, environment: Mapping[str, str], reviewed: Path | None = None) -> AgentProgram:
    """Return the program of `agent:NAME/MODEL`; raise SettingsError if it is not installed."""
    name = model.partition("/")[0]
    folders = map(Path, environment.get("PATH", os.defpath).split(os.pathsep))
    # A change must bring neither the program nor what the program starts, such as `node`.
    safe = [one for one in folders if one.is_absolute() and not _leads_into(one, reviewed)]
    kept = {**environment, "PATH": os.pathsep.join(map(str, safe))}
    for place in (folder / name for folder in safe):
        if place.is_file() and os.access(place, os.X_OK) and not _leads_into(place, reviewed):
            return PROGRAMS[name](str(place), kept)
    raise SettingsError(f"agent:{name}: there is no `{name}` on PATH; install it and log in")


def _leads_into(place: Path, reviewed: Path | None) -> bool:
    """Check whether a path is, leads to or leads through a place of the reviewed repository."""
    if reviewed is None:
        return False
    inside = os.path.realpath(reviewed)
    return any(Path(os.path.realpath(one)).is_relative_to(inside) for one in (place, *place.parents))
