"""Repositories that mean harm to who asks a language server about them: nothing of the machine comes out."""

import json
import os
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from fake_server import FAKE

from affidavit.analysers.engine.execution import has_walls, parts_of
from affidavit.git.repository import open_repository
from affidavit.git.tree import GitTree
from affidavit.symbols.definitions import symbols_of
from affidavit.tools.language_server import TSC, TY, ServerPool, ServerProgram, find_servers
from repositories import Repo

SECRET = "quite-private-literal"
SYSTEM_PYTHON = Path("/usr/bin/python3")
needs_walls = pytest.mark.skipif(
    not has_walls() or not SYSTEM_PYTHON.exists(), reason="this system does not let us build walls"
)


@pytest.fixture
def private(tmp_path: Path) -> Path:
    """A folder of the user's, with modules that hold a secret."""
    folder = tmp_path / "private"
    folder.mkdir()
    (folder / "secrets.ts").write_text(f'export const token = "{SECRET}"\n')
    (folder / "private_secrets.py").write_text(f'from typing import Final\nTOKEN: Final = "{SECRET}"\n')
    return folder


@pytest.fixture
def tree(repo: Repo) -> Iterator[GitTree]:
    commit = repo.commit("Files", {"app.py": "stolen = 1\n\n\ndef run():\n    return stolen\n"})
    with open_repository(repo.path, commit, commit) as opened:
        yield opened.head


def definitions_of(
    repo: Repo,
    files: Mapping[str, str],
    places: Sequence[tuple[str, int, str]],
    servers: Mapping[ServerProgram, Path | None],
) -> list[list[str]]:
    """Return the files that define the names at these places, as the servers say."""
    commit = repo.commit("Files", files)
    with open_repository(repo.path, commit, commit) as opened, ServerPool(servers) as pool:
        answers = [pool.resolve(opened.head, *place) for place in places]
    return [sorted(path for path, _ in found) for found, _ in answers]


def found(server: ServerProgram) -> dict[ServerProgram, Path | None]:
    told = os.environ.get("AFFIDAVIT_TEST_TSC")
    programs = {"tsc": Path(told)} if told else {}
    servers = find_servers(reviewed_folder=None, programs=programs)
    if servers[server] is None:
        pytest.skip(f"there is no {server.name} here")
    return {server: servers[server]}


def test_typescript_reads_no_file_beside_its_checkout(repo: Repo, private: Path) -> None:
    files = {
        "tsconfig.json": f'{{"extends": "{private}/base.json", "include": ["{private}/*", "./*"]}}',
        "a.ts": f'import {{ token }} from "{private}/secrets"\nexport const stolen = token\n'
        "export const own = 'seen'\n",
    }
    stolen, own = definitions_of(repo, files, [("a.ts", 2, "token"), ("a.ts", 3, "own")], found(TSC))
    assert set(stolen) <= {"a.ts"}
    assert own == ["a.ts"]


def test_ty_takes_no_setting_of_the_repository(repo: Repo, private: Path) -> None:
    files = {
        "ty.toml": f'[environment]\nextra-paths = ["{private}"]\n',
        "pyproject.toml": f'[tool.ty.environment]\nextra-paths = ["{private}"]\n',
        "app.py": "from private_secrets import TOKEN\n\nstolen = TOKEN\nown = 'seen'\n",
    }
    stolen, own = definitions_of(repo, files, [("app.py", 3, "TOKEN"), ("app.py", 4, "own")], found(TY))
    assert set(stolen) <= {"app.py"}
    assert own == ["app.py"]


def test_no_link_of_the_repository_is_laid_before_a_server(repo: Repo, private: Path) -> None:
    repo.write({"app.py": "from private_secrets import TOKEN\n\nstolen = TOKEN\n"})
    (repo.path / "private_secrets.py").symlink_to(private / "private_secrets.py")
    assert set(definitions_of(repo, {}, [("app.py", 3, "TOKEN")], found(TY))[0]) <= {"app.py"}


