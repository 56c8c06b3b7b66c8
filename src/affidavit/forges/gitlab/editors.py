"""Whose words comments of GitLab have: notes in, those that somebody else may have changed out.

REST says when a comment was touched, also by being resolved; only GraphQL says who edited it.
"""

from collections.abc import Sequence
from typing import Any

from affidavit.errors import ForgeError
from affidavit.forges.answers import decides
from affidavit.forges.gitlab.client import GitLabClient
from affidavit.forges.pull_request import MAX_COMMENT_LENGTH
from affidavit.forges.standing import Edited

Given = dict[str, Any]
MAX_ASKED = 100
EDITOR = """
query($id: NoteID!) {
  note(id: $id) { author { username } lastEditedAt lastEditedBy { username } }
}
"""


def deciding(discussion: Given) -> list[Given]:
    """Comments of a discussion whose words decide something, and the one that begins it where any does."""
    notes = [note for note in discussion.get("notes") or [] if not note.get("system")]
    found = [note for note in notes if decides((note.get("body") or "")[:MAX_COMMENT_LENGTH])]
    return [*found, *(notes[:1] if found and found[0] is not notes[0] else [])]


async def read_edited(client: GitLabClient, notes: Sequence[Given]) -> dict[int, Edited]:
    """Who changed each of these, by its id, as far as GitLab says it."""
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
    """Who changed a comment; where GitLab did not say who, whether it was touched."""
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
