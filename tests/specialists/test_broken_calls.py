"""Calls in Go and Java of a method that a change removed: found when certain."""

import pytest
from broken_shop import Files, found

from python_changes import Open

GONE = "removed-attribute"
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
JAVA_CART_WITHOUT_ADD = JAVA_CART.replace("  public void add(int a) { n += a; }\n\n", "").replace(
    "add(0); this.add(1);", ""
)

BROKEN: dict[str, tuple[Files, Files, Found]] = {
    "a method of Go is gone": (
        GO,
        {"price/price.go": GO_PRICE.replace("func (c *Cart) Add(n int) {\n\tc.n += n\n}\n\n", "")},
        {(GONE, "price/price.go", 12), (GONE, "main.go", 8), (GONE, "main.go", 12)},
    ),
    "a method of Java is gone": (
        JAVA,
        {"shop/Cart.java": JAVA_CART.replace("  public void add(int a) { n += a; }\n\n", "")},
        {(GONE, "shop/Cart.java", 8), (GONE, "shop/Till.java", 7), (GONE, "shop/Till.java", 8)}
        | {(GONE, "shop/Till.java", 10), (GONE, "app/App.java", 8)},
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
        {"shop/Cart.java": JAVA_CART_WITHOUT_ADD},
        {(GONE, "shop/Till.java", 5), (GONE, "shop/Desk.java", 5)},
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_call_that_surely_means_what_changed_is_found(what: str, case: Open) -> None:
    before, after, expected = BROKEN[what]
    assert found(case(before, after)) == expected
