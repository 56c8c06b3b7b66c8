"""Assertions of scripts: a call in, what it speaks of and how it asks out.

`expect(a).toBe(b)` and `expect(a).to.equal(b)`; `assert.equal(a, b)` and `assert(a === b)`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tree_sitter import Node

from affidavit.languages.javascript.syntax import FUNCTIONS, arguments, bare, deep
from affidavit.specialists.lost_tests.scripts.sizes import text_of

_ASSERTS = re.compile(r"(?:expect|assert|verify|fail)\w*|(?:chai|console|t)\.assert|request\.expect")
_CALMS = frozenset({"assertions", "hasAssertions", "extend", "any", "anything", "objectContaining"})
SAYING = 2
"""A text with fewer letters in it asks for no message."""
FAILS = frozenset({"fail", "assert.fail", "expect.fail", "expect.unreachable", "done.fail", "t.fail"})
"""What makes a test fail."""


@dataclass(frozen=True)
class Assertion:
    """One assertion: what it speaks of, by which word, and what that must be."""

    node: Node
    subject: Node
    how: str
    """The last word of the chain, or the method of `assert`."""
    given: tuple[Node, ...] = ()
    words: tuple[str, ...] = ()
    """All words of the chain: `not`, `resolves`, `deep`."""


def assertion_of(node: Node) -> Assertion | None:
    """What a node asserts, if it is the whole of an assertion that can fail."""
    parent = node.parent
    is_word = parent is not None and parent.type == "member_expression"
    is_called = parent is not None and parent.child_by_field_name("function") == node
    if node.type not in ("call_expression", "member_expression") or is_word or is_called:
        return None
    found = _expectation(node) or (_call(node) if node.type == "call_expression" else None)
    if found is None or _is_fixed(found.subject):
        return None
    is_promise = bool({"resolves", "rejects"} & set(found.words))
    # Nobody waits for it: the test is over before it could fail.
    is_lost = is_promise and parent is not None and parent.type == "expression_statement"
    return None if is_lost else found


def _is_fixed(subject: Node) -> bool:
    """It is the same whatever the code does."""
    return not any(one.type in ("identifier", "call_expression", "this", *FUNCTIONS) for one in deep(subject))


def _expectation(node: Node) -> Assertion | None:
    """`expect(a).not.toBe(b)`: its words from the inside out."""
    words: list[tuple[str, tuple[Node, ...]]] = []
    one: Node | None = node
    given: tuple[Node, ...] = ()
    while one is not None:
        function = one.child_by_field_name("function") if one.type == "call_expression" else None
        if one.type == "call_expression":
            if function is not None and text_of(function) in ("expect", "expect.soft"):
                subject = next(iter(arguments(one)), None)
                is_whole = subject is not None and bool(words)
                order = list(reversed(words))
                return (
                    Assertion(node, subject, order[-1][0], order[-1][1], tuple(name for name, _ in order))
                    if is_whole and subject is not None
                    else None
                )
            given, one = tuple(arguments(one)), function
            continue
        if one.type != "member_expression":
            return None
        words.append((text_of(one.child_by_field_name("property")), given))
        given = ()
        one = bare(inner) if (inner := one.child_by_field_name("object")) else None
    return None


def _call(node: Node) -> Assertion | None:
    """`assert.equal(a, b)`, `assertEquals(a, b)`, `expectPrice(a)`."""
    function, given = node.child_by_field_name("function"), arguments(node)
    said = text_of(function)
    root, _, name = said.rpartition(".")
    is_assert = root in ("assert", "assert.strict", "t") and name not in _CALMS
    if not given or function is None or not (is_assert or (not root and _ASSERTS.fullmatch(said))):
        is_request = function is not None and function.type == "member_expression" and name == "expect"
        return (
            Assertion(node, function, "request", tuple(given)) if is_request and function and given else None
        )
    return Assertion(node, given[0], name, tuple(given[1:]), ("assert",))


def asks_for_words(given: Sequence[Node]) -> bool:
    """A text or a pattern with letters in it."""
    said = "".join(text_of(one) for one in given if one.type in ("string", "template_string", "regex"))
    return len(re.sub(r"\\.|\W|(?<=/)[gimsuy]+$", "", said)) >= SAYING
