"""Know an event again: the same event of a step that is taken twice has the same identity."""

import hashlib
import json
from collections import Counter
from typing import Any

from affidavit.events import EventName
from affidavit.store.progress import NewEvent

_CHANGING = {"timestamp", "duration_ms", "cost_usd", "input_tokens", "output_tokens", "cached_tokens"}
"""What differs from attempt to attempt; sums depend on who of several was first."""
ONCE = {str(EventName.PIPELINE_STARTED), str(EventName.PIPELINE_COMPLETED)}


class Identities:
    """Counts, in one attempt, how often each event was seen."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def event(self, name: str, data: dict[str, Any]) -> NewEvent:
        """The event with its identity: what it says, and the how-manieth time it says so."""
        same = {key: value for key, value in data.items() if key not in _CHANGING}
        text = json.dumps([name, same], sort_keys=True, ensure_ascii=True)
        self._seen[text] += 1
        number = 1 if name in ONCE else self._seen[text]
        return NewEvent(name, data, hashlib.sha256(f"{number}:{text}".encode()).hexdigest())
