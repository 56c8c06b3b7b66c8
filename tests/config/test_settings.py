from collections.abc import Mapping
from typing import Any

import pytest

from affidavit.config.settings import Settings, derive_settings, load_settings, unknown_variables
from affidavit.errors import SettingsError
from affidavit.git.repository import open_repository
from affidavit.records.finding import Category, Severity
from repositories import Repo


def load(
    repo: Repo,
    files: Mapping[str, str],
    environment: Mapping[str, str] | None = None,
    flags: Mapping[str, Any] | None = None,
) -> Settings:
    commit = repo.commit("settings", {**files, "app.py": "x = 1\n"})
    with open_repository(repo.path, commit, commit) as repository:
        return load_settings(repository.base, environment or {}, flags or {})


def test_without_any_source_the_defaults_hold(repo: Repo) -> None:
    assert load(repo, {}) == Settings()


def test_flags_come_before_the_environment_and_that_before_the_file(repo: Repo) -> None:
    files = {"affidavit.toml": 'fail_on = "low"\nseverity_threshold = "low"\nnits = true\n'}
    environment = {"AFFIDAVIT_FAIL_ON": "medium", "AFFIDAVIT_SEVERITY_THRESHOLD": "medium"}
    settings = load(repo, files, environment, {"fail_on": "critical", "nits": None})
    assert (settings.fail_on, settings.severity_threshold, settings.nits) == (
        Severity.CRITICAL,
        Severity.MEDIUM,
        True,
    )
    assert settings.sources == ("affidavit.toml", "environment")


def test_every_source_adds_to_what_is_excluded(repo: Repo) -> None:
    settings = load(repo, FILES, {"AFFIDAVIT_EXCLUDE": "b/**"}, {"exclude": "c/**"})
    assert settings.exclude == ("c/**", "b/**", "a/**", "web/*.snap")


def test_pyproject_can_hold_the_settings(repo: Repo) -> None:
    assert load(repo, {"pyproject.toml": '[tool.affidavit]\nexclude = ["docs/**"]\n'}).exclude == ("docs/**",)


def test_affidavit_toml_comes_before_pyproject(repo: Repo) -> None:
    files = {"pyproject.toml": "[tool.affidavit]\nnits = true\n", "affidavit.toml": "nits = false\n"}
    assert load(repo, files).nits is False


def test_a_pyproject_of_others_is_not_our_business(repo: Repo) -> None:
    assert load(repo, {"pyproject.toml": "[tool.ruff\nbroken"}) == Settings()


def test_a_folder_has_settings_of_its_own(repo: Repo) -> None:
    files = {
        "affidavit.toml": 'severity_threshold = "low"\n',
        "web/affidavit.toml": 'severity_threshold = "high"\nexclude = ["*.snap"]\n',
        "web/old/affidavit.toml": 'rules_off = ["ruff/F401"]\n',
    }
    settings = load(repo, files)
    assert settings.for_path("app.py").severity_threshold is Severity.LOW
    assert settings.for_path("web/app.py").severity_threshold is Severity.HIGH
    deep = settings.for_path("web/old/app.py")
    assert (deep.severity_threshold, deep.rules_off) == (Severity.HIGH, ("ruff/F401",))
    assert settings.exclude == ("web/*.snap",)


def test_what_belongs_to_the_whole_review_cannot_be_set_for_a_folder(repo: Repo) -> None:
    (problem,) = load(repo, {"web/affidavit.toml": 'fail_on = "low"\n'}).problems
    assert "web/affidavit.toml: fail_on can be set only at the root" in problem


def test_words_of_other_vocabularies_are_understood(repo: Repo) -> None:
    flags = {"fail_on": "never", "severity_threshold": "warning", "focus": "security,bugs"}
    settings = load(repo, {}, flags=flags)
    assert (settings.fail_on, settings.severity_threshold) == (None, Severity.MEDIUM)
    assert settings.focus == {Category.SECURITY, Category.CORRECTNESS, Category.RELIABILITY}


@pytest.mark.parametrize(
    ("path", "content", "message"),
    [
        ("affidavit.toml", "fail_om = 'low'", "unknown setting fail_om; did you mean fail_on"),
        ("affidavit.toml", "fail_on = 3", "affidavit.toml: fail_on: expected text, found 3"),
        ("affidavit.toml", "fail_on = ", "affidavit.toml: not valid TOML"),
        ("pyproject.toml", "[tool]\naffidavit = 3", "must be a table"),
        ("affidavit.toml", "include_style = 'perhaps'", "expected true or false"),
        ("affidavit.toml", "exclude = [1]", "expected a list of texts"),
    ],
)
def test_a_file_at_base_that_is_wrong_is_named_and_left_out(
    repo: Repo, path: str, content: str, message: str
) -> None:
    settings = load(repo, {path: content})
    assert message in settings.problems[0]
    assert settings.model_copy(update={"problems": ()}) == Settings()


