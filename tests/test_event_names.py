"""How events name what was done: in the words of the contract."""

import json

import pytest

from affidavit.events import finding_detected, tool_called
from affidavit.records.finding import Severity
from reports import a_candidate, a_finding


@pytest.mark.parametrize("name", ["run_program", "run_tests"])
def test_what_runs_code_is_one_tool_with_actions(name: str) -> None:
    assert tool_called(name, {"program": "print(1)"}) == {"tool": "code_interpreter", "action": name}


@pytest.mark.parametrize(
    "passed", [json.dumps({"query": "CVE-2026-1"}), {"query": "CVE-2026-1"}, '{"q": "CVE-2026-1"}']
)
def test_a_search_of_an_outside_server_is_a_web_search(passed: object) -> None:
    called = tool_called("call_outside_tool", {"tool": "brave/web_search", "arguments": passed})
    assert called == {"tool": "web_search", "query": "CVE-2026-1"}


@pytest.mark.parametrize(
    "arguments",
    [
        {"tool": "tracker/get_issue", "arguments": '{"query": "x"}'},
        {"tool": "docs/search", "arguments": "no json"},
        {"tool": "docs/search", "arguments": "[" * 100_000},
        {"tool": "docs/search", "arguments": '{"query": 1}'},
        "no object",
        None,
    ],
)
def test_any_other_call_keeps_its_name(arguments: object) -> None:
    assert tool_called("call_outside_tool", arguments) == {"tool": "call_outside_tool"}
    assert tool_called("get_file_context", {"file_path": "a"}) == {"tool": "get_file_context"}


def test_a_finding_is_told_of_with_the_severity_of_the_contract_and_its_own() -> None:
    candidate = a_candidate(finding=a_finding(severity=Severity.MEDIUM))
    told = finding_detected(candidate, "warning").data
    assert (told["severity"], told["finding_severity"]) == ("warning", "medium")
