"""The page for whoever comes by a link or uses no mouse: where the focus is, where an address leads."""

import time

from playwright.sync_api import Page, Request, Route, expect

from affidavit.records.candidate import Status
from affidavit.records.evidence import DependencyCheck
from affidavit.records.program_runs import ProbeRun, Program, ProgramRun, TrialStep, trial_of
from affidavit.records.report import BehaviourRow, Inputs, Reply
from page_server import Api, summary
from page_visits import Visited
from reports import a_candidate, a_finding, a_full_report, a_map, a_report, a_verification

ANCHOR = "finding-3f9a1c0be2d4"
PATCH = "--- a/shop/cart.py\n+++ b/shop/cart.py\n@@ -10,2 +10,3 @@\n def add(items):\n+    total = 0\n"


def has_focus(page: Page, selector: str) -> None:
    """Wait until the focus is on what a selector names."""
    page.wait_for_function("one => document.activeElement?.matches(one)", arg=selector)


def test_from_the_moment_a_deletion_is_sent_nothing_of_it_is_asked_for(visit: Visited, api: Api) -> None:
    api.show(a_full_report())
    row = summary(status="cancelled", reason="cancelled by local", finished_at=None)
    api.answers["/api/review/r1/summary"] = row
    page = visit.page
    asked: list[str] = []

    def note(request: Request) -> None:
        if "/api/review/r1" in request.url and (asked or request.method == "DELETE"):
            asked.append(f"{request.method} {request.url.rpartition('/api')[2]}")

    def hold(route: Route) -> None:
        if route.request.method == "DELETE":
            # Long enough for a stream to come back, whatever it waits first.
            page.wait_for_timeout(1_500)
            route.fulfill(status=204)
        else:
            route.continue_()

    page.route("**/stream", lambda route: route.fulfill(content_type="text/event-stream", body=": hello\n\n"))
    page.route("**/api/review/r1", hold)
    page.on("request", note)
    visit.open("/review/r1")
    expect(page.locator(".ticker")).to_be_visible()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete it for good").click()
    page.wait_for_url("**/history")
    page.go_back()
    expect(page.get_by_role("heading", name="This review was deleted")).to_be_visible()
    assert asked == ["DELETE /review/r1"]
    visit.assert_quiet()


def test_a_review_that_is_kept_after_all_is_followed_again(visit: Visited, api: Api) -> None:
    api.show(a_full_report())
    api.answers["/api/review/r1/summary"] = summary(status="cancelled", reason="cancelled by local")
    page = visit.page
    told: list[float] = []
    refused: list[float] = []

    def tell(route: Route) -> None:
        told.append(time.monotonic())
        route.fulfill(content_type="text/event-stream", body=": hello\n\n")

    def refuse(route: Route) -> None:
        refused.append(time.monotonic())
        route.fulfill(status=409, json={"title": "Conflict", "detail": "it is still being worked on"})

    page.route("**/stream", tell)
    page.route("**/api/review/r1", refuse)
    visit.open("/review/r1")
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete it for good").click()
    expect(page.get_by_role("alert").last).to_contain_text("It is still being worked on.")
    with page.expect_response("**/stream"):
        pass
    assert told[-1] > refused[0]


def test_the_focus_comes_back_from_a_dialog_and_goes_along_to_another_page(visit: Visited, api: Api) -> None:
    api.show(a_full_report())
    page = visit.page
    visit.open("/review/r1")
    page.wait_for_selector(".card")
    for name, way_out in (("Keys", "Close"), ("Delete", "Keep it")):
        page.get_by_role("button", name=name, exact=True).focus()
        page.keyboard.press("Enter")
        page.get_by_role("dialog").get_by_role("button", name=way_out).press("Enter")
        page.get_by_role("dialog").wait_for(state="detached")
        expect(page.get_by_role("button", name=name, exact=True)).to_be_focused()
    page.locator(".proof-line").last.press("Enter")
    page.wait_for_selector(".proof-page")
    has_focus(page, "main")
    assert page.evaluate("window.scrollY") == 0
    forward = page.get_by_role("button", name="Next")
    forward.press("Enter")
    # Whoever reads one proof after another presses the same key again.
    expect(forward).to_be_focused()
    page.keyboard.press("Escape")
    has_focus(page, "article.card.current")
    page.get_by_role("link", name="History").press("Enter")
    page.wait_for_url("**/history")
    has_focus(page, "main")
    visit.assert_quiet()


def test_whoever_signs_in_begins_with_the_token_and_goes_on_in_the_page(visit: Visited, api: Api) -> None:
    api.show(a_full_report())
    api.token = "aff_right"
    visit.open(f"/review/r1#{ANCHOR}--2")
    has_focus(visit.page, "input[type=password]")
    visit.page.keyboard.type("aff_right")
    visit.page.keyboard.press("Enter")
    has_focus(visit.page, f"#{ANCHOR}--2.current")
    assert visit.page.locator("input[type=password]").count() == 0


LEADS_TO = {
    f"#{ANCHOR}--3": f"#{ANCHOR}--3.current",
    f"?specialist=logic#{ANCHOR}": f"#{ANCHOR}.current",
    f"#{ANCHOR}--5": ".proof-page .withheld-why",
    "#finding-of-another-review": "text=no finding at that address",
    "#finding-%C": "text=no finding at that address",
    "?severity=low": ".position:has-text('of 1 finding')",
    "/withheld?reason=nit": ".chip[aria-pressed=true]:has-text('too small to act on')",
    "/finding/nothing": "h1:has-text('No such finding')",
}


