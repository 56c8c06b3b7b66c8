"""What a name is called where it is imported from, and where it may stand for something else."""

import pytest

from affidavit.analysers.python_syntax import node_at
from affidavit.analysers.python_taint import imported_name

IMPORT = "from m import load as ld\n"
CALL = "def f():\n    return ld(1)\n"
ONE_IMPORT = {
    "at the top": IMPORT + CALL,
    "in the function itself": f"def f():\n    {IMPORT}    return ld(1)\n",
    "with another name beside it": "from m import (a, load as ld)\n" + CALL,
    "twice, the same": f"{IMPORT}def f():\n    {IMPORT}    return ld(1)\n",
    "and a parameter of another function": IMPORT + "def g(ld):\n    return ld\n" + CALL,
    "and a method of the class around it": (
        IMPORT + "class A:\n    def ld(self):\n        return 1\n    def f(self):\n        return ld(1)\n"
    ),
    "and an attribute and a keyword of the name": IMPORT + "a.ld = 1\nb(ld=2)\n" + CALL,
    "and a text with the name": IMPORT + "X = 'ld = 1'  # ld = 1\n" + CALL,
    "and a local of another function": IMPORT + "def g():\n    ld = 1\n" + CALL,
}
SOMETHING_ELSE = {
    "nothing binds it": CALL,
    "it is assigned again": IMPORT + "ld = print\n" + CALL,
    "it is assigned on a condition": "ld = None\nif ld:\n    " + IMPORT + CALL,
    "two imports bind it": IMPORT + "from n import load as ld\n" + CALL,
    "another name of the module is it, too": IMPORT + "from m import save as ld\n" + CALL,
    "it is imported by that name": "from m import ld\n" + CALL,
    "it is a module": "import m.load as ld\n" + CALL,
    "a function of the name follows": IMPORT + "def ld(a):\n    return a\n" + CALL,
    "a class of the name follows": IMPORT + "class ld:\n    pass\n" + CALL,
    "a function assigns the file's own": IMPORT + "def g():\n    global ld\n    ld = print\n" + CALL,
    "it is a parameter": IMPORT + "def f(ld):\n    return ld(1)\n",
    "it is a parameter with a default": IMPORT + "def f(*, ld: int = 2):\n    return ld(1)\n",
    "it is a parameter of the function around": (
        IMPORT + "def g(ld):\n    def f():\n        return ld(1)\n    return f\n"
    ),
    "it is a parameter of a lambda": IMPORT + "f = lambda ld: ld(1)\n",
    "a loop binds it": IMPORT + "for a, ld in b:\n    ld(1)\n",
    "a comprehension binds it": IMPORT + "[ld(1) for ld in b]\n",
    "a with binds it": IMPORT + "with b as ld:\n    ld(1)\n",
    "a case binds it": IMPORT + "match b:\n    case [ld]:\n        ld(1)\n",
    "a walrus binds it": IMPORT + "if (ld := b):\n    ld(1)\n",
    "it is deleted": IMPORT + "del ld\n" + CALL,
    "the class body binds it": IMPORT + "class A:\n    ld = print\n    x = ld(1)\n",
}


def called(text: str) -> str | None:
    lines = text.splitlines()
    number = next(number for number, line in enumerate(lines, start=1) if "ld(1)" in line)
    node = node_at(text.encode(), number, lines[number - 1].index("ld(1)") + 1)
    assert node is not None
    assert node.text == b"ld"
    return imported_name(node, text.encode())


@pytest.mark.parametrize("what", ONE_IMPORT)
def test_a_name_that_one_import_binds_and_nothing_else_is_what_is_imported(what: str) -> None:
    assert called(ONE_IMPORT[what]) == "load"


@pytest.mark.parametrize("what", SOMETHING_ELSE)
def test_a_name_that_something_else_may_bind_is_a_variable(what: str) -> None:
    assert called(SOMETHING_ELSE[what]) is None
