"""Show the progress of a review: live on a terminal, as plain lines elsewhere."""

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from affidavit.cli.saying import say
from affidavit.errors import SettingsError
from affidavit.events import Emit, Event, EventName, ignore_events
from affidavit.render.safe_text import encodable, one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

MAX_ROWS = 8
MAX_NAME_LENGTH = 24
MAX_DOING_LENGTH = 70
THINKING = "thinking"
STAGES = {
    "planner": "reading the change",
    "reviewer": "looking for problems",
    "verifier": "checking the findings",
    "reporter": "writing the report",
}
VERBS: Mapping[str, tuple[str, str]] = {
    "get_file_context": ("reading", "file_path"),
    "outline": ("reading", "file_path"),
    "get_blame": ("history of", "file_path"),
    "search": ("searching for", "pattern"),
    "list_files": ("listing", "pattern"),
    "find_references": ("who uses", "symbol"),
    "find_definition": ("where is", "symbol"),
    "lint_check": ("linting", "file_path"),
    "type_check": ("checking types of", "file_path"),
}


@dataclass
class ReviewProgress:
    """The state of a review, from its events; they may come from several threads."""

    stage: str = STAGES["planner"]
    working: dict[str, str] = field(default_factory=dict)
    to_verify: int = 0
    judged: int = 0
    tokens: int = 0
    usd: float | None = None
    minds: dict[str, str] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __post_init__(self) -> None:
        self._takers: dict[EventName, Callable[[Mapping[str, Any]], str | None]] = {
            EventName.AGENT_STARTED: self._start,
            EventName.TOOL_CALLED: self._use,
            EventName.USAGE_UPDATED: self._spend,
            EventName.SPECIALIST_FINISHED: self._finish,
            EventName.AGENT_HANDOFF: self._hand_over,
            EventName.FINDING_VERIFIED: self._judge,
            EventName.PIPELINE_COMPLETED: self._complete,
        }

    def follow(self, event: Event) -> str | None:
        """Take an event in; the plain line that it is worth, or None."""
        with self._lock:
            take = self._takers.get(event.name)
            return take(event.data) if take else None

    def rows(self) -> list[tuple[str, str]]:
        """Return who is doing what, busy ones first."""
        with self._lock:
            listed = sorted(self.working.items(), key=lambda item: item[1] in ("", THINKING))
        rows = [
            (one_line(name, MAX_NAME_LENGTH), one_line(doing, MAX_DOING_LENGTH)) for name, doing in listed
        ]
        more = len(rows) - MAX_ROWS
        return [*rows[:MAX_ROWS], ("…", f"and {more} more")] if more > 0 else rows

    def headline(self) -> str:
        counted = f" ({self.judged} of {self.to_verify} judged)" if self.to_verify else ""
        return ", ".join([self.stage + counted, *self.spent()])

    def spent(self) -> list[str]:
        """Tokens and money, where a model was asked; money only where its price is known."""
        if not self.tokens:
            return []
        return [f"{self.tokens:,} tokens", *([] if self.usd is None else [f"{self.usd:.4f} USD"])]

    def _start(self, data: Mapping[str, Any]) -> None:
        name = str(data.get("specialist") or "")
        if data.get("model"):
            self.minds[name] = str(data.get("agent", ""))
        if name:
            self.working[name] = THINKING if name in self.minds else ""

    def _use(self, data: Mapping[str, Any]) -> None:
        if data.get("specialist"):
            self.working[str(data["specialist"])] = describe_use(
                str(data["specialist"]), str(data.get("tool", "")), data.get("args")
            )

    def _spend(self, data: Mapping[str, Any]) -> None:
        self.tokens = data.get("input_tokens", 0) + data.get("output_tokens", 0)
        self.usd = data.get("cost_usd")

    def _finish(self, data: Mapping[str, Any]) -> str | None:
        name = str(data["specialist"])
        self.working.pop(name, None)
        return self._line(f"{name} has looked") if name in self.minds else None

    def _hand_over(self, data: Mapping[str, Any]) -> str | None:
        self.stage = STAGES.get(str(data.get("to")), self.stage)
        # Analysers begin while the planner reads; whoever is at work in another role has handed over.
        ended = [name for name in self.working if self.minds.get(name, "reviewer") != data.get("to")]
        for name in ended:
            del self.working[name]
        self.to_verify = int(data.get("findings_count", 0))
        chunks = int(data.get("chunks_count", 0))
        more = f", in {chunks} parts" if chunks > 1 else ""
        findings = f": {self.to_verify}" if self.to_verify else ""
        return self._line(f"{self.stage}{more}{findings}")

    def _judge(self, _data: Mapping[str, Any]) -> None:
        self.judged += 1

    def _complete(self, _data: Mapping[str, Any]) -> str | None:
        return self._line("done")

    def _line(self, text: str) -> str | None:
        """A plain line; a review without a model is over before it would be read."""
        return ", ".join([one_line(text), *self.spent()]) if self.minds else None


