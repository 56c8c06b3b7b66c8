"""`affidavit rollout` by its options: what is refused, what is printed."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from affidavit.cli.judging.rollout import command
from affidavit.errors import AffidavitError
from affidavit.prompts import copy_prompts


@pytest.fixture(scope="module")
def prompts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own")
    copy_prompts("1.0.0", folder / "1.5.0")
    return folder


def rollout(data: Path, prompts: Path, *arguments: str) -> Result:
    environment = {"AFFIDAVIT_DATA": str(data), "AFFIDAVIT_PROMPTS": str(prompts)}
    return CliRunner().invoke(command, arguments, env=environment)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["start", "--prompt-version", "1.5.0", "--slice", "10"], "write more than 0% to 100%, such as 10%"),
        (["start", "--prompt-version", "1.5.0", "--slo-dropped", "100%"], "would allow everything"),
        (["start", "--prompt-version", "9.9.9"], "there is no folder 9.9.9"),
        (["start", "--prompt-version", "../x"], "is not a prompt version"),
        (["start", "--prompt-version", "1.5.0", "--schema-version", "3.0"], "the parser does not read"),
        (["start", "--prompt-version", "1.5.0", "--min-reviews", "0"], "min-reviews"),
        (["slice", "20%", "--why", "x"], "no rollout is running"),
        (["promote", "--why", "x"], "no rollout is running"),
        (["promote", "--why", "x", "--by", "automatically"], "is not a name"),
        (["promote"], "--why"),
        (["rollback", "--why", "x"], "nothing to roll back"),
        (["retire", "1.0.0", "--why", "x"], "in the next major only"),
        (["compare"], "no rollout was ever started"),
        (["compare", "--rollout", "7"], "there is no rollout 7"),
        (["copy", "1.0.0", "{prompts}/somewhere"], "name the folder by its version"),
        (["copy", "1.0.0", "{prompts}/1.5.0"], "exists already"),
    ],
)
def test_bad_input_is_one_clear_line(
    tmp_path: Path, prompts: Path, arguments: list[str], complaint: str
) -> None:
    done = rollout(tmp_path / "data", prompts, *(text.format(prompts=prompts) for text in arguments))
    assert done.exit_code != 0
    assert complaint in f"{done.exception} {done.output}"
    assert isinstance(done.exception, AffidavitError | SystemExit)


def test_looking_leaves_nothing_behind(tmp_path: Path, prompts: Path) -> None:
    for looking in ("status", "history", "versions"):
        assert rollout(tmp_path / "data", prompts, looking).exit_code == 0
    assert not (tmp_path / "data").exists()


def test_a_slice_is_changed_and_the_history_says_by_whom(tmp_path: Path, prompts: Path) -> None:
    rollout(tmp_path, prompts, "start", "--prompt-version", "1.5.0", "--why", "shorter", "--by", "ada")
    assert "30% of the changes" in rollout(tmp_path, prompts, "slice", "30%", "--why", "fine").output
    said = json.loads(rollout(tmp_path, prompts, "history", "--format", "json").output)
    assert [(one["action"], one["by"] == "ada") for one in said] == [("start", True), ("slice", False)]
    status = json.loads(rollout(tmp_path, prompts, "status", "--format", "json").output)
    assert (status["running"]["share"], status["slice_reviews"]) == (0.3, 0)
    assert status["against_promotion"] == ["only 0 of 10 reviews of the slice are there"]
    assert status["current"]["prompt"] == "1.0.0"


def test_what_is_used_is_listed_also_where_its_folder_is_not_named(tmp_path: Path, prompts: Path) -> None:
    rollout(tmp_path, prompts, "start", "--prompt-version", "1.5.0", "--slice", "20%")
    on_trial = CliRunner().invoke(command, ["versions", "--data", str(tmp_path)]).output
    assert f"1.5.0      {prompts}" in on_trial
    assert "on trial for 20% of the changes" in on_trial
    rollout(tmp_path, prompts, "promote", "--why", "x", "--force")
    promoted = CliRunner().invoke(command, ["versions", "--data", str(tmp_path)]).output
    assert [line.split()[::2] for line in promoted.splitlines()] == [
        ["1.0.0", "along"],
        ["1.5.0", "current"],
    ]


def test_words_that_were_not_measured_are_not_promoted(tmp_path: Path) -> None:
    own = tmp_path / "own"
    copy_prompts("1.0.0", own / "1.5.0")
    rollout(tmp_path, own, "start", "--prompt-version", "1.5.0", "--min-reviews", "1")
    words = own / "1.5.0" / "logic.md"
    words.write_text(words.read_text() + "One more.\n")
    refused = rollout(tmp_path, own, "promote", "--why", "good")
    assert "its text has changed since the rollout began" in str(refused.exception)
    assert "its text has changed" in rollout(tmp_path, own, "status").output
    words.unlink()
    assert "its prompts cannot be used" in rollout(tmp_path, own, "status").output


def test_a_status_says_what_an_automatic_promotion_waits_for(tmp_path: Path, prompts: Path) -> None:
    rollout(tmp_path, prompts, "start", "--prompt-version", "1.5.0", "--auto-promote")
    status = json.loads(rollout(tmp_path, prompts, "status", "--format", "json").output)
    assert status["against_automatic_promotion"] == ["only 0 of 10 reviews of the slice are there"]
    assert "promoted automatically" in rollout(tmp_path, prompts, "history").output


@pytest.mark.parametrize("columns", ["40", "60", "100"])
def test_a_comparison_is_no_wider_than_the_terminal(tmp_path: Path, prompts: Path, columns: str) -> None:
    rollout(tmp_path, prompts, "start", "--prompt-version", "1.5.0")
    done = CliRunner().invoke(command, ["compare", "--data", str(tmp_path)], env={"COLUMNS": columns})
    table = [line for line in done.output.splitlines() if "│" in line or "┃" in line]
    assert table
    assert max(map(len, table)) <= int(columns)


def test_a_terminal_without_dashes_and_boxes_gets_plain_signs(tmp_path: Path, prompts: Path) -> None:
    rollout(tmp_path, prompts, "start", "--prompt-version", "1.5.0")
    done = CliRunner(charset="ascii").invoke(command, ["compare", "--data", str(tmp_path)])
    assert done.exit_code == 0
    assert "| dropped" in done.output
    assert "\\u" not in done.output


def test_a_comparison_without_reviews_has_empty_cells(tmp_path: Path, prompts: Path) -> None:
    rollout(tmp_path, prompts, "start", "--prompt-version", "1.5.0")
    said = rollout(tmp_path, prompts, "compare").output
    for measure in ("dropped", "coerced", "incompatible", "refuted", "wrong", "nits", "unverified", "cost"):
        assert measure in said
    assert "%" not in said.replace("95%", "")


def test_own_folders_are_kept_so_that_reviews_need_not_name_them(tmp_path: Path, prompts: Path) -> None:
    rollout(tmp_path, prompts, "start", "--prompt-version", "1.5.0")
    status = json.loads(rollout(tmp_path, prompts, "status", "--format", "json").output)
    assert status["running"]["new"]["folder"] == str(prompts)


def test_a_reason_of_odd_bytes_is_kept_as_far_as_it_can_be(tmp_path: Path, prompts: Path) -> None:
    rollout(tmp_path, prompts, "start", "--prompt-version", "1.5.0", "--why", "odd \udcff" + "x" * 9_999)
    said = json.loads(rollout(tmp_path, prompts, "history", "--format", "json").output)
    assert said[0]["why"].startswith("odd ?x")
    assert len(said[0]["why"]) <= 2_000


def test_text_of_others_cannot_write_on_the_terminal(tmp_path: Path, prompts: Path) -> None:
    rollout(tmp_path, prompts, "start", "--prompt-version", "1.5.0", "--why", "x\x1b[2J", "--by", "\x1b]0;me")
    assert "\x1b" not in rollout(tmp_path, prompts, "history").output
    assert "\x1b" not in rollout(tmp_path, prompts, "status").output
