"""Who reads through watched tools cannot say afterwards that it read something else."""

from typing import Any

import pytest

from affidavit.agents.model_agents import WatchedTools


class Answers:
    """Tools with one answer."""

    descriptions: list[dict[str, Any]] = [{"type": "function"}]  # noqa: RUF012 - a protocol's attribute

    def __init__(self, answer: dict[str, Any]) -> None:
        self.answer = answer

    def call(self, name: str, arguments: object) -> dict[str, Any]:
        return self.answer


@pytest.mark.parametrize(
    ("answer", "read"),
    [
        ({"file_path": "a.py", "content": "1: x"}, ("a.py",)),
        (
            {"files": [{"file_path": "a.py", "lines": []}, {"file_path": "b.py", "lines": []}]},
            ("a.py", "b.py"),
        ),
        ({"references": [{"file_path": "a.py"}, {"file_path": "a.py"}]}, ("a.py",)),
        ({"files": ["a.py", "b.py"], "total_files": 2}, ()),
    ],
)
def test_the_files_of_an_answer_are_what_was_read(answer: dict[str, Any], read: tuple[str, ...]) -> None:
    tools = WatchedTools(Answers(answer))
    assert tools.call("any", {"file_path": "other.py"}) == answer
    assert [use.read for use in tools.uses] == [read]
    assert tools.descriptions == Answers.descriptions


def test_a_call_that_failed_has_read_nothing() -> None:
    tools = WatchedTools(Answers({"error": "there is no file a.py"}))
    tools.call("get_file_context", {"file_path": "a.py"})
    assert tools.uses == []


@pytest.mark.parametrize(
    ("arguments", "searched"),
    [({"paths": ["src", 3]}, ("src",)), ({"paths": "src"}, ()), ({}, ()), ("no object", ())],
)
def test_where_a_search_was_confined_is_kept(arguments: object, searched: tuple[str, ...]) -> None:
    tools = WatchedTools(Answers({"hits": 0, "files": []}))
    tools.call("search", arguments)
    assert [use.searched for use in tools.uses] == [searched]
