"""Ty on real repositories: what a change breaks elsewhere, and what only looks broken."""

import asyncio

import pytest

from affidavit.analysers.engine.specialist import MechanicalSpecialist
from affidavit.analysers.ty import TY, source_folders

PRICES = """TAX = 0.2


def total(net):
    return net * (1 + TAX)


class Basket:
    def __init__(self, owner):
        self.owner = owner

    def add(self, item):
        return item

    def clear(self):
        return None
"""
CART = """from shop.prices import Basket


def fill(item):
    basket = Basket('me')
    basket.add(item)
    return basket.clear()
"""
LIBRARY = {
    "shop/__init__.py": "",
    "shop/prices.py": PRICES,
    "shop/legacy.py": "def old():\n    return 1\n",
    "shop/views.py": "from shop.prices import total\n\n\ndef show(net):\n    return total(net)\n",
    "shop/admin.py": "from shop import legacy\n\n\ndef run():\n    return legacy.old()\n",
    "shop/cart.py": CART,
}


def edited(path, old, new):
    assert old in LIBRARY[path]
    return {path: LIBRARY[path].replace(old, new)}


def rules(found):
    return [(finding["rule_id"], finding["file"], finding["line"]) for finding in found]


def test_a_new_required_parameter_breaks_a_caller_in_an_untouched_file(case, ask):
    found = ask(TY, case(LIBRARY, edited("shop/prices.py", "def total(net)", "def total(net, country)")))
    assert rules(found) == [("ty/missing-argument", "shop/views.py", 5)]
    finding = found[0]
    assert finding["severity"] == "high"
    assert finding["verification"]["is_impact_finding"]
    assert finding["verification"]["caused_by"] == {"file": "shop/prices.py", "symbol": "total"}
    assert "`def total(net, country)` (shop/prices.py:4)" in finding["message"]
    assert "shop/views.py:5" in finding["message"]
    assert finding["verification"]["code_examined"] in LIBRARY["shop/views.py"]


ALIAS = "from shop.prices import total as sum_up\n\n\ndef show(net):\n    return sum_up(net)\n"
ON_TRIAL = """try:
    from shop.prices import total as sum_up
except ImportError:
    sum_up = None


def show(net):
    return sum_up(net)
"""


def test_a_caller_that_imports_it_by_another_name_is_broken_and_a_variable_is_not(case, ask):
    callers = {
        "shop/views.py": ALIAS,
        "shop/admin.py": ON_TRIAL,
        "shop/cart.py": ALIAS.replace("\n\n\n", "\n\nif len(__name__) > 9:\n    sum_up = print\n\n\n"),
    }
    after = edited("shop/prices.py", "def total(net)", "def total(net, country)")
    found = ask(TY, case({**LIBRARY, **callers}, after))
    assert rules(found) == [("ty/missing-argument", "shop/views.py", 5)]
    assert found[0]["verification"]["caused_by"] == {"file": "shop/prices.py", "symbol": "total"}


def test_a_parameter_that_is_gone_breaks_a_caller(case, ask):
    found = ask(TY, case(LIBRARY, edited("shop/prices.py", "def total(net)", "def total()")))
    assert ("ty/too-many-positional-arguments", "shop/views.py", 5) in rules(found)


def test_a_constructor_with_another_parameter_breaks_its_callers(case, ask):
    found = ask(TY, case(LIBRARY, edited("shop/prices.py", "(self, owner)", "(self, owner, currency)")))
    assert rules(found) == [("ty/missing-argument", "shop/cart.py", 5)]
    assert found[0]["verification"]["caused_by"]["symbol"] == "Basket.__init__"


def test_a_method_that_is_gone_breaks_its_callers(case, ask):
    found = ask(TY, case(LIBRARY, edited("shop/prices.py", "def clear", "def empty")))
    assert rules(found) == [("ty/missing-attribute", "shop/cart.py", 7)]
    assert found[0]["verification"]["caused_by"]["symbol"] == "Basket.clear"


def test_a_module_that_is_gone_breaks_who_imports_it(case, ask):
    found = ask(TY, case(LIBRARY, {"shop/legacy.py": None}))
    assert rules(found) == [("ty/import-not-found", "shop/admin.py", 1)]
    assert found[0]["verification"]["caused_by"] == {"file": "shop/legacy.py", "symbol": "legacy"}


def test_a_module_that_moved_breaks_who_imports_it(case, ask):
    moved = {"shop/legacy.py": None, "shop/history.py": LIBRARY["shop/legacy.py"]}
    found = ask(TY, case(LIBRARY, moved))
    assert rules(found) == [("ty/import-not-found", "shop/admin.py", 1)]
    assert "moved shop/legacy.py to shop/history.py" in found[0]["message"]


