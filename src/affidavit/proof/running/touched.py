"""Tell whether runs read anything that the change touches: those that did not prove nothing about it."""

from collections.abc import Collection, Iterable, Sequence

from affidavit.records.program_runs import ProgramRun
from affidavit.records.report import Reply

NOTHING_TOUCHED = "no run executed or read what the change touches"
EXPERIMENTER = "experimenter"
READ_BY_TOOLS = frozenset(
    (
        *("package.json", "tsconfig.json", "go.mod", "go.sum"),
        *("pyproject.toml", "setup.cfg", "pytest.ini", "tox.ini"),
    )
)
"""Files that interpreters and test runners read for any program."""


def is_untouched(runs: Sequence[ProgramRun], changed: Collection[str]) -> bool:
    """Check whether it is known of all runs that they read no file of the change."""
    telling = telling_files(changed)
    return bool(telling) and all(run.touched is not None and telling.isdisjoint(run.touched) for run in runs)


def telling_files(changed: Iterable[str]) -> frozenset[str]:
    """Return the changed files that only a program about the change reads; all, if there are no such."""
    every = frozenset(changed)
    return frozenset(path for path in every if path.rpartition("/")[2] not in READ_BY_TOOLS) or every


def files_seen(reply: Reply, paths: Iterable[str]) -> tuple[str, ...]:
    """Return the files that count as examined: an experimenter must have read or run them."""
    if reply.specialist.partition("@")[0] != EXPERIMENTER or reply.uses is None:
        return tuple(paths)
    runs = [run for probe in reply.probes for run in (*probe.base, *probe.head)]
    seen = {path for use in reply.uses for path in use.read}
    seen |= {path for run in runs for path in run.touched or ()}
    return tuple(path for path in paths if path in seen)
