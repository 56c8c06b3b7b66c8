"""The page on reports, in a real browser: hostile text stays text, keys and links lead to findings."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from affidavit.records.candidate import Status, Worth
from affidavit.records.evidence import ReproductionCheck
from affidavit.records.lab.measure import Fates, Quality, Rate
from affidavit.records.report import Report
from affidavit.records.run import ProgramRun
from hostile_everywhere import PIECES, report_of
from page_server import Api, page_served, summary
from page_visits import Visited, built_page, visiting
from reports import a_candidate, a_full_report, a_report

QUALITY = Quality(
    reports=3,
    shown=9,
    labelled=4,
    wrong=Rate(count=1, n=4, share=0.25, low=0.05, high=0.7),
    fates=Fates(candidates=12, shown=9, refuted=3, withheld={"refuted": 3}),
)


@pytest.fixture(scope="module")
def served(browser: Browser) -> Iterator[tuple[Browser, str, Api]]:
    """One server and one browser for all of these."""
    with page_served(built_page()) as (origin, api):
        yield browser, origin, api


@pytest.fixture
def visit(served: tuple[Browser, str, Api]) -> Iterator[Visited]:
    browser, origin, api = served
    api.answers.clear()
    api.asked.clear()
    with visiting(browser, origin) as visited:
        yield visited


@pytest.fixture
def api(served: tuple[Browser, str, Api]) -> Api:
    return served[2]


def reproduced() -> Report:
    """A report with a finding that a program shows."""

    def run(side: str, code: int, output: str) -> ProgramRun:
        return ProgramRun(side=side, state="exited", exit_code=code, output=output)  # type: ignore[arg-type]

    check = ReproductionCheck(
        outcome="reproduced",
        base=run("base", 0, "passes"),
        head=(run("head", 1, "it fails"),) * 2,
        sandbox="bubblewrap",
    )
    return a_report(
        a_candidate(1, reproduction=check),
        a_candidate(2, status=Status.LIKELY, specialist="security"),
        a_candidate(3, worth=Worth.MAYBE, folded=True),
    )


def test_a_hostile_report_is_shown_as_text(visit: Visited, api: Api) -> None:
    everything = "".join(piece for piece in PIECES if piece not in ("\n", "\r"))
    api.show(report_of(everything))
    for path in ("/review/r1", "/review/r1/withheld", "/review/r1/account", "/history"):
        visit.open(path)
        visit.page.wait_for_selector("h1")
    visit.open("/review/r1")
    page = visit.page
    page.wait_for_selector(".card")
    for key in "jjksfft":
        page.keyboard.press(key)
    page.wait_for_timeout(300)
    assert "<script>alert(1)</script>" in page.locator(".card .prose").first.inner_text()
    assert "<U+202E>" in page.locator("table.diff").first.inner_text()
    assert (
        page.locator("main script, main iframe, main object, main embed, main link, main base").count() == 0
    )
    assert page.locator("main img").count() == 0
    page.locator(".proof-line").first.click()
    page.wait_for_selector(".proof-page")
    visit.assert_quiet()


@pytest.mark.parametrize("piece", [piece for piece in PIECES if "alert" in piece])
def test_each_attack_alone_does_nothing_on_the_page(visit: Visited, api: Api, piece: str) -> None:
    api.show(report_of(piece))
    visit.open("/review/r1")
    visit.page.wait_for_selector(".card")
    visit.page.keyboard.press("j")
    visit.assert_quiet()


def test_keys_walk_through_the_findings_and_open_their_proof(visit: Visited, api: Api) -> None:
    api.show(a_full_report())
    visit.open("/review/r1")
    page = visit.page
    page.wait_for_selector(".card")
    count = page.locator(".position").inner_text().split()[2]
    seen = []
    for _ in range(int(count)):
        page.keyboard.press("j")
        page.wait_for_timeout(120)
        seen.append(page.url.partition("#")[2])
        assert page.locator(".card.current").get_attribute("id") == seen[-1]
    assert len(set(seen)) == int(count)
    page.keyboard.press("p")
    page.wait_for_url(f"**/finding/{seen[-1]}")
    page.wait_for_selector(".proof-page")
    page.keyboard.press("Escape")
    page.wait_for_url(f"**#{seen[-1]}")
    visit.assert_quiet()


def test_an_address_leads_to_its_finding(visit: Visited, api: Api) -> None:
    api.show(a_full_report())
    visit.open("/review/r1")
    visit.page.wait_for_selector(".card")
    anchors = visit.page.locator(".card").evaluate_all("cards => cards.map(card => card.id)")
    visit.open("/history")
    visit.open(f"/review/r1#{anchors[-1]}")
    visit.page.wait_for_selector(f"#{anchors[-1]}.current")
    assert visit.page.locator(f"#{anchors[-1]}").is_visible()


def test_one_key_labels_a_finding_and_takes_the_label_back(visit: Visited, api: Api) -> None:
    api.show(reproduced())
    visit.open("/review/r1")
    page = visit.page
    page.wait_for_selector(".card")
    page.keyboard.press("j")
    page.keyboard.press("w")
    page.wait_for_selector(".card.current .labels .wrong[aria-pressed=true]")
    page.keyboard.press("w")
    page.wait_for_selector(".card.current .labels .wrong[aria-pressed=false]")
    assert [(method, body) for method, _, body in api.asked] == [
        ("PUT", {"label": "wrong"}),
        ("DELETE", None),
    ]


def test_filters_choose_findings_and_their_files(visit: Visited, api: Api) -> None:
    api.show(reproduced())
    visit.open("/review/r1")
    page = visit.page
    page.wait_for_selector(".card")
    assert "of 3 findings" in page.locator(".position").inner_text()
    page.locator(".filters").get_by_role("button", name="security").last.click()
    page.wait_for_function("document.querySelector('.position').textContent.includes('of 1 finding')")
    page.get_by_role("button", name="Show all").click()
    page.wait_for_function("document.querySelector('.position').textContent.includes('of 3 findings')")


def test_a_reproduction_shows_both_outputs(visit: Visited, api: Api) -> None:
    api.show(reproduced())
    visit.open("/review/r1")
    visit.page.locator(".proof-line").first.click()
    said = visit.page.locator(".sides").inner_text()
    assert "passes" in said
    assert "it fails" in said
    assert "bubblewrap" in visit.page.locator(".proof-page").inner_text()


def test_whoever_may_only_read_is_offered_nothing_else(visit: Visited, api: Api) -> None:
    api.show(reproduced())
    api.answers["/api/me"] = {**api.answers["/api/me"], "roles": ["read"]}
    visit.open("/review/r1")
    visit.page.wait_for_selector(".card")
    assert visit.page.locator(".labels").count() == 0
    visit.page.keyboard.press("j")
    visit.page.keyboard.press("v")
    visit.open("/")
    visit.page.wait_for_selector("text=the role submit")
    assert visit.page.get_by_role("button", name="Start the review").count() == 0
    assert api.asked == []


def test_whoever_has_a_token_signs_in_and_whoever_leaves_is_out(visit: Visited, api: Api) -> None:
    api.show(reproduced())
    api.answers["/api/me"] = {**api.answers["/api/me"], "needs_token": True, "name": "ci"}
    api.token = "aff_right"
    visit.open("/review/r1")
    page = visit.page
    page.get_by_label("Token").fill("aff_wrong")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_selector("text=the token is not known")
    page.get_by_label("Token").fill("aff_right")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_selector(".card")
    assert "aff_right" not in page.url
    page.reload()
    page.wait_for_selector(".card")
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_selector("text=This service asks for a token")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_page_has_a_barrier_that_a_checker_finds(served: tuple[Browser, str, Api], theme: str) -> None:
    browser, origin, api = served
    api.show(reproduced())
    api.answers["/api/quality"] = QUALITY.model_dump()
    api.answers["/api/review"]["reviews"].append(
        summary("r2", status="failed", verdict=None, reason="no answer")
    )
    found: list[str] = []
    with visiting(browser, origin, color_scheme=theme) as visited:
        paths = (
            "/",
            "/history",
            "/quality",
            "/review/r1",
            "/review/r1/withheld",
            "/review/r1/account",
            "/nowhere",
        )
        for path in paths:
            visited.open(path)
            visited.page.wait_for_selector("h1")
            visited.page.wait_for_load_state("networkidle")
            found += visited.barriers()
        visited.open("/review/r1")
        visited.page.locator(".proof-line").first.click()
        visited.page.wait_for_selector(".proof-page h1")
        found += visited.barriers()
    assert found == []


def test_a_phone_shows_a_finding_without_scrolling_sideways(served: tuple[Browser, str, Api]) -> None:
    browser, origin, api = served
    api.show(a_full_report())
    with visiting(browser, origin, viewport={"width": 390, "height": 844}) as visited:
        for path in ("/", "/history", "/review/r1", "/review/r1/withheld", "/review/r1/account"):
            visited.open(path)
            visited.page.wait_for_selector("h1")
            visited.page.wait_for_load_state("networkidle")
            width = visited.page.evaluate("document.documentElement.scrollWidth")
            assert width <= 390, path
