"""Silence that people asked for: whoever's comment it is, and what a change's own comments do."""

import asyncio
from collections.abc import Iterator

import pytest

from affidavit.assembly import assemble_crew
from affidavit.config.settings import Settings
from affidavit.pipeline import review
from affidavit.records.report import Report
from affidavit.render.report.wording import brought_suppressions
from python_changes import Case, Open, opened_cases
from repositories import Repo

TOKEN = "ghp_" + "NqVwYS81VP7Hb1DX8pPd5khxE3pyIgKpaQz1"


@pytest.fixture
def case(repo: Repo) -> Iterator[Open]:
    """Make a case; its processes end with the test."""
    yield from opened_cases(repo)


def reviewed(one: Case) -> Report:
    settings = Settings()
    return asyncio.run(review(one.change, one.repository, settings, assemble_crew(settings, None)))


def shown(report: Report) -> list[tuple[str | None, int]]:
    return [(one.finding.rule_id, one.finding.line) for one in report.shown if one.finding]


def suppressed(report: Report) -> set[str]:
    return {
        one.finding.rule_id or ""
        for one in report.candidates
        if one.finding and one.withheld and one.withheld.code == "suppressed"
    }


def undefined(comment: str, *, is_defined: bool) -> str:
    first = "LIMIT = 3\n" if is_defined else "\n"
    return f"{first}\n\ndef f():\n    return LIMIT{comment}\n"


@pytest.mark.parametrize(
    "comment",
    [
        "  # noqa",
        "  # noqa: F821",
        "  # NOQA:E501, F821",
        "  # type: ignore",
        "  # type: ignore[name-defined]",
        "  # ty: ignore[unresolved-reference]",
        "  # pyright: ignore",
        "  # pylint: disable=undefined-variable",
    ],
)
def test_an_old_comment_of_any_tool_silences_an_undefined_name(comment: str, case: Open) -> None:
    before, after = undefined(comment, is_defined=True), undefined(comment, is_defined=False)
    report = reviewed(case({"a.py": before}, {"a.py": after}))
    assert (shown(report), report.gate.exit_code) == ([], 0)


@pytest.mark.parametrize(
    "comment",
    [
        "# pyright: reportUndefinedVariable=false",
        "# pyright: basic, reportUndefinedVariable=none",
        '# mypy: disable-error-code="name-defined"',
    ],
)
def test_an_old_setting_for_the_whole_file_silences_an_undefined_name(comment: str, case: Open) -> None:
    before, after = undefined("", is_defined=True), undefined("", is_defined=False)
    report = reviewed(case({"a.py": f"{comment}\n{before}"}, {"a.py": f"{comment}\n{after}"}))
    assert (shown(report), report.gate.exit_code) == ([], 0)


def test_a_setting_for_the_whole_file_that_the_change_adds_is_listed(case: Open) -> None:
    before, after = undefined("", is_defined=True), undefined("", is_defined=False)
    report = reviewed(case({"a.py": before}, {"a.py": f"# pyright: reportUndefinedVariable=false\n{after}"}))
    assert (shown(report), report.gate.exit_code, bool(suppressed(report))) == ([], 0, True)
    assert len(brought_suppressions(report)) == 1


@pytest.mark.parametrize(
    "comment", ["", "  # noqa: E501", "  # type: ignore[call-arg]", "  # nosec", "  # no qa"]
)
def test_a_comment_about_something_else_silences_nothing(comment: str, case: Open) -> None:
    before, after = undefined(comment, is_defined=True), undefined(comment, is_defined=False)
    report = reviewed(case({"a.py": before}, {"a.py": after}))
    assert (len(shown(report)), report.gate.exit_code) == (1, 1)


@pytest.mark.parametrize(
    "top", ["# ruff: noqa\n", "# flake8: noqa\n", "# ruff: noqa: F821\n", "# type: ignore\n"]
)
def test_an_old_comment_on_the_whole_file_silences_all_of_it(top: str, case: Open) -> None:
    before, after = undefined("", is_defined=True), undefined("", is_defined=False)
    assert shown(reviewed(case({"a.py": top + before}, {"a.py": top + after}))) == []


def shell(argument: str, comment: str) -> str:
    return f"import os\n\n\ndef f(name):\n    os.system({argument}){comment}\n\n\nf(input())\n"


@pytest.mark.parametrize("comment", ["  # nosec", "  # nosec B605", "  # noqa: S605", "  # noqa"])
def test_a_comment_that_the_change_adds_withholds_and_is_listed(comment: str, case: Open) -> None:
    report = reviewed(case({"a.py": shell("'ls'", "")}, {"a.py": shell("'ls ' + name", comment)}))
    assert shown(report) == []
    assert {"bandit/B605", "ruff/S605"} <= suppressed(report)
    assert (report.verdict.decision, report.gate.exit_code) == ("comment", 0)
    ((place, what),) = brought_suppressions(report)
    assert place == "a.py:5"
    assert comment.strip() in what
    assert report.verdict.counts.withheld_by_code["suppressed"] >= 2


