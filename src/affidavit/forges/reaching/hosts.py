"""Which forges may be asked: two that everybody knows, and those that the user's own side names.

A repository under review never names one: its files are somebody else's.
"""

import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from affidavit.errors import SettingsError
from affidavit.records.record import Record

ForgeKind = Literal["github", "gitlab"]
KINDS: tuple[ForgeKind, ...] = ("github", "gitlab")
FILE_NAME = "forges.toml"
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Host(Record):
    """One installation of a forge. Addresses have no slash at their end."""

    kind: ForgeKind
    web: str
    """Where people look at it: https://github.com."""
    api: str
    """Where programs ask: https://api.github.com."""

    @property
    def name(self) -> str:
        """Host, and port where it has one of its own."""
        return urlsplit(self.web).netloc

    @property
    def origins(self) -> frozenset[str]:
        """What requests to this forge may begin with; nothing that it answers leads elsewhere."""
        return frozenset(origin_of(address) for address in (self.web, self.api))


GITHUB = Host(kind="github", web="https://github.com", api="https://api.github.com")
GITLAB = Host(kind="gitlab", web="https://gitlab.com", api="https://gitlab.com/api/v4")


def origin_of(address: str) -> str:
    """Scheme, host and port of an address."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.lower()}"


def known_hosts(environment: Mapping[str, str] = os.environ) -> tuple[Host, ...]:
    """The forges that may be asked, those that the user named first."""
    by_name: dict[str, Host] = {}
    for host in (*named_hosts(environment), GITHUB, GITLAB):
        by_name.setdefault(host.name, host)
    return tuple(by_name.values())


def named_hosts(environment: Mapping[str, str] = os.environ) -> tuple[Host, ...]:
    """The forges that the user's own side names."""
    return (*_from_variables(environment), *_from_builds(environment), *_from_file(environment))


def described(kind: ForgeKind, web: str, api: str | None, where: str) -> Host:
    """A forge at an address; raises SettingsError where it is none."""
    return Host(kind=kind, web=_address(web, where), api=_address(api or _api_of(kind, web), where))


def _api_of(kind: ForgeKind, web: str) -> str:
    if kind == "gitlab":
        return f"{web.rstrip('/')}/api/v4"
    return GITHUB.api if web.rstrip("/") == GITHUB.web else f"{web.rstrip('/')}/api/v3"


def _address(text: str, where: str) -> str:
    address = text.strip().rstrip("/")
    parts = urlsplit(address)
    is_private = parts.scheme == "http" and parts.hostname in LOOPBACK
    if not parts.hostname or (parts.scheme != "https" and not is_private):
        raise SettingsError(
            f"{where}: {text!r} is not the address of a forge, such as https://git.example.org"
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise SettingsError(f"{where}: {parts.hostname}: name the address alone; tokens are given apart")
    return address


def _from_variables(environment: Mapping[str, str]) -> Iterator[Host]:
    """AFFIDAVIT_GITHUB_HOSTS and AFFIDAVIT_GITLAB_HOSTS: addresses or names, separated by commas."""
    for kind in KINDS:
        variable = f"AFFIDAVIT_{kind.upper()}_HOSTS"
        for text in environment.get(variable, "").split(","):
            if text.strip():
                yield described(kind, _with_scheme(text.strip()), None, variable)


def _with_scheme(text: str) -> str:
    return text if "://" in text else f"https://{text}"


def _from_builds(environment: Mapping[str, str]) -> Iterator[Host]:
    """What the machine of a build says about the forge that started it."""
    if environment.get("GITHUB_ACTIONS") and environment.get("GITHUB_SERVER_URL"):
        yield described(
            "github", environment["GITHUB_SERVER_URL"], environment.get("GITHUB_API_URL"), "GITHUB_SERVER_URL"
        )
    if environment.get("GITLAB_CI") and environment.get("CI_SERVER_URL"):
        yield described(
            "gitlab", environment["CI_SERVER_URL"], environment.get("CI_API_V4_URL"), "CI_SERVER_URL"
        )


def config_folder(environment: Mapping[str, str]) -> Path:
    """Where the user's own configuration lies."""
    folder = environment.get("XDG_CONFIG_HOME")
    return (Path(folder) if folder and Path(folder).is_absolute() else Path.home() / ".config") / "affidavit"


def _from_file(environment: Mapping[str, str]) -> Iterator[Host]:
    """`forges.toml` of the user's configuration: tables `[[forge]]` with kind, url and, where odd, api."""
    file = config_folder(environment) / FILE_NAME
    try:
        content = tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{file}: {error}") from error
    entries = content.get("forge", [])
    if not isinstance(entries, list):
        raise SettingsError(f"{file}: `forge` must be a list of tables: [[forge]]")
    for number, entry in enumerate(entries, start=1):
        yield _entry(entry, f"{file}: forge {number}")


def _entry(entry: Any, where: str) -> Host:
    kind, url = (entry.get("kind"), entry.get("url")) if isinstance(entry, dict) else (None, None)
    if kind not in KINDS or not isinstance(url, str):
        raise SettingsError(f'{where}: needs `kind` ("github" or "gitlab") and `url`')
    api = entry.get("api")
    if api is not None and not isinstance(api, str):
        raise SettingsError(f"{where}: `api` must be an address")
    return described(kind, url, api, where)
