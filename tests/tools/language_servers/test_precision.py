"""What a language server adds to references, and that a bad one takes nothing away."""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from fake_server import fake_servers, without_walls

from affidavit.analysers.engine.execution import Limits, walled
from affidavit.git.repository import open_repository
from affidavit.git.tree import GitTree
from affidavit.records.context import Reference, Symbol
from affidavit.symbols.definitions import symbols_of
from affidavit.symbols.import_graph import import_graph
from affidavit.symbols.references import find_references
from affidavit.tools.language_server import LIMITS, TSC, TY, ServerPool, ServerProgram, find_servers
from repositories import Repo

FILES = {
    "cart.py": "class Cart:\n    def pay(self) -> int:\n        return 1\n",
    "knows.py": "from cart import Cart\n\ncart = Cart()\ncart.pay()\n",
    "stranger.py": "def run(thing):\n    return thing.pay()\n",
}

BEHAVIOURS = {
    "hangs": "time.sleep(600)",
    "dies": "sys.exit(3)",
    "prints garbage": "print('oops ' * 2000, flush=True); time.sleep(600)",
    "answers nonsense": (
        "send({'id': asked('textDocument/references')['id'], 'result': [1, {}, {'uri': 5}]}); time.sleep(600)"
    ),
    "floods": "while True: send({'method': 'window/logMessage', 'params': {'message': 'x' * 1000}})",
}


@pytest.fixture
def tree(repo: Repo) -> Iterator[GitTree]:
    commit = repo.commit("Files", FILES)
    with open_repository(repo.path, commit, commit) as opened:
        yield opened.head


def confirm_references(
    references: Sequence[Reference],
    symbols: Sequence[Symbol],
    tree: GitTree,
    servers: Mapping[ServerProgram, Path],
    limits: Limits = LIMITS,
) -> tuple[list[Reference], list[str]]:
    is_fake = any(server.name == "fake" for server in servers)
    with ServerPool(servers, limits=limits, walls=without_walls if is_fake else walled) as pool:
        return pool.confirm(references, symbols, tree)


def asked(
    tree: GitTree, servers: Mapping[ServerProgram, Path], seconds: float = 20
) -> tuple[list[Reference], list[str]]:
    symbols = [one for one in symbols_of(tree, "cart.py") if one.name == "pay"]
    found, _ = find_references(symbols, tree, import_graph(tree))
    assert {one.certainty for one in found} == {"likely", "possible"}
    return confirm_references(found, symbols, tree, servers, Limits(timeout_seconds=seconds))


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_a_bad_server_costs_nothing_but_its_precision(behaviour: str, tree: GitTree, tmp_path: Path) -> None:
    started = time.monotonic()
    found, said = asked(tree, fake_servers(tmp_path, BEHAVIOURS[behaviour]), seconds=2)
    assert [(one.path, one.certainty) for one in found] == [
        ("knows.py", "likely"),
        ("stranger.py", "possible"),
    ]
    failures = [one for one in said if one.startswith("fake could not make the references more precise: ")]
    assert len(failures) == len(said) == (behaviour != "answers nonsense")
    # Far above the limit of two seconds, and far below what the server would take.
    assert time.monotonic() - started < 300


def test_a_server_that_cannot_be_started_is_said(tree: GitTree, tmp_path: Path) -> None:
    servers = dict.fromkeys(fake_servers(tmp_path, ""), tmp_path / "nothing")
    assert len(asked(tree, servers, seconds=5)[1]) == 1


def test_a_place_that_the_server_names_is_certain(tree: GitTree, tmp_path: Path) -> None:
    telling = """
outside = {'uri': 'file:///etc/passwd', 'range': at('x', 1)['range']}
answer = [at('knows.py', 4), at('../../etc/passwd', 1), outside]
send({'id': asked('textDocument/references')['id'], 'result': answer})
time.sleep(600)
"""
    found, said = asked(tree, fake_servers(tmp_path, telling))
    assert said == []
    assert [(one.path, one.certainty) for one in found] == [
        ("knows.py", "certain"),
        ("stranger.py", "possible"),
    ]
    assert found[0].verification_method.endswith("; fake resolves it to the definition")


def test_a_question_of_the_server_is_answered(tree: GitTree, tmp_path: Path) -> None:
    asking = """
question = asked('textDocument/references')
send({'id': 'a', 'method': 'workspace/configuration', 'params': {'items': [{}, {}]}})
assert 'error' in receive()
send({'id': 'b', 'method': 'strange/thing'})
assert 'error' in receive()
send({'id': question['id'], 'result': [at('knows.py', 4)]})
time.sleep(600)
"""
    found, said = asked(tree, fake_servers(tmp_path, asking))
    assert (found[0].certainty, said) == ("certain", [])


def test_ty_knows_the_method_of_a_typed_object_and_is_silent_on_the_rest(tree: GitTree) -> None:
    servers = {server: path for server, path in find_servers(reviewed_folder=None).items() if server is TY}
    assert servers, "ty is part of the development environment"
    found, said = asked(tree, servers)
    assert said == []
    # The silence on stranger.py leaves it possible: somebody may hand a cart in.
    assert [(one.path, one.certainty) for one in found] == [
        ("knows.py", "certain"),
        ("stranger.py", "possible"),
    ]


def test_typescript_knows_who_calls(repo: Repo) -> None:
    told = os.environ.get("AFFIDAVIT_TEST_TSC")
    programs = {"tsc": Path(told)} if told else {}
    servers = {
        one: path for one, path in find_servers(reviewed_folder=None, programs=programs).items() if one is TSC
    }
    if None in servers.values():
        pytest.skip("there is no TypeScript 7 here: name its tsc in AFFIDAVIT_TEST_TSC")
    commit = repo.commit(
        "Files",
        {
            "a.ts": "export class Cart {\n  pay() {}\n}\n",
            "b.ts": "import { Cart } from './a'\n\nnew Cart().pay()\n",
        },
    )
    with open_repository(repo.path, commit, commit) as opened:
        symbols = [one for one in symbols_of(opened.head, "a.ts") if one.name == "pay"]
        searched, _ = find_references(symbols, opened.head, import_graph(opened.head))
        found, said = confirm_references(searched, symbols, opened.head, servers)
    assert (said, [(one.path, one.line, one.certainty) for one in found]) == ([], [("b.ts", 3, "certain")])


def test_a_server_inside_of_the_reviewed_repository_is_not_taken(tmp_path: Path) -> None:
    program = tmp_path / "tsc"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    found = find_servers(reviewed_folder=tmp_path)
    assert program not in found.values()
