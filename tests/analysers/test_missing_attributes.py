"""Attributes that no Python and no code of the repository has: the new line that asks is the cause."""

import subprocess

import pytest

from affidavit.analysers.python_modules import subclass_files
from affidavit.analysers.ty import TY, read_ty
from affidavit.records.finding import Severity
from commands import AFFIDAVIT

CLASS = (
    "class Cart:\n    def __init__(self):\n        self.items = []\n\n"
    "    def add(self, item):\n        self.items.append(item)\n\n\n"
)
FAILING = {
    "a module of the standard library": "import os\n\nos.nope()\n",
    "a module under another name": "import collections as c\n\n\ndef f():\n    return c.OrderedDcit()\n",
    "a module of a package": "from os import path\n\nprint(path.joins('a', 'b'))\n",
    "a string": 'print("a".nosuch())\n',
    "a string that is filled in": "def f(name):\n    return f'{name}'.fromat(1)\n",
    "a list in a variable": "def f(item):\n    found = []\n    found.apend(item)\n    return found\n",
    "a number": "def f():\n    return (1).foo\n",
    "a new object": CLASS + "def f():\n    return Cart().total()\n",
    "an object in a variable": CLASS + "def f():\n    cart = Cart()\n    return cart.total\n",
    "a class": CLASS + "def f():\n    return Cart.total\n",
    "itself": CLASS.replace("append(item)\n", "append(item)\n        self.total()\n") + "CART = Cart()\n",
    "a module of the repository": "import shop\n\nshop.nope()\n",
}
FINE = {
    "an attribute of a newer version": "import math\n\nprint(math.sumprod([1], [2]))\n",
    "an attribute of an older version": "import asyncio\n\nf = asyncio.coroutine(print)\n",
    "a method of a newer version": "print('ab'.removeprefix('a'))\n",
    "an attribute of one platform": "import os, signal\n\nA = os.geteuid(), os.startfile, signal.SIGKILL\n",
    "what is asked for first": "import os\n\nif hasattr(os, 'nope'):\n    os.nope()\n",
    # pallets/werkzeug 1b00618e787f, src/werkzeug/serving.py:68.
    "what is asked for above": (
        "import os\n\nHAS = hasattr(os, 'nope')\n\n\ndef f():\n    if HAS:\n        os.nope()\n"
    ),
    # celery/celery 5dc781f0bd5f, celery/app/task.py:675.
    "what is tried": "import os\n\ntry:\n    os.nope()\nexcept AttributeError:\n    pass\n",
    "what is expected to fail": (
        "import os\nimport pytest\n\n\ndef test():\n    with pytest.raises(TypeError):\n        os.nope()\n"
    ),
    # psf/requests 1f6589ec3a1e, src/requests/help.py:51 (what only PyPy runs).
    "what only Python 2 runs": (
        "import six\n\n\ndef f():\n    if six.PY2:\n        return 'a'.decode('ascii')\n    return 'a'\n"
    ),
    # pydantic/pydantic 2151025aa512, pydantic-core/tests/validators/test_complex.py:89.
    "what a switch decides": (
        "import os\nfrom shop import PYPY\n\n\ndef f():\n    if PYPY:\n        os.nope()\n"
    ),
    # django/django 03988c5a5ba2, django/utils/inspect.py:14.
    "what is given to a module": "import os\n\n\ndef f(value):\n    os.nope = value\n    return os.nope\n",
    # psf/requests 1f6589ec3a1e, tests/test_packages.py:5.
    "what is given by name": "import os\n\nsetattr(os, 'nope', print)\nos.nope()\n",
    # micropython/micropython-lib ee4bb8ff139e,
    # micropython/drivers/display/ssd1306/ssd1306.py:144.
    "a module of another Python": "import time\nimport machine\n\ntime.sleep_ms(1)\n",
    # ipython/ipython 7f0ee55684f0, IPython/core/magics/execution.py:1154.
    "a name that the stubs of the library leave out": (
        "import timeit\n\nprint(timeit.default_number, timeit.default_repeat)\n"
    ),
    # python-attrs/attrs c1dc5dcba16e, src/attr/_make.py:712.
    "a private name": "import os\n\nos._nope()\n",
    # micropython/micropython-lib ee4bb8ff139e, micropython/aiorepl/aiorepl.py:338.
    "sys": "import sys\n\nprint(sys.frozen)\n",
    "a parameter with a type": "def f(name: str):\n    return name.nosuch()\n",
    # ipython/ipython 7f0ee55684f0, IPython/core/magics/execution.py:355.
    "a variable that is bound twice": (
        "def f(make):\n    found = []\n    if make:\n        found = make()\n    found.apend(1)\n"
    ),
    # pallets/werkzeug 1b00618e787f, src/werkzeug/datastructures/file_storage.py:134.
    "a class that answers to all": (
        CLASS.replace("    def add", "    def __getattr__(self, name):\n        return 1\n\n    def add")
        + "def f():\n    return Cart().total\n"
    ),
    # encode/httpx ae1b9f66238f, httpx/_status_codes.py:41.
    "a class that gives itself names": (
        CLASS.replace("self.items = []", "self.items = []\n        self.__dict__.update(items=1)")
        + "def f():\n    return Cart().total\n"
    ),
    # pallets/werkzeug 1b00618e787f, examples/i18nurls/application.py:35.
    "a class on unknown ones": (
        "import django\n\n\nclass Cart(django.Model):\n    pass\n\n\ndef f():\n    return Cart().total\n"
    ),
    "a class that is made by another": (
        "def register(cls):\n    return cls\n\n\n@register\nclass Cart:\n    pass\n\n\nprint(Cart.total)\n"
    ),
    # ipython/ipython 7f0ee55684f0, IPython/core/magics/execution.py:168.
    "a mixin": "class CartMixin:\n    def f(self):\n        return self.total\n",
    # pallets/werkzeug 1b00618e787f, src/werkzeug/datastructures/mixins.py:109.
    "a class with heirs": (
        CLASS.replace("append(item)\n", "append(item)\n        self.total()\n")
        + "class Big(Cart, list):\n    pass\n\n\nCART = Cart()\n"
    ),
    # pallets/werkzeug 1b00618e787f, examples/simplewiki/actions.py:44.
    "a name that another file sets": CLASS + "def f(cart):\n    cart.total = 1\n    return Cart().total\n",
    "a function with an attribute": "def f():\n    return f.calls\n",
    "a module that makes its names": "import shop.made\n\nshop.made.nope()\n",
    "a package's module": "import shop\n\nshop.later.f()\n",
}
BEFORE = {
    "a.py": "VALUE = 1\n",
    "shop/__init__.py": "PYPY = False\n",
    "shop/made.py": "globals().update(a=1)\n",
    "shop/later.py": "def f():\n    return 1\n",
}


