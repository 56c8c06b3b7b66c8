"""What needs no model: how fast the command starts and reviews, and what its parts cost."""

import asyncio
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import grimp

from affidavit.analysers.engine.analyser import Analyser
from affidavit.analysers.engine.specialist import mechanical_specialists
from affidavit.analysers.registry import all_analysers
from affidavit.events import ignore_events
from affidavit.git.blob_cache import BlobCache
from affidavit.git.repository import commit_tree, open_repository
from affidavit.ports import Case
from affidavit.records.report import Reply
from affidavit.sandbox.choice import choose_sandbox
from affidavit.sandbox.job import Job, Sandbox
from affidavit.sandbox.provision import own_python
from affidavit.stages.intake import ChangeRequest, open_change
from affidavit.symbols.import_graph import ImportGraph, import_graph
from bench.measure import BIN, Row, Scale, best, call
from bench.repositories import SMALL, commit, repository, run

OTHER_LANGUAGES = {
    "bench/run.sh": "#!/bin/sh\nset -e\nprintf '%s\\n' \"$1\"\n",
    "bench/Dockerfile": "FROM debian:12\nRUN apt-get update && apt-get install -y curl\n",
    ".github/workflows/bench.yml": "on: push\njobs: {a: {runs-on: x, steps: [{run: make}]}}\n",
    "bench/a.ts": "export const total = (items: number[]) => items.length;\n",
}
"""Files that make every analyser run, beside the change to Python."""
SYNTAX_ERROR = "tests/test_runner_apps/tagged/tests_syntax_error.py"
"""A file of Django; grimp refuses a package with a syntax error, so both do without it."""
PEAK_MEMORY = """
import resource, sys
from pathlib import Path
from affidavit.symbols.import_graph import import_graph
from affidavit.git.repository import open_repository
with open_repository(Path(sys.argv[1]), sys.argv[2], sys.argv[2]) as opened:
    import_graph(opened.head).importers_of(sys.argv[3])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""
AT_ONCE = 10
LINTERS_BOUND = 6
"""Of the ratio to two linters that need no interpreter and keep nothing."""
NOTHING = ("python3", "-c", "pass")


def start(scale: Scale) -> Iterator[Row]:
    """Compare the start with that of a bare interpreter, and reviews of small changes with linters."""
    ours = best(lambda: call([BIN / "affidavit", "--version"]), scale.short_rounds)
    bare = best(lambda: call([sys.executable, "-c", "pass"]), scale.short_rounds)
    yield Row("affidavit --version", ours, "a bare interpreter", bare, 6)
    with tempfile.TemporaryDirectory() as folder:
        place = repository(Path(folder), SMALL)
        commit(place, "Describe", {"README.md": "# A shop\n"})
        env = {"AFFIDAVIT_CACHE": folder, "AFFIDAVIT_DATA": folder}

        def seconds(target: str, *options: str) -> float:
            command = [BIN / "affidavit", "review", target, "--format", "verdict", *options]
            # The first run finds what later ones know.
            call(command, place, env)
            return best(lambda: call(command, place, env), scale.short_rounds)

        checks = ([BIN / "ruff", "check", "--quiet"], [BIN / "ty", "check", "--exit-zero", "--quiet"])
        by_hand = best(lambda: [call(check, place) for check in checks], scale.short_rounds)
        for what, allowed, taken in (
            ("a small change, warm", 0.6, seconds("HEAD~1")),
            ("a small change, cold", 1.0, seconds("HEAD~1", "--no-cache")),
            ("a change of documents", 0.5, seconds("HEAD")),
        ):
            yield Row(what, taken, "what it may take", allowed, 1)
            yield Row("  the same", taken, "ruff and ty on head", by_hand, LINTERS_BOUND)


def review(scale: Scale) -> list[Row]:
    """Compare a review of a small change, cold and warm, with its slowest analyser alone on both sides."""
    place = repository(scale.folder, scale.project)
    checkouts = [_checkout(scale, revision) for revision in ("HEAD~1", "HEAD")]
    check = [BIN / "ty", "check", "--exit-zero", "--output-format", "concise"]
    command = [BIN / "affidavit", "review", "HEAD~1..HEAD", "--format", "verdict"]
    with tempfile.TemporaryDirectory() as folder:
        env = {"AFFIDAVIT_CACHE": folder, "AFFIDAVIT_DATA": folder}
        alone = best(lambda: [call(check, checkout) for checkout in checkouts], scale.rounds)
        cold = best(lambda: call([*command, "--no-cache"], place, env), scale.rounds)
        call(command, place, env)
        warm = best(lambda: call(command, place, env), scale.rounds)
    return [
        Row("review of a small change, cold", cold, "ty alone on base and head", alone, 1.3),
        Row("the same review, warm", warm, "cold", cold, 1 / 3),
    ]


def _checkout(scale: Scale, revision: str) -> Path:
    checkout = scale.folder / f"checkout-{revision}"
    if not checkout.is_dir():
        place = repository(scale.folder, scale.project)
        run("git", "worktree", "add", "--detach", checkout, revision, cwd=place)
    return checkout


def analysers(scale: Scale) -> list[Row]:
    """Compare all analysers together on a small change with the slowest of them alone."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "repository"
        run("git", "clone", "-q", repository(scale.folder, scale.project), place)
        commit(place, "Add other languages", OTHER_LANGUAGES)
        chosen = [one for one in all_analysers() if _examine(place, [one])]
        alone = [best(partial(_examine, place, [one]), scale.rounds) for one in chosen]
        slowest = chosen[alone.index(max(alone))]
        # In turns, so that what else the machine does affects both alike.
        turns = [
            [best(partial(_examine, place, some), 1) for some in ([slowest], chosen)]
            for _ in range(scale.rounds)
        ]
    by_itself, together = (min(times) for times in zip(*turns, strict=True))
    return [Row("all analysers together", together, f"{slowest.name} alone", by_itself, 1.3)]


