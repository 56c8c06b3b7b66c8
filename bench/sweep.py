"""`python -m bench sweep FOLDER…`: review the last commits of repositories, and gather all that is shown."""

import argparse
import asyncio
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from affidavit.assembly import assemble_crew
from affidavit.config.places import cache_folder
from affidavit.config.settings import load_settings
from affidavit.errors import AffidavitError, EmptyChangeError
from affidavit.pipeline import review
from affidavit.records.candidate import Candidate
from affidavit.records.report import Report
from affidavit.stages.intake import ChangeRequest, open_change
from bench.sweep_table import Shown, joined, read_table, write_table

GRACE_SECONDS = 30
"""How long a review that is told to end may take to remove its temporary folders."""


@dataclass(frozen=True)
class Commit:
    """One commit to review, against its first parent."""

    repository: str
    folder: Path
    id: str


@dataclass(frozen=True)
class Reviewed:
    """What became of one commit."""

    repository: str
    commit: str
    state: str
    """`whole`, `in part`, `empty`, or why there is no review."""
    seconds: float
    files: int = 0
    examined: int = 0
    """Of the files, those that an analyser or the search for references read, whole or in part."""
    shown: Sequence[Shown] = ()
    gaps: Sequence[str] = ()


Review = Callable[[Commit], Reviewed]


def main(arguments: Sequence[str]) -> None:
    """Review what is not reviewed yet, then print and write the table."""
    asked = _parser().parse_args(arguments)
    asked.out.mkdir(parents=True, exist_ok=True)
    log, table = asked.out / "commits.jsonl", asked.out / "findings.tsv"
    commits = [commit for folder in asked.folders for commit in last_commits(folder, asked)]
    done = {(row.repository, row.commit): row for row in read_log(log)}
    again = {key for key, row in done.items() if row.shown} if asked.again else set()
    waiting = [one for one in commits if _key(one) not in done or _key(one) in again]
    print(f"{len(commits)} commits, {len(waiting)} of them to review", flush=True)
    for row in review_all(waiting, lambda commit: review_apart(commit, asked.timeout), asked.jobs):
        append_to_log(log, row)
        done[row.repository, row.commit] = row
        print(describe(row), flush=True)
    reviewed = [done[_key(one)] for one in commits if _key(one) in done]
    rows = joined([shown for row in reviewed for shown in row.shown], read_table(table))
    write_table(table, rows)
    print(*summary(reviewed, rows), f"table: {table}", sep="\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench sweep", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="a repository, bare or not")
    parser.add_argument("--commits", type=int, default=50, metavar="N", help="the last N of each (50)")
    parser.add_argument("--before", metavar="DATE", help="only commits from before this day")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="reviews at once (1)")
    parser.add_argument("--timeout", type=float, default=300, metavar="SECONDS", help="for a commit (300)")
    parser.add_argument("--again", action="store_true", help="also those in which something was shown")
    parser.add_argument("--out", type=Path, default=Path(".bench/sweep"), help="what is kept (.bench/sweep)")
    return parser


def last_commits(folder: Path, asked: argparse.Namespace) -> list[Commit]:
    """The last commits of the main line; a merge stands for all that it brought in."""
    name = _name_of(folder)
    before = [f"--before={asked.before}"] if asked.before else []
    wanted = f"--max-count={asked.commits}"
    listed = _git(folder, "rev-list", "--first-parent", "--min-parents=1", wanted, *before, "HEAD", "--")
    return [Commit(name, folder, commit) for commit in listed.split()]


def _name_of(folder: Path) -> str:
    """OWNER/NAME by where it was cloned from, else the folder's name."""
    address = _git(folder, "config", "--default=", "--get", "remote.origin.url")
    parts = urlsplit(address).path.removesuffix(".git").strip("/").split("/")
    return "/".join(parts[-2:]) if urlsplit(address).scheme else folder.resolve().name


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", folder, *arguments], check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{folder}: {done.stderr.strip()}")
    return done.stdout.strip()


