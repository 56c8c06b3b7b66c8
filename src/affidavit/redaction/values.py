"""Judge whether a value looks like a secret: random, or chosen as a password."""

import math
import re
from collections import Counter
from collections.abc import Iterable

from affidavit.redaction.placeholders import is_placeholder
from affidavit.system.late import expression

REFERENCE = expression(
    r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)+\W{0,3}"
    r"|[A-Za-z_$][\w$.:-]*[(\[].*|.*\)|[\w.@~-]*/(?:[\w.@-]+/)*[\w.@-]*|[a-z][a-z0-9]*(?:[._-][a-z0-9]+)+"
)
"""References to something else: an attribute, a call, a path, an address, a key of a catalogue."""
ADDRESS = expression(r"[a-z][a-z0-9+.-]*://|\.{1,2}/")
"""Addresses, whose secrets are found by their form, and relative paths."""
TYPE_NAME = expression(r"[A-Z][a-z]+(?:[A-Z][a-z]*)*\d*")
PIECES = expression(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
MADE_OF_WORDS = expression(r"[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*")
"""Words and numbers, which people join to a password and programs to a name."""
WORDS = expression(r"[A-Z]?[a-z]+|[A-Z]+")
PROGRAM_WORDS = expression(
    r"(?i)pass(?:wor[dt]|wd|phrase|code)?s?|pwd?|secrets?|tokens?|keys?|auth\w*|o?auth|cred\w*|jwt|certs?|tls|ssl|ssh"
    r"|rsa|csrf|users?|usr|usernames?|names?|admin|root|guest|tests?|testing|demo|sample|mock|stub|fixture|default"
    r"|apps?|api|db|database|svc|services?|servers?|clients?|host|local|prod|dev|staging|values?|fields?|forms?|input"
    r"|label|title|message|errors?|exception|text|types?|ids?|version|config|settings?|plain|hash|md|sha|utf|base|iso"
    r"|access|refresh|bearer|session|login|x"
)
"""Words of names in programs, which passphrases rarely have."""
SENTENCE = expression(
    r"(?i)an?|the|is|are|be|must|at|least|of|to|for|in|on|with|your|you|this|that|its?|and|or|not|no|please|from|by|my|we"
    r"|as|if|when|can|has|have|will|should|enter|choose|use|used|set|get|new|old|min|max|minimum|maximum|characters"
    r"|chars|letters|digits|long|de|la|le|el|der|die|das|und"
)
"""Words of sentences and titles."""
IMPOSSIBLE_LETTERS = expression(
    r"[^aeiouy]{5}|(.)\1\1|^[^aeiouy]+$|b[kqx]|c[bfgjpvwx]|dx|f[kqvxz]|g[qvx]|h[kvxz]|j[^aeiou]|k[qvxz]|l[qx]|m[gjqxz]"
    r"|p[qvx]|q[^u]|s[xz]|t[qx]|v[bcdfghjklmnpqtwxz]|w[qvxz]|x[bgjkvz]|y[qvz]|z[bcghjnqrsx]|iy|uu|ii|aa|[jqvw]$",
    re.IGNORECASE,
)
"""Letters that no word has: only consonants, or an impossible pair."""
MIN_PIECE = 3.5
"""Letters of one case in a row: in names more on average, in keys fewer."""
HEXADECIMAL = expression(r"(?:0x)?[0-9a-fA-F]+")
SYMBOLS = frozenset("+/!@#$%^&*~=")
MIN_ENTROPY = 3.0
"""Bits for each character: words and names lie below, keys above."""
MAX_WORDS = 0.6
"""The share of a value that words may have; names have more."""


def is_random(value: str) -> bool:
    if is_placeholder(value) or not any(each.isalpha() for each in value):
        return False
    has_digits = sum(map(str.isdigit, value)) >= (1 if len(value) >= 16 else 2)
    return (
        (has_digits or not SYMBOLS.isdisjoint(value))
        and entropy(value) >= MIN_ENTROPY
        and not is_named(value)
    )


def is_password(value: str) -> bool:
    """Return whether a value may have been chosen as a password: people mix letters with digits or signs."""
    if is_placeholder(value) or not any(each.isalpha() for each in value):
        return False
    is_mixed = any(each.isdigit() or each in SYMBOLS for each in value)
    return is_mixed and not is_reference(value) and not TYPE_NAME.fullmatch(value)


def is_chosen(value: str) -> bool:
    """Return whether a person or a machine may have chosen the value as a secret."""
    return is_password(value) or is_random(value) or is_words_and_number(value)


def is_words_and_number(value: str, *, by_machine: bool = False) -> bool:
    """Return whether a value is words and a number; `by_machine`: words of programs make it a name."""
    if is_placeholder(value) or not MADE_OF_WORDS.fullmatch(value) or not any(map(str.isdigit, value)):
        return False
    words = WORDS.findall(value)
    is_name = _count_program_words(words) > 0 if by_machine else 2 * _count_program_words(words) >= len(words)
    return not is_name and max(map(len, words), default=0) > 3


def is_phrase(value: str) -> bool:
    """Return whether a text is a passphrase (`correct horse battery staple`), not a sentence."""
    words = re.split(r"[ ._-]", value)
    if not 3 <= len(words) <= 12 or not all(word.isalnum() and word.isascii() for word in words):
        return False
    if is_placeholder(value) or _count_program_words(words) or any(map(SENTENCE.fullmatch, words)):
        return False
    is_unusual = any(map(str.isdigit, value)) or (len(words) > 3 and value.islower())
    return is_unusual and sum(len(word) > 2 and word.isalpha() for word in words) > 1


def _count_program_words(words: Iterable[str]) -> int:
    return sum(PROGRAM_WORDS.fullmatch(word) is not None for word in words)


def is_key(value: str) -> bool:
    """Return whether a value is so mixed that it is a key whatever it is called."""
    kinds = (str.isupper, str.islower, str.isdigit)
    return len(value) >= 20 and all(sum(map(kind, value)) >= 3 for kind in kinds) and is_random(value)


def is_named(value: str) -> bool:
    """Return whether a value is made of words: a name, a path, a sentence, a reference to something else."""
    if HEXADECIMAL.fullmatch(value):
        return False
    return is_reference(value) or share_of_words(value) > MAX_WORDS


def is_reference(value: str) -> bool:
    """Return whether a value names something else."""
    if ADDRESS.match(value):
        return True
    return REFERENCE.fullmatch(value) is not None and share_of_words(value) >= 0.5


def share_of_words(value: str) -> float:
    signs = sum(map(str.isalnum, value))
    pieces = PIECES.findall(value)
    is_divided = sum(map(value.count, "_-. /")) > len(value) / 16
    if not signs or (len(pieces) > 3 and not is_divided and sum(map(len, pieces)) / len(pieces) < MIN_PIECE):
        return 0.0
    return (
        sum(len(piece) for piece in pieces if len(piece) > 2 and not IMPOSSIBLE_LETTERS.search(piece)) / signs
    )


def entropy(value: str) -> float:
    """Return the bits for each character."""
    counts = Counter(value)
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts.values())
