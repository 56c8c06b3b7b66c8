"""A specialist that is cut short is told before, and is a gap of the report."""

import json

from affidavit.agents.limits import LEVELS
from affidavit.records.report import Report
from model_server import calls, serving
from panelists import panelists, result, review
from repositories import Repo


def test_a_specialist_that_only_reads_is_told_what_is_left_and_named_as_a_gap(repo: Repo) -> None:
    repo.commit("base", {"app.py": "def total(items):\n    return sum(items)\n"})
    repo.commit("Sum by hand", {"app.py": "def total(items):\n    return 1 + sum(items)\n"})
    others = panelists()
    read = calls(("get_file_context", '{"file_path": "app.py", "start_line": 1, "end_line": 2}'))
    forced = calls(("review_result", json.dumps(result())))

    def act(exchange):
        names = {tool["function"]["name"] for tool in exchange.body.get("tools", ())}
        if "review_result" not in names:
            others(exchange)
        else:
            (forced if isinstance(exchange.body.get("tool_choice"), dict) else read)(exchange)

    with serving(act) as (address, script):
        done = review(repo.path, address)
    rounds = LEVELS["normal"].rounds[0]
    report = Report.model_validate_json(done.out)
    gap = next(one for one in report.incomplete if one.name == "logic")
    assert gap.reason.startswith(f"cut short after {rounds} rounds and ")
    assert gap.reason.endswith("it wanted get_file_context")
    assert done.code == 3
    told = [str(one["messages"][-1]["content"]) for one in script.requests]
    assert sum("(end of round" in text for text in told) == rounds - 1