def _key(commit: Commit) -> tuple[str, str]:
    return commit.repository, commit.id


def review_all(commits: Sequence[Commit], look: Review, jobs: int) -> Iterator[Reviewed]:
    """Each commit's review as soon as it and those before it are done."""
    workers = ThreadPoolExecutor(jobs)
    try:
        yield from workers.map(look, commits)
    finally:
        workers.shutdown(cancel_futures=True)


def review_apart(commit: Commit, timeout_seconds: float) -> Reviewed:
    """Review in a process of its own, which is ended when its time is up."""
    started = time.monotonic()
    processes = multiprocessing.get_context("forkserver")
    here, there = processes.Pipe(duplex=False)
    child = processes.Process(target=_send_review, args=(there, commit))
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
    return Reviewed(commit.repository, commit.id, found, round(time.monotonic() - started, 1))


def _send_review(there: Connection, commit: Commit) -> None:
    # As on the command line: a review that is told to end removes its temporary folders.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        there.send(review_commit(commit))
    except EmptyChangeError:
        there.send("empty")
    except AffidavitError as error:
        there.send(f"not done: {error}")
    except KeyboardInterrupt:
        sys.exit(1)


def review_commit(commit: Commit) -> Reviewed:
    """The review that `affidavit review COMMIT` makes without a model; nothing is stored."""
    started = time.monotonic()
    with open_change(ChangeRequest(target=commit.id, repo=commit.folder)) as opened:
        settings = load_settings(opened.repository.base, {}, {})
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


def read_log(log: Path) -> list[Reviewed]:
    """What was reviewed before; the last line about a commit counts."""
    lines = log.read_text(encoding="utf-8").splitlines() if log.is_file() else []
    return [_from_log(json.loads(line)) for line in lines]


def _from_log(row: dict[str, Any]) -> Reviewed:
    return Reviewed(**{**row, "shown": [Shown(**shown) for shown in row["shown"]]})


def append_to_log(log: Path, row: Reviewed) -> None:
    """Keep one review, so that a sweep that was stopped goes on from there."""
    with log.open("a", encoding="utf-8") as text:
        text.write(json.dumps(asdict(row), ensure_ascii=False) + os.linesep)


def describe(row: Reviewed) -> str:
    """One line for a commit, and one for each finding."""
    head = f"{row.repository} {row.commit[:12]} {row.seconds:6.1f} s  {row.state}"
    return "\n".join([head, *(f"  gap: {gap}" for gap in row.gaps), *map(_line, row.shown)])


def _line(shown: Shown) -> str:
    mark = "BLOCKING " if shown.blocking == "yes" else ""
    return f"  {mark}{shown.severity} {shown.rule} {shown.place}: {shown.title}"


def summary(reviewed: Sequence[Reviewed], rows: Sequence[Shown]) -> list[str]:
    """How much was shown in how many commits, and how long it took."""
    if not reviewed:
        return ["no commit was reviewed"]
    now = [row for row in rows if row.state == "shown"]
    seconds = [row.seconds for row in reviewed]
    blocked = {(row.repository, row.commit) for row in now if row.blocking == "yes"}
    return [
        f"{len(reviewed)} commits: {_counted(row.state for row in reviewed)}",
        f"files: {sum(row.files for row in reviewed)}, read by a specialist, whole or in part:"
        f" {sum(row.examined for row in reviewed)}",
        f"shown: {len(now)} findings in {sum(bool(row.shown) for row in reviewed)} commits,"
        f" {sum(row.blocking == 'yes' for row in now)} blocking in {len(blocked)}",
        f"by severity: {_counted(row.severity for row in now)}",
        f"by rule: {_counted(row.rule for row in now)}",
        f"labels: {_counted(row.label or 'none' for row in now)}",
        f"time: {sum(seconds):.0f} s, median {median(seconds):.1f} s, longest {max(seconds):.0f} s",
    ]


def _counted(words: Iterable[str]) -> str:
    return ", ".join(f"{word} {count}" for word, count in Counter(words).most_common()) or "none"
