"""Read the discussions of a merge request of GitLab: our own, and the answers to them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from affidavit.errors import ForgeError
from affidavit.forges.answers import decides
from affidavit.forges.gitlab.client import GitLabClient
from affidavit.forges.pull_request import MAX_COMMENT_LENGTH
from affidavit.forges.standing import (
    Edited,
    Given,
    Lifting,
    OwnNote,
    Person,
    Said,
    Standing,
    Whose,
    read_mark,
    with_rights,
)

MAX_ASKED = 100
EDITOR = """
query($id: NoteID!) {
  note(id: $id) { author { username } lastEditedAt lastEditedBy { username } }
}
"""


def deciding(discussion: Given) -> list[Given]:
    """Return the comments of a discussion with a decision, and the one that begins it."""
    notes = [note for note in discussion.get("notes") or [] if not note.get("system")]
    found = [note for note in notes if decides((note.get("body") or "")[:MAX_COMMENT_LENGTH])]
    return [*found, *(notes[:1] if found and found[0] is not notes[0] else [])]


async def read_edited(client: GitLabClient, notes: Sequence[Given]) -> dict[int, Edited]:
    """Return who edited each comment, by id, as far as GitLab says."""
    touched = [note for note in notes if not _is_untouched(note)]
    edited: dict[int, Edited] = {}
    if not client.has_token or client.credentials.is_job_token:
        return edited
    for note in touched[:MAX_ASKED]:
        try:
            answer = await client.query(EDITOR, id=f"gid://gitlab/Note/{note['id']}")
        except ForgeError as error:
            if error.status not in (0, 400, 401, 403, 404):
                raise
            return edited
        edited[note["id"]] = _by_editor(answer.get("note") or {})
    return edited


def edited_of(note: Given, edited: dict[int, Edited]) -> Edited:
    """Return who edited a comment; if GitLab does not say who, whether it was edited."""
    known = edited.get(note["id"])
    return ("" if _is_untouched(note) else "by_unknown") if known is None else known


def _is_untouched(note: Given) -> bool:
    created = note.get("created_at")
    return bool(created) and created == note.get("updated_at")


def _by_editor(note: Given) -> Edited:
    if "lastEditedAt" not in note:
        return "by_unknown"
    author, editor = note.get("author") or {}, note.get("lastEditedBy") or {}
    if not note["lastEditedAt"]:
        return ""
    if not editor.get("username"):
        return "by_unknown"
    return "" if editor["username"] == author.get("username") else "by_another"


DEVELOPER = 30
"""The access level from which on somebody may push."""
_BOT_NAME = re.compile(r"(?:project|group)_\d+_bot(?:_\w+)?|gitlab-.*bot|.*-bot|ghost")


@dataclass(frozen=True)
class Talk:
    """All discussions as GitLab gives them."""

    discussions: Sequence[Given] = ()
    account: str = ""
    not_read: tuple[str, ...] = ()
    people: dict[str, int] = field(default_factory=dict)
    """The ids of the accounts, by name: rights are asked for by id."""
    edited: dict[int, Edited] = field(default_factory=dict)
    """Who changed the comments that decide something."""

    @property
    def notes(self) -> list[tuple[Given, Given]]:
        """Every comment of a person or a bot with its discussion; not what GitLab itself notes."""
        return [
            (discussion, note)
            for discussion in self.discussions
            for note in discussion.get("notes") or []
            if not note.get("system")
        ]


def name_of(user: Given | None) -> str:
    """Return the name of an account; `ghost` if it was deleted."""
    return (user or {}).get("username") or "ghost"


def is_bot(user: Given | None) -> bool:
    """Check whether an account is a bot, by its name: GitLab does not say."""
    return bool((user or {}).get("bot")) or bool(_BOT_NAME.fullmatch(name_of(user)))


async def read_talk(client: GitLabClient) -> Talk:
    """Read every comment and our account."""
    try:
        discussions = [one async for one in client.pages(f"{client.request}/discussions")]
    except ForgeError as error:
        if error.status not in (401, 403, 404) or client.has_token:
            raise
        return Talk(account=client.account, not_read=(f"the discussion could not be read: {error}",))
    people = {
        name_of(note.get("author")): note["author"]["id"]
        for one in discussions
        for note in one.get("notes") or []
        if (note.get("author") or {}).get("id")
    }
    account = client.account or await _account(client)
    edited = await read_edited(client, [note for one in discussions for note in deciding(one)])
    return Talk(discussions, account, people=people, edited=edited)


async def _account(client: GitLabClient) -> str:
    if not client.has_token or client.credentials.is_job_token:
        return ""
    return name_of(await client.get("/user"))


async def read_standing(client: GitLabClient, talk: Talk, author: str, whose: Whose) -> Standing:
    """Return our comments with their answers; `whose` chooses the people whose rights are read."""
    notes: list[OwnNote] = []
    loose: list[Said] = []
    for discussion in talk.discussions:
        own = await _own_note(client, discussion, talk)
        if own:
            notes.append(own)
        else:
            loose += [
                _said(note, talk, client.address.url)
                for note in _spoken(discussion)
                if name_of(note.get("author")) != talk.account
            ]
    standing = Standing(account=talk.account, author=author, notes=tuple(notes), loose=tuple(loose))
    rights = {name: await _lifting(client, talk, name, author) for name in whose(standing)}
    return with_rights(standing, rights)


def _spoken(discussion: Given) -> list[Given]:
    return [note for note in discussion.get("notes") or [] if not note.get("system")]


async def _own_note(client: GitLabClient, discussion: Given, talk: Talk) -> OwnNote | None:
    """Return a discussion as our note if a comment of ours begins it."""
    spoken = _spoken(discussion)
    first = spoken[0] if spoken else {}
    mark = read_mark(first.get("body") or "")
    if not talk.account or not mark or name_of(first.get("author")) != talk.account:
        return None
    others = [note for note in spoken[1:] if name_of(note.get("author")) != talk.account]
    own = [read_mark(note.get("body") or "") for note in spoken[1:] if note not in others]
    position = first.get("position") or {}
    return OwnNote(
        id=str(first["id"]),
        mark=mark,
        body=first.get("body") or "",
        url=f"{client.address.url}#note_{first['id']}",
        created_at=first.get("created_at") or "",
        thread=str(discussion["id"]),
        is_resolved=bool(first.get("resolved")),
        resolved_by=(first.get("resolved_by") or {}).get("username") or "",
        path=position.get("new_path") or "",
        line=position.get("new_line"),
        replies=tuple(_said(note, talk, client.address.url) for note in others),
        own_replies=tuple(one for one in own if one),
        edited=edited_of(first, talk.edited),
        against=await _against(client, first, talk) if mark.kind == "finding" else (),
    )


async def _against(client: GitLabClient, note: Given, talk: Talk) -> tuple[Person, ...]:
    path = f"{client.request}/notes/{note['id']}/award_emoji"
    awards = [one async for one in client.pages(path)]
    against = [one.get("user") for one in awards if one.get("name") == "thumbsdown"]
    # Who reacts may have written nothing, and rights are asked for by id.
    talk.people.update({name_of(user): user["id"] for user in against if user and user.get("id")})
    return tuple(Person(name=name_of(user), is_bot=is_bot(user)) for user in against)


def _said(note: Given, talk: Talk, url: str) -> Said:
    user = note.get("author")
    return Said(
        id=str(note["id"]),
        by=Person(name=name_of(user), is_bot=is_bot(user)),
        body=(note.get("body") or "")[:MAX_COMMENT_LENGTH],
        url=f"{url}#note_{note['id']}",
        edited=edited_of(note, talk.edited),
    )


async def _lifting(client: GitLabClient, talk: Talk, name: str, author: str) -> Lifting:
    """Check whether a person may lift the gate: may push, and is not the author."""
    if name == author:
        return "author"
    if name not in talk.people:
        return "unknown"
    try:
        member = await client.get(f"{client.project}/members/all/{talk.people[name]}")
    except ForgeError as error:
        return "no_rights" if error.status == 404 and client.has_token else "unknown"
    return "lifts" if (member.get("access_level") or 0) >= DEVELOPER else "no_rights"
