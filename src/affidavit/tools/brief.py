"""Tools as models are told of them: every request carries the descriptions, so they are few words each."""

from collections.abc import Collection, Mapping
from typing import Any

from affidavit.ports import ToolSource
from affidavit.tools.descriptions import BRANCH
from affidavit.tools.sides import Answer

SYMBOL = "name or Class.name"
PURPOSES: Mapping[str, str] = {
    "get_file_context": "Lines of a file, numbered.",
    "get_blame": "Who last changed a line, when, in which commit.",
    "search": "Search all files, like grep: matching lines by file, and the total. Translations and binary "
    "files only where paths name them.",
    "list_files": "Paths that match a glob.",
    "find_references": "Where a symbol is used, and how sure that is.",
    "find_definition": "Where a symbol is defined, with its code.",
    "outline": "What a file defines: line ranges and signatures.",
    "compare_definition": "The diff of one definition between base and head.",
    "get_commit_of_line": "The commit that last changed a line: its message, its diff near the line.",
    "lint_check": "What linters say about a file; silence proves nothing.",
    "type_check": "What the type checker says about a file; silence proves nothing.",
}
NOTES: Mapping[str, Mapping[str, str]] = {
    "search": {
        "pattern": "Perl regular expression within a line, RE2 with multiline; (?i) ignores case",
        "paths": "files, folders, globs",
        "context_lines": "around each match, at most 5",
        "skip": "results to leave out, to read on",
    },
    "list_files": {"pattern": "** crosses folders; {a,b} are alternatives; no slash: in any folder"},
    "find_references": {"symbol": SYMBOL, "file_path": "that defines it"},
    "find_definition": {"symbol": SYMBOL, "file_path": "that uses it", "line_number": "of that use"},
    "compare_definition": {"symbol": SYMBOL, "file_path": "that defines it"},
}
"""What the name of a parameter does not say by itself."""
SIDES = ("head", "base")


class BriefTools:
    """The same tools in few words; where names are given, only these."""

    def __init__(self, tools: ToolSource, names: Collection[str] | None = None) -> None:
        self._tools = tools
        self._names = names

    @property
    def descriptions(self) -> list[dict[str, Any]]:
        """Those that are offered; a tool that is not known here describes itself."""
        return [
            briefly(one)
            for one in self._tools.descriptions
            if self._names is None or one["function"]["name"] in self._names
        ]

    def call(self, name: str, arguments: object) -> Answer:
        """Answer as ever; who knows of a tool that is not offered may call it."""
        return self._tools.call(name, arguments)


def briefly(tool: dict[str, Any]) -> dict[str, Any]:
    """The description of a tool with its name and parameters, and as few words as will do."""
    function = tool["function"]
    name, parameters = function["name"], function["parameters"]
    if name not in PURPOSES:
        return tool
    notes = NOTES.get(name, {})
    properties = {key: _parameter(value, notes.get(key)) for key, value in parameters["properties"].items()}
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": PURPOSES[name],
            "parameters": {**parameters, "properties": properties},
        },
    }


def _parameter(described: dict[str, Any], note: str | None) -> dict[str, Any]:
    kept = {key: value for key, value in described.items() if key != "description"}
    if described == BRANCH:
        return {**kept, "enum": list(SIDES)}
    return {**kept, "description": note} if note else kept
