"""`affidavit rollout` by its options: what is refused, what is printed."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from affidavit.cli.rollout import command
from affidavit.errors import AffidavitError
from prompt_folders import copy_prompts


@pytest.fixture(scope="module")
def prompts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_prompts(tmp_path_factory.mktemp("own") / "1.5.0").parent


def rollout(data: Path, prompts: Path, *arguments: str) -> Result:
    environment = {"AFFIDAVIT_DATA": str(data), "AFFIDAVIT_PROMPTS": str(prompts)}
    return CliRunner().invoke(command, arguments, env=environment)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["start", "--prompt-version", "1.5.0", "--slice", "10"], "write 0% to 100%, such as 10%"),
        (["start", "--prompt-version", "1.5.0", "--slice", "0%"], "would try nothing"),
        (["start", "--prompt-version", "1.5.0", "--slo-dropped", "100%"], "would allow everything"),
        (["start", "--prompt-version", "9.9.9"], "there is no folder 9.9.9"),
        (["start", "--prompt-version", "../x"], "is not a prompt version"),
        (["start", "--prompt-version", "1.5.0", "--schema-version", "3.0"], "the parser does not read"),
        (["start", "--prompt-version", "1.5.0", "--min-reviews", "0"], "min-reviews"),
        (["promote", "--why", "x"], "no rollout is running"),
        (["promote"], "--why"),
        (["rollback", "--why", "x"], "nothing to roll back"),
    ],
)
def test_bad_input_is_one_clear_line(
    tmp_path: Path, prompts: Path, arguments: list[str], complaint: str
) -> None:
    done = rollout(tmp_path / "data", prompts, *arguments)
    assert done.exit_code != 0
    assert complaint in f"{done.exception} {done.output}"
    assert isinstance(done.exception, AffidavitError | SystemExit)


def test_looking_leaves_nothing_behind(tmp_path: Path, prompts: Path) -> None:
    assert rollout(tmp_path / "data", prompts, "status").exit_code == 0
    assert not (tmp_path / "data").exists()


def test_a_status_says_what_runs_and_what_prevents_a_promotion(tmp_path: Path, prompts: Path) -> None:
    rollout(tmp_path, prompts, "start", "--prompt-version", "1.5.0", "--slice", "30%", "--why", "shorter")
    status = json.loads(rollout(tmp_path, prompts, "status", "--format", "json").output)
    assert (status["running"]["share"], status["reviews"]) == (0.3, {"old": 0, "new": 0})
    assert status["against_promotion"] == ["only 0 of 10 reviews of the slice are there"]
    assert status["current"]["prompt"] == "2.0.0"
    assert [one["decisions"][0]["why"] for one in status["rollouts"]] == ["shorter"]
    # Reviews need not name the folder again.
    assert status["running"]["new"]["folder"] == str(prompts)


def test_words_that_were_not_measured_are_not_promoted(tmp_path: Path) -> None:
    own = copy_prompts(tmp_path / "own" / "1.5.0").parent
    rollout(tmp_path, own, "start", "--prompt-version", "1.5.0", "--min-reviews", "1")
    words = own / "1.5.0" / "logic.md"
    words.write_text(words.read_text() + "One more.\n")
    refused = rollout(tmp_path, own, "promote", "--why", "good")
    assert "its text has changed since the rollout began" in str(refused.exception)
    assert "its text has changed" in rollout(tmp_path, own, "status").output
    words.unlink()
    assert "its prompts cannot be used" in rollout(tmp_path, own, "status").output


@pytest.mark.parametrize("columns", ["40", "60", "100"])
def test_a_table_is_no_wider_than_the_terminal(tmp_path: Path, prompts: Path, columns: str) -> None:
    rollout(tmp_path, prompts, "start", "--prompt-version", "1.5.0")
    done = CliRunner().invoke(command, ["status", "--data", str(tmp_path)], env={"COLUMNS": columns})
    assert "dropped" in done.output
    assert max(map(len, done.output.splitlines())) <= int(columns)


def test_a_terminal_without_dashes_and_boxes_gets_plain_signs(tmp_path: Path, prompts: Path) -> None:
    rollout(tmp_path, prompts, "start", "--prompt-version", "1.5.0")
    done = CliRunner(charset="ascii").invoke(command, ["status", "--data", str(tmp_path)])
    assert done.exit_code == 0
    assert "| findings that the contract dropped" in done.output
    assert "\\u" not in done.output


def test_a_reason_of_odd_bytes_is_kept_as_far_as_it_can_be(tmp_path: Path, prompts: Path) -> None:
    rollout(tmp_path, prompts, "start", "--prompt-version", "1.5.0", "--why", "odd \udcff" + "x" * 9_999)
    said = json.loads(rollout(tmp_path, prompts, "status", "--format", "json").output)
    why = said["running"]["decisions"][0]["why"]
    assert why.startswith("odd ?x")
    assert len(why) <= 2_000


def test_text_of_others_cannot_write_on_the_terminal(tmp_path: Path, prompts: Path) -> None:
    rollout(tmp_path, prompts, "start", "--prompt-version", "1.5.0", "--why", "x\x1b[2J")
    assert "\x1b" not in rollout(tmp_path, prompts, "status").output
