"""A model that reads one file and then hands in what its role asks for."""

import json
import re
from typing import Any

from affidavit.contract.versions import CURRENT_PROMPT_VERSION
from model_server import Act, Exchange, calls, says

FINDING = {
    "id": "1",
    "severity": "high",
    "category": "correctness",
    "title": "The total is one too many",
    "file": "app.py",
    "line": 2,
    "message": "The sum starts at 1.",
    "verification": {
        "code_examined": "    result = 1",
        "line_range_examined": [1, 5],
        "verification_method": "read the function",
        "checked_for_handling_elsewhere": True,
        "failing_input": "total([])",
        "wrong_outcome": "1 instead of 0",
    },
}
PLAN = {
    "goal": "This change is trying to sum by hand",
    "approach": "a loop",
    "impact": "none",
    "questions": {"logic": []},
}
JOINING = "Group them by cause."
CANDIDATE = re.compile(r"\[([\w@.-]+-\d+)\] \S+:\d+-\d+ at ")
HEADINGS = {
    "# Your task: reliability": "quality",
    "# Your task: security": "security",
    "# Your task: fit with": "codebase-fit",
    "# Your task: logic": "logic",
    "# Your task: a second": "second-look",
}
"""What the tasks of the specialists begin with."""
NOTHING = {"schema_version": "1.3", "prompt_version": CURRENT_PROMPT_VERSION, "findings": []}
REVIEW = {"schema_version": "1.3", "prompt_version": CURRENT_PROMPT_VERSION, "findings": [FINDING]}
WORDS = {"summary": "It sums by hand.", "positive_notes": [], "recommendations": ["Start at 0."]}
CONFIRMED = {"judgment": "CONFIRMED", "qualified": False, "worth": "act", "reason": "app.py:2 starts at 1"}


def model(**answers: Any) -> Act:
    """A model that reads one file and then hands in what its role asks for.

    Specialists that its plan does not name, and that look all the same, find nothing.
    """
    final = {
        "review_plan": PLAN,
        "review_result": REVIEW,
        "verification_judgment": CONFIRMED,
        "review_words": WORDS,
        **answers,
    }

    def act(exchange: Exchange) -> None:
        if "tools" not in exchange.body:
            is_joining = JOINING in json.dumps(exchange.body["messages"])
            says(json.dumps(each_alone(exchange) if is_joining else final["review_words"]))(exchange)
            return
        names = {tool["function"]["name"] for tool in exchange.body["tools"]}
        (wanted,) = names & final.keys()
        has_read = any(message["role"] == "tool" for message in exchange.body["messages"])
        if not has_read and wanted != "review_plan":
            reading = {"file_path": "app.py", "start_line": 1, "end_line": 5}
            calls(("get_file_context", json.dumps(reading)))(exchange)
        elif wanted == "review_result" and _is_unplanned(exchange, final["review_plan"]):
            calls((wanted, json.dumps(NOTHING)))(exchange)
        else:
            calls((wanted, json.dumps(final[wanted])))(exchange)

    return act


def each_alone(exchange: Exchange) -> dict[str, Any]:
    """What a joiner says for whom every finding has a cause of its own."""
    told = json.dumps(exchange.body["messages"][-1])
    return {"groups": [{"cause": f"cause of {name}", "findings": [name]} for name in CANDIDATE.findall(told)]}


def all_together(exchange: Exchange) -> dict[str, Any]:
    """What a joiner says for whom all findings have one cause."""
    alone = each_alone(exchange)["groups"]
    return {
        "groups": [{"cause": "one for all", "findings": [name for one in alone for name in one["findings"]]}]
    }


def _is_unplanned(exchange: Exchange, plan: dict[str, Any]) -> bool:
    asked = json.dumps(exchange.body["messages"])
    lenses = {name for heading, name in HEADINGS.items() if heading in asked}
    return bool(lenses) and not lenses & {*plan["questions"], "second-look"}
