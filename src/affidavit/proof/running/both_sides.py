"""Whether base and head ran in the same surroundings: the runs of both in, what differs out."""

from collections.abc import Iterable, Sequence

from affidavit.proof.running.own_names import OwnNames
from affidavit.proof.running.surroundings import (
    WITHOUT_NETWORK,
    altered_words,
    blocked_by,
    missed_on_one_side,
    of_one_side,
    stopped_by,
)
from affidavit.records.runs.run import KeptRun, ProgramRun

MAY_DECIDE = ("exited", "timed_out")
"""How a run ends that shows something: that it does not end in time may be what was asked."""


def unlike_surroundings(base: Sequence[ProgramRun], head: Sequence[ProgramRun], own: OwnNames) -> str:
    """What one side alone lacked or read otherwise than its commit; empty where both ran in the same."""
    return missed_on_one_side(base, head, own) or _unreached(base, head) or _read_otherwise(base, head)


def _unreached(base: Iterable[ProgramRun], head: Iterable[ProgramRun]) -> str:
    at_base, at_head = ({name for run in runs for name in run.unreached} for runs in (base, head))
    side, name = of_one_side(at_base, at_head)
    went_on = f"{name} cannot be reached, and the code at {side} goes on without it"
    return f"{went_on}: {WITHOUT_NETWORK}" if name else ""


def _read_otherwise(base: Sequence[ProgramRun], head: Sequence[ProgramRun]) -> str:
    """Which file that is not the commit's was read: one of the change, or any on one side alone."""
    for runs in (head, base):
        changed = next((one for run in runs for one in run.altered if one.is_changed), None)
        if changed is not None:
            return f"at {runs[0].side} {altered_words(changed)}"
    if any(run.state != "exited" for run in (*base, *head)):
        # Of a run that was ended nobody knows what else it read.
        return ""
    at_base, at_head = ({one.path: one for run in runs for one in run.altered} for runs in (base, head))
    side, path = of_one_side(at_base.keys(), at_head.keys())
    return f"at {side} alone {altered_words((at_base | at_head)[path])}" if path else ""


def shows_nothing(kept: KeptRun, own: OwnNames) -> str:
    """Why what a program did decides nothing; that it did not end in time may decide."""
    base, head = ([run] if run else [] for run in (kept.base, kept.head))
    for runs, others in ((base, head), (head, base)):
        for run in runs:
            stopped = "" if run.state in MAY_DECIDE else stopped_by(run)
            why = stopped or blocked_by(run, own, others=others)
            if why:
                return f"at {run.side} {why}"
    return unlike_surroundings(base, head, own) if base and head else ""
