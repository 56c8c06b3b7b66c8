"""Calls that look as if they meant what changed, and mean another function."""

import pytest
from broken_shop import Files, found
from test_broken_calls import GO, GO_PRICE, JAVA_CART, JAVA_CART_WITHOUT_ADD

from python_changes import Open

WITHOUT_ADD = GO_PRICE.replace("func (c *Cart) Add(n int) {\n\tc.n += n\n}\n\n", "").replace("c.Add(0)", "")
WITH_TEXT = JAVA_CART.replace(
    "  public void add", "  public String toString() { return `1`; }\n\n  public void add"
)


def go(after: str, body: str, **more: str) -> tuple[Files, Files]:
    """The Go package, and a function beside it."""
    beside = {"price/more.go": f"package price\n\n{body}\n", "main.go": "package main\n"}
    return {**GO, **beside, **more}, {"price/price.go": after}


def java(member: str, after: str = JAVA_CART_WITHOUT_ADD, kind: str = "class Till") -> tuple[Files, Files]:
    """The class of Java, and another that has this member."""
    till = f"package shop;\n\n{kind} {{\n{member}\n}}\n"
    return {"shop/Cart.java": JAVA_CART, "shop/Till.java": till}, {"shop/Cart.java": after}


OTHER: dict[str, tuple[Files, Files]] = {
    "Go: another variable of that name, outside of the block": go(
        WITHOUT_ADD,
        "var c = pick()\n\nfunc f() {\n\tif on {\n\t\tc := &Cart{}\n\t\tuse(c)\n\t}\n\tc.Add(1)\n}",
    ),
    "Go: a variable of a switch over types": go(
        WITHOUT_ADD, "func f(c any) {\n\tswitch c := c.(type) {\n\tcase *Bag:\n\t\tc.Add(1)\n\t}\n}"
    ),
    "Go: what a channel hands over": go(
        WITHOUT_ADD, "func f(c *Cart) {\n\tselect {\n\tcase c := <-bags:\n\t\tc.Add(1)\n\t}\n}"
    ),
    "Go: a variable of a loop": go(
        WITHOUT_ADD, "func f(c *Cart) {\n\tfor _, c := range bags {\n\t\tc.Add(1)\n\t}\n}"
    ),
    "Go: a parameter of a function inside": go(
        WITHOUT_ADD, "func f(c *Cart) {\n\tuse(func(c *Bag) { c.Add(1) })\n}"
    ),
    "Go: a slice of the type": go(WITHOUT_ADD, "func f(c []*Cart) {\n\tc.Add(1)\n}"),
    "Go: a type of that name inside of the function": go(
        WITHOUT_ADD, "func f() {\n\ttype Cart struct{ Bag }\n\tc := &Cart{}\n\tc.Add(1)\n}"
    ),
    "Go: a program writes methods that nobody keeps": go(
        WITHOUT_ADD.replace("package price\n", "package price\n\n//go:generate adder -type Cart\n"),
        "func f(c *Cart) {\n\tc.Add(1)\n}",
    ),
    "Go: the caller is built only when asked for": go(
        WITHOUT_ADD,
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
}


@pytest.mark.parametrize("what", OTHER)
def test_a_call_that_means_another_function_is_left_alone(what: str, case: Open) -> None:
    before, after = OTHER[what]
    assert found(case(before, after)) == set()
