"""The certificates that the user's machine trusts: variables in, those to hand on and what to show out."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from affidavit.sandbox.inside.private_places import is_private, is_system, lies_in_a_home

VARIABLES = (
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "PIP_CERT",
    "CURL_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "GIT_SSL_CAINFO",
)
SEVERAL = "SSL_CERT_DIR"
SEEN_WITH_NETWORK = ("/etc/ssl", "/etc/pki", "/etc/ca-certificates")
NEVER = ("/proc", "/sys", "/dev")
MAX_BYTES = 8_000_000
MAX_FILES = 2_000
PUBLIC = re.compile(rb"-----BEGIN (?:(?:TRUSTED )?CERTIFICATE|X509 CRL)-----")
PRIVATE_KEY = b"PRIVATE KEY-----"


@dataclass(frozen=True)
class Certificates:
    """What is handed on of them."""

    variables: Mapping[str, str]
    mounts: tuple[Path, ...] = ()
    refused: tuple[str, ...] = ()
    """The variables that are not, each with the reason."""


def certificates(environment: Mapping[str, str]) -> Certificates:
    """Of the user's variables those that name certificates, which are public, and nothing beside them."""
    variables: dict[str, str] = {}
    mounts: dict[Path, None] = {}
    refused: list[str] = []
    for name in VARIABLES:
        value = environment.get(name, "")
        named = filter(None, value.split(os.pathsep) if name == SEVERAL else [value])
        places = [Path(os.path.abspath(part)) for part in named]  # noqa: PTH100 - a link keeps its name
        reasons = [f"{place} {reason}" for place in places if (reason := why_refused(place))]
        refused += [f"{name}: {reason}" for reason in reasons]
        if places and not reasons:
            variables[name] = os.pathsep.join(map(str, places))
            mounts |= dict.fromkeys(place for place in places if not _is_seen(place))
    return Certificates(variables, tuple(mounts), tuple(refused))


def why_refused(place: Path) -> str:
    """Why a place is not shown while an environment is made; empty where it is."""
    if any(seen.is_relative_to(folder) for seen in (place, place.resolve()) for folder in NEVER):
        return "is no file"
    if place.is_file():
        return _why_not_one(place)
    if not place.is_dir():
        return "is not there"
    if _is_seen(place):
        return ""
    if is_private(place) or lies_in_a_home(place):
        return "is a folder of a home or of settings: name one file"
    files = [*_inside(place)]
    if not files or len(files) > MAX_FILES or any(not file.is_file() or _why_not_one(file) for file in files):
        return "holds other files than certificates"
    return ""


def _inside(folder: Path) -> Iterator[Path]:
    for number, file in enumerate(sorted(folder.iterdir())):
        if number > MAX_FILES:
            return
        yield file


def _why_not_one(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            content = opened.read(MAX_BYTES + 1)
    except OSError:
        return "cannot be read"
    if not PUBLIC.search(content) or len(content) > MAX_BYTES:
        return "holds no certificate"
    return "holds a private key" if PRIVATE_KEY in content else ""


def _is_seen(place: Path) -> bool:
    """Whether programs with the network are shown it anyway."""
    return is_system(place) or any(place.is_relative_to(folder) for folder in SEEN_WITH_NETWORK)
