"""Describe the tools that read a change; two descriptions are from the specification."""

from collections.abc import Mapping

from affidavit.tools.arguments import Description, describe

BRANCH = {
    "type": "string",
    "description": "The branch to read from. Use 'head' for the PR branch (new code) or 'base' for the "
    "target branch (old code). Defaults to 'head'.",
}
SIDE = {"type": "string", "enum": ["head", "base"]}
FILE = {"type": "string"}
NUMBER = {"type": "integer"}
YES_OR_NO = {"type": "boolean"}
NAMES = {"type": "array", "items": {"type": "string"}}
SYMBOL = {"type": "string", "description": "name or Class.name"}
DEFINING = {"type": "string", "description": "that defines it"}
# Every request has the descriptions, so models get shorter ones of these two.
PURPOSES: Mapping[str, str] = {
    "get_file_context": "Lines of a file, numbered.",
    "get_blame": "Who last changed a line, when, in which commit.",
}


DESCRIPTIONS: dict[str, Description] = {
    tool["function"]["name"]: tool
    for tool in (
        describe(
            "get_file_context",
            "Retrieve lines of code from a file in the repository to understand the context surrounding a "
            "change. Returns the specified line range with line numbers.",
            {
                "file_path": {
                    "type": "string",
                    "description": "The relative path to the file in the repository "
                    "(e.g., 'src/auth/login.py')",
                },
                "start_line": {
                    "type": "integer",
                    "description": "The starting line number (1-indexed, inclusive)",
                },
                "end_line": {
                    "type": "integer",
                    "description": "The ending line number (1-indexed, inclusive)",
                },
                "branch": BRANCH,
            },
            ["file_path", "start_line", "end_line"],
        ),
        describe(
            "get_blame",
            "Get git blame information for a specific line in a file. Returns the author, date, and commit "
            "message of the last change to that line.",
            {
                "file_path": {
                    "type": "string",
                    "description": "The relative path to the file in the repository",
                },
                "line_number": {
                    "type": "integer",
                    "description": "The line number to get blame for (1-indexed)",
                },
                "branch": BRANCH,
            },
            ["file_path", "line_number"],
        ),
        describe(
            "search",
            "Search all files, like grep: matching lines by file, and the total. Translations and binary "
            "files only where paths name them.",
            {
                "pattern": {
                    "type": "string",
                    "description": "Perl regular expression within a line; (?i) ignores case",
                },
                "paths": {**NAMES, "description": "files, folders, globs"},
                "exclude": NAMES,
                "literal": YES_OR_NO,
                "whole_word": YES_OR_NO,
                "context_lines": {**NUMBER, "description": "around each match, at most 5"},
                "branch": SIDE,
                "skip": {**NUMBER, "description": "results to leave out, to read on"},
            },
            ["pattern"],
        ),
        describe(
            "list_files",
            "Paths that match a glob.",
            {
                "pattern": {
                    "type": "string",
                    "description": "** crosses folders; {a,b} are alternatives; no slash: in any folder",
                },
                "branch": SIDE,
                "skip": NUMBER,
            },
            [],
        ),
        describe(
            "find_references",
            "Where a symbol is used, and how sure that is.",
            {"symbol": SYMBOL, "file_path": DEFINING, "branch": SIDE, "skip": NUMBER},
            ["symbol"],
        ),
        describe(
            "find_definition",
            "Where a symbol is defined, with its code.",
            {
                "symbol": SYMBOL,
                "file_path": {"type": "string", "description": "that uses it"},
                "line_number": {**NUMBER, "description": "of that use"},
                "branch": SIDE,
            },
            ["symbol"],
        ),
        describe(
            "outline",
            "What a file defines: line ranges and signatures.",
            {"file_path": FILE, "branch": SIDE, "skip": NUMBER},
            ["file_path"],
        ),
        describe(
            "compare_definition",
            "The diff of one definition between base and head.",
            {"symbol": SYMBOL, "file_path": DEFINING},
            ["symbol"],
        ),
        describe(
            "get_commit_of_line",
            "The commit that last changed a line: its message, its diff near the line.",
            {"file_path": FILE, "line_number": NUMBER, "branch": SIDE},
            ["file_path", "line_number"],
        ),
    )
}


def shortened(tool: Description) -> Description:
    """Describe a tool of the specification in few words; leave the others as they are."""
    function = tool["function"]
    name, parameters = function["name"], function["parameters"]
    if name not in PURPOSES:
        return tool
    properties = {
        key: SIDE if value == BRANCH else {"type": value["type"]}
        for key, value in parameters["properties"].items()
    }
    return describe(name, PURPOSES[name], properties, parameters["required"])
