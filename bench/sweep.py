"""`python -m bench sweep FOLDER…`: review the last commits of repositories and collect the shown findings."""

import argparse
import asyncio
import multiprocessing
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from affidavit.config.places import cache_folder
from affidavit.config.settings import load_settings
from affidavit.errors import AffidavitError, EmptyChangeError
from affidavit.pipeline import review
from affidavit.records.candidate import Candidate
from affidavit.records.report import Report
from affidavit.reviewing.hold import assemble_crew
from affidavit.stages.intake import ChangeRequest, open_change
from bench.commits import Commit, chosen_commits, revision_of
from bench.sweep_table import (
    Reviewed,
    Shown,
    append_to_log,
    as_markdown,
    joined,
    latest,
    objections,
    read_log,
    read_table,
    summary,
    write_log,
    write_table,
)

GRACE_SECONDS = 30
"""How long a review that is ended may take to remove its temporary folders."""

Review = Callable[[Commit], Reviewed]


def main(arguments: Sequence[str]) -> None:
    """Review what is not reviewed yet, then print and write the table."""
    asked = _parser().parse_args(arguments)
    asked.out.mkdir(parents=True, exist_ok=True)
    log, table = asked.out / "commits.jsonl", asked.out / "findings.tsv"
    commits = [commit for folder in asked.folders for commit in chosen_commits(folder, asked)]
    done = {row.key: row for row in read_log(log)}
    waiting = [one for one in commits if _is_waiting(done.get(_key(one)), asked)]
    limits = {"analyser_timeout_seconds": asked.analyser_timeout} if asked.analyser_timeout else {}
    print(f"{len(commits)} commits, {len(waiting)} of them to review", flush=True)
    for row in review_all(waiting, lambda commit: review_apart(commit, asked.timeout, limits), asked.jobs):
        append_to_log(log, row)
        done[row.key] = latest(done.get(row.key), row)
        print(describe(row), flush=True)
    if asked.renew:
        write_log(log, list(done.values()))
    is_all = asked.renew or not commits
    reviewed = list(done.values()) if is_all else [done[_key(one)] for one in commits if _key(one) in done]
    labelled = [*read_table(table), *(read_table(asked.labels) if asked.labels else [])]
    rows = joined([shown for row in reviewed for shown in row.shown], labelled)
    write_table(table, rows)
    print(*summary(reviewed, rows), f"table: {table}", sep="\n")
    if asked.markdown:
        print(as_markdown(reviewed, rows))
    complaints = objections(rows) if asked.labels else []
    if complaints:
        raise SystemExit("\n".join(complaints))


def _is_waiting(before: Reviewed | None, asked: argparse.Namespace) -> bool:
    if before is None or (asked.again and before.shown):
        return True
    return bool(asked.renew) and before.revision != _revision()


def _revision() -> str:
    return revision_of(Path(__file__).parent)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench sweep", description=__doc__)
    parser.add_argument(
        "folders",
        nargs="*",
        type=Path,
        metavar="FOLDER",
        help="a repository, bare or not; none: sum up what --out has",
    )
    parser.add_argument("--commits", type=int, default=50, metavar="N", help="the last N of each (50)")
    parser.add_argument("--before", metavar="DATE", help="only commits from before this day")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="reviews at once (1)")
    parser.add_argument("--timeout", type=float, default=300, metavar="SECONDS", help="for a commit (300)")
    parser.add_argument(
        "--analyser-timeout", type=float, metavar="SECONDS", help="for an analyser, on a busy machine"
    )
    parser.add_argument("--whole", action="store_true", help="the last commit, as if all of it were new")
    parser.add_argument(
        "--labels", type=Path, metavar="FILE", help="a labelled table; what it does not label is an error"
    )
    parser.add_argument("--markdown", action="store_true", help="also print the figures for a document")
    parser.add_argument("--again", action="store_true", help="also those in which something was shown")
    parser.add_argument("--renew", action="store_true", help="also those that another revision reviewed")
    parser.add_argument("--out", type=Path, default=Path(".bench/sweep"), help="what is kept (.bench/sweep)")
    return parser


