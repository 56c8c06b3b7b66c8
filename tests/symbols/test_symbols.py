"""What Python text defines, and what a change does to it."""

from hypothesis import given
from hypothesis import strategies as st

from affidavit.languages.grammars import MAX_BYTES
from affidavit.languages.python import GRAMMAR
from affidavit.symbols.changed import changed_symbols
from affidavit.symbols.definitions import definitions
from python_changes import make_case

MODULE = b"""import os

LIMIT: int = 3
a = b = 1


@decorated
def first(x,
          y=1):
    def inner(): ...
    return x


class Shop(Base):
    name = "x"

    async def open(self): ...

    class Inner:
        def deep(self): ...


if os.name == "nt":
    def only_here(): ...
"""


def test_functions_classes_methods_and_constants_are_found():
    found = {one.qualified: (one.kind, one.line, one.end_line) for one in definitions(MODULE, GRAMMAR)}
    assert found == {
        "LIMIT": ("constant", 3, 3),
        "a": ("constant", 4, 4),
        "first": ("function", 8, 11),
        "Shop": ("class", 14, 20),
        "Shop.name": ("constant", 15, 15),
        "Shop.open": ("method", 17, 17),
        "Shop.Inner": ("class", 19, 20),
        "Shop.Inner.deep": ("method", 20, 20),
        "only_here": ("function", 24, 24),
    }


def test_a_signature_is_the_header_with_white_space_folded():
    signatures = {one.name: one.signature for one in definitions(MODULE, GRAMMAR)}
    assert signatures["first"] == "def first(x, y=1):"
    assert signatures["open"] == "async def open(self):"
    assert signatures["Shop"] == "class Shop(Base):"


def test_a_text_that_is_too_large_is_not_parsed():
    assert definitions(b"x = 1\n" * (MAX_BYTES // 6 + 1), GRAMMAR) == []


def test_deep_nesting_ends():
    assert (
        definitions(b"class A:\n" + b"".join(b" " * n + b"class A:\n" for n in range(1, 900)), GRAMMAR) != []
    )


@given(st.binary(max_size=300))
def test_any_bytes_are_read_without_an_error(text):
    for one in definitions(text, GRAMMAR):
        assert 1 <= one.line <= one.end_line


@given(
    st.lists(
        st.sampled_from(["def f(", "class K:", "  ", "\n", ")", ":", "x = ", "@", "async ", "…"]), max_size=30
    )
)
def test_broken_python_is_read_without_an_error(parts):
    text = "".join(parts)
    for found in definitions(text.encode(), GRAMMAR):
        assert 1 <= found.line <= found.end_line <= text.count("\n") + 1


def fates(repo, before, after):
    one = make_case(repo, before, after)
    with one.repository:
        return {
            (symbol.file, symbol.qualified): symbol.fate
            for symbol in changed_symbols(one.change, one.repository)
        }


def test_a_change_adds_removes_touches_and_changes_signatures(repo):
    before = "def kept(): ...\n\n\ndef gone(): ...\n\n\ndef signed(a): ...\n\n\ndef inside():\n    return 1\n"
    after = (
        "def kept(): ...\n\n\ndef new(): ...\n\n\ndef signed(a, b): ...\n\n\ndef inside():\n    return 2\n"
    )
    assert fates(repo, {"a.py": before}, {"a.py": after}) == {
        ("a.py", "gone"): "removed",
        ("a.py", "new"): "added",
        ("a.py", "signed"): "signature_changed",
        ("a.py", "inside"): "touched",
    }


def test_a_reformatted_signature_is_not_another_signature(repo):
    found = fates(repo, {"a.py": "def f(a, b): ...\n"}, {"a.py": "def f(\n    a,\n    b,\n): ...\n"})
    assert found[("a.py", "f")] == "touched"


def test_another_comment_in_a_header_is_not_another_signature(repo):
    found = fates(repo, {"a.py": "def f(a):  # one\n    ...\n"}, {"a.py": "def f(a):  # two\n    ...\n"})
    assert found[("a.py", "f")] == "touched"


def test_a_renamed_file_keeps_its_symbols(repo):
    text = "".join(f"def f{number}(): ...\n" for number in range(20))
    assert fates(repo, {"a.py": text}, {"a.py": None, "b.py": text + "def g(): ...\n"}) == {
        ("b.py", "g"): "added"
    }


def test_a_deleted_file_loses_its_symbols(repo):
    assert fates(repo, {"a.py": "def f(): ...\n", "b": ""}, {"a.py": None}) == {("a.py", "f"): "removed"}
