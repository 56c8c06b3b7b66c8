"""Programs on both sides of real changes."""

import re
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from affidavit.git.repository import open_repository
from affidavit.proof.running.own_names import NOTHING_OWN
from affidavit.proof.running.reproduction import outcome_of
from affidavit.records.finding import Expected, Reproduction
from affidavit.records.program_runs import AddedFile, Program, ProgramRun, RunLimits
from affidavit.sandbox.bubblewrap import Bubblewrap
from affidavit.sandbox.copies import LAUNCHER, command_of, file_of, version_files
from affidavit.sandbox.job import Ended, Job
from affidavit.sandbox.provision import Provision, provide
from affidavit.sandbox.sides import SandboxedSides
from repositories import Repo

Opened = Callable[..., SandboxedSides]


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo(tmp_path / "repo")
    (tmp_path / "secret").write_text("of the user")
    repo.write({"shop/price.py": "def price(n):\n    return n * 2\n", "run.sh": "echo ran\n"})
    (repo.path / "run.sh").chmod(0o755)
    (repo.path / "leak").symlink_to(tmp_path / "secret")
    (repo.path / "alias.sh").symlink_to("run.sh")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "base")
    repo.write({"shop/price.py": "def price(n):\n    return n * 3\n"})
    repo.git("commit", "-q", "-a", "-m", "head")
    return repo


@pytest.fixture
def sides(repo: Repo, sandbox: Bubblewrap) -> Iterator[Opened]:
    opened = []

    def open_sides(provision: Provision | None = None, limits: RunLimits | None = None) -> SandboxedSides:
        base, head = repo.git("rev-parse", "HEAD~1"), repo.git("rev-parse", "HEAD")
        repository = open_repository(repo.path, base, head)
        made = SandboxedSides(repository, sandbox, provision or provide(()), limits or RunLimits())
        opened.extend((made, repository))
        return made

    yield open_sides
    for one in opened:
        one.close()


def test_a_program_sees_the_code_of_its_side(sides: Opened) -> None:
    program = Program(language="python", text="from shop.price import price\nprint(price(7))\n")
    both = sides()
    assert both.run(program, "base").output == "14\n"
    assert both.run(program, "head").output == "21\n"


def test_a_program_in_another_language_runs_at_the_root_of_the_copy(sides: Opened) -> None:
    assert sides().run(
        Program(language="shell", text="./run.sh && ./alias.sh && ls shop"), "head"
    ).output == ("ran\nran\nprice.py\n")


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node here")
def test_node_runs_both_kinds_of_modules(sides: Opened) -> None:
    both = sides()
    old = Program(language="javascript", text="console.log(require('fs').existsSync('run.sh'))")
    new = Program(language="node", text="import fs from 'fs'\nconsole.log(fs.existsSync('run.sh'))")
    assert [both.run(one, "head").output for one in (old, new)] == ["true\n", "true\n"]


TYPED = """import { price } from "./src/price";
import { label } from "./src/labels/label.js";
enum Kind { Cheap, Dear }
console.log(label(price(2) satisfies number), Kind.Dear);
"""
SOURCES = (
    AddedFile(path="src/price.ts", content="export const price = (n: number): number => n * 3;"),
    AddedFile(path="src/labels/label.ts", content="export { label } from '..';"),
    AddedFile(path="src/index.ts", content="export const label = (n: unknown): string => `${n} cents`;"),
)


def test_typescript_runs_with_imports_as_a_compiler_resolves_them(sides: Opened, tmp_path: Path) -> None:
    # A Node that cannot do it comes first on the path, as the one of many systems does.
    old = tmp_path / "old" / "bin"
    old.mkdir(parents=True)
    (old / "node").write_text("#!/bin/sh\nexit 0\n")
    (old / "node").chmod(0o755)
    given = Provision((old,), (str(old),)).plus(provide(()))
    run = sides(given).run(Program(language="ts", text=TYPED, files=SOURCES), "head")
    assert (run.exit_code, run.output) == (0, "6 cents 1\n")


def test_an_import_that_leads_nowhere_fails_as_it_does_without_us(sides: Opened) -> None:
    run = sides().run(Program(language="typescript", text='import { x } from "./src/gone";'), "head")
    assert run.exit_code == 1
    assert "Cannot find module '/side/src/gone'" in run.output
    assert "data:text/javascript" not in run.output


