"""The page when things go wrong or go on: a cut line, a review that fails, the next push, a deletion."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Request, expect

from cut_line import line_to
from forge_http import Asked, Fault, RefusedError
from page_house import STARTS_AT_ONE, House
from page_visits import Visited, visiting
from service_process import other_diff


@pytest.fixture
def visit(house: House) -> Iterator[Visited]:
    house.gate.opened.set()
    with visiting(house.browser, house.client.url) as visited:
        yield visited


def test_a_line_that_is_cut_in_mid_review_is_taken_up_without_gap_or_double(house: House) -> None:
    house.gate.opened.clear()
    review_id = house.client.submit(diff_text=other_diff("line.txt"), title="A cut line")
    asked: list[str | None] = []

    def note(request: Request) -> None:
        if request.url.endswith("/stream"):
            asked.append(request.headers.get("last-event-id"))

    with line_to(house.client.url) as line, visiting(house.browser, line.url) as visited:
        page = visited.page
        page.on("request", note)
        visited.open(f"/review/{review_id}")
        expect(page.locator(".stages .active")).to_contain_text("verifier", timeout=90_000)
        seen = page.locator(".sightings li").all_inner_texts()
        workers = page.locator(".workers li").count()
        line.cut()
        expect(page.locator(".ticker")).to_contain_text("connection lost")
        line.mend()
        expect(page.locator(".ticker")).to_contain_text("live")
        assert page.locator(".sightings li").all_inner_texts() == seen
        assert page.locator(".workers li").count() == workers
        line.cut()
        expect(page.locator(".ticker")).to_contain_text("connection lost")
        house.gate.opened.set()
        house.client.finished(review_id)
        line.mend()
        expect(page.locator(".verdict-head")).to_contain_text("Changes requested")
        visited.assert_quiet()
    # It began at the beginning, and then asked only for what it had not heard.
    assert asked[0] is None
    assert all(number is not None and int(number) > 5 for number in asked[1:]), asked


def test_a_failed_pull_request_is_deleted_or_tried_again_and_its_next_push_stands_beside_it(
    house: House, visit: Visited
) -> None:
    page, forge = visit.page, house.forge
    read: list[Asked] = []

    def is_read_again(asked: Asked) -> bool:
        if asked.path.endswith("/pulls/7"):
            read.append(asked)
        return len(read) in (2, 4) and read[-1] is asked

    # Whoever asks for it reads it, and then whoever works on it, who fails the first two times.
    forge.faults.append(Fault(is_read_again, RefusedError(404, "Not Found"), times=2))
    start_request(visit, forge.address.url)
    expect(page.get_by_role("alert")).to_contain_text("could not be finished", timeout=90_000)
    assert visit.barriers() == []
    failed = page.url.rpartition("/")[2]
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete it for good").click()
    page.wait_for_url("**/history")
    assert house.client.get(f"/api/review/{failed}").status == 404
    start_request(visit, forge.address.url)
    expect(page.get_by_role("alert")).to_contain_text("could not be finished", timeout=90_000)
    page.get_by_role("button", name="Try again from there").click()
    expect(page.locator(".verdict-head h1")).to_contain_text("A total with tax", timeout=90_000)
    expect(page.locator(".verdict-head")).to_contain_text("pull/7")
    expect(page.locator(".index")).to_contain_text("`UNKNOWN_RATE` is not defined".replace("`", ""))
    files = {"app.py": STARTS_AT_ONE, "tax.py": "RATE = 0.19\nFEE = UNKNOWN_FEE\n"}
    forge.push(forge.origin.commit("topic", files, "Mend the rate"))
    start_request(visit, forge.address.url)
    expect(page.locator(".verdict-head")).to_be_visible(timeout=90_000)
    page.get_by_role("link", name="Iterations").click()
    expect(page.locator(".iteration-line li")).to_have_count(2)
    expect(page.locator(".group.fixed")).to_contain_text("UNKNOWN_RATE")
    expect(page.locator(".group.open").first).to_contain_text("The total is one too many")
    expect(page.locator(".group.new")).to_contain_text("UNKNOWN_FEE")
    assert visit.barriers() == []
    visit.assert_quiet()


def start_request(visit: Visited, url: str) -> None:
    visit.open("/")
    visit.page.get_by_role("radio", name="A pull request").check(force=True)
    visit.page.get_by_label("Address of the pull or merge request").fill(url)
    visit.page.get_by_role("button", name="Start the review").click()
    visit.page.wait_for_url("**/review/*")


def test_a_finished_review_is_deleted_only_after_a_second_word(house: House, visit: Visited) -> None:
    review_id = house.client.submit(diff_text=other_diff("deleted.txt"))
    house.client.finished(review_id)
    page = visit.page
    visit.open(f"/review/{review_id}")
    expect(page.locator("h1")).to_have_text("app.py and 1 more file")
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_role("dialog")).to_contain_text("Delete this review?")
    assert visit.barriers() == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert house.client.get(f"/api/review/{review_id}").status == 200
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete it for good").click()
    page.wait_for_url("**/history")
    expect(page.locator(f"a[href='/review/{review_id}']")).to_have_count(0)
    assert house.client.get(f"/api/review/{review_id}").status == 404
    visit.assert_quiet()


def test_what_was_cancelled_is_deleted(house: House, visit: Visited) -> None:
    house.gate.opened.clear()
    review_id = house.client.submit(diff_text=other_diff("cancelled-and-deleted.txt"))
    assert house.client.post(f"/api/review/{review_id}/cancel").status == 202
    house.gate.opened.set()
    visit.open(f"/review/{review_id}")
    visit.page.get_by_role("button", name="Delete", exact=True).click()
    visit.page.get_by_role("button", name="Delete it for good").click()
    visit.page.wait_for_url("**/history")
    assert house.client.get(f"/api/review/{review_id}").status == 404
    visit.assert_quiet()
