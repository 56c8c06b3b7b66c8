"""Write the map of a change as JSON, alone or in the page: the change's header, then the map's record."""

import json
from typing import Any

from affidavit import __version__
from affidavit.records.change import Change, FileChange
from affidavit.records.context import ContextMap
from affidavit.render.page import single_page
from affidavit.render.safe_text import json_without_commands

CONTEXT_VERSION = "1.0"


def render_context_json(change: Change, context: ContextMap) -> str:
    """ASCII only, so that any pipe takes it as it is."""
    data = {
        "context_version": CONTEXT_VERSION,
        "affidavit_version": __version__,
        "change": change_header(change),
        "context": context.model_dump(mode="json"),
    }
    return json_without_commands(json.dumps(data, indent=1, allow_nan=False)) + "\n"


def render_context_page(change: Change, context: ContextMap) -> str:
    """The page as one file, with the map in it."""
    changed = [file.path for file in change.files]
    contents = {"map": {"changed": changed, "map": context.model_dump(mode="json")}}
    return single_page(change.title or change.target, contents)


def change_header(change: Change) -> dict[str, Any]:
    """What the change is, without its hunks."""
    header = change.model_dump(mode="json", exclude={"files", "commits"})
    return {**header, "files": [_file(file) for file in change.files]}


def _file(file: FileChange) -> dict[str, Any]:
    return {
        "path": file.path,
        "old_path": file.old_path,
        "status": file.status.value,
        "language": file.language,
        "skipped": file.skipped.value if file.skipped else None,
        "lines_added": len(file.changed_lines("head")),
        "lines_removed": len(file.changed_lines("base")),
    }
