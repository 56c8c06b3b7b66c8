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
                "branch": BRANCH,
            },
            ["file_path", "line_number"],
        ),
        _tool(
            "search",
            "Search the text of every file in the repository, like grep. Returns the matching lines with "
            "their numbers, grouped by file, and the total. Translations and binary files are left out "
            "unless paths name them.",
            {
                "pattern": {
                    "type": "string",
                    "description": "A Perl-compatible regular expression that matches within one line; with "
                    "multiline, one of RE2 that may match across lines. Begin it with (?i) to ignore case.",
                },
                "paths": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "Files, folders or globs to search in (e.g., ['src', '*.{ts,tsx}']). "
                    "Defaults to the whole repository.",
                },
                "exclude": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "Files, folders or globs to leave out (e.g., ['tests', '*.md']).",
                },
                "literal": {
                    "type": "boolean",
                    "description": "Take the pattern as plain text. Defaults to false.",
                },
                "whole_word": {
                    "type": "boolean",
                    "description": "Match whole words only. Defaults to false.",
                },
                "multiline": {
                    "type": "boolean",
                    "description": "Let the pattern match across line ends (\\s and \\n do; '.' with (?s)). "
                    "Defaults to false.",
                },
                "context_lines": {
                    "type": "integer",
                    "description": "How many lines to show before and after each match, at most 5; they are "
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
                    "without a slash means a name in any folder, braces hold alternatives (e.g., "
                    "'src/**/*.py', '*.{ts,tsx}'). Defaults to every file.",
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
            "and with its code where it fits.",
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
        _tool(
            "compare_definition",
            "Compare one function, class or method before and after the change: the lines of its definition "
            "that differ between base and head.",
            {
                "symbol": {
                    "type": "string",
                    "description": "The name, alone or dotted (e.g., 'total' or 'Cart.total')",
                },
                "file_path": {
                    "type": "string",
                    "description": "The file that defines it, where several do.",
                },
            },
            ["symbol"],
        ),
        _tool(
            "get_commit_of_line",
            "Get the commit that last changed a line: its whole message, and what it did to the file near "
            "that line.",
            {
                "file_path": {
                    "type": "string",
                    "description": "The relative path to the file in the repository",
                },
                "line_number": {"type": "integer", "description": "The line number (1-indexed)"},
                "branch": BRANCH,
            },
            ["file_path", "line_number"],
        ),
    )
}
