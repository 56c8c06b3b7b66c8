"""A comment silences; the same words in a text are data."""

import pytest

from affidavit.analysers.engine.silencing_comments import suppressions_in

SILENT = [
    ("a.py", 'HELP = "add `# ruff: noqa` to the top"'),
    ("a.py", 's = "# noqa"'),
    ("a.py", 'os.system("ls " + name + " # nosec")'),
    ("a.py", '"""\n# ruff: noqa\n"""'),
    ("a.py", "x = 1  # ruff: noqa"),
    ("a.py", "x = 1  # flake8: noqa"),
    ("a.py", "x = 1  # pyright: reportCallIssue=false"),
    ("a.py", "# pyright: basic, reportCallIssue=true"),
    ("a.py", "# pyright: strict"),
    ("b.js", 'const H = "put /* eslint-disable */ on top";'),
    ("b.ts", "const h = `// @ts-nocheck`;"),
]
SPEAKING = [
    ("a.py", "x = y  # noqa: F821"),
    ("a.py", 'x = y + "ä#"  # noqa'),
    ("a.py", "# ruff: noqa\nx = y"),
    ("a.py", "def f(:  # noqa"),
    ("a.pyw", "x = y  # noqa: F821"),
    ("a.py", "# pyright: basic, reportCallIssue=false"),
    ("a.py", "import a\n# pyright: reportUndefinedVariable = none\nx = y"),
    ("a.py", '# mypy: disable-error-code="call-arg, name-defined"\nx = y'),
    ("b.js", "run() // eslint-disable-line"),
    ("b.js", "/* eslint-disable */\nrun()"),
    ("b.vue", "// eslint-disable-next-line"),
]


@pytest.mark.parametrize(("path", "text"), SILENT)
def test_words_in_a_text_or_beside_code_silence_nothing(path: str, text: str) -> None:
    assert suppressions_in(path, text.split("\n")) == []


@pytest.mark.parametrize(("path", "text"), SPEAKING)
def test_a_comment_silences(path: str, text: str) -> None:
    assert len(suppressions_in(path, text.split("\n"))) == 1


def test_a_setting_of_pyright_silences_what_it_switches_off_in_the_whole_file() -> None:
    off = "reportUndefinedVariable=false, reportCallIssue=true, reportMissingImports=none"
    text = f"import a\n# pyright: {off}\nx = y\n"
    (one,) = suppressions_in("a.py", text.split("\n"))
    assert one.rules == ("ty/unresolved-reference", "ty/import-not-found")
    assert one.concerns(range(1, 2))
    assert one.concerns(range(900, 901))
