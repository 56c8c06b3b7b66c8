"""Whether a run failed at its surroundings, not at the code: its output in, what was not there out."""

import re
from collections.abc import Callable, Iterable, Iterator

from affidavit.proof.running.own_names import NOTHING_OWN, OwnNames
from affidavit.records.runs.run import KeptRun, ProgramRun

MISSING = re.compile(
    r"No module named '?([\w.]+)|Cannot find (?:module|package) '([^'./][^']*)'"
    r"|no required module provides package ([\w./-]+)|cannot load such file -- ([\w/.-]+)"
    r"|cannot find module providing package ([\w./-]+)|No package metadata was found for ([\w.-]+)"
    r"|Can't locate ([\w/]+)\.pm in @INC|spawn ([\w.+-]+) ENOENT"
    r"|([^\s:]{1,100}\.so[\d.]{0,20}): cannot open shared object file"
    r"|^(?:[^\s:]+: (?:line )?\d+: )?([\w.+-]+): (?:command )?not found$",
    re.MULTILINE,
)
"""What an interpreter says where a dependency is not there."""
NOT_STARTED = re.compile(r"No such file or directory: '([\w.+-]+)'$")
"""What Python says of a program that it cannot start, in the line after the call that starts it."""
STARTS = "_execute_child"
NETWORK = re.compile(
    r"gaierror|getaddrinfo|\b(?:EAI_AGAIN|ENOTFOUND|ENETUNREACH|ENETDOWN|EHOSTUNREACH|ECONNREFUSED)\b"
    r"|Temporary failure in name resolution|Name or service not known|Could not resolve host"
    r"|[Nn]etwork is unreachable|[Nn]o route to host|[Cc]onnection refused|dial tcp: lookup"
)
"""What is said where there is no network."""
ERROR_LINE = re.compile(r"^(?:E\s+|\s*\[cause\]: |Uncaught |panic: )?[\w.:]*(?:Error|Exception|gaierror)\b.*")
CHAINED = re.compile(r"direct cause of the following|During handling of the above|\[cause\]: ")
IN_AN_ENVIRONMENT = "name an environment that has it with --environment"
WITHOUT_NETWORK = "programs have no network: it says nothing about the change"
WITHIN_LIMITS = "ask for less, or allow more time (`seconds`, --run-seconds)"
MAX_LINE = 2_000
"""How far into a line is looked: a flood of one line must take no time."""
Holds = Callable[[str], bool]


def lacking_in(run: ProgramRun, own: OwnNames = NOTHING_OWN) -> str:
    """What a program that failed lacks that the environment should have."""
    if run.state != "exited" or not run.exit_code:
        return ""
    return next((name for _, name in _missing_lines(run.output, own)), "")


def blocked_by(run: ProgramRun, own: OwnNames, holds: Holds | None = None) -> str:
    """Why a run shows nothing of the code, with what to do; empty where it does.

    `holds` says whether the declared pattern matches a text. Where it still does without the lines in which
    the surroundings fail, and the program did not end by such a failure, it showed what it was written for.
    """
    found = {**{line: _network_words(line) for line in _network_lines(run.output)}}
    found |= {line: missing_words(name) for line, name in _missing_lines(run.output, own)}
    if not found or run.state != "exited" or (not run.exit_code and holds is None):
        return ""
    lines = run.output.splitlines()
    errors = [line for line in lines if ERROR_LINE.match(line)]
    is_chained = bool(CHAINED.search(run.output)) and any(line in found for line in errors)
    ended_by_it = bool(run.exit_code) and (is_chained or bool(errors and errors[-1] in found))
    others = "\n".join(line for line in lines if line not in found)
    if holds is not None and not ended_by_it and holds(others):
        return ""
    return next(iter(found.values()))


def stopped_by(run: ProgramRun) -> str:
    """Which limit ended a run, or why it did not begin; empty where it ended by itself."""
    if run.state == "not_started":
        return run.detail or "it was not started"
    if run.state == "exited":
        return ""
    return f"{run.summary.removeprefix('ended: ')}, and was ended: {WITHIN_LIMITS}"


def missed_on_one_side(base: Iterable[ProgramRun], head: Iterable[ProgramRun], own: OwnNames) -> str:
    """Which package the code of one side alone went on without; empty where both had the same surroundings.

    What both sides miss they miss alike, and what the repository has itself no environment could bring.
    """
    at_base, at_head = (
        {name for run in runs for name in run.missing if not own.has(name)} for runs in (base, head)
    )
    for side, names in (("head", at_head - at_base), ("base", at_base - at_head)):
        if names:
            went_on = f"{min(names)} is not there, and the code at {side} goes on without it"
            return f"{went_on}: {IN_AN_ENVIRONMENT}"
    return ""


def shows_nothing(kept: KeptRun, own: OwnNames) -> str:
    """Why what a program did decides nothing; that it did not end in time may decide."""
    runs = [run for run in (kept.base, kept.head) if run]
    for run in runs:
        why = run.detail or "not started" if run.state == "not_started" else blocked_by(run, own)
        if why:
            return f"at {run.side} {why}"
    both = len(runs) > 1
    return missed_on_one_side(runs[:1], runs[1:], own) if both else ""


def says_of_surroundings(run: ProgramRun, own: OwnNames) -> str:
    """What a run prints about surroundings that fail, however it ended."""
    network = next(map(_network_words, _network_lines(run.output)), "")
    return network or next((missing_words(name) for _, name in _missing_lines(run.output, own)), "")


def missing_words(name: str) -> str:
    """That something is not there, and what to do."""
    return f"{name} is not there: {IN_AN_ENVIRONMENT}"


def _network_words(line: str) -> str:
    said = NETWORK.search(line[:MAX_LINE])
    return f"it opened a connection ({said[0] if said else ''}): {WITHOUT_NETWORK}"


def _network_lines(output: str) -> Iterator[str]:
    return (line for line in output.splitlines() if NETWORK.search(line[:MAX_LINE]))


def _missing_lines(output: str, own: OwnNames) -> Iterator[tuple[str, str]]:
    for line in output.splitlines():
        found = MISSING.search(line[:MAX_LINE]) or (
            NOT_STARTED.search(line[-MAX_LINE:]) if STARTS in output else None
        )
        name = next((one for one in found.groups() if one), "") if found else ""
        if name and not own.has(name):
            yield line, name
