"""The page where others were before: their marks, their reviews of the same change, findings in groups."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from affidavit.records.change import FileChange
from affidavit.records.diagnostics import Reason
from affidavit.records.measure import Quality, ReviewPoint
from affidavit.records.report import Gap, Report
from affidavit.render.view import view_of
from page_server import ME, Api, summary
from page_visits import Visited, visiting
from reports import a_candidate, a_change, a_file, a_finding, a_hunk, a_quote, a_report, a_withheld
from reports import an_impact_candidate as an_impact

LABELS = "/api/review/r1/labels"
ROWS = """all => all.map((element) => {
  const range = document.createRange();
  range.selectNodeContents(element);
  return new Set([...range.getClientRects()].map((part) => part.top)).size;
})"""
TOP = "element => element.getBoundingClientRect().top"


def marked(finding: str, label: str, by: str) -> dict[str, Any]:
    entry = {"finding_id": finding, "label": label, "by": by, "at": "2026-01-01T00:00:00Z"}
    return {"labels": [{"fingerprint": "", "why": "", "elsewhere": None, **entry}]}


def a_long_file(path: str = "shop/cart.py") -> FileChange:
    return a_file(path, a_hunk(*[f"{'+-'[number % 2]}line {number}" for number in range(400)]))


def grouped() -> Report:
    """A finding with three further places, two of them outside the diff, and an effect that nobody judged."""
    leader = a_candidate(1, finding=a_finding(id="f1", line=12))

    def under(number: int, line: int, **fields: Any) -> Any:
        finding = a_finding(id=f"f{number}", line=line, **fields.pop("finding", {}))
        quote = a_quote(file=finding.file, start=line, end=line)
        known = {"finding": finding, "quote": quote, "fingerprint": str(number), **fields}
        return a_withheld(number, Reason.DUPLICATE_OF, leader.id, **known)

    effect = under(
        4,
        9,
        specialist="logic",
        kind="model",
        judgements=(),
        finding={"file": "shop/prices.py", "rule_id": None, "title": "The price is `None`"},
    )
    elsewhere = under(5, 7, finding={"file": "shop/tills.py", "rule_id": "ruff/other"})
    places = (under(2, 190), under(3, 900), elsewhere)
    return a_report(leader, *places, effect, change=a_change([a_long_file()]))


@pytest.fixture
def page(visit: Visited) -> Page:
    return visit.page


def test_the_key_of_a_mark_that_somebody_else_set_takes_nothing_away(
    visit: Visited, api: Api, page: Page
) -> None:
    api.show(a_report(a_candidate(1)))
    api.answers[LABELS] = marked("ruff:1", "valid", "ada")
    visit.open("/review/r1")
    expect(page.locator(".card .whose")).to_contain_text("by ada, ")
    page.keyboard.press("j")
    page.keyboard.press("v")
    page.locator(".card .labels .valid").click()
    expect(page.locator(".card .labels .valid")).to_have_attribute("aria-pressed", "true")
    # What is asked later comes later: nothing was said before this.
    page.keyboard.press("n")
    expect(page.locator(".card .labels .nit")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".card .whose")).to_have_count(0)
    until(page, lambda: len(api.asked) == 1)
    assert [(method, body) for method, _, body in api.asked] == [("PUT", {"label": "nit"})]
    assert visit.barriers() == []
    visit.assert_quiet()


def until(page: Page, holds: Any) -> None:
    """Wait for what happens in the server."""
    for _ in range(400):
        if holds():
            return
        page.wait_for_timeout(50)
    raise AssertionError("it never came to be")


def test_a_mark_that_was_set_meanwhile_is_shown_before_it_is_replaced(
    visit: Visited, api: Api, page: Page
) -> None:
    api.show(a_report(a_candidate(1)))
    visit.open("/review/r1")
    expect(page.locator(".card")).to_be_visible()
    api.answers[LABELS] = marked("ruff:1", "wrong", "ada")
    page.keyboard.press("j")
    page.keyboard.press("v")
    expect(page.get_by_role("alert")).to_contain_text("Marked wrong by ada")
    expect(page.locator(".card .labels .wrong")).to_have_attribute("aria-pressed", "true")
    assert api.asked == []


def test_whoever_may_only_read_sees_whose_mark_it_is_and_no_keys_for_marking(
    visit: Visited, api: Api, page: Page
) -> None:
    api.show(a_report(a_candidate(1)))
    api.answers |= {LABELS: marked("ruff:1", "wrong", "ada"), "/api/me": {**ME, "roles": ["read"]}}
    visit.open("/review/r1")
    expect(page.locator(".card-tools")).to_contain_text("labelled wrong by ada")
    assert page.get_by_role("button", name="Review again").count() == 0
    page.keyboard.press("?")
    expect(page.locator(".keys")).to_contain_text("judge its proof")
    expect(page.locator(".keys")).not_to_contain_text("mark")


def test_the_further_places_of_a_finding_lead_to_their_lines(visit: Visited, api: Api, page: Page) -> None:
    api.show(grouped())
    visit.open("/review/r1")
    card = page.locator(".card", has_text="Also at")
    expect(card).to_contain_text("Also at lines 190, 900")
    expect(card).to_contain_text("The price is None (not verified separately)")
    expect(card.locator("li", has_text="shop/tills.py:7")).to_contain_text("def add(items):")
    card.get_by_role("link", name="190", exact=True).click()
    line = page.locator(".diff-code:focus")
    expect(line).to_be_in_viewport()
    assert line.get_attribute("data-change-key") == "I190"
    expect(page.locator(".guilty .diff-code[data-change-key=I190]")).to_be_visible()
    page.go_back()
    card.get_by_role("link", name="900", exact=True).click()
    expect(page.locator(".withheld-why")).to_contain_text("duplicate of another finding")
    visit.assert_quiet()


def test_a_proof_lists_what_it_stands_for_and_leads_to_the_diff(visit: Visited, api: Api, page: Page) -> None:
    api.show(grouped())
    visit.open("/review/r1")
    page.locator(".proof-line").first.click()
    expect(page.locator(".lead-card")).to_contain_text("Also at lines 190, 900")
    expect(page.locator(".lead-card")).to_contain_text("(not verified separately)")
    page.locator(".lead-card").get_by_role("link", name="190", exact=True).click()
    expect(page.locator(".diff-code:focus")).to_have_attribute("data-change-key", "I190")
    assert visit.barriers() == []


def test_the_cause_of_a_finding_is_a_diff_with_a_line_for_each_line(
    visit: Visited, api: Api, page: Page
) -> None:
    api.show(a_report(an_impact(1)))
    visit.open("/review/r1")
    page.locator(".proof-line").first.click()
    spans = page.locator(".patch span")
    expect(spans).to_have_count(3)
    tops = spans.evaluate_all(f"all => all.map({TOP})")
    assert tops == sorted(set(tops))
    expect(page.locator(".patch .added")).to_have_text("+def price_of(item, currency):")


def incomplete() -> Report:
    gap = Gap(name="verifier", reason="the model did not answer", advice="Review it again.")
    return a_report(a_candidate(1), incomplete=(gap,))


def test_a_review_that_is_incomplete_can_be_asked_for_again(visit: Visited, api: Api, page: Page) -> None:
    api.show(incomplete(), is_incomplete=True)
    second = incomplete().model_copy(update={"incomplete": ()})
    api.answers |= {
        "/api/review/r1/again": {"review_id": "r2", "is_new": True},
        "/api/review/r2/summary": summary("r2", title="The second look"),
        "/api/review/r2/report": second.model_dump(),
        "/api/review/r2/report/view": view_of(second).model_dump(),
        "/api/review/r2/labels": {"labels": []},
    }
    visit.open("/review/r1")
    expect(page.locator(".alarm")).to_contain_text("the model did not answer. Review it again.")
    page.locator(".alarm").get_by_role("button", name="Review again").click()
    page.wait_for_url("**/review/r2")
    assert [(method, path) for method, path, _ in api.asked] == [("POST", "/api/review/r1/again")]
    expect(page.locator(".head-tools").get_by_role("button", name="Review again")).to_be_visible()
    assert page.locator(".was-there").count() == 0


def test_whoever_starts_what_was_reviewed_already_is_told_so(visit: Visited, api: Api, page: Page) -> None:
    api.show(incomplete(), is_incomplete=True)
    api.answers["/api/review"] |= {"review_id": "r1", "is_new": False}
    visit.open("/")
    page.get_by_label("The output of git diff").fill("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n")
    page.get_by_role("button", name="Start the review").click()
    expect(page.locator(".was-there")).to_contain_text("This change was reviewed already, on 1 Jan 2026")
    expect(page.locator(".was-there").get_by_role("button", name="Review again")).to_be_visible()
    assert visit.barriers() == []
    visit.open("/history")
    page.locator(".review-row").click()
    expect(page.locator(".card")).to_be_visible()
    assert page.locator(".was-there").count() == 0


@pytest.mark.parametrize("path", ["/review/nope", "/review/r1/nosuchtab", "/nonsense"])
def test_an_address_that_leads_nowhere_says_so_and_leads_to_the_history(
    visit: Visited, api: Api, page: Page, path: str
) -> None:
    api.show(a_report(a_candidate(1)))
    visit.open(path)
    expect(page.get_by_role("heading", level=1)).to_contain_text("There is no such")
    expect(page.locator("main")).to_contain_text("The address may be cut off")
    page.get_by_role("link", name="Past reviews").click()
    expect(page.get_by_role("heading", name="History")).to_be_visible()


def test_the_header_names_the_repository_as_it_is_registered(visit: Visited, api: Api, page: Page) -> None:
    api.show(a_report(a_candidate(1)), repository="storefront")
    visit.open("/review/r1")
    expect(page.locator(".facts")).to_contain_text("storefront a1b2c3d4..e5f6a7b8")


def test_another_view_leaves_the_finding_where_it_is_and_keeps_the_focus(
    visit: Visited, api: Api, page: Page
) -> None:
    finding = a_finding(id="f1", line=150)
    later = a_finding(id="f2", line=180, title="Another")
    candidates = a_candidate(1, finding=finding), a_candidate(2, finding=later, fingerprint="2")
    api.show(a_report(*candidates, change=a_change([a_long_file("shop/cart.py"), a_long_file("b.py")])))
    visit.open("/review/r1")
    expect(page.locator(".index li")).to_have_count(2)
    page.keyboard.press("j")
    page.keyboard.press("j")
    card = page.locator(".card.current", has_text="Another")
    expect(card).to_be_focused()
    expect(card).to_be_in_viewport()
    before = resting(page, card)
    for view in (".diff-split", ".diff-unified"):
        page.keyboard.press("s")
        expect(page.locator(view).first).to_be_visible()
        expect(card).to_be_focused()
        assert resting(page, card) == pytest.approx(before, abs=3)


def resting(page: Page, element: Locator) -> float:
    """Where it is when it has stood still for a while."""
    places: list[float] = []
    for _ in range(200):
        places.append(round(element.evaluate(TOP)))
        if len(places) > 6 and len(set(places[-6:])) == 1:
            return places[-1]
        page.wait_for_timeout(50)
    raise AssertionError(f"it never rests: {places[-6:]}")


def test_on_a_phone_the_words_of_headings_stay_whole(browser: Browser, visit: Visited, api: Api) -> None:
    title = "The call of `apply_discount` leaves out the required argument `coupon` of the new `customer`"
    api.show(a_report(a_candidate(1, finding=a_finding(id="f1", title=title))))
    point = ReviewPoint(
        report_id="r1", created_at="2026-01-01T00:00:00Z", prompt_version="1", duration_ms=1, candidates=7
    )
    api.answers["/api/quality"] = Quality(reports=1, over_time=(point,)).model_dump()
    with visiting(browser, visit.origin, viewport={"width": 390, "height": 800}) as phone:
        phone.open("/review/r1")
        phone.page.locator(".proof-line").first.click()
        heading = phone.page.locator(".lead-card h1")
        expect(heading).to_contain_text("coupon")
        assert heading.locator("code").evaluate_all(ROWS) == [1, 1, 1]
        assert phone.page.evaluate("document.documentElement.scrollWidth") <= 390
        phone.open("/quality")
        dropped = phone.page.locator(".chart strong", has_text="Dropped")
        expect(dropped).to_be_visible()
        assert dropped.evaluate_all(ROWS) == [1]
