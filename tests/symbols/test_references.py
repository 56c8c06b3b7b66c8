"""Who uses a symbol: found by text, narrowed by syntax and imports, each with how sure it is."""

from collections.abc import Callable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.git.tree import GitTree
from affidavit.languages.grammars import parse
from affidavit.languages.python import GRAMMAR
from affidavit.languages.registry import LANGUAGES
from affidavit.symbols.definitions import symbols_of
from affidavit.symbols.import_graph import import_graph
from affidavit.symbols.occurrences import occurrences
from affidavit.symbols.references import MAX_OF_SYMBOL, find_references

GRAMMARS = {one.name: one for language in LANGUAGES for one in language.grammars}

OpenTree = Callable[[Mapping[str, str]], GitTree]


def uses(tree: GitTree, path: str, qualified: str, **options: bool) -> set[tuple[str, int, str, str]]:
    """Path, line, kind and certainty of each use."""
    wanted = [one for one in symbols_of(tree, path) if one.qualified == qualified]
    found, _ = find_references(wanted, tree, import_graph(tree), **options)
    return {(one.path, one.line, one.kind, one.certainty) for one in found}


ROLES = {
    "python": (
        b'foo(a.foo, foo=1)\nfrom x import foo as b\n"foo"\n# foo\ndef foo(): pass\nfoo = 1\nf"{foo}"\n',
        ["call", "name", "key", "import", "text", "text", "definition", "binding", "name"],
    ),
    "typescript": (
        b'import { foo } from "./x"; new foo(); a.foo(); function f(foo: foo) {} ({foo: 1}); `foo ${foo}`',
        ["import", "call", "call", "binding", "name", "key", "text", "name"],
    ),
    "go": (
        b"package a\nfunc m() { foo(1); p.foo(2); foo := 1; _ = T{foo: foo} }\n",
        ["call", "call", "binding", "key", "name"],
    ),
    "java": (
        b"class A { void m() { a.foo(1); foo(2); new foo(3); int foo = 1; } }",
        ["call", "call", "call", "definition"],
    ),
    "rust": (b"fn m() { a::foo(1); foo!(x); x.foo(); let foo = 2; }", ["call", "call", "call", "binding"]),
}  # fmt: skip


@pytest.mark.parametrize("grammar", ROLES)
def test_a_word_is_what_the_syntax_says(grammar: str) -> None:
    text, expected = ROLES[grammar]
    root = parse(GRAMMARS[grammar], text)
    assert root is not None
    assert [place.role for place in occurrences(root, text, "foo")] == expected


@given(st.text(alphabet="foo(){}.=:,'\"\n #é", max_size=80))
def test_any_text_has_a_role_for_each_occurrence(text: str) -> None:
    data = f"foo {text} foo".encode()
    root = parse(GRAMMAR, data)
    assert root is not None
    lines = data.count(b"\n") + 1
    assert all(1 <= place.line <= lines for place in occurrences(root, data, "foo"))


SHOP = {
    "shop/__init__.py": "from .prices import total\n",
    "shop/prices.py": "def total(items):\n    return total([])\n\n\ndef twice():\n    return 2 * total([])\n",
    "direct.py": "from shop.prices import total\n\n\ndef run():\n    # total\n    return total(['total'])\n",
    "passed_on.py": "from shop import total as t\n\nt([])\n",
    "module.py": "from shop import prices\n\nprices.total([])\n",
    "elsewhere.py": "from other import total\n\ntotal([])\n",
    "unrelated.py": "def total():\n    return total\n",
    "other.js": "total([])\n",
    "docs/guide.md": "The total is first.\nCall `total` then.\n",
}


def test_uses_of_a_function_are_sorted_by_how_sure_they_are(open_tree: OpenTree) -> None:
    assert uses(open_tree(SHOP), "shop/prices.py", "total") == {
        ("shop/__init__.py", 1, "import", "certain"),
        ("shop/prices.py", 6, "call", "certain"),
        ("direct.py", 1, "import", "certain"),
        ("direct.py", 6, "call", "certain"),
        ("passed_on.py", 1, "import", "certain"),
        ("module.py", 3, "call", "certain"),
        ("docs/guide.md", 2, "text", "possible"),
    }


def test_comments_and_strings_count_where_they_are_asked_for(open_tree: OpenTree) -> None:
    found = uses(open_tree(SHOP), "shop/prices.py", "total", include_text=True)
    assert ("direct.py", 5, "text", "possible") in found


def test_a_local_variable_of_that_name_makes_it_less_sure(open_tree: OpenTree) -> None:
    tree = open_tree({"a.py": "def total(): ...\n\n\ndef f(total):\n    return total\n\n\ntotal()\n"})
    assert uses(tree, "a.py", "total") == {("a.py", 5, "name", "likely"), ("a.py", 8, "call", "likely")}


