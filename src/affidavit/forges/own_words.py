"""A comment in, the words that its readers see as its author's own out: no code, quote or hidden text."""

import re
from functools import cache, lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

# Forges show a footnote only where something refers to it; CommonMark knows none.
_FOOTNOTE = re.compile(r"^ {0,3}\[\^[^\]\n]+\]:[^\n]*(?:\n[^\n]*\S[^\n]*)*", re.MULTILINE)
_LINE_ENDS = re.compile(r"\r\n?")


@lru_cache(maxsize=1_000)
def own_words(body: str) -> str:
    """The lines of its paragraphs; a line that begins within a list, a link or emphasis still shows that."""
    text = _FOOTNOTE.sub("", _LINE_ENDS.sub("\n", body))
    lines: list[str] = []
    quotes, before, is_entry = 0, "", False
    for token in _parser().parse(text):
        quotes += token.nesting if token.type.startswith("blockquote") else 0
        if token.type == "inline" and before == "paragraph_open" and not quotes:
            # The first line of an entry of a list is not a line by itself.
            lines.append(("- " if is_entry else "") + _shown(token.children or []))
        is_entry = token.type == "list_item_open" or (is_entry and token.type == "paragraph_open")
        before = token.type
    return "\n".join(lines)


@cache
def _parser() -> MarkdownIt:
    # Whoever writes `\/` means no command.
    return MarkdownIt("commonmark").disable(["escape", "entity"])


def _shown(parts: list[Token]) -> str:
    """One paragraph as text; a part that spans lines in the source is one word here."""
    said = {"softbreak": "\n", "hardbreak": "\n", "link_open": "[", "link_close": "]"}
    words: list[str] = []
    for part in parts:
        if part.type == "text":
            words.append(part.content)
        elif part.type in said:
            words.append(said[part.type])
        elif part.type in ("code_inline", "html_inline", "image"):
            sign = {"code_inline": "`", "image": "!"}.get(part.type, "")
            words.append(f"{sign}{' '.join(part.content.split())}{sign}")
        else:
            words.append(part.markup)
    return "".join(words)
