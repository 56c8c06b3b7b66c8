"""Show on a terminal which cases an evaluation is at; stay silent elsewhere."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from affidavit.lab.evaluation.run import CaseState, Follow, follow_nothing
from affidavit.render.safe_text import one_line

MAX_ID_LENGTH = 40


@contextmanager
def show_cases(total: int, *, is_quiet: bool) -> Iterator[Follow]:
    """Yield what takes the states of cases."""
    if is_quiet or not sys.stderr.isatty():
        yield follow_nothing
        return
    from rich.console import Console  # noqa: PLC0415 - only a terminal needs it
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    columns = (
        MofNCompleteColumn(),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("", total=total)
        working: dict[str, None] = {}

        def follow(case_id: str, state: CaseState) -> None:
            if state == "started":
                working[case_id] = None
            else:
                working.pop(case_id, None)
                progress.advance(bar)
            progress.update(bar, description=", ".join(one_line(one, MAX_ID_LENGTH) for one in working))

        yield follow
