"""The page of a map in a real browser: quiet whatever the change holds, and usable with keys alone."""

from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="no browser to drive here: playwright is not installed")

from context_maps import a_map, a_mapped_change, a_symbol, related
from playwright.sync_api import Browser

from affidavit.context.view.page import render_context_page
from affidavit.records.change import Change
from affidavit.records.context import ContextMap, SymbolChange
from browser import watch
from reports import a_change, a_file, a_hunk

ATTACK = "\"'><script>alert(1)</script><img src=x onerror=alert(1)></svg><a href='javascript:alert(1)'>x"


def written(folder: Path, change: Change, context: ContextMap) -> Path:
    page = folder / "map.html"
    page.write_text(render_context_page(change, context))
    return page


def test_a_hostile_change_runs_nothing_and_loads_nothing(browser: Browser, tmp_path: Path) -> None:
    change = a_change(files=[a_file(ATTACK, a_hunk("+x"))], title=ATTACK)
    change = change.model_copy(update={"description": ATTACK})
    removed = SymbolChange(fate="removed", base=a_symbol(ATTACK, path=ATTACK, signature=ATTACK))
    context = a_map(
        symbols=(removed,), related_files=(related("r" + ATTACK, ("calls", ATTACK)),), left_out=(ATTACK,)
    )
    page = browser.new_page()
    watched = watch(page, written(tmp_path, change, context))
    for link in page.locator("svg a").all():
        link.click()
    assert page.locator("h1").inner_text() == ATTACK
    watched.assert_quiet()
    page.close()


def test_the_arrow_keys_walk_along_the_ties_and_light_them(browser: Browser, tmp_path: Path) -> None:
    page = browser.new_page()
    watched = watch(page, written(tmp_path, a_mapped_change(), a_map()))
    page.locator("svg a", has_text="checkout.py").focus()
    assert page.locator(".tie.lit").count() == 1
    page.keyboard.press("ArrowRight")
    assert "prices.py" in page.evaluate("document.activeElement.textContent")
    assert page.locator(".tie.lit").count() == 6
    page.keyboard.press("Enter")
    assert page.locator("li:target .path").first.inner_text() == "shop/prices.py"
    watched.assert_quiet()
    page.close()


def test_the_filter_and_the_kinds_hide_what_is_not_asked_for(browser: Browser, tmp_path: Path) -> None:
    page = browser.new_page()
    watch(page, written(tmp_path, a_mapped_change(), a_map()))
    page.keyboard.press("/")
    page.keyboard.type("prices")
    assert page.locator(".files > li[data-path]:visible").count() == 2
    page.locator("#filter").fill("")
    page.locator("button[data-kind=tests]").click()
    assert page.locator("button[data-kind=tests]").get_attribute("aria-pressed") == "false"
    assert page.locator("li[data-path='tests/test_prices.py']:visible").count() == 0
    page.close()
