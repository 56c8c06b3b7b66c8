"""Calls that may mean something else than what the change took away or changed are left alone."""

import pytest
from broken_shop import Files, found
from test_broken_calls import (
    GO,
    GO_PRICE,
    JAVA,
    JAVA_CART,
    JAVA_CART_OF_TWO,
    RUST,
    RUST_PRICE,
    SCRIPT,
    TS_A,
    TYPESCRIPT,
)

from python_changes import Open


def go(after: str, **more: str) -> tuple[Files, Files]:
    """The Go package with another text, and other files around it."""
    return {**GO, "main.go": "package main\n", **more}, {"price/price.go": after}


def java(after: str, **more: str) -> tuple[Files, Files]:
    """The class of Java with another text, and other files around it."""
    return {"shop/Cart.java": JAVA_CART, **more}, {"shop/Cart.java": after}


def typescript(before: str, after: str, user: str) -> tuple[Files, Files]:
    """A module of TypeScript and its user."""
    return {"a.ts": before, "b.ts": user}, {"a.ts": after}


def rust(after: str, **more: str) -> tuple[Files, Files]:
    """The module of Rust with another text, and other files around it."""
    before = {**RUST, "src/till.rs": "", **{f"src/{name}.rs": text for name, text in more.items()}}
    return before, {"src/price.rs": after}


TOTAL_OF_TWO = GO_PRICE.replace("Total(a int)", "Total(a, b int)")
ADD_OF_TWO = GO_PRICE.replace("Add(n int)", "Add(n int, m int)").replace("c.Add(0)", "c.Add(0, 0)")
WITHOUT_ADD = GO_PRICE.replace("func (c *Cart) Add(n int) {\n\tc.n += n\n}\n\n", "").replace("c.Add(0)", "")
JAVA_OF_TWO = JAVA_CART_OF_TWO
TS_OF_TWO = "export function total(a: number, b: number) {\n  return a + b\n}\n"
TS_OF_ONE = "export function total(a: number) {\n  return a\n}\n"
RUST_OF_TWO = RUST_PRICE.replace("total(a: u32)", "total(a: u32, b: u32)").replace("total(1) + total(2)", "1")

