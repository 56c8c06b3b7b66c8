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
NOBODY = "https://refused.invalid"
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
PLAIN = ("UV_NO_INDEX", "PIP_NO_INDEX", "GOPRIVATE", "GONOPROXY")
YES = {"1", "true", "t", "yes", "y", "on"}
ADDRESS = re.compile(
    # uv allows a name before an index; an @ after the host may end a password.
    r"\s*(?:[\w.-]+=)?https://(?:[^/?#\s]*@)?([\w.-]+(?::(\d{1,5}))?(?:/[^@?#\s]*)?)\s*",
    re.ASCII,
)


@dataclass(frozen=True)
class Registries:
    """Addresses of registries, reached by https, and the certificates that prove who they are."""

    python: tuple[str, ...] = (PYPI,)
    """The default index first; without any, the user's settings name none that can be asked."""
    npm: tuple[tuple[str, str], ...] = (("registry", NPM),)
    """Settings of npm; those of scopes are named `@scope:registry`.

    NOBODY marks a registry that cannot be used.
    """
    go: tuple[str, ...] = (GO,)
    certificates: Path | None = None
    go_private: str = ""
    """Patterns of modules that no proxy may be asked for."""

    @property
    def hosts(self) -> frozenset[str]:
        """Return what may be reached, as `host:port`."""
        files = [PYPI_FILES] if PYPI in self.python else []
        asked = {*self.python, *files, *(one for _, one in self.npm), *self.go} - {NOBODY}
        return frozenset(f"{one.hostname}:{one.port or 443}" for one in map(urlsplit, asked))

    def serves(self, language: str) -> bool:
        """Check whether any registry of a language may be asked."""
        npm = {*dict(self.npm).values()} - {NOBODY}
        return bool({"python": self.python, "node": npm, "go": self.go}[language])


def user_registries(environment: Mapping[str, str], home: Path) -> Registries:
    """Read the settings of uv, pip, npm and Go, those of the environment first."""
    config = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    named = [*map(environment.get, CERTIFICATES), *SYSTEM_CERTIFICATES]
    said = {name: value for name, value in environment.items() if name.startswith("GO") and value}
    go = _pairs(config / "go" / "env") | said
    return Registries(
        tuple(_usable(_python_indexes(environment, home, config))),
        tuple(_npm_registries(environment, home).items()),
        # `direct` and `off` are no registries.
        tuple(_usable(re.split(r"[,|]", go.get("GOPROXY") or GO))),
        next((Path(one) for one in named if one and Path(one).is_file()), None),
        go.get("GONOPROXY") or go.get("GOPRIVATE", ""),
    )


def without_credentials(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that name registries, for a process that may hold no key."""
    # What cannot be used still says that the public registries are not asked.
    cut = {
        name: re.sub(r"[^\s,|]+", lambda one: next(_usable([one[0]]), "off"), environment[name])
        for name in VARIABLES
        if name in environment
    }
    return cut | {name: environment[name] for name in PLAIN if name in environment}


def _usable(addresses: Iterable[str]) -> Iterator[str]:
    """Yield each https address once, without user name and password."""
    found = filter(None, map(ADDRESS.fullmatch, addresses))
    yield from dict.fromkeys(f"https://{one[1].rstrip('/')}" for one in found if int(one[2] or 0) < 65536)


def _python_indexes(environment: Mapping[str, str], home: Path, config: Path) -> Iterator[str]:
    uv = _uv_file(config / "uv" / "uv.toml")
    named = environment.get("PIP_CONFIG_FILE")
    places = (Path("/etc/pip.conf"), home / ".pip/pip.conf", config / "pip/pip.conf", Path(named or home))
    pip = {name.lower().replace("_", "-"): value for place in places for name, value in _pairs(place).items()}
    without = [*map(environment.get, PLAIN[:2]), uv.get("no-index"), pip.get("no-index")]
    if any(str(one).lower() in YES for one in without):
        return
    listed = [one for one in uv.get("index", ()) if isinstance(one, dict)]
    of_uv = next((one.get("url") for one in listed if one.get("default")), uv.get("index-url"))
    said = [*map(environment.get, ("UV_DEFAULT_INDEX", "UV_INDEX_URL")), of_uv]
    said += [environment.get("PIP_INDEX_URL"), pip.get("index-url")]
    yield next((str(one) for one in said if one), PYPI)
    for name in FURTHER:
        yield from environment.get(name, "").split()
    yield from (str(one.get("url", "")) for one in listed)
    yield from pip.get("extra-index-url", "").split()


def _uv_file(place: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(_read(place))
    except tomllib.TOMLDecodeError:
        # What it says is not known, so nobody is asked.
        return {"no-index": True}


def _npm_registries(environment: Mapping[str, str], home: Path) -> dict[str, str]:
    user = Path(environment.get("NPM_CONFIG_USERCONFIG") or home / ".npmrc")
    places = (Path("/etc/npmrc"), Path("/usr/etc/npmrc"), Path("/usr/local/etc/npmrc"), user)
    said = {name: value for place in places for name, value in _pairs(place).items()}
    named = environment.get("npm_config_registry") or environment.get("NPM_CONFIG_REGISTRY")
    scopes = {name: value for name, value in said.items() if SCOPE.fullmatch(name)}
    asked = {"registry": named or said.get("registry") or NPM, **scopes}
    return {name: next(_usable([value]), NOBODY) for name, value in asked.items()}


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