def test_a_function_that_is_gone_breaks_who_imports_it(case, ask):
    found = ask(TY, case(LIBRARY, edited("shop/prices.py", "def total(", "def sum_up(")))
    assert rules(found) == [("ty/import-not-found", "shop/views.py", 1)]


def test_a_dataclass_with_a_new_field_breaks_who_makes_it(case, ask):
    before = {
        "p/__init__.py": "",
        "p/point.py": "from dataclasses import dataclass\n\n\n@dataclass\nclass Point:\n    x: int\n",
        "p/use.py": "from p.point import Point\n\nORIGIN = Point(0)\n",
    }
    found = ask(TY, case(before, {"p/point.py": before["p/point.py"] + "    y: int\n"}))
    assert rules(found) == [("ty/missing-argument", "p/use.py", 3)]
    assert found[0]["verification"]["caused_by"]["symbol"].startswith("Point")


def test_a_function_that_becomes_a_coroutine_is_never_awaited_by_its_callers(case, ask):
    before = {
        "p/__init__.py": "",
        "p/mail.py": "def send():\n    return 1\n",
        "p/use.py": "from p.mail import send\n\n\nasync def run():\n    send()\n",
    }
    found = ask(TY, case(before, {"p/mail.py": "async def send():\n    return 1\n"}))
    assert rules(found) == [("ty/unused-awaitable", "p/use.py", 5)]


PLANTED = {
    "a missing argument": ("from shop.prices import total\ntotal()\n", "ty/missing-argument"),
    "an unknown argument": ("from shop.prices import total\ntotal(1, vat=2)\n", "ty/unknown-argument"),
    "a missing argument of a method": (
        "from shop.prices import Basket\nBasket('a').add()\n",
        "ty/missing-argument",
    ),
    "a wrong import of our own": ("from shop.pricing import total\n", "ty/import-not-found"),
    "a wrong relative import": ("from .pricing import total\n", "ty/import-not-found"),
    "a wrong name of our own": ("from shop.prices import totals\n", "ty/import-not-found"),
    "an undefined name": ("print(undefined)\n", "ty/unresolved-reference"),
    "a coroutine without await": (
        "async def f(): ...\nasync def g():\n    f()\n",
        "ty/unused-awaitable",
    ),
}


@pytest.mark.parametrize("what", PLANTED)
def test_a_planted_problem_is_found(what, case, ask):
    text, rule = PLANTED[what]
    assert [name for name, *_ in rules(ask(TY, case(LIBRARY, {"shop/new.py": text})))] == [rule]


HARMLESS = {
    "a package that is not installed": "import requests\nfrom yaml.nodes import Node\n",
    # aio-libs/aiohttp 495e778360d1, aiohttp/http_parser.py:1236.
    "an optional import of our own": (
        "try:\n    from shop import fast\nexcept ImportError:\n    fast = None\n"
    ),
    # pallets/flask 2ac89889f4cc, src/flask/app.py:60.
    "an import for type checkers": (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from shop.nothing import Thing\n"
    ),
    # pandas-dev/pandas 66d98e5d527e, pandas/core/algorithms.py:21.
    "an extension that a build makes": "from shop._speedups import total\n",
    # tensorflow/tensorflow 00f0938ae85c, tensorflow/python/framework/importer.py:22.
    "generated code": "from shop.prices_pb2 import Price\n",
    # scipy/scipy 035d704b20c9, scipy/__init__.py (`from scipy.version import version`).
    "a version file": "from shop.version import __version__\n",
    "a call that is meant to fail": (
        "import pytest\nfrom shop.prices import total\ndef test_f():\n"
        "    with pytest.raises(TypeError):\n        total()\n"
    ),
    # scrapy/scrapy 11079cb1c85b, scrapy/core/downloader/contextfactory.py:108.
    "a class in a variable": (
        "class Factory:\n    def __init__(self, method=1, *args, level=None):\n        self.method = method\n"
        "    @classmethod\n    def make(cls, *args):\n        return cls(*args, method=None, level=1)\n"
    ),
    # python-attrs/attrs c1dc5dcba16e, src/attr/_version_info.py:48.
    "a constructor that a decorator makes": (
        "def attrs(cls):\n    return type(cls)(cls.__name__, cls.__bases__, dict(cls.__dict__))\n"
        "@attrs\nclass Version:\n    year = 1\n"
        "    @classmethod\n    def make(cls, year):\n        return cls(year=year)\n"
    ),
    # aio-libs/aiohttp 495e778360d1, tests/test_client_request.py:127.
    "a function of which only the type is known": (
        "from collections.abc import Callable\ndef f(make: Callable[[str], int]):\n    make('a', timeout=1)\n"
    ),
    # python-attrs/attrs c1dc5dcba16e, bench/test_benchmarks.py:45 (`object.__init__`).
    "a base class that is not installed": (
        "from django.db import models\nclass A(models.Model):\n    pass\nA(name=1)\nA.objects.get(id=1)\n"
    ),
    # pallets/werkzeug 1b00618e787f, src/werkzeug/wsgi.py:402.
    "an attribute set from outside": "class A:\n    pass\ndef f(a: A):\n    return a.anything\n",
    "an ignored line": "from shop.prices import total\ntotal()  # type: ignore\n",
}