UNCERTAIN: dict[str, tuple[Files, Files]] = {
    "Go: it takes any number of arguments now": go(GO_PRICE.replace("Total(a int)", "Total(a ...int)")),
    "Go: the argument is a call that may give two values": go(
        TOTAL_OF_TWO, **{"price/more.go": "package price\n\nfunc twice() int {\n\treturn Total(both())\n}\n"}
    ),
    "Go: the arguments are spread": go(
        GO_PRICE.replace("Total(a int)", "Total(a int, b ...int)"),
        **{"price/more.go": "package price\n\nfunc twice(n []int) int {\n\treturn Total(n...)\n}\n"},
    ),
    "Go: a variable of that name": go(
        TOTAL_OF_TWO,
        **{"price/more.go": "package price\n\nfunc twice() int {\n\tTotal := pick()\n\treturn Total(1)\n}\n"},
    ),
    "Go: a function of that name in another package": go(
        TOTAL_OF_TWO,
        **{
            "price/more.go": "package price\n",
            "sum/sum.go": "package sum\n\nfunc Total(a int) int { return a }\n\nvar x = Total(1)\n",
            "main.go": 'package main\n\nimport "shop/sum"\n\nfunc main() { sum.Total(1) }\n',
        },
    ),
    "Go: another file defines it for other machines": go(
        TOTAL_OF_TWO,
        **{"price/other.go": "//go:build windows\n\npackage price\n\nfunc Total(a int) int { return a }\n"},
    ),
    "Go: an interface has the method": go(
        ADD_OF_TWO,
        **{
            "price/more.go": (
                "package price\n\ntype Adder interface{ Add(n int) }\n\nfunc f(c Adder) { c.Add(1) }\n"
            ),
        },
    ),
    "Go: another type has a method of that name": go(
        ADD_OF_TWO,
        **{
            "price/more.go": (
                "package price\n\ntype Bag struct{}\n\nfunc (b *Bag) Add(n int) {}\n\n"
                "func f() {\n\tc := &Bag{}\n\tc.Add(1)\n}\n"
            )
        },
    ),
    "Go: the variable has several types": go(
        ADD_OF_TWO,
        **{
            "price/more.go": (
                "package price\n\nfunc f(c *Cart) {\n\tif c != nil {\n\t\tc := pick()\n\t\tc.Add(1)\n\t}\n}\n"
            )
        },
    ),
    "Go: what the type embeds may have the method": go(
        WITHOUT_ADD.replace("\tn int\n", "\tn int\n\tBase\n"),
        **{"price/more.go": "package price\n\ntype Base struct{}\n\nfunc f(c *Cart) { c.Add(1) }\n"},
    ),
    "Java: another method has the name": java(
        JAVA_OF_TWO.replace("  public void clear", "  public void add(long a) {}\n\n  public void clear"),
        **{"shop/Till.java": JAVA["shop/Till.java"]},
    ),
    "Java: it takes any number of arguments now": java(
        JAVA_CART.replace("add(int a) { n += a; }", "add(int... a) {}"),
        **{"shop/Till.java": JAVA["shop/Till.java"]},
    ),
    "Java: the class inherits": java(
        JAVA_OF_TWO.replace("class Cart", "class Cart extends Bag"),
        **{"shop/Till.java": JAVA["shop/Till.java"]},
    ),
    "Java: an annotation makes members of the class": java(
        JAVA_OF_TWO.replace("public class", "@Data\npublic class"),
        **{"shop/Till.java": JAVA["shop/Till.java"]},
    ),
    "Java: the variable is of another type": java(
        JAVA_OF_TWO,
        **{
            "shop/Till.java": (
                "package shop;\n\nclass Till {\n  void pay(Adder cart) {\n    cart.add(1);\n  }\n}\n"
            ),
        },
    ),
    "Java: another class of that name is meant": java(
        JAVA_OF_TWO,
        **{
            "app/App.java": (
                "package app;\n\nimport other.Cart;\n\nclass App {\n  void f(Cart c) {\n"
                "    c.add(1);\n  }\n}\n"
            )
        },
    ),
    "Java: a class inside has its own method": java(
        JAVA_OF_TWO.replace(
            "  public void clear",
            "  class Bag { void add(int a) {} void f() { add(1); } }\n\n  public void clear",
        )
    ),
    "Java: two variables of that name": java(
        JAVA_OF_TWO,
        **{
            "shop/Till.java": (
                "package shop;\n\nclass Till {\n  void f(Cart c) {}\n  void g(Bag c) {\n"
                "    c.add(1);\n  }\n}\n"
            )
        },
    ),
    "TypeScript: the new parameter is optional": typescript(
        TS_OF_ONE, TS_OF_TWO.replace("b:", "b?:"), "import { total } from './a'\n\ntotal(1)\n"
    ),
    "TypeScript: the new parameter has a default": typescript(
        TS_OF_ONE, TS_OF_TWO.replace("b: number", "b = 1"), "import { total } from './a'\n\ntotal(1)\n"
    ),
    "TypeScript: it takes any number of arguments": typescript(
        TS_OF_ONE,
        TS_OF_TWO.replace("b: number", "...b: number[]"),
        "import { total } from './a'\n\ntotal(1)\n",
    ),
    "TypeScript: it has overloads": typescript(
        TS_OF_ONE,
        f"export function total(a: number): number\n"
        f"export function total(a: number, b: number): number\n{TS_OF_TWO}",
        "import { total } from './a'\n\ntotal(1)\n",
    ),
    "TypeScript: the arguments are spread": typescript(
        TS_OF_ONE, TS_OF_TWO, "import { total } from './a'\n\nconst n = [1, 2]\ntotal(...n)\n"
    ),
    "TypeScript: a parameter of that name": typescript(
        TS_OF_ONE, TS_OF_TWO, "import { total } from './a'\n\nexport const f = (total) => total(1)\n"
    ),
    "TypeScript: a function of that name from elsewhere": typescript(
        TS_OF_ONE, TS_OF_TWO, "import { total } from 'sums'\nimport './a'\n\ntotal(1)\n"
    ),
    "TypeScript: the import has another name": typescript(
        TS_OF_ONE, TS_OF_TWO, "import { total as sum } from './a'\n\ndeclare function x(): void\nsum(1, 2)\n"
    ),
    "TypeScript: a test replaces the module": typescript(
        TS_OF_ONE, TS_OF_TWO, "import { total } from './a'\n\njest.mock('./a')\ntotal(1)\n"
    ),
    "TypeScript: the class is built on": typescript(
        TS_A,
        TS_A.replace("seal(a: number)", "seal(a: number, b: string)"),
        "import { Box } from './a'\n\nexport class Big extends Box {}\n",
    ),
    "TypeScript: a variable says what may be called": typescript(
        "export const f: Taker = (a) => a\n",
        "export const f: Taker = (a, b) => a\n",
        "import { f } from './a'\n\nf(1)\n",
    ),
    "TypeScript: a declaration has the function": (
        {
            "a.ts": "export const x = 1\nfunction total() {\n  return 1\n}\nexport const y = total()\n",
            "all.d.ts": "declare function total(): number\n",
        },
        {"a.ts": "export const x = 1\nexport const y = total()\n"},
    ),
    "JavaScript: the function is ready for less": (
        SCRIPT,
        {"a.js": SCRIPT["a.js"].replace("area(w, h) {", "area(w, h, d) {\n  d = d || 1")},
    ),
    "JavaScript: the function asks for the argument": (
        SCRIPT,
        {"a.js": SCRIPT["a.js"].replace("area(w, h) {", "area(w, h, d) {\n  if (d) w = w * d.n")},
    ),
    "JavaScript: the last argument is ignored": (
        SCRIPT,
        {"a.js": SCRIPT["a.js"].replace("area(w, h) {\n  return w * h", "area(w) {\n  return w")},
    ),
    "JavaScript: the new parameter has a default": (
        SCRIPT,
        {"a.js": SCRIPT["a.js"].replace("area(w, h) {", "area(w, h, d = 1) {")},
    ),
    "JavaScript: scripts share their names": (
        {"a.js": "function area(w) {\n  return w\n}\narea(1)\n"},
        {"a.js": "function area(w, h) {\n  return w * h\n}\narea(1)\n"},
    ),
    "Rust: the module is another one on another machine": rust(
        RUST_OF_TWO,
        lib="#[cfg(unix)]\npub mod price;\n\npub fn f() -> u32 {\n    price::total(1)\n}\n",
    ),
    "Rust: another file stands for the module": rust(
        RUST_OF_TWO,
        lib='#[path = "other.rs"]\npub mod price;\n\npub fn f() -> u32 {\n    price::total(1)\n}\n',
        other="pub fn total(a: u32) -> u32 {\n    a\n}\n",
    ),
    "Rust: the path has another module of that name": rust(
        RUST_OF_TWO,
        till=(
            "mod price {\n    pub fn total(a: u32) -> u32 { a }\n}\n\n"
            "pub fn f() -> u32 {\n    price::total(1)\n}\n"
        ),
    ),
    "Rust: another crate's module is taken under that name": rust(
        RUST_OF_TWO, till="use other::price;\n\npub fn f() -> u32 {\n    price::total(1)\n}\n"
    ),
    "Rust: a module is taken under another's name": rust(
        RUST_OF_TWO, till="use crate::cost as price;\n\npub fn f() -> u32 {\n    price::total(1)\n}\n"
    ),
    "Rust: a module inside of the file calls it": rust(
        RUST_OF_TWO,
        lib=(
            "pub mod price;\n\nmod inside {\n    use other::price;\n"
            "    fn f() -> u32 { price::total(1) }\n}\n"
        ),
    ),
    "Rust: only another build calls it": rust(
        RUST_OF_TWO, lib="pub mod price;\n\n#[cfg(old)]\nfn f() -> u32 {\n    price::total(1)\n}\n"
    ),
    "Rust: a type has the name of a module": rust(
        RUST_OF_TWO,
        till=(
            "struct price;\nimpl price {\n    fn total(a: u32) -> u32 { a }\n}\n"
            "fn f() -> u32 { price::total(1) }\n"
        ),
    ),
    "Java: a class of that name inside of another is made": java(
        JAVA_OF_TWO,
        **{
            "shop/Till.java": (
                "package shop;\n\nclass Till {\n  static class Cart { void add(int a) {} }\n"
                "  void f() {\n    new Cart().add(1);\n  }\n}\n"
            )
        },
    ),
    "Rust: a variable of that name": rust(
        RUST_OF_TWO,
        till="use crate::price::total;\n\npub fn pay() -> u32 {\n    let total = |a| a;\n    total(5)\n}\n",
    ),
    "Rust: a function of that name in another module": rust(
        RUST_OF_TWO, till="fn total(a: u32) -> u32 {\n    a\n}\n\npub fn pay() -> u32 {\n    total(5)\n}\n"
    ),
    "Rust: the definition depends on a condition": rust(
        RUST_OF_TWO.replace("pub fn total", "#[cfg(unix)]\npub fn total"),
        till="use crate::price::total;\n\npub fn pay() -> u32 {\n    total(5)\n}\n",
    ),
    "Rust: a macro may write the function anew": rust(
        RUST_OF_TWO.replace("pub fn total", "#[rewrite]\npub fn total"),
        till="use crate::price::total;\n\npub fn pay() -> u32 {\n    total(5)\n}\n",
    ),
    "Rust: the call is inside of a macro": rust(
        RUST_OF_TWO, till='use crate::price::total;\n\npub fn pay() {\n    println!("{}", total(5));\n}\n'
    ),
    "Rust: a trait says what the method takes": rust(
        RUST_PRICE.replace("impl Cart {", "impl Adder for Cart {").replace(
            "&mut self, n: u32", "&mut self, n: u32, m: u32"
        )
    ),
    "Rust: a trait may have the method": rust(
        RUST_PRICE.replace("    pub fn add_many(&mut self, n: u32) {\n        self.n += n;\n    }\n\n", ""),
        more="pub trait Many {\n    fn add_many(&mut self, n: u32) {}\n}\n",
    ),
    "Rust: another type has a method of that name": rust(
        RUST_PRICE.replace("&mut self, n: u32", "&mut self, n: u32, m: u32").replace(
            "self.add_many(3)", "self.add_many(3, 4)"
        ),
        bag=(
            "pub struct Bag;\n\nimpl Bag {\n    fn add_many(&self, n: u32) {}\n"
            "    fn f(&self) { self.add_many(1); }\n}\n"
        ),
    ),
    "the call did not fit before either": typescript(
        TS_OF_ONE,
        TS_OF_TWO.replace("b: number", "b: number, c: number"),
        "import { total } from './a'\n\ntotal(1, 2)\n",
    ),
    "the callers are changed with it": (
        TYPESCRIPT,
        {
            "a.ts": TS_A.replace("total(a: number)", "total(a: number, b: number)").replace(
                "total(1)", "total(1, 2)"
            ),
            "b.ts": TYPESCRIPT["b.ts"].replace("total(1)", "total(1, 2)"),
        },
    ),
}


@pytest.mark.parametrize("what", UNCERTAIN)
def test_a_call_that_may_mean_something_else_is_left_alone(what: str, case: Open) -> None:
    before, after = UNCERTAIN[what]
    assert found(case(before, after)) == set()
