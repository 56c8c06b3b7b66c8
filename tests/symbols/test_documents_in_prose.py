"""A document names a definition where it writes it as code; the same word in its prose is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.symbols.enclosing import code_lines, is_marked, is_plain_word


@pytest.mark.parametrize(
    "text",
    [
        "Call `connect` first.",
        "Call ``cart.connect`` first.",
        "Call connect() first.",
        "Then cart.connect is called.",
        "Then Cart::connect is called.",
        "See <code>connect</code>.",
        r"See \texttt{connect}.",
        ":meth:`Cart.connect`",
    ],
)
def test_a_name_that_is_written_as_code_is_marked(text: str) -> None:
    assert is_marked(text, "connect")


@pytest.mark.parametrize(
    "text",
    [
        "to connect to the server.",
        "`Both` connect to `servers`.",
        "They connect (mostly).",
        "An open ` and connect",
        "It waits. connect again",
        "`reconnect` and connect",
    ],
)
def test_a_word_in_prose_is_not_marked(text: str) -> None:
    assert not is_marked(text, "connect")


@pytest.mark.parametrize("name", ["connect", "Client", "HTTP"])
def test_one_word_is_plain(name: str) -> None:
    assert is_plain_word(name)


@pytest.mark.parametrize("name", ["addrConn", "find_all", "_connect", "utf8", "HTTPServer"])
def test_a_name_of_several_words_or_with_signs_is_telling(name: str) -> None:
    assert not is_plain_word(name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one\n```\ncode\n```\ntwo", {3, 4}),
        ("~~~ python\n```\n~~~\ntwo", {2, 3}),
        ("one\n\n    code\n\n    code\n\ntwo", {3, 5}),
        ("- item\n\n    goes on\n", set()),
        ("one\n    goes on\n", set()),
        ("Example::\n\n  code\n  code\n\ntwo", {3, 4}),
        (".. code-block:: python\n\n   code\n\ntwo", {3}),
        ("\n\tcode\n", {2}),
        ("```\nnever closed", {2}),
    ],
)
def test_blocks_of_code_are_found(text: str, expected: set[int]) -> None:
    assert code_lines(text.split("\n")) == expected


@given(st.lists(st.text(alphabet=" \t`~:.-ab", max_size=12), max_size=30))
def test_any_document_can_be_read(lines: list[str]) -> None:
    assert code_lines(lines) <= set(range(1, len(lines) + 1))
