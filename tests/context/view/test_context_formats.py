"""The map of a change as text, JSON and a page: complete, and with nothing of the change obeyed."""

import html.parser
import json
import re
from io import StringIO

from context_maps import a_map, a_mapped_change, a_symbol, an_import, related
from hypothesis import given, settings
from rich.console import Console

from affidavit.context.view.as_json import render_context_json
from affidavit.context.view.graph import MAX_BESIDE, MAX_CHANGED, lay_out
from affidavit.context.view.page import render_context_page
from affidavit.context.view.sorted_map import folded_names, reading_order, view_map
from affidavit.context.view.text import render_context
from affidavit.records.change import Change
from affidavit.records.context import ContextMap, SymbolChange
from hostile import hostile_text
from reports import a_change, a_file, a_hunk


def as_text(change: Change, context: ContextMap, encoding: str = "utf-8") -> str:
    page = StringIO()
    render_context(change, context, console=Console(file=page, width=100, color_system=None))
    return page.getvalue()


def test_the_text_answers_every_question_with_its_reason() -> None:
    text = as_text(a_mapped_change(), a_map())
    for wanted in (
        "What it touches",
        "1 shop/prices.py  +1 -1  2 files depend on it",
        "new signature  def total(items, tax)",
        "renamed        old_name → new_name",
        "new            vat",
        "within main",
        "What depends on it",
        "calls total, lines 3, 9",
        "What has the same texts",
        "also has the text `old_rate`, which the change replaces in shop/prices.py, line",
        "Which tests cover it",
        "part of the change: tests/test_new.py",
        "What it depends on",
        "outside the repository: decimal",
        "What usually changes with it",
        "Which documents name it",
        "dddddddd 2025-05-06  Grace: Round down  shop/prices.py:4-5",
        "cccccccc 2026-01-02  Ada: Tax by country",
        "3 more related files do not fit",
    ):
        assert wanted in text


def test_a_change_that_nothing_tests_says_so() -> None:
    assert "none was found" in as_text(a_mapped_change(), ContextMap())
    assert "None was found" in render_context_page(a_mapped_change(), ContextMap())


def test_what_others_of_the_change_import_is_read_first() -> None:
    change = a_change(files=[a_file(path) for path in ("a.py", "b.py", "c.py", "test_a.py")])
    imports = (an_import("a.py", "b.py"), an_import("b.py", "c.py"), an_import("c.py", "a.py"))
    context = ContextMap(imports=(*imports, an_import("test_a.py", "a.py")), tests=("test_a.py",))
    assert [file.path for file in reading_order(change, context)] == ["c.py", "b.py", "a.py", "test_a.py"]


def test_a_chain_of_thousands_of_imports_has_an_order() -> None:
    change = a_change(files=[a_file(f"f{number:04}.py") for number in range(3000)])
    chain = tuple(an_import(f"f{number:04}.py", f"f{number + 1:04}.py") for number in range(2999))
    assert reading_order(change, ContextMap(imports=chain))[0].path == "f2999.py"


def test_a_class_is_not_named_beside_its_changed_member() -> None:
    symbols = [
        SymbolChange(fate="touched", base=a_symbol(name), head=a_symbol(name))
        for name in ("Cart", "Cart.pay", "_private", "free")
    ]
    assert folded_names(symbols, "touched") == ["Cart.pay", "free", "_private"]


def test_a_symbol_that_moved_says_from_where() -> None:
    moved = SymbolChange(fate="renamed", base=a_symbol(path="shop/old.py"), head=a_symbol())
    assert "renamed        total from shop/old.py" in as_text(a_mapped_change(), a_map(symbols=(moved,)))


def test_json_holds_the_header_of_the_change_and_the_whole_map() -> None:
    data = json.loads(render_context_json(a_mapped_change(), a_map()))
    assert ContextMap.model_validate(data["context"]) == a_map()
    assert data["change"]["title"] == "Tax by country"
    assert data["change"]["files"][0] == {
        "path": "shop/prices.py",
        "old_path": None,
        "status": "modified",
        "language": data["change"]["files"][0]["language"],
        "skipped": None,
        "lines_added": 1,
        "lines_removed": 1,
    }


