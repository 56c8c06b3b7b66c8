"""The page with a real server and a scripted model: from the first click to the label, through cuts."""

import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from hostile_page import HOSTILE_DIFF
from page_house import House
from page_visits import Visited, visiting
from service_process import DIFF, other_diff


@pytest.fixture
def visit(house: House) -> Iterator[Visited]:
    house.gate.opened.set()
    with visiting(house.browser, house.client.url, accept_downloads=True) as visited:
        yield visited


@pytest.fixture(scope="module")
def done(house: House) -> str:
    """A completed review with one finding of the model."""
    house.gate.opened.set()
    review_id = house.client.submit(diff_text=DIFF, title="Sum by hand")
    assert house.client.finished(review_id)["status"] == "completed"
    return review_id


def test_an_empty_installation_says_what_to_do_first(house: House, visit: Visited) -> None:
    visit.page.route(
        "**/api/review?limit=5", lambda route: route.fulfill(json={"reviews": [], "next_cursor": None})
    )
    visit.open("/")
    expect(visit.page.get_by_role("heading", name="Nothing has been reviewed here yet")).to_be_visible()
    expect(visit.page.get_by_role("button", name="Review the sample change")).to_be_visible()
    visit.assert_quiet()


def test_a_review_is_started_watched_reloaded_and_read(house: House, visit: Visited) -> None:
    house.gate.opened.clear()
    page = visit.page
    visit.open("/")
    page.get_by_label("The output of git diff").fill(other_diff("watched.txt"))
    page.get_by_label("Title").fill("Watched to its end")
    page.get_by_role("button", name="What would it cost?").click()
    expect(page.locator(".estimate")).to_contain_text("token", timeout=90_000)
    page.get_by_role("button", name="Start the review").click()
    page.wait_for_url("**/review/*")
    expect(page.locator(".stages .active")).to_contain_text("verifier", timeout=90_000)
    expect(page.locator(".sightings")).to_contain_text("The total is one too many")
    expect(page.locator(".sightings .badge").first).to_have_text("high")
    expect(page.locator(".sightings .status").first).to_contain_text("being verified")
    expect(page.locator(".ticker")).to_contain_text("Findings so far")
    expect(page.locator(".ticker")).to_contain_text("live")
    page.reload()
    expect(page.locator(".stages .active")).to_contain_text("verifier")
    expect(page.locator(".sightings")).to_contain_text("The total is one too many")
    assert visit.barriers() == []
    house.gate.opened.set()
    expect(page.locator(".verdict-head")).to_contain_text("Changes requested", timeout=90_000)
    expect(page.locator(".card").first).to_contain_text("The total is one too many")
    visit.assert_quiet()


def test_a_lost_connection_is_said_and_nothing_is_missed(house: House, visit: Visited) -> None:
    house.gate.opened.clear()
    review_id = house.client.submit(diff_text=other_diff("cut.txt"), title="Cut off")
    page = visit.page
    cut = threading.Event()
    page.route("**/stream", lambda route: route.abort() if cut.is_set() else route.continue_())
    visit.open(f"/review/{review_id}")
    expect(page.locator(".stages .active")).to_contain_text("verifier", timeout=90_000)
    cut.set()
    page.reload()
    expect(page.locator(".ticker")).to_contain_text("connection lost")
    house.gate.opened.set()
    house.client.finished(review_id)
    cut.clear()
    expect(page.locator(".verdict-head")).to_be_visible()
    visit.assert_quiet()


def test_a_review_is_cancelled_and_goes_on_when_it_is_tried_again(house: House, visit: Visited) -> None:
    house.gate.opened.clear()
    review_id = house.client.submit(diff_text=other_diff("cancelled.txt"), title="To be cancelled")
    visit.open(f"/review/{review_id}")
    page = visit.page
    expect(page.locator(".stages .active")).to_contain_text("verifier", timeout=90_000)
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".stopped[role=status]")).to_contain_text("Cancelled by local")
    assert house.client.finished(review_id)["status"] == "cancelled"
    expect(page.locator(".stages .stopped")).to_contain_text("verifier")
    expect(page.locator(".workers .cut")).to_contain_text("cut off before it had finished")
    expect(page.locator(".sightings .status").first).to_contain_text("not verified")
    assert page.locator(".stages .failed, main [role=alert]").count() == 0
    page.reload()
    expect(page.locator(".stopped[role=status]")).to_contain_text("Cancelled by local")
    assert visit.barriers() == []
    house.gate.opened.set()
    page.get_by_role("button", name="Try again from there").click()
    expect(page.locator(".verdict-head")).to_be_visible(timeout=90_000)
    visit.assert_quiet()


def test_a_proof_is_judged_rechecked_and_labelled(house: House, visit: Visited, done: str) -> None:
    visit.open(f"/review/{done}")
    page = visit.page
    page.locator(".card", has_text="The total is one too many").first.locator(".proof-line").click()
    expect(page.locator(".code").first).to_contain_text("for value in values")
    expect(page.locator(".judgements")).to_contain_text("app.py:2 starts at 1")
    page.get_by_role("button", name="Run the proof again").click()
    expect(page.locator(".proving")).to_contain_text("Proving this finding")
    expect(page.locator(".outcome")).to_contain_text("The proof of this finding holds", timeout=90_000)
    expect(page.locator(".proofs .holds", has_text="The quote")).to_contain_text("app.py:2-2 at head")
    page.get_by_role("button", name="Prove the whole report again").click()
    expect(page.locator(".outcome").nth(1)).to_contain_text("The whole report holds", timeout=90_000)
    page.locator("h1").first.click()
    with page.expect_response("**/label"):
        page.keyboard.press("v")
    expect(page.locator(".labels .valid")).to_have_attribute("aria-pressed", "true")
    labels = house.client.get(f"/api/review/{done}/labels").json["labels"]
    assert [one["label"] for one in labels] == ["valid"]
    assert visit.barriers() == []
    visit.open("/quality")
    expect(page.locator(".rate").first).to_contain_text("0%")
    visit.assert_quiet()


