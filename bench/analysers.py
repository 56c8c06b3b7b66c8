"""What each analyser costs on a small change in Django's repository, and the whole against the slowest."""

import asyncio
from functools import partial
from pathlib import Path

from affidavit.analysers.analyser import Analyser
from affidavit.analysers.examine import MechanicalSpecialist, mechanical_specialists
from affidavit.analysers.registry import ANALYSERS
from affidavit.events import ignore_events
from affidavit.ports import Case
from affidavit.stages.looking.intake import ChangeRequest, open_change
from bench import django
from bench.row import ROUNDS, Row, best

IDENTITY = ("-c", "user.name=Bench", "-c", "user.email=bench@affidavit.example", "-c", "commit.gpgsign=false")
SMALL_CHANGE = {
    "bench/run.sh": "#!/bin/sh\nset -e\nprintf '%s\\n' \"$1\"\n",
    "bench/Dockerfile": "FROM debian:12\nRUN apt-get update && apt-get install -y curl\n",
    ".github/workflows/bench.yml": "on: push\njobs: {a: {runs-on: x, steps: [{run: make}]}}\n",
    "bench/a.ts": "export const total = (items: number[]) => items.length;\n",
}
"""Besides the change to Python, one file for each analyser of another language."""
BOUND = 1.3


def rows() -> list[Row]:
    """One row for each analyser against the slowest of them, and one for all together."""
    repository = django.repository()
    head = _change(repository)
    alone = [best(partial(_examine, repository, head, (analyser,))) for analyser in ANALYSERS]
    longest = max(alone)
    slowest = ANALYSERS[alone.index(longest)]
    # Turn by turn, so that what else the machine does weighs on both alike.
    turns = [
        (
            best(partial(_examine, repository, head, (slowest,)), 1),
            best(partial(_examine, repository, head, ANALYSERS), 1),
        )
        for _ in range(ROUNDS)
    ]
    by_itself, together = (min(times) for times in zip(*turns, strict=True))
    each = [
        Row(f"{analyser.name} on a small change", seconds, f"the slowest ({slowest.name})", longest, 1)
        for analyser, seconds in zip(ANALYSERS, alone, strict=True)
    ]
    return [*each, Row("all analysers together", together, f"{slowest.name} alone", by_itself, BOUND)]


def _change(repository: Path) -> str:
    """The commit of the small change with the files of other languages on top; made once, on no branch."""
    known = repository / ".git" / "bench-analysers"
    if known.is_file():
        return known.read_text()
    index = {"GIT_INDEX_FILE": str((repository / ".git" / "bench-index").absolute())}
    git = ("env", *(f"{name}={value}" for name, value in index.items()), "git", *IDENTITY)
    django.run(*git, "read-tree", "HEAD", cwd=repository)
    for path, text in SMALL_CHANGE.items():
        place = repository / ".git" / "bench-file"
        place.write_text(text)
        blob = django.run("git", "hash-object", "-w", place.absolute(), cwd=repository)
        django.run(*git, "update-index", "--add", "--cacheinfo", f"100644,{blob},{path}", cwd=repository)
    tree = django.run(*git, "write-tree", cwd=repository)
    head = django.run(*git, "commit-tree", tree, "-p", "HEAD~1", "-m", "A small change", cwd=repository)
    known.write_text(head)
    return head


def _examine(repository: Path, head: str, analysers: tuple[Analyser, ...]) -> None:
    with open_change(ChangeRequest(target=f"HEAD~1..{head}", repo=repository)) as opened:
        case = Case(opened.change, opened.repository, ignore_events)
        asyncio.run(_everybody(case, analysers))


async def _everybody(case: Case, analysers: tuple[Analyser, ...]) -> None:
    names = frozenset(analyser.name for analyser in ANALYSERS) - {analyser.name for analyser in analysers}
    specialists: list[MechanicalSpecialist] = mechanical_specialists(disabled=names)
    for reply in await asyncio.gather(*(specialist.examine(case) for specialist in specialists)):
        if reply.text is None:
            raise SystemExit(f"{reply.specialist} did not run: {[*reply.incomplete, *reply.not_run]}")
