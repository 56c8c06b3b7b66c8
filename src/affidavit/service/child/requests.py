"""Answer requests about a review in a child process: recheck, question, estimate, lines, map."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from affidavit.agents.panel import assemble_readers
from affidavit.config.places import cache_folder
from affidavit.config.settings import Settings
from affidavit.context.gather import gather_context
from affidavit.diff.rebuild import OpenedChange
from affidavit.diff.redacted import redact_change
from affidavit.git.blob_cache import BlobCache
from affidavit.git.location import find_repository
from affidavit.git.objects import ObjectStore
from affidavit.minds.choice import ModelChoice
from affidavit.ports import Role, Specialist
from affidavit.prompts import PromptSet
from affidavit.rechecking.check import recheck
from affidavit.records.change import Commit
from affidavit.records.iteration import Earlier
from affidavit.records.record import Record, Side
from affidavit.records.report import Report
from affidavit.reviewing.cost import describe_cost, estimate_review
from affidavit.reviewing.forecast import prepare_talks
from affidavit.reviewing.hold import assemble_crew
from affidavit.reviewing.options import ReviewOptions
from affidavit.stages.intake import rebuild_change

MAX_LINES = 2_000
MAX_NAMES = 200


class FilePart(Record):
    """A range of lines in a file."""

    path: str
    side: Side = "head"
    start: int = 1
    end: int = MAX_LINES


Data = dict[str, Any]


async def lines_of_file(report: Data, folder: str | None, wanted: Data) -> Data | None:
    """Return lines of a file at one side of the change, redacted; None if there is no such text file."""
    part = FilePart.model_validate(wanted)
    return await asyncio.to_thread(lambda: _lines(*_rebuilt(report, folder), part))


def _rebuilt(report: Data, folder: str | None) -> tuple[Report, OpenedChange]:
    recorded = Report.model_validate(report)
    return recorded, rebuild_change(recorded.change, Path(folder) if folder else None)


def _lines(report: Report, opened: OpenedChange, part: FilePart) -> Data | None:
    with opened:
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


async def map_of_change(report: Data, folder: str | None) -> Data:
    """Return the map of the change, redacted."""
    return await asyncio.to_thread(lambda: _map(_rebuilt(report, folder)[1]))


def _map(opened: OpenedChange) -> Data:
    with opened:
        change = redact_change(opened.change, opened.repository)
        readers = assemble_readers(BlobCache(cache_folder()))
        return gather_context(change, opened.repository.redacted, readers).model_dump(mode="json")


async def revisions_of(folder: str) -> Data:
    """Return branches and tags, newest first, and the newest commits."""
    return await asyncio.to_thread(_revisions, Path(folder))


def _revisions(folder: Path) -> Data:
    with ObjectStore(find_repository(folder)) as store:
        branches = newest_names(store, "refs/heads", MAX_NAMES)
        tags = newest_names(store, "refs/tags", MAX_NAMES)
    recent = [{"sha": one.sha, "subject": one.subject[:200], "date": one.date} for _, one in branches]
    return {
        "branches": [name for name, _ in branches],
        "tags": [name for name, _ in tags],
        "recent": recent,
    }


def newest_names(store: ObjectStore, under: str, count: int) -> list[tuple[str, Commit]]:
    """Return branches (`refs/heads`) or tags (`refs/tags`) with their commits, newest first."""
    form = (
        "%(refname:short)%00%(objectname)%00%(authorname)%00%(creatordate:iso-strict)%00%(contents:subject)"
    )
    listed = store.git.run(
        "for-each-ref", "--sort=-creatordate", f"--count={count}", f"--format={form}", under
    )
    rows = [line.split("\0") for line in listed.decode("utf-8", "replace").split("\n") if line]
    return [
        (name, Commit(sha=sha, author=author, date=date, subject=subject))
        for name, sha, author, date, subject in rows
    ]


async def recheck_report(report: Data, folder: str | None, finding: str | None = None) -> Data:
    """Recheck a report, or one finding of it."""
    recorded, opened = _rebuilt(report, folder)
    with opened:
        done = await recheck(recorded, opened, _mechanical)
    proofs = [one for one in done.proofs if finding in (None, one.finding) or one.kind == "change"]
    outcomes = [proof.holds for proof in proofs]
    return {
        "holds": False if False in outcomes else None if None in outcomes else True,
        "proofs": [proof.model_dump(mode="json") for proof in proofs],
        "on_its_word": list(done.words) if finding is None else [],
        "notices": list(opened.notices),
    }


def _mechanical(settings: Settings) -> Sequence[Specialist]:
    return assemble_crew(settings, cache_dir=None).specialists


def estimate(
    opened: OpenedChange,
    settings: Settings,
    choices: Mapping[Role, ModelChoice],
    prompts: PromptSet,
    options: ReviewOptions,
    earlier: Earlier | None,
) -> Data:
    """Estimate the cost of a review without asking a model; not for a thread with an event loop."""
    talks = prepare_talks(opened, settings, options, choices, prompts, earlier)
    roles = estimate_review(talks, choices)
    return {"roles": [asdict(one) for one in roles], "text": describe_cost(talks, choices)}
