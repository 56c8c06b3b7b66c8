"""Bound what each role may send, by the chosen effort and the size of the change."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from affidavit.config.settings import Settings
from affidavit.minds.prices import usual_tokens
from affidavit.ports import Talk
from affidavit.records.settings_entries import EFFORTS, Effort

SMALL_LINES, MIDDLE_LINES = 50, 300
TOOLS_TOKENS = 4_000
"""Of the tools and the schema in each request."""
OTHER_TOKENS = 150_000
"""Of a planner's or verifier's talk at any effort: a verifier is never cheaper than the claims need."""


@dataclass(frozen=True)
class Level:
    """What a review does at one effort."""

    rounds: tuple[int, int, int]
    """Of a specialist: for a small, a middle-sized and a large change; an experimenter gets the next."""
    openings: int
    """How many times its first request a specialist may send, and how many tokens besides."""
    tokens: tuple[int, int, int]
    planner_rounds: int
    is_together: bool = False
    """One conversation has all lenses at any size, and there is no second look."""
    is_apart: bool = False
    """Lenses share fewer conversations, and the second look is taken at any size."""
    runs_experiments: bool = True
    has_second_verifier: bool = True


LEVELS: Mapping[Effort, Level] = {
    "quick": Level(
        (3, 4, 6),
        2,
        (8_000, 12_000, 20_000),
        1,
        is_together=True,
        runs_experiments=False,
        has_second_verifier=False,
    ),
    "normal": Level((6, 10, 14), 4, (20_000, 36_000, 60_000), 3),
    "deep": Level((12, 20, 28), 8, (60_000, 100_000, 160_000), 8, is_apart=True),
}
"""Normal leaves 15 recorded conversations of honest specialists as they were."""


def effort_of(settings: Settings, paths: Iterable[str]) -> Effort:
    """Return the effort of a review of these files; a flag or the environment decides alone."""
    if settings.origins.get("effort") in ("flag", "environment"):
        return settings.effort
    return max((settings.for_path(path).effort for path in paths), key=EFFORTS.index, default=settings.effort)


def limits(level: Level, changed_lines: int, talk: Talk, *, runs_programs: bool = False) -> tuple[int, int]:
    """Return the rounds and tokens of a specialist's talk."""
    size = sum(changed_lines > most for most in (SMALL_LINES, MIDDLE_LINES)) + runs_programs
    size = min(size, len(level.rounds) - 1)
    opening = TOOLS_TOKENS + usual_tokens(talk.instructions, talk.prefix, talk.task)
    return level.rounds[size], level.openings * opening + level.tokens[size]
