"""Know an event again: the same event of a step that is taken twice has the same identity."""

import hashlib
import json
from collections import Counter
from typing import Any

from affidavit.store.service.progress import NewEvent

_CHANGING = {"timestamp", "duration_ms", "cost_usd", "input_tokens", "output_tokens", "cached_tokens"}
"""What differs from attempt to attempt; sums depend on who of several was first."""


class Identities:
    """Counts, in one attempt, how often each event was seen."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def event(self, name: str, data: dict[str, Any], step: str) -> NewEvent:
        """The event with its identity: in which step it says what, and how often before.

        A step that was taken by somebody else says nothing again, so that each step counts for itself.
        """
        same = {key: value for key, value in data.items() if key not in _CHANGING}
        text = json.dumps([step, name, same], sort_keys=True, ensure_ascii=True)
        self._seen[text] += 1
        number = self._seen[text]
        return NewEvent(name, data, hashlib.sha256(f"{number}:{text}".encode()).hexdigest())
