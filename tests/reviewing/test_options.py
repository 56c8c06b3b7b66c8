"""What a review is asked for by a program, not by the command line."""

from dataclasses import fields

import pytest

from affidavit.cli.review import command
from affidavit.config.readers import READERS, ROLES
from affidavit.reviewing.hold import hold_review, settings_for
from affidavit.reviewing.options import ChosenSettings, ReviewOptions
from affidavit.stages.intake import ChangeRequest, open_change
from repositories import Repo


def test_every_option_of_a_review_has_the_name_and_the_default_that_the_command_line_gives_it() -> None:
    defaults = {one.name: one.default for one in command.params}
    own = {one.name: one.default for one in fields(ReviewOptions)}
    assert own.keys() <= defaults.keys()
    assert all(not own[name] or own[name] == defaults[name] for name in own)


def test_every_setting_of_a_flag_can_be_read() -> None:
    without_a_flag = {
        "linters",
        *(f"{role}_{name}" for role in ROLES for name in ("temperature", "reasoning")),
    }
    assert without_a_flag < READERS.keys()
    assert {one.name for one in fields(ChosenSettings)} == READERS.keys() - without_a_flag


def test_an_option_that_no_review_has_is_refused() -> None:
    with pytest.raises(TypeError, match="'modell'"):
        ReviewOptions(modell="x")


def test_a_review_is_held_without_a_command_line(repo: Repo) -> None:
    repo.commit("A step", {"a.py": "def f():\n    return 1\n"})
    repo.commit("A step", {"a.py": "def f():\n    return x\n"})
    options = ReviewOptions(analysers_off="kingfisher,ty")
    with open_change(ChangeRequest(target="HEAD", repo=repo.path)) as opened:
        report = hold_review(opened, settings_for(opened, options, environment={}), options, None)
    assert [one.finding.rule_id for one in report.shown if one.finding] == ["ruff/F821"]