def curious_server(folder: Path, *wanted: str, port: int = 1) -> dict[ServerProgram, Path | None]:
    """A server that answers with what it could open of these, and of a port."""
    program = folder / "bin" / "server"
    program.parent.mkdir()
    answer = f"""
import os, socket
def opened(path):
    try:
        return open(path).read() if os.path.isfile(path) else str(sorted(os.listdir(path)))
    except OSError as error:
        return type(error).__name__
def dialled():
    try:
        socket.create_connection(("127.0.0.1", {port}), 1)
    except OSError as error:
        return str(error)
from urllib.parse import quote
request = asked('textDocument/definition')
said = json.dumps([*map(opened, {list(wanted)}), os.getcwd(), dialled()])
send({{'id': request['id'], 'result': at(quote(said), 1)}})
time.sleep(600)
"""
    program.write_text(f"#!{SYSTEM_PYTHON}\n{FAKE}{answer}")
    program.chmod(0o755)
    server = ServerProgram("curious", (), frozenset(("python",)), (".py",))
    return {server: program}


@needs_walls
def test_a_server_sees_its_checkout_and_the_system_alone(
    tree: GitTree, private: Path, tmp_path: Path
) -> None:
    secret = private / "private_secrets.py"
    places = (str(secret), f"/proc/{os.getpid()}/root{secret}", str(Path.home()), "/etc", "app.py")
    with socket.create_server(("127.0.0.1", 0)) as service:
        port = service.getsockname()[1]
        with ServerPool(curious_server(tmp_path, *places, port=port)) as pool:
            answer = pool.resolve(tree, "app.py", 1, "stolen")
    ((said, _),) = answer[0]
    *hidden, seen, folder, dialled = json.loads(said)
    assert hidden == ["FileNotFoundError"] * 4
    assert (seen.split("\n")[0], Path(folder).name) == ("stolen = 1", "checkout")
    assert "refused" in (dialled or "connected")


def running_commands() -> Iterator[bytes]:
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        # Other processes end at any time.
        with suppress(OSError):
            yield place.read_bytes()


@needs_walls
def test_behind_walls_nothing_is_left_running(tree: GitTree, tmp_path: Path) -> None:
    servers = curious_server(tmp_path)
    with ServerPool(servers) as pool:
        assert pool.resolve(tree, "app.py", 1, "stolen")[1] == "curious"
    (program,) = servers.values()
    until = time.monotonic() + 10
    while is_left := any(str(program).encode() in command for command in running_commands()):
        # The kernel ends what was in the namespace a moment after its first process.
        if time.monotonic() > until:
            break
        time.sleep(0.05)
    assert not is_left


def test_without_a_sandbox_no_server_is_started_and_that_is_said(tree: GitTree, tmp_path: Path) -> None:
    symbols = symbols_of(tree, "app.py")
    with ServerPool(curious_server(tmp_path), walls=lambda *_: None) as pool:
        found, said = pool.confirm([], symbols, tree)
        assert pool.resolve(tree, "app.py", 1, "stolen") == (frozenset(), "")
    assert found == []
    assert said == ["curious could not make the references more precise: this system has no sandbox for it"]


def test_behind_walls_a_program_has_its_package_and_its_parts_wherever_they_lie(tmp_path: Path) -> None:
    modules, kept = tmp_path / "node_modules", tmp_path / "kept" / "typescript-linux"
    for folder in (modules / "typescript" / "bin", modules / "@typescript", kept, modules / "other"):
        folder.mkdir(parents=True)
    (modules / "typescript" / "package.json").write_text("{}")
    (modules / "@typescript" / "linux").symlink_to(kept)
    program = modules / "typescript" / "bin" / "tsc"
    assert parts_of(program) == [modules / "typescript", modules / "@typescript", kept]
    assert parts_of(tmp_path / "bin" / "tsc") == [tmp_path / "bin"]
