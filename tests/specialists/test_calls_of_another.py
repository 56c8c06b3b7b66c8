"""Calls that look as if they meant what changed, and mean another function, or fit after all."""

import pytest
from broken_shop import Files, found
from test_broken_calls import GO, GO_PRICE, JAVA_CART, RUST, RUST_PRICE, SCRIPT, TS_A

from affidavit.specialists.broken_references.specialist import BrokenReferences
from python_changes import Open

ADD_OF_TWO = GO_PRICE.replace("Add(n int)", "Add(n int, m int)").replace("c.Add(0)", "c.Add(0, 0)")
WITHOUT_ADD = GO_PRICE.replace("func (c *Cart) Add(n int) {\n\tc.n += n\n}\n\n", "").replace("c.Add(0)", "")
CART_OF_TWO = JAVA_CART.replace("add(int a)", "add(int a, int b)").replace("add(0); this.add(1);", "")
ONE = "export function total(a: number) {\n  return a\n}\n"
TWO = "export function total(a: number, b: number) {\n  return a + b\n}\n"
TAKE = "import { total } from './a'\n\n"
USE_TOTAL = "use crate::price::total;\n\n"
RUST_OF_TWO = RUST_PRICE.replace("total(a: u32)", "total(a: u32, b: u32)").replace("total(1) + total(2)", "1")
WITH_TEXT = JAVA_CART.replace(
    "  public void add", "  public String toString() { return `1`; }\n\n  public void add"
)


def go(after: str, body: str, **more: str) -> tuple[Files, Files]:
    """The Go package, and a function beside it."""
    beside = {"price/more.go": f"package price\n\n{body}\n", "main.go": "package main\n"}
    return {**GO, **beside, **more}, {"price/price.go": after}


def java(member: str, after: str = CART_OF_TWO, kind: str = "class Till") -> tuple[Files, Files]:
    """The class of Java, and another that has this member."""
    till = f"package shop;\n\n{kind} {{\n{member}\n}}\n"
    return {"shop/Cart.java": JAVA_CART, "shop/Till.java": till}, {"shop/Cart.java": after}


def typescript(user: str, after: str = TWO, before: str = ONE) -> tuple[Files, Files]:
    """A module of TypeScript, and its user."""
    return {"a.ts": before, "b.ts": user}, {"a.ts": after}


def script(user: str) -> tuple[Files, Files]:
    """A module of JavaScript whose function needs an argument more, and its user."""
    after = SCRIPT["a.js"].replace("area(w, h) {\n  return w * h", "area(w, h, d) {\n  return w * h * d")
    return {**SCRIPT, "b.js": user}, {"a.js": after}


def rust(till: str, after: str = RUST_OF_TWO, **more: str) -> tuple[Files, Files]:
    """The module of Rust, and one that uses it."""
    return {**RUST, "src/till.rs": till, **more}, {"src/price.rs": after}


def gone_from_typescript(name: str, **more: str) -> tuple[Files, Files]:
    """A module that calls a function which it does not define any more."""
    after = f"export const x = 1\nexport const y = {name}(x)\n"
    files = {path.replace("__", "/").replace("_", "."): text for path, text in more.items()}
    return {"a.ts": f"{after}function {name}(a: number) {{\n  return a\n}}\n", **files}, {"a.ts": after}


