"""Tools that remember what was read through them, so that nobody has to believe what a model says it read."""

from collections.abc import Iterator
from typing import Any

from affidavit.ports import ToolSource
from affidavit.records.evidence import ToolUse

PATH_KEY = "file_path"
DEPENDENCY = "dependency"
"""The side of an answer that was read from a package."""
MAX_PATHS = 1_000
"""In the record of one call; a search that finds more is no reading of each."""


class WatchedTools:
    """The same tools, watched; calls may come from several threads."""

    def __init__(self, tools: ToolSource) -> None:
        self._tools = tools
        self.uses: list[ToolUse] = []

    @property
    def descriptions(self) -> list[dict[str, Any]]:
        """As the tools describe themselves."""
        return self._tools.descriptions

    def call(self, name: str, arguments: object) -> dict[str, Any]:
        """Call the tool; a call that was answered with an error has read nothing."""
        answer = self._tools.call(name, arguments)
        if "error" not in answer:
            self.uses.append(_use(name, arguments, answer))
        return answer


def _use(name: str, arguments: object, answer: dict[str, Any]) -> ToolUse:
    read = tuple(dict.fromkeys(_paths_in(answer)))[:MAX_PATHS]
    if answer.get("branch") != DEPENDENCY:
        return ToolUse(tool=name, read=read, searched=_searched(arguments))
    # A file of a package may have the path of one of the repository, and is another one.
    package = f"{answer.get('package')}@{answer.get('version')}"
    return ToolUse(tool=name, read=tuple(f"{package}:{path}" for path in read))


def _paths_in(value: object) -> Iterator[str]:
    if isinstance(value, list):
        for each in value:
            yield from _paths_in(each)
    elif isinstance(value, dict):
        for key, each in value.items():
            if key == PATH_KEY and isinstance(each, str):
                yield each
            else:
                yield from _paths_in(each)


def _searched(arguments: object) -> tuple[str, ...]:
    paths = arguments.get("paths") if isinstance(arguments, dict) else None
    return tuple(path for path in paths if isinstance(path, str)) if isinstance(paths, list) else ()
