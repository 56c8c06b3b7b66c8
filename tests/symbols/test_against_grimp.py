"""Import edges of real packages against those of grimp, which reads them by itself from a folder."""

import shutil
from pathlib import Path

import grimp
import pytest

from affidavit.git.repository import open_repository
from affidavit.symbols.import_graph import ImportGraph, import_graph
from import_edges import pairs, unresolved
from repositories import Repo

Edges = set[tuple[str, str]]


def our_edges(repo: Repo) -> tuple[Edges, ImportGraph]:
    commit = repo.commit("The package")
    with open_repository(repo.path, commit, commit) as opened:
        found = import_graph(opened.head)
    return {(module_name(importer), module_name(imported)) for importer, imported in pairs(found)}, found


def module_name(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def grimp_edges(package: str) -> Edges:
    graph = grimp.build_graph(package, cache_dir=None)
    return {
        (importer, module)
        for module in graph.modules
        for importer in graph.find_modules_that_directly_import(module)
    }


def copied(package: str, repo: Repo) -> None:
    module = pytest.importorskip(package)
    kept = shutil.ignore_patterns("__pycache__", "*.so", "*.pyi")
    shutil.copytree(Path(module.__file__).parent, repo.path / package, ignore=kept)


@pytest.mark.parametrize(
    ("package", "only_grimp"),
    [
        ("click", set()),
        ("hypothesis", set()),
        ("pydantic", set()),
        # These modules import themselves where they are run as a script: nothing depends on that.
        ("rich", {("rich.box", "rich.box"), ("rich.live", "rich.live")}),
    ],
)
def test_the_edges_of_a_real_package_equal_those_of_grimp(
    repo: Repo, package: str, only_grimp: Edges
) -> None:
    copied(package, repo)
    ours, _ = our_edges(repo)
    theirs = grimp_edges(package)
    assert len(theirs) > 50
    assert ours - theirs == set()
    assert {edge for edge in theirs - ours if edge[0] != edge[1]} == set()
    assert only_grimp <= theirs - ours


def test_an_import_of_a_missing_module_is_unresolved_where_grimp_takes_the_package(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A module that a change removes must show as missing at its importers.
    repo.write({"gone_pkg/__init__.py": "", "gone_pkg/a.py": "import gone_pkg.removed\n"})
    monkeypatch.syspath_prepend(str(repo.path))
    ours, found = our_edges(repo)
    assert grimp_edges("gone_pkg") == {("gone_pkg.a", "gone_pkg")}
    assert ours == set()
    assert unresolved(found) == ["gone_pkg.removed"]
