"""What is noticed of a run beside its output: what it lacked, what it read, what it filled."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from affidavit.git.repository import open_repository
from affidavit.git.tree import MAX_TEXT_BYTES
from affidavit.records.program_runs import AddedFile, Program, ProgramRun, RunLimits
from affidavit.sandbox.bubblewrap import Bubblewrap
from affidavit.sandbox.provision import provide
from affidavit.sandbox.sides import SandboxedSides
from repositories import Repo

TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
SECRET = f'TOKEN = "{TOKEN}"\n'
Files = Mapping[str, str]
Changed = Callable[..., SandboxedSides]


@pytest.fixture
def changed(tmp_path: Path, sandbox: Bubblewrap) -> Iterator[Changed]:
    """Both sides of a change, from their files."""
    opened = []

    def open_sides(base: Files, head: Files, limits: RunLimits | None = None) -> SandboxedSides:
        repo = Repo(tmp_path / f"repo{len(opened)}")
        repo.commit("base", base)
        repo.commit("head", head)
        before, after = repo.git("rev-parse", "HEAD~1"), repo.git("rev-parse", "HEAD")
        repository = open_repository(repo.path, before, after)
        made = SandboxedSides(repository, sandbox, provide(()), limits or RunLimits())
        opened.extend((made, repository))
        return made

    yield open_sides
    for one in opened:
        one.close()


def python(text: str, **files: str) -> Program:
    added = tuple(AddedFile(path=f"{name}.py", content=content) for name, content in files.items())
    return Program(language="python", text=text, files=added)


def read_by(run: ProgramRun) -> list[tuple[str, bool, bool]]:
    return [(one.path, one.is_left_out, one.is_changed) for one in run.altered]


def test_a_file_that_is_left_out_as_too_large_is_noticed_by_who_reads_it(changed: Changed) -> None:
    small, large = "[]" + " " * 10, "[]" + " " * MAX_TEXT_BYTES
    sides = changed({"data.json": small, "a.py": "x = 1\n"}, {"data.json": large, "a.py": "x = 2\n"})
    reads = python("import json\nprint(json.load(open('data.json')))\n")
    assert sides.run(reads, "base").altered == ()
    assert read_by(sides.run(reads, "head")) == [("data.json", True, True)]
    assert sides.run(python("import a"), "head").altered == ()
    # Whatever reads it.
    assert read_by(sides.run(Program(language="sh", text="wc -l < data.json"), "head")) == [
        ("data.json", True, True)
    ]


def test_a_file_without_its_secrets_is_noticed_by_who_reads_it(changed: Changed) -> None:
    base = {"settings.py": SECRET, "lib.py": "", "other.py": ""}
    sides = changed(base, {**base, "lib.py": SECRET})
    both = python("import lib, settings, other")
    assert read_by(sides.run(both, "base")) == [("settings.py", False, False)]
    assert read_by(sides.run(both, "head")) == [("lib.py", False, True), ("settings.py", False, False)]
    assert sides.run(python("import other"), "head").altered == ()


def test_of_a_run_that_was_ended_only_what_the_change_touches_counts_as_read(changed: Changed) -> None:
    sides = changed({"settings.py": SECRET}, {"settings.py": SECRET, "lib.py": SECRET})
    run = sides.run(python("import time\ntime.sleep(60)"), "head", seconds=2)
    assert run.state == "timed_out"
    assert read_by(run) == [("lib.py", False, True)]


FILLS = """
try:
    with open("{path}", "wb") as file:
        {write}
except OSError as error:
    print("failed", type(error).__name__)
    raise SystemExit(1)
"""
MANY = "for _ in range(64): file.write(bytes(1 << 20))"


@pytest.mark.parametrize("path", ["/tmp/full", "full", "/dev/shm/full"])
def test_a_program_that_filled_its_disk_is_known_also_where_it_says_nothing_of_it(
    changed: Changed, path: str
) -> None:
    sides = changed({"a.py": "1\n"}, {"a.py": "2\n"}, RunLimits(disk_mb=8))
    run = sides.run(python(FILLS.format(path=path, write=MANY)), "head")
    assert (run.state, run.exit_code, run.output) == ("out_of_disk", None, "failed OSError\n")
    half = MANY.replace("64", "4")
    assert sides.run(python(FILLS.format(path=path, write=half)), "head").exit_code == 0


def test_a_program_that_writes_more_than_a_file_may_hold_filled_its_disk(changed: Changed) -> None:
    sides = changed({"a.py": "1\n"}, {"a.py": "2\n"}, RunLimits(disk_mb=8))
    program = Program(language="perl", text='open(F, ">", "/tmp/f"); truncate(F, 1 << 34) or die "no: $!";')
    assert sides.run(program, "head").state == "out_of_disk"


def test_what_ends_by_a_signal_prints_nothing_but_its_own(changed: Changed) -> None:
    sides = changed({"a.py": "1\n"}, {"a.py": "2\n"})
    run = sides.run(python("import os\nprint('own', flush=True)\nos.kill(os.getpid(), 11)"), "head")
    assert (run.state, run.exit_code, run.output) == ("exited", 139, "own\n")


TRIES = """
import socket, threading, time
def tried(address, kind=socket.SOCK_STREAM, family=socket.AF_INET):
    try:
        socket.socket(family, kind).connect(address)
    except OSError:
        pass
