"""`--typescript-server`: a compiler that the user names is used, or the command says why not."""

from pathlib import Path

import pytest

from affidavit.analysers.engine.execution import has_walls
from commands import affidavit
from page import WEB, build
from repositories import Repo

VARIABLE = "AFFIDAVIT_TYPESCRIPT_SERVER"


@pytest.fixture
def changed(repo: Repo) -> Repo:
    repo.commit("Before", {"a.ts": "export const a = 1;\n"})
    repo.commit("After", {"a.ts": "export const a = 2;\n"})
    return repo


@pytest.fixture
def compiler() -> Path:
    build()
    program = WEB / "node_modules" / ".bin" / "tsc"
    if not program.exists() or not has_walls():
        pytest.skip("there is no compiler of TypeScript, or this system has no walls")
    return program


@pytest.mark.parametrize("program", ["/nosuch/tsc", "nosuch-tsc", "./tsc"])
@pytest.mark.parametrize("command", ["review", "context"])
def test_a_compiler_that_cannot_be_used_is_an_error(changed: Repo, command: str, program: str) -> None:
    by_flag = affidavit(command, "HEAD", "--typescript-server", program, cwd=changed.path)
    by_variable = affidavit(command, "HEAD", cwd=changed.path, env={VARIABLE: program})
    for done in (by_flag, by_variable):
        assert done.code == 2, done.out
        assert f"{program} cannot be used as tsc" in done.err
        assert VARIABLE in done.err


def test_a_named_compiler_in_the_reviewed_repository_is_an_error(changed: Repo) -> None:
    program = changed.path / "node_modules" / ".bin" / "tsc"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    done = affidavit("review", "HEAD", "--typescript-server", program, cwd=changed.path)
    assert done.code == 2, done.out
    assert f"{program} cannot be used as tsc" in done.err


def test_a_recheck_names_the_variable_for_the_compiler(changed: Repo, compiler: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    chosen = ("--typescript-server", compiler, "--format", f"report={report}")
    quick = ("--analysers-off", "kingfisher,oxlint")
    made = affidavit("review", "HEAD", *chosen, *quick, cwd=changed.path)
    assert made.code == 0, made.err
    without = affidavit("recheck", report, cwd=changed.path)
    assert without.code == 3, without.out
    assert f"Name the tsc of the review in {VARIABLE}" in " ".join(without.out.split())
    again = affidavit("recheck", report, cwd=changed.path, env={VARIABLE: str(compiler)})
    assert again.code == 0, again.out
    wrong = affidavit("recheck", report, cwd=changed.path, env={VARIABLE: "/nosuch/tsc"})
    assert (wrong.code, "/nosuch/tsc cannot be used as tsc" in wrong.err) == (2, True), wrong.out
