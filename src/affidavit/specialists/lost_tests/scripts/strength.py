"""What the assertions of a script ask for."""

import re
from collections.abc import Iterable, Mapping

from tree_sitter import Node

from affidavit.languages.javascript.syntax import arguments, bare
from affidavit.specialists.lost_tests.scripts.asserts import Assertion, asks_for_words
from affidavit.specialists.lost_tests.scripts.sizes import number_of, text_of
from affidavit.specialists.lost_tests.strength import Asked, Bound, Leeway, Strength

EXACT = re.compile(
    r"to(?:Strict)?Equal|toBe(?:Null|Undefined|True|False|NaN|CloseTo)?|toMatch(?:Inline)?Snapshot"
    r"|toHave(?:BeenCalled(?:Once)?With|Been(?:Last|Nth)CalledWith|ReturnedWith|TextContent|Value)"
    r"|equals?|eql?|true|false|null|undefined|called(?:Once)?With|closeTo|approximately|request|is"
    r"|strictEqual|deep(?:Strict)?Equal|assert(?:Strict)?Equals"
)
PARTLY = re.compile(
    r"toMatch(?:Object)?|toHaveLength|toHaveProperty|toContain(?:Equal)?|toHaveBeenCalled(?:Times|Once)"
    r"|length(?:Of)?|property|includes?|contains?|members|keys|match|partialDeepStrictEqual"
)
CONTAINING = re.compile(r"expect\.(?:objectContaining|arrayContaining|stringContaining|stringMatching)\(.*")
THROWS = re.compile(r"toThrow(?:Error)?|[tT]hrows?|rejects|rejected(?:With)?")
LOW = frozenset({"toBeGreaterThan", "toBeGreaterThanOrEqual", "above", "least", "greaterThan", "isAbove"})
HIGH = frozenset({"toBeLessThan", "toBeLessThanOrEqual", "below", "most", "lessThan", "isBelow"})
COMPARING = frozenset({"===", "!==", "==", "!=", "<", ">", "<=", ">=", "instanceof", "in"})
NOISE = 0.01


def strength_of(asserted: Iterable[tuple[Assertion, Mapping[str, str]]]) -> Strength:
    """What these assertions ask for, each with what the names around it stand for."""
    asked = _Asked()
    for one, names in asserted:
        asked.take(one, names)
    return asked.strength


class _Asked(Asked):
    """Sorts the assertions of a script."""

    def take(self, one: Assertion, names: Mapping[str, str]) -> None:
        """Sort what one assertion speaks of."""
        thing, is_not = text_of(one.subject), "not" in one.words or one.how.startswith("not")
        if THROWS.fullmatch(one.how) and not is_not:
            self._thrown(one.given)
            return
        wanted = [_resolved(part, names) for part in one.given[:1]]
        is_same = bool(wanted) and wanted[0] == _resolved(one.subject, names)
        if is_not or is_same or any(_is_anything(part) for part in one.given[:1]):
            self.loose.append(thing)
        elif PARTLY.fullmatch(one.how) or any(CONTAINING.match(text_of(part)) for part in one.given[:1]):
            self.partly.append(thing)
        elif EXACT.fullmatch(one.how) or _is_comparison(one.subject):
            self.exact.append(thing)
            self._leeway(one, thing)
        else:
            self.loose.append(thing)
            self._bound(one, thing)

    def _thrown(self, given: tuple[Node, ...]) -> None:
        kinds = [_error(part) for part in given[:1]]
        has_words = asks_for_words([text for part in given for text in (part, *_inner(part))])
        kind = kinds[0] if kinds else ""
        # Which error it is, or what it says: the one may take the place of the other.
        self.errors.append("words" if has_words and kind in ("", "Error") else kind)
        self.messages += has_words

    def _leeway(self, one: Assertion, thing: str) -> None:
        by = number_of(one.given[1]) if len(one.given) > 1 else None
        if by is None or one.how not in ("toBeCloseTo", "closeTo", "approximately"):
            return
        wide = 0.5 * 10 ** -max(min(by, 300), -300) if one.how == "toBeCloseTo" else by
        self.leeways.append(Leeway(thing, wide, NOISE * max(1.0, abs(number_of(one.given[0]) or 1.0))))

    def _bound(self, one: Assertion, thing: str) -> None:
        number = number_of(one.given[0]) if one.given else None
        if number is not None and one.how in LOW | HIGH:
            self.bounds.append(Bound(thing, one.how in LOW, number))


def _resolved(one: Node, names: Mapping[str, str]) -> str:
    return names.get(text_of(one), text_of(one))


def _inner(part: Node) -> list[Node]:
    return arguments(part) if part.type in ("new_expression", "call_expression") else []


def _error(part: Node) -> str:
    if part.type == "new_expression":
        return text_of(part.child_by_field_name("constructor"))
    return text_of(part) if part.type in ("identifier", "member_expression") else ""


def _is_anything(part: Node) -> bool:
    return text_of(part).startswith(("expect.anything(", "expect.any("))


def _is_comparison(subject: Node) -> bool:
    """It is true or false, so that to be truthy is to be true."""
    one = bare(subject)
    operator = text_of(one.child_by_field_name("operator"))
    return one.type in ("binary_expression", "unary_expression") and operator in {*COMPARING, "!"}
