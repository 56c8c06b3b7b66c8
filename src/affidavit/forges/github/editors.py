"""Whose words comments of GitHub have: comments in, those that somebody else may have changed out."""

from collections.abc import Sequence
from typing import Any

from affidavit.errors import ForgeError
from affidavit.forges.answers import decides
from affidavit.forges.github.client import GitHubClient
from affidavit.forges.github.queries import EDITORS
from affidavit.forges.pull_request import MAX_COMMENT_LENGTH
from affidavit.forges.standing import Edited

Given = dict[str, Any]
BATCH = 100
"""Ids that GitHub looks up in one query."""
MAX_ASKED = 1_000


def _decides(comment: Given) -> bool:
    return decides((comment.get("body") or "")[:MAX_COMMENT_LENGTH])


def deciding(talk: Sequence[Given], inline: Sequence[Given]) -> list[Given]:
    """Comments whose words decide something, and those that begin a thread with such an answer."""
    answers = [one for one in inline if _decides(one)]
    begun = {one["in_reply_to_id"] for one in answers if one.get("in_reply_to_id")}
    known = {one["id"] for one in answers}
    roots = [one for one in inline if one["id"] in begun - known]
    return [*(one for one in talk if _decides(one)), *answers, *roots]


async def read_edited(client: GitHubClient, comments: Sequence[Given]) -> dict[str, Edited]:
    """Who changed each of these, by its node's id, as far as GitHub says it."""
    edited: dict[str, Edited] = {}
    names = list(dict.fromkeys(_name(one) for one in comments if _name(one)))
    asked = names[:MAX_ASKED] if client.has_token else []
    for start in range(0, len(asked), BATCH):
        ids = asked[start : start + BATCH]
        try:
            answer = await client.query(EDITORS, ids=ids)
        except ForgeError as error:
            if error.status not in (0, 401, 403, 404):
                raise
            return edited
        nodes = answer.get("nodes") or []
        edited |= {name: _by_editor(node) for name, node in zip(ids, nodes, strict=False) if node}
    return edited


def edited_of(comment: Given, edited: dict[str, Edited]) -> Edited:
    """Who changed a comment; where GitHub did not say who, whether it was changed."""
    known = edited.get(_name(comment))
    return _by_dates(comment) if known is None else known


def _name(comment: Given) -> str:
    return comment.get("node_id") or ""


def _by_editor(node: Given) -> Edited:
    editor, author = node.get("editor"), node.get("author")
    if editor is None:
        # Whoever has deleted their account is nobody.
        return "by_unknown" if node.get("lastEditedAt") else ""
    return "" if author is not None and editor["login"] == author["login"] else "by_another"


def _by_dates(comment: Given) -> Edited:
    """What REST says, which names no editor; of a review it does not even say when."""
    created, updated = comment.get("created_at"), comment.get("updated_at")
    return "" if created and created == updated else "by_unknown"
