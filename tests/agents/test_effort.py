"""Effort and the size of a change bound what specialists may send."""

from dataclasses import replace

import pytest
from bench.recorded import recorded_runs

from affidavit.agents.limits import LEVELS, effort_of, limits
from affidavit.agents.model_agents import EXPERIMENTER, LENSES, asked_at_any_size, looks
from affidavit.config.settings import load_settings
from affidavit.errors import SettingsError
from affidavit.git.repository import open_repository
from affidavit.records.report import LanguageHere
from affidavit.records.settings_entries import EFFORTS
from claims import change_of
from repositories import Repo
from talks import a_talk


def test_a_larger_change_and_a_higher_effort_get_more() -> None:
    by_effort = [
        [limits(LEVELS[effort], lines, a_talk()) for lines in (10, 100, 1_000)] for effort in EFFORTS
    ]
    for rows in (*by_effort, *zip(*by_effort, strict=True)):
        assert list(rows) == sorted(set(rows))


def test_an_experimenter_gets_more_rounds_and_a_longer_opening_more_tokens() -> None:
    level, talk = LEVELS["normal"], a_talk()
    assert limits(level, 10, talk, runs_programs=True) > limits(level, 10, talk)
    longer = limits(level, 10, replace(talk, prefix="word " * 4_000))
    assert longer[1] - limits(level, 10, talk)[1] > 4 * 4_000


def test_recorded_conversations_of_specialists_are_within_the_normal_limits() -> None:
    level = LEVELS["normal"]
    for run in recorded_runs():
        if role := run.role("specialist"):
            size = sum(run.changed_lines > most for most in (50, 300))
            assert role.requests / role.conversations <= level.rounds[size]
            most = level.openings * role.opening_tokens + level.tokens[size]
            assert role.input_tokens / role.conversations <= most, run.change


@pytest.mark.parametrize("lines", [10, 200, 1_000])
def test_quick_has_one_conversation_and_deep_the_most(lines: int) -> None:
    counts = [len(looks(LENSES, lines, LEVELS[effort])) for effort in EFFORTS]
    assert counts[0] == 1
    assert counts == sorted(counts)
    assert counts[2] > counts[0]


def test_quick_runs_no_experiments() -> None:
    python = (LanguageHere(title="Python", runs=True),)
    assert EXPERIMENTER in asked_at_any_size(change_of("a.py"), python, "normal")
    assert EXPERIMENTER not in asked_at_any_size(change_of("a.py"), python, "quick")


@pytest.mark.parametrize(
    ("flags", "paths", "expected"),
    [
        ({}, ["a.py"], "quick"),
        ({}, ["a.py", "pay/b.py"], "deep"),
        ({}, [], "quick"),
        ({"effort": "normal"}, ["pay/b.py"], "normal"),
    ],
)
def test_the_highest_effort_of_the_files_counts_unless_the_user_chose(
    repo: Repo, flags: dict[str, str], paths: list[str], expected: str
) -> None:
    settings = {"affidavit.toml": 'effort = "quick"\n', "pay/affidavit.toml": 'effort = "deep"\n'}
    commit = repo.commit("Choose", settings)
    with open_repository(repo.path, commit, commit) as opened:
        assert effort_of(load_settings(opened.base, {}, flags), paths) == expected


def test_an_unknown_effort_is_an_error() -> None:
    with pytest.raises(SettingsError, match="quick, normal or deep"):
        load_settings(None, {"AFFIDAVIT_EFFORT": "hard"}, {})
