"""Describe our comments on a pull request: their marks, and the answers to them."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from affidavit.errors import ForgeError
from affidavit.records.change import Comment
from affidavit.records.record import Record

MarkKind = Literal["summary", "finding", "reply"]
_MARK = re.compile(r"<!-- affidavit:(summary|finding|reply)((?: [a-z]+=[\w./:,+-]*)*) -->")
_VALUE = re.compile(r"[^\w./:,+-]")
MAX_COMMENT_LENGTH = 20_000
MAX_LISTED = 400
"""Limit of fingerprints in the mark of a summary."""


class Mark(Record):
    """The hidden first line of a comment of ours: which finding it is about."""

    kind: MarkKind
    fingerprint: str = ""
    """The finding's; in a reply, that of the thread's finding."""
    also: tuple[str, ...] = ()
    """Further fingerprints of the finding: of the same cause, and from before it moved."""
    rule: str = ""
    by: Literal["machine", "model", ""] = ""
    report: str = ""
    head: str = ""
    to: str = ""
    """In a reply: what it is for, such as `fixed`."""
    run: str = ""
    """In a summary: the GitLab job that posted it and keeps the report."""
    listed: tuple[str, ...] = ()
    """In a summary: the fingerprints with a comment on a line."""

    @property
    def names(self) -> frozenset[str]:
        return frozenset(name for name in (self.fingerprint, *self.also) if name)


_KEYS = {name: name for name in Mark.model_fields if name != "kind"} | {"fingerprint": "finding"}
"""Field to its name in a written mark."""
_LISTS = ("also", "listed")


def write_mark(mark: Mark) -> str:
    """Write the first line of a comment."""
    lists = {"also": ",".join(mark.also), "listed": ",".join(mark.listed[:MAX_LISTED])}
    values = {**mark.model_dump(exclude={"kind"}), **lists}
    # `--` would end the comment early, in which a mark is hidden.
    said = "".join(
        f" {_KEYS[name]}={_VALUE.sub('_', value).replace('--', '-')}"
        for name, value in values.items()
        if value
    )
    return f"<!-- affidavit:{mark.kind}{said} -->"


def read_mark(body: str) -> Mark | None:
    """Return the mark of a comment of ours; None if its first line is not one."""
    found = _MARK.match(body.lstrip("\ufeff").split("\n", 1)[0].rstrip("\r"))
    if found is None:
        return None
    pairs = dict(pair.split("=", 1) for pair in found[2].split())
    values: dict[str, Any] = {name: pairs.get(key, "") for name, key in _KEYS.items()}
    values |= {name: tuple(filter(None, values[name].split(","))) for name in _LISTS}
    if values["by"] not in ("machine", "model"):
        values["by"] = ""
    return Mark(kind=found[1], **values)


Lifting = Literal["lifts", "author", "no_rights", "unknown"]
"""Whether a person's dismissal lifts the gate, or why not."""

Edited = Literal["", "by_another", "by_unknown"]
"""Who edited a comment: only its author, somebody else, or unknown."""


class Person(Record):
    """The author of a comment, with the right to lift the gate."""

    name: str
    is_bot: bool = False
    lifting: Lifting = "unknown"


class Said(Record):
    id: str
    by: Person
    body: str
    url: str = ""
    created_at: str = ""
    path: str = ""
    line: int | None = None
    """At head."""
    edited: Edited = ""
    """Unless empty, somebody else may have changed the text."""
    node: str = ""
    """Its id in GraphQL."""


class OwnNote(Record):
    """A comment of our account with a mark."""

    id: str
    mark: Mark
    body: str = ""
    url: str = ""
    created_at: str = ""
    thread: str = ""
    """The id to resolve its thread; empty if there is none or the forge hides it."""
    is_resolved: bool = False
    resolved_by: str = ""
    """Empty if nobody did or the forge hides it."""
    path: str = ""
    replies: tuple[Said, ...] = ()
    own_replies: tuple[Mark, ...] = ()
    edited: Edited = ""
    """Unless empty, somebody else may have changed the mark."""


class Standing(Record):
    """The state of the pull request: our comments, the answers to them, our verdict and gate."""

    account: str = ""
    """Our account; empty if unknown."""
    head: str = ""
    """The current commit."""
    is_locked: bool = False
    """Nobody can comment."""
    author: str = ""
    """Who opened the request."""
    notes: tuple[OwnNote, ...] = ()
    loose: tuple[Said, ...] = ()
    """Comments outside our threads; one may contain a command."""
    gate_says: tuple[tuple[str, ...], str] | None = None
    """The newest commit status of ours: the states that it can mean (some forges have one word for several),
    and its text."""
    verdict: Literal["approve", "request_changes", ""] = ""
    """The verdict of our last review that still counts."""
    verdict_review: str = ""
    not_read: tuple[str, ...] = ()
    """What could not be read, and why."""

    @property
    def summaries(self) -> list[OwnNote]:
        """Return our summaries, the oldest first; there should be one."""
        found = [note for note in self.notes if note.mark.kind == "summary"]
        return sorted(found, key=_age)

    @property
    def findings(self) -> list[OwnNote]:
        """Return our comments on findings, the oldest first."""
        return sorted((note for note in self.notes if note.mark.kind == "finding"), key=_age)


Given = dict[str, Any]
"""An object as the forge answers it."""
Whose = Callable[[Standing], Collection[str]]
"""Choose the people whose rights are read."""


