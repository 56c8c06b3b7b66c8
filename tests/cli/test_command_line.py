"""What holds for every command."""

import json
from pathlib import Path

import click
import pytest

from affidavit import __version__
from affidavit.cli.command_line import COMMANDS
from affidavit.cli.review import command as review
from commands import affidavit


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_the_version_is_printed(tmp_path: Path, flag: str) -> None:
    assert affidavit(flag, cwd=tmp_path).out == f"affidavit {__version__}\n"


def test_the_versions_are_printed_as_json(tmp_path: Path) -> None:
    versions = json.loads(affidavit("--version", "--json", cwd=tmp_path).out)
    assert versions["affidavit"] == __version__
    assert versions["report"] == "1.0"
    assert "1.2" in versions["review_result"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_of_a_shell_is_printed(tmp_path: Path, shell: str) -> None:
    done = affidavit("completion", shell, cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert "_AFFIDAVIT_COMPLETE" in done.out


def test_a_shell_completes_commands_and_options(tmp_path: Path) -> None:
    asked = {
        "_AFFIDAVIT_COMPLETE": "bash_complete",
        "COMP_WORDS": "affidavit review --fail",
        "COMP_CWORD": "2",
    }
    done = affidavit(cwd=tmp_path, env=asked)
    assert (done.code, done.out, done.err) == (0, "plain,--fail-on\n", "")


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


def options_of(text: str) -> int:
    return sum(line.startswith("  -") for line in text.splitlines())


@pytest.mark.parametrize(
    "command", sorted({*COMMANDS} & {"review", "refine", "mcp", "serve", "worker", "suggest"})
)
def test_help_shows_at_most_forty_options_and_help_all_every_one(tmp_path: Path, command: str) -> None:
    everyday = affidavit(command, "--help", cwd=tmp_path).out
    whole = affidavit(command, "--help-all", cwd=tmp_path).out
    assert options_of(everyday) <= 40
    assert options_of(everyday) < options_of(whole)
    assert "--budget-tokens" not in everyday


def test_help_all_leaves_out_no_option_of_a_review(tmp_path: Path) -> None:
    whole = affidavit("review", "--help-all", cwd=tmp_path).out
    assert all(option.opts[0] in whole for option in review.params if isinstance(option, click.Option))
