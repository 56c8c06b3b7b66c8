"""Calls in Java of a method that a change removed: found when certain."""

import pytest
from broken_shop import Files, found

from python_changes import Open

GONE = "removed-attribute"
Found = set[tuple[str, str, int]]

JAVA = {
    "shop/Cart.java": (
        "package shop;\n\npublic class Cart {\n  private int n;\n\n  public Cart(int n) { this.n = n; }\n\n"
        "  public void add(int a) { n += a; }\n\n  public void clear() { add(0); this.add(1); }\n}\n"
    ),
}
JAVA_CART = JAVA["shop/Cart.java"]
JAVA_CART_WITHOUT_ADD = JAVA_CART.replace("  public void add(int a) { n += a; }\n\n", "").replace(
    "add(0); this.add(1);", ""
)

BROKEN: dict[str, tuple[Files, Files, Found]] = {
    "a method of Java is gone": (
        JAVA,
        {"shop/Cart.java": JAVA_CART.replace("  public void add(int a) { n += a; }\n\n", "")},
        {(GONE, "shop/Cart.java", 8)},
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
