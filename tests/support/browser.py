"""A real browser for tests: Chromium where it is installed, otherwise the tests say why they are skipped."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, Request, sync_playwright

# The first has no windows, not even hidden ones.
NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def chromium() -> str | None:
    """The program, from AFFIDAVIT_CHROMIUM or the path."""
    named = os.environ.get("AFFIDAVIT_CHROMIUM")
    return named or next((found for name in NAMES if (found := shutil.which(name))), None)


# Not for the whole session: while it is open, its event loop keeps every other from running in the process.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for the tests of a module, with a profile of its own that is thrown away."""
    program = chromium()
    if program is None:
        pytest.skip("no Chromium here; tools/install-test-needs installs it")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        yield opened
        opened.close()


@dataclass
class Watched:
    """A page, and whatever it did that a report must not do."""

    page: Page
    address: str
    dialogs: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def assert_quiet(self) -> None:
        """No dialog opened, no error was logged, nothing but the page itself was asked for."""
        assert self.dialogs == []
        assert self.complaints == []
        assert {url.partition("#")[0] for url in self.requests} == {self.address}


def watch(page: Page, file: Path, fragment: str = "") -> Watched:
    """Open a file and keep an eye on it."""
    watched = Watched(page, file.as_uri())

    def dismiss(dialog: Dialog) -> None:
        watched.dialogs.append(dialog.message)
        dialog.dismiss()

    def log(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            watched.complaints.append(message.text)

    def note(request: Request) -> None:
        watched.requests.append(request.url)

    page.on("dialog", dismiss)
    page.on("console", log)
    page.on("pageerror", lambda error: watched.complaints.append(str(error)))
    page.on("request", note)
    page.goto(watched.address + fragment)
    return watched
