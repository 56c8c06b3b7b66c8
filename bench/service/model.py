"""A model server of fixed latency for whole reviews; it says how often it was asked."""

import json
import re
import sys
import threading
import urllib.request
from pathlib import Path
from typing import Any

from bench.slow_model import SlowModel, serve, tool_call

sys.path[:0] = [str(Path(__file__).parents[2] / "tests" / "support")]
from scripted_model import CONFIRMED, FINDING, NOTHING, PLAN, REVIEW, WORDS  # noqa: E402 - as the tests have it

FILE = re.compile(r"(app\.(?:py|txt))")


class Reviewer(SlowModel):
    """Every role of a review: reads the file, finds one problem in it, and confirms it."""

    asked = 0
    turn = threading.Lock()

    def do_GET(self) -> None:  # noqa: N802 - the library calls it so
        """How often it was asked, in all."""
        data = str(Reviewer.asked).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def reply(self, body: dict[str, Any]) -> dict[str, Any]:
        """The delta that answers a request."""
        with Reviewer.turn:
            Reviewer.asked += 1
        names = {tool["function"]["name"] for tool in body.get("tools", ())}
        told = json.dumps(body["messages"])
        found = FILE.search(told)
        file = found[1] if found else "app.txt"
        if "review_plan" in names:
            return tool_call("review_plan", PLAN)
        if not names:
            return {"content": json.dumps(WORDS)}
        if not any(message["role"] == "tool" for message in body["messages"]):
            return tool_call("get_file_context", {"file_path": file, "start_line": 1, "end_line": 5})
        if "review_result" in names:
            is_logic = "# Your task: logic" in told
            return tool_call("review_result", _about(file) if is_logic else NOTHING)
        return tool_call("verification_judgment", CONFIRMED)


def _about(file: str) -> dict[str, Any]:
    return {**REVIEW, "findings": [{**FINDING, "file": file}]}


def times_asked(address: str) -> int:
    """How often the server at an address was asked."""
    with urllib.request.urlopen(address) as answer:
        return int(answer.read())


if __name__ == "__main__":
    serve(Reviewer, float(sys.argv[-1]))
