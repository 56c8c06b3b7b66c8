"""`make screenshots`: every page, light and dark, of a server with a scripted model; into docs/pictures."""

import io
import shutil
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "sample"), str(ROOT / "tools")]

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

import page as page_tool
from browser import FLAGS, chromium
from model_server import serving as model_serving
from screenshot_story import Story, register
from service_process import Client, serving

PICTURES = ROOT / "docs" / "pictures"
MODEL = ("--model", "openai:gpt-5", "--prices-usd-per-million", "openai:gpt-5=1.25/10")
SIZE = {"width": 1280, "height": 820}


def main() -> None:
    """Take them all."""
    program = chromium()
    if program is None:
        raise SystemExit("screenshots: no Chromium; tools/install-test-needs installs it")
    page_tool.build()
    PICTURES.mkdir(exist_ok=True)
    gate = threading.Event()
    story = Story(gate)
    folder = Path(tempfile.mkdtemp())
    register(folder / "shop", folder / "data")
    with (
        model_serving(story.act) as (address, _script),
        serving(folder / "data", *MODEL, "--base-url", address) as (client, _),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        first = browser_page(browser, "light")
        first.goto(client.url)
        first.wait_for_selector("#first")
        take(first, "first", "light")
        reviewed, mended, watched = story.prepare(client, folder / "shop")
        for theme in ("light", "dark"):
            opened = browser_page(browser, theme)
            take_all(opened, client, theme, reviewed, watched)
            opened.goto(f"{client.url}/review/{mended}/iterations")
            opened.wait_for_selector(".group li")
            take(opened, "iterations", theme)
            opened.close()
        phone = browser_page(browser, "light", viewport={"width": 390, "height": 820})
        phone.goto(f"{client.url}/review/{reviewed}")
        phone.wait_for_selector(".card")
        phone.keyboard.press("j")
        phone.wait_for_timeout(800)
        take(phone, "phone", "light")
        browser.close()
        gate.set()
        client.finished(watched)
    shutil.rmtree(folder)


def browser_page(browser: Browser, theme: str, **options: Any) -> Page:
    """A page of the usual size."""
    opened = browser.new_page(
        **{"viewport": SIZE, "color_scheme": theme, "reduced_motion": "reduce", **options}
    )
    opened.set_default_timeout(60_000)
    return opened


def take_all(opened: Page, client: Client, theme: str, reviewed: str, watched: str) -> None:
    """Each page once."""
    report = f"{client.url}/review/{reviewed}"
    for name, address, ready in (
        ("start", client.url, ".recent li"),
        ("watch", f"{client.url}/review/{watched}", ".sightings li"),
        ("report", report, ".card"),
        ("withheld", f"{report}/withheld", ".withheld-list li"),
        ("account", f"{report}/account", "table"),
        ("history", f"{client.url}/history", ".review-row"),
        ("quality", f"{client.url}/quality", ".rate"),
    ):
        opened.goto(address)
        opened.wait_for_selector(ready)
        take(opened, name, theme)
    opened.goto(report)
    opened.wait_for_selector(".card")
    opened.keyboard.press("j")
    opened.keyboard.press("j")
    take(opened, "diff", theme)
    opened.keyboard.press("s")
    take(opened, "side-by-side", theme)
    opened.keyboard.press("s")
    opened.locator(".card", has_text="coupon of 100").locator(".proof-line").first.click()
    opened.wait_for_selector(".judgements")
    opened.wait_for_selector(".code tr:nth-child(9)")
    take(opened, "proof", theme)
    opened.goto(f"{report}/map")
    opened.locator(".box", has_text="checkout.py").last.click()
    opened.locator(".box.line").last.click()
    opened.wait_for_selector(".code tr:nth-child(5)")
    take(opened, "map", theme)


def take(opened: Page, name: str, theme: str) -> None:
    """One picture, with few colours so that it is small."""
    opened.wait_for_timeout(700)
    file = PICTURES / f"{name}-{theme}.png"
    shot = Image.open(io.BytesIO(opened.screenshot()))
    shot.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(file, optimize=True)
    print(f"{file.relative_to(ROOT)}  {file.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
