"""The places of a word in a file, each with its role and what is around it."""

import time
from collections.abc import Callable, Mapping

from affidavit.git.tree import GitTree
from affidavit.symbols.definitions import symbols_of
from affidavit.symbols.import_graph import import_graph
from affidavit.symbols.occurrences import WordPlace, find_places
from affidavit.symbols.references import MAX_OF_SYMBOL, find_references

OpenTree = Callable[[Mapping[str, str]], GitTree]
TEXT = "class Cart:\n    total = 1\n    both = total\n\n    def pay(self):\n        return self.total\n"


def later() -> float:
    """A deadline that no test reaches."""
    return time.monotonic() + 600


def test_a_place_knows_its_role_its_receiver_and_what_lies_around_it(open_tree: OpenTree) -> None:
    tree = open_tree({"a.py": TEXT})
    found, _ = find_places(tree, {"a.py": ["total"]}, deadline=later())
    assert found["a.py", "total"] == [
        WordPlace(2, "binding", None, "Cart.total", True, is_of_file=False),
        WordPlace(3, "name", None, "Cart.both", True),
        WordPlace(6, "name", "self", "Cart.pay", False),
    ]


def test_a_file_for_which_no_time_is_left_counts_as_not_parsed(open_tree: OpenTree) -> None:
    tree = open_tree({"a.py": TEXT, "b.py": "# \0\ntotal()\n"})
    assert find_places(tree, {"a.py": ["total"]}, deadline=0)[1] == ["a.py"]
    # What has the name of source is parsed, whatever bytes it has.
    assert find_places(tree, {"b.py": ["total"]}, deadline=later())[1] == []


def test_of_too_many_uses_the_certain_ones_are_listed(open_tree: OpenTree) -> None:
    many = "def f(x):\n" + "    x.pay()\n" * (MAX_OF_SYMBOL + 50)
    user = "from cart import Cart\nCart.pay(1)\n"
    tree = open_tree({"a.py": many, "cart.py": TEXT, "z.py": user})
    wanted = [one for one in symbols_of(tree, "cart.py") if one.qualified == "Cart.pay"]
    found, left_out = find_references(wanted, tree, import_graph(tree))
    assert len(found) == MAX_OF_SYMBOL
    assert ("z.py", "certain") in {(one.path, one.certainty) for one in found}
    assert left_out == [f"of Cart.pay only {MAX_OF_SYMBOL} uses are listed, the surest"]


def test_a_default_that_names_the_function_is_a_use(open_tree: OpenTree) -> None:
    line = "def pay(self, how=pay): ...\n"
    tree = open_tree({"pay.py": "def pay(): ...\n", "user.py": f"from pay import pay\n{line}"})
    found, _ = find_references(symbols_of(tree, "pay.py"), tree, import_graph(tree))
    assert ("user.py", 2) in {(one.path, one.line) for one in found}