def test_the_assignment_that_defines_a_name_is_no_local_variable(open_tree: OpenTree) -> None:
    tree = open_tree(
        {"a.py": "_context = make()\n_context.load()\n\n\ndef f():\n    return _context\n", "b.py": ""}
    )
    assert uses(tree, "a.py", "_context") == {("a.py", 2, "name", "certain"), ("a.py", 6, "name", "certain")}


def test_a_function_that_says_global_writes_the_file_s_own_name(open_tree: OpenTree) -> None:
    tree = open_tree({"a.py": "cache = None\n\n\ndef f():\n    global cache\n    cache = 1\n"})
    assert uses(tree, "a.py", "cache") == {("a.py", 5, "name", "certain"), ("a.py", 6, "name", "certain")}


def test_a_variable_of_a_comprehension_is_local(open_tree: OpenTree) -> None:
    tree = open_tree({"a.py": "item = 1\nrest = [item for item in range(3)]\n"})
    assert uses(tree, "a.py", "item") == {("a.py", 2, "name", "likely")}


def test_an_assignment_uses_what_is_declared_elsewhere(open_tree: OpenTree) -> None:
    tree = open_tree({"a.js": "let state = 1;\nfunction f() {\n  state = 2;\n}\n"})
    assert uses(tree, "a.js", "state") == {("a.js", 3, "name", "certain")}


GRPC = {
    "go.mod": "module example.org/grpc\n",
    "clientconn.go": "package grpc\n\ntype addrConn struct{}\n\nfunc (ac *addrConn) connect() {}\n"
    "\nfunc (ac *addrConn) Close() {}\n",
    "wrapper.go": "package grpc\n\nfunc run(w *wrapper) {\n\tgo w.ac.connect()\n"
    "\t_ = T{connect: true}\n\tconnect()\n}\n",
    "test/balancer_test.go": 'package test\n\nimport "example.org/grpc"\n\nfunc f(b *builder) {\n'
    "\t_ = &builder{connect: true}\n\tif b.connect {\n\t\tgrpc.Dial()\n\t}\n\tif b.Close {\n"
    "\t\tb.Close()\n\t}\n}\n",
    "README.md": "A client is made to connect to the server.\n\n    ac.connect()\n",
}


def test_a_small_name_of_go_is_known_in_its_package_only_and_a_key_is_no_method(open_tree: OpenTree) -> None:
    assert uses(open_tree(GRPC), "clientconn.go", "addrConn.connect") == {
        ("wrapper.go", 4, "call", "likely"),
        ("README.md", 3, "text", "possible"),
    }


def test_a_field_in_another_package_of_go_only_may_be_the_method(open_tree: OpenTree) -> None:
    assert uses(open_tree(GRPC), "clientconn.go", "addrConn.Close") == {
        ("test/balancer_test.go", 10, "name", "possible"),
        ("test/balancer_test.go", 11, "call", "likely"),
    }


def test_a_line_that_uses_a_symbol_twice_is_one_use_and_the_call_counts(open_tree: OpenTree) -> None:
    tree = open_tree({"a.py": "def total(x): ...\n\n\nf(total, total(1), total)\n", "b.py": ""})
    symbols = symbols_of(tree, "a.py")
    found, _ = find_references(symbols, tree, import_graph(tree))
    assert [(one.line, one.kind) for one in found] == [(4, "call")]


def test_a_method_is_certain_only_on_its_own_object(open_tree: OpenTree) -> None:
    tree = open_tree(
        {
            "cart.py": (
                "class Cart:\n    def pay(self): ...\n\n    def run(self):\n        self.pay()\n"
                "\n    also = pay\n"
            ),
            "knows.py": "from cart import Cart\n\nCart.pay(x)\ny.pay()\n",
            "stranger.py": "z.pay()\npay()\n",
        }
    )
    assert uses(tree, "cart.py", "Cart.pay") == {
        ("cart.py", 5, "call", "certain"),
        ("cart.py", 7, "name", "certain"),
        ("knows.py", 3, "call", "certain"),
        ("knows.py", 4, "call", "likely"),
        ("stranger.py", 1, "call", "possible"),
    }


