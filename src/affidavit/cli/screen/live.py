"""Draw on a terminal what a review is doing, while it does it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.text import Text

from affidavit.cli.screen.progress import MAX_NAME_LENGTH, Progress
from affidavit.events import Emit, Event
from affidavit.render.safe_text import encodable


@contextmanager
def live_progress() -> Iterator[Emit]:
    """Yield what takes the events of a review, and draw it four times a second until the review is over."""
    console, progress, started = Console(stderr=True), Progress(), time.monotonic()

    def draw() -> Text:
        return drawn(progress, time.monotonic() - started, console)

    def follow(event: Event) -> None:
        progress.follow(event)

    with Live(get_renderable=draw, console=console, refresh_per_second=4, transient=True):
        yield follow


def drawn(progress: Progress, seconds: float, console: Console) -> Text:
    """The picture of a moment; what models wrote is plain text in it, never markup."""
    minutes, rest = divmod(int(seconds), 60)
    text = Text(
        f"{progress.headline()}, {minutes}:{rest:02}", style="bold", no_wrap=True, overflow="ellipsis"
    )
    for name, doing in progress.rows():
        text.append(f"\n  {name.ljust(MAX_NAME_LENGTH)} ", style="not bold")
        text.append(doing, style="not bold dim")
    return Text(encodable(text.plain, console.encoding)) if console.encoding.lower() != "utf-8" else text
