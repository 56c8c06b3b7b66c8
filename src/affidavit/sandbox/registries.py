"""Find the package registries that the user's own tools are set up for, without credentials."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

PYPI, PYPI_FILES = "https://pypi.org/simple", "https://files.pythonhosted.org"
NPM, GO = "https://registry.npmjs.org", "https://proxy.golang.org"
SCOPE = re.compile(r"@[\w.-]+:registry")
CERTIFICATES = ("SSL_CERT_FILE", "PIP_CERT", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
SYSTEM_CERTIFICATES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
)
FURTHER = ("UV_INDEX", "UV_EXTRA_INDEX_URL", "PIP_EXTRA_INDEX_URL")
VARIABLES = (
    *("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL", *FURTHER),
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
        files = [PYPI_FILES] if PYPI in self.python else []
        parts = map(urlsplit, [*self.python, *files, *(one for _, one in self.npm), *self.go])
        return frozenset(f"{one.hostname}:{one.port or 443}" for one in parts)


def user_registries(environment: Mapping[str, str], home: Path) -> Registries:
    """Read the settings of uv, pip, npm and Go, those of the environment first."""
    config = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    named = [*map(environment.get, CERTIFICATES), *SYSTEM_CERTIFICATES]
    # `direct` and `off` are no registries.
    go = environment.get("GOPROXY") or _pairs(config / "go" / "env").get("GOPROXY", GO)
    return Registries(
        tuple(_usable(_python_indexes(environment, home, config))) or (PYPI,),
        tuple(_npm_registries(environment, home).items()),
        tuple(_usable(re.split(r"[,|]", go))) or (GO,),
        next((Path(one) for one in named if one and Path(one).is_file()), None),
    )


def without_credentials(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that name registries, for a process that may hold no key."""
    return {name: USER.sub("//", environment[name]) for name in VARIABLES if name in environment}


def _usable(addresses: Iterable[str]) -> Iterator[str]:
    """Yield each https address once, without user name and password."""
    plain = (USER.sub("//", one.strip()).rstrip("/") for one in addresses)
    yield from dict.fromkeys(one for one in plain if one.startswith("https://") and urlsplit(one).hostname)


def _python_indexes(environment: Mapping[str, str], home: Path, config: Path) -> Iterator[str]:
    uv = _uv_file(config / "uv" / "uv.toml")
    named = environment.get("PIP_CONFIG_FILE")
    places = (Path("/etc/pip.conf"), home / ".pip/pip.conf", config / "pip/pip.conf", Path(named or home))
    pip = {name: value for place in places for name, value in _pairs(place).items()}
    listed = [one for one in uv.get("index", ()) if isinstance(one, dict)]
    of_uv = next((one.get("url") for one in listed if one.get("default")), uv.get("index-url"))
    said = [*map(environment.get, ("UV_DEFAULT_INDEX", "UV_INDEX_URL")), of_uv]
    said += [environment.get("PIP_INDEX_URL"), pip.get("index-url")]
    yield next((str(one) for one in said if one), PYPI)
    for name in FURTHER:
        # uv allows a name before an index.
        yield from (one.partition("=")[2] or one for one in environment.get(name, "").split())
    yield from (str(one.get("url", "")) for one in listed)
    yield from pip.get("extra-index-url", "").split()


def _uv_file(place: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(_read(place))
    except tomllib.TOMLDecodeError:
        return {}


def _npm_registries(environment: Mapping[str, str], home: Path) -> dict[str, str]:
    user = Path(environment.get("NPM_CONFIG_USERCONFIG") or home / ".npmrc")
    places = (Path("/etc/npmrc"), Path("/usr/etc/npmrc"), Path("/usr/local/etc/npmrc"), user)
    said = {name: value for place in places for name, value in _pairs(place).items()}
    named = environment.get("npm_config_registry") or environment.get("NPM_CONFIG_REGISTRY")
    registry = next(_usable([named or said.get("registry", NPM)]), NPM)
    scopes = {name: next(_usable([value]), "") for name, value in said.items() if SCOPE.fullmatch(name)}
    return {"registry": registry, **{name: value for name, value in scopes.items() if value}}


def _pairs(place: Path) -> dict[str, str]:
    """Read a file of lines with a name, an equals sign and a value."""
    text = _read(place)
    lines = (line.partition("=") for line in text.splitlines() if not line.lstrip().startswith(("#", ";")))
    return {name.strip(): value.strip().strip("\"'") for name, sign, value in lines if sign}


def _read(place: Path) -> str:
    try:
        return place.read_text("utf-8", errors="replace")
    except OSError:
        return ""
