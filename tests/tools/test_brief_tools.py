"""Tools in few words: the same names and parameters, offered to whom they serve, answered as ever."""

import json
from typing import Any

from affidavit.tools.descriptions import BriefTools
from affidavit.tools.toolbox import Toolbox


def named(tools: Toolbox | BriefTools) -> dict[str, dict[str, Any]]:
    return {one["function"]["name"]: one["function"] for one in tools.descriptions}


def test_names_parameters_and_what_is_required_stay_and_there_are_fewer_words(toolbox: Toolbox) -> None:
    long, brief = named(toolbox), named(BriefTools(toolbox))
    assert list(brief) == list(long)
    for name, one in brief.items():
        assert one["parameters"]["properties"].keys() == long[name]["parameters"]["properties"].keys()
        assert one["parameters"].get("required") == long[name]["parameters"].get("required")
    for name in ("get_file_context", "get_blame"):
        assert len(json.dumps(brief[name])) < 0.6 * len(json.dumps(long[name]))


def test_only_the_named_tools_are_offered_and_every_call_is_answered_as_by_the_tool_itself(
    toolbox: Toolbox,
) -> None:
    few = BriefTools(toolbox, {"outline"})
    assert list(named(few)) == ["outline"]
    for name, arguments in (
        ("outline", {"file_path": "shop/prices.py"}),
        ("list_files", {"pattern": "*.py"}),
    ):
        assert few.call(name, arguments) == toolbox.call(name, arguments)


def test_a_tool_that_is_not_known_here_describes_itself(toolbox: Toolbox) -> None:
    class Another(Toolbox):
        @property
        def descriptions(self) -> list[dict[str, Any]]:
            parameters = {"type": "object", "properties": {"q": {"type": "string", "description": "what"}}}
            return [{"type": "function", "function": {"name": "asked", "parameters": parameters}}]

    another = Another.__new__(Another)
    assert BriefTools(another).descriptions == another.descriptions