OTHER: dict[str, tuple[Files, Files]] = {
    "Go: another variable of that name, outside of the block": go(
        ADD_OF_TWO,
        "var c = pick()\n\nfunc f() {\n\tif on {\n\t\tc := &Cart{}\n\t\tuse(c)\n\t}\n\tc.Add(1)\n}",
    ),
    "Go: a variable of a switch over types": go(
        ADD_OF_TWO, "func f(c any) {\n\tswitch c := c.(type) {\n\tcase *Bag:\n\t\tc.Add(1)\n\t}\n}"
    ),
    "Go: what a channel hands over": go(
        ADD_OF_TWO, "func f(c *Cart) {\n\tselect {\n\tcase c := <-bags:\n\t\tc.Add(1)\n\t}\n}"
    ),
    "Go: a variable of a loop": go(
        ADD_OF_TWO, "func f(c *Cart) {\n\tfor _, c := range bags {\n\t\tc.Add(1)\n\t}\n}"
    ),
    "Go: a parameter of a function inside": go(
        ADD_OF_TWO, "func f(c *Cart) {\n\tuse(func(c *Bag) { c.Add(1) })\n}"
    ),
    "Go: a slice of the type": go(ADD_OF_TWO, "func f(c []*Cart) {\n\tc.Add(1)\n}"),
    "Go: a type of that name inside of the function": go(
        ADD_OF_TWO, "func f() {\n\ttype Cart struct{ Bag }\n\tc := &Cart{}\n\tc.Add(1)\n}"
    ),
    "Go: a program writes methods that nobody keeps": go(
        WITHOUT_ADD.replace("package price\n", "package price\n\n//go:generate adder -type Cart\n"),
        "func f(c *Cart) {\n\tc.Add(1)\n}",
    ),
    "Go: the caller is built only when asked for": go(
        ADD_OF_TWO,
        "",
        **{"price/old.go": "//go:build ignore\n\npackage price\n\nfunc f(c *Cart) {\n\tc.Add(1)\n}\n"},
    ),
    "Go: a field that holds a function": go(
        WITHOUT_ADD.replace("\tn int\n", "\tn int\n\tAdd func(n int)\n"), "func f(c *Cart) {\n\tc.Add(1)\n}"
    ),
    "Java: the parameter of a lambda without brackets": java(
        "  private Cart c;\n  void f() { bags.forEach(c -> c.add(1)); }"
    ),
    "Java: the parameters of a lambda": java(
        "  private Cart c;\n  void f() { bags.forEach((c, d) -> c.add(1)); }"
    ),
    "Java: a variable of a pattern": java(
        "  private Cart c;\n  void f(Object o) { if (o instanceof Bag c) { c.add(1); } }"
    ),
    "Java: a variable of a loop": java("  private Cart c;\n  void f() { for (Bag c : bags) { c.add(1); } }"),
    "Java: a resource": java("  private Cart c;\n  void f() { try (Bag c = open()) { c.add(1); } }"),
    "Java: an inherited field of that name": java(
        "  void f() { Cart c = make(); }\n  void g() { c.add(1); }", kind="class Till extends Desk"
    ),
    "Java: a field that a class inside inherits": java(
        "  private Cart c;\n  Desk d = new Desk() { void g() { c.add(1); } };"
    ),
    "Java: an array of the class": java("  void f(Cart[] c) { c.add(1); }"),
    "Java: what every object has": (
        {
            "shop/Cart.java": WITH_TEXT.replace("`", '"'),
            "shop/Till.java": (
                "package shop;\n\nclass Till {\n  String f(Cart c) { return c.toString(); }\n}\n"
            ),
        },
        {"shop/Cart.java": JAVA_CART},
    ),
    "Java: an enumeration of that name inside": java(
        "  enum Cart { ONE; void add(int a) {} }\n  void f(Cart c) { c.add(1); }"
    ),
    "TypeScript: an argument may be left out that is nothing": typescript(
        f"{TAKE}total(1)\n", TWO.replace("b: number", "b: void")
    ),
    "TypeScript: the author expects an error": typescript(f"{TAKE}// @ts-expect-error too few\ntotal(1)\n"),
    "TypeScript: the author ignores errors": typescript(f"// @ts-nocheck\n{TAKE}total(1)\n"),
    "TypeScript: a function of JavaScript takes less": (
        {"a.js": SCRIPT["a.js"], "b.ts": "import { area } from './a.js'\n\narea(2, 3)\n"},
        {"a.js": SCRIPT["a.js"].replace("area(w, h) {", "area(w, h, d) {\n  d = d || 1")},
    ),
    "TypeScript: a parameter of that name without brackets": typescript(
        f"{TAKE}export const f = total => total(1)\n"
    ),
    "TypeScript: a part of a parameter has that name": typescript(
        f"{TAKE}export const f = ({{ total }}) => total(1)\n"
    ),
    "TypeScript: a variable of a loop has that name": typescript(
        f"{TAKE}for (const total of list) total(1)\n"
    ),
    "TypeScript: a caught one has that name": typescript(
        f"{TAKE}try {{ f() }} catch (total) {{ total(1) }}\n"
    ),
    "TypeScript: a method has several signatures": typescript(
        "import { Box } from './a'\n\nconst box = new Box()\nbox.seal(3)\n",
        TS_A.replace(
            "  seal(a: number) { return a }",
            "  seal(a: number): number\n  seal(a: number, b: number): number\n"
            "  seal(a: number, b: number) { return a }",
        ).replace("this.seal(1)", "1"),
        TS_A,
    ),
    "TypeScript: the function is one of several by condition": typescript(
        f"{TAKE}total(1)\n",
        "export let total = (a: number) => a\nif (on) total = (a: number, b: number) => b\n",
        "export let total = (a: number, b?: number) => a\n",
    ),
    "TypeScript: everybody has the function": gone_from_typescript("structuredClone"),
    "TypeScript: a tool imports what other files define": gone_from_typescript(
        "totalled", utils__total_ts="export function totalled(a: number) {\n  return a\n}\n"
    ),
    "TypeScript: a tool imports by itself": gone_from_typescript(
        "totalled", package_json='{"devDependencies": {"unplugin-auto-import": "1"}}\n'
    ),
    "TypeScript: the method of every object": typescript(
        "import { Box } from './a'\n\nconst box = new Box()\nbox.toString()\n",
        "export class Box {\n  show() { return this.toString() }\n}\n",
        "export class Box {\n  toString() { return '' }\n  show() { return this.toString() }\n}\n",
    ),
    "JavaScript: the module gives the name another function": (
        {"a.js": "export function area(w) {\n  return w.n\n}\narea(1)\n"},
        {"a.js": "export function area(w, h) {\n  return w.n * h.n\n}\narea = wrap(area)\narea(1)\n"},
    ),
    "JavaScript: a variable of a block has that name": script(
        "import { area } from './a.js'\n\nexport function f() {\n  let area\n  area = pick()\n"
        "  return area(1, 2)\n}\n"
    ),
    "Rust: a module inside takes another function": rust(
        "",
        RUST_OF_TWO + "\nmod tests {\n    use super::*;\n    use crate::till::total;\n\n"
        "    fn f() -> u32 {\n        total(1)\n    }\n}\n",
    ),
    "Rust: two functions of that name are taken": rust(
        f"{USE_TOTAL}fn a() -> u32 {{\n    total(1, 2)\n}}\n\nfn b() -> u32 {{\n"
        "    use crate::sums::total;\n    total(1)\n}\n"
    ),
    "Rust: an argument depends on a condition": rust(
        f"{USE_TOTAL}fn a() -> u32 {{\n    total(1, #[cfg(unix)] 2)\n}}\n",
        RUST_OF_TWO.replace("b: u32", "b: u32, c: u32"),
    ),
    "Rust: another file is the module": (
        {
            **RUST,
            "src/lib.rs": '#[path = "other.rs"]\npub mod price;\npub mod till;\n',
            "src/other.rs": "pub fn total(a: u32) -> u32 {\n    a\n}\n",
        },
        {"src/price.rs": RUST_OF_TWO},
    ),
    "Rust: a closure takes that name": rust(f"{USE_TOTAL}fn a() -> u32 {{\n    with(|total| total(1))\n}}\n"),
    "Rust: a pattern takes that name": rust(
        f"{USE_TOTAL}fn a(f: Option<fn(u32) -> u32>) -> u32 {{\n"
        f"    if let Some(total) = f {{ total(1) }} else {{ 0 }}\n}}\n"
    ),
    "Rust: a part of a pattern takes that name": rust(
        f"{USE_TOTAL}fn a(f: Sums) -> u32 {{\n    let Sums {{ total, .. }} = f;\n    total(1)\n}}\n"
    ),
    "Rust: an arm of a match takes that name": rust(
        f"{USE_TOTAL}fn a(f: Sum) -> u32 {{\n"
        f"    match f {{ Sum::Of(total) => total(1), total => total(2) }}\n}}\n"
    ),
    "Rust: another type of that name in a module inside": rust(
        "",
        RUST_PRICE.replace("&mut self, n: u32", "&mut self, n: u32, m: u32").replace(
            "add_many(3)", "add_many(3, 4)"
        )
        + "\nmod old {\n    pub struct Cart;\n\n    impl Many for Cart {\n        fn f(&self) {\n"
        "            self.add_many(1);\n        }\n    }\n}\n",
    ),
}


@pytest.mark.parametrize("what", OTHER)
def test_a_call_that_means_another_function_is_left_alone(what: str, case: Open) -> None:
    before, after = OTHER[what]
    assert found(case(before, after)) == set()


def test_what_is_not_there_to_be_searched_leaves_the_review_complete(case: Open) -> None:
    before, after = gone_from_typescript("totalled")
    search = BrokenReferences().look(case(before, after).case)
    assert [one.path for one in search.breaks] == ["a.ts"]
    assert search.unread == ()
