"""A sandbox with one of its walls taken away, to show what a hostile program can do without it."""

from collections.abc import Iterator

from affidavit.sandbox.bubblewrap import Bubblewrap
from affidavit.sandbox.job import SOURCE, Job

VALUES = {"--seccomp": 1, "--remount-ro": 1, "--dev-bind": 2}


class Breached(Bubblewrap):
    """Bubblewrap without some of the arguments that make its walls."""

    def __init__(self, whole: Bubblewrap, gone: tuple[str, ...]) -> None:
        super().__init__(whole.program)
        self._gone = gone

    def arguments(self, job: Job, *, filter_fd: int, report_fd: int) -> list[str]:
        given = super().arguments(job, filter_fd=filter_fd, report_fd=report_fd)
        if "--unshare-pid" in self._gone:
            # Without processes of its own it is shown everybody's.
            at = given.index("--proc")
            given[at : at + 2] = ["--ro-bind", "/proc", "/proc"]
            given.remove("--disable-userns")
        if "--ro-bind" in self._gone:
            at = given.index(SOURCE) - 2
            given[at] = "--bind"
        return list(self._kept(given))

    def _kept(self, given: list[str]) -> Iterator[str]:
        skip = 0
        for argument in given:
            if skip:
                skip -= 1
            elif argument in self._gone and argument != "--ro-bind":
                skip = VALUES.get(argument, 0)
            else:
                yield argument


def without_wall(sandbox: Bubblewrap, *gone: str) -> Breached:
    """The same sandbox without these walls."""
    return Breached(sandbox, gone)
