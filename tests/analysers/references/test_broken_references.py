"""What still relies on what a change took away: found where it is proven, left alone where it is not."""

import asyncio
import json

import pytest
from broken_shop import GONE, PYTHON, Files, found

from affidavit.analysers.references.specialist import BrokenReferences
from affidavit.analysers.rulebook import same_problem, worth_of
from affidavit.contract.parser import parse_reply
from python_changes import Case, Open

BROKEN: dict[str, tuple[Files, Files, set[tuple[str, str, int]]]] = {
    "a removed function that is imported": (
        {**PYTHON, "app.py": "from shop.prices import (\n    LIMIT,\n    total,\n)\n"},
        {"shop/prices.py": "LIMIT = 3\n"},
        {("removed-import", "app.py", 3)},
    ),
    "a renamed function that is imported inside of a function": (
        {**PYTHON, "app.py": "def run():\n    from shop.prices import total\n    return total([])\n"},
        {"shop/prices.py": PYTHON["shop/prices.py"].replace("total", "sum_up")},
        {("removed-import", "app.py", 2)},
    ),
    "a re-export that is dropped": (
        {**PYTHON, "shop/__init__.py": "from .prices import total\n", "app.py": "from shop import total\n"},
        {"shop/__init__.py": ""},
        {("removed-import", "app.py", 1)},
    ),
    "a name that came through a star": (
        {**PYTHON, "shop/__init__.py": "from .prices import *\n", "app.py": "from shop import total\n"},
        {"shop/prices.py": "LIMIT = 3\n"},
        {("removed-import", "app.py", 1)},
    ),
    "a deleted module": (
        {
            **PYTHON,
            "app.py": "import shop.prices\n",
            "b.py": "from shop.prices import LIMIT\n",
            "c.py": "from shop import prices\n",
        },
        {"shop/prices.py": None},
        {("removed-module", "app.py", 1), ("removed-module", "b.py", 1), ("removed-import", "c.py", 1)},
    ),
    "a deleted module that git is told not to ignore": (
        {**PYTHON, "app.py": "import shop.prices\n"},
        {"shop/prices.py": None, "shop/.gitignore": "p*\n!p*.py\n"},
        {("removed-module", "app.py", 1)},
    ),
    "an attribute of a module": (
        {
            **PYTHON,
            "app.py": (
                "from shop import prices as p\nimport shop.prices\n\np.total([])\nshop.prices.total([])\n"
            ),
        },
        {"shop/prices.py": "LIMIT = 3\n"},
        {("removed-attribute", "app.py", 4), ("removed-attribute", "app.py", 5)},
    ),
    "documents that name it with its module": (
        {
            **PYTHON,
            "docs/api.rst": "API\n\n.. autofunction:: shop.prices.total\n\n:func:`shop.prices.total`\n",
            "README.md": "```python\nfrom shop.prices import LIMIT, total\n```\n",
        },
        {"shop/prices.py": "LIMIT = 3\n"},
        {
            ("stale-document", "docs/api.rst", 3),
            ("stale-document", "README.md", 2),
        },
    ),
    "a JavaScript export": (
        {
            "src/a.ts": "export const one = 1\nexport function two() {}\n",
            "src/b.ts": "import { one, two } from './a'\n",
        },
        {"src/a.ts": "export const one = 1\nfunction two() {}\n"},
        {("removed-import", "src/b.ts", 1)},
    ),
    "types": (
        {
            "a.ts": "export interface I {}\nexport class K {}\nexport const x = 1\n",
            "b.ts": "import { I } from './a'\nimport type { K } from './a'\n",
        },
        {"a.ts": "export const x = 1\n"},
        {("removed-type-import", "b.ts", 1), ("removed-type-import", "b.ts", 2)},
    ),
    "a type that only the type checker of Python imports": (
        {
            **PYTHON,
            "app.py": (
                "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from shop.prices import total\n"
            ),
        },
        {"shop/prices.py": "LIMIT = 3\n"},
        {("removed-type-import", "app.py", 4)},
    ),
    "a JavaScript export that others pass on": (
        {
            "a.js": "export const one = 1\n",
            "index.js": "export * from './a'\nexport const z = 1\n",
            "b.js": "import { one } from './index'\n",
        },
        {"a.js": "export const uno = () => 2\n"},
        {("removed-import", "b.js", 1)},
    ),
    "a JavaScript export of a file that the grammar does not understand": (
        {
            "a.ts": "export const one = 1\nexport const two: = 2\n",
            "b.ts": "import { one, two } from './a'\n",
        },
        {"a.ts": "export const two: = 2\n"},
        {("removed-import", "b.ts", 1)},
    ),
    "a member of a JavaScript namespace": (
        {
            "a.ts": "export const one = 1\nexport const two = 2\n",
            "b.ts": "import * as a from './a'\nconsole.log(a.one)\n",
        },
        {"a.ts": "export const two = 2\n"},
        {("removed-attribute", "b.ts", 2)},
    ),
    "a deleted JavaScript file": (
        {"a.ts": "export const one = 1\n", "b.ts": "import { one } from './a'\n"},
        {"a.ts": None},
        {("removed-module", "b.ts", 1)},
    ),
    "a JavaScript file that moved into a folder of its own name": (
        {"src/a.ts": "export const one = 1\n", "b.ts": "import { one } from './src/a'\n"},
        {"src/a.ts": None, "src/a/inner.ts": "export const one = 1\n"},
        {("removed-module", "b.ts", 1)},
    ),
    "a Go function of another package and of the same": (
        {
            "go.mod": "module example.org/m\n",
            "p/p.go": "package p\n\nfunc Total() int { return 1 }\n\nfunc Rest() int { return 2 }\n",
            "p/q.go": "package p\n\nfunc twice() int { return 2 * Total() }\n",
            "main.go": 'package main\n\nimport "example.org/m/p"\n\nfunc main() { p.Total(); p.Rest() }\n',
        },
        {"p/p.go": "package p\n\nfunc Rest() int { return 2 }\n"},
        {("removed-attribute", "main.go", 5), ("removed-attribute", "p/q.go", 3)},
    ),
    "a method that is new in a Java interface": (
        {
            "a/Store.java": "package a;\npublic interface Store { void load(); }\n",
            "a/Files.java": "package a;\nclass Files implements Store {\n  public void load() {}\n}\n",
        },
        {
            "a/Store.java": (
                "package a;\npublic interface Store { void load(); void save(); default void x() {} }\n"
            )
        },
        {("unimplemented-method", "a/Files.java", 2)},
    ),
    "a document that names what is gone": (
        {
            **PYTHON,
            "shop/prices.py": "def total_price():\n    return 1\n\n\ndef rest():\n    return 2\n",
            "docs/guide.md": "# Guide\n\nCall `total_price()` first.\n",
        },
        {"shop/prices.py": "def rest():\n    return 2\n"},
        {("stale-document", "docs/guide.md", 3)},
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_still_relies_on_it_is_found(what: str, case: Open) -> None:
    before, after, expected = BROKEN[what]
    assert found(case(before, after)) == expected


def examined(case: Case) -> str:
    reply = asyncio.run(BrokenReferences().examine(case.case))
    assert reply.text is not None
    return reply.text


def test_the_reply_stands_before_the_contract_and_names_its_cause(case: Open) -> None:
    before, after, _ = BROKEN["a removed function that is imported"]
    one = case(before, after)
    parsed = parse_reply(examined(one), changed_files=one.change.changed_files)
    (finding,) = parsed.result.findings if parsed.result else ()
    assert finding.is_impact
    assert finding.verification is not None
    assert finding.verification.caused_by is not None
    assert finding.verification.caused_by.file == "shop/prices.py"
    assert "removed `def total(items)`" in finding.message


def test_a_finding_in_a_changed_file_is_no_impact(case: Open) -> None:
    files = {**PYTHON, "app.py": "from shop.prices import total\n"}
    one = case(files, {**GONE, "app.py": "from shop.prices import total\n\nX = 1\n"})
    (finding,) = json.loads(examined(one))["findings"]
    assert finding["verification"]["is_impact_finding"] is False


def test_many_uses_in_one_file_are_one_finding_that_names_the_lines(case: Open) -> None:
    files = {**PYTHON, "app.py": "from shop import prices\n\nprices.total([])\nprices.total([1])\n"}
    (one,) = BrokenReferences().look(case(files, GONE).case).breaks
    assert (one.line, one.message.endswith("(also at lines 4)")) == (3, True)


def test_a_rule_can_be_off_for_a_folder(case: Open) -> None:
    before, after, _ = BROKEN["a removed function that is imported"]
    off = {("references/removed-import", "app.py"): "it is off here"}
    quiet = BrokenReferences(why_off=lambda rule, path: off.get((rule, path)))
    assert quiet.look(case(before, after).case).breaks == ()


def test_a_change_without_code_has_nothing_to_read(case: Open) -> None:
    one = case({"a.md": "x\n"}, {"a.md": "y\n"})
    assert asyncio.run(BrokenReferences().examine(one.case)).text is None


def test_ty_and_the_search_name_one_problem_and_both_count() -> None:
    assert same_problem("references/removed-import", "ty/import-not-found")
    assert same_problem("ty/missing-attribute", "references/removed-attribute")
    assert not same_problem("references/removed-import", "references/stale-document")
    assert worth_of("references/removed-import") == "act"
