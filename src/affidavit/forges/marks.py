"""The mark that a comment of ours carries in its first line, unseen by people: written, and read again.

A mark counts only in the first line of a comment of our own account: everything below it may quote a change,
and a change may quote a mark.
"""

import re
from typing import Literal

from affidavit.records.record import Record

MarkKind = Literal["summary", "finding", "reply"]
_MARK = re.compile(r"<!-- affidavit:(summary|finding|reply)((?: [a-z]+=[\w./:,+-]*)*) -->")
_VALUE = re.compile(r"[^\w./:,+-]")
MAX_LISTED = 400
"""Fingerprints in the mark of a summary: with their states, less than ten thousand characters."""


class Mark(Record):
    """What a comment of ours is about."""

    kind: MarkKind
    fingerprint: str = ""
    """Of the finding; in a reply, of the one that its thread is about."""
    also: tuple[str, ...] = ()
    """Further names of the finding: those with the same cause, and those that it had before it moved."""
    rule: str = ""
    by: Literal["machine", "model", ""] = ""
    report: str = ""
    head: str = ""
    to: str = ""
    """What a reply answers: the id of a comment, or a word such as `fixed`."""
    run: str = ""
    """In a summary: the job that posted it and keeps its report, where the forge finds it by nothing else."""
    listed: tuple[str, ...] = ()
    """In a summary: the fingerprints that it speaks of."""

    @property
    def names(self) -> frozenset[str]:
        """All names of the finding."""
        return frozenset(name for name in (self.fingerprint, *self.also) if name)


def write_mark(mark: Mark) -> str:
    """The first line of a comment."""
    pairs = {
        "finding": mark.fingerprint,
        "also": ",".join(mark.also),
        "rule": mark.rule,
        "by": mark.by,
        "report": mark.report,
        "head": mark.head,
        "to": mark.to,
        "run": mark.run,
        "listed": ",".join(mark.listed[:MAX_LISTED]),
    }
    # `--` would end the comment early, in which a mark is hidden.
    said = "".join(
        f" {name}={_VALUE.sub('_', value).replace('--', '-')}" for name, value in pairs.items() if value
    )
    return f"<!-- affidavit:{mark.kind}{said} -->"


def read_mark(body: str) -> Mark | None:
    """The mark of a comment, if its first line is one; whose comment it is must be known already."""
    found = _MARK.match(body.lstrip("\ufeff").split("\n", 1)[0].rstrip("\r"))
    if found is None:
        return None
    pairs = dict(pair.split("=", 1) for pair in found[2].split())
    by = pairs.get("by", "")
    return Mark(
        kind=found[1],
        fingerprint=pairs.get("finding", ""),
        also=_split(pairs.get("also", "")),
        rule=pairs.get("rule", ""),
        by=by if by in ("machine", "model") else "",
        report=pairs.get("report", ""),
        head=pairs.get("head", ""),
        to=pairs.get("to", ""),
        run=pairs.get("run", ""),
        listed=_split(pairs.get("listed", "")),
    )


def _split(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.split(",") if part)
