"""A scripted model that waits in the middle of a review, so that something can happen to it there."""

import threading

from model_server import Exchange
from scripted_model import model

ROLES = {"planner": "review_plan", "reviewer": "review_result", "verifier": "verification_judgment"}


class PausingModel:
    """Answers, but lets the first request of one role wait until it is told to go on."""

    def __init__(self) -> None:
        self._act = model()
        self._role = ""
        self.reached, self._go_on = threading.Event(), threading.Event()

    def pause_at(self, role: str) -> None:
        self._role = role
        self.reached.clear()
        self._go_on.clear()

    def go_on(self) -> None:
        self._role = ""
        self._go_on.set()

    def __call__(self, exchange: Exchange) -> None:
        names = {tool["function"]["name"] for tool in exchange.body.get("tools", ())}
        is_probe = not any("get_file_context" in name for name in names)
        if self._role and ROLES[self._role] in names and not is_probe:
            self.reached.set()
            self._go_on.wait(60)
        self._act(exchange)