def test_without_a_node_for_typescript_it_says_what_is_missing(tmp_path: Path) -> None:
    found = tuple(shutil.which(part) or part for part in LAUNCHER[:1])
    ended = subprocess.run(
        [*found, *LAUNCHER[1:], "a.mts"],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (127, "node-22.18-or-newer: not found\n")
    run = ProgramRun(side="head", state="exited", exit_code=127, output=ended.stderr)
    offered = Reproduction(language="ts", program="1", expected_at_head=Expected(exit_code=1))
    outcome, detail = outcome_of(offered, run, [run, run], NOTHING_OWN)
    assert outcome == "could_not_run"
    assert detail.startswith("node-22.18-or-newer is not there")


def test_a_program_in_go_lies_beside_no_package_of_the_root() -> None:
    file = file_of("go", "package main")
    assert file == "affidavit_reproduction/main.go"
    assert command_of("go", file) == ("go", "run", file)


def test_a_program_brings_files_of_its_own(sides: Opened) -> None:
    added = AddedFile(path="deep/down/data.txt", content="7")
    program = Program(language="python", text="print(open('deep/down/data.txt').read())", files=(added,))
    assert sides().run(program, "head").output == "7\n"


def test_a_program_cannot_put_its_own_code_in_the_place_of_the_change_s(sides: Opened) -> None:
    forged = AddedFile(path="shop/price.py", content="def price(n): raise ValueError")
    run = sides().run(Program(language="python", text="", files=(forged,)), "head")
    assert (run.state, run.exit_code) == ("not_started", None)
    assert "may add files, not replace them" in run.detail


@pytest.mark.parametrize(
    "path",
    [
        "shop/price/__init__.py",
        "shop/price.so",
        "src/shop/price.py",
        "sitecustomize.py",
        "usercustomize/__init__.py",
        "tests/conftest.py",
        "web/price/index.js",
        "web/price.ts",
        "node_modules/shop-web/index.js",
        "node_modules/helper/index.js",
        "web/package.json",
    ],
)
def test_no_added_file_stands_before_code_of_the_change(sides: Opened, repo: Repo, path: str) -> None:
    web = {"web/price.js": "", "helper.js": "", "package.json": '{"name": "shop-web"}'}
    repo.write({"shop/price.py": "", **web})
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "web")
    program = Program(language="sh", text="", files=(AddedFile(path=path, content=""),))
    run = sides().run(program, "head")
    assert run.state == "not_started"
    assert "may add files, not replace them" in run.detail


def test_files_that_stand_before_nothing_are_added(sides: Opened) -> None:
    paths = ("shop/price.txt", "shop/other.py", "yaml.py", "node_modules/left-pad/index.js", "shop/price.js")
    files = tuple(AddedFile(path=path, content="") for path in paths)
    assert sides().run(Program(language="sh", text="", files=files), "head").exit_code == 0


