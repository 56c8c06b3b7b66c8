"""Do on GitLab what an action says."""

from typing import Any

from affidavit.errors import ForgeError
from affidavit.forges.gitlab.client import GitLabClient
from affidavit.forges.posting import actions

STATES = {"success": "success", "failure": "failed", "in_part": "failed"}
MAX_STATUS_LENGTH = 255


async def apply_action(client: GitLabClient, action: actions.Action) -> None:
    """One action; a ForgeError says why GitLab refuses."""
    if isinstance(action, actions.PostInline):
        await _discuss(client, action)
    elif isinstance(action, actions.PostReview):
        for comment in action.comments:
            await _discuss(client, actions.PostInline(head=action.head, comment=comment))
    elif isinstance(action, actions.Resolve | actions.Unresolve):
        await _resolve(client, action)
    else:
        await client.send(*_plain(client, action))


def _plain(
    client: GitLabClient,
    action: actions.PostSummary
    | actions.Edit
    | actions.Reply
    | actions.Delete
    | actions.SetGate
    | actions.WithdrawVerdict
    | actions.Approve,
) -> tuple[str, str, Any]:
    """The one request that an action comes to."""
    if isinstance(action, actions.PostSummary):
        return "POST", f"{client.request}/notes", {"body": action.body}
    if isinstance(action, actions.Edit):
        return "PUT", f"{client.request}/notes/{action.note}", {"body": action.body}
    if isinstance(action, actions.Reply):
        return "POST", f"{client.request}/discussions/{action.thread}/notes", {"body": action.body}
    if isinstance(action, actions.Delete):
        return "DELETE", f"{client.request}/notes/{action.note}", None
    if isinstance(action, actions.WithdrawVerdict):
        return "POST", f"{client.request}/unapprove", None
    if isinstance(action, actions.Approve):
        # Only this commit: a push in between must not be approved with it.
        return "POST", f"{client.request}/approve", {"sha": action.head}
    return "POST", f"{client.project}/statuses/{action.head}", _status(client, action)


def _status(client: GitLabClient, action: actions.SetGate) -> dict[str, Any]:
    return {
        "state": STATES[action.state],
        "name": actions.GATE_NAME,
        "description": action.title[:MAX_STATUS_LENGTH],
        "target_url": client.address.url,
    }


async def _discuss(client: GitLabClient, action: actions.PostInline) -> None:
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


def _place(comment: actions.Inline) -> dict[str, Any]:
    place: dict[str, Any] = {
        "position_type": "text",
        "new_path": comment.path,
        "old_path": comment.old_path,
    }
    lines = {"old_line": comment.old_line, "new_line": comment.new_line}
    return {**place, **{name: line for name, line in lines.items() if line is not None}}


async def _resolve(client: GitLabClient, action: actions.Resolve | actions.Unresolve) -> None:
    is_resolved = isinstance(action, actions.Resolve)
    try:
        await client.send("PUT", f"{client.request}/discussions/{action.thread}", {"resolved": is_resolved})
    except ForgeError as error:
        if error.retryable or error.status == 429:
            raise
        if not action.instead:
            return
        await apply_action(client, actions.Reply(note=action.note, thread=action.thread, body=action.instead))
