"""What a cell shows of the code behind a report: lines of a file, the map, the names of revisions."""

from pathlib import Path
from typing import Any

from affidavit.assembly import assemble_readers
from affidavit.config.places import cache_folder
from affidavit.context.gather import gather_context
from affidavit.diff.rebuild import rebuild_change
from affidavit.diff.redacted import redact_change
from affidavit.git.blob_cache import BlobCache
from affidavit.git.confined.location import find_repository
from affidavit.git.objects import ObjectStore
from affidavit.git.revisions import newest_names
from affidavit.records.record import Record, Side
from affidavit.records.report import Report

MAX_LINES = 2_000
MAX_NAMES = 200


class FilePart(Record):
    """Which lines of which file."""

    path: str
    side: Side = "head"
    start: int = 1
    end: int = MAX_LINES


def lines_of_file(report: Report, folder: Path | None, part: FilePart) -> dict[str, Any] | None:
    """Lines of a file at one side of the change, without secrets, as far as it goes; None: no such text."""
    with rebuild_change(report.change, folder) as opened:
        lines = opened.repository.side(part.side).redacted_lines(part.path)
    if lines is None:
        return None
    first = max(1, min(part.start, len(lines) or 1))
    last = min(part.end, len(lines), first + MAX_LINES - 1)
    revision = report.change.head if part.side == "head" else report.change.base
    return {
        "path": part.path,
        "side": part.side,
        "commit": revision.commit,
        "start": first,
        "end": max(last, first),
        "total_lines": len(lines),
        "lines": lines[first - 1 : last],
    }


def map_of_change(report: Report, folder: Path | None) -> dict[str, Any]:
    """The map of the change, of trees without secrets."""
    with rebuild_change(report.change, folder) as opened:
        change = redact_change(opened.change, opened.repository)
        readers = assemble_readers(BlobCache(cache_folder()))
        return gather_context(change, opened.repository.redacted, readers).model_dump(mode="json")


def revisions_of(folder: Path) -> dict[str, Any]:
    """Branches and tags, the newest first, and the newest commits."""
    store = ObjectStore(find_repository(folder))
    try:
        branches = newest_names(store, "refs/heads", MAX_NAMES)
        tags = newest_names(store, "refs/tags", MAX_NAMES)
    finally:
        store.close()
    recent = [{"sha": one.sha, "subject": one.subject[:200], "date": one.date} for _, one in branches]
    return {
        "branches": [name for name, _ in branches],
        "tags": [name for name, _ in tags],
        "recent": recent,
    }
