"""Keep a conversation short: name lines that it has already, and leave out results that were used."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelRequest, ToolReturnPart

from affidavit.minds.fence import CLOSE, OPEN

MIN_NAMED = 8
"""Fewer lines are sent again: naming them helps nobody."""
MAX_KEPT = 32_000
"""Characters of results that a conversation keeps. Leaving some out makes what follows new to a provider's
cache, so it is done seldom and to all of them at once."""
MIN_LEFT_OUT = 1_000
LEFT_OUT = "(left out, as an earlier round showed it: call it again for what you still need or quote)"
_HEADING = re.compile(r"=== (.+?)(?: \(was .*\))? \[|([^\s:]+):\d+: ")
_NUMBERED = re.compile(r"(\d{1,9}): ?(.*)", re.DOTALL)
_CODE = ("diff", "surroundings", "code")
"""The labels of fences around lines of files; other texts could only look like them."""


@dataclass
class History:
    """What one conversation was shown by tools that can be called again."""

    repeatable: Collection[str]
    _shown: dict[tuple[object, object], dict[int, tuple[str, int]]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    """By path and side: the lines by number, each with its round."""

    def note_first(self, text: str) -> None:
        """Note the lines of files that the first message shows; a line counts only if it is the same."""
        path, is_code = None, False
        for row in text.split("\n"):
            if row.startswith((OPEN, CLOSE)):
                path, is_code = None, row.startswith(OPEN) and row.split(" ", 2)[-1] in _CODE
            elif is_code and (heading := _HEADING.match(row)):
                path = heading[1] or heading[2]
            elif path and (line := _NUMBERED.fullmatch(row.lstrip(" +"))):
                self._shown[path, "head"][int(line[1])] = line[2].rstrip(), 0

    def without_repetition(self, tool: str, result: dict[str, Any], number: int) -> dict[str, Any]:
        """Return the result of a round; runs of lines from earlier rounds are named.

        A line is named once; the next call sends it again.
        """
        path, branch, content = (result.get(name) for name in ("file_path", "branch", "content"))
        if tool not in self.repeatable or branch not in ("head", "base") or not isinstance(content, str):
            return result
        rows = [_NUMBERED.fullmatch(row) for row in content.split("\n")]
        lines = [(int(row[1]), row[2], row[0]) for row in rows if row]
        if len(lines) < len(rows):
            return result
        shown = self._shown[path, branch]
        written: list[str] = []
        for seen, run in groupby(lines, lambda line: _round_of(shown, line[0], line[1], number)):
            together = list(run)
            first, last = together[0][0], together[-1][0]
            if seen is not None and len(together) >= MIN_NAMED:
                where = f"round {seen}" if seen else "the first message"
                written.append(f"(lines {first}-{last} are above, in {where})")
                for at in range(first, last + 1):
                    del shown[at]
            else:
                written += [row for _, _, row in together]
                shown.update({at: (text.rstrip(), number) for at, text, _ in together})
        return {**result, "content": "\n".join(written)}

    def shortened(self, messages: Sequence[ModelMessage]) -> list[ModelMessage]:
        """Leave out the results of all rounds but the last, if there are more than a conversation keeps."""
        *earlier, last = messages
        if sum(len(str(part.content)) for part in self._long(earlier)) <= MAX_KEPT:
            return list(messages)
        gone = {part.tool_call_id for part in self._long(earlier)}
        self._shown.clear()
        return [*(_without(message, gone) for message in earlier), last]

    def _long(self, messages: Iterable[ModelMessage]) -> list[ToolReturnPart]:
        return [
            part
            for message in messages
            for part in message.parts
            if isinstance(part, ToolReturnPart)
            and part.tool_name in self.repeatable
            and len(str(part.content)) >= MIN_LEFT_OUT
        ]


def _round_of(shown: dict[int, tuple[str, int]], at: int, text: str, number: int) -> int | None:
    """Return the earlier round that showed a line, 0 for the first message."""
    known, when = shown.get(at, ("", number))
    return when if when < number and known == text.rstrip() else None


def _without(message: ModelMessage, gone: Collection[str]) -> ModelMessage:
    if not isinstance(message, ModelRequest):
        return message
    parts = [
        ToolReturnPart(tool_name=part.tool_name, content=LEFT_OUT, tool_call_id=part.tool_call_id)
        if isinstance(part, ToolReturnPart) and part.tool_call_id in gone
        else part
        for part in message.parts
    ]
    return replace(message, parts=parts)