def _examine(place: Path, chosen: Sequence[Analyser]) -> bool:
    """Run some analysers on the change; return whether any of them had something to read."""
    disabled = frozenset(one.name for one in all_analysers()) - {one.name for one in chosen}
    with open_change(ChangeRequest(target="HEAD~2..HEAD", repo=place)) as opened:
        case = Case(opened.change, opened.repository, ignore_events)
        replies = asyncio.run(_examine_all(case, disabled))
    for reply in replies:
        if reply.incomplete:
            raise RuntimeError(f"{reply.specialist} did not finish: {reply.incomplete}")
        if reply.not_run:
            print(f"analysers: {reply.not_run[0].reason}, so it is not measured")
    return any(reply.text is not None for reply in replies)


async def _examine_all(case: Case, disabled: frozenset[str]) -> list[Reply]:
    specialists = mechanical_specialists(disabled=disabled)
    return await asyncio.gather(*(specialist.examine(case) for specialist in specialists))


def imports(scale: Scale) -> list[Row]:
    """Compare the import graph, cold and warm, with grimp on the same files."""
    packages = scale.project.packages
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "files"
        head = _commit_python_files(scale, folder)
        with _importable(folder), open_repository(folder, head, head) as opened:

            def graph(cache: BlobCache | None) -> ImportGraph:
                # A new tree each time, so that its list of files is read each time as well.
                return import_graph(commit_tree(opened.store, head), cache=cache)

            theirs = best(lambda: grimp.build_graph(*packages, cache_dir=None), scale.rounds)
            cold = best(lambda: graph(None), scale.rounds)
            cache = BlobCache(Path(name) / "cache")
            files = len(graph(cache).paths)
            warm = best(lambda: graph(cache), scale.rounds)
        peak = run(sys.executable, "-c", PEAK_MEMORY, folder, head, scale.project.changed)
    print(f"import graph of {files} files: peak memory {peak} MB")
    return [
        Row(f"import graph of {scale.project.name}, cold", cold, "grimp on the same files", theirs, 3),
        Row("the same import graph, warm", warm, "grimp on the same files", theirs, 1),
    ]


def _commit_python_files(scale: Scale, folder: Path) -> str:
    """Commit the Python files of the project's packages into a new repository; return the commit."""
    source = repository(scale.folder, scale.project)
    for package in scale.project.packages:
        for file in (source / package).rglob("*.py"):
            place = folder / file.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, place)
    (folder / SYNTAX_ERROR).unlink(missing_ok=True)
    return commit(folder, "Python files")


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def programs(scale: Scale) -> list[Row]:
    """Compare a program that does nothing inside the sandbox and outside, alone and ten at once."""
    sandbox = choose_sandbox().sandbox
    if sandbox is None:
        print("programs: not measured, there is no sandbox here")
        return []
    with tempfile.TemporaryDirectory() as folder:
        plain = best(
            lambda: call([Path(sys.base_prefix) / "bin" / NOTHING[0], *NOTHING[1:]]), scale.short_rounds
        )
        inside = best(lambda: _run_inside(sandbox, folder), scale.short_rounds)
        together = best(lambda: _run_ten(sandbox, folder), scale.rounds)
    return [
        Row("a program that does nothing, sandboxed", inside, "the same without a sandbox", plain, 8),
        Row("ten of them at once", together, "ten of them one after the other", inside * AT_ONCE, 1),
    ]


def _run_inside(sandbox: Sandbox, folder: str) -> None:
    python = next(own_python())
    variables = {"PATH": ":".join((*python.search_path, "/usr/bin", "/bin"))}
    ended = sandbox.run(Job(NOTHING, Path(folder), mounts=python.mounts, variables=variables))
    if ended.state != "exited":
        raise RuntimeError(ended.detail)


def _run_ten(sandbox: Sandbox, folder: str) -> None:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda _: _run_inside(sandbox, folder), range(AT_ONCE)))