def test_all_mistakes_of_a_file_are_named_at_once(repo: Repo) -> None:
    linter = "[[linters]]\nname = 'X'\nformat = 'text'\n"
    wrong = "fail_om = 'low'\nnits = 'perhaps'\nrun = true\n" + linter
    problems = load(repo, {"affidavit.toml": wrong}).problems
    assert [problem.partition(": ")[2].partition(" ")[0] for problem in problems] == [
        "unknown",
        "nits:",
        "run",
        "linters:",
    ]
    assert all(field in problems[3] for field in ("name: ", "command: ", "format: ", "patterns: "))
    with pytest.raises(SettingsError) as caught:
        load_settings(None, {}, {}, ("mine.toml", wrong.encode()))
    assert str(caught.value).count("mine.toml: ") == len(problems)


def test_a_wrong_file_of_one_folder_leaves_the_others_in_force(repo: Repo) -> None:
    settings = load(repo, {"affidavit.toml": "nits = true\n", "web/affidavit.toml": "nonsense"})
    assert settings.nits
    assert settings.sources == ("affidavit.toml",)
    assert len(settings.problems) == 1


@pytest.mark.parametrize(
    ("environment", "flags", "message"),
    [
        ({"AFFIDAVIT_FAIL_ON": "dreadful"}, {}, "AFFIDAVIT_FAIL_ON: 'dreadful'"),
        ({}, {"severity_threshold": "x"}, "--severity-threshold: 'x'"),
        ({}, {"analyser_timeout_seconds": "0"}, "expected seconds from 1 to 86400"),
    ],
)
def test_a_wrong_choice_of_the_user_is_an_error(
    repo: Repo, environment: dict[str, str], flags: dict[str, Any], message: str
) -> None:
    with pytest.raises(SettingsError, match=message):
        load(repo, {}, environment, flags)


def test_a_wrong_file_that_the_user_names_is_an_error() -> None:
    with pytest.raises(SettingsError, match="mine.toml: unknown setting fail_om"):
        load_settings(None, {}, {}, ("mine.toml", b"fail_om = 'low'\n"))


def test_each_setting_says_where_it_came_from(repo: Repo) -> None:
    files = {"affidavit.toml": 'fail_on = "low"\nseverity_threshold = "low"\nnits = true\n'}
    environment = {"AFFIDAVIT_FAIL_ON": "medium"}
    settings = load(repo, files, environment, {"severity_threshold": "high"})
    assert settings.origins == {"fail_on": "environment", "severity_threshold": "flag", "nits": "base"}


FILES = {
    "affidavit.toml": 'fail_on = "low"\nexclude = ["a/**"]\nanalysers_off = ["ty"]\n',
    "web/affidavit.toml": 'rules_off = ["ruff/F401"]\nexclude = ["*.snap"]\n',
}


@pytest.mark.parametrize(
    ("environment", "flags", "named"),
    [
        ({}, {}, None),
        ({"AFFIDAVIT_NITS": "1"}, {"fail_on": "never"}, None),
        ({}, {"exclude": ["b/**"]}, None),
        ({"AFFIDAVIT_FAIL_ON": "medium"}, {}, ("mine.toml", b'severity_threshold = "high"\n')),
    ],
)
def test_recorded_settings_are_derived_again_from_the_base_and_from_what_was_chosen(
    repo: Repo, environment: dict[str, str], flags: dict[str, Any], named: tuple[str, bytes] | None
) -> None:
    commit = repo.commit("settings", FILES)
    with open_repository(repo.path, commit, commit) as repository:
        settings = load_settings(repository.base, environment, flags, named)
        recorded = Settings.model_validate_json(settings.model_dump_json())
        assert derive_settings(repository.base, recorded) == settings


@pytest.mark.parametrize(
    "forged",
    [
        {"fail_on": None},
        {"analysers_off": ("ruff", "ty")},
        {"rules_off": ("ruff/F821",)},
        {"folders": ()},
        {"exclude": ("**",)},
        {"origins": {}},
    ],
)
def test_settings_that_nobody_chose_do_not_come_out_again(repo: Repo, forged: dict[str, Any]) -> None:
    commit = repo.commit("settings", FILES)
    with open_repository(repo.path, commit, commit) as repository:
        recorded = load_settings(repository.base, {}, {}).model_copy(update=forged)
        assert derive_settings(repository.base, recorded) != recorded


def test_a_pyproject_that_is_named_is_read_as_one() -> None:
    content = b'[project]\nname = "x"\n[tool.affidavit]\nfail_on = "low"\n'
    settings = load_settings(None, {}, {}, ("folder/pyproject.toml", content))
    assert settings.fail_on is Severity.LOW


def test_a_wrong_gate_is_told_that_it_may_be_never() -> None:
    with pytest.raises(SettingsError, match=r"--fail-on: 'sometimes' is not a severity; .*, or never"):
        load_settings(None, {}, {"fail_on": "sometimes"})


def test_a_variable_that_nothing_reads_is_named() -> None:
    environment = {
        "AFFIDAVIT_MODLE": "x",
        "AFFIDAVIT_MODEL": "y",
        "AFFIDAVIT_VERIFIER_API_KEY": "z",
        "HOME": "/",
    }
    assert unknown_variables(environment) == ["AFFIDAVIT_MODLE"]
