"""Find out from its output whether a run failed because of its surroundings, not the code."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from affidavit.proof.running.own_names import NOTHING_OWN, OwnNames
from affidavit.records.program_runs import AlteredFile, ProgramRun

MISSING = re.compile(
    r"No module named '?([\w.]+)|Cannot find (?:module|package) '([^'./][^']*)'"
    r"|no required module provides package ([\w./-]+)|cannot load such file -- ([\w/.-]+)"
    r"|cannot find module providing package ([\w./-]+)|No package metadata was found for ([\w.-]+)"
    r"|Can't locate ([\w/]+)\.pm in @INC|spawn ([\w.+-]+) ENOENT"
    r"|([^\s:]{1,100}\.so[\d.]{0,20}): cannot open shared object file"
    r"|^(?:[^\s:]+: (?:line )?\d+: )?([\w.+-]+): (?:command )?not found$",
    re.MULTILINE,
)
"""Error messages about a missing dependency."""
NOT_STARTED = re.compile(r"No such file or directory: '([\w.+-]+)'$")
"""Python's error about a program that it cannot start, in the line after the call."""
STARTS = "_execute_child"
NETWORK = re.compile(
    r"gaierror|getaddrinfo|\b(?:EAI_AGAIN|ENOTFOUND|ENETUNREACH|ENETDOWN|EHOSTUNREACH|ECONNREFUSED)\b"
    r"|Temporary failure in name resolution|Name or service not known|Could not resolve host"
    r"|[Nn]etwork is unreachable|[Nn]o route to host|[Cc]onnection refused|dial tcp: lookup"
)
"""Error messages about a missing network."""
DISK = re.compile(
    r"No space left on device|\b(?:ENOSPC|SQLITE_FULL|EFBIG)\b|database or disk is full"
    r"|\[Errno 27\] File too large|File size limit exceeded"
)
"""Error messages about a full disk of the sandbox."""
BY_NODE = re.compile(r"\b(?:ERR_)?MODULE_NOT_FOUND\b|\bfetch failed\b")
"""Short errors of Node, which code may also print itself: they count if the other side lacks them."""
NAMES_IT = re.compile(r"Cannot find (?:module|package)")
"""If Node names the module, that decides."""
ERROR_LINE = re.compile(r"^(?:E\s+|\s*\[cause\]: |Uncaught |panic: )?[\w.:]*(?:Error|Exception|gaierror)\b.*")
CHAINED = re.compile(r"direct cause of the following|During handling of the above|\[cause\]: ")
IN_AN_ENVIRONMENT = "name an environment that has it with --environment"
WITHOUT_NETWORK = "programs have no network: it says nothing about the change"
WITHIN_LIMITS = "ask for less, or allow more time (`seconds`, --run-seconds)"
ASK_FOR_LESS = "ask for less"
WITHOUT = "what it does without {} says nothing about the change"
MAX_LINE = 2_000
"""How far a line is searched, so that a huge line takes no time."""
Holds = Callable[[str], bool]


def missing_dependency(run: ProgramRun, own: OwnNames = NOTHING_OWN) -> str:
    """Return what a failed program lacks that the environment should have."""
    if run.state != "exited" or not run.exit_code:
        return ""
    return next((name for _, name in _missing_lines(run.output, own)), "")


def blocked_by(
    run: ProgramRun, own: OwnNames, holds: Holds | None = None, others: Sequence[ProgramRun] = ()
) -> str:
    """Say why a run shows nothing of the code, and what to do; empty if it does.

    `holds` checks the declared pattern. If it matches without the lines in which the surroundings fail, and
    the program did not end by such a failure, the run counts. `others` are the runs of the other side.
    """
    left_out = next((one for one in run.altered if one.is_left_out), None)
    if left_out is not None:
        return altered_words(left_out)
    found = dict(_failing_lines(run, own, others))
    if not found or run.state != "exited" or (not run.exit_code and holds is None):
        return ""
    lines = run.output.splitlines()
    errors = [line for line in lines if ERROR_LINE.match(line)]
    is_chained = bool(CHAINED.search(run.output)) and any(line in found for line in errors)
    ended_by_it = bool(run.exit_code) and (is_chained or bool(errors and errors[-1] in found))
    remaining = "\n".join(line for line in lines if line not in found)
    if holds is not None and not ended_by_it and holds(remaining):
        return ""
    return next(iter(found.values()))


