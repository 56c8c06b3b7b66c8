"""An analyser reads what it is given; a file that it could not read is named, and never taken as clean."""

import asyncio
from typing import Any

import pytest

from affidavit.analysers.engine.analyser import Analyser
from affidavit.analysers.engine.programs import find_program
from affidavit.analysers.engine.run_side import SideRunner
from affidavit.analysers.engine.task import ResultCache, SideResult
from affidavit.analysers.hadolint import HADOLINT
from affidavit.analysers.kingfisher import KINGFISHER
from affidavit.analysers.oxlint import OXLINT
from affidavit.analysers.ruff import RUFF
from affidavit.analysers.shellcheck import SHELLCHECK
from affidavit.analysers.ty import TY
from affidavit.analysers.yamllint import YAMLLINT
from affidavit.analysers.zizmor import ZIZMOR

UNDEFINED = "def f():\n    return undefd\n"
SHELL = 'import os\ndef f(x):\n    os.system("ls " + x)\n'
WORKFLOW = "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo hi\n"
TOKEN = "ghp_" + "NqVwYS81VP7Hb1DX8pPd5khxE3pyIgKpaQz1"
FOLDERS = (
    "dist",
    "app/dist",
    "venv",
    ".venv",
    ".tox",
    ".nox",
    "build",
    ".eggs",
    "__pycache__",
    ".mypy_cache",
)


def head_of(analyser: Analyser, one: Any, *, cache: ResultCache | None = None) -> SideResult:
    """The analyser's look at head."""

    async def look() -> SideResult:
        program = await find_program(analyser, None)
        assert program is not None
        runner = SideRunner(analyser, program, one.repository, cache or ResultCache(None))
        return await runner.on_side(one.change, "head")

    return asyncio.run(look())


def unread(result: SideResult) -> dict[str, str]:
    return {one.path: one.why for one in result.run.unread}


@pytest.mark.parametrize(("analyser", "text"), [(RUFF, UNDEFINED), (TY, UNDEFINED)])
def test_a_tool_does_not_leave_out_what_it_leaves_out_by_default(analyser, text, case):
    paths = [f"{folder}/x.py" for folder in FOLDERS]
    found = head_of(analyser, case({"x": ""}, {**dict.fromkeys(paths, text), "ok.py": "A = 1\n"}))
    assert found.run.read == tuple(sorted((*paths, "ok.py")))
    assert {one.path for one in found.diagnostics} == set(paths)


@pytest.mark.parametrize("settings", [{}, {"ruff.toml": "line-length = 90\n"}])
@pytest.mark.parametrize(("analyser", "text"), [(RUFF, UNDEFINED), (TY, UNDEFINED)])
def test_a_script_for_windows_is_read_as_python(analyser, text, settings, case):
    found = head_of(analyser, case({"x": "", **settings}, {"app/window.pyw": text}))
    assert found.run.read == ("app/window.pyw",)
    assert {one.path for one in found.diagnostics} == {"app/window.pyw"}


def test_no_name_and_no_comment_makes_the_search_for_secrets_leave_a_file_out(case):
    paths = [".env", "id_rsa", "dist/x.js", "a.png", "package-lock.json", "node_modules/p/x.js", "x.min.js"]
    files = dict.fromkeys(paths, f"token = {TOKEN}\n")
    silenced = {"a.py": f"T = '{TOKEN}'  # kingfisher:ignore\n"}
    found = head_of(KINGFISHER, case({"x": ""}, {**files, **silenced, "ok.txt": "nothing\n"}))
    assert found.run.read == tuple(sorted((*paths, "a.py", "ok.txt")))
    assert sorted((one.path, one.line) for one in found.diagnostics) == sorted(
        (path, 1) for path in (*paths, "a.py")
    )