STOPS = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
print(libc.ptrace(0x4206, 1, None, None), ctypes.get_errno())
"""


def test_no_program_can_take_hold_of_the_first_process_of_its_sandbox(sides: Opened) -> None:
    assert sides().run(Program(language="python", text=STOPS), "head").output == "-1 1\n"


@pytest.mark.parametrize("path", ["../out", "/etc/x", ".git/config", "a/../../b"])
def test_no_file_is_added_outside_of_the_copy(sides: Opened, path: str) -> None:
    program = Program(language="python", text="", files=(AddedFile(path=path, content=""),))
    assert sides().run(program, "head").state == "not_started"


def test_a_link_that_leads_out_leads_nowhere(sides: Opened, tmp_path: Path) -> None:
    program = Program(language="python", text="print(open('leak').read())")
    run = sides().run(program, "head")
    assert run.exit_code == 1
    assert "of the user" not in run.output
    shown = provide(()).plus(Provision((tmp_path / "secret",)))
    assert "of the user" in sides(shown).run(program, "head").output


def test_the_history_of_the_repository_is_not_there(sides: Opened, repo: Repo) -> None:
    text = (
        "import os, sys\nprint([os.path.exists(p) for p in ('.git', '/affidavit/source/.git', sys.argv[0])])"
    )
    run = sides().run(Program(language="python", text=text), "head")
    assert run.output == "[False, False, True]\n"
    assert str(repo.path) not in sides().run(Program(language="sh", text="env; ls -d /*"), "head").output


KNOWN = """
import os, pwd, socket
server = socket.create_server(("localhost", 0))
socket.create_connection(("localhost", server.getsockname()[1]))
print(pwd.getpwuid(os.getuid()).pw_dir, os.path.expanduser("~user"), sorted(os.listdir("/etc")))
print(open("/etc/hosts").read(), open("/etc/passwd").read())
"""


def test_a_program_knows_localhost_and_its_own_user_and_no_other(sides: Opened) -> None:
    run = sides().run(Program(language="python", text=KNOWN), "head")
    assert run.exit_code == 0, run.output
    assert run.output.startswith("/tmp/home /tmp/home ")
    assert {"hosts", "passwd", "group", "nsswitch.conf"} <= set(re.findall(r"'([\w.]+)'", run.output))
    assert not {"shadow", "resolv.conf", "ssl"} & set(re.findall(r"'([\w.]+)'", run.output))
    assert [line.split()[0] for line in run.output.splitlines()[1:3]] == ["127.0.0.1", "::1"]
    assert "root" not in run.output


def test_no_program_can_print_a_secret_of_the_repository(sides: Opened, repo: Repo) -> None:
    key = "AKIA" + "Q4F7ZK2M9XB1WT5R"
    repo.write({"settings.py": f'AWS_ACCESS_KEY_ID = "{key}"\n'})
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "secret")
    text = "import settings\nprint(settings.AWS_ACCESS_KEY_ID[::-1])"
    run = sides().run(Program(language="python", text=text), "head")
    assert run.exit_code == 0
    assert key[::-1] not in run.output


def test_a_language_that_is_not_here_is_said_with_those_that_are(sides: Opened) -> None:
    run = sides().run(Program(language="cobol", text="STOP RUN."), "head")
    assert run.state == "not_started"
    assert "python" in run.detail


def test_a_program_is_ended_at_its_time(sides: Opened) -> None:
    run = sides().run(Program(language="sh", text="echo begun; sleep 60"), "head", seconds=0.5)
    assert (run.state, run.exit_code, run.output) == ("timed_out", None, "begun\n")
    assert run.summary == "ended: it took too long"


def test_ten_programs_run_at_once_and_do_not_meet(sides: Opened) -> None:
    both = sides()
    texts = [f"echo {n} > own; sleep 0.2; cat own; ls | wc -l" for n in range(10)]
    with ThreadPoolExecutor(10) as pool:
        runs = list(pool.map(lambda text: both.run(Program(language="sh", text=text), "head"), texts))
    assert [run.output.split()[0] for run in runs] == [str(n) for n in range(10)]
    assert len({run.output.split()[1] for run in runs}) == 1


OPTIONAL = """try:
    import a_package_that_nobody_has as fast
except ImportError:
    fast = None
try:
    import winreg
except ImportError:
    pass
