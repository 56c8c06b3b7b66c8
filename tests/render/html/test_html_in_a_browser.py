"""The page in a real browser: quiet with a hostile diff in it, usable by keyboard and without scripts."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from affidavit.records.report import Report
from affidavit.render.html.page import render_html
from browser import Watched, watch
from hostile_everywhere import PIECES, report_of
from reports import a_full_report

Open = Callable[..., Watched]


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Write a report as a page and open it in a fresh profile."""
    contexts = []

    def open_page(report: Report, fragment: str = "", **options: object) -> Watched:
        file = tmp_path / "report.html"
        file.write_text(render_html(report), encoding="utf-8")
        context = browser.new_context(**options)  # type: ignore[arg-type]
        contexts.append(context)
        return watch(context.new_page(), file, fragment)

    yield open_page
    for context in contexts:
        context.close()


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.id"))


def paper(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_a_hostile_diff_does_nothing_and_is_read(show: Open) -> None:
    everything = "".join(piece for piece in PIECES if piece not in ("\n", "\r"))
    watched = show(report_of(everything))
    page = watched.page
    for fold in page.locator("details").all():
        fold.evaluate("fold => { fold.open = true; }")
    page.mouse.move(200, 300)
    for key in "jjkpfft":
        page.keyboard.press(key)
    page.wait_for_timeout(200)
    watched.assert_quiet()
    assert page.locator("script").count() == 1
    assert page.locator("img, svg, iframe, object, embed, form, link, base").count() == 0
    assert page.locator("section:not([aria-labelledby=withheld]) .card").count() == 4
    assert all(card.is_visible() for card in page.locator(".card").all())
    assert "<script>alert(1)</script>" in page.locator(".card").first.inner_text()
    assert "{{ 7 * 7 }}" in page.locator("h1").inner_text()
    assert "<U+202E>" in page.locator("table.diff").first.inner_text()


@pytest.mark.parametrize("piece", [piece for piece in PIECES if "alert" in piece or "</" in piece])
def test_each_attack_alone_does_nothing(show: Open, piece: str) -> None:
    watched = show(report_of(piece))
    watched.page.keyboard.press("j")
    watched.assert_quiet()


def test_keys_walk_through_the_findings(show: Open) -> None:
    watched = show(a_full_report())
    page = watched.page
    seen = []
    for _ in range(4):
        page.keyboard.press("j")
        seen.append(focused(page))
        assert page.url.endswith(f"#{seen[-1]}")
    assert len(set(seen)) == 4
    assert page.locator(".position").inner_text() == "4 of 4"
    page.keyboard.press("k")
    assert focused(page) == seen[2]
    proof = page.locator(f"#{seen[2]} .proof")
    page.keyboard.press("p")
    assert proof.evaluate("fold => fold.open") is True
    watched.assert_quiet()


def test_buttons_do_what_the_keys_do(show: Open) -> None:
    page = show(a_full_report()).page
    page.get_by_role("button", name="Next").click()
    assert focused(page).startswith("finding-")
    page.get_by_role("button", name="Files").click()
    assert page.locator("details.file:not([open])").count() == 0


def test_an_address_with_a_fingerprint_opens_its_finding(show: Open) -> None:
    page = show(a_full_report(), "#finding-3f9a1c0be2d4-4").page
    assert page.locator("#finding-3f9a1c0be2d4-4 .prose").first.is_visible()
    assert focused(page) == "finding-3f9a1c0be2d4-4"


def test_light_and_dark_follow_the_system_until_switched(show: Open) -> None:
    light = paper(show(a_full_report(), color_scheme="light").page)
    page = show(a_full_report(), color_scheme="dark").page
    dark = paper(page)
    assert light != dark
    page.get_by_role("button", name="Theme").click()
    assert paper(page) == light
    page.reload()
    assert paper(page) == light


def test_without_scripts_every_finding_is_read_and_no_dead_button_is_shown(show: Open) -> None:
    page = show(a_full_report(), java_script_enabled=False).page
    assert page.get_by_text("is not defined").first.is_visible()
    assert page.get_by_role("button").count() == 0
    page.locator(".proof > summary").first.click()
    assert page.get_by_text("quote found in the commit, at billing/invoice.py:41").is_visible()


@pytest.mark.parametrize("width", [320, 768])
def test_a_narrow_screen_needs_no_scrolling_to_the_side(show: Open, width: int) -> None:
    for report in (a_full_report(), report_of("x" * 3_000 + "<b>" + "y z" * 500)):
        page = show(report, viewport={"width": width, "height": 700}).page
        assert page.evaluate("document.scrollingElement.scrollWidth") <= width


def test_in_print_the_proof_is_open_and_the_tools_are_gone(show: Open) -> None:
    page = show(a_full_report()).page
    page.emulate_media(media="print")
    assert page.get_by_text("quote found in the commit, at billing/invoice.py:41").is_visible()
    assert not page.get_by_role("button", name="Next").is_visible()
    assert page.pdf().startswith(b"%PDF")
