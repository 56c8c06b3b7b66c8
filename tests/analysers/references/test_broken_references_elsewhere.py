"""Broken references in Java, PHP and default exports: only what no build and no run can mend."""

from collections.abc import Mapping

import pytest

from affidavit.analysers.references.specialist import BrokenReferences
from python_changes import Case, Open

Files = Mapping[str, str | None]


def found(case: Case) -> set[tuple[str, str, int]]:
    """Rule, path and line of each broken reference."""
    breaks = BrokenReferences().look(case.case).breaks
    return {(one.rule.removeprefix("references/"), one.path, one.line) for one in breaks}


PHP = {
    "composer.json": '{"autoload": {"psr-4": {"Shop\\\\": "src/"}}}',
    "src/Cart.php": "<?php\nnamespace Shop;\nclass Cart {}\n",
    "src/Till.php": "<?php\nnamespace Shop\\Desk;\nuse Shop\\Cart;\nfunction pay() { return new Cart(); }\n",
}

BROKEN: dict[str, tuple[Files, Files, set[tuple[str, str, int]]]] = {
    "a default export": (
        {"a.ts": "export default class A {}\nexport const x = 1\n", "b.ts": "import A, { x } from './a'\n"},
        {"a.ts": "export class A {}\nexport const x = 1\n"},
        {("removed-import", "b.ts", 1)},
    ),
    "a static method of a Java class": (
        {
            "a/Box.java": "package a;\npublic class Box {\n  static int seal() { return 1; }\n  int n;\n}\n",
            "b/App.java": (
                "package b;\nimport a.Box;\nclass App {\n  int f() {\n    Box b = new Box();\n"
                "    return b.seal() + Box.seal();\n  }\n}\n"
            ),
        },
        {"a/Box.java": "package a;\npublic class Box {\n  int n;\n}\n"},
        {("removed-attribute", "b/App.java", 6)},
    ),
    "a PHP class that is made": (PHP, {"src/Cart.php": None}, {("removed-module", "src/Till.php", 3)}),
    "a PHP class that another extends": (
        {
            **PHP,
            "src/Till.php": "<?php\nnamespace Shop\\Desk;\nuse Shop\\Cart;\nclass Till extends Cart {}\n",
        },
        {"src/Cart.php": None},
        {("removed-module", "src/Till.php", 3)},
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_no_build_can_mend_is_found(what: str, case: Open) -> None:
    before, after, expected = BROKEN[what]
    assert found(case(before, after)) == expected


HARMLESS: dict[str, tuple[Files, Files]] = {
    "a bundler takes the text of the file": (
        {"a.ts": "export default 1\nexport const x = 1\n", "b.ts": "import text from './a?raw'\n"},
        {"a.ts": "export const x = 1\n"},
    ),
    "the default export is passed on": (
        {"a.ts": "export default 1\n", "b.ts": "import one from './a'\n"},
        {"a.ts": "export { default } from './c'\n", "c.ts": "export default 1\n"},
    ),
    "the PHP class moved within its namespace": (
        PHP,
        {"src/Cart.php": None, "src/shop/Cart.php": PHP["src/Cart.php"]},
    ),
    "the PHP class has an alias": (
        {**PHP, "src/aliases.php": "<?php class_alias(Other::class, 'Shop\\Cart');\n"},
        {"src/Cart.php": None},
    ),
    "the PHP class went into a package": (
        PHP,
        {"src/Cart.php": None, "composer.json": PHP["composer.json"].replace("}}}", '}}, "require": {}}')},
    ),
    "the PHP class is of no namespace of ours": (
        {**PHP, "composer.json": "{}"},
        {"src/Cart.php": None},
    ),
    "the PHP class is only named": (
        {**PHP, "src/Till.php": "<?php\nuse Shop\\Cart;\nfunction name() { return Cart::class; }\n"},
        {"src/Cart.php": None},
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", HARMLESS)
def test_what_a_build_may_mend_is_not_said(what: str, case: Open) -> None:
    before, after = HARMLESS[what]
    assert found(case(before, after)) == set()
