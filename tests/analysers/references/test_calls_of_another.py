"""Calls that look as if they meant what changed, and mean another function."""

import pytest
from broken_shop import Files, found
from test_broken_calls import JAVA_CART, JAVA_CART_WITHOUT_ADD

from python_changes import Open

WITH_TEXT = JAVA_CART.replace(
    "  public void add", "  public String toString() { return `1`; }\n\n  public void add"
)


def java(member: str, after: str = JAVA_CART_WITHOUT_ADD, kind: str = "class Till") -> tuple[Files, Files]:
    """The class of Java, and another that has this member."""
    till = f"package shop;\n\n{kind} {{\n{member}\n}}\n"
    return {"shop/Cart.java": JAVA_CART, "shop/Till.java": till}, {"shop/Cart.java": after}


OTHER: dict[str, tuple[Files, Files]] = {
    "Java: what every object has": (
        {
            "shop/Cart.java": WITH_TEXT.replace("`", '"'),
            "shop/Till.java": (
                "package shop;\n\nclass Till {\n  String f() { return new Cart(1).toString(); }\n}\n"
            ),
        },
        {"shop/Cart.java": JAVA_CART},
    ),
    "Java: an enumeration of that name inside": java(
        "  enum Cart { ONE; static void add(int a) {} }\n  static void f() { Cart.add(1); }"
    ),
}


@pytest.mark.parametrize("what", OTHER)
def test_a_call_that_means_another_function_is_left_alone(what: str, case: Open) -> None:
    before, after = OTHER[what]
    assert found(case(before, after)) == set()
