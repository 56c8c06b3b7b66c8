"""What each tool is called, does and takes, in the form of function calling."""

from typing import Any

BRANCH = {
    "type": "string",
    "description": "The branch to read from. Use 'head' for the PR branch (new code) or 'base' for the "
    "target branch (old code). Defaults to 'head'.",
}
SKIP = {
    "type": "integer",
    "description": "How many results to leave out from the beginning, to read on where an answer was cut. "
    "Defaults to 0.",
}


def _tool(name: str, description: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {"type": "object", "properties": properties, "required": required},
        },
    }


DESCRIPTIONS: dict[str, dict[str, Any]] = {
    tool["function"]["name"]: tool
    for tool in (
        _tool(
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
        _tool(
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
            },
            ["file_path", "line_number"],
        ),
        _tool(
            "search",
            "Search the text of every file in the repository, like grep. Returns the matching lines with "
            "their numbers, grouped by file.",
            {
                "pattern": {
                    "type": "string",
                    "description": "A Perl-compatible regular expression that matches within one line. Begin "
                    "it with (?i) to ignore case.",
                },
                "paths": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "Files, folders or globs to search in (e.g., ['src', '*.md']). Defaults "
                    "to the whole repository.",
                },
                "literal": {
                    "type": "boolean",
                    "description": "Take the pattern as plain text. Defaults to false.",
                },
                "whole_word": {
                    "type": "boolean",
                    "description": "Match whole words only. Defaults to false.",
                },
                "context_lines": {
                    "type": "integer",
                    "description": "How many lines to show before and after each match, 0 to 5; they are "
                    "marked with '-' behind their number. Defaults to 0.",
                },
                "branch": BRANCH,
                "skip": SKIP,
            },
            ["pattern"],
        ),
        _tool(
            "list_files",
            "List the files of the repository whose paths match a glob.",
            {
                "pattern": {
                    "type": "string",
                    "description": "A glob: '*' stays within a folder, '**' crosses folders, a pattern "
                    "without a slash means a name in any folder (e.g., 'src/**/*.py', '*.toml'). Defaults to "
                    "every file.",
                },
                "branch": BRANCH,
                "skip": SKIP,
            },
            [],
        ),
        _tool(
            "find_references",
            "Find where a function, class, method or constant is used. Each reference says how it was found "
            "and how sure that is: certain, likely or possible.",
            {
                "symbol": {
                    "type": "string",
                    "description": "The name, alone or dotted (e.g., 'total' or 'Cart.total')",
                },
                "file_path": {
                    "type": "string",
                    "description": "The file that defines it, where several do.",
                },
                "branch": BRANCH,
                "skip": SKIP,
            },
            ["symbol"],
        ),
        _tool(
            "find_definition",
            "Find where a function, class, method or constant is defined, with its signature and line range, "
            "and with its code where few fit.",
            {
                "symbol": {
                    "type": "string",
                    "description": "The name, alone or dotted (e.g., 'total' or 'Cart.total')",
                },
                "file_path": {
                    "type": "string",
                    "description": "A file that uses it, to choose among definitions of one name.",
                },
                "line_number": {
                    "type": "integer",
                    "description": "The line of that file in which it is used (1-indexed).",
                },
                "branch": BRANCH,
            },
            ["symbol"],
        ),
        _tool(
            "outline",
            "List what a file defines: functions, classes, methods and constants with their line ranges and "
            "signatures.",
            {
                "file_path": {
                    "type": "string",
                    "description": "The relative path to the file in the repository",
                },
                "branch": BRANCH,
                "skip": SKIP,
            },
            ["file_path"],
        ),
    )
}
