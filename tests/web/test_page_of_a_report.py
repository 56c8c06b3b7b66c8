"""The page on reports, in a real browser: hostile text stays text, keys and links lead to findings."""

import pytest
from playwright.sync_api import Browser, expect

from affidavit.records.candidate import Status, Worth
from affidavit.records.diagnostics import Diagnostic, Reason
from affidavit.records.evidence import ReproductionCheck
from affidavit.records.measure import Fates, Quality, Rate
from affidavit.records.program_runs import ProgramRun
from affidavit.records.report import Report
from hostile_everywhere import PIECES, report_of
from page_server import Api
from page_visits import Visited, visiting
from reports import a_candidate, a_change, a_file, a_full_report, a_hunk, a_map, a_report, a_set_aside

QUALITY = Quality(
    reports=3,
    shown=9,
    labelled=4,
    wrong=Rate(count=1, n=4, share=0.25, low=0.05, high=0.7),
    unheard=2,
    unheard_from={"eve on github.com": 2},
    withheld_labelled=3,
    withheld_valid=1,
    fates=Fates(candidates=14, shown=11, refuted=3, withheld={"refuted": 3}),
)
# How many runs of lines are drawn as text alone at the end of a fast flight through the diff.
FLY = """() => new Promise((done) => {
  let frames = 0;
  const step = () => {
    window.scrollBy(0, 400);
    if (++frames < 40) requestAnimationFrame(step);
    else done(document.querySelectorAll('.glimpse').length);
  };
  requestAnimationFrame(step);
})"""


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
    with page.expect_response(lambda answer: answer.request.method == "DELETE"):
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
    expect(page.locator(".position")).to_contain_text("of 1 finding")
    page.get_by_role("button", name="Show all").click()
    expect(page.locator(".position")).to_contain_text("of 3 findings")


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
    page.wait_for_selector("text=This token is not known here")
    page.get_by_label("Token").fill("aff_right")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_selector(".card")
    assert "aff_right" not in page.url
    page.reload()
    page.wait_for_selector(".card")
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_selector("text=This service asks for a token")


def test_what_is_scrolled_past_is_drawn_lightly_and_whole_when_the_reader_rests(
    visit: Visited, api: Api
) -> None:
    hunks = tuple(
        a_hunk(*(f"{' -+'[row % 3]}    total_{row} = price(items[{row}])" for row in range(100)), start=start)
        for start in range(1, 8_000, 200)
    )
    api.show(a_report(change=a_change([a_file("shop/large.py", *hunks)])))
    visit.open("/review/r1")
    page = visit.page
    page.wait_for_selector(".diff-code .token")
    assert page.evaluate(FLY) > 2
    expect(page.locator(".glimpse")).to_have_count(0)
    page.wait_for_selector(".diff-code .token")
    visit.assert_quiet()


def test_the_keys_are_a_dialog_that_keeps_the_focus(visit: Visited, api: Api) -> None:
    api.show(a_full_report())
    visit.open("/review/r1")
    page = visit.page
    page.wait_for_selector(".card")
    page.mouse.wheel(0, 5_000)
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    dialog.wait_for()
    box = dialog.bounding_box()
    assert box is not None
    assert 0 <= box["y"] < 900 - box["height"]
    assert visit.barriers() == []
    before = page.url
    for key in ("Tab", "Tab", "Tab", "j"):
        page.keyboard.press(key)
    assert page.evaluate(
        "document.activeElement === document.body || !!document.activeElement.closest('dialog')"
    )
    assert page.url == before
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    page.keyboard.press("j")
    page.wait_for_selector(".card.current")
    visit.assert_quiet()


def test_a_very_long_line_can_be_seen_to_its_end(visit: Visited, api: Api) -> None:
    line = "x" * 5_000 + "_the_end"
    api.show(a_report(change=a_change([a_file("shop/long.py", a_hunk(" a", "-b", f"+{line}", start=1))])))
    visit.open("/review/r1")
    page = visit.page
    page.wait_for_selector("table.diff")
    assert "_the_end" not in page.locator("table.diff").inner_text()
    page.get_by_role("button", name="show the whole line (5,008 characters)").click()
    page.wait_for_function("document.querySelector('table.diff').textContent.includes('_the_end')")
    page.keyboard.press("s")
    page.get_by_role("button", name="show the whole line").wait_for(state="detached")
    visit.assert_quiet()


def test_what_turns_text_around_is_marked_in_the_tab_and_in_every_name(visit: Visited, api: Api) -> None:
    name = "pay\u202egpj.exe\u200b"
    hunk = a_hunk(f"+ok = '{name}'", start=1)
    api.show(a_report(change=a_change([a_file(f"shop/{name}.py", hunk)], title=f"Rename {name}")))
    for path in (
        "/",
        "/history",
        "/review/r1",
        "/review/r1/account",
        "/review/r1/map",
        "/review/r1/withheld",
    ):
        visit.open(path)
        visit.page.wait_for_selector("h1")
        visit.page.wait_for_load_state("networkidle")
        shown = visit.page.title() + visit.page.locator("body").inner_text()
        assert not {"\u202e", "\u200b"} & set(shown), path
        assert "<U+202E>" in shown, path
    assert "<U+202E>" in visit.page.title()


