"""When a stage is tried again: what went wrong and how often goes in, how long to wait comes out."""

import random
from collections import Counter
from dataclasses import dataclass, field

from affidavit.errors import OutsideError
from affidavit.service.cell.channel import ChannelClosed

ATTEMPTS = 3
"""Of each stage: one that went well begins to count anew."""
FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 600.0
"""Who asks to be left alone for longer is not waited for: the review fails, and can be retried then."""


@dataclass
class Patience:
    """How often each stage of one review has failed so far."""

    failures: Counter[str] = field(default_factory=Counter)

    def pause_after(self, error: Exception, stage: str) -> float | None:
        """Seconds to wait before the stage is tried again; None: it is not."""
        self.failures[stage] += 1
        is_retryable = isinstance(error, ChannelClosed) or (
            isinstance(error, OutsideError) and error.retryable
        )
        if not is_retryable or self.failures[stage] >= ATTEMPTS:
            return None
        # Spread: reviews that were refused together should not come back together.
        pause = FIRST_PAUSE_SECONDS * 2 ** (self.failures[stage] - 1) * random.uniform(0.5, 1.5)  # noqa: S311
        asked_for = getattr(error, "retry_after_seconds", None) or 0.0
        return max(pause, asked_for) if asked_for <= LONGEST_PAUSE_SECONDS else None
