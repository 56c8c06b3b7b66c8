"""Attributes that a class of Python loses while it or a class built on it still uses them."""

import pytest
from broken_shop import Files, found

from python_changes import Open

BASE = (
    "class Store:\n    kind = 'a'\n\n    def __init__(self):\n        self.limit = 3\n        self.size = 1\n"
)
WITHOUT_LIMIT = BASE.replace("        self.limit = 3\n", "")
HEIR = "from store import Store\n\n\nclass Shop(Store):\n    def free(self):\n        return self.limit - 1\n"
USE = "\n    def free(self):\n        return self.limit\n"
SHOP = {"store.py": BASE, "shop.py": HEIR}
LOST = {("removed-attribute", "shop.py", 6)}

BROKEN: dict[str, tuple[Files, Files, set[tuple[str, str, int]]]] = {
    "an attribute that the constructor set": (SHOP, {"store.py": WITHOUT_LIMIT}, LOST),
    "an attribute that another method set with a type": (
        {**SHOP, "store.py": BASE + "\n    def grow(self):\n        self.limit: int = 4\n"},
        {"store.py": WITHOUT_LIMIT},
        LOST,
    ),
    "an attribute of the class": (
        {**SHOP, "shop.py": HEIR.replace("limit", "kind")},
        {"store.py": BASE.replace("    kind = 'a'\n", "    sort = 'a'\n")},
        LOST,
    ),
    "a heir of an heir": (
        {
            **SHOP,
            "shop.py": HEIR.replace("Shop(Store)", "Shop(Desk)").replace(
                "store import Store", "desk import Desk"
            ),
            "desk.py": "from store import Store\n\n\nclass Desk(Store):\n    pass\n",
        },
        {"store.py": WITHOUT_LIMIT},
        LOST,
    ),
    "the class itself": (
        {"store.py": BASE + "\n    def free(self):\n        return self.limit\n"},
        {"store.py": WITHOUT_LIMIT + "\n    def free(self):\n        return self.limit\n"},
        {("removed-attribute", "store.py", 8)},
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_an_attribute_that_nobody_provides_any_more_is_found(what: str, case: Open) -> None:
    before, after, expected = BROKEN[what]
    assert found(case(before, after)) == expected


def shop(heir: str = HEIR, after: str = WITHOUT_LIMIT, **more: str) -> tuple[Files, Files]:
    """The shop with another heir, and other files around it."""
    return {**SHOP, "shop.py": heir, **{f"{name}.py": text for name, text in more.items()}}, {
        "store.py": after
    }


HARMLESS: dict[str, tuple[Files, Files]] = {
    "the heir sets it itself": shop(HEIR + "\n    def set(self):\n        self.limit = 1\n"),
    "the heir has a method of that name": shop(
        HEIR + "\n    @property\n    def limit(self):\n        return 1\n"
    ),
    "a class above has it now": shop(
        after=WITHOUT_LIMIT.replace("class Store:", "class Top:\n    limit = 1\n\n\nclass Store(Top):")
    ),
    "a library may have it": shop(
        after="import lib\n\n\n" + WITHOUT_LIMIT.replace("Store:", "Store(lib.Store):")
    ),
    "the heir inherits from a library, too": shop(HEIR.replace("Shop(Store)", "Shop(Store, Mixin)")),
    "an heir of the heir brings it": shop(
        last="from shop import Shop\n\n\nclass Last(Shop):\n    limit = 9\n"
    ),
    "another class of an heir brings it": shop(
        last=(
            "from shop import Shop\n\n\nclass Limited:\n    limit = 2\n\n\n"
            "class Last(Limited, Shop):\n    pass\n"
        ),
    ),
    "an heir with a header of several lines brings it": shop(
        "",
        after=f"{WITHOUT_LIMIT}{USE}",
        last="from store import Store\n\n\nclass Last(\n    Store,\n):\n    limit = 9\n",
    ),
    "an heir that knows the class by its module brings it": shop(
        after=f"{WITHOUT_LIMIT}{USE}", last="import store\n\n\nclass Last(store.Store):\n    limit = 9\n"
    ),
    "an heir that knows the class by another name brings it": shop(
        after=f"{WITHOUT_LIMIT}{USE}",
        last="from store import Store as Shelf\n\n\nclass Last(Shelf):\n    limit = 9\n",
    ),
    "an heir inside of a function brings it": shop(
        after=f"{WITHOUT_LIMIT}{USE}",
        last="from store import Store\n\n\ndef f():\n    class Last(Store):\n        limit = 9\n",
    ),
    "an heir of a variable brings it": shop(
        after=f"{WITHOUT_LIMIT}{USE}",
        last="import store\n\nShelf = store.Store\n\n\nclass Last(Shelf):\n    limit = 9\n",
    ),
    "attributes are made at run time": shop(
        after=WITHOUT_LIMIT + "\n    def __getattr__(self, name):\n        return 1\n"
    ),
    "some code sets it from outside": shop(main="from shop import Shop\n\nshop = Shop()\nshop.limit = 4\n"),
    "some code has its name as a text": shop(main="from shop import Shop\n\nput(Shop(), 'limit', 4)\n"),
    "a decorator makes attributes": shop(after=WITHOUT_LIMIT.replace("class Store", "@attrs\nclass Store")),
    "the heir is ready for its lack": shop(
        HEIR.replace(
            "        return self.limit - 1\n",
            "        try:\n            return self.limit\n        except AttributeError:\n"
            "            return 0\n",
        )
    ),
    "another class of that name is meant": shop(HEIR.replace("from store import", "from other import")),
    "a class inside has an attribute of that name": shop(
        HEIR.replace(
            "        return self.limit - 1\n",
            "        class In:\n            def f(self):\n                return self.limit\n\n"
            "        return In\n",
        )
    ),
    "a parameter has the name of the object": shop(
        HEIR.replace("        return self.limit - 1\n", "        return lambda self: self.limit\n")
    ),
}


@pytest.mark.parametrize("what", HARMLESS)
def test_an_attribute_that_somebody_may_provide_is_left_alone(what: str, case: Open) -> None:
    before, after = HARMLESS[what]
    assert found(case(before, after)) == set()
