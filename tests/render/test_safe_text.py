"""Text of a change shows itself and does nothing else."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from affidavit.render.safe_text import (
    code_block,
    code_lines,
    code_span,
    encodable,
    markdown_line,
    markdown_prose,
    one_line,
    visible,
)
from hostile import hostile_text

any_text = hostile_text | st.text() | st.text(alphabet="`~\n ab")
SHAPELESS = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


def inline_tokens(markdown: str) -> list[tuple[str, str]]:
    """What a reader of CommonMark sees inside the blocks: type and content."""
    blocks = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(markdown)
    return [(token.type, token.content) for block in blocks for token in block.children or []]


@given(st.text(alphabet=st.characters(), max_size=50))
def test_no_character_without_a_shape_is_left(text: str) -> None:
    assert not {unicodedata.category(character) for character in visible(text)} & SHAPELESS


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31m", "␛[31m"),
        ("a\u202eb", "a<U+202E>b"),
        ("zero\u200bwidth", "zero<U+200B>width"),
        ("\x9b", "<U+009B>"),
        ("\x7f", "␡"),
        ("tag\U000e0041", "tag<U+E0041>"),
        ("a\nb", "a␊b"),
        ("♻\ufe0f ok", "♻ ok"),
        ("x\ufe0f", "x<U+FE0F>"),
        ("plain ü 漢字 🎉", "plain ü 漢字 🎉"),
    ],
)
def test_what_has_no_shape_is_shown_in_visible_form(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(any_text)
def test_making_visible_twice_changes_nothing_more(text: str) -> None:
    assert visible(visible(text)) == visible(text)


def test_a_long_line_is_cut_with_an_ellipsis() -> None:
    assert one_line("a  b\nc" + "d" * 20, 8) == "a b cdd…"


def test_code_keeps_its_lines_and_shows_tabs_as_spaces() -> None:
    assert code_lines("a\r\n\tb\x0cc\n") == ["a", "    b␌c"]


@given(any_text)
def test_any_text_can_be_written_in_ascii(text: str) -> None:
    assert encodable(visible(text), "ascii").isascii()


@given(any_text)
def test_nothing_ends_a_code_span(text: str) -> None:
    tokens = inline_tokens(f"x {code_span(text)} y")
    assert [kind for kind, _ in tokens] == ["text", "code_inline", "text"]


@given(any_text)
def test_a_code_span_shows_the_text_itself(text: str) -> None:
    shown = visible(text)
    if shown.strip():
        assert inline_tokens(f"x {code_span(text)} y")[1][1] == shown


@given(any_text, st.text(max_size=10))
def test_nothing_ends_a_code_block(text: str, language: str) -> None:
    tokens = MarkdownIt().parse(f"{code_block(text, language)}\n\nafter")
    assert [token.type for token in tokens] == ["fence", "paragraph_open", "inline", "paragraph_close"]


@pytest.mark.parametrize("code", ["```", "a\n```\n# out", "```` \n<b>", "   ```"])
def test_a_line_of_backticks_does_not_end_a_code_block(code: str) -> None:
    (block,) = MarkdownIt().parse(code_block(code))
    assert block.content == f"{code}\n"


@given(any_text)
def test_prose_on_one_line_is_text_and_code_only(text: str) -> None:
    line = markdown_line(text)
    assert "\n" not in line
    assert {kind for kind, _ in inline_tokens(line)} <= {"text", "text_special", "code_inline"}


@given(any_text)
def test_prose_makes_paragraphs_and_code_blocks_only(text: str) -> None:
    blocks = MarkdownIt("commonmark", {"html": True}).enable(["table"]).parse(markdown_prose(text))
    assert {block.type for block in blocks} <= {"paragraph_open", "inline", "paragraph_close", "fence"}
    kinds = {child.type for block in blocks for child in block.children or []}
    assert kinds <= {"text", "text_special", "code_inline", "softbreak"}


@pytest.mark.parametrize(
    "active",
    [
        "@everyone",
        "(@team/all)",
        "mail a@b.example",
        "#12",
        "owner/repo#12",
        "GH-7",
        "PROJ-9",
        "see https://evil.example/x",
        "www.evil.example",
        "!3",
        "deadbeef1",
    ],
)
def test_what_a_forge_would_turn_into_a_link_or_a_notice_is_written_as_code(active: str) -> None:
    word = active.rsplit(maxsplit=1)[-1]
    assert markdown_line(f"x {active} y").endswith(f"`{word}` y")


def test_a_command_in_a_code_block_does_not_start_its_line() -> None:
    block = code_block("a\n/close")
    assert not any(line.startswith("/") for line in block.split("\n"))
    assert MarkdownIt().parse(block)[0].content == "a\n/close\n"


def test_code_spans_of_a_message_stay_code() -> None:
    assert markdown_line("`total` is not `a_b`") == "`total` is not `a_b`"


def test_a_fenced_block_of_a_message_stays_a_block() -> None:
    assert markdown_prose("Use:\n```python\nx = 1\n```\nthen") == "Use:\n\n```python\nx = 1\n```\n\nthen"


@pytest.mark.parametrize("line", ["/close", "- item", "1. item", "+ x", "===", "# head", "> quote"])
def test_a_line_cannot_start_a_command_a_list_or_a_heading(line: str) -> None:
    tokens = MarkdownIt().parse(markdown_prose(f"before\n\n{line}"))
    assert {token.type for token in tokens} <= {"paragraph_open", "inline", "paragraph_close"}
    assert not any(written.startswith("/") for written in markdown_prose(line).split("\n"))
