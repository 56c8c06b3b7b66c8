"""Visits to the page in a browser: what it complains of, and what a checker of accessibility says."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, expect

import page as page_tool

# A machine may be busy with other tests; whoever waits for what comes does not wait longer than that.
PATIENCE_MS = 45_000
expect.set_options(timeout=PATIENCE_MS)
CHECK = "rules => axe.run(rules).then(done => done.violations)"
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}


def built_page() -> Path:
    """The folder of the built page, built where it is stale."""
    if os.environ.get("AFFIDAVIT_WITHOUT_PAGE"):
        pytest.skip("AFFIDAVIT_WITHOUT_PAGE says to go on without the page")
    return page_tool.build()


@dataclass
class Visited:
    """A page, and whatever it did that it must not do."""

    page: Page
    origin: str
    dialogs: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)

    def open(self, path: str) -> None:
        """Go to a path of the page."""
        self.page.goto(self.origin + path)

    def assert_quiet(self) -> None:
        """No dialog opened, no error was logged, nothing was asked of another host."""
        assert self.dialogs == []
        assert self.complaints == []
        assert self.elsewhere == []

    def barriers(self) -> list[str]:
        """What a checker of accessibility has to say about the page as it stands."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(page_tool.axe().read_text())
        found: list[dict[str, Any]] = self.page.evaluate(CHECK, RULES)
        place = self.page.url.removeprefix(self.origin)
        return [f"{place} {one['id']}: {node['html'][:160]}" for one in found for node in one["nodes"]]


@contextmanager
def visiting(browser: Browser, origin: str, **options: Any) -> Iterator[Visited]:
    """A fresh profile with the page in it."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    visited = Visited(page, origin)

    def dismiss(dialog: Dialog) -> None:
        visited.dialogs.append(dialog.message)
        dialog.dismiss()

    def log(message: ConsoleMessage) -> None:
        # Chromium logs the loss of the network and a refused token itself; a page can't keep it from that.
        is_its_own = "net::ERR_" in message.text or "status of 401" in message.text
        if message.type in ("error", "warning") and not is_its_own:
            visited.complaints.append(message.text)

    page.on("dialog", dismiss)
    page.on("console", log)
    page.on("pageerror", lambda error: visited.complaints.append(str(error)))
    page.on(
        "request",
        lambda asked: (
            None if asked.url.startswith((origin, "blob:")) else visited.elsewhere.append(asked.url)
        ),
    )
    yield visited
    context.close()
