"""Implement the forge seam for GitHub."""

from dataclasses import dataclass
from typing import Any

from affidavit.errors import ForgeError
from affidavit.forges.answers import people_who_decided
from affidavit.forges.github.client import RESOLVE, UNRESOLVE, GitHubClient
from affidavit.forges.github.reading import read_pull_request
from affidavit.forges.github.standing import name_of, read_standing, read_talk
from affidavit.forges.posting import actions
from affidavit.forges.posting.actions import GATE_NAME, Action, Limits
from affidavit.forges.pull_request import WORKFLOW, PullRequest, artifact_name, report_in
from affidavit.forges.standing import Standing

EVENTS = ("pull_request_target", "issue_comment", "workflow_run")
"""With these the workflow is the base or the default branch's: with any other, a pull request could upload
what it likes."""
MAX_RUNS = 100
"""Runs that are asked about: a stranger's workflow may keep files under our name, too."""


async def read_earlier_report(client: GitHubClient) -> bytes | None:
    """Download the newest report that a run of our workflow kept for this pull request."""
    if not client.has_token:
        raise ForgeError("GitHub gives what a run kept only to a token (actions: read)", status=401)
    name = artifact_name(client.address.number)
    path = f"{client.repository}/actions/artifacts?name={name}"
    found = [one async for one in client.pages(path, key="artifacts")]
    kept = [one for one in found if one["name"] == name and not one["expired"] and one.get("workflow_run")]
    for one in sorted(kept, key=_age, reverse=True)[:MAX_RUNS]:
        run = await client.get(f"{client.repository}/actions/runs/{one['workflow_run']['id']}")
        if run["event"] in EVENTS and run["path"].partition("@")[0] == WORKFLOW:
            return report_in(await client.download(f"{client.repository}/actions/artifacts/{one['id']}/zip"))
    return None


def _age(artifact: dict[str, Any]) -> tuple[str, int]:
    return artifact.get("created_at") or "", artifact["id"]


_SIDES = {"head": "RIGHT", "base": "LEFT"}
_CONCLUSIONS = {"success": "success", "failure": "failure", "in_part": "action_required"}
STATES = {"success": "success", "failure": "failure", "in_part": "error"}
MAX_STATUS_LENGTH = 140
_MAX_CHECK_TEXT = 65_000


async def apply_action(client: GitHubClient, action: actions.Action) -> None:
    """Apply one action; raise ForgeError if GitHub refuses."""
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
    """Return method, path and data of an action that is one request."""
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
    """Resolve a thread over GraphQL, or reply if the token may not resolve it."""
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
    """Set a check run if the token is an App's and may; otherwise a commit status."""
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


LIMITS = Limits(body_length=65_000, comments=40, has_reviews=True, status_length=MAX_STATUS_LENGTH)
"""GitHub takes 65,536 characters; many comments in one review end in a time-out there."""


@dataclass(frozen=True)
class GitHub:
    """One pull request on GitHub."""

    client: GitHubClient
    limits: Limits = LIMITS

    async def read(self) -> PullRequest:
        """Read the request with its description, comments and checks."""
        return await read_pull_request(self.client)

    async def standing(self, head: str) -> Standing:
        """Read our own comments and the answers to them."""
        pull = await self.client.get(self.client.request)
        talk = await read_talk(self.client)
        standing = await read_standing(self.client, talk, name_of(pull.get("user")), people_who_decided)
        known = {
            "head": pull["head"]["sha"],
            "is_locked": bool(pull.get("locked")),
            "not_read": talk.not_read,
            "gate": await self._gate(head),
            "gate_says": await self._status(head),
        }
        return standing.model_copy(update=known)

    async def _gate(self, head: str) -> str:
        """Return the id of our check run at this commit."""
        if not self.client.credentials.is_installation:
            return ""
        path = f"{self.client.repository}/commits/{head}/check-runs?check_name={GATE_NAME}"
        try:
            runs = [run async for run in self.client.pages(path, key="check_runs")]
        except ForgeError as error:
            if error.status in (403, 404):
                return ""
            raise
        return str(runs[0]["id"]) if runs else ""

    async def _status(self, head: str) -> tuple[tuple[str, ...], str] | None:
        """Return state and words of our newest commit status for this request."""
        if self.client.credentials.is_installation:
            return None
        try:
            combined = await self.client.get(f"{self.client.repository}/commits/{head}/status")
        except ForgeError as error:
            if error.status in (401, 403, 404):
                return None
            raise
        for one in combined.get("statuses") or []:
            if one.get("context") == GATE_NAME and one.get("target_url") == self.client.address.url:
                states = tuple(ours for ours, its in STATES.items() if its == one.get("state"))
                return states, one.get("description") or ""
        return None

    async def earlier_report(self) -> bytes | None:
        """Read the report that was posted last."""
        return await read_earlier_report(self.client)

    async def apply(self, action: Action) -> None:
        """Do one thing."""
        await apply_action(self.client, action)

    async def close(self) -> None:
        """Close the connection."""
        await self.client.close()
