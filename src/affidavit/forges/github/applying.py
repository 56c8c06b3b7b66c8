"""Do on GitHub what an action says."""

from typing import Any

from affidavit.errors import ForgeError
from affidavit.forges.github.client import GitHubClient
from affidavit.forges.github.queries import RESOLVE, UNRESOLVE
from affidavit.forges.posting import actions

_SIDES = {"head": "RIGHT", "base": "LEFT"}
_CONCLUSIONS = {"success": "success", "failure": "failure", "in_part": "action_required"}
STATES = {"success": "success", "failure": "failure", "in_part": "error"}
MAX_STATUS_LENGTH = 140
_MAX_CHECK_TEXT = 65_000


async def apply_action(client: GitHubClient, action: actions.Action) -> None:
    """One action; a ForgeError says why GitHub refuses."""
    if isinstance(action, actions.Resolve | actions.Unresolve):
        await _resolve(client, action)
    elif isinstance(action, actions.SetGate):
        await _set_gate(client, action)
    elif isinstance(action, actions.Approve):
        await client.send(
            "POST",
            f"{client.request}/reviews",
            _review(actions.PostReview(head=action.head, event="approve")),
        )
    else:
        method, path, data = _plain(client, action)
        await client.send(method, path, data)


def _plain(
    client: GitHubClient,
    action: actions.PostSummary
    | actions.PostReview
    | actions.PostInline
    | actions.Edit
    | actions.Reply
    | actions.Delete
    | actions.WithdrawVerdict,
) -> tuple[str, str, Any]:
    """The one request that an action comes to."""
    if isinstance(action, actions.PostSummary):
        return "POST", f"{client.issue}/comments", {"body": action.body}
    if isinstance(action, actions.PostReview):
        return "POST", f"{client.request}/reviews", _review(action)
    if isinstance(action, actions.PostInline):
        return "POST", f"{client.request}/comments", {"commit_id": action.head, **_inline(action.comment)}
    if isinstance(action, actions.Reply):
        return "POST", f"{client.request}/comments/{action.note}/replies", {"body": action.body}
    if isinstance(action, actions.WithdrawVerdict):
        path = f"{client.request}/reviews/{action.review}/dismissals"
        return "PUT", path, {"message": action.why, "event": "DISMISS"}
    place = "issues/comments" if action.of == "summary" else "pulls/comments"
    path = f"{client.repository}/{place}/{action.note}"
    return (
        ("DELETE", path, None)
        if isinstance(action, actions.Delete)
        else ("PATCH", path, {"body": action.body})
    )


def _review(action: actions.PostReview) -> dict[str, Any]:
    given: dict[str, Any] = {
        "commit_id": action.head,
        "event": action.event.upper(),
        "comments": [_inline(one) for one in action.comments],
    }
    return {**given, **({"body": action.body} if action.body else {})}


def _inline(comment: actions.Inline) -> dict[str, Any]:
    side = _SIDES[comment.side]
    given: dict[str, Any] = {
        "path": comment.path,
        "line": comment.line,
        "side": side,
        "body": comment.body,
    }
    if comment.start_line is not None and comment.start_line < comment.line:
        given |= {"start_line": comment.start_line, "start_side": side}
    return given


async def _resolve(client: GitHubClient, action: actions.Resolve | actions.Unresolve) -> None:
    """Resolving is GraphQL's, and many tokens may not: then an answer says it."""
    if action.thread:
        query = RESOLVE if isinstance(action, actions.Resolve) else UNRESOLVE
        try:
            await client.query(query, thread=action.thread)
        except ForgeError as error:
            if error.status == 429 or error.retryable:
                raise
        else:
            return
    if action.instead:
        await apply_action(client, actions.Reply(note=action.note, body=action.instead))


async def _set_gate(client: GitHubClient, action: actions.SetGate) -> None:
    """A check run where the token is an App's; a commit status otherwise, or where checks are not allowed."""
    if client.credentials.is_installation:
        try:
            await _check_run(client, action)
        except ForgeError as error:
            if error.status not in (403, 404):
                raise
        else:
            return
    await client.send(
        "POST",
        f"{client.repository}/statuses/{action.head}",
        {
            "state": STATES[action.state],
            "context": actions.GATE_NAME,
            "description": action.title[:MAX_STATUS_LENGTH],
            "target_url": client.address.url,
        },
    )


async def _check_run(client: GitHubClient, action: actions.SetGate) -> None:
    data = {
        "name": actions.GATE_NAME,
        "status": "completed",
        "conclusion": _CONCLUSIONS[action.state],
        "external_id": action.report,
        "output": {"title": action.title, "summary": action.summary[:_MAX_CHECK_TEXT]},
    }
    if action.known:
        await client.send("PATCH", f"{client.repository}/check-runs/{action.known}", data)
    else:
        await client.send("POST", f"{client.repository}/check-runs", {**data, "head_sha": action.head})
