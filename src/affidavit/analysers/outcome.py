"""Read the output of a run: its diagnostics, and the files that it did not read."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from affidavit.analysers.analyser import Printed, Reading
from affidavit.analysers.execution import Limits, Outcome
from affidavit.analysers.task import Task
from affidavit.records.evidence import IN_NAME, AnalyserDiagnostic, RunState, Unread

MISREAD = (ValueError, KeyError, TypeError, AttributeError, RecursionError)


@dataclass(frozen=True)
class Found:
    """The output of a successful run, with paths as printed."""

    diagnostics: Sequence[AnalyserDiagnostic]
    reading: Reading


def read_outcome(
    task: Task, outcome: Outcome, listing: Outcome | None, limits: Limits
) -> tuple[RunState, Found | None, str]:
    name = f"{task.analyser.name} on {task.side}"
    said = f": {outcome.last_words}" if outcome.last_words else ""
    ends: dict[str, tuple[RunState, str]] = {
        "timed_out": ("timed_out", f"took longer than {limits.timeout_seconds:g} s and was ended"),
        "flooded": ("unreadable", f"printed more than {limits.output_mb} MB and was ended"),
        "not_started": ("crashed", f"could not be started{said}"),
    }
    if outcome.state in ends:
        state, what = ends[outcome.state]
        return state, None, f"{name} {what}"
    if outcome.exit_code not in task.analyser.accepted_exit_codes:
        return "crashed", None, f"{name} ended with exit code {outcome.exit_code}{said}"
    if listing is not None and (listing.state, listing.exit_code) != ("exited", 0):
        return "crashed", None, f"{name} could not list its files"
    try:
        found = task.analyser.read_output(outcome.output.decode("utf-8"))
    except MISREAD as error:
        ended = f"ended with exit code {outcome.exit_code} and " if outcome.exit_code else ""
        return "unreadable", None, f"{name} {ended}printed what cannot be read ({type(error).__name__})"
    try:
        reading = task.analyser.read_files(_printed(outcome, listing))
    except MISREAD as error:
        return "unreadable", None, f"{name} could not read every file: {error}"
    return "completed", Found(found, reading), ""


def _printed(outcome: Outcome, listing: Outcome | None) -> Printed:
    def text(printed: bytes) -> str:
        return printed.decode("utf-8", errors="replace")

    listed = text(listing.output) if listing else ""
    return Printed(text(outcome.output), text(outcome.errors), outcome.exit_code, listed)


def sort_out(task: Task, found: Found, code: Path) -> tuple[list[AnalyserDiagnostic], list[Unread]]:
    """Return the diagnostics of our rules, and the files that were not read."""
    laid = task.laid
    located = [
        one.model_copy(update={"path": laid[name]})
        for one in found.diagnostics
        if (name := _name_in_checkout(one.path, code)) in laid
    ]
    unread = {
        laid[name]: Unread(path=laid[name], why=why, detail=detail)
        for printed, (why, detail) in found.reading.unread.items()
        if (name := _name_in_checkout(printed, code)) in laid
    }
    read = _answering(task, located) if task.analyser.canary else _seen(task, found.reading, code)
    for path in task.paths:
        if path not in read and path not in unread:
            unread[path] = _left_out(task, path, found.reading)
    for one in located:
        if one.rule in task.analyser.syntax_rules and one.path not in unread:
            unread[one.path] = Unread(path=one.path, why="unparsed", detail=f"line {one.line}: {one.message}")
    kept = [_in_name(task, _fitting(task, one)) for one in located if one.rule in task.analyser.rules]
    kept += [one for path in task.paths if path not in unread for one in _added(task, path)]
    return kept, [unread[path] for path in task.paths if path in unread]


def _added(task: Task, path: str) -> Iterable[AnalyserDiagnostic]:
    """Return the reports of our own checks."""
    return task.analyser.adds(path, task.text_of(path).decode("utf-8", errors="replace"))


def _fitting(task: Task, one: AnalyserDiagnostic) -> AnalyserDiagnostic:
    """Drop the edits of a file that the analyser got otherwise than the tree has it."""
    return one.model_copy(update={"edits": ()}) if one.edits and one.path in task.rewritten else one


def _in_name(task: Task, one: AnalyserDiagnostic) -> AnalyserDiagnostic:
    """Move a diagnostic in the line with the file's name to the name."""
    canary = task.analyser.canary
    is_name = canary is not None and one.line == canary.name_in(task.text_of(one.path))
    return one.model_copy(update={"line": IN_NAME}) if is_name else one


def _name_in_checkout(printed: str, code: Path) -> str:
    path = unquote(printed.removeprefix("file://")) if "://" in printed else printed
    inside = path.removeprefix(f"{code.resolve()}/").removeprefix(f"{code}/")
    return inside.removeprefix("./").removeprefix("./")


def _seen(task: Task, reading: Reading, code: Path) -> set[str]:
    if reading.read is None:
        return set(task.paths)
    # The checkout's own name is made up for each run: text of a file that an analyser repeats cannot name it.
    own = (f"{code}/", f"{code.resolve()}/")
    named = (one for one in reading.read if not reading.is_log or one.startswith(own))
    return {task.laid.get(_name_in_checkout(printed, code), "") for printed in named}


def _answering(task: Task, located: Sequence[AnalyserDiagnostic]) -> set[str]:
    """Return the files whose canary was reported in the last line: they were read to their end."""
    canary = task.analyser.canary
    answered = {(one.path, one.line) for one in located if canary and one.rule == canary.rule}
    return {path for path, line in answered if canary and line == canary.line_in(task.text_of(path))}


def _left_out(task: Task, path: str, reading: Reading) -> Unread:
    if reading.others is not None:
        return Unread(path=path, why=reading.others[0], detail=reading.others[1])
    if task.invocation.has_exclusions:
        return Unread(path=path, why="excused", detail="the repository's configuration leaves it out")
    return Unread(path=path, why="left_out", detail=f"{task.analyser.name} was not seen to read it")
