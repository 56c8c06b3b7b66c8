"""Whether somebody who was let in may stay: what goes on for long asks now and then."""

import asyncio
import time
from collections.abc import Callable

from affidavit.service.access.caller import caller_with
from affidavit.service.problems import Refusal
from affidavit.store.service.access import Access

AGAIN_SECONDS = 5.0
"""So long the last answer counts, for all who came with the same token."""


class Admission:
    """Asks once for all streams of one token."""

    def __init__(self, access: Access, clock: Callable[[], float] = time.monotonic) -> None:
        self._access, self._clock = access, clock
        self._answers: dict[str, tuple[float, bool]] = {}

    async def holds(self, token: str) -> bool:
        """Whether a token is still valid; who needed none, stays."""
        if not token:
            return True
        now = self._clock()
        asked_at, answer = self._answers.get(token, (now - AGAIN_SECONDS, True))
        if answer and now - asked_at >= AGAIN_SECONDS:
            # Before the answer is there, so that the others do not ask, too.
            self._answers[token] = (now, True)
            answer = await asyncio.to_thread(self._is_known, token)
            self._forget_before(now - AGAIN_SECONDS)
            self._answers[token] = (now, answer)
        return answer

    def _is_known(self, token: str) -> bool:
        try:
            caller_with(self._access, token)
        except Refusal:
            return False
        return True

    def _forget_before(self, at: float) -> None:
        self._answers = {name: one for name, one in self._answers.items() if one[0] > at}
