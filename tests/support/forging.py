"""Forge reports as somebody would who wants them to say something else."""

import json
from collections.abc import Callable
from typing import Any

from affidavit.rechecking.compare import FieldClass, FieldPath, class_compared, class_of


def changed(value: Any) -> Any:
    """Another value of the same kind, as a forger would write it."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        others = {"high": "low", "low": "high", "verified": "likely", "act": "nit", "head": "base"}
        return others.get(value, value + "x")
    if value is None:
        return "x"
    return ["x"] if value == [] else {"x": "x"}


def forged(content: Any, path: tuple[str, ...], change: Callable[[Any], Any] = changed) -> Any:
    copy = json.loads(json.dumps(content))
    place = copy
    for name in path[:-1]:
        place = place[int(name) if isinstance(place, list) else name]
    last: Any = int(path[-1]) if isinstance(place, list) else path[-1]
    place[last] = change(place[last])
    return copy


def each(content: Any, change: Callable[[Any], None], **updates: Any) -> Any:
    copy = json.loads(json.dumps(content))
    for candidate in copy["candidates"]:
        change(candidate)
    approve(copy)
    copy.update(updates)
    return copy


def approve(copy: Any) -> None:
    """What a forger would make of the verdict."""
    summary = "No problems found (linters only, no model)."
    copy["verdict"].update(decision="comment", blocking=[], summary=summary)
    copy["gate"].update(failed_by=[], exit_code=0)


def withheld(code: str, detail: str) -> Callable[[Any], None]:
    def change(candidate: Any) -> None:
        candidate["withheld"] = {"code": code, "detail": detail}

    return change


def deleted(content: Any, *path: str, **updates: Any) -> Any:
    """A copy of the report without one field."""
    copy = json.loads(json.dumps(content))
    place = copy
    for name in path[:-1]:
        place = place[name]
    del place[path[-1]]
    return {**copy, **updates}


def silenced(content: Any, **updates: Any) -> Any:
    """Everything that was found is gone, and every count says so."""
    copy = each(content, lambda _: None, candidates=[], replies=[], **updates)
    counts = copy["verdict"]["counts"]
    counts.update(candidates=0, shown=0, folded=0, withheld=0, blocking=0, withheld_by_code={})
    counts["by_severity"] = dict.fromkeys(counts["by_severity"], 0)
    return copy


def class_in(content: Any, path: FieldPath) -> FieldClass:
    """The class of a field as a user would name it, by who made the reply or chose the setting."""
    if path[:2] == ("inputs", "replies") and len(path) > 2:
        reply = content["inputs"]["replies"][int(path[2])]
        if reply["kind"] != "mechanical" and class_of(path) == "derived":
            return "not verified"
    if path[0] == "settings" and len(path) > 1:
        origin = content["settings"].get("origins", {}).get(path[1], "base")
        return "derived" if origin == "base" else "not verified"
    return class_compared(content, path)
