"""The tokens of fixed reviews: a scripted mind makes the same calls here and in an earlier version.

`python -m bench tokens` holds whole reviews of four changes of this repository (planner, as many specialists
as the version starts, joiner, verifiers, second look, reporter), sends what models would be sent to nobody,
and counts it; the earlier version is checked out beside this one and counted by the same script.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

BEFORE = "c70713b"
"""The version that is compared with."""
BOUND = 0.5
CHANGES = {
    "84ee29c": "19 changed lines",
    "53d3e4e": "47 changed lines",
    "06322ae": "111 changed lines",
    "bcf4031": "277 changed lines",
}
HERE = Path(__file__).parent.parent

Reviews = dict[str, dict[str, list[int]]]
"""By commit and role: conversations, requests, tokens."""


def measure(source: Path) -> dict[str, Reviews]:
    """What the version whose sources these are would send, asking for nothing twice, or the same always."""
    command = [sys.executable, str(Path(__file__).parent / "scripted_review.py"), str(HERE), *CHANGES]
    environment = {**os.environ, "PYTHONPATH": str(source)}
    done = subprocess.run(command, env=environment, check=True, capture_output=True)
    found: dict[str, Reviews] = json.loads(done.stdout)
    return found


def measure_before() -> dict[str, Reviews]:
    """The same for the earlier version, whose sources are checked out for it."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "before"
        _git("worktree", "add", "-q", "--detach", str(place), BEFORE)
        try:
            return measure(place / "src")
        finally:
            _git("worktree", "remove", "--force", str(place))


def _git(*args: str) -> None:
    subprocess.run(["git", *args], cwd=HERE, check=True, capture_output=True)


def lines() -> list[str]:
    """A line for each change and each role, and one for all that is sent."""
    now, before = measure(HERE / "src"), measure_before()
    rows = [
        _line(f"a review of {size}", _all(now["needed"][commit]), _all(before["needed"][commit]))
        for commit, size in CHANGES.items()
    ]
    mine, other = _by_role(now["needed"]), _by_role(before["needed"])
    rows += [_line(f"  {role} in all of them", mine[role], other[role]) for role in mine if other[role]]
    rows.append(
        _line("all, with the same calls whatever is known", *map(_total, (now["same"], before["same"])))
    )
    rows.append(
        _line("all, nothing asked for that is known", *map(_total, (now["needed"], before["needed"])), BOUND)
    )
    return rows


def _all(review: dict[str, list[int]]) -> int:
    return sum(tokens for _, _, tokens in review.values())


def _total(reviews: Reviews) -> int:
    return sum(map(_all, reviews.values()))


def _by_role(reviews: Reviews) -> Counter[str]:
    return Counter(
        {role: sum(one[role][2] for one in reviews.values()) for role in next(iter(reviews.values()))}
    )


def _line(what: str, now: int, before: int, bound: float | None = None) -> str:
    ratio = now / before
    mark = "" if bound is None else f"   {'within' if ratio <= bound else 'OVER'} {bound:g}"
    return f"{what:<44} {now:8.0f} tok version {BEFORE} {before:8.0f} tok ratio {ratio:5.2f}{mark}"
