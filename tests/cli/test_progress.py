"""Whoever waits for a review sees its stage, who is at work, tokens and money."""

import io
import os
import pty
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from rich.console import Console

from affidavit.cli.progress import MAX_NAMED, ReviewProgress, drawn, show_progress
from affidavit.events import Event, EventName, event, handoff, ignore_events


def followed(*events: Event) -> tuple[ReviewProgress, list[str]]:
    progress = ReviewProgress()
    lines = [progress.follow(each) for each in events]
    return progress, [line for line in lines if line]


def started(name: str, model: str | None = "m") -> Event:
    return event(EventName.AGENT_STARTED, agent="reviewer", specialist=name, model=model)


def spent(tokens: int, usd: float | None) -> Event:
    return event(EventName.USAGE_UPDATED, input_tokens=tokens, output_tokens=5, cached_tokens=0, cost_usd=usd)


def picture(progress: ReviewProgress, encoding: str = "utf-8") -> str:
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    console = Console(file=out, width=90, force_terminal=False)
    console.print(drawn(progress, 61.5, console))
    out.flush()
    return out.buffer.getvalue().decode(encoding)  # type: ignore[attr-defined]


def test_the_stage_who_is_at_work_tokens_and_money_are_shown() -> None:
    progress, _ = followed(
        event(EventName.AGENT_STARTED, agent="planner", specialist="planner", model="m"),
        handoff("planner", "reviewer", chunks_count=1),
        started("logic"),
        spent(1_234, 0.0123),
    )
    assert picture(progress) == "1:01 looking for problems, 1,239 tokens, 0.0123 USD: logic\n"


def test_money_that_nobody_knows_is_not_shown() -> None:
    assert followed(spent(10, None))[0].headline() == "reading the change, 15 tokens"


def test_who_has_finished_is_not_at_work() -> None:
    done = event(EventName.SPECIALIST_FINISHED, agent="reviewer", specialist="logic", duration_ms=1)
    progress, _ = followed(started("logic"), started("security"), done)
    assert progress.headline() == "reading the change: security"


def test_the_files_and_who_has_finished_are_counted() -> None:
    progress = ReviewProgress(files=5_077)
    done = event(EventName.SPECIALIST_FINISHED, agent="reviewer", specialist="ruff", duration_ms=1)
    for each in (handoff("planner", "reviewer"), started("ruff", None), started("ty", None), done):
        progress.follow(each)
    assert progress.headline() == "looking for problems in 5,077 files (1 of 2 done): ty"


def test_the_judged_findings_are_counted() -> None:
    verified = event(EventName.FINDING_VERIFIED, title="t", status="verified", confidence=0.9)
    progress, _ = followed(handoff("reviewer", "verifier", findings_count=3), verified)
    assert progress.headline() == "checking the findings (1 of 3 judged)"


def test_of_very_many_the_first_are_named_and_the_rest_counted() -> None:
    progress, _ = followed(*(started(f"logic@{number}") for number in range(30)))
    assert progress.headline().endswith(f"and {30 - MAX_NAMED} more")


def test_the_name_of_a_specialist_is_shown_and_does_nothing() -> None:
    shown = picture(followed(started("[red]\x1b[2J\u202e" + "x" * 500))[0])
    assert "[red]␛[2J<U+202E>xxx" in shown
    assert "\x1b" not in shown
    assert all(len(line) <= 110 for line in shown.splitlines())


def test_a_terminal_that_knows_no_unicode_is_no_reason_to_fail() -> None:
    assert "reading the change" in picture(followed(started("ü"))[0], encoding="ascii")


def test_a_review_with_a_model_leaves_plain_lines_and_one_without_leaves_none() -> None:
    ended = [
        event(EventName.SPECIALIST_FINISHED, agent="reviewer", specialist=name, duration_ms=1)
        for name in ("ruff", "logic")
    ]
    course = [handoff("planner", "reviewer", chunks_count=3), *ended, spent(10, 0.5)]
    course += [handoff("reviewer", "verifier", findings_count=2)]
    assert followed(started("ruff", None), *course)[1] == []
    assert followed(started("ruff", None), started("logic"), *course)[1] == [
        "looking for problems, in 3 parts",
        "logic has finished",
        "checking the findings: 2, 15 tokens, 0.5000 USD",
    ]


def test_quiet_means_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress(is_quiet=True) as emit:
        assert emit is ignore_events


SCRIPT = """
import sys, time
from affidavit.cli.progress import show_progress
from affidavit.events import EventName, event
with show_progress(is_quiet=False) as emit:
    emit(event(EventName.AGENT_STARTED, agent="reviewer", specialist="logic", model="m"))
    emit(event(EventName.USAGE_UPDATED, input_tokens=4000, output_tokens=1, cost_usd=0.25))
"""


def on_a_terminal(code: str) -> str:
    """What a program writes to a real terminal."""
    ours, theirs = pty.openpty()
    pieces: list[bytes] = []

    def drain() -> None:
        try:
            while piece := os.read(ours, 65_536):
                pieces.append(piece)
        except OSError:
            return  # The other end is closed.

    reading = threading.Thread(target=drain)
    reading.start()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    done = subprocess.run(
        [sys.executable, "-c", code], stdin=theirs, stdout=theirs, stderr=theirs, env=environment, check=False
    )
    os.close(theirs)
    reading.join()
    os.close(ours)
    assert done.returncode == 0
    return b"".join(pieces).decode()


def test_on_a_terminal_it_is_live_and_leaves_nothing_behind() -> None:
    written = on_a_terminal(SCRIPT)
    assert "4,001 tokens, 0.2500 USD" in written
    assert "logic" in written
    # The last thing that is written takes the picture away again.
    assert written.rstrip().endswith("\x1b[2K")


def test_in_a_pipe_there_is_no_sign_of_a_terminal(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, check=True, cwd=tmp_path)
    assert (done.stdout, done.stderr) == (b"", b"")