@pytest.mark.parametrize("what", FAILING)
def test_an_attribute_that_nobody_has_is_a_finding_on_a_new_line(case, ask, what):
    found = ask(TY, case(BEFORE, {"a.py": FAILING[what]}))
    assert [(one["rule_id"], one["severity"]) for one in found] == [("ty/missing-attribute", Severity.HIGH)]


def test_a_method_that_is_renamed_is_a_finding_where_its_class_calls_it(case, ask):
    calling = CLASS.replace(
        "append(item)\n", "append(item)\n        self.check()\n\n    def check(self): ...\n"
    )
    renamed = calling.replace("def check", "def verify")
    (found,) = ask(TY, case({"a.py": calling}, {"a.py": renamed}))
    assert (found["rule_id"], found["line"]) == ("ty/missing-attribute", 7)
    assert "The change removed `def check(self)`" in found["message"]
    heir = "class Big(Cart):\n    pass\n"
    assert ask(TY, case({"a.py": calling + heir}, {"a.py": renamed + heir})) == []


class Counting:
    """A tree that counts how often it is searched."""

    def __init__(self, tree):
        self.tree, self.searches = tree, 0

    def search(self, *given, **named):
        self.searches += 1
        return self.tree.search(*given, **named)


def test_subclasses_are_searched_for_once_and_a_level_at_a_time(case):
    # aio-libs/aiohttp 3115240561aa with one file alone: 20 minutes, in one search for each finding and class.
    files = {"a.py": "class A:\n    pass\n", "d.py": "class D(C1, Other):\n    pass\n"}
    files |= {f"c{n}.py": f"class C{n}(B{n}):\n    pass\n" for n in range(4)}
    files |= {f"b{n}.py": f"class B{n}(A):\n    pass\n" for n in range(4)}
    tree = Counting(case({}, files).repository.head)
    for _ in range(3):
        assert subclass_files(tree, "A") == files.keys() - {"a.py"}
    assert tree.searches == 4


@pytest.mark.parametrize("what", FINE)
def test_an_attribute_that_may_be_there_is_no_finding(case, ask, what):
    assert ask(TY, case(BEFORE, {"a.py": FINE[what]})) == []


def test_an_attribute_that_nobody_has_on_an_old_line_is_no_finding(case, ask):
    old = "import os\n\n\ndef f():\n    os.nope()\n"
    assert ask(TY, case({"a.py": old}, {"a.py": f"{old}\n\nVALUE = 1\n"})) == []


def test_versions_of_python_that_the_project_does_not_name_are_asked_too(case, ask):
    project = {"pyproject.toml": '[project]\nname = "a"\nrequires-python = ">=3.9"\n', "a.py": "A = 1\n"}
    code = "import datetime\n\nprint(datetime.UTC, datetime.nope)\n"
    (found,) = ask(TY, case(project, {"a.py": code}))
    assert "`nope`" in found["message"]


@pytest.mark.parametrize("name", ["a.pyw", "A.PY"])
def test_a_repository_without_files_that_end_in_py_is_searched_too(case, ask, name):
    code = FAILING["itself"] + "def f():\n    return 'a'.nosuch()\n"
    assert len(ask(TY, case({name: "VALUE = 1\n"}, {name: code}))) == 2


VALUES = """from typing import Final, Literal

password: Final = "Sunshine2024xQ"
quoted: Final = 'Sun"shine`20]24'
binary: Final = b"Sunshine'2024\\\\\\"xQ"


def either() -> Literal["Sunshine2024xQ", 7, b"Sun"] | None:
    return None
"""
LITERALS = {
    "password": "Literal[str]",
    "quoted": "Literal[str]",
    "binary": "Literal[bytes]",
    "either()": "Literal[str, 7, bytes] | None",
    "(password, 7)": "tuple[Literal[str], Literal[7]]",
}


@pytest.mark.parametrize("asked", LITERALS)
def test_a_message_of_ty_has_no_text_of_another_file(asked, tmp_path):
    (tmp_path / "conf.py").write_text(VALUES)
    (tmp_path / "b.py").write_text(f"from conf import *\n\nprint({asked}.nope)\n")
    command = [AFFIDAVIT.with_name("ty"), "check", "--output-format=sarif", "--exit-zero", "."]
    printed = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True, text=True).stdout
    messages = [found.message for found in read_ty(printed)]
    assert messages == [f"Object of type `{LITERALS[asked]}` has no attribute `nope`"]
