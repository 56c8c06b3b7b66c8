"""Decide which folders programs must not see: homes, settings of the machine, the repository."""

import os
import pwd
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from affidavit.errors import SettingsError

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store")
PRIVATE_PLACES = ("/etc", "/var", "/run", "/proc", "/sys", "/dev", "/boot")
PRIVATE_NAMES = frozenset(
    (".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".config", ".netrc", ".git")
)
HOMES = (Path("/home"), Path("/Users"))
"""Folders of homes, also of unlisted users."""
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
    """Check whether a folder is, holds or is in a home, settings or the repository."""
    own = [*homes(), *HOMES, ROOT, Path("/"), *([reviewed.resolve()] if reviewed else [])]
    return any(
        seen.parent in HOMES
        or any(one.is_relative_to(seen) for one in own)
        or any(seen.is_relative_to(folder) for folder in PRIVATE_PLACES)
        or not PRIVATE_NAMES.isdisjoint(seen.parts)
        for seen in (place, place.resolve())
    )


def lies_in_a_home(place: Path) -> bool:
    return any(
        seen.is_relative_to(home) for seen in (place, place.resolve()) for home in (*homes(), *HOMES, ROOT)
    )


def homes() -> Iterator[Path]:
    """Yield the user's home and the homes of all others."""
    yield from own_homes()
    yield from _listed()


def own_homes() -> Iterator[Path]:
    """Yield the user's home by the environment and by the list of users."""
    own = [Path.home()]
    with suppress(KeyError):
        own.append(Path(pwd.getpwuid(os.getuid()).pw_dir))
    for home in own:
        yield from (home, home.resolve())


def interpreter_folders() -> list[Path]:
    """Return where uv, pyenv and conda keep interpreters in the user's home."""
    return [home / name for home in own_homes() for name in INTERPRETERS_IN_A_HOME]


@cache
def _listed() -> tuple[Path, ...]:
    return tuple(homes_among(user.pw_dir for user in pwd.getpwall()))


def homes_among(folders: Iterable[str]) -> Iterator[Path]:
    """Yield the homes in a list of users; services have folders of the system instead."""
    for folder in dict.fromkeys(map(Path, folders)):
        if folder.is_absolute() and folder != Path("/") and not is_system(folder):
            yield folder


def is_system(place: Path) -> bool:
    """Check whether a place is among the programs and libraries of the system."""
    return any(place.is_relative_to(folder) for folder in SYSTEM)


def refuse_private(place: Path, reviewed: Path | None = None) -> None:
    """Raise if programs would see more than an environment."""
    if is_private(place, reviewed):
        raise SettingsError(
            f"{place} is not shown to programs: it is, or holds, a home, the repository, or settings of the "
            "machine; name the folder of the environment itself"
        )
