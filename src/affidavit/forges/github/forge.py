"""Implement the forge seam for GitHub."""

from dataclasses import dataclass
from typing import Any

from affidavit.errors import ForgeError
from affidavit.forges.answers import people_who_decided
from affidavit.forges.github.client import RESOLVE, GitHubClient
from affidavit.forges.github.reading import read_pull_request
from affidavit.forges.github.standing import last_verdict, name_of, read_comments, read_talk
from affidavit.forges.posting import actions
from affidavit.forges.posting.actions import GATE_NAME, Action, Limits
from affidavit.forges.pull_request import WORKFLOW, PullRequest, artifact_name, report_in
from affidavit.forges.standing import Standing
from affidavit.forges.web import read_or_none

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
STATES = {"success": "success", "failure": "failure", "in_part": "error"}
MAX_STATUS_LENGTH = 140


async def apply_action(client: GitHubClient, action: actions.Action) -> None:
    """Apply one action; raise ForgeError if GitHub refuses."""
    if isinstance(action, actions.Resolve):
        await _resolve(client, action)
    else:
        await client.send(*_plain(client, action))


def _plain(
    client: GitHubClient,
    action: actions.PostSummary
    | actions.PostReview
    | actions.PostInline
    | actions.Edit
    | actions.Reply
    | actions.SetGate
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
    if isinstance(action, actions.Edit):
        return "PATCH", f"{client.repository}/issues/comments/{action.note}", {"body": action.body}
    status = {
        "state": STATES[action.state],
        "context": actions.GATE_NAME,
        "description": action.title[:MAX_STATUS_LENGTH],
        "target_url": client.address.url,
    }
    return "POST", f"{client.repository}/statuses/{action.head}", status


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


async def _resolve(client: GitHubClient, action: actions.Resolve) -> None:
    """Resolve a thread over GraphQL, or reply if the token may not resolve it."""
    if action.thread:
        try:
            await client.query(RESOLVE, thread=action.thread)
        except ForgeError as error:
            if error.status == 429 or error.retryable:
                raise
        else:
            return
    await apply_action(client, actions.Reply(note=action.note, body=action.instead))


LIMITS = Limits(body_length=65_000, comments=40, has_reviews=True, status_length=MAX_STATUS_LENGTH)
"""GitHub takes 65,536 characters; many comments in one review end in a time-out there."""


@dataclass(frozen=True)
class GitHub:
    client: GitHubClient
    limits: Limits = LIMITS

    async def read(self) -> PullRequest:
        return await read_pull_request(self.client)

    async def standing(self, head: str) -> Standing:
        pull = await self.client.get(self.client.request)
        talk = await read_talk(self.client)
        standing = await read_comments(self.client, talk, name_of(pull.get("user")), people_who_decided)
        known = {
            "head": pull["head"]["sha"],
            "is_locked": bool(pull.get("locked")),
            "gate_says": await self._status(head),
            **await last_verdict(self.client, talk.account),
        }
        return standing.model_copy(update=known)

    async def _status(self, head: str) -> tuple[tuple[str, ...], str] | None:
        """Return state and words of our newest commit status for this request."""
        path = f"{self.client.repository}/commits/{head}/status"
        combined = await read_or_none(self.client.get(path)) or {}
        for one in combined.get("statuses") or []:
            if one.get("context") == GATE_NAME and one.get("target_url") == self.client.address.url:
                states = tuple(ours for ours, its in STATES.items() if its == one.get("state"))
                return states, one.get("description") or ""
        return None

    async def earlier_report(self) -> bytes | None:
        return await read_earlier_report(self.client)

    async def apply(self, action: Action) -> None:
        await apply_action(self.client, action)

    async def close(self) -> None:
        await self.client.close()