def describe_use(specialist: str, tool: str, arguments: object) -> str:
    """What a call is about; an analyser is its own tool, and naming it twice says nothing."""
    if tool == specialist:
        return ""
    verb, key = VERBS.get(tool, (tool, ""))
    given = arguments if isinstance(arguments, dict) else {}
    about = str(given.get(key, "")) if key else ""
    if "start_line" in given:
        about += f":{given['start_line']}"
    return f"{verb} {about}".strip()


@contextmanager
def show_progress(*, is_quiet: bool) -> Iterator[Emit]:
    if is_quiet:
        yield ignore_events
    elif sys.stderr.isatty():
        with live_progress() as emit:
            yield emit
    else:
        yield _plain_lines()


def _plain_lines() -> Emit:
    progress = ReviewProgress()

    def follow(event: Event) -> None:
        line = progress.follow(event)
        if line:
            say(line)

    return follow


@contextmanager
def kept_events(path: Path | None, emit: Emit) -> Iterator[Emit]:
    """Yield what takes events for `emit`, and for the file where one is named."""
    if path is None:
        yield emit
        return
    try:
        # Unbuffered: others follow, and nothing is left to be written when the file is closed.
        file = path.open("wb", buffering=0)
    except OSError as error:
        raise SettingsError(f"--events: {path} cannot be written: {error.strerror}") from error
    with file:
        log = EventLog(file)

        def both(event: Event) -> None:
            emit(event)
            log.write(event)

        yield both
    if log.failure:
        say(f"not all events were written to {path}: {log.failure}")


class EventLog:
    """A file of events, which come from several threads; one that fails does not end the review."""

    def __init__(self, file: IO[bytes]) -> None:
        self.failure = ""
        self._file = file
        self._lock = threading.Lock()

    def write(self, event: Event) -> None:
        """Add a line, at once, so that others can follow."""
        entry = {"type": event.name, "data": event.data, "timestamp": event.data.get("timestamp", "")}
        line = json.dumps(entry, default=str)
        with self._lock:
            if self.failure:
                return
            try:
                self._file.write(line.encode() + b"\n")
            except OSError as error:
                self.failure = error.strerror or type(error).__name__


@contextmanager
def live_progress() -> Iterator[Emit]:
    """Yield what takes the events of a review, and draw it four times a second until the review is over."""
    from rich.console import Console  # noqa: PLC0415 - only a terminal needs it
    from rich.live import Live  # noqa: PLC0415

    console, progress, started = Console(stderr=True), ReviewProgress(), time.monotonic()

    def draw() -> "Text":
        return drawn(progress, time.monotonic() - started, console)

    def follow(event: Event) -> None:
        progress.follow(event)

    with Live(get_renderable=draw, console=console, refresh_per_second=4, transient=True):
        yield follow


def drawn(progress: ReviewProgress, seconds: float, console: "Console") -> "Text":
    """The picture of a moment; what models wrote is plain text in it, never markup."""
    from rich.text import Text  # noqa: PLC0415 - only a terminal needs it

    minutes, rest = divmod(int(seconds), 60)
    text = Text(
        f"{progress.headline()}, {minutes}:{rest:02}", style="bold", no_wrap=True, overflow="ellipsis"
    )
    for name, doing in progress.rows():
        text.append(f"\n  {name.ljust(MAX_NAME_LENGTH)} ", style="not bold")
        text.append(doing, style="not bold dim")
    return Text(encodable(text.plain, console.encoding)) if console.encoding.lower() != "utf-8" else text
