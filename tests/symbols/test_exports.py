"""A module may have more names than its text shows where its code says so, not its comments."""

import pytest

from affidavit.languages.registry import LANGUAGES
from affidavit.symbols.exports import read_exports

OPEN = [
    ("a.py", "globals().update(x)\n"),
    ("a.py", "def __getattr__(name):\n    return 1\n"),
    ("a.js", "module.exports = { a: 1 };\n"),
    ("a.ts", "export = a;\n"),
]
CLOSED = [
    ("a.py", "A = 1  # see globals()\n"),
    ("a.py", '"""exec(code), sys.modules"""\nA = "globals()"\n'),
    ("a.js", "export const a = 1; // module.exports\n"),
    ("a.js", 'export const a = "module.exports = 1";\n'),
]


@pytest.mark.parametrize(("path", "text"), OPEN)
def test_code_opens_a_module(path: str, text: str) -> None:
    parsed_as = LANGUAGES.parsed_as(path)
    assert parsed_as is not None
    assert read_exports(text.encode(), parsed_as).is_open


@pytest.mark.parametrize(("path", "text"), CLOSED)
def test_words_in_comments_and_texts_open_no_module(path: str, text: str) -> None:
    parsed_as = LANGUAGES.parsed_as(path)
    assert parsed_as is not None
    assert not read_exports(text.encode(), parsed_as).is_open