@pytest.mark.parametrize(
    ("analyser", "settings", "path", "text"),
    [
        (RUFF, {"ruff.toml": 'exclude = ["old"]\n'}, "old/x.py", UNDEFINED),
        (TY, {"ty.toml": '[src]\nexclude = ["old"]\n'}, "old/x.py", UNDEFINED),
        (OXLINT, {".oxlintrc.json": '{"ignorePatterns": ["old"]}'}, "old/x.js", "if (a = 1) {}\n"),
    ],
)
def test_what_the_base_commit_leaves_out_is_excused_by_name(analyser, settings, path, text, case):
    ending = path.rpartition(".")[2]
    found = head_of(analyser, case(settings, {path: text, f"ok.{ending}": "\n"}))
    assert unread(found) == {path: "excused"}
    assert found.run.read == (f"ok.{ending}",)


def test_exclusions_that_the_change_brings_do_not_count(case):
    found = head_of(RUFF, case({"x": ""}, {"ruff.toml": 'exclude = ["old"]\n', "old/x.py": UNDEFINED}))
    assert (found.run.read, unread(found)) == (("old/x.py",), {})


@pytest.mark.parametrize(
    ("analyser", "path", "text", "why"),
    [
        (RUFF, "bad.py", "def f(:\n", "unparsed"),
        (RUFF, "bad.py", b'x = "\xe9"\n', "unparsed"),
        (TY, "bad.py", "def f(:\n", "unparsed"),
        (TY, "bad.py", b'x = "\xe9"\n', "unreadable"),
        (OXLINT, "bad.js", "function (\n", "unparsed"),
        (SHELLCHECK, "bad.sh", "#!/bin/sh\nif true; then\n", "unparsed"),
        (SHELLCHECK, "bad.sh", "#!/usr/bin/env zsh\necho $1\n", "foreign"),
        (HADOLINT, "bad.Dockerfile", "FRM a\n", "unparsed"),
        (YAMLLINT, "bad.yml", "a: [\n", "unparsed"),
        (YAMLLINT, "bad.yml", "a: \x01b\n", "unreadable"),
        (ZIZMOR, ".github/workflows/bad.yml", "on: push\njobs:\n  a:\n    nonsense: 3\n", "unreadable"),
        (ZIZMOR, ".github/workflows/bad.yml", "a: [\n", "unreadable"),
    ],
)
def test_a_file_that_could_not_be_read_is_named_beside_one_that_was(analyser, path, text, why, case):
    sound = {"py": "A = 1\n", "js": "\n", "sh": "#!/bin/sh\n", "Dockerfile": "FROM a:1\n", "yml": WORKFLOW}
    ok = path.replace("bad", "ok")
    found = head_of(analyser, case({"x": ""}, {path: text, ok: sound[path.rpartition(".")[2]]}))
    assert (found.run.state, unread(found), found.run.read) == ("completed", {path: why}, (ok,))


@pytest.mark.parametrize("text", ["on: push\njobs:\n  a:\n    nonsense: 3\n", "hello\n", "a: [\n"])
def test_a_workflow_that_zizmor_cannot_load_is_not_clean(text, case):
    path = ".github/workflows/ci.yml"
    found = head_of(ZIZMOR, case({"x": ""}, {path: text}))
    assert (unread(found), found.run.read) == ({path: "unreadable"}, ())


def test_yaml_that_ends_yamllint_is_not_clean(case):
    found = head_of(YAMLLINT, case({"x": ""}, {"a.yml": "a: \x01b\n"}))
    assert (found.is_complete, found.run.read) == (False, ())
    assert "special characters are not allowed" in found.run.detail


def test_a_file_that_the_tool_keeps_to_leave_out_is_named(case):
    found = head_of(OXLINT, case({"x": ""}, {"a.min.js": "if (a = 1) {}\n", "ok.js": "\n"}))
    assert (unread(found), found.run.read) == ({"a.min.js": "left_out"}, ("ok.js",))


def test_what_was_not_read_is_remembered_with_the_result(case, tmp_path):
    one = case({"x": ""}, {"bad.py": "def f(:\n", "ok.py": "A = 1\n"})
    first = head_of(RUFF, one, cache=ResultCache(tmp_path))
    again = head_of(RUFF, one, cache=ResultCache(tmp_path))
    assert again.run.is_cached
    assert again.run.unread == first.run.unread
    assert (again.run.read, unread(again)) == (("ok.py",), {"bad.py": "unparsed"})
