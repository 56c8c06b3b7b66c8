"""The page of a server that wants tokens and has no model: who may do what, the sample, what is refused."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from page_visits import Visited, built_page, visiting
from service_process import Client, operate, serving


@dataclass
class Guarded:
    browser: Browser
    client: Client
    tokens: dict[str, str]


@pytest.fixture(scope="module")
def guarded(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    built_page()
    folder = tmp_path_factory.mktemp("guarded")
    tokens = {name: token(folder, name) for name in ("read", "submit")}
    tokens["ada"] = operate(folder, "token", "create", "ada", "--role", "submit").out.strip()
    with serving(folder, "--require-token", token=tokens["submit"]) as (client, _):
        yield Guarded(browser, client, tokens)


def token(folder: Path, role: str) -> str:
    return operate(folder, "token", "create", f"{role}er", "--role", role).out.strip()


@pytest.fixture
def visit(guarded: Guarded) -> Iterator[Visited]:
    with visiting(guarded.browser, guarded.client.url) as visited:
        yield visited


def sign_in(page: Page, value: str) -> None:
    page.get_by_label("Token").fill(value)
    page.get_by_role("button", name="Sign in").click()


@pytest.fixture(scope="module")
def sampled(guarded: Guarded) -> str:
    """A review of the sample change, started from an empty installation."""
    with visiting(guarded.browser, guarded.client.url) as visited:
        visited.open("/")
        sign_in(visited.page, guarded.tokens["submit"])
        expect(visited.page.locator(".headline")).to_contain_text("after the change and not before")
        # Nobody refutes anything where there is no model.
        expect(visited.page.locator(".headline")).not_to_contain_text("refute")
        first = visited.page.locator(".first")
        expect(first).to_contain_text("four mistakes that analysers find by themselves")
        expect(first).to_contain_text("costs nothing")
        visited.page.get_by_role("button", name="Review the sample change").click()
        expect(visited.page.locator(".verdict-head")).to_contain_text("Changes requested", timeout=120_000)
        return visited.page.url.rpartition("/")[2]


def test_the_sample_is_as_it_is_announced_with_no_model(
    guarded: Guarded, sampled: str, visit: Visited
) -> None:
    page = visit.page
    visit.open(f"/review/{sampled}")
    sign_in(page, guarded.tokens["submit"])
    expect(page.locator(".index > ol > li")).to_have_count(4)
    expect(page.locator(".a-untouched")).to_contain_text("shop/checkout.py")
    page.keyboard.press("s")
    expect(page.locator(".diff-split .diff-code-delete").first).to_be_visible()
    page.get_by_role("link", name="Map").click()
    page.locator(".box", has_text="checkout.py").click(timeout=90_000)
    expect(page.locator(".box.line").first).to_be_visible()
    visit.assert_quiet()


def test_what_a_role_may_not_do_is_not_offered(guarded: Guarded, sampled: str, visit: Visited) -> None:
    page = visit.page
    visit.open(f"/review/{sampled}")
    sign_in(page, "aff_wrong")
    expect(page.get_by_role("alert")).to_contain_text("token")
    assert visit.barriers() == []
    page.emulate_media(color_scheme="dark")
    assert visit.barriers() == []
    sign_in(page, guarded.tokens["read"])
    expect(page.locator(".card").first).to_be_visible()
    expect(page.locator(".who")).to_have_text("reader")
    assert page.locator(".labels").count() == 0
    assert page.get_by_role("button", name="Delete").count() == 0
    page.locator(".proof-line").first.click()
    expect(page.locator(".proof-page h1")).to_be_visible()
    for name in ("Run the proof again", "Ask", "valid"):
        assert page.get_by_role("button", name=name).count() == 0, name
    visit.open("/")
    expect(page.get_by_text("it needs the role")).to_be_visible()
    assert page.get_by_role("button", name="Start the review").count() == 0
    page.get_by_role("button", name="Sign out").click()
    sign_in(page, guarded.tokens["submit"])
    expect(page.get_by_role("button", name="Start the review")).to_be_visible()
    visit.assert_quiet()


def test_who_agrees_with_a_colleague_takes_no_mark_away(
    guarded: Guarded, sampled: str, visit: Visited
) -> None:
    page, client = visit.page, guarded.client
    report = client.get(f"/api/review/{sampled}/report").json
    finding = next(one["id"] for one in report["candidates"] if one["finding"] and not one["withheld"])
    label = f"/api/review/{sampled}/findings/{finding}/label"
    assert Client(client.url, guarded.tokens["ada"]).ask("PUT", label, {"label": "valid"}).status == 200
    visit.open(f"/review/{sampled}")
    sign_in(page, guarded.tokens["submit"])
    card = page.locator(f'.card[data-finding="{finding}"]')
    expect(card.locator(".whose")).to_contain_text("by ada")
    card.locator(".valid").click()
    card.locator(".wrong").click()
    expect(card.locator(".whose")).to_have_count(0)
    expect(card.locator(".wrong")).to_have_attribute("aria-pressed", "true")
    with page.expect_response(lambda answer: answer.request.method == "DELETE"):
        card.locator(".wrong").click()
    said = client.get(f"/api/review/{sampled}/labels").json["labels"]
    assert [one["label"] for one in said if one["finding_id"] == finding] in ([], [None])
    visit.assert_quiet()


def test_what_is_refused_is_said_in_the_words_of_the_page(guarded: Guarded, visit: Visited) -> None:
    page = visit.page
    visit.open("/")
    sign_in(page, guarded.tokens["submit"])
    alert = page.get_by_role("alert")
    page.get_by_label("The output of git diff").fill("this is no diff")
    page.get_by_role("button", name="Start the review").click()
    expect(alert).to_contain_text("The diff is not a unified diff")
    page.get_by_label("The output of git diff").fill("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n")
    page.get_by_label("Title").fill("x" * 2_001)
    page.get_by_role("button", name="Start the review").click()
    expect(alert).to_contain_text("The title is too long: at most 2,000 characters.")
    said = alert.inner_text()
    for word in ("diff_text", "body", "openapi", "String should", "/api/"):
        assert word not in said
