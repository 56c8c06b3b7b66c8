"""Whoever asks the tools about a secret, in as many turns as he likes, learns nothing of it."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from affidavit.tools.toolbox import Toolbox
from python_changes import make_case
from repositories import Repo
from written_readers import written_readers

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
TOKENS = tuple("ghp_" + "".join(ALPHABET[(7 * n + shift) % 62] for n in range(36)) for shift in (3, 20))
"""Two tokens that have no character in common at any place."""

Tools = Callable[[str], Toolbox]


@pytest.fixture
def tools(tmp_path: Path) -> Iterator[Tools]:
    with ExitStack() as closing:

        def over(token: str) -> Toolbox:
            repo = Repo(tmp_path / str(TOKENS.index(token)))
            before = {"app.py": "x = 1\n", f"keys/{token}.pem": "x\n"}
            after = {"app.py": f'import os\nTOKEN = "{token}"\nx = 1\n', "docs/a.md": f"Use {token}.\n"}
            case = make_case(repo, before, after)
            closing.enter_context(case.repository)
            return Toolbox(case.repository, case.change, written_readers({}))

        yield over


def questions() -> Iterator[tuple[str, dict[str, Any]]]:
    """Eight turns that would halve the alphabet again and again, and other ways to ask the same."""
    for turn in range(8):
        half = ALPHABET[: max(1, 62 >> (turn % 6 + 1))]
        yield "search", {"pattern": f'TOKEN = "ghp_.{{{turn * 4}}}[{half}]'}
        yield "search", {"pattern": f"ghp_.{{{turn}}}(?=[{half}])", "paths": ["docs"]}
    for token in TOKENS:
        yield "search", {"pattern": token, "literal": True}
        yield "search", {"pattern": token[:9], "literal": True, "context_lines": 2}
        yield "search", {"pattern": token, "whole_word": True}
        yield "search", {"pattern": "x", "paths": [f"keys/{token[:6]}*"]}
        yield "list_files", {"pattern": f"keys/{token[:6]}*"}
        yield "list_files", {"pattern": f"keys/{token}.pem"}
        yield "get_file_context", {"file_path": f"keys/{token}.pem", "start_line": 1, "end_line": 2}
        yield "find_references", {"symbol": token}
        yield "find_definition", {"symbol": token}
    yield "search", {"pattern": '(x+x+)+y|TOKEN = "ghp_[A-M]'}
    yield "search", {"pattern": "^(?!.*ghp_[0-9A-M]).*TOKEN"}
    yield "get_file_context", {"file_path": "app.py", "start_line": 1, "end_line": 3}
    yield "list_files", {"pattern": "**"}
    for turn in range(4):
        yield "search", {"pattern": f"ghp_.{{{turn}}}[A-M]"}
        yield "search", {"pattern": "TOKEN", "exclude": [f"keys/{TOKENS[0][:turn]}*"]}
    yield "get_commit_of_line", {"file_path": "app.py", "line_number": 1}
    yield "get_commit_of_line", {"file_path": "docs/a.md", "line_number": 1}
    yield "compare_definition", {"symbol": "TOKEN"}


def test_no_question_distinguishes_two_secrets(tools: Tools) -> None:
    one, other = (tools(token) for token in TOKENS)
    answers = [(each, _unnamed(one.call(*each)), _unnamed(other.call(*each))) for each in questions()]
    assert [(asked, first, second) for asked, first, second in answers if first != second] == []


def _unnamed(answer: dict[str, Any]) -> dict[str, Any]:
    """Without the name of a commit, which is another one for every content."""
    return {key: value for key, value in answer.items() if key != "commit_sha"}


def test_no_answer_holds_a_part_of_the_secret(tools: Tools) -> None:
    token = TOKENS[0]
    toolbox = tools(token)
    said = json.dumps([_answer_only(toolbox.call(*each)) for each in questions()])
    assert not [token[at : at + 6] for at in range(4, 34) if token[at : at + 6] in said]


def _answer_only(answer: dict[str, Any]) -> dict[str, Any]:
    """Without what was asked, which the answer repeats."""
    return {
        key: value
        for key, value in answer.items()
        if key in ("files", "content", "references", "hits", "diff")
    }


def test_what_stands_beside_the_secret_can_be_read_and_searched(tools: Tools) -> None:
    toolbox = tools(TOKENS[0])
    (found,) = toolbox.call("search", {"pattern": "TOKEN ="})["files"]
    assert found["lines"] == ['2: TOKEN = "REDACTED_token_1"']
    shown = {"file_path": "keys/REDACTED_token_0.pem", "start_line": 1, "end_line": 1}
    assert toolbox.call("get_file_context", shown)["content"] == "1: x"
