"""A line on standard error is safe to show, whatever it quotes."""

import sys
from pathlib import Path

import pytest

from affidavit.cli.saying import note, say
from commands import affidavit
from repositories import Repo


def test_every_line_begins_with_a_word_of_ours(capsys: pytest.CaptureFixture[str]) -> None:
    say("one\ntwo\n\n::add-mask::three")
    note("##vso[task.complete]")
    assert capsys.readouterr().err == (
        "affidavit: one\n  two\n  : :add-mask::three\nnote: # #vso[task.complete]\n"
    )


def test_a_line_is_written_in_signs_that_the_terminal_has(tmp_path: Path) -> None:
    program = "from affidavit.cli.saying import say\nsay('gr\\u00f6\\u00dfer \\x1b[31m')\n"
    done = affidavit(
        "-c", program, cwd=tmp_path, env={"PYTHONIOENCODING": "ascii"}, program=Path(sys.executable)
    )
    assert done.err == "affidavit: gr\\xf6\\xdfer \\u241b[31m\n"


def test_a_commit_s_subject_and_file_names_are_no_commands_in_a_log(repo: Repo) -> None:
    repo.commit("base", {"a.py": "a = 1\n"})
    repo.commit(
        "::add-mask::secret",
        {
            "##vso[task.complete].py": "b = undefd\n",
            "::error::x.py": "b = undefd\n",
            ".gitattributes": "*.txt filter=::warning::x\n",
            "affidavit.toml": "nits = true\n",
        },
    )
    done = affidavit("review", "HEAD", "--show-withheld", cwd=repo.path)
    lines = [line.strip() for line in (done.out + done.err).splitlines()]
    assert done.code == 1
    assert "add-mask" in done.out
    assert [line for line in lines if line.startswith("::") or "##vso[" in line] == []