def test_an_address_that_is_opened_fresh_leads_to_what_it_names(visit: Visited, api: Api) -> None:
    api.show(a_full_report())
    for address, selector in LEADS_TO.items():
        visit.page.goto("about:blank")
        visit.open(f"/review/r1{address}")
        expect(visit.page.locator(selector).first, address).to_be_in_viewport()
    visit.elsewhere.clear()
    visit.assert_quiet()


def test_filters_of_the_history_are_in_its_address(visit: Visited, api: Api) -> None:
    api.show(a_full_report())
    with visit.page.expect_request("**/api/review?*status=failed*"):
        visit.open("/history?status=failed&search=prices")
    expect(visit.page.get_by_role("searchbox")).to_have_value("prices")
    expect(visit.page.locator("select").first).to_have_value("failed")


def test_a_proof_has_the_code_of_packages_and_its_patch_with_what_was_tried(visit: Visited, api: Api) -> None:
    quotes = (
        DependencyCheck(
            outcome="exact",
            package="money",
            version="1.2",
            file="money/core.py",
            sha256="a" * 64,
            start=7,
            end=8,
            code="def add(<b>left</b>, right):\n    return left\n",
        ),
        DependencyCheck(
            outcome="not_here", package="tax", version="3", file="tax/a.py", sha256="b" * 64, detail="gone"
        ),
    )
    trial = trial_of(
        [
            TrialStep(name="applies", passed=True, detail=""),
            TrialStep(name="tests", passed=False, detail="1 failed"),
            TrialStep(name="reproduction", passed=None, detail="none is declared"),
        ]
    )
    finding = a_finding(verification=a_verification(patch=PATCH))
    api.show(a_report(a_candidate(1, finding=finding, dependency_quotes=quotes, patch_trial=trial)))
    visit.open(f"/review/r1/finding/{ANCHOR}")
    page = visit.page
    packages = page.locator("section.sheet", has=page.get_by_role("heading", name="Code of packages"))
    expect(packages.get_by_role("region", name="money 1.2").locator(".code tr.guilty")).to_have_count(2)
    expect(packages).to_contain_text("def add(<b>left</b>, right):")
    expect(packages).to_contain_text("tax/a.py: quotes tax 3 tax/a.py, not verified: it is not here. gone")
    patch = page.locator("section.sheet", has=page.get_by_role("heading", name="Patch"))
    expect(patch).to_contain_text("Patch (tried, failed)")
    expect(patch.locator("li")).to_have_text(
        ["passed: applies", "failed: tests: 1 failed", "not tried: reproduction: none is declared"]
    )
    expect(patch.locator("pre .added")).to_have_text(["+    total = 0\n"])
    expect(patch.locator("pre .meta").first).to_have_text("--- a/shop/cart.py\n")
    assert visit.barriers() == []
    visit.assert_quiet()


def test_what_one_changed_file_uses_of_another_is_drawn_and_can_be_walked(visit: Visited, api: Api) -> None:
    api.show(a_full_report())
    api.answers["/api/review/r1/map"] = a_map(users=("shop/cart.py",)).model_dump()
    visit.open("/review/r1/map")
    page = visit.page
    expect(page.locator(".canvas path.tie-uses")).to_have_count(1)
    prices = page.locator(".box.changed", has_text="prices.py")
    expect(prices).to_contain_text("0 dependants outside the change, 1 in it")
    prices.click()
    page.locator(".box:not(.changed)", has_text="cart.py").click()
    page.locator(".box.line", has_text="return price_of(item)").click()
    expect(page.get_by_role("region", name="Line 41 of shop/cart.py")).to_be_visible()
    ties = page.get_by_role("group", name="Ties")
    ties.get_by_role("button", name="uses it").click()
    expect(page.locator(".canvas path.tie-imports")).to_have_count(4)
    ties.get_by_role("button", name="imports it").click()
    expect(page.locator(".canvas path")).to_have_count(0)
    assert visit.barriers() == []
    visit.assert_quiet()


def test_what_probes_showed_is_in_the_account(visit: Visited, api: Api) -> None:
    def run(side: str, output: str) -> ProgramRun:
        return ProgramRun(side=side, state="exited", exit_code=0, output=output)  # type: ignore[arg-type]

    probe = ProbeRun(
        name="an empty cart",
        program=Program(language="python", text="print(add([]))"),
        base=(run("base", "0"),),
        head=(run("head", "None"),),
    )
    reply = Reply(specialist="experimenter", kind="model", text=None, probes=(probe,))
    rows = (
        BehaviourRow(specialist="experimenter", name="a full cart", state="alike"),
        BehaviourRow(specialist="experimenter", name="an empty cart", state="differs"),
    )
    report = a_report(a_candidate(1, status=Status.LIKELY), behaviour=rows, inputs=Inputs(replies=(reply,)))
    api.show(report)
    visit.open("/review/r1/account")
    block = visit.page.get_by_role("region", name="Behaviour compared")
    expect(block).to_contain_text(
        "2 programs run before and after the change: 1 alike, 1 differs unexplained."
    )
    expect(block.locator("summary").first).to_have_text("differs unexplained: an empty cart")
    block.locator("summary").first.click()
    expect(block.get_by_role("region", name="After the change").locator("pre")).to_have_text("| None")
    assert visit.barriers() == []
