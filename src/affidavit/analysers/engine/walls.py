"""Walls for a program that reads files by any path: from its command to one that sees a few folders only."""

import subprocess
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

from affidavit.analysers.engine.execution import Limits, limits_of
from affidavit.system.temporary import temporary_folder

Walls = Callable[[Sequence[str], Path, Path, Limits], list[str] | None]
"""From a command, its checkout and scratch folder and its limits to the command behind walls; None: there are
none."""
PROBE_SECONDS = 20
UNSHARE = "/usr/bin/unshare"
# A file system of its own with the system's programs, the folders that are named, and nothing else. What the
# user may not mount outside, it may in a namespace in which it is root over nothing but its own.
WALLS = """
set -e
root=$1 folder=$2 count=$3 path=$PATH
shift 3
PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t tmpfs -o mode=0755 tmpfs "$root"
show() {
    # Within a folder that is shown, the place of a mount would be made on the machine itself.
    if [ -e "$root$1" ]; then return; fi
    if [ -d "$1" ]; then mkdir -p "$root$1"; else mkdir -p "$(dirname "$root$1")"; : > "$root$1"; fi
    mount --rbind "$1" "$root$1"
}
for name in bin sbin lib lib32 lib64 libx32; do
    if [ -L "/$name" ]; then cp -P "/$name" "$root/$name"; elif [ -d "/$name" ]; then show "/$name"; fi
done
for place in /usr /nix/store /dev/null /dev/zero /dev/random /dev/urandom; do
    if [ -e "$place" ]; then show "$place"; fi
done
mkdir "$root/proc"
mount -t proc proc "$root/proc"
while [ "$count" -gt 0 ]; do show "$1"; shift; count=$((count - 1)); done
exec chroot "$root" /bin/sh -c 'cd "$0" && PATH=$1 && shift && exec "$@"' "$folder" "$path" "$@"
"""


def walled(
    command: Sequence[str], checkout: Path, scratch: Path, limits: Limits, shown: Sequence[Path] = ()
) -> list[str] | None:
    """The command behind walls, without network and with its limits; None where the system has no walls.

    It sees its own parts, or what is `shown` instead.
    """
    if not has_walls():
        return None
    program = Path(command[0]).resolve()
    seen = [*(str(place) for place in shown or parts_of(program)), str(checkout), str(scratch)]
    root = scratch / "root"
    root.mkdir(parents=True, exist_ok=True)
    return [
        *_builder(root, checkout, seen),
        *limits_of([str(program), *command[1:]], limits),
    ]


def parts_of(program: Path) -> list[Path]:
    """What a program needs of its own: its package with those that bring its parts, else its folder."""
    if (program.parent.parent / "go.env").is_file():
        return [program.parent.parent]
    package = next((folder for folder in program.parents if (folder / "package.json").is_file()), None)
    if package is None:
        return [program.parent]
    scope = package.parent / f"@{package.name}"
    parts = sorted(part.resolve() for part in scope.iterdir()) if scope.is_dir() else []
    # The folder has links to the parts where they lie elsewhere.
    return [package, *([scope] if parts else []), *(part for part in parts if part.parent != scope)]


def _builder(root: Path, folder: Path, seen: Sequence[str]) -> list[str]:
    walls = (str(root), str(folder), str(len(seen)), *seen)
    # Its own processes only: the others' entries in /proc lead to the files that they see.
    apart = ("--map-root-user", "--net", "--mount", "--pid", "--fork", "--kill-child")
    return [UNSHARE, *apart, "--", "/bin/sh", "-c", WALLS, "sh", *walls]


@lru_cache(maxsize=1)
def has_walls() -> bool:
    """Whether the system lets us build them: many containers do not."""
    with temporary_folder("walls-") as root:
        command = [*_builder(root, Path("/"), ()), "/bin/true"]
        try:
            done = subprocess.run(command, capture_output=True, check=False, timeout=PROBE_SECONDS)
        except (OSError, subprocess.TimeoutExpired):
            return False
    return done.returncode == 0