def stopped_by(run: ProgramRun) -> str:
    """Say which limit ended a run, or why it did not begin; empty if it ended by itself."""
    if run.state == "not_started":
        return run.detail or "it was not started"
    if run.state == "exited":
        return ""
    if run.state == "out_of_disk":
        return f"its disk was full: {ASK_FOR_LESS}"
    return f"{run.summary.removeprefix('ended: ')}, and was ended: {WITHIN_LIMITS}"


def missed_on_one_side(base: Iterable[ProgramRun], head: Iterable[ProgramRun], own: OwnNames) -> str:
    """Say which package only one side went on without; empty if both missed the same.

    The repository's own names do not count: no environment could provide them.
    """
    at_base, at_head = (
        {name for run in runs for name in run.missing if not own.has(name)} for runs in (base, head)
    )
    side, name = of_one_side(at_base, at_head)
    went_on = f"{name} is not there, and the code at {side} goes on without it"
    return f"{went_on}: {IN_AN_ENVIRONMENT}" if name else ""


def of_one_side(at_base: Iterable[str], at_head: Iterable[str]) -> tuple[str, str]:
    """Return the side that has a name which the other lacks, and the name; empty if there is none."""
    before, after = set(at_base), set(at_head)
    for side, names in (("head", after - before), ("base", before - after)):
        if names:
            return side, min(names)
    return "", ""


def surroundings_errors(run: ProgramRun, own: OwnNames) -> str:
    """Say what a run prints about failing surroundings; a module is missing only where the program failed."""
    said = (words for _, words in _failing_lines(run, own))
    return next((one for one in said if run.exit_code or not one.endswith(IN_AN_ENVIRONMENT)), "")


def altered_words(one: AlteredFile) -> str:
    """Say that a run read a file that differs from the commit."""
    if one.is_left_out:
        return f"it read {one.path}, which copies leave out because it is above 5 MB: {WITHOUT.format('it')}"
    return f"it read {one.path}, which its copy has without the secrets in it: {WITHOUT.format('them')}"


def missing_words(name: str) -> str:
    """Say that something is missing, and what to do."""
    return f"{name} is not there: {IN_AN_ENVIRONMENT}"


def told_to_models(words: str) -> str:
    """Leave out advice that only the user can follow."""
    return words.replace(f": {IN_AN_ENVIRONMENT}", "")


def _failing_lines(
    run: ProgramRun, own: OwnNames, others: Sequence[ProgramRun] = ()
) -> Iterator[tuple[str, str]]:
    """Yield each line in which the surroundings fail, and what it says."""
    lines = run.output.splitlines()
    for line in lines:
        if said := NETWORK.search(line[:MAX_LINE]):
            yield line, _network_words(said[0])
    yield from ((line, missing_words(name)) for line, name in _missing_lines(run.output, own))
    for line in lines:
        if said := DISK.search(line[:MAX_LINE]):
            yield line, f"its disk was full ({said[0]}): {ASK_FOR_LESS}"
        elif (said := BY_NODE.search(line[:MAX_LINE])) and not _is_said_otherwise(said[0], run, others):
            yield line, _node_words(said[0])


def _is_said_otherwise(word: str, run: ProgramRun, others: Sequence[ProgramRun]) -> bool:
    """Check whether Node's few words add nothing: the other side says them, or the module is named."""
    is_named = word.endswith("NOT_FOUND") and bool(NAMES_IT.search(run.output))
    return is_named or any(word in other.output for other in others)


def _node_words(said: str) -> str:
    return _network_words(said) if said == "fetch failed" else missing_words(f"a module ({said})")


def _network_words(said: str) -> str:
    return f"it opened a connection ({said}): {WITHOUT_NETWORK}"


def _missing_lines(output: str, own: OwnNames) -> Iterator[tuple[str, str]]:
    for line in output.splitlines():
        found = MISSING.search(line[:MAX_LINE]) or (
            NOT_STARTED.search(line[-MAX_LINE:]) if STARTS in output else None
        )
        name = next((one for one in found.groups() if one), "") if found else ""
        if name and not own.has(name):
            yield line, name
