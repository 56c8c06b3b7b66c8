"""Read the discussions of a merge request of GitLab."""

import re

from affidavit.errors import ForgeError
from affidavit.forges.answers import decides
from affidavit.forges.gitlab.client import GitLabClient
from affidavit.forges.standing import (
    Edited,
    Given,
    Person,
    Said,
    Talk,
    Thread,
    by_editor,
    edited_by_dates,
)

MAX_ASKED = 100
_BOT_NAME = re.compile(r"(?:project|group)_\d+_bot(?:_\w+)?|gitlab-.*bot|.*-bot|ghost")
_EDITOR = """
query($id: NoteID!) {
  note(id: $id) { author { username } lastEditedAt lastEditedBy { username } }
}
"""


def name_of(user: Given | None) -> str:
    """Return the name of an account; `ghost` if it was deleted."""
    return (user or {}).get("username") or "ghost"


async def read_talk(client: GitLabClient) -> Talk:
    """Read every comment and our account."""
    try:
        discussions = [one async for one in client.pages(f"{client.request}/discussions")]
    except ForgeError as error:
        if error.status not in (401, 403, 404) or client.has_token:
            raise
        return Talk(client.account, not_read=(f"the discussion could not be read: {error}",))
    # Notes of GitLab itself are not comments.
    spoken = [
        (one, [note for note in one.get("notes") or [] if not note.get("system")]) for one in discussions
    ]
    people = {
        name_of(note.get("author")): str((note.get("author") or {}).get("id") or "")
        for _, notes in spoken
        for note in notes
    }
    account = client.account or await _account(client)
    threads = tuple(_thread(client, one, notes) for one, notes in spoken if notes)
    talk = Talk(account, threads, people=people)
    return talk.with_editors(await _editors(client, talk.whose_editor_counts(decides)))


async def _account(client: GitLabClient) -> str:
    if not client.has_token or client.credentials.is_job_token:
        return ""
    return name_of(await client.get("/user"))


def _thread(client: GitLabClient, discussion: Given, notes: list[Given]) -> Thread:
    return Thread(
        comments=tuple(_said(client, note) for note in notes),
        id=str(discussion["id"]),
        is_resolved=bool(notes[0].get("resolved")),
        resolved_by=(notes[0].get("resolved_by") or {}).get("username") or "",
    )


def _said(client: GitLabClient, note: Given) -> Said:
    user, position = note.get("author"), note.get("position") or {}
    # GitLab does not say who is a bot.
    is_bot = bool((user or {}).get("bot") or _BOT_NAME.fullmatch(name_of(user)))
    return Said(
        id=str(note["id"]),
        by=Person(name=name_of(user), is_bot=is_bot),
        body=note.get("body") or "",
        url=f"{client.address.url}#note_{note['id']}",
        created_at=note.get("created_at") or "",
        path=position.get("new_path") or "",
        line=position.get("new_line"),
        edited=edited_by_dates(note),
        node=f"gid://gitlab/Note/{note['id']}",
    )


async def _editors(client: GitLabClient, asked: list[str]) -> dict[str, Edited]:
    """Return who edited each comment, as far as GitLab says."""
    edited: dict[str, Edited] = {}
    if not client.has_token or client.credentials.is_job_token:
        return edited
    for node in asked[:MAX_ASKED]:
        try:
            answer = await client.query(_EDITOR, id=node)
        except ForgeError as error:
            if error.status not in (0, 400, 401, 403, 404):
                raise
            return edited
        note = answer.get("note") or {}
        if "lastEditedAt" in note:
            author, editor = (
                (note.get(one) or {}).get("username") or "" for one in ("author", "lastEditedBy")
            )
            edited[node] = by_editor(author, editor, note["lastEditedAt"])
    return edited
