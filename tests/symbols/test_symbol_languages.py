"""What each language defines, what a change does to it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.languages.grammars import Grammar
from affidavit.languages.java import JAVA
from affidavit.languages.python import GRAMMAR
from affidavit.languages.registry import LANGUAGES
from affidavit.symbols.changed import symbol_changes
from affidavit.symbols.definitions import (
    MAX_NAME,
    MAX_SYMBOLS,
    definitions,
    symbols_of,
)
from python_changes import make_case
from repositories import Repo

JAVASCRIPT = """export const LIMIT = 1, pay = (x) => { const local = 1 };
class Cart extends Base { #left = 1; add(x) { function inner() {} } static make = () => 1 }
module.exports.old = function (q) {};
const api = { get(a) { return 1 } };
"""
TYPESCRIPT = """export interface Store<T> { load(a: number): void; name?: string }
export abstract class Cart implements Store { left = 1; abstract pay(): void }
type Id = string; enum Colour { Red } namespace Shop { export const open = 1 }
declare function total(): void;
"""
GRAMMARS = [grammar for language in LANGUAGES for grammar in language.grammars]
GRAMMAR_OF = {grammar.name: grammar for grammar in GRAMMARS}
EXAMPLES = {
    "python": (
        "LIMIT = 1\nclass Cart(Base):\n    def add(self, x): ...\ndef pay(): ...\ntype Id = str\n",
        {"LIMIT": "constant", "Cart": "class", "Cart.add": "method", "pay": "function", "Id": "type"},
    ),
    "javascript": (
        JAVASCRIPT,
        {
            "LIMIT": "constant", "pay": "function", "Cart": "class", "Cart.#left": "constant",
            "Cart.add": "method", "Cart.make": "method", "old": "function", "api": "constant",
            "api.get": "method",
        },
    ),
    "typescript": (
        TYPESCRIPT,
        {
            "Store": "interface", "Store.load": "method", "Store.name": "constant", "Cart": "class",
            "Cart.left": "constant", "Cart.pay": "method", "Id": "type", "Colour": "class",
            "Colour.Red": "constant", "Shop": "module", "Shop.open": "constant", "total": "function",
        },
    ),
    "tsx": ("export const Page = () => <b>x</b>\n", {"Page": "function"}),
    "go": (
        "package a\ntype I interface { M(x int) error }\ntype S struct { A int }\ntype T = S\n"
        "func (s *S[K]) M(x int) error { var local int; return nil }\nvar (\n a, b = 1, 2\n)\nconst X = 1\n"
        "func F() {}\n",
        {
            "I": "interface", "I.M": "method", "S": "class", "T": "type", "S.M": "method",
            "a": "constant", "b": "constant", "X": "constant", "F": "function",
        },
    ),
    "java": (
        "interface I { int m(int a); }\nclass C implements I { static final int X = 1; C() {} "
        "public int m(int a) { return 1; } }\nenum E { A }\nrecord R(int a) {}\n",
        {
            "I": "interface", "I.m": "method", "C": "class", "C.X": "constant", "C.C": "method",
            "C.m": "method", "E": "class", "E.A": "constant", "R": "class",
        },
    ),
    "rust": (
        "trait T { fn a(&self); }\nimpl<K> T for m::S<K> { fn a(&self) {} }\nenum E { A }\n"
        "macro_rules! m { () => {} }\nmod x { pub fn y() {} }\nconst C: u8 = 1;\ntype Q = u8;\n",
        {
            "T": "interface", "T.a": "method", "S.a": "method", "E": "class", "E.A": "constant",
            "m": "function", "x.y": "function", "C": "constant", "Q": "type",
        },
    ),
    "c": (
        "typedef struct s { int a; } s_t;\nenum e { X };\nstatic int *f(int a) { int l = 1; return 0; }\n"
        "int g(void);\nint v = 1;\n#define LIMIT 3\n",
        {
            "s_t": "type", "s": "class", "e": "class", "e.X": "constant", "f": "function", "g": "function",
            "v": "constant", "LIMIT": "constant",
        },
    ),
    "cpp": (
        "namespace n { class A { int g() { return 1; } virtual int h() = 0; }; }\n"
        "int n::A::f(int a) { return a; }\ntemplate<class T> T* t(T x) { return 0; }\nusing Q = int;\n",
        {
            "n.A": "class", "n.A.g": "method", "n.A.h": "method", "n.A.f": "method", "t": "function",
            "Q": "type",
        },
    ),
    "ruby": (
        "module A\n class B < C\n  X = 1\n  def self.m(a); end\n  def n?\n 1\n end\n end\nend\n",
        {"A": "module", "A.B": "class", "A.B.X": "constant", "A.B.m": "method", "A.B.n?": "method"},
    ),
    "php": (
        "<?php interface I { function m(int $a); }\nclass C { public $p = 1; const Z = 1; }\n"
        "function f() {}\nenum E { case A; }\n",
        {
            "I": "interface", "I.m": "method", "C": "class", "C.p": "constant", "C.Z": "constant",
            "f": "function", "E": "class", "E.A": "constant",
        },
    ),
    "c_sharp": (
        "namespace N { interface I { int M(int a); } class C : I { const int Q = 1; int P { get; } "
        "public int M(int a) => 1; } delegate void D(int a); }\n",
        {
            "I": "interface", "I.M": "method", "C": "class", "C.Q": "constant", "C.P": "constant",
            "C.M": "method", "D": "type",
        },
    ),
}  # fmt: skip


def test_every_grammar_has_an_example_of_what_it_defines() -> None:
    assert EXAMPLES.keys() == {grammar.name for grammar in GRAMMARS}


@pytest.mark.parametrize("grammar", EXAMPLES)
def test_every_language_has_its_symbols(grammar: str) -> None:
    text, expected = EXAMPLES[grammar]
    assert {one.qualified: one.kind for one in definitions(text.encode(), GRAMMAR_OF[grammar])} == expected


COMMENTED = {
    "python": (
        b"def f(a,  # first\n      b='#x'):  # does not store tz\n    # more\n    return 1\n",
        "def f(a, b='#x'):",
    ),
    "javascript": (b"function f(a) // why\n{\n  return 1\n}\n", "function f(a)"),
    "go": (
        b"package x\n\nfunc F(a int /* cents */) error { // why\n\treturn nil\n}\n",
        "func F(a int ) error",
    ),
    "ruby": (b"def f # nothing\nend\n", "def f"),
    "java": (b"class A {\n  int f(int a) // why\n  { return 1; }\n}\n", "int f(int a)"),
    "rust": (b"fn f(a: i32) -> i32 // why\n{ 1 }\n", "fn f(a: i32) -> i32"),
    "c": (b"int f(int a) /* why\n */\n{ return 1; }\n", "int f(int a)"),
    "php": (b"<?php\nfunction f($a) # why\n{ return 1; }\n", "function f($a)"),
}


@pytest.mark.parametrize("grammar", COMMENTED)
def test_a_signature_ends_with_the_header_and_has_no_comment(grammar: str) -> None:
    text, signature = COMMENTED[grammar]
    assert definitions(text, GRAMMAR_OF[grammar])[-1].signature == signature


def test_a_signature_is_a_header_without_body_or_value() -> None:
    found = {one.name: one.signature for one in definitions(EXAMPLES["java"][0].encode(), JAVA.grammars[0])}
    assert found["X"] == "static final int X"
    assert found["m"] == "public int m(int a)"


@given(st.sampled_from(GRAMMARS), st.binary(max_size=200))
def test_any_bytes_are_read_in_any_language(grammar: Grammar, text: bytes) -> None:
    for one in definitions(text, grammar):
        assert 1 <= one.line <= one.end_line


def test_a_hostile_nesting_gets_no_endless_names() -> None:
    text = b"class AAAAAAAAAA { " * 3000
    assert all(len(one.qualified) <= MAX_NAME for one in definitions(text, JAVA.grammars[0]))


def test_a_file_of_endless_symbols_is_cut() -> None:
    assert len(definitions(b"x=1\n" * (MAX_SYMBOLS + 5), GRAMMAR)) == MAX_SYMBOLS


def test_a_file_of_another_language_or_none_has_no_symbols(repo: Repo) -> None:
    one = make_case(repo, {"a.txt": "def f(): ...\n", "b.py": b"\0\1"}, {"c": ""})
    with one.repository:
        assert [symbols_of(one.repository.head, path) for path in ("a.txt", "b.py", "nowhere.py")] == [
            [],
            [],
            [],
        ]


BODY = "    a = 1\n    b = 2\n    return a + b\n"


def changes(
    repo: Repo, before: dict[str, str | None], after: dict[str, str | None]
) -> set[tuple[str, str, str]]:
    one = make_case(repo, before, after)
    with one.repository:
        return {
            (
                found.fate,
                found.base.qualified if found.base else "",
                found.head.qualified if found.head else "",
            )
            for found in symbol_changes(one.change, one.repository)
        }


def test_a_function_with_the_same_body_and_another_name_is_renamed(repo: Repo) -> None:
    found = changes(repo, {"a.py": f"def old(x):\n{BODY}"}, {"a.py": f"def new(x):\n{BODY}"})
    assert found == {("renamed", "old", "new")}


def test_methods_of_a_renamed_class_go_with_it(repo: Repo) -> None:
    text = f"class Old:\n    def f(self):\n    {BODY.replace(chr(10), chr(10) + '    ').rstrip()}\n"
    found = changes(repo, {"a.py": text}, {"a.py": text.replace("Old", "New")})
    assert found == {("renamed", "Old", "New"), ("renamed", "Old.f", "New.f")}


def test_two_equally_similar_functions_are_no_renaming(repo: Repo) -> None:
    after = f"def one(x):\n{BODY}\n\ndef two(x):\n{BODY}"
    found = changes(repo, {"a.py": f"def old(x):\n{BODY}"}, {"a.py": after})
    assert {fate for fate, _, _ in found} == {"removed", "added"}


def test_a_function_that_moves_to_another_file_keeps_both_sides(repo: Repo) -> None:
    before = {"a.py": f"X = 1\n\n\ndef f(x):\n{BODY}", "b.py": "Y = 1\n"}
    found = changes(repo, before, {"a.py": "X = 1\n", "b.py": f"Y = 1\n\n\ndef f(x):\n{BODY}"})
    assert found == {("renamed", "f", "f")}


def test_an_overload_that_goes_is_removed_while_the_other_stays(repo: Repo) -> None:
    before = "class A {\n  void f(int a) {}\n  void f(String a) {}\n}\n"
    found = changes(repo, {"A.java": before}, {"A.java": "class A {\n  void f(String a) {}\n}\n"})
    assert ("removed", "A.f", "") in found
    assert not any(fate == "signature_changed" for fate, _, _ in found)
