"""Broken references in C, Rust, PHP and CommonJS: only what no build and no run can mend."""

from collections.abc import Mapping

import pytest

from affidavit.specialists.broken_references.specialist import BrokenReferences
from python_changes import Case, Open

Files = Mapping[str, str | None]


def found(case: Case) -> set[tuple[str, str, int]]:
    """Rule, path and line of each broken reference."""
    breaks = BrokenReferences().look(case.case).breaks
    return {(one.rule.removeprefix("references/"), one.path, one.line) for one in breaks}


CART = "int cart_total(int a) {\n    return a;\n}\n\nint cart_count(void) {\n    return 1;\n}\n"
LEFT = "int cart_count(void) {\n    return 1;\n}\n"
MAIN = '#include "cart.h"\n\nint main(void) {\n    return cart_total(1);\n}\n'
C = {"cart.c": CART, "main.c": MAIN, "cart.h": "int cart_total(int a);\nint cart_count(void);\n"}
C_GONE: Files = {"cart.c": LEFT, "cart.h": "int cart_count(void);\n"}

PRICES = "pub fn total(items: &[u32]) -> u32 {\n    items.iter().sum()\n}\n\npub const LIMIT: u32 = 3;\n"
RUST = {
    "Cargo.toml": '[package]\nname = "shop"\n',
    "src/lib.rs": "pub mod prices;\npub mod till;\n",
    "src/prices.rs": PRICES,
    "src/till.rs": "use crate::prices::{total, LIMIT};\n\npub fn pay() -> u32 {\n    total(&[LIMIT])\n}\n",
}
RUST_LEFT = "pub const LIMIT: u32 = 3;\n"

PHP = {
    "composer.json": '{"autoload": {"psr-4": {"Shop\\\\": "src/"}}}',
    "src/Cart.php": "<?php\nnamespace Shop;\nclass Cart {}\n",
    "src/Till.php": "<?php\nnamespace Shop\\Desk;\nuse Shop\\Cart;\nfunction pay() { return new Cart(); }\n",
}

SHAPES = {
    "shapes.py": (
        "from abc import ABC, abstractmethod\n\n\nclass Shape(ABC):\n"
        "    @abstractmethod\n    def area(self): ...\n"
    )
}
TITLE = "\n    @abstractmethod\n    def title(self): ...\n"
RING = "from shapes import Shape\n\n\nclass Ring(Shape):\n    def area(self): ...\n"

BOX = {
    "box.ts": "export class Box {\n  seal() {}\n  static make() {}\n  open() {}\n}\n",
    "app.ts": (
        "import { Box } from './box'\n\nconst box = new Box()\n"
        "box.seal()\nnew Box().seal()\nBox.make()\nbox.open()\n"
    ),
}
BOX_LEFT = "export class Box {\n  open() {}\n}\n"

NODE = {
    "a.js": (
        "function total() {}\nclass Cart {\n  add() { this.x = 1 }\n}\n"
        "module.exports = { total, Cart, n: 1 }\n"
    ),
    "b.js": "const { total, Cart: Box } = require('./a')\n\ntotal([])\nnew Box()\n",
    "c.js": "const a = require('./a.js')\n\na.total([])\n",
}
NODE_LEFT = "if (require.main === module) run()\nfunction run() {}\nmodule.exports = { n: 1 }\n"

