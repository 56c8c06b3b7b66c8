"""Show the progress of a review: live on a terminal, as plain lines elsewhere."""

import json
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from affidavit.cli.saying import say
from affidavit.errors import SettingsError
from affidavit.events import Emit, Event, EventName, ignore_events
from affidavit.render.safe_text import encodable, one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

MAX_NAMED = 5
BEGAN = time.monotonic()
"""The clock runs from the start of the command, through all of its steps."""
STAGES = {
    "planner": "reading the change",
    "reviewer": "looking for problems",
    "verifier": "checking the findings",
    "reporter": "writing the report",
}


@dataclass
class ReviewProgress:
    """The state of a review, from its events; they may come from several threads."""

    stage: str = STAGES["planner"]
    files: int = 0
    """Of the change; none: not known."""
    working: set[str] = field(default_factory=set)
    finished: set[str] = field(default_factory=set)
    minds: set[str] = field(default_factory=set)
    """Specialists that are models."""
    to_verify: int = 0
    judged: int = 0
    tokens: int = 0
    usd: float | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def follow(self, event: Event) -> str | None:
        with self._lock:
            said = self._take(event.name, event.data)
            # A review without a model ends before anybody could read a line.
            return ", ".join([one_line(said), *self.spent()]) if said and self.minds else None

    def _take(self, name: EventName, data: Mapping[str, Any]) -> str:
        specialist = str(data.get("specialist") or "")
        match name:
            case EventName.AGENT_STARTED if specialist:
                self.working.add(specialist)
                self.minds |= {specialist} if data.get("model") else set()
            case EventName.USAGE_UPDATED:
                self.tokens = data.get("input_tokens", 0) + data.get("output_tokens", 0)
                self.usd = data.get("cost_usd")
            case EventName.SPECIALIST_FINISHED:
                self.working.discard(specialist)
                self.finished.add(specialist)
                return f"{specialist} has finished" if specialist in self.minds else ""
            case EventName.AGENT_HANDOFF:
                return self._hand_over(data)
            case EventName.FINDING_VERIFIED:
                self.judged += 1
            case EventName.PIPELINE_COMPLETED:
                return "done"
        return ""

    def _hand_over(self, data: Mapping[str, Any]) -> str:
        self.stage = STAGES.get(str(data.get("to")), self.stage)
        self.working.discard(str(data.get("from")))
        self.to_verify = int(data.get("findings_count", 0))
        chunks = int(data.get("chunks_count", 0))
        more = f", in {chunks} parts" if chunks > 1 else ""
        return self.stage + more + (f": {self.to_verify}" if self.to_verify else "")

    def headline(self) -> str:
        with self._lock:
            counted, at_work = self._counted(), sorted(self.working)
        more = [f"and {len(at_work) - MAX_NAMED} more"] if len(at_work) > MAX_NAMED else []
        names = ", ".join([*at_work[:MAX_NAMED], *more])
        said = ", ".join([self.stage + counted, *self.spent()])
        return one_line(f"{said}: {names}" if names else said)

    def _counted(self) -> str:
        """Return how much of the stage is done."""
        if self.to_verify:
            return f" ({self.judged} of {self.to_verify} judged)"
        if self.stage != STAGES["reviewer"] or not self.files:
            return ""
        done, begun = len(self.finished), len(self.finished | self.working)
        return f" in {self.files:,} file{'s' * (self.files > 1)} ({done} of {begun} done)"

    def spent(self) -> list[str]:
        """Return tokens and money if a model was asked; money only if its price is known."""
        if not self.tokens:
            return []
        return [f"{self.tokens:,} tokens", *([] if self.usd is None else [f"{self.usd:.4f} USD"])]


@contextmanager
def show_step(step: str, *, is_quiet: bool) -> Iterator[None]:
    """Show on a terminal that something goes on before or after the review."""
    with _drawing(ReviewProgress(step)) if sys.stderr.isatty() and not is_quiet else nullcontext():
        yield


@contextmanager
def show_progress(*, is_quiet: bool, files: int = 0) -> Iterator[Emit]:
    if is_quiet:
        yield ignore_events
        return
    progress, is_live = ReviewProgress(files=files), sys.stderr.isatty()

    def follow(event: Event) -> None:
        line = progress.follow(event)
        if line and not is_live:
            say(line)

    with _drawing(progress) if is_live else nullcontext():
        yield follow


@contextmanager
def _drawing(progress: ReviewProgress) -> Iterator[None]:
    """Draw the progress until the review is over."""
    from rich.console import Console  # noqa: PLC0415 - only a terminal needs it
    from rich.live import Live  # noqa: PLC0415

    console = Console(stderr=True)

    def draw() -> "Text":
        return drawn(progress, time.monotonic() - BEGAN, console)

    with Live(get_renderable=draw, console=console, refresh_per_second=4, transient=True):
        yield


@contextmanager
def kept_events(path: Path | None, emit: Emit) -> Iterator[Emit]:
    """Write events to a file, too, one JSON object per line; if that fails, the review goes on."""
    if path is None:
        yield emit
        return
    try:
        # Unbuffered, so that others can follow.
        file = path.open("wb", buffering=0)
    except OSError as error:
        raise SettingsError(f"--events: {path} cannot be written: {error.strerror}") from error
    lock, failures = threading.Lock(), list[str]()

    def both(event: Event) -> None:
        emit(event)
        entry = {"type": event.name, "data": event.data, "timestamp": event.data.get("timestamp", "")}
        line = json.dumps(entry, default=str).encode() + b"\n"
        with lock:
            try:
                if not failures:
                    file.write(line)
            except OSError as error:
                failures.append(error.strerror or type(error).__name__)

    with file:
        yield both
    for failure in failures:
        say(f"not all events were written to {path}: {failure}")


def drawn(progress: ReviewProgress, seconds: float, console: "Console") -> "Text":
    from rich.text import Text  # noqa: PLC0415 - only a terminal needs it

    minutes, rest = divmod(int(seconds), 60)
    line = encodable(f"{minutes}:{rest:02} {progress.headline()}", console.encoding)
    return Text(line, style="bold", no_wrap=True, overflow="ellipsis")
