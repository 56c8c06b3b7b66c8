"""Which folders are shown to no program: a place in, whether it is or holds a home or settings out."""

import os
import pwd
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from affidavit.errors import SettingsError

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


SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store")
PRIVATE_PLACES = ("/etc", "/var", "/run", "/proc", "/sys", "/dev", "/boot")
PRIVATE_NAMES = (".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".config", ".netrc", ".git")
HOMES = (Path("/home"), Path("/Users"))
"""Where the homes of people lie, also of those whom the machine's list of users does not name."""
ROOT = Path("/root")
INTERPRETERS_IN_A_HOME = (
    ".local/share/uv/python",
    ".pyenv/versions",
    ".conda/envs",
    *(
        name
        for conda in ("miniconda3", "anaconda3", "miniforge3", "mambaforge")
        for name in (conda, f".{conda}")
    ),
)


def is_private(place: Path, reviewed: Path | None = None) -> bool:
    """Whether to show this folder would show what is somebody's own, or the repository with its history."""
    for seen in (place, place.resolve()):
        if seen.parent in HOMES or any(_holds(seen, own) for own in (*homes(), *HOMES, ROOT, Path("/"))):
            return True
        if any(seen.is_relative_to(folder) for folder in PRIVATE_PLACES):
            return True
        if any(part in PRIVATE_NAMES for part in seen.parts):
            return True
        if reviewed is not None and _holds(seen, reviewed.resolve()):
            return True
    return False


def lies_in_a_home(place: Path) -> bool:
    """Whether a file or folder is, or lies in, somebody's home."""
    return any(
        seen.is_relative_to(home) for seen in (place, place.resolve()) for home in (*homes(), *HOMES, ROOT)
    )


def homes() -> Iterator[Path]:
    """The user's home and the homes of all others."""
    yield from _own_homes()
    yield from _listed()


def _own_homes() -> Iterator[Path]:
    """The user's home, as the environment says and as the machine knows it."""
    own = [Path.home()]
    with suppress(KeyError):
        own.append(Path(pwd.getpwuid(os.getuid()).pw_dir))
    for home in own:
        yield from (home, home.resolve())


def interpreter_folders() -> list[Path]:
    """Return where uv, pyenv and conda keep interpreters in the user's home."""
    return [home / name for home in _own_homes() for name in INTERPRETERS_IN_A_HOME]


@cache
def _listed() -> tuple[Path, ...]:
    return tuple(homes_among(user.pw_dir for user in pwd.getpwall()))


def homes_among(folders: Iterable[str]) -> Iterator[Path]:
    """Of the folders in a list of users those that are homes: services have folders of the system."""
    for folder in dict.fromkeys(map(Path, folders)):
        if folder.is_absolute() and folder != Path("/") and not is_system(folder):
            yield folder


def is_system(place: Path) -> bool:
    """Whether it lies among the programs and libraries of the system, which all programs see."""
    return any(place.is_relative_to(folder) for folder in SYSTEM)


def _holds(folder: Path, place: Path) -> bool:
    """Whether a place is the folder, or lies in it."""
    return place.is_relative_to(folder)


def refuse_private(place: Path, reviewed: Path | None = None) -> None:
    """Raise where programs would see more than an environment."""
    if is_private(place, reviewed):
        raise SettingsError(
            f"{place} is not shown to programs: it is, or holds, a home, the repository, or settings of the "
            "machine; name the folder of the environment itself"
        )
