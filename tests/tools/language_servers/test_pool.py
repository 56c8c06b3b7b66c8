"""Servers that stay up between questions: started when asked, given up when they fail, ended for certain."""

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_server import fake_servers, without_walls

from affidavit.agents.panel import Panel, assemble_readers, made_precise
from affidavit.analysers.engine.execution import Limits
from affidavit.events import ignore_events
from affidavit.git.repository import open_repository
from affidavit.git.tree import GitTree
from affidavit.ports import Case
from affidavit.records.context import Reference, Symbol
from affidavit.symbols.definitions import symbols_of
from affidavit.symbols.import_graph import import_graph
from affidavit.symbols.references import find_references
from affidavit.tools.language_server import TSC, TY, ServerPool, find_servers
from affidavit.tools.toolbox import Toolbox
from python_changes import make_case, read_change
from repositories import Repo

FILES = {
    "cart.py": "class Cart:\n    def pay(self) -> int:\n        return 1\n",
    "knows.py": "from cart import Cart\n\ncart = Cart()\ncart.pay()\n",
}
# Answers everything with the same place, and writes its process id for each start.
LASTING = """
import os
with open({log!r}, "a") as log:
    log.write(f"{{os.getpid()}}\\n")
while True:
    send({{'id': asked('textDocument/references')['id'], 'result': [at('knows.py', 4)]}})
"""


@pytest.fixture
def tree(repo: Repo) -> Iterator[GitTree]:
    commit = repo.commit("Files", FILES)
    with open_repository(repo.path, commit, commit) as opened:
        yield opened.head


def question(tree: GitTree) -> tuple[list[Reference], list[Symbol]]:
    symbols = [one for one in symbols_of(tree, "cart.py") if one.name == "pay"]
    return find_references(symbols, tree, import_graph(tree))[0], symbols


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_server_is_started_once_and_ended_with_the_pool(tree: GitTree, tmp_path: Path) -> None:
    log = tmp_path / "starts"
    found, symbols = question(tree)
    with ServerPool(fake_servers(tmp_path, LASTING.format(log=str(log))), walls=without_walls) as pool:
        assert not log.exists()
        for _ in range(3):
            confirmed, said = pool.confirm(found, symbols, tree)
            assert ([one.certainty for one in confirmed], said) == (["certain"], [])
        (process,) = map(int, log.read_text().split())
        assert is_running(process)
    assert not is_running(process)
    assert pool.confirm(found, symbols, tree) == (found, [])


def test_a_pool_that_nobody_holds_any_more_ends_its_servers(tree: GitTree, tmp_path: Path) -> None:
    log = tmp_path / "starts"
    pool = ServerPool(fake_servers(tmp_path, LASTING.format(log=str(log))), walls=without_walls)
    pool.confirm(*question(tree), tree)
    (process,) = map(int, log.read_text().split())
    del pool
    gc.collect()
    assert not is_running(process)


def test_a_server_that_fails_is_asked_no_more_and_that_is_said_once(tree: GitTree, tmp_path: Path) -> None:
    found, symbols = question(tree)
    with ServerPool(
        fake_servers(tmp_path, "sys.exit(3)"), walls=without_walls, limits=Limits(timeout_seconds=20)
    ) as pool:
        first, said = pool.confirm(found, symbols, tree)
        again, said_again = pool.confirm(found, symbols, tree)
    assert (first, again) == (found, found)
    assert (len(said), said_again) == (1, [])


def test_a_server_that_is_not_installed_is_said_once_where_it_would_have_helped(tree: GitTree) -> None:
    found, symbols = question(tree)
    with ServerPool({TY: None, TSC: None}) as pool:
        confirmed, said = pool.confirm(found, symbols, tree)
        again = pool.confirm(found, symbols, tree)
    sentence = "ty could not make the references more precise: it is not installed"
    assert (confirmed, said) == (found, [sentence])
    assert again == (found, [])


def test_readers_made_precise_share_the_imports_with_the_plain_ones(tree: GitTree, tmp_path: Path) -> None:
    readers = assemble_readers()
    _, symbols = question(tree)
    with ServerPool(
        fake_servers(tmp_path, LASTING.format(log=str(tmp_path / "starts"))), walls=without_walls
    ) as pool:
        precise = made_precise(readers, pool)
        found, _ = precise.find_references(symbols, tree, precise.imports(tree))
    assert [one.certainty for one in found] == ["certain"]
    assert readers.imports(tree) is precise.imports(tree)


def test_the_tools_of_models_ask_the_servers_and_the_map_does_not(repo: Repo, tmp_path: Path) -> None:
    log = tmp_path / "starts"
    case = make_case(repo, FILES, {"cart.py": FILES["cart.py"].replace("return 1", "return 2")})
    with (
        case.repository,
        ServerPool(fake_servers(tmp_path, LASTING.format(log=str(log))), walls=without_walls) as pool,
    ):
        panel = Panel({}, servers=pool)
        given = Case(case.change, case.repository, ignore_events)
        panel.context(given)
        assert not log.exists()
        answer = panel.tools(given).call("find_references", {"symbol": "Cart.pay"})
    assert [row["certainty"] for row in answer["references"]] == ["certain"]
    assert answer["references"][0]["verification_method"].endswith("fake resolves it to the definition")


def test_ty_says_which_definition_a_use_means(repo: Repo) -> None:
    other = "class Other:\n    def pay(self) -> str:\n        return ''\n"
    commit = repo.commit("Files", {**FILES, "another.py": other})
    servers = {server: path for server, path in find_servers(reviewed_folder=None).items() if server is TY}
    assert servers, "ty is part of the development environment"
    with open_repository(repo.path, commit, commit) as opened, ServerPool(servers) as pool:
        known = pool.resolve(opened.head, "knows.py", 4, "pay")
        toolbox = Toolbox(
            opened, read_change(repo.path, commit, commit), made_precise(assemble_readers(), pool)
        )
        answer = toolbox.call("find_definition", {"symbol": "pay", "file_path": "knows.py", "line_number": 4})
        nowhere = pool.resolve(opened.head, "knows.py", 99, "pay")
    assert known == ({("cart.py", 2)}, "ty")
    assert [one["file_path"] for one in answer["definitions"]] == ["cart.py", "another.py"]
    assert answer["meant"] == "the first, as ty resolves it"
    assert nowhere == (frozenset(), "ty")


def test_a_server_that_dies_resolves_nothing(tree: GitTree, tmp_path: Path) -> None:
    with ServerPool(fake_servers(tmp_path, "sys.exit(3)"), walls=without_walls) as pool:
        assert pool.resolve(tree, "knows.py", 4, "pay") == (frozenset(), "")
        assert pool.resolve(tree, "knows.py", 4, "pay") == (frozenset(), "")


def test_a_named_server_is_taken_and_one_that_cannot_be_used_is_missing(tmp_path: Path) -> None:
    named = {TSC.name: Path(sys.executable)}
    assert find_servers(reviewed_folder=None, programs=named)[TSC] == Path(sys.executable)
    inside = tmp_path / "tsc"
    inside.write_text("#!/bin/sh\n")
    inside.chmod(0o755)
    for program in (inside, Path("node_modules/tsc"), tmp_path / "nothing"):
        assert find_servers(reviewed_folder=tmp_path, programs={TSC.name: program})[TSC] is None