def test_each_tie_of_the_picture_joins_a_related_file_with_its_changed_one() -> None:
    view = view_map(a_mapped_change(), a_map())
    paths = [*(one.path for one in view.changed), *view.links]
    graph = lay_out(view, {path: path for path in paths})
    assert {(line.start.path, line.end.path, line.kind) for line in graph.lines} == {
        ("shop/checkout.py", "shop/prices.py", "uses"),
        ("shop/events.yaml", "shop/prices.py", "texts"),
        ("tests/test_prices.py", "shop/prices.py", "tests"),
        ("shop/prices.py", "docs/tax.md", "documents"),
        ("shop/prices.py", "shop/table.csv", "changes"),
        ("shop/prices.py", "shop/money.py", "imports"),
    }
    assert graph.hidden == 0


def test_boxes_do_not_overlap_and_what_is_too_much_is_counted() -> None:
    change = a_change(files=[a_file(f"f{number}.py", a_hunk("+x")) for number in range(40)])
    files = tuple(related(f"r{number}.py", ("imports", f"imports f{number}.py")) for number in range(50))
    view = view_map(change, ContextMap(related_files=files))
    graph = lay_out(view, {path: path for path in [*(one.path for one in view.changed), *view.links]})
    places = {(box.x, box.y) for box in graph.boxes}
    assert len(places) == len(graph.boxes) == MAX_CHANGED + MAX_BESIDE
    assert graph.hidden == 90 - MAX_CHANGED - MAX_BESIDE
    assert all(0 <= box.y <= graph.height - 46 for box in graph.boxes)


class Tags(html.parser.HTMLParser):
    """Every tag and attribute that a browser would see."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


def tags_of(page: str) -> list[tuple[str, dict[str, str | None]]]:
    tags = Tags()
    tags.feed(page)
    return tags.seen


def test_the_page_loads_nothing_and_its_policy_allows_only_its_own_style_and_script() -> None:
    page = render_context_page(a_mapped_change(), a_map())
    tags = tags_of(page)
    (policy,) = [
        attrs["content"] for _, attrs in tags if attrs.get("http-equiv") == "Content-Security-Policy"
    ]
    assert re.fullmatch(
        r"default-src 'none'; style-src 'sha256-[\w+/=]{44}'; script-src 'sha256-[\w+/=]{44}'; "
        r"base-uri 'none'; form-action 'none'",
        policy or "",
    )
    names = [name for _, attrs in tags for name in attrs]
    assert not {"src", "style", "onclick", "onload", "xlink:href"} & set(names)
    assert all(attrs["href"].startswith("#f") for _, attrs in tags if attrs.get("href"))
    assert "http://" not in page
    assert "https://" not in page


def test_every_box_of_the_picture_leads_to_its_row() -> None:
    tags = tags_of(render_context_page(a_mapped_change(), a_map()))
    rows = {attrs["id"] for tag, attrs in tags if tag == "li" and "id" in attrs}
    links = {attrs["href"] for tag, attrs in tags if tag == "a"}
    assert links == {f"#{row}" for row in rows}
    assert len(rows) == 8


def hostile_map(text: str) -> tuple[Change, ContextMap]:
    path = text or "x"
    change = a_change(files=[a_file(path, a_hunk("+" + path.replace("\n", " ")))], title=text, target=text)
    change = change.model_copy(update={"description": text})
    symbol = a_symbol(text or "x", path=path, signature=text)
    context = a_map(
        symbols=(SymbolChange(fate="removed", base=symbol), SymbolChange(fate="added", head=symbol)),
        related_files=(related("r" + path, ("calls", text), symbols=(text,)),),
        imports=(an_import(path, None, text or "x"),),
        left_out=(text,),
    )
    return change, context


ORDINARY = {tag for tag, _ in tags_of(render_context_page(*hostile_map("plain")))}


@settings(max_examples=60, deadline=None)
@given(text=hostile_text)
def test_nothing_of_a_change_becomes_markup_or_moves_the_cursor(text: str) -> None:
    change, context = hostile_map(text)
    page = render_context_page(change, context)
    tags = tags_of(page)
    assert {tag for tag, _ in tags} <= ORDINARY
    assert [tag for tag, _ in tags].count("script") == 1
    page.encode()
    shown = as_text(change, context)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", shown)
    json.loads(render_context_json(change, context))