@pytest.mark.parametrize("comment", ["  # noqa", "  # noqa: F821", "  # type: ignore"])
def test_an_added_comment_about_an_undefined_name_is_a_suppression(comment: str, case: Open) -> None:
    report = reviewed(
        case({"a.py": undefined("", is_defined=True)}, {"a.py": undefined(comment, is_defined=False)})
    )
    assert (shown(report), suppressed(report)) == ([], {"ruff/F821", "ty/unresolved-reference"})
    assert report.gate.exit_code == 0


def test_a_comment_that_only_moves_with_its_line_is_no_new_one(case: Open) -> None:
    line = "    return LIMIT  # noqa\n"
    before = f"LIMIT = 3\n\n\ndef f():\n{line}"
    after = f"def f():\n    if f:\n    {line}"
    report = reviewed(case({"a.py": before}, {"a.py": after}))
    assert (shown(report), suppressed(report)) == ([], set())


@pytest.mark.parametrize(
    ("path", "before", "after", "rule"),
    [
        (
            "a.sh",
            "#!/bin/bash\n",
            '#!/bin/bash\n# shellcheck disable=SC2115\nrm -rf "$1"/\n',
            "shellcheck/SC2115",
        ),
        (
            "Dockerfile",
            "FROM a:1\n",
            "FROM a:1\n# hadolint ignore=DL3021\nCOPY a.txt b.txt /c\n",
            "hadolint/DL3021",
        ),
        ("a.yml", "a: 1\n", "a: 1\na: 2  # yamllint disable-line\n", "yamllint/key-duplicates"),
        (
            "a.js",
            "let a = 1;\n",
            "let a = 1;\n// eslint-disable-next-line no-self-compare, no-dupe-keys\nlet b = {c: 1, c: 2};\n",
            "oxlint/eslint/no-dupe-keys",
        ),
    ],
)
def test_added_comments_of_every_tool_withhold_its_own_findings(
    path: str, before: str, after: str, rule: str, case: Open
) -> None:
    report = reviewed(case({path: before}, {path: after}))
    assert (rule in suppressed(report), shown(report)) == (True, [])
    assert (report.verdict.decision, report.gate.exit_code) == ("comment", 0)


@pytest.mark.parametrize(
    "settings",
    [
        {"ruff.toml": '[lint]\nignore = ["F821"]\n'},
        {"pyproject.toml": '[tool.ruff.lint.per-file-ignores]\n"lib/*" = ["F82"]\n'},
        {".flake8": "[flake8]\nextend-ignore = F821\n"},
        {"ty.toml": '[rules]\nunresolved-reference = "ignore"\n'},
    ],
)
def test_what_one_tool_ignores_at_base_its_twin_does_not_say(settings: dict[str, str], case: Open) -> None:
    before, after = undefined("", is_defined=True), undefined("", is_defined=False)
    assert shown(reviewed(case({"lib/a.py": before, **settings}, {"lib/a.py": after}))) == []


@pytest.mark.parametrize(
    "settings",
    [{".bandit": "[bandit]\nskips = B605\n"}, {"ruff.toml": '[lint]\nignore = ["S605"]\n'}],
)
def test_a_test_that_bandit_skips_at_base_is_not_said_by_ruff(settings: dict[str, str], case: Open) -> None:
    one = case({"a.py": shell("'ls'", ""), **settings}, {"a.py": shell("'ls ' + name", "")})
    assert shown(reviewed(one)) == []


def test_what_the_change_ignores_in_configuration_does_not_count(case: Open) -> None:
    before, after = undefined("", is_defined=True), undefined("", is_defined=False)
    one = case({"a.py": before}, {"a.py": after, "ruff.toml": '[lint]\nignore = ["F821"]\n'})
    assert reviewed(one).gate.exit_code == 1


@pytest.mark.parametrize(
    "comment",
    [
        "// eslint-disable-next-line",
        "// eslint-disable-next-line import/named",
        "// @ts-ignore",
        "/* eslint-disable */",
    ],
)
def test_broken_references_are_silenced_by_old_comments_too(comment: str, case: Open) -> None:
    user = f"{comment}\nimport {{ gone }} from './lib';\ngone();\n"
    one = case(
        {"lib.ts": "export const gone = () => 1;\n", "user.ts": user}, {"lib.ts": "export const other = 1;\n"}
    )
    assert shown(reviewed(one)) == []


def test_a_broken_reference_without_a_comment_is_said(case: Open) -> None:
    user = "import { gone } from './lib';\ngone();\n"
    one = case(
        {"lib.ts": "export const gone = () => 1;\n", "user.ts": user}, {"lib.ts": "export const other = 1;\n"}
    )
    assert shown(reviewed(one)) == [("references/removed-import", 1)]


@pytest.mark.parametrize("comment", ["# noqa", "# nosec", "# kingfisher:ignore", "# gitleaks:allow"])
def test_no_comment_of_the_change_silences_a_secret(comment: str, case: Open) -> None:
    report = reviewed(case({"a.py": ""}, {"a.py": f'TOKEN = "{TOKEN}"  {comment}\n'}))
    assert (suppressed(report), report.gate.exit_code) == (set(), 1)