def test_a_report_is_exported_in_every_format(
    house: House, visit: Visited, done: str, tmp_path: Path
) -> None:
    formats = house.client.get("/api/me").json["formats"]
    page = visit.page
    sizes = {}
    for name in formats:
        # On a busy machine a click is forgotten before its file comes; a second one is then held back.
        visit.open(f"/review/{done}")
        page.locator(".menu").evaluate("menu => { menu.open = true; }")
        with page.expect_download() as waiting:
            page.locator(".menu").get_by_role("button", name=re.compile(f"^{name}\\b")).first.click()
        saved = tmp_path / name
        waiting.value.save_as(saved)
        sizes[name] = saved.stat().st_size
    assert sizes.keys() == set(formats)
    expect(page.locator(".menu li small")).to_have_count(len(formats))
    assert min(sizes.values()) > 50, sizes
    report = json.loads((tmp_path / "report").read_text())
    assert report["id"] == done
    visit.assert_quiet()


def test_no_page_has_a_barrier_or_an_error_in_either_theme(house: House, visit: Visited, done: str) -> None:
    cancelled = house.client.submit(diff_text=other_diff("barriers.txt"), title="Cancelled")
    house.client.post(f"/api/review/{cancelled}/cancel")
    parts = ("", "/withheld", "/map", "/iterations", "/account")
    paths = ["/", "/history", "/quality", "/nowhere", f"/review/{cancelled}"]
    paths += [f"/review/{done}{part}" for part in parts]
    found: list[str] = []

    def look() -> None:
        for theme in ("dark", "light"):
            page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
            found.extend(visit.barriers())

    page = visit.page
    for path in paths:
        visit.open(path)
        page.wait_for_selector("h1")
        expect(page.locator(".waiting")).to_have_count(0)
        look()
    visit.open(f"/review/{done}")
    page.locator(".proof-line").first.click()
    page.wait_for_selector(".proof-page .code")
    look()
    visit.assert_quiet()
    assert found == []


def test_markdown_is_copied(house: House, done: str) -> None:
    rights = ["clipboard-read", "clipboard-write"]
    with visiting(house.browser, house.client.url, permissions=rights) as visited:
        visited.open(f"/review/{done}")
        visited.page.get_by_role("button", name="Copy as markdown").click()
        expect(visited.page.locator(".exports")).to_contain_text("Copied")
        assert "The total is one too many" in visited.page.evaluate("navigator.clipboard.readText()")


def test_the_history_is_searched(house: House, visit: Visited, done: str) -> None:
    visit.open("/history")
    expect(visit.page.locator(".review-row", has_text="Sum by hand")).to_be_visible()
    visit.page.get_by_role("searchbox").fill("no such title")
    expect(visit.page.get_by_text("No review fits.")).to_be_visible()
    visit.page.get_by_role("searchbox").fill("Sum by")
    visit.page.locator(".review-row", has_text="Sum by hand").click()
    visit.page.wait_for_url(f"**/review/{done}")
    visit.assert_quiet()


def test_a_repository_is_reviewed_and_its_map_is_walked_to_the_line(house: House, visit: Visited) -> None:
    page = visit.page
    visit.open("/")
    page.get_by_role("radio", name="A repository").check(force=True)
    page.get_by_role("combobox", name="Repository").select_option("shop")
    page.get_by_label("Before (base)").fill("before")
    page.get_by_label("After (head)").fill("main")
    expect(page.locator("datalist option[value=before]")).to_be_attached()
    page.get_by_role("button", name="Start the review").click()
    expect(page.locator(".verdict-head")).to_be_visible(timeout=90_000)
    impact = page.locator(".a-card", has_text="outside the change").first
    expect(impact).to_contain_text("bill.py")
    expect(page.locator(".a-untouched")).to_contain_text("not changed")
    page.get_by_role("link", name="Map").click()
    page.locator(".box", has_text="bill.py").click(timeout=90_000)
    page.locator(".box.line", has_text="return total(values)").click()
    expect(page.locator(".code")).to_contain_text("def bill(values)")
    assert visit.barriers() == []
    visit.assert_quiet()


def test_a_hostile_diff_is_reviewed_and_shown_as_text(house: House, visit: Visited) -> None:
    review_id = house.client.submit(
        diff_text=HOSTILE_DIFF, title='"><script>alert(1)</script><img src=x onerror=alert(2)>'
    )
    house.client.finished(review_id)
    page = visit.page
    for part in ("", "/withheld", "/account", "/map"):
        visit.open(f"/review/{review_id}{part}")
        expect(page.locator("h1")).to_contain_text("<script>alert(1)</script>")
    visit.open(f"/review/{review_id}")
    expect(page.locator("table.diff").first).to_contain_text("<img src=x onerror=alert(3)>")
    expect(page.locator(".file-head").first).to_contain_text("<svg onload=alert(4)>")
    assert page.locator("main script, main img, main iframe, main object").count() == 0
    visit.assert_quiet()


def test_something_wrong_is_refused_with_what_to_do(visit: Visited) -> None:
    visit.open("/")
    page = visit.page
    page.get_by_role("button", name="Start the review").click()
    expect(page.get_by_role("alert")).to_contain_text("Paste a diff")
    page.get_by_label("The output of git diff").fill("this is no diff")
    page.get_by_role("button", name="Start the review").click()
    expect(page.get_by_role("alert")).to_contain_text("diff")