def test_filters_outlive_a_reload_and_the_way_to_a_proof_and_back(visit: Visited, api: Api) -> None:
    api.show(reproduced())
    visit.open("/review/r1")
    page = visit.page
    page.wait_for_selector(".card")
    page.locator(".filters").get_by_role("button", name="security").last.click()
    expect(page.locator(".position")).to_contain_text("of 1 finding")
    assert "specialist=security" in page.url
    page.reload()
    expect(page.locator(".position")).to_contain_text("of 1 finding")
    page.locator(".proof-line").first.click()
    page.wait_for_selector(".proof-page")
    page.keyboard.press("Escape")
    expect(page.locator(".position")).to_contain_text("of 1 finding")
    api.answers["/api/quality"] = QUALITY.model_dump()
    visit.open("/quality")
    page.get_by_role("button", name="30 days").click()
    page.reload()
    page.wait_for_selector("button[aria-pressed=true]:has-text('30 days')")


def test_what_analysers_set_aside_is_listed_and_counted_with_rule_place_and_reason(
    visit: Visited, api: Api
) -> None:
    result = a_set_aside(message="Undefined name `x`")
    note = Diagnostic(code=Reason.FINDING_DROPPED, detail="", specialist="ruff")
    rest = note.model_copy(update={"unlisted": {"ruff/F821": 30, "ruff/S602": 1}})
    listed = note.model_copy(update={"set_aside": result})
    api.show(reproduced().model_copy(update={"diagnostics": (listed, rest)}))
    visit.open("/review/r1/withheld")
    aside = visit.page.locator("section[aria-labelledby=set-aside]")
    expect(aside.locator("h2")).to_contain_text("32")
    expect(visit.page.locator("nav.tabs [aria-current=page]")).to_contain_text("32")
    expect(aside.locator("li").first).to_contain_text(
        "ruff/F821 at shop/cart.py:2: the rule is off (Undefined name x)"
    )
    expect(aside.locator("li").last).to_contain_text("31 more that are not listed: ruff/F821 (30), ruff/S602")


def test_the_counts_of_the_quality_say_what_they_count(visit: Visited, api: Api) -> None:
    api.show(reproduced())
    api.answers["/api/quality"] = QUALITY.model_dump()
    visit.open("/quality")
    visit.page.wait_for_selector(".rate")
    said = visit.page.locator("main").inner_text()
    assert "95% interval 5.0% to 70%" in said
    assert "1 of 4 labelled problems" in said
    assert "Of the 9 problems shown, 5 are not labelled yet." in said
    assert "14 findings handed in by specialists, every time counted: 11 shown (9 problems" in said
    assert "3 withheld" in said
    assert "2 findings labelled by the author of a change or without write access (eve on github.com)" in said
    assert "Of 3 withheld findings that people labelled, 1 is valid: withheld wrongly." in said


# What remains of a page that is enlarged four times, and the usual phone.
NARROW = (320, 375)
# What a finger can hardly meet, and words that a table breaks in the middle.
TOO_SMALL = """[...document.querySelectorAll('a, button, summary, select, label.tick')].filter((one) => {
  const box = one.getBoundingClientRect();
  return box.height > 0 && box.height < 24 && getComputedStyle(one).display !== 'inline';
}).map((one) => one.outerHTML.slice(0, 80))"""
BROKEN = """[...document.querySelectorAll('table.plain th:not(.path), table.plain td:not(.path)')]
  .filter((one) => getComputedStyle(one).overflowWrap !== 'normal').length"""


def test_a_phone_shows_everything_without_scrolling_sideways(served: tuple[Browser, str, Api]) -> None:
    browser, origin, api = served
    api.show(a_full_report())
    api.answers["/api/quality"] = QUALITY.model_dump()
    api.answers["/api/review/r1/map"] = a_map().model_dump()
    parts = ("", "/withheld", "/account", "/iterations", "/map", "/finding/finding-3f9a1c0be2d4")
    with visiting(browser, origin, viewport={"width": 375, "height": 812}, has_touch=True) as visited:
        page = visited.page
        for path in ("/", "/history", "/quality", *(f"/review/r1{part}" for part in parts)):
            visited.open(path)
            page.wait_for_selector("h1")
            page.wait_for_load_state("networkidle")
            for width in NARROW:
                page.set_viewport_size({"width": width, "height": 812})
                assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, width)
            assert page.evaluate(TOO_SMALL) == [], path
            assert page.evaluate(BROKEN) == 0, path
            assert page.locator(".masthead").evaluate("one => one.clientHeight") < 70, path
