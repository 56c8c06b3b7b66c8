"""Calls in Go, Java, JavaScript, TypeScript and Rust that a change breaks: found when certain."""

import pytest
from broken_shop import Files, found

from python_changes import Open

COUNT, GONE, PLACED = "wrong-argument-count", "removed-attribute", "misplaced-arguments"
Found = set[tuple[str, str, int]]

GO = {
    "go.mod": "module shop\n",
    "price/price.go": (
        "package price\n\ntype Cart struct {\n\tn int\n}\n\n"
        "func Total(a int) int {\n\treturn a\n}\n\n"
        "func (c *Cart) Add(n int) {\n\tc.n += n\n}\n\n"
        "func (c *Cart) Clear() {\n\tc.Add(0)\n}\n"
    ),
    "price/more.go": "package price\n\nfunc twice() int {\n\treturn Total(1) + Total(2)\n}\n",
    "main.go": (
        'package main\n\nimport "shop/price"\n\nfunc main() {\n\tprice.Total(3)\n'
        "\tcart := &price.Cart{}\n\tcart.Add(1)\n}\n\nfunc fill(c *price.Cart) {\n\tc.Add(2)\n}\n"
    ),
}
GO_PRICE = GO["price/price.go"]

JAVA = {
    "shop/Cart.java": (
        "package shop;\n\npublic class Cart {\n  private int n;\n\n  public Cart(int n) { this.n = n; }\n\n"
        "  public void add(int a) { n += a; }\n\n  public void clear() { add(0); this.add(1); }\n}\n"
    ),
    "shop/Till.java": (
        "package shop;\n\nclass Till {\n  private final Cart cart = new Cart(1);\n\n"
        "  void pay(Cart other) {\n    cart.add(1);\n    other.add(2);\n    var made = new Cart(2);\n"
        "    made.add(3);\n  }\n}\n"
    ),
    "app/App.java": (
        "package app;\n\nimport shop.Cart;\n\nclass App {\n  void run() {\n    Cart c = new Cart(5);\n"
        "    c.add(4);\n  }\n}\n"
    ),
}
JAVA_CART = JAVA["shop/Cart.java"]
JAVA_CART_OF_TWO = JAVA_CART.replace("add(int a)", "add(int a, int b)").replace("add(0); this.add(1);", "")

TYPESCRIPT = {
    "a.ts": (
        "export function total(a: number): number {\n  return a\n}\n\n"
        "export const half = (a: number) => a / 2\n\n"
        "export const one = total(1)\n\nexport class Box {\n  seal(a: number) { return a }\n"
        "  open() { return this.seal(1) }\n}\n"
    ),
    "b.ts": (
        "import { total, half, Box } from './a'\n\ntotal(1)\nhalf(2)\nconst box = new Box()\nbox.seal(3)\n"
    ),
}
TS_A = TYPESCRIPT["a.ts"]

SCRIPT = {
    "a.js": (
        "export function area(w, h) {\n  return w * h\n}\n\nexport function show(to, text) {\n"
        "  to.write(text)\n}\n"
    ),
    "b.js": "import { area, show } from './a.js'\n\narea(2, 3)\nshow(out, 'x')\n",
}

RUST = {
    "Cargo.toml": '[package]\nname = "shop"\n',
    "src/lib.rs": "pub mod price;\npub mod till;\n",
    "src/price.rs": (
        "pub fn total(a: u32) -> u32 {\n    a\n}\n\npub fn twice() -> u32 {\n    total(1) + total(2)\n}\n\n"
        "pub struct Cart {\n    n: u32,\n}\n\nimpl Cart {\n    pub fn add_many(&mut self, n: u32) {\n"
        "        self.n += n;\n    }\n\n    pub fn make(n: u32) -> Self {\n        Cart { n }\n    }\n\n"
        "    pub fn fill(&mut self) {\n        self.add_many(3);\n        let _ = Self::make(4);\n    }\n}\n"
    ),
    "src/till.rs": "use crate::price::total;\n\npub fn pay() -> u32 {\n    total(5)\n}\n",
}
RUST_PRICE = RUST["src/price.rs"]
RUST_PATHS = {
    **RUST,
    "src/lib.rs": (
        "pub mod price;\npub mod till;\n\npub fn sum() -> u32 {\n    // Both.\n    price::total(1)\n}\n"
    ),
    "src/till.rs": (
        "use crate::price;\nmod drawer;\npub fn pay() -> u32 {\n    price::total(5)\n"
        "        + crate::price::total(6)\n        + super::price::total(7)\n}\n"
    ),
    "src/till/drawer.rs": (
        "pub fn open() -> u32 {\n    super::super::price::total(1)\n        + crate::price::total(2)\n}\n"
    ),
}