@dataclass(frozen=True)
class Thread:
    comments: tuple[Said, ...]
    id: str = ""
    is_resolved: bool = False
    resolved_by: str = ""


@dataclass(frozen=True)
class Talk:
    """Every comment on a pull request, in the same shape for all forges."""

    account: str = ""
    threads: tuple[Thread, ...] = ()
    not_read: tuple[str, ...] = ()
    people: Mapping[str, str] = field(default_factory=dict)
    """The ids of accounts by name, where the forge asks for rights by id."""

    def is_own(self, said: Said) -> bool:
        """Check whether our account wrote a comment."""
        return bool(self.account) and said.by.name == self.account

    @property
    def comments(self) -> tuple[Comment, ...]:
        """Return all comments except our own marked ones, the oldest first."""
        given = [
            (one, thread.is_resolved)
            for thread in self.threads
            for one in thread.comments
            if one.body.strip() and not (self.is_own(one) and read_mark(one.body))
        ]
        return tuple(
            Comment(
                author=one.by.name,
                body=one.body[:MAX_COMMENT_LENGTH],
                file=one.path or None,
                line=one.line if one.line and one.line > 0 else None,
                created_at=one.created_at,
                is_bot=one.by.is_bot,
                resolved=is_resolved,
            )
            for one, is_resolved in sorted(given, key=lambda pair: pair[0].created_at)
        )

    def with_editors(self, editors: Mapping[str, Edited]) -> "Talk":
        """Add who edited each comment, by the ids of GraphQL."""

        def known(one: Said) -> Said:
            return one.model_copy(update={"edited": editors.get(one.node, one.edited)})

        threads = (replace(one, comments=tuple(map(known, one.comments))) for one in self.threads)
        return replace(self, threads=tuple(threads))

    def whose_editor_counts(self, decides: Callable[[str], bool]) -> list[str]:
        """Return the ids of edited comments that decide something, or begin the thread of a decision."""
        found: list[Said] = []
        for thread in self.threads:
            deciding = [one for one in thread.comments if decides(one.body)]
            found += {one.id: one for one in (*deciding, *(thread.comments[:1] if deciding else ()))}.values()
        return [one.node for one in found if one.edited and one.node]


def edited_by_dates(given: Given) -> Edited:
    """Return who edited a comment by its dates: nobody, or unknown."""
    created = given.get("created_at")
    return "" if created and created == given.get("updated_at") else "by_unknown"


def by_editor(author: str, editor: str, edited_at: str | None) -> Edited:
    """Return who edited a comment; an editor without a name has deleted the account."""
    if not edited_at:
        return ""
    if not editor:
        return "by_unknown"
    return "" if editor == author else "by_another"


class Rights(Protocol):
    """The forge of a pull request, asked for the rights of people."""

    @property
    def has_token(self) -> bool:
        """Check whether requests have a token."""

    async def may_write(self, account: str) -> bool:
        """Check whether an account, by name or id, may push to the repository."""


async def read_standing(forge: Rights, talk: Talk, author: str, whose: Whose) -> Standing:
    """Return our comments with their answers, and the rights of the people that `whose` chooses."""
    notes: list[OwnNote] = []
    loose: list[Said] = []
    for thread in talk.threads:
        note = _own_note(talk, thread)
        if note:
            notes.append(note)
        else:
            loose += [one for one in thread.comments if not talk.is_own(one)]
    standing = Standing(
        account=talk.account, author=author, notes=tuple(notes), loose=tuple(loose), not_read=talk.not_read
    )
    rights: dict[str, Lifting] = {}
    for name in whose(standing):
        rights[name] = "author" if name == author else await _lifting(forge, talk.people.get(name, name))
    return _with_rights(standing, rights)


async def _lifting(forge: Rights, account: str) -> Lifting:
    try:
        return "lifts" if await forge.may_write(account) else "no_rights"
    except ForgeError as error:
        # 404: no member of the project. Without a token the forge may hide it.
        return "no_rights" if error.status == 404 and forge.has_token else "unknown"


def _own_note(talk: Talk, thread: Thread) -> OwnNote | None:
    """Return a thread as our note if a comment of ours begins it."""
    first, *answers = thread.comments
    mark = read_mark(first.body) if talk.is_own(first) else None
    if mark is None or mark.kind == "reply":
        return None
    own = (read_mark(one.body) for one in answers if talk.is_own(one))
    return OwnNote(
        id=first.id,
        mark=mark,
        body=first.body,
        url=first.url,
        created_at=first.created_at,
        thread=thread.id,
        is_resolved=thread.is_resolved,
        resolved_by=thread.resolved_by,
        path=first.path,
        replies=tuple(one for one in answers if not talk.is_own(one)),
        own_replies=tuple(one for one in own if one),
        edited=first.edited,
    )


def _with_rights(standing: Standing, rights: Mapping[str, Lifting]) -> Standing:
    """Add to each person whether they may lift the gate."""

    def known(said: Said) -> Said:
        person = said.by.model_copy(update={"lifting": rights.get(said.by.name, said.by.lifting)})
        return said.model_copy(update={"by": person})

    notes = (note.model_copy(update={"replies": tuple(map(known, note.replies))}) for note in standing.notes)
    return standing.model_copy(update={"notes": tuple(notes), "loose": tuple(map(known, standing.loose))})


def _age(note: OwnNote) -> tuple[str, int, str]:
    return note.created_at, len(note.id), note.id
