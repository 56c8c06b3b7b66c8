"""Tools in few words: the same names and parameters, offered to whom they serve, answered as ever."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from shop_change import a_case

from affidavit.tools.toolbox import Toolbox
from written_readers import written_readers


@pytest.fixture
def brief(tmp_path: Path) -> Iterator[Callable[..., Toolbox]]:
    case = a_case(tmp_path)
    with case.repository:
        yield partial(Toolbox, case.repository, case.change, written_readers({}), is_brief=True)


def named(tools: Toolbox) -> dict[str, dict[str, Any]]:
    return {one["function"]["name"]: one["function"] for one in tools.descriptions}


def test_names_parameters_and_what_is_required_stay_and_there_are_fewer_words(
    toolbox: Toolbox, brief: Callable[..., Toolbox]
) -> None:
    long, short = named(toolbox), named(brief())
    assert list(short) == list(long)
    for name, one in short.items():
        assert one["parameters"]["properties"].keys() == long[name]["parameters"]["properties"].keys()
        assert one["parameters"].get("required") == long[name]["parameters"].get("required")
    for name in ("get_file_context", "get_blame"):
        assert len(json.dumps(short[name])) < 0.6 * len(json.dumps(long[name]))


def test_only_the_named_tools_are_offered_and_every_call_is_answered_as_by_the_tool_itself(
    toolbox: Toolbox, brief: Callable[..., Toolbox]
) -> None:
    few = brief({"outline"})
    assert list(named(few)) == ["outline"]
    for name, arguments in (
        ("outline", {"file_path": "shop/prices.py"}),
        ("list_files", {"pattern": "*.py"}),
    ):
        assert few.call(name, arguments) == toolbox.call(name, arguments)