BROKEN: dict[str, tuple[Files, Files, Found]] = {
    "a function of Go takes another argument": (
        GO,
        {"price/price.go": GO_PRICE.replace("Total(a int)", "Total(a, b int)")},
        {(COUNT, "price/more.go", 4), (COUNT, "main.go", 6)},
    ),
    "a method of Go takes another argument": (
        GO,
        {"price/price.go": GO_PRICE.replace("Add(n int)", "Add(n int, m int)")},
        {(COUNT, "price/price.go", 16), (COUNT, "main.go", 8), (COUNT, "main.go", 12)},
    ),
    "a method of Go is gone": (
        GO,
        {"price/price.go": GO_PRICE.replace("func (c *Cart) Add(n int) {\n\tc.n += n\n}\n\n", "")},
        {(GONE, "price/price.go", 12), (GONE, "main.go", 8), (GONE, "main.go", 12)},
    ),
    "a method of Java takes another argument": (
        JAVA,
        {"shop/Cart.java": JAVA_CART.replace("add(int a)", "add(int a, int b)")},
        {(COUNT, "shop/Cart.java", 10), (COUNT, "shop/Till.java", 7), (COUNT, "shop/Till.java", 8)}
        | {(COUNT, "shop/Till.java", 10), (COUNT, "app/App.java", 8)},
    ),
    "a constructor of Java takes another argument": (
        JAVA,
        {"shop/Cart.java": JAVA_CART.replace("Cart(int n)", "Cart(int n, int m)")},
        {(COUNT, "shop/Till.java", 4), (COUNT, "app/App.java", 7)},
    ),
    "a method of Java is gone": (
        JAVA,
        {"shop/Cart.java": JAVA_CART.replace("  public void add(int a) { n += a; }\n\n", "")},
        {(GONE, "shop/Cart.java", 8), (GONE, "shop/Till.java", 7), (GONE, "shop/Till.java", 8)}
        | {(GONE, "shop/Till.java", 10), (GONE, "app/App.java", 8)},
    ),
    "a function of TypeScript takes another argument": (
        TYPESCRIPT,
        {"a.ts": TS_A.replace("total(a: number)", "total(a: number, b: number)")},
        {(COUNT, "a.ts", 7), (COUNT, "b.ts", 3)},
    ),
    "an arrow function of TypeScript takes one argument less": (
        TYPESCRIPT,
        {"a.ts": TS_A.replace("half = (a: number) => a / 2", "half = () => 2")},
        {(COUNT, "b.ts", 4)},
    ),
    "a method of TypeScript takes another argument": (
        TYPESCRIPT,
        {"a.ts": TS_A.replace("seal(a: number)", "seal(a: number, b: string)")},
        {(COUNT, "a.ts", 11), (COUNT, "b.ts", 6)},
    ),
    "a method of Java is called on what was just made": (
        {
            "shop/Cart.java": JAVA_CART,
            "shop/Till.java": (
                "package shop;\n\nclass Till {\n  void pay() {\n    new Cart(1).add(4);\n  }\n}\n"
            ),
            "shop/Desk.java": (
                "package shop;\n\nclass Desk {\n  void pay() {\n    (new Cart(2)).add(5);\n  }\n}\n"
            ),
            "shop/Own.java": (
                "package shop;\n\nclass Own {\n  void pay() {\n"
                "    new Cart(3) { public void add(int a) {} }.add(6);\n  }\n}\n"
            ),
        },
        {"shop/Cart.java": JAVA_CART_OF_TWO},
        {(COUNT, "shop/Till.java", 5), (COUNT, "shop/Desk.java", 5)},
    ),
    "a function of TypeScript that its own file calls is gone": (
        {"a.ts": "export const x = 1\nfunction total() {\n  return 1\n}\nexport const y = total()\n"},
        {"a.ts": "export const x = 1\nexport const y = total()\n"},
        {(GONE, "a.ts", 2)},
    ),
    "a method of TypeScript that its own class calls is gone": (
        {"a.ts": TS_A},
        {"a.ts": TS_A.replace("  seal(a: number) { return a }\n", "")},
        {(GONE, "a.ts", 10)},
    ),
    "a function of JavaScript needs another argument": (
        SCRIPT,
        {
            "a.js": SCRIPT["a.js"].replace(
                "area(w, h) {\n  return w * h", "area(w, h, d) {\n  return w * h * d"
            )
        },
        {(PLACED, "b.js", 3)},
    ),
    "a function of JavaScript loses its first argument": (
        SCRIPT,
        {"a.js": SCRIPT["a.js"].replace("show(to, text) {\n  to.", "show(text) {\n  console.")},
        {(PLACED, "b.js", 4)},
    ),
    "a function of Rust takes another argument": (
        RUST,
        {"src/price.rs": RUST_PRICE.replace("total(a: u32)", "total(a: u32, b: u32)")},
        {(COUNT, "src/price.rs", 6), (COUNT, "src/till.rs", 4)},
    ),
    "a function of Rust is called by the paths of its module": (
        RUST_PATHS,
        {"src/price.rs": RUST_PRICE.replace("total(a: u32)", "total(a: u32, b: u32)")},
        {
            (COUNT, "src/price.rs", 6),
            (COUNT, "src/lib.rs", 6),
            (COUNT, "src/till.rs", 4),
            (COUNT, "src/till.rs", 5),
            (COUNT, "src/till.rs", 6),
            (COUNT, "src/till/drawer.rs", 2),
            (COUNT, "src/till/drawer.rs", 3),
        },
    ),
    "a function of Rust that is called by the path of its module is gone": (
        {
            "src/main.rs": "mod calc;\n\nfn main() {\n    calc::gone();\n}\n",
            "src/calc.rs": "pub fn gone() {}\n",
        },
        {"src/calc.rs": "pub fn other(a: u32) -> u32 {\n    a\n}\n"},
        {(GONE, "src/main.rs", 4)},
    ),
    "a method of Rust takes another argument": (
        RUST,
        {"src/price.rs": RUST_PRICE.replace("&mut self, n: u32", "&mut self, n: u32, m: u32")},
        {(COUNT, "src/price.rs", 23)},
    ),
    "an associated function of Rust takes another argument": (
        RUST,
        {"src/price.rs": RUST_PRICE.replace("make(n: u32)", "make(n: u32, m: u32)")},
        {(COUNT, "src/price.rs", 24)},
    ),
    "a function of Rust that its own module calls is gone": (
        {**RUST, "src/till.rs": ""},
        {"src/price.rs": RUST_PRICE.replace("pub fn total(a: u32) -> u32 {\n    a\n}\n\n", "")},
        {(GONE, "src/price.rs", 2)},
    ),
    "a method of Rust that its own type calls is gone": (
        RUST,
        {
            "src/price.rs": RUST_PRICE.replace(
                "    pub fn add_many(&mut self, n: u32) {\n        self.n += n;\n    }\n\n", ""
            )
        },
        {(GONE, "src/price.rs", 19)},
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_call_that_surely_means_what_changed_is_found(what: str, case: Open) -> None:
    before, after, expected = BROKEN[what]
    assert found(case(before, after)) == expected