@pytest.mark.parametrize("what", HARMLESS)
def test_harmless_code_draws_nothing(what, case, ask):
    assert ask(TY, case(LIBRARY, {"shop/new.py": HARMLESS[what]})) == []


def test_what_was_broken_before_is_not_new(case, ask):
    before = {**LIBRARY, "shop/views.py": "from shop.prices import total\ntotal()\n"}
    after = {"shop/views.py": "# A comment\nfrom shop.prices import total\n\ntotal()\n"}
    assert ask(TY, case(before, after)) == []


def test_code_that_moved_to_another_file_is_not_new(case, ask):
    broken = "from shop.prices import total\n\n\ndef f():\n    return total()\n"
    moved = {"shop/views.py": "", "shop/elsewhere.py": "# Moved here\n" + broken}
    assert ask(TY, case({**LIBRARY, "shop/views.py": broken}, moved)) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ty.toml", "[src]\nexclude = ['**']\n"),
        ("pyproject.toml", "[tool.ty.rules]\nmissing-argument = 'ignore'\n"),
        ("pyproject.toml", "[tool.ty.environment]\npython = '/'\n"),
        ("ty.toml", "broken ["),
    ],
)
def test_a_hostile_configuration_in_the_change_has_no_effect(name, text, case, ask):
    change = {**edited("shop/prices.py", "def total(net)", "def total(net, country)"), name: text}
    assert rules(ask(TY, case(LIBRARY, change))) == [("ty/missing-argument", "shop/views.py", 5)]


@pytest.mark.parametrize(
    "text", ["[src]\nexclude = ['shop/views.py']\n", "[rules]\nmissing-argument = 'ignore'\n"]
)
def test_what_the_base_commit_leaves_out_is_left_out(text, case, ask):
    before = {**LIBRARY, "ty.toml": text}
    assert ask(TY, case(before, edited("shop/prices.py", "def total(net)", "def total(net, country)"))) == []


def test_no_environment_of_the_machine_is_seen(case):
    one = case(LIBRARY, {"shop/new.py": "import pytest\nimport pydantic\n"})
    reply = asyncio.run(MechanicalSpecialist(TY).examine(one.case))
    assert "--python=../environment" in reply.analyser_runs[0].command
    unresolved = [diagnostic.detail for diagnostic in reply.diagnostics]
    assert len(unresolved) == 2
    assert all("the module is not one of this repository" in detail for detail in unresolved)


def test_packages_of_a_larger_repository_see_each_other(case, ask):
    before = {
        "one/pyproject.toml": "",
        "one/src/first/__init__.py": "def f(a):\n    return a\n",
        "two/setup.py": "",
        "two/second/__init__.py": "from first import f\nf(1)\n",
    }
    one = case(before, {"one/src/first/__init__.py": "def f(a, b):\n    return a\n"})
    assert source_folders(one.repository.base) == [".", "one", "one/src", "two"]
    assert rules(ask(TY, one)) == [("ty/missing-argument", "two/second/__init__.py", 2)]


def test_settings_inside_a_script_of_the_change_have_no_effect(case, ask):
    head = "# /// script\n# [tool.ty.rules]\n# unresolved-reference = 'ignore'\n# ///\n"
    found = ask(TY, case(LIBRARY, {"shop/new.py": head + "print(undefined)\n"}))
    assert rules(found) == [("ty/unresolved-reference", "shop/new.py", 5)]


@pytest.mark.parametrize("name", ["ty.toml/x.py", "environment/x.py", "typing.pyi", ".venv/lib/x.py"])
def test_a_strange_file_in_the_change_has_no_effect(name, case, ask):
    change = {**edited("shop/prices.py", "def total(net)", "def total(net, country)"), name: "VALUE = 1\n"}
    unread = name if name.startswith("ty.toml/") else None
    assert ("ty/missing-argument", "shop/views.py", 5) in rules(ask(TY, case(LIBRARY, change), unread))


