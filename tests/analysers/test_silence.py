"""Silence that people asked for: whoever's comment it is, and what a change's own comments do."""

import asyncio
from collections.abc import Iterable, Iterator

import pytest

from affidavit.config.settings import Settings
from affidavit.pipeline import review
from affidavit.records.report import Report
from affidavit.render.wording import added_suppressions
from affidavit.reviewing.hold import assemble_crew
from python_changes import Case, Open, opened_cases
from repositories import Repo

TOKEN = "ghp_" + "NqVwYS81VP7Hb1DX8pPd5khxE3pyIgKpaQz1"


@pytest.fixture
def case(repo: Repo) -> Iterator[Open]:
    """Make a case; its processes end with the test."""
    yield from opened_cases(repo)


def reviewed(one: Case, off: tuple[str, ...] = ("kingfisher",)) -> Report:
    """Without those whom most of these changes do not concern: they take longer than all others."""
    settings = Settings(analysers_off=off)
    return asyncio.run(review(one.change, one.repository, settings, assemble_crew(settings, None)))


def shown(report: Report) -> list[tuple[str | None, int]]:
    return [(one.finding.rule_id, one.finding.line) for one in report.shown if one.finding]


def suppressed(report: Report, path: str | None = None) -> set[str]:
    """The rules of what comments withhold, in one file or in all."""
    return {
        one.finding.rule_id or ""
        for one in report.candidates
        if one.finding and one.withheld and one.withheld.code == "suppressed"
        if path in (None, one.finding.file)
    }


def undefined(comment: str, *, is_defined: bool) -> str:
    first = "LIMIT = 3\n" if is_defined else "\n"
    return f"{first}\n\ndef f():\n    return LIMIT{comment}\n"


def each_in_a_file(contents: Iterable[str], name: str = "a.py") -> dict[str, str]:
    """Many files of one change: one review shows about all of them what a review of each would."""
    return {f"{number}/{name}": content for number, content in enumerate(contents)}


def test_an_old_comment_of_any_tool_silences_an_undefined_name(case: Open) -> None:
    comments = (
        "  # noqa",
        "  # noqa: F821",
        "  # NOQA:E501, F821",
        "  # type: ignore",
        "  # type: ignore[name-defined]",
        "  # ty: ignore[unresolved-reference]",
        "  # pyright: ignore",
        "  # pylint: disable=undefined-variable",
    )
    before = each_in_a_file(undefined(comment, is_defined=True) for comment in comments)
    after = each_in_a_file(undefined(comment, is_defined=False) for comment in comments)
    report = reviewed(case(before, after))
    assert (shown(report), report.gate.exit_code) == ([], 0)


def test_an_old_setting_for_the_whole_file_silences_an_undefined_name(case: Open) -> None:
    comments = (
        "# pyright: reportUndefinedVariable=false",
        "# pyright: basic, reportUndefinedVariable=none",
        '# mypy: disable-error-code="name-defined"',
    )
    before, after = undefined("", is_defined=True), undefined("", is_defined=False)
    report = reviewed(
        case(
            each_in_a_file(f"{comment}\n{before}" for comment in comments),
            each_in_a_file(f"{comment}\n{after}" for comment in comments),
        )
    )
    assert (shown(report), report.gate.exit_code) == ([], 0)


def test_a_setting_for_the_whole_file_that_the_change_adds_is_listed(case: Open) -> None:
    before, after = undefined("", is_defined=True), undefined("", is_defined=False)
    report = reviewed(case({"a.py": before}, {"a.py": f"# pyright: reportUndefinedVariable=false\n{after}"}))
    assert (shown(report), report.gate.exit_code, bool(suppressed(report))) == ([], 0, True)
    assert len(added_suppressions(report)) == 1


def test_a_comment_about_something_else_silences_nothing(case: Open) -> None:
    comments = ("", "  # noqa: E501", "  # type: ignore[call-arg]", "  # nosec", "  # no qa")
    before = each_in_a_file(undefined(comment, is_defined=True) for comment in comments)
    after = each_in_a_file(undefined(comment, is_defined=False) for comment in comments)
    report = reviewed(case(before, after))
    assert sorted(one.finding.file for one in report.shown if one.finding) == sorted(after)
    assert report.gate.exit_code == 1


def test_an_old_comment_on_the_whole_file_silences_all_of_it(case: Open) -> None:
    tops = ("# ruff: noqa\n", "# flake8: noqa\n", "# ruff: noqa: F821\n", "# type: ignore\n")
    before, after = undefined("", is_defined=True), undefined("", is_defined=False)
    files = (each_in_a_file(top + side for top in tops) for side in (before, after))
    assert shown(reviewed(case(*files))) == []


def shell(argument: str, comment: str) -> str:
    return f"import os\n\n\ndef f(name):\n    os.system({argument}){comment}\n\n\nf(input())\n"


def test_a_comment_that_the_change_adds_withholds_and_is_listed(case: Open) -> None:
    comments = ("  # nosec", "  # nosec B605", "  # noqa: S605", "  # noqa")
    before = each_in_a_file(shell("'ls'", "") for _ in comments)
    after = each_in_a_file(shell("'ls ' + name", comment) for comment in comments)
    report = reviewed(case(before, after), off=("kingfisher",))
    assert shown(report) == []
    for path in after:
        assert "ruff/S605" in suppressed(report, path)
    assert (report.verdict.decision, report.gate.exit_code) == ("comment", 0)
    said = dict(added_suppressions(report))
    assert set(said) == {f"{path}:5" for path in after}
    for path, comment in zip(after, comments, strict=True):
        assert comment.strip() in said[f"{path}:5"]
    assert report.verdict.counts.withheld_by_code["suppressed"] >= len(comments)