def test_a_set_has_no_method_of_a_class_of_pip(open_tree: OpenTree) -> None:
    """pip 3cd0af0ad changes `UninstallPathSet.add`: its map listed 50 calls of `set.add` as callers."""
    tree = open_tree(
        {
            "req_uninstall.py": (
                "class UninstallPathSet:\n    def add(self, path): ...\n\n    def from_dist(cls, dist):\n"
                "        self._refuse.add(path)\n        paths.add(path)\n        self.add(path)\n\n"
                "def compact(paths):\n    short_paths.add(path)\n"
            ),
            "req_install.py": "from req_uninstall import UninstallPathSet\n\nups.add(dist)\n",
            "build_env.py": "from req_install import InstallRequirement\n\nmissing.add(req_str)\n",
        }
    )
    assert uses(tree, "req_uninstall.py", "UninstallPathSet.add") == {
        ("req_uninstall.py", 5, "call", "possible"),
        ("req_uninstall.py", 6, "call", "likely"),
        ("req_uninstall.py", 7, "call", "certain"),
        ("req_uninstall.py", 10, "call", "possible"),
        ("req_install.py", 3, "call", "likely"),
        ("build_env.py", 3, "call", "possible"),
    }


def test_err_of_result_is_no_use_of_an_associated_type_of_uv(open_tree: OpenTree) -> None:
    """uv 0e69f0c2ad removes `ArchiveId.Err` and changes `ArchiveId.new`: its map listed 400 uses of each."""
    tree = open_tree(
        {
            "Cargo.toml": '[package]\nname = "cache"\n',
            "src/lib.rs": "mod archive;\npub use archive::ArchiveId;\n",
            "src/archive.rs": (
                "pub struct ArchiveId(String);\nimpl ArchiveId {\n    pub fn new() -> Self { todo!() }\n}\n"
                "impl FromStr for ArchiveId {\n    type Err = Infallible;\n"
                "    fn from_str(s: &str) -> Result<Self, Self::Err> { Err(s) }\n}\n"
            ),
            "src/user.rs": (
                "use crate::ArchiveId;\nfn f() -> Result<A, <T as FromStr>::Err> {\n"
                "    Err(LazyLock::new(1))\n}\n"
                "fn g() -> ArchiveId { let id = ArchiveId::new(); CACHE.new(); id }\n"
            ),
        }
    )
    assert uses(tree, "src/archive.rs", "ArchiveId.Err") == {
        ("src/archive.rs", 7, "name", "certain"),
        ("src/user.rs", 2, "name", "possible"),
    }
    assert uses(tree, "src/archive.rs", "ArchiveId.new") == {
        ("src/user.rs", 3, "call", "possible"),
        ("src/user.rs", 5, "call", "certain"),
    }


def test_a_file_that_wraps_the_name_passes_its_own_on(open_tree: OpenTree) -> None:
    tree = open_tree(
        {
            "a.py": "def total(): ...\n",
            "b.py": "from a import total as inner\n\n\ndef total():\n    return inner()\n",
            "c.py": "from b import total\n\ntotal()\n",
        }
    )
    assert {path for path, *_ in uses(tree, "a.py", "total")} == {"b.py"}


def test_files_of_a_go_package_see_one_another(open_tree: OpenTree) -> None:
    tree = open_tree(
        {
            "go.mod": "module example.org/m\n",
            "p/a.go": "package p\n\nfunc Total() int { return 1 }\n",
            "p/b.go": "package p\n\nvar x = Total()\n",
            "main.go": 'package main\n\nimport "example.org/m/p"\n\nvar y = p.Total()\n',
        }
    )
    assert uses(tree, "p/a.go", "Total") == {
        ("p/b.go", 3, "call", "certain"),
        ("main.go", 5, "call", "certain"),
    }


def test_each_use_names_the_symbol_it_stands_in_and_how_it_was_found(open_tree: OpenTree) -> None:
    tree = open_tree(SHOP)
    wanted = [one for one in symbols_of(tree, "shop/prices.py") if one.name == "total"]
    found, _ = find_references(wanted, tree, import_graph(tree))
    (call,) = [one for one in found if (one.path, one.kind) == ("direct.py", "call")]
    assert call.within == "run"
    assert call.verification_method == (
        "searched for the word total; the file imports it from shop/prices.py"
    )


def test_more_uses_than_anybody_reads_are_cut_and_that_is_said(open_tree: OpenTree) -> None:
    tree = open_tree({"a.py": "def total(): ...\n", "b.py": "from a import total\n" + "total()\n" * 500})
    wanted = symbols_of(tree, "a.py")
    found, left_out = find_references(wanted, tree, import_graph(tree))
    assert len(found) == MAX_OF_SYMBOL
    assert left_out == [f"of total only {MAX_OF_SYMBOL} uses are listed, the surest"]


def test_without_time_the_text_is_what_remains(open_tree: OpenTree) -> None:
    tree = open_tree(SHOP)
    wanted = [one for one in symbols_of(tree, "shop/prices.py") if one.name == "total"]
    found, left_out = find_references(wanted, tree, import_graph(tree), max_seconds=-1)
    assert {one.certainty for one in found} == {"possible"}
    assert "could not be parsed" in left_out[0]
