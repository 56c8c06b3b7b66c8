"""What looks broken by a change and is not, or is not proven, is left alone."""

import pytest
from broken_shop import GONE, PYTHON, Files, found

from affidavit.analysers.references.ground import ReferenceLookup
from affidavit.analysers.references.specialist import BrokenReferences
from python_changes import Open

HARMLESS: dict[str, tuple[Files, Files]] = {
    "a JavaScript file that became a folder with an index": (
        {"src/a.ts": "export const one = 1\n", "b.ts": "import { one } from './src/a'\n"},
        {"src/a.ts": None, "src/a/index.ts": "export const one = 1\n"},
    ),
    "a build makes the file, and git ignores its folder": (
        {"src/made/api.ts": "export const one = 1\n", "src/b.ts": "import { one } from './made/api'\n"},
        {"src/made/api.ts": None, ".gitignore": "*.log\nsrc/made/\n"},
    ),
    "a build makes the file, and its own folder ignores all such files": (
        {**PYTHON, "app.py": "from shop.prices import total\n"},
        {"shop/prices.py": None, "shop/.gitignore": "p*.py\n!public.py\n"},
    ),
    "the import is ready to fail": (
        {
            **PYTHON,
            "app.py": "try:\n    from shop.prices import total\nexcept ImportError:\n    total = None\n",
        },
        GONE,
    ),
    "the import depends on a condition": (
        {
            **PYTHON,
            "app.py": "import sys\n\nif sys.version_info < (3, 8):\n    from shop.prices import total\n",
        },
        GONE,
    ),
    "the module makes names at run time": (
        {**PYTHON, "app.py": "from shop.prices import total\n"},
        {"shop/prices.py": "def __getattr__(name):\n    return name\n"},
    ),
    "an attribute of a module that makes names at run time": (
        {**PYTHON, "app.py": "from shop import prices\n\nprices.total([])\n"},
        {"shop/prices.py": "def __getattr__(name):\n    return name\n"},
    ),
    "the module takes everything from a package that is not here": (
        {**PYTHON, "app.py": "from shop.prices import total\n"},
        {"shop/prices.py": "from elsewhere import *\n"},
    ),
    "a JavaScript file that the grammar does not understand still says the word": (
        {"a.ts": "export const one = 1\n", "b.ts": "import { one } from './a'\n"},
        {"a.ts": "export strange const one: = 1\n"},
    ),
    "the name is imported instead of defined": (
        {**PYTHON, "app.py": "from shop.prices import total\n"},
        {
            "shop/prices.py": "from shop.sums import total\n",
            "shop/sums.py": "def total(items):\n    return 0\n",
        },
    ),
    "the module becomes a package": (
        {**PYTHON, "app.py": "from shop.prices import total\n"},
        {"shop/prices.py": None, "shop/prices/__init__.py": PYTHON["shop/prices.py"]},
    ),
    "the package stands aside for another one that has the module": (
        {**PYTHON, "app.py": "from shop.prices import total\n"},
        {
            "shop/prices.py": None,
            "shop/__init__.py": "import sys\nimport store\n\nsys.modules[__name__] = store\n",
            "store/__init__.py": "",
            "store/prices.py": PYTHON["shop/prices.py"],
        },
    ),
    "some code keeps the old name of the module alive": (
        {**PYTHON, "app.py": "from shop.prices import total\nfrom shop import prices\n"},
        {
            "shop/prices.py": None,
            "store.py": PYTHON["shop/prices.py"],
            "main.py": "import sys\nimport store\n\nsys.modules['shop.prices'] = store\n",
        },
    ),
    "the function becomes a module": (
        {"shop/__init__.py": "def total():\n    return 1\n", "app.py": "from shop import total\n"},
        {"shop/__init__.py": "", "shop/total.py": ""},
    ),
    "the module is broken beyond reading": (
        {**PYTHON, "app.py": "from shop.prices import total\n"},
        {"shop/prices.py": "def (:\n"},
    ),
    "the file never had it": ({**PYTHON, "app.py": "from shop.prices import missing\n"}, GONE),
    "another module of that name is meant": (
        {**PYTHON, "app.py": "from elsewhere.prices import total\nimport prices\n\nprices.total()\n"},
        GONE,
    ),
    "the module's name is a local variable": (
        {**PYTHON, "app.py": "from shop import prices\n\n\ndef run(prices):\n    return prices.total()\n"},
        GONE,
    ),
    "the module's name is bound by a pattern": (
        {
            **PYTHON,
            "app.py": "from shop import prices\n\n\ndef run(*prices):\n    return prices.total()\n",
            "a.ts": "export const one = 1\nexport const two = 2\n",
            "b.ts": "import * as a from './a'\n\nexport const f = [a.two].map(a => a.one)\n",
        },
        {**GONE, "a.ts": "export const two = 2\n"},
    ),
    "the file asks first": (
        {
            **PYTHON,
            "app.py": "from shop import prices\n\nx = prices.total() if hasattr(prices, 'total') else 0\n",
        },
        GONE,
    ),
    "a stub of a module that a build makes is gone": (
        {"_version.pyi": "version: str\n", "shop.py": "from _version import version\n"},
        {"_version.pyi": None},
    ),
    "a package of Python that comes from outside now": (
        {
            "core/python/shop_core/__init__.py": "n = 1\n",
            "shop/__init__.py": "from shop_core import n\n",
            "pyproject.toml": '[project]\ndependencies = ["shop-core==1"]\n',
        },
        {"core/python/shop_core/__init__.py": None},
    ),
    "a package of Python of another name comes from outside now": (
        {"yaml/__init__.py": "n = 1\n", "shop.py": "import yaml\n", "requirements.txt": "a\n"},
        {"yaml/__init__.py": None, "requirements.txt": "a\nPyYAML\n"},
    ),
    "a document calls a method of a library": (
        {
            "toast.ts": "export class Toast {\n  getMessage() { return 1 }\n}\n",
            "SECURITY.md": "Log `record.getMessage()` only.\n",
        },
        {"toast.ts": "export class Toast {\n}\n"},
    ),
    "a JavaScript module of the old kind": (
        {"a.js": "export const one = 1\n", "b.js": "import { one } from './a'\n"},
        {"a.js": "module.exports = build()\n"},
    ),
    "a package of that name may come from elsewhere": (
        {
            "package.json": '{"name": "one", "main": "a.js"}',
            "a.js": "export const x = 1\n",
            "b.js": "import { x } from 'one'\n",
        },
        {"a.js": "export const y = () => 2\n"},
    ),
    "Go has a function of that name built in": (
        {
            "go.mod": "module m\n",
            "a.go": "package m\n\nfunc min(a, b int) int { return a }\n",
            "b.go": "package m\n\nvar x = min(1, 2)\n",
        },
        {"a.go": "package m\n"},
    ),
    "Go's name for what nobody names": (
        {
            "go.mod": "module m\n",
            "a.go": "package m\n\nvar _ Taker = &Cart{}\n",
            "b.go": "package m\n\nfunc f() {\n\t_, _ = g()\n}\n",
        },
        {"a.go": "package m\n"},
    ),
    "another file of the Go package has it now": (
        {
            "go.mod": "module m\n",
            "a.go": "package m\n\nfunc Total() int { return 1 }\n",
            "b.go": "package m\n\nvar x = Total()\n",
        },
        {"a.go": "package m\n", "c.go": "//go:build linux\n\npackage m\n\nfunc Total() int { return 1 }\n"},
    ),
    "the new method of Java has a default, or the class inherits": (
        {
            "a/Store.java": "package a;\npublic interface Store { void load(); }\n",
            "a/Files.java": "package a;\nclass Files extends Any implements Store {}\n",
            "a/More.java": "package a;\nclass More implements Store, Other {}\n",
            "a/Rest.java": "package a;\nclass Rest implements Store {\n  public void load() {}\n}\n",
        },
        {
            "a/Store.java": "package a;\npublic interface Store { void load(); default void keep() {} }\n",
            "a/More.java": "package a;\nclass More implements Store, Other { int n; }\n",
        },
    ),
    "a class of Java that inherits lacks a new method": (
        {
            "a/Store.java": "package a;\npublic interface Store { void load(); }\n",
            "a/Files.java": "package a;\nclass Files extends Any implements Store {}\n",
            "a/More.java": "package a;\nclass More implements Store, Other {}\n",
        },
        {"a/Store.java": "package a;\npublic interface Store { void load(); void save(); }\n"},
    ),
    "release notes tell of the past": (
        {
            **PYTHON,
            "shop/prices.py": "def total_price():\n    return 1\n",
            "docs/releases/1.md": "Use `total_price()`.\n",
            "README.md": "`total_price()` was removed.\n",
            "GUIDE.md": "For example, the last feature added `total_price()`.\n",
        },
        {"shop/prices.py": "X = 1\n"},
    ),
    "a document that the change writes tells what the change takes away": (
        PYTHON,
        {**GONE, "NOTES.md": "We drop `shop.prices.total`, so `total()` of prices is gone.\n"},
    ),
    "documents that mean another one of that name": (
        {
            **PYTHON,
            "README.md": "`other.prices.total`, `shop.prices.totals`, cart.total(1) and the total (of all)\n",
            "GUIDE.md": "Call `total([1])` of that other thing.\n",
        },
        GONE,
    ),
    "a document calls a function that other code has, too": (
        {**PYTHON, "b.py": "def total(): ...\n", "GUIDE.md": "prices: call `total([1])`.\n"},
        GONE,
    ),
    "the definition moved and its importers with it": (
        {**PYTHON, "app.py": "from shop.prices import total\n"},
        {
            "shop/sums.py": "def total(items):\n    return sum(items)\n",
            "shop/prices.py": "LIMIT = 3\n",
            "app.py": "from shop.sums import total\n",
        },
    ),
    "a vendored copy": ({**PYTHON, "vendor/app.py": "from shop.prices import total\n"}, GONE),
}


@pytest.mark.parametrize("what", HARMLESS)
def test_what_is_not_proven_is_not_said(what: str, case: Open) -> None:
    before, after = HARMLESS[what]
    assert found(case(before, after)) == set()


def test_a_comment_among_exports_is_no_name_that_can_be_lost(case: Open) -> None:
    before = {"a.ts": "const one = 1\nexport {\n  // the first\n  one,\n}\n", "b.ts": "import './a'\n"}
    opened = case(before, {"a.ts": "const one = 1\nexport { one }\n"})
    assert ReferenceLookup(opened.case.change, opened.case.repository).lost_names == {}


def test_of_many_names_none_is_called_gone_that_code_still_has(case: Open) -> None:
    names = [f"price_number_{number}" for number in range(320)]
    first, last = min(names), max(names)
    before = {
        "prices.py": "".join(f"def {name}():\n    pass\n" for name in names),
        "app.py": f"def f({last}=1):\n    return {last}\n",
        "README.md": f"Call `{first}` or `{last}`.\n",
    }
    named = BrokenReferences().look(case(before, {"prices.py": "\n"}).case).breaks
    assert [one.message for one in named] == [f"`{first}` is named here, and no code has it any more"]
