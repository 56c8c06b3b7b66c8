"""The servers that a user's own file names: how each is reached, and which of its tools may be called."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from affidavit.errors import SettingsError
from affidavit.records.record import Record

VARIABLE = re.compile(r"\$\{(\w+)\}")
MAX_BYTES = 1_000_000


class NamedServer(Record):
    """One server; a command that is started, or an address."""

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    url: str = ""
    headers: dict[str, str] = Field(default_factory=dict)
    allow: tuple[str, ...] = ()
    """The tools that models may call, by name. What a server says of itself proves nothing."""

    @property
    def place(self) -> str:
        """Where what is asked goes."""
        return self.url or " ".join([self.command, *self.args])


def read_servers(
    path: Path, reviewed: Path | None, environment: Mapping[str, str]
) -> tuple[NamedServer, ...]:
    """The servers of a file in the form that editors use: `{"mcpServers": {NAME: {…, "allow": […]}}}`."""
    if reviewed is not None and path.resolve().is_relative_to(reviewed.resolve()):
        raise SettingsError(
            f"{path} lies in the reviewed repository, and a change cannot name programs that are started for"
            " its review: keep the file elsewhere"
        )
    named = _content(path).get("mcpServers")
    if not isinstance(named, dict):
        raise SettingsError(f'{path}: it needs an object "mcpServers" with a server under each name')
    return tuple(_server(path, name, content, environment) for name, content in named.items())


def _content(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise SettingsError(f"{path} is too large for a list of servers")
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"{path} is not JSON: {error}") from error
    return content if isinstance(content, dict) else {}


def _server(path: Path, name: str, content: object, environment: Mapping[str, str]) -> NamedServer:
    where = f"{path}: {name}"
    if not isinstance(content, dict):
        raise SettingsError(f"{where}: a server is an object")
    known = {key: value for key, value in content.items() if key in NamedServer.model_fields}
    try:
        server = NamedServer.model_validate({**known, "name": name})
    except ValidationError as error:
        first = error.errors()[0]
        raise SettingsError(f"{where}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    if bool(server.command) == bool(server.url):
        raise SettingsError(f'{where}: name either a "command" or a "url"')
    if server.url and not server.url.startswith(("http://", "https://")):
        raise SettingsError(f"{where}: {server.url!r} is no address of a server")
    if not server.allow:
        raise SettingsError(f'{where}: list the tools that models may call under "allow"; none is by itself')
    filled = {
        field: {key: _filled(text, where, environment) for key, text in getattr(server, field).items()}
        for field in ("env", "headers")
    }
    return server.model_copy(update=filled)


def _filled(text: str, where: str, environment: Mapping[str, str]) -> str:
    """`${NAME}` from the user's environment, so that a file needs no secret in it."""

    def value(match: re.Match[str]) -> str:
        if match[1] not in environment:
            raise SettingsError(f"{where}: the environment has no {match[1]}")
        return environment[match[1]]

    return VARIABLE.sub(value, text)