"""


@pytest.mark.parametrize(
    ("text", "unreached"),
    [
        ("try: socket.create_connection(('Example.com', 80), 2)\nexcept OSError: pass", ("example.com",)),
        ("tried(('example.com', 80))", ("example.com",)),
        ("tried(('192.0.2.7', 443))", ("192.0.2.7",)),
        ("tried(('127.0.0.1', 5432))", ("localhost:5432",)),
        ("tried('/run/database.sock', family=socket.AF_UNIX)", ("/run/database.sock",)),
        ("tried(('192.0.2.7', 53), socket.SOCK_DGRAM)", ("192.0.2.7",)),
        ("tried(('127.0.0.1', 8125), socket.SOCK_DGRAM)", ()),
        ("server = socket.create_server(('localhost', 0)); tried(server.getsockname())", ()),
        ("tried(('127.0.0.1', 8080)); server = socket.create_server(('localhost', 8080)); "
         "tried(('127.0.0.1', 8080))", ()),
        ("socket.getaddrinfo('localhost', 80); socket.getaddrinfo(None, 80)", ()),
    ],
)  # fmt: skip
def test_what_python_tries_to_reach_in_vain_is_noticed_also_where_it_catches_that(
    changed: Changed, text: str, unreached: tuple[str, ...]
) -> None:
    sides = changed({"a.py": "1\n"}, {"a.py": "2\n"})
    run = sides.run(python("import net\nprint('went on')\n", net=TRIES + text), "head")
    assert (run.exit_code, run.output) == (0, "went on\n")
    assert run.unreached == unreached


def test_a_folder_without_python_is_no_package_of_its_name(changed: Changed) -> None:
    data = {"redis/redis.conf": "", "redis/more/a.txt": "", "plugins/deep/one.py": "", "texts/a.txt": "hi\n"}
    sides = changed({**data, "lib.py": "1\n"}, {**data, "lib.py": "import redis, plugins\n"})
    run = sides.run(python("import lib\nprint(hasattr(lib.redis, 'Redis'))"), "head")
    assert (run.output, run.missing) == ("False\n", ("redis",))
    text = "from importlib import resources\nprint(resources.files('texts').joinpath('a.txt').read_text())"
    run = sides.run(python(text), "head")
    assert (run.exit_code, run.missing) == (0, ())


def test_a_run_says_which_files_of_the_change_it_read(changed: Changed) -> None:
    base = {"shop.py": "x = 1\n", "gone.py": "", "same.py": ""}
    sides = changed(base, {"shop.py": "x = 2\n", "new.py": "", "same.py": ""})
    assert sides.run(python("import shop, same"), "base").touched == ("shop.py",)
    assert sides.run(Program(language="sh", text="cat new.py"), "head").touched == ("new.py",)
    assert sides.run(python("import same, os; os.listdir()"), "head").touched == ()
    assert sides.run(python("import time; time.sleep(60)"), "head", seconds=1).touched is None


def test_java_runs_with_the_classes_of_the_repository(changed: Changed) -> None:
    price = "package shop;\npublic class Price { public static int of(int n) { return n * 2; } }\n"
    path = "src/main/java/shop/Price.java"
    sides = changed({path: price}, {path: price.replace("* 2", "* 3")})
    if "java" not in sides.languages:
        pytest.skip("there is no JDK here")
    text = (
        "import shop.Price;\npublic class Main {\n"
        "  public static void main(String[] a) { System.out.println(Price.of(4)); }\n}\n"
    )
    run = sides.run(Program(language="java", text=text), "head")
    assert (run.output, run.exit_code, run.touched) == ("12\n", 0, (path,))
