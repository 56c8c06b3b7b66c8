"""The import graph of Django's files, cold and warm, against grimp on the same files."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grimp

from affidavit.git.blob_cache import BlobCache
from affidavit.git.repository import commit_tree, open_repository
from affidavit.symbols.import_graph import ImportGraph, import_graph
from bench import django
from bench.row import Row, best

PACKAGES = ("django", "tests")
# grimp refuses a package with a syntax error, so both do without this one.
BROKEN = "tests/test_runner_apps/tagged/tests_syntax_error.py"
IDENTITY = ("-c", "user.name=Bench", "-c", "user.email=bench@affidavit.example", "-c", "commit.gpgsign=false")
CHILD = """
import resource, sys
from pathlib import Path
from affidavit.symbols.import_graph import import_graph
from affidavit.git.repository import open_repository
with open_repository(Path(sys.argv[1]), sys.argv[2], sys.argv[2]) as opened:
    graph = import_graph(opened.head)
    graph.importers_of("django/utils/text.py")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def python_files(source: Path, folder: Path) -> str:
    """Commit the Python files of both packages into a repository of their own; its commit."""
    for package in PACKAGES:
        for file in (source / package).rglob("*.py"):
            place = folder / file.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, place)
    (folder / BROKEN).unlink()
    django.run("git", "init", "--quiet", cwd=folder)
    django.run("git", "add", "--all", cwd=folder)
    django.run("git", *IDENTITY, "commit", "--quiet", "--message", "Python files", cwd=folder)
    return django.run("git", "rev-parse", "HEAD", cwd=folder)


@contextmanager
def importable(folder: Path) -> Iterator[None]:
    """Have grimp find the packages of a folder."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def rows() -> list[Row]:
    """Cold and warm against grimp without its cache."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "files"
        commit = python_files(django.source(), folder)
        with importable(folder), open_repository(folder, commit, commit) as opened:

            def graph(cache: BlobCache | None) -> ImportGraph:
                # A new tree each time, so that its list of files is read each time as well.
                return import_graph(commit_tree(opened.store, commit), cache=cache)

            theirs = best(lambda: grimp.build_graph(*PACKAGES, cache_dir=None))
            cold = best(lambda: graph(None))
            cache = BlobCache(Path(name) / "cache")
            graph(cache)
            warm = best(lambda: graph(cache))
            print(
                f"import graph of {len(graph(cache).paths)} files: peak memory {peak_mb(folder, commit)} MB"
            )
    return [
        Row("import graph of Django, cold", cold, "grimp on the same files", theirs, 3),
        Row("the same import graph, warm", warm, "grimp on the same files", theirs, 1),
    ]


def peak_mb(folder: Path, commit: str) -> int:
    """The peak memory of a process that makes the graph and asks it one question."""
    child = [sys.executable, "-c", CHILD, str(folder), commit]
    return int(subprocess.run(child, check=True, capture_output=True, text=True).stdout)


if __name__ == "__main__":
    for row in rows():
        print(row.line())
