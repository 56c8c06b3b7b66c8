"""The map of a change, on real repositories."""

import pytest

from affidavit.agents.panel import assemble_readers
from affidavit.context.gather import gather_context
from affidavit.records.context import ContextMap
from python_changes import Case, make_case
from repositories import Repo
from written_readers import written_readers

PRICES = """\
TAX = 2


def total(items):
    return sum(items) * TAX


def gone():
    return 1
"""
NEW_PRICES = """\
from shop import money

TAX = 2


def total(items, tax):
    return sum(items) * tax
"""
TEST_PRICES = """\
from shop import prices


def test_total():
    assert prices.total([1]) == 2
"""
BEFORE = {
    "shop/__init__.py": "",
    "shop/prices.py": PRICES,
    "shop/checkout.py": "from shop.prices import total\n\n\ndef pay(items):\n    return total(items)\n",
    "shop/neighbour.py": "NAME = 'unrelated'\n",
    "shop/money.py": "ROUND = 2\n",
    "tests/test_prices.py": TEST_PRICES,
    "tests/test_other.py": "def test_nothing():\n    assert True\n",
    "docs/guide.md": "Prices are in shop/prices.py.\n",
}
AFTER = {"shop/prices.py": NEW_PRICES}
EDGES = {
    "shop/checkout.py": ["shop/prices.py"],
    "tests/test_prices.py": ["shop/prices.py"],
    "shop/prices.py": ["shop/money.py"],
}


def mapped(case: Case, edges: dict[str, list[str]] | None = None, **options: int) -> ContextMap:
    with case.repository:
        return gather_context(case.change, case.repository, written_readers(edges or {}), **options)


@pytest.fixture
def shop(repo: Repo) -> ContextMap:
    return mapped(make_case(repo, BEFORE, AFTER), EDGES)


def test_the_map_names_what_the_change_does_to_symbols(shop: ContextMap) -> None:
    named = {(one.fate, (one.head or one.base).qualified) for one in shop.symbols if one.head or one.base}
    assert named >= {("signature_changed", "total"), ("removed", "gone")}


def test_related_files_are_ranked_and_neighbours_are_not_among_them(shop: ContextMap) -> None:
    assert [file.path for file in shop.related_files] == [
        "shop/checkout.py",
        "tests/test_prices.py",
        "docs/guide.md",
        "shop/money.py",
    ]


def test_the_map_knows_the_tests_that_cover_the_change(shop: ContextMap) -> None:
    assert shop.tests == ("tests/test_prices.py",)


def test_imports_and_importers_are_in_the_map(shop: ContextMap) -> None:
    assert [one.target for one in shop.imports] == ["shop/money.py"]
    assert [one.path for one in shop.importers] == ["shop/checkout.py", "tests/test_prices.py"]


def test_the_map_says_who_wrote_the_replaced_lines(shop: ContextMap) -> None:
    assert {origin.summary for origin in shop.origins} == {"Before"}


def test_who_calls_a_class_uses_its_changed_constructor(repo: Repo) -> None:
    text = "class Cart:\n    def __init__(self):\n        self.items = []\n"
    caller = "from cart import Cart\n\nCart()\n"
    before = {"cart.py": text, "caller.py": caller, "other.py": "class Other:\n    def __init__(self): ...\n"}
    case = make_case(repo, before, {"cart.py": text.replace("__init__(self)", "__init__(self, owner)")})
    found = mapped(case, {"caller.py": ["cart.py"]})
    assert [(file.path, file.symbols) for file in found.related_files] == [("caller.py", ("Cart",))]


def test_who_calls_a_class_is_not_hit_by_a_change_within_its_method(repo: Repo) -> None:
    text = "class Cart:\n    def pay(self):\n        return 1\n"
    before = {"cart.py": text, "caller.py": "from cart import Cart\n\nCart()\n"}
    found = mapped(make_case(repo, before, {"cart.py": text.replace("return 1", "return 2")}))
    assert found.references == ()


def test_importers_of_a_deleted_file_are_found_at_base(repo: Repo) -> None:
    before = {"a.py": "import b\n", "b.py": "X = 1\n"}
    found = mapped(make_case(repo, before, {"b.py": None}), {"a.py": ["b.py"]})
    assert [file.path for file in found.related_files] == ["a.py"]


