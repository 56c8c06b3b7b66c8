"""A scripted model that can be slow and can wait in the middle of a review; it notes who asked it."""

import json
import re
import threading
import time

from model_server import Exchange
from scripted_model import JOINING, model

ROLES = {
    "planner": "review_plan",
    "reviewer": "review_result",
    "verifier": "verification_judgment",
    "reporter": "",
}
"""Each role, and the tool by which it hands in what it has; a reporter has none."""
NAME = re.compile(r"(named-[\w-]+)")


class PausingModel:
    """Answers after a while, but lets the first request of one role wait until it is told to go on."""

    def __init__(self, seconds: float = 0.0) -> None:
        self._act = model()
        self._role = self._about = ""
        self._seconds = seconds
        self._calls: list[str] = []
        """The name of the change of each, which stands in its title, such as `named-3`."""
        self.reached, self._go_on = threading.Event(), threading.Event()

    def pause_at(self, role: str, about: str = "") -> None:
        """Let the next request of a role wait; of a change with these words, where another may still ask."""
        self._role, self._about = role, about
        self.reached.clear()
        self._go_on.clear()

    def go_on(self) -> None:
        self._role = ""
        self._go_on.set()

    def of(self, name: str) -> int:
        """How many calls there were of one change."""
        return self._calls.count(name)

    def __call__(self, exchange: Exchange) -> None:
        told = json.dumps(exchange.body.get("messages"))
        found = NAME.search(told)
        self._calls.append(found[1] if found else "")
        if self._role and self._about in told and _is_asked(self._role, exchange, told):
            self.reached.set()
            self._go_on.wait(60)
        time.sleep(self._seconds)
        self._act(exchange)


def _is_asked(role: str, exchange: Exchange, told: str) -> bool:
    names = {tool["function"]["name"] for tool in exchange.body.get("tools", ())}
    if role == "reporter":
        # Whoever tries whether the model answers tells it of no change.
        return not names and JOINING not in told and NAME.search(told) is not None
    return ROLES[role] in names and any("get_file_context" in name for name in names)
