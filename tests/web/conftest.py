"""One server, model and forge for all tests of the page that need them, canned answers for the others."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser

from page_house import House, keeping_house
from page_server import Api, page_served
from page_visits import Visited, built_page, visiting


@pytest.fixture(scope="session")
def opened_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with keeping_house(tmp_path_factory.mktemp("house")) as house:
        yield house


@pytest.fixture(scope="module")
def house(opened_house: House, browser: Browser) -> House:
    return replace(opened_house, visitor=browser)


@pytest.fixture(scope="module")
def served(browser: Browser) -> Iterator[tuple[Browser, str, Api]]:
    """The page with canned answers, and a browser, for all tests of a module."""
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