BROKEN: dict[str, tuple[Files, Files, set[tuple[str, str, int]]]] = {
    "a C function that is called elsewhere": (C, C_GONE, {("removed-attribute", "main.c", 4)}),
    "a C function that was renamed": (
        C,
        {"cart.c": CART.replace("cart_total", "cart_sum"), "cart.h": "int cart_sum(int a);\n"},
        {("removed-attribute", "main.c", 4)},
    ),
    "a C header that is included, though its source is left": (
        C,
        {"cart.h": None, "cart.c": CART},
        {("removed-module", "main.c", 1)},
    ),
    "a static C function of the same file": (
        {"a.c": f"static {CART}\nint run(void) {{\n    return cart_total(1) + cart_count();\n}}\n"},
        {"a.c": f"{LEFT}\nint run(void) {{\n    return cart_total(1) + cart_count();\n}}\n"},
        {("removed-attribute", "a.c", 6)},
    ),
    "a Rust function that is used": (
        RUST,
        {"src/prices.rs": RUST_LEFT},
        {("removed-import", "src/till.rs", 1)},
    ),
    "a Rust function that its own module still calls": (
        RUST,
        {"src/prices.rs": f"{RUST_LEFT}\npub fn all() -> u32 {{\n    total(&[])\n}}\n"},
        {("removed-import", "src/till.rs", 1), ("removed-attribute", "src/prices.rs", 4)},
    ),
    "a Rust module whose file is gone": (
        RUST,
        {"src/till.rs": None},
        {("removed-module", "src/lib.rs", 2)},
    ),
    "what CommonJS exported in an object": (
        NODE,
        {"a.js": NODE_LEFT},
        {
            ("removed-attribute", "b.js", 3),
            ("removed-attribute", "b.js", 4),
            ("removed-attribute", "c.js", 3),
        },
    ),
    "what CommonJS exported by name": (
        {**NODE, "a.js": "exports.total = () => 1\nmodule.exports.n = exports.m = 2\n"},
        {"a.js": "module.exports.n = exports.m = 2\n"},
        {("removed-attribute", "b.js", 3), ("removed-attribute", "c.js", 3)},
    ),
    "a default export": (
        {"a.ts": "export default class A {}\nexport const x = 1\n", "b.ts": "import A, { x } from './a'\n"},
        {"a.ts": "export class A {}\nexport const x = 1\n"},
        {("removed-import", "b.ts", 1)},
    ),
    "a method that is new in an abstract class of Python": (
        {**SHAPES, "ring.py": RING},
        {"shapes.py": SHAPES["shapes.py"] + TITLE},
        {("unimplemented-method", "ring.py", 4)},
    ),
    "a method that is new in a PHP interface of the same namespace": (
        {
            "src/Shape.php": "<?php\nnamespace A;\ninterface Shape {\n  function area();\n}\n",
            "src/Ring.php": "<?php\nnamespace A;\nclass Ring implements Shape {\n  function area() {}\n}\n",
        },
        {"src/Shape.php": "<?php\nnamespace A;\ninterface Shape {\n  function area(); function name();\n}\n"},
        {("unimplemented-method", "src/Ring.php", 3)},
    ),
    "a method that is new in a C# interface": (
        {
            "Shape.cs": "namespace A;\npublic interface IShape {\n  int Area();\n}\n",
            "Ring.cs": "namespace A;\npublic class Ring : IShape {\n  public int Area() => 1;\n}\n",
        },
        {"Shape.cs": "namespace A;\npublic interface IShape {\n  int Area();\n  string Name();\n}\n"},
        {("unimplemented-method", "Ring.cs", 2)},
    ),
    "a short method of an object that the file makes": (
        BOX,
        {"box.ts": BOX_LEFT},
        {("removed-method", "app.ts", 4), ("removed-method", "app.ts", 6)},
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


def c_case(after: Files, **before: str) -> tuple[Files, Files]:
    """The C case with other files."""
    more = {name.replace("_", "."): text for name, text in before.items()}
    return {**C, **more}, {**C_GONE, **after}


def rust_case(prices: str, **more: str) -> tuple[Files, Files]:
    """The Rust case with another text of what is left, or of the files around it."""
    before = {**RUST, **{f"src/{name}.rs": text for name, text in more.items()}}
    return before, {"src/prices.rs": prices}


def node_case(after: str, **more: str) -> tuple[Files, Files]:
    """The case of CommonJS with another text of what is left, or of the files around it."""
    return {**NODE, **more}, {"a.js": after}


def shape_case(*users: str) -> tuple[Files, Files]:
    """The abstract class of Python gets a method, and others build on it."""
    names = ("ring.py", "gold.py")
    before = {**SHAPES, **dict(zip(names, users, strict=False))}
    return before, {"shapes.py": SHAPES["shapes.py"] + TITLE}


def box_case(after: str, **more: str) -> tuple[Files, Files]:
    """The class of TypeScript with another text of what is left, or of the files around it."""
    return {**BOX, **more}, {"box.ts": after}


HARMLESS: dict[str, tuple[Files, Files]] = {
    "another file defines it": c_case({"new.c": "int cart_total(int a) {\n    return a;\n}\n"}),
    "a macro of that name": c_case({"cart.h": "#define cart_total(a) (a)\n"}),
    "a macro puts the name together": c_case({"cart.h": "#define ADD(kind) int cart_##kind(int a);\n"}),
    "a prototype is left": c_case({"cart.h": "int cart_total(int a);\n"}),
    "assembly has it": c_case({}, cart_S="cart_total:\n  ret\n"),
    "a new include may bring it": c_case({"main.c": f"#include <cart/total.h>\n{MAIN}"}),
    "the build is altered": c_case({"CMakeLists.txt": "link_libraries(cart)\n"}),
    "the call is below a condition": c_case({}, main_c=f"#ifdef OLD\n{MAIN}#endif\n"),
    "it stood in for what others lack": (
        {**C, "cart.c": f"#ifndef HAVE_CART_TOTAL\n{CART}#endif\n#define X 1\n"},
        {**C_GONE, "cart.c": f"#ifndef HAVE_CART_TOTAL\n{LEFT}#endif\n#define X 1\n"},
    ),
    "it lay among stand-ins": (
        {"compat/cart.c": CART, "main.c": MAIN, "cart.h": C["cart.h"]},
        {"compat/cart.c": LEFT, "cart.h": C_GONE["cart.h"]},
    ),
    "a template of the C header is left": ({**C, "cart.h.in": ""}, {"cart.h": None}),
    "the build may bring the C header": (C, {"cart.h": None, "CMakeLists.txt": "find_package(cart)\n"}),
    "the C header was a library's": (
        {"deps/cart/cart.h": C["cart.h"], "main.c": MAIN},
        {"deps/cart/cart.h": None},
    ),
    "its name is like no other of the file": (
        {**C, "cart.c": CART.replace("cart_count", "count_all")},
        {**C_GONE, "cart.c": LEFT.replace("cart_count", "count_all")},
    ),
    "C++ may overload it": (
        {"cart.cpp": CART, "main.cpp": MAIN},
        {"cart.cpp": LEFT},
    ),
    "a Rust module takes everything": rust_case(f"pub use crate::sums::*;\n{RUST_LEFT}", sums=PRICES),
    "a Rust module takes it by name": rust_case(f"pub use crate::sums::total;\n{RUST_LEFT}", sums=PRICES),
    "a Rust macro makes items": rust_case(f"make_items!();\n{RUST_LEFT}"),
    "an attribute may make the Rust item": rust_case(f"#[derive(Tot)]\npub struct Tot;\n{RUST_LEFT}"),
    "the Rust use is conditional": rust_case(
        RUST_LEFT, till='#[cfg(feature = "old")]\nuse crate::prices::total;\n'
    ),
    "the Rust use means another crate": rust_case(RUST_LEFT, till="use other::prices::total;\n"),
    "the Rust module became a folder": (RUST, {"src/till.rs": None, "src/till/mod.rs": RUST["src/till.rs"]}),
    "the heirs of the Python class have the method": shape_case(
        RING, "from ring import Ring\n\n\nclass Gold(Ring):\n    def title(self): ...\n"
    ),
    "the Python class inherits from others, too": shape_case(RING.replace("(Shape)", "(Shape, Titled)")),
    "the Python class is abstract itself": shape_case(
        RING.replace("def area", "@abstractmethod\n    def area")
    ),
    "a decorator makes methods of the Python class": shape_case(RING.replace("class", "@titled\nclass")),
    "nobody looks at what is abstract in the Python class": (
        {"shapes.py": SHAPES["shapes.py"].replace("(ABC)", ""), "ring.py": RING},
        {"shapes.py": SHAPES["shapes.py"].replace("(ABC)", "") + TITLE},
    ),
    "the new method of the Python class has a body that all inherit": (
        {**SHAPES, "ring.py": RING},
        {"shapes.py": SHAPES["shapes.py"] + TITLE.replace("@abstractmethod", "@property")},
    ),
    "the C# class has other parts": (
        {
            "Shape.cs": "namespace A;\npublic interface IShape {\n  int Area();\n}\n",
            "Ring.cs": "namespace A;\npublic partial class Ring : IShape {\n  public int Area() => 1;\n}\n",
            "Other.cs": "namespace B;\npublic class Other : IShape {\n}\n",
        },
        {"Shape.cs": "namespace A;\npublic interface IShape {\n  int Area();\n  string Name();\n}\n"},
    ),
    "the class got the method as a field": box_case(
        "export class Box {\n  seal = () => 1\n  static make = () => 2\n  open() {}\n}\n"
    ),
    "the class inherits": box_case("export class Box extends Crate {\n  open() {}\n}\n"),
    "the class is declared twice": box_case(f"{BOX_LEFT}export interface Box {{ open(): void }}\n"),
    "the prototype of the class gets more": box_case(f"{BOX_LEFT}Object.assign(Box.prototype, more)\n"),
    "another file gives the class its method": box_case(
        BOX_LEFT, **{"more.ts": "import { Box } from './box'\nBox.make = Box.prototype.seal = () => 1\n"}
    ),
    "a decorator makes members of the class": box_case(f"@sealed\n{BOX_LEFT}"),
    "the variable may hold another object": box_case(
        BOX_LEFT,
        **{
            "app.ts": (
                "import { Box } from './box'\n\nlet a = new Box()\na.seal()\n"
                "const b = new Box()\nfunction f(b) { b.seal() }\nnew Box().open().seal()\n"
                "const c = new Box().open()\nc.seal()\n"
            )
        },
    ),
    "another class of that name is meant": box_case(
        BOX_LEFT, **{"app.ts": "import { Box } from 'boxes'\n\nconst b = new Box()\nb.seal()\n"}
    ),
    "the CommonJS module takes others along": node_case("module.exports = { ...require('./d'), n: 1 }\n"),
    "the CommonJS module adds names at run time": node_case(
        "module.exports = { n: 1 }\nfor (const k of all) module.exports[k] = all[k]\n"
    ),
    "the CommonJS module is made by a call": node_case("module.exports = build({ n: 1 })\n"),
    "the CommonJS module became one of ES": node_case("export const total = 1, Cart = 2\n"),
    "the CommonJS export is set by another file": node_case(
        NODE_LEFT, **{"d.js": "const a = require('./a')\na.total = a.Cart = () => 1\n"}
    ),
    "the file replaces the CommonJS module": node_case(
        NODE_LEFT, **{"b.js": "jest.mock('./a')\n" + NODE["b.js"], "c.js": ""}
    ),
    "the file is ready for the lack of the export": node_case(
        NODE_LEFT,
        **{
            "b.js": "const { total = one, Cart } = require('./a')\ntotal()\nif (Cart) new Cart()\n",
            "c.js": "const a = require('./a')\na.total?.()\n",
        },
    ),
    "a local variable has the name of the CommonJS module": node_case(
        NODE_LEFT, **{"b.js": "", "c.js": "const a = require('./a')\nfunction f(a) { a.total() }\n"}
    ),
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
