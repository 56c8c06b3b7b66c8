"""Texts within bounds: cut at the end of a sentence or a word, and never shorter than asked for."""

import re

_SENTENCE_END = re.compile(r"[.!?](?=\s)")


def folded(text: str) -> str:
    """One line, white space folded."""
    return " ".join(text.split())


def cut(text: str, most: int) -> str:
    """At most so many characters: whole sentences where at least half of it is left, else whole words."""
    text = text.strip()
    if len(text) <= most:
        return text
    ends = [match.end() for match in _SENTENCE_END.finditer(text, 0, most)]
    if ends and ends[-1] >= most // 2:
        return text[: ends[-1]]
    words = text[: most - 1].rstrip()
    if not text[len(words) : len(words) + 1].isspace() and " " in words:
        words = words.rsplit(None, 1)[0]
    return words + "…"


def at_least(text: str, least: int, more: str) -> str:
    """The text, with a sentence added where it is too short."""
    text = text.strip()
    if len(text) >= least:
        return text
    joined = f"{text.rstrip('.')}. {more}" if text else more
    return joined if len(joined) >= least else joined.ljust(least, ".")


def sentence(text: str) -> str:
    """The text with a full stop at its end."""
    text = text.strip()
    return text if not text or text[-1] in ".!?…" else f"{text}."


def first_lower(text: str) -> str:
    """For use within a sentence, unless it begins with a name."""
    return text[:1].lower() + text[1:] if text[:2].istitle() else text
