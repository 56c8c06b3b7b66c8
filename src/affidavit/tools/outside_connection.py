"""Talk to one MCP server within limits: a server that hangs, floods or fails loses only its answers."""

import os
import re
import threading
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TextIO, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from affidavit.errors import OutsideError, SettingsError
from affidavit.records.record import Record, first_mistake
from affidavit.system.temporary import Closing

VARIABLE = re.compile(r"\$\{(\w+)\}")


class NamedServer(Record):
    """One server: a command to start, or an address."""

    model_config = ConfigDict(extra="ignore")

    name: str = ""
    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    url: str = ""
    headers: dict[str, str] = Field(default_factory=dict)
    allow: tuple[str, ...] = ()
    """The tools that models may call, by name."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if bool(self.command) == bool(self.url):
            raise ValueError('name either a "command" or a "url"')
        if self.url and not self.url.startswith(("http://", "https://")):
            raise ValueError(f"{self.url!r} is not the address of a server")
        if not self.allow:
            raise ValueError('list the tools that models may call under "allow"; none is allowed by default')
        return self

    @property
    def place(self) -> str:
        """Return where requests go: the address or the command."""
        return self.url or " ".join([self.command, *self.args])


class _ServerFile(BaseModel):
    servers: dict[str, NamedServer] = Field(alias="mcpServers")


def read_servers(
    path: Path, reviewed: Path | None, environment: Mapping[str, str]
) -> tuple[NamedServer, ...]:
    """Read the servers of a file like `{"mcpServers": {NAME: {…, "allow": […]}}}`, as editors have it."""
    if reviewed is not None and path.resolve().is_relative_to(reviewed.resolve()):
        raise SettingsError(
            f"{path} is in the reviewed repository, and a change cannot name programs that are started for"
            " its review: keep the file elsewhere"
        )
    try:
        named = _ServerFile.model_validate_json(path.read_bytes()).servers
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}") from error
    except ValidationError as error:
        needed = '{"mcpServers": {NAME: {…}}}'
        raise SettingsError(f"{path} needs {needed}: {first_mistake(error)}") from error
    return tuple(_with_variables(path, name, server, environment) for name, server in named.items())


def _with_variables(
    path: Path, name: str, server: NamedServer, environment: Mapping[str, str]
) -> NamedServer:
    filled = {
        field: {
            key: _filled(text, f"{path}: {name}", environment) for key, text in getattr(server, field).items()
        }
        for field in ("env", "headers")
    }
    return server.model_copy(update={**filled, "name": name})


def _filled(text: str, where: str, environment: Mapping[str, str]) -> str:
    """Replace `${NAME}` by a variable of the environment, so that the file needs no secret."""

    def value(match: re.Match[str]) -> str:
        if match[1] not in environment:
            raise SettingsError(f"{where}: the environment has no {match[1]}")
        return environment[match[1]]

    return VARIABLE.sub(value, text)


Result = TypeVar("Result")
MAX_FAILURES = 3
MAX_TOOLS = 200
MAX_ANSWER = 20_000
MAX_DESCRIPTION = 4_000


@dataclass(frozen=True)
class ServerLimits:
    """How long a server may take."""

    connect_seconds: float = 20.0
    call_seconds: float = 30.0


@dataclass(frozen=True)
class OutsideTool:
    """A tool as its server described it when it was first asked."""

    server: str
    name: str
    description: str
    schema: dict[str, Any]

    @property
    def full_name(self) -> str:
        return f"{self.server}/{self.name}"


class ServerConnection(Closing):
    """A connection that is opened on first use; after some failures in a row the server is skipped."""

    def __init__(self, server: NamedServer, limits: ServerLimits | None = None) -> None:
        self.server = server
        self._limits = limits or ServerLimits()
        self._stack = ExitStack()
        self._client: Any = None
        self._portal: Any = None
        self._failures = 0
        self._lock = threading.Lock()

    def tools(self) -> list[OutsideTool]:
        """Return the tools that the user allows, as the server describes them; raise OutsideError."""
        listed = self._within(self._limits.connect_seconds, self._list)
        return [
            OutsideTool(
                self.server.name,
                one.name,
                (one.description or "")[:MAX_DESCRIPTION],
                dict(one.input_schema),
            )
            for one in listed[:MAX_TOOLS]
            if one.name in self.server.allow
        ]

    def call(self, name: str, arguments: dict[str, Any]) -> tuple[str, bool]:
        """Return what the tool answers as text, and whether that is an error; raise OutsideError."""

        async def ask() -> Any:
            return await self._client.call_tool(name, arguments)

        result = self._within(self._limits.call_seconds, ask)
        texts = [one.text for one in result.content if getattr(one, "text", None)]
        left_out = len(result.content) - len(texts)
        more = f"\n({left_out} parts that are no text were left out)" if left_out else ""
        text = "\n".join(texts)
        cut = "\n(cut here: ask for less)" if len(text) > MAX_ANSWER else ""
        return f"{text[:MAX_ANSWER]}{cut}{more}".strip() or "(nothing)", bool(result.is_error)

    async def _list(self) -> list[Any]:
        return list((await self._client.list_tools()).tools)

    def _within(self, seconds: float, work: Callable[[], Awaitable[Result]]) -> Result:
        with self._lock:
            if self._failures >= MAX_FAILURES:
                raise OutsideError(f"the server {self.server.name} failed too often and is left out")
            try:
                self._open()
                answer: Result = self._portal.call(_limited, work, seconds)
            # A misbehaving server must not fail the review.
            except Exception as error:
                self._failures += 1
                raise OutsideError(f"the server {self.server.name} failed: {_words(error)}") from error
            self._failures = 0
            return answer

    def _open(self) -> None:
        if self._client is not None:
            return
        from anyio.from_thread import start_blocking_portal  # noqa: PLC0415 - few reviews need it

        if self._portal is None:
            self._portal = self._stack.enter_context(start_blocking_portal())
        nowhere = self._stack.enter_context(Path(os.devnull).open("w"))  # noqa: SIM115 - the stack is one
        client = self._portal.call(_make_client, self.server, self._limits.connect_seconds, nowhere)
        self._client = self._stack.enter_context(self._portal.wrap_async_context_manager(client))

    def close(self) -> None:
        """End the connection, and the program that was started for it."""
        with self._lock:
            # It is no longer needed, so any failure is ignored.
            with suppress(Exception):
                self._stack.close()
            self._client = self._portal = None
            self._failures = MAX_FAILURES


async def _limited(work: Callable[[], Awaitable[Result]], seconds: float) -> Result:
    import anyio  # noqa: PLC0415 - as above

    with anyio.fail_after(seconds):
        return await work()


async def _make_client(server: NamedServer, seconds: float, nowhere: TextIO) -> Any:
    """Make a client that is not connected yet. A program gets a plain environment without our keys."""
    from mcp.client.stdio import stdio_client  # noqa: PLC0415 - heavy
    from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415 - heavy
    from mcp.shared._httpx_utils import create_mcp_http_client  # noqa: PLC0415 - heavy

    from mcp import Client, StdioServerParameters  # noqa: PLC0415 - heavy

    if server.url:
        http = create_mcp_http_client(headers=server.headers)
        return Client(streamable_http_client(server.url, http_client=http), read_timeout_seconds=seconds)
    parameters = StdioServerParameters(command=server.command, args=list(server.args), env=server.env)
    return Client(stdio_client(parameters, errlog=nowhere), read_timeout_seconds=seconds)


def _words(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    return f"{type(error).__name__}: {error}"[:300]
