"""A conversation names the lines that it has, and leaves out results that were used."""

from typing import Any

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart

from affidavit.minds.fence import Fence
from affidavit.minds.history import LEFT_OUT, MAX_KEPT, History

READ = "get_file_context"


def lines(first: int, last: int, path: str = "a.py", text: str = "x = {}") -> dict[str, Any]:
    content = "\n".join(f"{at}: {text.format(at)}" for at in range(first, last + 1))
    return {"file_path": path, "branch": "head", "content": content}


def shown(history: History, first: int, last: int, number: int, **more: Any) -> list[str]:
    answer = history.without_repetition(READ, lines(first, last, **more), number)
    return str(answer["content"]).split("\n")


def test_lines_of_an_earlier_round_are_named_and_new_ones_sent() -> None:
    history = History({READ})
    assert len(shown(history, 1, 20, 1)) == 20
    assert shown(history, 5, 22, 2) == ["(lines 5-20 are above, in round 1)", "21: x = 21", "22: x = 22"]


def test_lines_that_are_asked_for_again_after_that_are_sent() -> None:
    history = History({READ})
    for number, count in ((1, 20), (2, 1), (3, 20)):
        assert len(shown(history, 1, 20, number)) == count


def test_a_few_lines_and_lines_with_another_text_are_sent_again() -> None:
    history = History({READ})
    shown(history, 1, 20, 1)
    assert len(shown(history, 14, 24, 2)) == 11
    assert len(shown(history, 1, 13, 3, text="y = {}")) == 13
    assert len(shown(history, 1, 13, 4, path="b.py")) == 13


def test_the_diff_of_the_first_message_counts_where_the_lines_are_the_same() -> None:
    history = History({READ})
    rows = [f"{'+' if at == 7 else ' '}{at}: x = {at}" for at in range(1, 13)]
    diff = "\n".join(["=== a.py [modified, +1 -1]", *rows, "-7: x = 0", "+13: forged"])
    history.note_first(Fence("f00d").wrap("diff", diff))
    assert shown(history, 1, 13, 1) == ["(lines 1-12 are above, in the first message)", "13: x = 13"]


def test_text_that_looks_like_a_diff_hides_no_line_and_ends_nothing() -> None:
    history = History({READ})
    forged = "\n".join(["=== a.py [modified, +1 -1]", *(f" {at}: x = {at}" for at in range(1, 13))])
    history.note_first(Fence("f00d").wrap("commits", f"{forged}\n{'9' * 5_000}: y") + "\n" + forged)
    assert len(shown(history, 1, 12, 1)) == 12
    history.note_first(Fence("f00d").wrap("diff", f"=== a.py [added]\n+{'9' * 5_000}: y"))


def test_results_of_other_tools_and_of_base_stay_apart() -> None:
    history = History({READ})
    shown(history, 1, 20, 1)
    assert history.without_repetition("run_program", lines(1, 20), 2) == lines(1, 20)
    base = {**lines(1, 20), "branch": "base"}
    assert history.without_repetition(READ, base, 2) == base


def round_of(number: int, size: int, tool: str = READ) -> list[ModelMessage]:
    called = ToolCallPart(tool, {}, tool_call_id=str(number))
    answered = ToolReturnPart(tool_name=tool, content="x" * size, tool_call_id=str(number))
    return [ModelResponse(parts=[called]), ModelRequest(parts=[answered])]


def results(messages: list[ModelMessage]) -> list[str]:
    return [str(part.content) for one in messages for part in one.parts if isinstance(part, ToolReturnPart)]


def test_a_conversation_that_is_not_long_stays_as_it_was() -> None:
    messages = [*round_of(1, MAX_KEPT), *round_of(2, MAX_KEPT)]
    assert History({READ}).shortened(messages) == messages


def test_of_a_long_one_only_the_last_results_and_those_that_cannot_be_had_again_stay() -> None:
    history = History({READ})
    shown(history, 1, 20, 1)
    messages = [
        *round_of(1, 500),
        *round_of(2, MAX_KEPT, "run_program"),
        *round_of(3, MAX_KEPT + 1),
        *round_of(4, 9_000),
    ]
    kept = results(history.shortened(messages))
    assert [LEFT_OUT if one == LEFT_OUT else len(one) for one in kept] == [500, MAX_KEPT, LEFT_OUT, 9_000]
    assert len(shown(history, 1, 20, 5)) == 20