from importlib.util import find_spec
find_spec("another_one")
find_spec("json.nothing")
print(fast, [one for one in __import__("sys").path if "affidavit" in one])
"""


def test_a_package_that_code_looks_for_in_vain_is_noted_also_where_it_catches_that(sides: Opened) -> None:
    library = AddedFile(path="library.py", content=OPTIONAL)
    both = sides()
    run = both.run(Program(language="python", text="import library, json", files=(library,)), "head")
    # What only other systems have and parts of a package are no packages that an environment lacks.
    assert run.missing == ("a_package_that_nobody_has", "another_one")
    assert (run.exit_code, run.output) == (0, "None []\n")
    # Whatever starts it, and whoever asks on behalf of the standard library.
    shell = Program(language="sh", text="python -c 'import library; import unittest.mock'", files=(library,))
    assert both.run(shell, "head").missing == run.missing
    assert both.run(Program(language="python", text="import json, asyncio"), "head").missing == ()


class Counting:
    """A sandbox that says how many of its jobs were under way at one time."""

    name = "a count"

    def __init__(self) -> None:
        self.now = self.most = self.started = 0
        self.lock = threading.Lock()
        self.may_end = threading.Event()

    def run(self, _job: Job) -> Ended:
        with self.lock:
            self.now, self.started = self.now + 1, self.started + 1
            self.most = max(self.most, self.now)
        self.may_end.wait(5)
        with self.lock:
            self.now -= 1
        return Ended("exited", 0)


@contextmanager
def counted(repo: Repo, counting: Counting, at_once: int) -> Iterator[SandboxedSides]:
    commit = repo.git("rev-parse", "HEAD")
    with (
        open_repository(repo.path, commit, commit) as repository,
        SandboxedSides(repository, counting, provide(()), at_once=at_once) as sides,
    ):
        yield sides


ECHO = Program(language="sh", text="echo hello")


def test_no_more_programs_run_at_one_time_than_there_are_places(repo: Repo) -> None:
    counting = Counting()
    with counted(repo, counting, 2) as sides, ThreadPoolExecutor(6) as threads:
        runs = [threads.submit(sides.run, ECHO, "head") for _ in range(6)]
        while counting.started < 2:
            time.sleep(0.01)
        time.sleep(0.1)
        assert counting.started == 2
        counting.may_end.set()
        assert [run.result().exit_code for run in runs] == [0] * 6
    assert counting.most == 2


def test_whoever_waits_for_a_place_is_not_started_where_the_review_is_stopped(repo: Repo) -> None:
    counting = Counting()
    with counted(repo, counting, 1) as sides, ThreadPoolExecutor(2) as threads:
        first = threads.submit(sides.run, ECHO, "head")
        while counting.started < 1:
            time.sleep(0.01)
        waiting = threads.submit(sides.run, ECHO, "head")
        sides.stop()
        assert waiting.result().state == "not_started"
        counting.may_end.set()
        assert first.result().state == "exited"


def test_both_pairs_of_trees_of_a_review_share_the_places(repo: Repo) -> None:
    counting = Counting()
    commit = repo.git("rev-parse", "HEAD")
    with (
        counted(repo, counting, 1) as sides,
        open_repository(repo.path, commit, commit) as repository,
        ThreadPoolExecutor(2) as threads,
    ):
        runs = [threads.submit(one.run, ECHO, "head") for one in (sides, sides.beside(repository))]
        while counting.started < 1:
            time.sleep(0.01)
        time.sleep(0.3)
        assert counting.started == 1
        counting.may_end.set()
        assert [run.result().state for run in runs] == ["exited"] * 2


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("pyproject.toml", '[tool.setuptools_scm]\nwrite_to = "shop/_version.py"\n'),
        ("pyproject.toml", '[tool.setuptools_scm]\nversion_file = "shop/_version.py"\n'),
        ("pyproject.toml", '[tool.hatch.build.hooks.vcs]\nversion-file = "shop/_version.py"\n'),
        ("setup.cfg", "[versioneer]\nVCS = git\nversionfile_source = shop/_version.py\n"),
    ],
)
def test_a_version_file_that_only_a_build_makes_is_there(
    tmp_path: Path, sandbox: Bubblewrap, file: str, text: str
) -> None:
    repo = Repo(tmp_path / "built")
    own = {"shop/__init__.py": "from shop._version import version\n", file: text}
    base = repo.commit("base", own)
    # Head may not choose where something is written.
    elsewhere = text.replace("shop/_version.py", "shop/other.py")
    head = repo.commit("head", {file: elsewhere})
    program = Program(
        language="python", text="import shop, os; print(shop.version, sorted(os.listdir('shop')))"
    )
    with (
        open_repository(repo.path, base, head) as repository,
        SandboxedSides(repository, sandbox, provide(())) as sides,
    ):
        assert sides.run(program, "head").output == "0.0.0 ['__init__.py', '_version.py']\n"
        marked = Program(language="sh", text="head -n 1 shop/_version.py")
        assert "Written by Affidavit" in sides.run(marked, "base").output


@pytest.mark.parametrize("path", ["../out.py", "/tmp/out.py", "nowhere/out.py", "shop/__init__.py"])
def test_a_version_file_replaces_nothing_and_lies_in_a_folder_of_base(tmp_path: Path, path: str) -> None:
    repo = Repo(tmp_path / "built")
    own = {"shop/__init__.py": "", "pyproject.toml": f'version_file = "{path}"\n'}
    base = repo.commit("base", own)
    with open_repository(repo.path, base, repo.commit("head", {"a.txt": "a"})) as repository:
        assert version_files(repository.base) == ()


@pytest.mark.parametrize("link", ["shop", "shop/_version.py"])
def test_a_version_file_is_never_written_through_a_link(
    tmp_path: Path, sandbox: Bubblewrap, link: str
) -> None:
    repo = Repo(tmp_path / "built")
    base = repo.commit("base", {"shop/__init__.py": "", "setup.cfg": "version_file = shop/_version.py\n"})
    (tmp_path / "outside").mkdir()
    repo.git("rm", "-q", "-r", "shop")
    (repo.path / link).parent.mkdir(exist_ok=True)
    (repo.path / link).symlink_to(tmp_path / "outside" / ("_version.py" if "/" in link else ""))
    head = repo.commit("head")
    with (
        open_repository(repo.path, base, head) as repository,
        SandboxedSides(repository, sandbox, provide(())) as sides,
    ):
        assert sides.run(Program(language="sh", text="echo ran"), "head").output == "ran\n"
    assert list((tmp_path / "outside").iterdir()) == []