def test_a_test_that_is_part_of_the_change_covers_it_but_is_not_related(repo: Repo) -> None:
    files = {"prices.py": "def total():\n    return 1\n", "test_prices.py": "import prices\n"}
    case = make_case(repo, files, {path: text + "# more\n" for path, text in files.items()})
    found = mapped(case, {"test_prices.py": ["prices.py"]})
    assert found.tests == ("test_prices.py",)
    assert found.related_files == ()


def test_a_change_of_binary_and_odd_files_has_a_map(repo: Repo) -> None:
    before = {"logo.png": b"\0\1", "a\\Eb/c.py": "X = 1\n", "x y/'z'.md": "see a\n", "readme.md": "a\n"}
    after = {"logo.png": b"\0\2", "a\\Eb/c.py": "X = 2\n", "x y/'z'.md": "see b\n"}
    assert mapped(make_case(repo, before, after)).left_out == (
        "names shorter than 3 letters were not searched for",
    )


def test_the_limits_of_the_caller_are_kept_and_said(repo: Repo) -> None:
    callers = {f"c{number}.py": "from prices import total\n\ntotal()\n" for number in range(5)}
    before = {"prices.py": "def total():\n    return 1\n", **callers}
    case = make_case(repo, before, {"prices.py": "def total(tax):\n    return 1\n"})
    found = mapped(case, {path: ["prices.py"] for path in callers}, max_files=2)
    assert [file.path for file in found.related_files] == ["c0.py", "c1.py"]
    assert found.left_out == ("3 more related files do not fit into 2 files: c2.py, c3.py, c4.py",)


def test_bases_are_related_and_what_serves_tests_is_no_test(repo: Repo) -> None:
    before = {
        "web/__init__.py": "from web.views import View\n",
        "web/views.py": "class View: ...\n",
        "app.py": "from web import View\n\n\nclass Page(View):\n    def show(self): ...\n",
        "tests/pages.py": "from app import Page\n\n\nPAGE = Page()\n",
        "tests/checks.py": "from app import Page\n\n\ndef test_page():\n    Page()\n",
    }
    changed = before["app.py"].replace("class Page(View):", "class Page(View, object):")
    case = make_case(repo, before, {"app.py": changed})
    with case.repository:
        context = gather_context(case.change, case.repository, assemble_readers())
    told = {file.path: {reason.detail for reason in file.reasons} for file in context.related_files}
    assert "defines View, the base of Page in app.py" in told["web/views.py"]
    assert context.tests == ("tests/checks.py",)
    assert "is a test" in told["tests/checks.py"]
    assert "is a test" not in told["tests/pages.py"]


REFERRER = 'class Referrer(Enum):\n    FREQUENCY = "tsdb-modelid:4.alert_event_frequency"\n'


def test_a_file_that_only_a_replaced_text_ties_to_the_change_is_related(repo: Repo) -> None:
    query = "def run(query):\n    query(suffix='alert_event_frequency')\n"
    case = make_case(
        repo,
        {"app.py": query, "referrer.py": REFERRER, "importer.py": "import app\n"},
        {"app.py": query.replace("alert_", "batch_alert_")},
    )
    found = mapped(case, {"importer.py": ["app.py"]})
    assert [file.path for file in found.related_files] == ["referrer.py", "importer.py"]
    [reason] = found.related_files[0].reasons
    assert reason.kind == "shares_text"
    assert reason.detail == "also has the text `alert_event_frequency`, which the change replaces in app.py"
    assert reason.lines == (2,)


def test_the_name_of_a_changed_symbol_in_a_text_is_left_to_its_references(repo: Repo) -> None:
    case = make_case(
        repo,
        {"app.py": "__all__ = []\n", "user.py": "from app import new_total\n\nnew_total()\n"},
        {"app.py": "__all__ = ['new_total']\n\n\ndef new_total():\n    return 1\n"},
    )
    kinds = {reason.kind for file in mapped(case).related_files for reason in file.reasons}
    assert "shares_text" not in kinds


def test_a_use_is_tied_to_the_definition_of_its_own_language(repo: Repo) -> None:
    before = {
        "prices.py": "def discounted(price):\n    return price\n",
        "web/prices.ts": "export function discounted(price: number) {\n  return price;\n}\n",
        "web/cart.ts": "import { discounted } from './prices';\nexport const paid = discounted(1);\n",
    }
    after = {path: before[path].replace("return price", "return price - 1") for path in list(before)[:2]}
    case = make_case(repo, before, after)
    with case.repository:
        context = gather_context(case.change, case.repository, assemble_readers())
    assert {(one.path, one.definition) for one in context.references} == {("web/cart.ts", "web/prices.ts")}
