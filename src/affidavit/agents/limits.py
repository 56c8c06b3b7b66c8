"""Bound what each role may send, by the size of the change."""

from affidavit.minds.prices import usual_tokens
from affidavit.ports import Talk

SIZES = (50, 300)
"""Changed lines up to which a change is small, or middle-sized."""
ROUNDS = (6, 10, 14)
TOKENS = (20_000, 36_000, 60_000)
OPENINGS = 4
"""Of a specialist: how many times its first request it may send, besides the tokens. Recorded conversations
of honest specialists stay within that."""
TOOLS_TOKENS = 4_000
"""Of the tools and the schema in each request."""
OTHER_TOKENS = 150_000
"""Of a planner or verifier at any size: a verifier is never cheaper than the claims need."""


def limits(changed_lines: int, talk: Talk, *, runs_programs: bool = False) -> tuple[int, int]:
    """Return the rounds and tokens of a specialist's talk; an experimenter gets those of a larger change."""
    size = min(sum(changed_lines > most for most in SIZES) + runs_programs, len(SIZES))
    opening = TOOLS_TOKENS + usual_tokens(talk.instructions, talk.prefix, talk.task)
    return ROUNDS[size], OPENINGS * opening + TOKENS[size]
