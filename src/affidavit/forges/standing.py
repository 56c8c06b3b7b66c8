"""Describe our comments on a pull request, their marks, and the answers to them."""

import re
from collections.abc import Callable, Collection, Iterable
from typing import Any, Literal

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
    """Write the first line of a comment."""
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
    """Return the mark of a comment of ours; None if its first line is not one."""
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


Lifting = Literal["lifts", "author", "no_rights", "unknown"]
"""Whether a person's word lifts the gate, or why not: the author's own, no write access, not known."""

Edited = Literal["", "by_another", "by_unknown"]
"""Who beside its author has changed a comment: nobody, somebody, or nobody says who it was."""


class Person(Record):
    """Who said something, as far as it matters for what it does."""

    name: str
    is_bot: bool = False
    lifting: Lifting = "unknown"


class Said(Record):
    """A comment of somebody else's."""

    id: str
    by: Person
    body: str
    url: str = ""
    edited: Edited = ""
    """Unless it is nobody, the words may be another's."""


class OwnNote(Record):
    """A comment of our own account that carries a mark."""

    id: str
    mark: Mark
    body: str = ""
    url: str = ""
    created_at: str = ""
    thread: str = ""
    """What resolves the thread that it begins; empty where it begins none, or the forge did not say."""
    review: str = ""
    """The review that it came with, where the forge has such a thing."""
    is_resolved: bool = False
    resolved_by: str = ""
    """Empty where nobody did, or the forge did not say who."""
    path: str = ""
    line: int | None = None
    replies: tuple[Said, ...] = ()
    own_replies: tuple[Mark, ...] = ()
    edited: Edited = ""
    """Where its mark may be another's: what it is about is then known from nothing."""
    against: tuple[Person, ...] = ()
    """Who reacted with a thumb down."""


class Standing(Record):
    """All of it. `account` is ours; empty where nobody could say."""

    account: str = ""
    head: str = ""
    """The commit that is proposed now."""
    is_locked: bool = False
    """Nobody can comment."""
    author: str = ""
    """Who asks for the change to be taken: nobody approves or blocks their own."""
    notes: tuple[OwnNote, ...] = ()
    loose: tuple[Said, ...] = ()
    """Comments of others that belong to no thread of ours: a command may stand in one."""
    gate: str = ""
    """The id of the check run that we made for this head, where there is one."""
    gate_says: tuple[tuple[str, ...], str] | None = None
    """Of the newest commit status of that name about this request: the states that it may stand for (some
    forges have one word for several), and its words."""
    verdict: Literal["approve", "request_changes", ""] = ""
    """Return the verdict of our last review that still counts."""
    verdict_review: str = ""
    not_read: tuple[str, ...] = ()
    """What a missing token or right hides."""

    @property
    def summaries(self) -> list[OwnNote]:
        """Our summaries, the oldest first; there should be one."""
        found = [note for note in self.notes if note.mark.kind == "summary"]
        return sorted(found, key=_age)

    @property
    def findings(self) -> list[OwnNote]:
        """Our comments on findings, the oldest first."""
        return sorted((note for note in self.notes if note.mark.kind == "finding"), key=_age)

    def about(self, names: Iterable[str]) -> OwnNote | None:
        """The oldest comment on a finding that has one of these names."""
        wanted = set(names)
        return next((note for note in self.findings if note.mark.names & wanted), None)


Given = dict[str, Any]
"""An object as the forge answers it."""
Whose = Callable[[Standing], Collection[str]]
"""Choose the people whose rights are read."""


def with_rights(standing: Standing, rights: dict[str, Lifting]) -> Standing:
    """Add to each person whether they may lift the gate."""

    def known(person: Person) -> Person:
        return person.model_copy(update={"lifting": rights.get(person.name, person.lifting)})

    def heard(said: Iterable[Said]) -> tuple[Said, ...]:
        return tuple(one.model_copy(update={"by": known(one.by)}) for one in said)

    notes = tuple(
        note.model_copy(
            update={"replies": heard(note.replies), "against": tuple(known(one) for one in note.against)}
        )
        for note in standing.notes
    )
    return standing.model_copy(update={"notes": notes, "loose": heard(standing.loose)})


def _age(note: OwnNote) -> tuple[str, int, str]:
    return note.created_at, len(note.id), note.id
