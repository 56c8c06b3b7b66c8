"""Find the package registries that the user's own tools are set up for, without credentials."""

import configparser
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

PYPI, PYPI_FILES = "https://pypi.org/simple", "https://files.pythonhosted.org"
NPM = "https://registry.npmjs.org/"
GO = "https://proxy.golang.org"
SCOPE = re.compile(r"@[\w.-]+:registry")
CERTIFICATES = ("SSL_CERT_FILE", "PIP_CERT", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
SYSTEM_CERTIFICATES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
)


VARIABLES = (
    *(
        "UV_DEFAULT_INDEX",
        "UV_INDEX_URL",
        "UV_INDEX",
        "UV_EXTRA_INDEX_URL",
        "PIP_INDEX_URL",
        "PIP_EXTRA_INDEX_URL",
    ),
    *("npm_config_registry", "NPM_CONFIG_REGISTRY", "GOPROXY"),
)
USER = re.compile(r"//[^/@\s]*@")


@dataclass(frozen=True)
class Registries:
    """Addresses of registries, reached by https, and the certificates that prove who they are."""

    python: tuple[str, ...] = (PYPI,)
    """The default index first."""
    npm: tuple[tuple[str, str], ...] = (("registry", NPM),)
    """Settings of npm; those of scopes are named `@scope:registry`."""
    go: tuple[str, ...] = (GO,)
    certificates: Path | None = None

    @property
    def hosts(self) -> frozenset[str]:
        """Return what may be reached, as `host:port`."""
        addresses = [*self.python, *(one for _, one in self.npm), *self.go]
        addresses += [PYPI_FILES] if PYPI in self.python else []
        parts = map(urlsplit, addresses)
        return frozenset(f"{one.hostname}:{one.port or 443}" for one in parts)


def user_registries(environment: Mapping[str, str], home: Path) -> Registries:
    """Read the settings of uv, pip, npm and Go, those of the environment first."""
    return Registries(
        tuple(_usable(_python_indexes(environment, home))) or (PYPI,),
        tuple(_npm_registries(environment, home).items()),
        tuple(_usable(_go_proxies(environment, home))) or (GO,),
        _certificates(environment),
    )


def without_credentials(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that name registries, for a process that may hold no key."""
    return {name: USER.sub("//", environment[name]) for name in VARIABLES if name in environment}


def _usable(addresses: Iterable[str]) -> Iterator[str]:
    """Yield each https address once, without user name and password."""
    seen = set()
    for address in addresses:
        parts = urlsplit(address.strip())
        if parts.scheme != "https" or not parts.hostname:
            continue
        plain = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl().rstrip("/")
        if plain not in seen:
            seen.add(plain)
            yield plain


def _python_indexes(environment: Mapping[str, str], home: Path) -> Iterator[str]:
    uv, pip = _uv_file(environment, home), _pip_files(environment, home)
    listed = [one for one in uv.get("index", ()) if isinstance(one, dict)]
    default = next((one.get("url") for one in listed if one.get("default")), None)
    names = ("UV_DEFAULT_INDEX", "UV_INDEX_URL")
    yield next(
        (
            str(one)
            for one in (
                *map(environment.get, names),
                default or uv.get("index-url"),
                environment.get("PIP_INDEX_URL") or pip.get("index-url"),
            )
            if one
        ),
        PYPI,
    )
    for name in ("UV_INDEX", "UV_EXTRA_INDEX_URL", "PIP_EXTRA_INDEX_URL"):
        # uv allows a name before an index.
        yield from (one.partition("=")[2] or one for one in environment.get(name, "").split())
    yield from (str(one.get("url", "")) for one in listed)
    yield from pip.get("extra-index-url", "").split()


def _uv_file(environment: Mapping[str, str], home: Path) -> Mapping[str, Any]:
    place = Path(environment.get("XDG_CONFIG_HOME") or home / ".config") / "uv" / "uv.toml"
    try:
        return tomllib.loads(_read(place))
    except tomllib.TOMLDecodeError:
        return {}


def _pip_files(environment: Mapping[str, str], home: Path) -> Mapping[str, str]:
    own = Path(environment.get("XDG_CONFIG_HOME") or home / ".config") / "pip" / "pip.conf"
    places = [Path("/etc/pip.conf"), home / ".pip" / "pip.conf", own]
    named = environment.get("PIP_CONFIG_FILE")
    parser = configparser.RawConfigParser()
    for place in [*places, *([Path(named)] if named else [])]:
        try:
            parser.read_string(_read(place))
        except configparser.Error:
            continue
    return dict(parser["global"]) if parser.has_section("global") else {}


def _npm_registries(environment: Mapping[str, str], home: Path) -> dict[str, str]:
    said: dict[str, str] = {}
    user = Path(environment.get("NPM_CONFIG_USERCONFIG") or home / ".npmrc")
    for place in (Path("/etc/npmrc"), Path("/usr/etc/npmrc"), Path("/usr/local/etc/npmrc"), user):
        said |= _pairs(_read(place))
    named = environment.get("npm_config_registry") or environment.get("NPM_CONFIG_REGISTRY")
    said |= {"registry": named} if named else {}
    found = {name: next(_usable([value]), "") for name, value in said.items()}
    scopes = {name: value for name, value in found.items() if SCOPE.fullmatch(name) and value}
    return {"registry": found.get("registry") or NPM, **scopes}


def _go_proxies(environment: Mapping[str, str], home: Path) -> list[str]:
    kept = _pairs(_read(Path(environment.get("XDG_CONFIG_HOME") or home / ".config") / "go" / "env"))
    # `direct` and `off` are no registries.
    return re.split(r"[,|]", environment.get("GOPROXY") or kept.get("GOPROXY", GO))


def _pairs(text: str) -> dict[str, str]:
    lines = (line.partition("=") for line in text.splitlines() if not line.lstrip().startswith(("#", ";")))
    return {name.strip(): value.strip().strip("\"'") for name, sign, value in lines if sign}


def _certificates(environment: Mapping[str, str]) -> Path | None:
    named = [*map(environment.get, CERTIFICATES), *SYSTEM_CERTIFICATES]
    return next((Path(one) for one in named if one and Path(one).is_file()), None)


def _read(place: Path) -> str:
    try:
        return place.read_text("utf-8", errors="replace")
    except OSError:
        return ""