def test_a_call_of_what_one_of_several_imports_brings_draws_nothing(case, ask):
    # psf/requests 1f6589ec3a1e, src/requests/compat.py:69 (`json` is simplejson where that is installed).
    tried = (
        "try:\n    from lxml import etree\nexcept ImportError:\n    import xml.etree.ElementTree as etree\n\n"
    )
    plain = "import xml.etree.ElementTree as etree\n\n"
    call = "parser = etree.XMLParser(load_dtd=True)\n"
    found = ask(TY, case({"x": ""}, {"tried.py": tried + call, "plain.py": plain + call}))
    assert [finding["file"] for finding in found] == ["plain.py"]


def test_a_folder_that_only_bears_the_name_of_a_package_draws_nothing(case, ask):
    # celery/celery 5dc781f0bd5f, examples/pydantic/tasks.py:1.
    files = {
        "pyproject.toml": "[project]\nname = 'a'\n",
        "examples/redis/__init__.py": "",
        "examples/redis/run.py": "from redis import Client\nimport redis.asyncio\n\nprint(Client, redis)\n",
        "app/__init__.py": "",
        "run.py": "from app import Client\n\nprint(Client)\n",
    }
    assert [finding["file"] for finding in ask(TY, case({"x": ""}, files))] == ["run.py"]


def test_a_call_that_is_meant_to_fail_draws_nothing(case, ask):
    # python-attrs/attrs c1dc5dcba16e, tests/test_annotations.py:464.
    text = """\
import pytest


def total(items):
    return items


with pytest.raises(ValueError):
    total(1, more=2)
total(1, more=2)
"""
    assert [finding["line"] for finding in ask(TY, case({"x": ""}, {"a.py": text}))] == [10]


TWICE = """\
import os


def ready(one, more=0):
    return one, more


if os.environ.get("FAST"):

    def ready(one):
        return one
"""


def test_what_has_several_definitions_draws_nothing(case, ask):
    # python-attrs/attrs c1dc5dcba16e, src/attr/_compat.py:17.
    files = {"state.py": TWICE, "use.py": "import state\n\nstate.ready(1, more=2)\n"}
    assert ask(TY, case({"x": ""}, files)) == []


MODEL = """\
from typing import dataclass_transform


@dataclass_transform()
class Meta(type):
    pass


class Model(metaclass=Meta):
    pass
"""


def test_a_model_that_decides_at_run_time_what_it_takes_draws_nothing(case, ask):
    # pydantic/pydantic be5c601f6a8a, tests/test_main.py:272.
    files = {
        "model.py": MODEL,
        "use.py": "from model import Model\n\n\nclass Point(Model):\n    x: int\n\n\nPoint(x=1, y=2)\n",
        "plain.py": "import dataclasses\n\n\n@dataclasses.dataclass\nclass Dot:\n    x: int\n\n\nDot(y=2)\n",
    }
    assert [finding["file"] for finding in ask(TY, case({"x": ""}, files))] == ["plain.py"]


SAME_NAME = """\
import dataclasses
from model import Model


def one():
    class Point(Model):
        x: int

    return Point(x=1, y=2)


def other():
    @dataclasses.dataclass
    class Point:
        x: int

    return Point(x=1)
"""
NEIGHBOURS = """\
from model import Model


class Point(Model):
    x: int


class Other:
    def __init__(self, x):
        self.x = x


Point(x=1, y=2)
"""


NEAR_AND_FAR = """\
from model import Model


def one():
    class Local(Model):
        x: int

    return Local(x=1, y=2)
"""


def test_a_class_is_not_taken_for_another_of_its_name_or_its_neighbour(case, ask):
    # pydantic/pydantic be5c601f6a8a, tests/test_main.py:1144.
    far = "import dataclasses\n\n\n@dataclasses.dataclass\nclass Local:\n    x: int\n"
    local = NEAR_AND_FAR
    files = {"model.py": MODEL, "same.py": SAME_NAME, "near.py": NEIGHBOURS, "far.py": far, "local.py": local}
    assert ask(TY, case({"x": ""}, files)) == []


def test_a_name_that_a_module_from_elsewhere_may_bring_along_is_not_called_undefined(case, ask):
    # thomas-haslwanter/Jansenberger 755cd21ede7f, dev/test_mainWindow.py:12.
    foreign = "from numpy import *\n\nprint(zeros(3))\n"
    own = "from shop.prices import *\n\nprint(undefined)\n"
    found = ask(TY, case(LIBRARY, {"shop/foreign.py": foreign, "shop/own.py": own}))
    assert ("ty/unresolved-reference", "shop/foreign.py", 3) not in rules(found)
    assert ("ty/unresolved-reference", "shop/own.py", 3) in rules(found)