def _key(commit: Commit) -> tuple[str, str]:
    return commit.repository, commit.id


def review_all(commits: Sequence[Commit], look: Review, jobs: int) -> Iterator[Reviewed]:
    """Yield the reviews in the order of the commits, each as soon as it is done."""
    workers = ThreadPoolExecutor(jobs)
    try:
        yield from workers.map(look, commits)
    finally:
        workers.shutdown(cancel_futures=True)


def review_apart(commit: Commit, timeout_seconds: float, flags: Mapping[str, Any]) -> Reviewed:
    """Review in a new process, which is ended when its time is up."""
    started = time.monotonic()
    processes = multiprocessing.get_context("forkserver")
    # Imported once, not again for each commit.
    processes.set_forkserver_preload([__name__])
    here, there = processes.Pipe(duplex=False)
    child = processes.Process(target=_send_review, args=(there, commit, flags))
    child.start()
    there.close()
    try:
        found = here.recv() if here.poll(timeout_seconds) else None
    except EOFError:
        found = "the process ended"
    if found is None:
        found = "ran out of time"
        child.terminate()
    child.join(GRACE_SECONDS)
    child.kill()
    if isinstance(found, Reviewed):
        return found
    seconds = round(time.monotonic() - started, 1)
    return Reviewed(commit.repository, commit.id, found, seconds, revision=_revision())


def _send_review(there: Connection, commit: Commit, flags: Mapping[str, Any]) -> None:
    # As on the command line: a review that is told to end removes its temporary folders.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        there.send(review_commit(commit, flags))
    except EmptyChangeError:
        there.send("empty")
    except AffidavitError as error:
        there.send(f"not done: {error}")
    except KeyboardInterrupt:
        sys.exit(1)


def review_commit(commit: Commit, flags: Mapping[str, Any]) -> Reviewed:
    """Review as `affidavit review COMMIT` does without a model; store nothing."""
    started = time.monotonic()
    with open_change(ChangeRequest(target=commit.target, repo=commit.folder)) as opened:
        settings = load_settings(opened.repository.base, {}, flags)
        crew = assemble_crew(settings, cache_folder())
        report = asyncio.run(review(opened.change, opened.repository, settings, crew))
    return Reviewed(
        repository=commit.repository,
        commit=commit.id,
        state="in part" if report.incomplete else "whole",
        seconds=round(time.monotonic() - started, 1),
        files=len(report.change.files),
        examined=sum(one.state in ("examined", "partly") for one in report.coverage),
        shown=[_shown(one, commit, report) for one in report.shown],
        gaps=[f"{gap.name}: {gap.reason}" for gap in report.incomplete],
        revision=_revision(),
    )


def _shown(candidate: Candidate, commit: Commit, report: Report) -> Shown:
    finding = candidate.finding
    if finding is None:
        raise ValueError(f"{candidate.id} is shown and has no finding")
    return Shown(
        repository=commit.repository,
        commit=commit.id[:12],
        severity=str(finding.severity),
        blocking="yes" if candidate.id in report.verdict.blocking else "no",
        rule=finding.rule_id or candidate.specialist,
        place=f"{finding.file}:{finding.line}" + (" at base" if finding.side == "base" else ""),
        title=" ".join(finding.title.split()),
    )


def describe(row: Reviewed) -> str:
    """Return one line for a commit, and one for each gap and finding."""
    head = f"{row.repository} {row.commit[:12]} {row.seconds:6.1f} s  {row.state}"
    return "\n".join([head, *(f"  gap: {gap}" for gap in row.gaps), *map(_line, row.shown)])


def _line(shown: Shown) -> str:
    mark = "BLOCKING " if shown.blocking == "yes" else ""
    return f"  {mark}{shown.severity} {shown.rule} {shown.place}: {shown.title}"