def test_an_added_comment_about_an_undefined_name_is_a_suppression(case: Open) -> None:
    comments = ("  # noqa", "  # noqa: F821", "  # type: ignore")
    before = each_in_a_file(undefined("", is_defined=True) for _ in comments)
    after = each_in_a_file(undefined(comment, is_defined=False) for comment in comments)
    report = reviewed(case(before, after))
    assert (shown(report), report.gate.exit_code) == ([], 0)
    for path in after:
        assert suppressed(report, path) == {"ruff/F821", "ty/unresolved-reference"}


def test_a_comment_that_only_moves_with_its_line_is_no_new_one(case: Open) -> None:
    line = "    return LIMIT  # noqa\n"
    before = f"LIMIT = 3\n\n\ndef f():\n{line}"
    after = f"def f():\n    if f:\n    {line}"
    report = reviewed(case({"a.py": before}, {"a.py": after}))
    assert (shown(report), suppressed(report)) == ([], set())


def test_added_comments_of_every_tool_withhold_its_own_findings(case: Open) -> None:
    before = {"a.sh": "#!/bin/bash\n", "Dockerfile": "FROM a:1\n", "a.yml": "a: 1\n", "a.js": "let a = 1;\n"}
    after = {
        "a.sh": '#!/bin/bash\n# shellcheck disable=SC2115\nrm -rf "$1"/\n',
        "Dockerfile": "FROM a:1\n# hadolint ignore=DL3021\nCOPY a.txt b.txt /c\n",
        "a.yml": "a: 1\na: 2  # yamllint disable-line\n",
        "a.js": (
            "let a = 1;\n// eslint-disable-next-line no-self-compare, no-dupe-keys\nlet b = {c: 1, c: 2};\n"
        ),
    }
    report = reviewed(case(before, after))
    assert "shellcheck/SC2115" in suppressed(report, "a.sh")
    assert "hadolint/DL3021" in suppressed(report, "Dockerfile")
    assert "yamllint/key-duplicates" in suppressed(report, "a.yml")
    assert "oxlint/eslint/no-dupe-keys" in suppressed(report, "a.js")
    assert (shown(report), report.verdict.decision, report.gate.exit_code) == ([], "comment", 0)


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
    assert shown(reviewed(one, off=("kingfisher",))) == []


def test_what_the_change_ignores_in_configuration_does_not_count(case: Open) -> None:
    before, after = undefined("", is_defined=True), undefined("", is_defined=False)
    one = case({"a.py": before}, {"a.py": after, "ruff.toml": '[lint]\nignore = ["F821"]\n'})
    assert reviewed(one).gate.exit_code == 1


def test_broken_references_are_silenced_by_old_comments_too(case: Open) -> None:
    comments = (
        "// eslint-disable-next-line",
        "// eslint-disable-next-line import/named",
        "// @ts-ignore",
        "/* eslint-disable */",
    )
    users = each_in_a_file(
        (f"{comment}\nimport {{ gone }} from '../lib';\ngone();\n" for comment in comments), "user.ts"
    )
    one = case({"lib.ts": "export const gone = () => 1;\n", **users}, {"lib.ts": "export const other = 1;\n"})
    assert shown(reviewed(one)) == []


def test_a_broken_reference_without_a_comment_is_said(case: Open) -> None:
    user = "import { gone } from './lib';\ngone();\n"
    one = case(
        {"lib.ts": "export const gone = () => 1;\n", "user.ts": user}, {"lib.ts": "export const other = 1;\n"}
    )
    assert shown(reviewed(one)) == [("references/removed-import", 1)]


def test_no_comment_of_the_change_silences_a_secret(case: Open) -> None:
    comments = ("# noqa", "# nosec", "# kingfisher:ignore", "# gitleaks:allow")
    after = each_in_a_file(f'TOKEN = "{TOKEN}"  {comment}\n' for comment in comments)
    report = reviewed(case({"a.py": ""}, after), off=())
    assert (suppressed(report), report.gate.exit_code) == (set(), 1)
    assert [one.finding.file for one in report.shown if one.finding] == sorted(after)


def listed(*values: str, first: str = "", last: str = "") -> str:
    """A statement over several lines, with comments at both ends."""
    rows = "".join(f"    {value},\n" for value in values)
    return f"KNOWN = 1\nROWS = [{first}\n{rows}]{last}\n"


def test_an_old_comment_at_an_end_of_a_statement_does_not_silence_lines_within(case: Open) -> None:
    ends = ({"first": "  # noqa"}, {"last": "  # noqa: F821"}, {"first": "  # type: ignore"})
    before = each_in_a_file(listed("KNOWN", **end) for end in ends)
    after = each_in_a_file(listed("KNOWN", "unknown", **end) for end in ends)
    report = reviewed(case(before, after))
    assert sorted(one.finding.file for one in report.shown if one.finding) == sorted(after)
    assert {line for _, line in shown(report)} == {4}


def test_a_new_comment_at_an_end_of_a_statement_does_not_silence_lines_within(case: Open) -> None:
    one = case({"a.py": listed("KNOWN")}, {"a.py": listed("KNOWN", "unknown", first="  # noqa")})
    report = reviewed(one)
    assert ({line for _, line in shown(report)}, suppressed(report)) == ({4}, set())


def test_an_old_nosec_behind_a_call_silences_it_for_ruff(case: Open) -> None:
    call = "import os\ndef f(name):\n    return os.system(\n        {}\n    )  # nosec\n"
    one = case({"a.py": call.format("'ls'")}, {"a.py": call.format("'ls ' + name")})
    assert shown(reviewed(one)) == []
