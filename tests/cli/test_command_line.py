"""What holds for every command."""

from pathlib import Path

import pytest

from affidavit import __version__
from commands import affidavit


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_the_version_is_printed(tmp_path: Path, flag: str) -> None:
    assert affidavit(flag, cwd=tmp_path).out == f"affidavit {__version__}\n"


def test_the_version_is_printed_without_loading_the_rest(tmp_path: Path) -> None:
    done = affidavit("--version", cwd=tmp_path, env={"PYTHONPROFILEIMPORTTIME": "1"})
    loaded = {line.rpartition("|")[2].strip() for line in done.err.splitlines()}
    assert not {"click", "pydantic", "rich", "tree_sitter", "asyncio"} & loaded


@pytest.mark.parametrize("command", ["review", "context", "recheck", "parse", "ask", "doctor", "ignore"])
def test_every_command_explains_itself(tmp_path: Path, command: str) -> None:
    done = affidavit(command, "--help", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Usage: affidavit {command}")


def test_an_unknown_command_is_a_clear_line(tmp_path: Path) -> None:
    done = affidavit("reveiw", cwd=tmp_path)
    assert done.code == 2
    assert "No such command 'reveiw'" in done.err


def test_the_doctor_names_what_is_here_and_how_to_get_the_rest(tmp_path: Path) -> None:
    done = affidavit("doctor", cwd=tmp_path)
    assert done.code == 0
    for name in ("git", "analyser ruff", "analyser ty", "store", "model"):
        assert name in done.out


@pytest.mark.parametrize("arguments", [("--help",), ("reveiw",), ("parse", "-"), ("review", "--debug", "x")])
def test_a_forked_command_of_a_test_does_what_a_started_one_does(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    forked = affidavit(*arguments, cwd=tmp_path, stdin=b"[]")
    started = affidavit(*arguments, cwd=tmp_path, stdin=b"[]", env={"PYTHONHASHSEED": "0"})
    assert (forked.code, forked.out) == (started.code, started.out)
    assert forked.err.splitlines()[-1:] == started.err.splitlines()[-1:]
