"""Do on GitLab what an action says."""

from typing import Any

from affidavit.errors import ForgeError
from affidavit.forges.gitlab.client import GitLabClient
from affidavit.forges.gitlab.reading import GATE_NAME
from affidavit.forges.posting.actions import (
    Action,
    Approve,
    Delete,
    Edit,
    Inline,
    PostInline,
    PostReview,
    PostSummary,
    Reply,
    Resolve,
    SetGate,
    WithdrawVerdict,
)

_STATES = {"success": "success", "failure": "failed", "in_part": "failed"}
_MAX_DESCRIPTION = 255


async def apply_action(client: GitLabClient, action: Action) -> None:
    """One action; a ForgeError says why GitLab refuses."""
    if isinstance(action, PostInline):
        await _discuss(client, action)
    elif isinstance(action, PostReview):
        for comment in action.comments:
            await _discuss(client, PostInline(head=action.head, comment=comment))
    elif isinstance(action, Resolve):
        await _resolve(client, action)
    else:
        await client.send(*_plain(client, action))


def _plain(
    client: GitLabClient, action: PostSummary | Edit | Reply | Delete | SetGate | WithdrawVerdict | Approve
) -> tuple[str, str, Any]:
    """The one request that an action comes to."""
    if isinstance(action, PostSummary):
        return "POST", f"{client.request}/notes", {"body": action.body}
    if isinstance(action, Edit):
        return "PUT", f"{client.request}/notes/{action.note}", {"body": action.body}
    if isinstance(action, Reply):
        return "POST", f"{client.request}/discussions/{action.thread}/notes", {"body": action.body}
    if isinstance(action, Delete):
        return "DELETE", f"{client.request}/notes/{action.note}", None
    if isinstance(action, WithdrawVerdict):
        return "POST", f"{client.request}/unapprove", None
    if isinstance(action, Approve):
        # Only this commit: a push in between must not be approved with it.
        return "POST", f"{client.request}/approve", {"sha": action.head}
    return "POST", f"{client.project}/statuses/{action.head}", _status(client, action)


def _status(client: GitLabClient, action: SetGate) -> dict[str, Any]:
    return {
        "state": _STATES[action.state],
        "name": GATE_NAME,
        "description": action.title[:_MAX_DESCRIPTION],
        "target_url": client.address.url,
    }


async def _discuss(client: GitLabClient, action: PostInline) -> None:
    """A discussion on a line. GitLab answers 400 for a line that is not in its diff; others say 422."""
    given = await client.get(client.request)
    refs = given.get("diff_refs") or {}
    if refs.get("head_sha") != action.head:
        raise ForgeError(
            f"{client.address.url} was pushed to: {action.head[:12]} is no longer its head", status=409
        )
    position = {
        **{name: refs[name] for name in ("base_sha", "start_sha", "head_sha")},
        **_place(action.comment),
    }
    data = {"body": action.comment.body, "position": position}
    try:
        await client.send("POST", f"{client.request}/discussions", data)
    except ForgeError as error:
        if error.status == 400:
            raise ForgeError(str(error), status=422) from error
        raise


def _place(comment: Inline) -> dict[str, Any]:
    place: dict[str, Any] = {
        "position_type": "text",
        "new_path": comment.path,
        "old_path": comment.old_path,
    }
    lines = {"old_line": comment.old_line, "new_line": comment.new_line}
    return {**place, **{name: line for name, line in lines.items() if line is not None}}


async def _resolve(client: GitLabClient, action: Resolve) -> None:
    try:
        await client.send("PUT", f"{client.request}/discussions/{action.thread}", {"resolved": True})
    except ForgeError as error:
        if error.retryable or error.status == 429 or not action.instead:
            raise
        await apply_action(client, Reply(note=action.note, thread=action.thread, body=action.instead))
