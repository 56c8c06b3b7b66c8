"""The page as one file: it loads nothing, runs only its own script, and no text becomes markup."""

import base64
import hashlib
import json
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from playwright.sync_api import Browser, expect

from affidavit.render.formats import render
from affidavit.render.view import view_of
from browser import watch
from hostile import hostile_text
from hostile_everywhere import PIECES, any_text, report_of
from long_tests import IS_LONG
from reports import a_full_report

TRIED = PIECES if IS_LONG else tuple("".join(PIECES[first::6]) for first in range(6))
"""Each alone takes a minute: that is for long tests. What would run comes before what opens a comment."""
HTTP = re.compile(r"""(?:src|href|action)=["']?https?:""")


@cache
def the_page() -> str:
    return render(a_full_report(), "html")


class Elements(HTMLParser):
    """The elements of a page, with the text of scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.is_open = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        self.texts.append("")
        self.is_open = True

    def handle_endtag(self, _tag: str) -> None:
        self.is_open = False

    def handle_data(self, data: str) -> None:
        if self.is_open:
            self.texts[-1] += data

    def text_of(self, tag: str, **attributes: str) -> str:
        found = [
            text
            for (name, has), text in zip(self.seen, self.texts, strict=True)
            if name == tag and all(has.get(key) == value for key, value in attributes.items())
        ]
        return found[-1]


def source_of(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_the_policy_allows_the_one_script_and_the_one_style_and_nothing_else() -> None:
    elements = Elements(the_page())
    (policy,) = [has["content"] for _, has in elements.seen if has.get("http-equiv")]
    script, style = elements.text_of("script"), elements.text_of("style")
    assert policy == (
        f"default-src 'none'; script-src {source_of(script)}; style-src {source_of(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def test_the_page_names_no_other_host_to_load_from() -> None:
    assert not HTTP.search(the_page().replace(Elements(the_page()).text_of("script"), ""))
    assert len(the_page()) < 800_000


def test_the_report_and_its_view_are_in_the_page() -> None:
    inside = json.loads(Elements(the_page()).text_of("script", id="contents"))
    assert inside["report"]["id"] == a_full_report().id
    assert inside["view"] == json.loads(view_of(a_full_report()).model_dump_json())


@settings(max_examples=40, deadline=None)
@given(text=hostile_text | any_text)
def test_no_text_becomes_markup(text: str) -> None:
    page = render(report_of(text), "html")
    elements = Elements(page)
    assert [tag for tag, _ in elements.seen] == [tag for tag, _ in Elements(the_page()).seen]
    contents = elements.text_of("script", id="contents")
    assert contents.isascii()
    assert not set("<>&") & set(contents)
    json.loads(contents)


@pytest.mark.parametrize("text", TRIED)
def test_the_file_opens_from_disk_and_does_nothing_else(browser: Browser, tmp_path: Path, text: str) -> None:
    file = tmp_path / "report.html"
    file.write_text(render(report_of(text), "html"), encoding="utf-8")
    context = browser.new_context()
    watched = watch(context.new_page(), file, "")
    expect(watched.page.locator("h1")).to_be_visible()
    watched.page.locator(".proof-line").first.click()
    expect(watched.page.locator(".proof-page h1")).to_be_visible()
    watched.assert_quiet()
    context.close()
