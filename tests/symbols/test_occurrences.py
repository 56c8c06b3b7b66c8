"""What a word is where it stands: whether a name is bound there, or used."""

import pytest

from affidavit.languages.grammars import parse
from affidavit.languages.registry import LANGUAGES
from affidavit.symbols.occurrences import occurrences

GRAMMARS = {one.name: one for language in LANGUAGES for one in language.grammars}

GO = "package a\nfunc f() {{ {} }}\n"


def roles(grammar: str, text: str) -> list[str]:
    content = text.encode()
    root = parse(GRAMMARS[grammar], content)
    assert root is not None
    assert not root.has_error
    return [place.role for place in occurrences(root, content, "prices")]


@pytest.mark.parametrize(
    ("grammar", "text"),
    [
        ("python", "def f(*prices): ..."),
        ("python", "def f(**prices): ..."),
        ("python", "f = lambda *prices: 1"),
        ("python", "for a, *prices in x: ..."),
        ("python", "with x as (a, prices): ..."),
        ("python", "a, *prices = 1, 2"),
        ("python", "[a, prices] = 1, 2"),
        ("python", "type prices = int"),
        ("python", "match x:\n  case prices: ..."),
        ("python", "match x:\n  case [a, *prices]: ..."),
        ("python", "match x:\n  case {'a': prices}: ..."),
        ("python", "match x:\n  case {**prices}: ..."),
        ("python", "match x:\n  case C(a=prices): ..."),
        ("python", "match x:\n  case C() as prices: ..."),
        ("typescript", "const f = prices => 1"),
        ("typescript", "function f(...prices) {}"),
        ("typescript", "function f({ a: prices }) {}"),
        ("typescript", "function f({ a: prices = 1 }) {}"),
        ("typescript", "function f({ a: { b: prices } }) {}"),
        ("typescript", "function f({ ...prices }) {}"),
        ("typescript", "function f([prices = 1]) {}"),
        ("typescript", "for (const { a: prices } of x) {}"),
        ("typescript", "const f = function prices() {}"),
        ("go", GO.format("switch prices := x.(type) {}")),
        ("go", GO.format("select { case prices := <-c: }")),
        ("go", GO.format("for prices := range x {}")),
    ],
)
def test_a_name_that_a_pattern_binds_is_another_one(grammar: str, text: str) -> None:
    assert roles(grammar, text) in (["binding"], ["definition"])


@pytest.mark.parametrize(
    ("grammar", "text"),
    [
        ("python", "x = (a, prices)"),
        ("python", "f([prices])"),
        ("python", "for i in (prices, 1): ..."),
        ("python", "with (prices, 1) as b: ..."),
        ("python", "match x:\n  case prices.A: ..."),
        ("python", "match x:\n  case prices(): ..."),
        ("typescript", "const { a = prices } = y"),
        ("typescript", "const { [prices]: b } = z"),
        ("typescript", "const f = a => prices"),
        ("typescript", "function g(a = prices) {}"),
        ("typescript", "for (const a of prices) {}"),
        ("go", GO.format("switch b := prices.(type) {}")),
        ("go", GO.format("for range prices {}")),
    ],
)
def test_a_name_beside_a_pattern_is_used(grammar: str, text: str) -> None:
    assert roles(grammar, text) == ["name"]
