"""Turn prose of a finding into markup: paragraphs, code spans and code blocks; everything else is text."""

import re

from markupsafe import Markup

from affidavit.render.safe_text import clip, visible

_MAX_LENGTH = 8_000
_SPAN = re.compile(r"`([^`\n]+)`")
_FENCE = re.compile(r"^ {0,3}```[^\n`]*\n(.*?)(?:^ {0,3}```[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)


def inline(text: str, limit: int = 1_000) -> Markup:
    """One line; what stands in backticks becomes code."""
    return _spans(clip(visible(" ".join(text.split())), limit))


def prose(text: str) -> Markup:
    """Paragraphs and code blocks."""
    shown = clip(visible(text.strip().replace("\r\n", "\n"), keep="\n\t"), _MAX_LENGTH)
    pieces: list[Markup] = []
    end = 0
    for fence in _FENCE.finditer(shown):
        pieces += [_paragraphs(shown[end : fence.start()]), _block(fence[1])]
        end = fence.end()
    return Markup("").join([*pieces, _paragraphs(shown[end:])])


def _paragraphs(text: str) -> Markup:
    parts = [part.strip() for part in re.split(r"\n[ \t]*\n", text)]
    return Markup("").join(Markup("<p>{}</p>").format(_spans(part)) for part in parts if part)


def _block(code: str) -> Markup:
    return Markup("<pre>{}</pre>").format(code.removesuffix("\n"))


def _spans(text: str) -> Markup:
    pieces: list[Markup] = []
    end = 0
    for span in _SPAN.finditer(text):
        pieces += [Markup.escape(text[end : span.start()]), Markup("<code>{}</code>").format(span[1])]
        end = span.end()
    return Markup("").join([*pieces, Markup.escape(text[end:])])
