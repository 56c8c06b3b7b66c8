"""The map of a change as text and JSON: complete, and with nothing of the change obeyed."""

import json
import re
from io import StringIO

from context_maps import a_map, a_mapped_change, a_symbol, an_import, related
from hypothesis import given, settings
from rich.console import Console

from affidavit.context.view import render_context, render_context_json
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
        "Changed files",
        "shop/prices.py  +1 -1",
        "new signature  total, line 4",
        "renamed        old_name -> new_name, line 4",
        "new            vat",
        "calls total, lines 3, 9",
        "also has the text `old_rate`, which the change replaces in shop/prices.py, lines",
        "Tests that cover it",
        "tests/test_new.py",
        "dddddddd 2025-05-06 Grace: Round down shop/prices.py:4-5",
        "cccccccc 2026-01-02 Ada: Tax by country",
        "3 more related files do not fit",
    ):
        assert wanted in text


def test_a_change_that_nothing_tests_says_so() -> None:
    assert "none was found" in as_text(a_mapped_change(), ContextMap())


def test_a_symbol_that_moved_says_from_where() -> None:
    moved = SymbolChange(fate="renamed", base=a_symbol(path="shop/old.py"), head=a_symbol())
    assert "renamed        total from shop/old.py, line 4" in as_text(
        a_mapped_change(), a_map(symbols=(moved,))
    )


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


@settings(max_examples=60, deadline=None)
@given(text=hostile_text)
def test_nothing_of_a_change_moves_the_cursor(text: str) -> None:
    change, context = hostile_map(text)
    shown = as_text(change, context)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", shown)
    json.loads(render_context_json(change, context))
