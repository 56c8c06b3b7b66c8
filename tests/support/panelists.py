"""Every role of a review behind one scripted server: what each says is chosen by what it was asked."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from affidavit.contract.versions import CURRENT_PROMPT_VERSION
from commands import Done, affidavit
from model_server import Act, Exchange, calls, says
from scripted_model import JOINING, all_together, each_alone

LENS = re.compile(r"# Your task: ([\w-]+(?: [\w-]+)*)")
PLAN: dict[str, Any] = {
    "goal": "This change is trying to sum by hand",
    "approach": "a loop",
    "impact": "none",
    "questions": {"logic": []},
}
CONFIRMED: dict[str, Any] = {
    "judgment": "CONFIRMED",
    "qualified": False,
    "worth": "act",
    "reason": "app.py:2 starts at 1",
}
WORDS: dict[str, Any] = {"summary": "It sums.", "positive_notes": [], "recommendations": []}

Say = Callable[[str], Mapping[str, Any]]
"""From everything that was told to the arguments of the answer."""


def result(*findings: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "schema_version": "1.1",
        "prompt_version": CURRENT_PROMPT_VERSION,
        "findings": list(findings),
        **more,
    }


def claim(file: str, line: int, quote: str, **fields: Any) -> dict[str, Any]:
    evidence = {
        "code_examined": quote,
        "line_range_examined": [max(1, line - 2), line + 2],
        "verification_method": "read the function",
        "checked_for_handling_elsewhere": False,
        "failing_input": "total([])",
        "wrong_outcome": "1 instead of 0",
        **fields.pop("evidence", {}),
    }
    return {
        "id": f"{file}-{line}",
        "severity": "high",
        "category": "correctness",
        "title": f"The total is one too many in {file}",
        "file": file,
        "line": line,
        "message": "The sum starts at 1.",
        "verification": evidence,
        **fields,
    }


def task_in(told: str) -> str:
    """The lens that a specialist was given."""
    found = LENS.search(told)
    return found[1] if found else ""


def told_in(body: Mapping[str, Any]) -> str:
    """Everything that was said to the model in its first message."""
    content = body["messages"][1]["content"]
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


def panelists(
    specialist: Say = lambda told: result(),
    *,
    reads: Mapping[str, Any] | None = None,
    plan: Mapping[str, Any] = PLAN,
    judgement: Mapping[str, Any] = CONFIRMED,
    is_one_cause: bool = False,
) -> Act:
    """A server in all roles; a specialist reads `reads` with get_file_context first, if there is any.

    For its joiner all findings have one cause, or each its own.
    """

    def act(exchange: Exchange) -> None:
        body = exchange.body
        names = {tool["function"]["name"] for tool in body.get("tools", ())}
        has_read = any(message["role"] == "tool" for message in body["messages"])
        if "review_plan" in names:
            calls(("review_plan", json.dumps(plan)))(exchange)
        elif "review_result" in names:
            if reads and not has_read:
                calls(("get_file_context", json.dumps(reads)))(exchange)
            else:
                calls(("review_result", json.dumps(specialist(told_in(body)))))(exchange)
        elif "verification_judgment" in names:
            calls(("verification_judgment", json.dumps(judgement)))(exchange)
        elif JOINING in json.dumps(body["messages"]):
            says(json.dumps((all_together if is_one_cause else each_alone)(exchange)))(exchange)
        else:
            says(json.dumps(WORDS))(exchange)

    return act


def review(folder: Path, address: str, *options: str | Path, stdin: bytes = b"") -> Done:
    chosen = ("--model", "scripted", "--base-url", address, "--format", "report")
    quiet = ("--analysers-off", "ty,kingfisher")
    return affidavit("review", "HEAD", *chosen, *quiet, *options, cwd=folder, stdin=stdin)
