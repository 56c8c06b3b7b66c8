"""Mentions of names: found by search, made surer by what their files import."""

from affidavit.code.mentions import find_mentions
from affidavit.records.context import Symbol
from claims import opened
from repositories import Repo
from surveys import WrittenImports

FILES = {
    "shop/__init__.py": "from shop.prices import total\n",
    "shop/prices.py": "def total(items):\n    return total_of(items)\n\n\nX = total([])\n",
    "direct.py": "from shop.prices import total\n\nvalue = total([1])\n",
    "through.py": "from shop import total\n\nvalue = total\n",
    "elsewhere.py": "total = 3\nsubtotal = 4\n",
}
EDGES = {
    "shop/__init__.py": ["shop/prices.py"],
    "direct.py": ["shop/prices.py"],
    "through.py": ["shop/__init__.py"],
}


def a_symbol(name: str = "total", **fields: object) -> Symbol:
    place = {"path": "shop/prices.py", "line": 1, "end_line": 2, "kind": "function"}
    return Symbol(**{"name": name, "qualified": name, **place, **fields})  # type: ignore[arg-type]


def mentions(repo: Repo, *symbols: Symbol) -> tuple[set[tuple[str, int, str, str]], list[str]]:
    with opened(repo, FILES, {"a.md": "about\n"}) as repository:
        found, left_out = find_mentions(symbols, repository.head, WrittenImports(EDGES))
    return {(one.path, one.line, one.kind, one.certainty) for one in found}, left_out


def test_a_mention_is_as_sure_as_what_its_file_imports(repo: Repo) -> None:
    found, left_out = mentions(repo, a_symbol())
    assert found == {
        ("shop/__init__.py", 1, "import", "likely"),
        ("shop/prices.py", 5, "call", "likely"),
        ("direct.py", 1, "import", "likely"),
        ("direct.py", 3, "call", "likely"),
        ("through.py", 1, "import", "likely"),
        ("through.py", 3, "name", "likely"),
        ("elsewhere.py", 1, "name", "possible"),
    }
    assert left_out == []


def test_a_member_counts_only_where_it_is_reached_through_something(repo: Repo) -> None:
    found, _ = mentions(repo, a_symbol(qualified="Cart.total"))
    assert {certainty for _, _, _, certainty in found} == {"possible"}


def test_names_that_cannot_be_searched_for_are_said(repo: Repo) -> None:
    found, left_out = mentions(repo, a_symbol("X"), a_symbol("operator +"))
    assert found == set()
    assert left_out == ["names shorter than 3 letters were not searched for"]
