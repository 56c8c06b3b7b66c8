"""Which changed lines of Python and JavaScript a run executes."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from affidavit.git.repository import open_repository
from affidavit.records.program_runs import AddedFile, Program, ProgramRun
from affidavit.sandbox.bubblewrap import Bubblewrap
from affidavit.sandbox.following import in_words
from affidavit.sandbox.provision import provide
from affidavit.sandbox.sides import SandboxedSides
from repositories import Repo

BASE = {
    "shop.py": "def price(n):\n    return n * 2\n\n\ndef label(n):\n    return str(n)\n",
    "shop.js": "function price(n) {\n  return n * 2;\n}\nexports.price = price;\nexports.label = String;\n",
    "data.txt": "1\n",
}
HEAD = {
    "shop.py": (
        "RATE = 3\n\n\ndef price(\n    n,\n    *,\n    rate=RATE,\n):\n"
        "    return max(\n        n * rate,\n        0,\n    )\n\n\n"
        "def label(n):\n    return str(n)\n"
    ),
    "shop.js": (
        "const price = (n) => {\n  if (n < 0) {\n    return 0;\n  }\n  return n * 3;\n};\n"
        "exports.price = price;\nexports.label = String;\n"
    ),
    "data.txt": "2\n",
}
Run = Callable[..., ProgramRun]


@pytest.fixture
def run(tmp_path: Path, sandbox: Bubblewrap) -> Iterator[Run]:
    repo = Repo(tmp_path / "repo")
    base, head = repo.commit("base", BASE), repo.commit("head", HEAD)
    with ExitStack() as opened:
        repository = opened.enter_context(open_repository(repo.path, base, head))
        sides = opened.enter_context(SandboxedSides(repository, sandbox, provide(())))

        def run(language: str, text: str, side: str = "head", **files: str) -> ProgramRun:
            added = tuple(AddedFile(path=f"{name}.py", content=one) for name, one in files.items())
            ran = sides.run(Program(language=language, text=text, files=added), side)  # type: ignore[arg-type]
            assert ran.exit_code == 0, ran.output
            return ran

        yield run


def test_the_changed_lines_that_a_python_program_executes_are_named(run: Run) -> None:
    after = run("python", "import shop; shop.price(2)")
    assert after.executed == ("shop.py:1-11",)
    assert after.touched == ("shop.py",)
    assert run("python", "import shop; shop.price(2)", "base").executed == ("shop.py:1-2",)


def test_a_python_program_that_calls_nothing_changed_touches_nothing(run: Run) -> None:
    before = run("python", "import shop; shop.label(2)", "base")
    assert (before.executed, before.touched) == ((), ())
    # A constant of the module is changed, too, and importing runs it.
    assert run("python", "import shop; shop.label(2)").executed == ("shop.py:1-3",)


def test_threads_are_followed(run: Run) -> None:
    text = (
        "import threading as t, shop\none = t.Thread(target=shop.price, args=(1,))\none.start(); one.join()"
    )
    assert run("python", text, "base").executed == ("shop.py:1-2",)


@pytest.mark.parametrize(
    "text",
    [
        "import subprocess, sys; subprocess.run([sys.executable, '-I', 'shop.py'], check=True)",
        "import os, shop; os._exit(0)",
    ],
)
def test_where_a_program_cannot_be_followed_reading_counts(run: Run, text: str) -> None:
    assert run("python", text, "base").touched == ("shop.py",)


def test_other_files_count_when_they_are_read(run: Run) -> None:
    assert run("python", "print(open('data.txt').read())").touched == ("data.txt",)
    assert run("sh", "cat shop.py").touched == ("shop.py",)


def test_the_changed_lines_that_node_executes_are_named(run: Run) -> None:
    called = run("node", "console.log(require('./shop.js').price(2))")
    assert called.executed == ("shop.js:1, 5",)
    assert called.touched == ("shop.js",)
    negative = run("node", "import shop from './shop.js'\nshop.price(-1)")
    assert negative.executed == ("shop.js:1-3",)


def test_a_node_program_that_calls_nothing_changed_touches_nothing(run: Run) -> None:
    assert run("node", "require('./shop.js').label(2)").touched == ()
    child = "require('child_process').execSync('true'); require('./shop.js').label(2)"
    assert run("node", child).touched == ("shop.js",)


def test_lines_are_named_with_ranges() -> None:
    assert in_words("a.py", [1, 2, 3, 5, 8, 9]) == "a.py:1-3, 5, 8-9"
