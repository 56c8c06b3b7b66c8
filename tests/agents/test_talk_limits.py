"""The size of a change bounds what specialists may send, and what is cut short is a gap."""

import json
from dataclasses import replace

from bench.recorded import recorded_runs

from affidavit.agents.limits import OPENINGS, ROUNDS, SIZES, TOKENS, limits
from affidavit.records.report import Report
from model_server import calls, serving
from panelists import panelists, result, review
from repositories import Repo
from talks import a_talk


def test_a_larger_change_gets_more() -> None:
    rows = [limits(lines, a_talk()) for lines in (10, 100, 1_000)]
    assert rows == sorted(set(rows))


def test_an_experimenter_gets_more_rounds_and_a_longer_opening_more_tokens() -> None:
    talk = a_talk()
    assert limits(10, talk, runs_programs=True) > limits(10, talk)
    assert limits(1_000, talk, runs_programs=True) == limits(1_000, talk)
    longer = limits(10, replace(talk, prefix="word " * 4_000))
    assert longer[1] - limits(10, talk)[1] > OPENINGS * 3_000


def test_recorded_conversations_of_specialists_are_within_the_limits() -> None:
    for run in recorded_runs():
        if role := run.role("specialist"):
            size = sum(run.changed_lines > most for most in SIZES)
            assert role.requests / role.conversations <= ROUNDS[size]
            most = OPENINGS * role.opening_tokens + TOKENS[size]
            assert role.input_tokens / role.conversations <= most, run.change


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
    report = Report.model_validate_json(done.out)
    gap = next(one for one in report.incomplete if one.name == "logic")
    assert gap.reason.startswith(f"cut short after {ROUNDS[0]} rounds and ")
    assert gap.reason.endswith("it wanted get_file_context")
    assert done.code == 3
    told = [str(one["messages"][-1]["content"]) for one in script.requests]
    assert sum("(end of round" in text for text in told) == ROUNDS[0] - 1
