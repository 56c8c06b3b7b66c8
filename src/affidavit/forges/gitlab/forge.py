"""Implement the forge seam for GitLab."""

from dataclasses import dataclass
from typing import Any

from affidavit.errors import ForgeError
from affidavit.forges.answers import people_who_decided
from affidavit.forges.gitlab.client import GitLabClient
from affidavit.forges.gitlab.reading import read_merge_request
from affidavit.forges.gitlab.standing import name_of, read_comments, read_talk
from affidavit.forges.posting import actions
from affidavit.forges.posting.actions import GATE_NAME, Action, Limits
from affidavit.forges.pull_request import REPORT_FILE, PullRequest
from affidavit.forges.standing import Standing, read_mark
from affidavit.forges.web import read_or_none


async def read_earlier_report(client: GitLabClient) -> bytes | None:
    """Download the report of the job that our newest summary names; None if there is no summary."""
    talk = await read_talk(client)
    if not talk.account:
        raise ForgeError(
            "GitLab does not say whose token this is, so our own summary cannot be told from others': name "
            "the account that posts in AFFIDAVIT_POST_AS",
            status=401,
        )
    own = (one for thread in talk.threads for one in thread.comments if talk.is_own(one))
    marks = [read_mark(one.body) for one in own]
    jobs = [mark.run for mark in marks if mark and mark.kind == "summary" and mark.run.isdecimal()]
    if not jobs:
        return None
    return await client.download(f"{client.project}/jobs/{jobs[-1]}/artifacts/{REPORT_FILE}")


STATES = {"success": "success", "failure": "failed", "in_part": "failed"}
MAX_STATUS_LENGTH = 255


async def apply_action(client: GitLabClient, action: actions.Action) -> None:
    """Apply one action; raise ForgeError if GitLab refuses."""
    if isinstance(action, actions.PostInline):
        await _discuss(client, action)
    elif isinstance(action, actions.Resolve):
        await _resolve(client, action)
    else:
        await client.send(*_plain(client, action))


def _plain(
    client: GitLabClient,
    action: actions.PostSummary
    | actions.Edit
    | actions.Reply
    | actions.SetGate
    | actions.WithdrawVerdict
    | actions.PostReview,
) -> tuple[str, str, Any]:
    """Return method, path and data of an action that is one request."""
    if isinstance(action, actions.PostSummary):
        return "POST", f"{client.request}/notes", {"body": action.body}
    if isinstance(action, actions.Edit):
        return "PUT", f"{client.request}/notes/{action.note}", {"body": action.body}
    if isinstance(action, actions.Reply):
        return "POST", f"{client.request}/discussions/{action.thread}/notes", {"body": action.body}
    if isinstance(action, actions.WithdrawVerdict):
        return "POST", f"{client.request}/unapprove", None
    if isinstance(action, actions.PostReview):
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


async def _resolve(client: GitLabClient, action: actions.Resolve) -> None:
    """Resolve a thread, or reply if the token may not resolve it."""
    try:
        await client.send("PUT", f"{client.request}/discussions/{action.thread}", {"resolved": True})
    except ForgeError as error:
        if error.retryable or error.status == 429:
            raise
        await apply_action(client, actions.Reply(note=action.note, thread=action.thread, body=action.instead))


LIMITS = Limits(
    body_length=900_000,
    comments=40,
    has_reviews=False,
    suggests_by="offsets",
    status_length=MAX_STATUS_LENGTH,
)
"""GitLab takes a million characters."""


@dataclass(frozen=True)
class GitLab:
    client: GitLabClient
    limits: Limits = LIMITS

    async def read(self) -> PullRequest:
        return await read_merge_request(self.client)

    async def standing(self, head: str) -> Standing:
        given = await self.client.get(self.client.request)
        talk = await read_talk(self.client)
        standing = await read_comments(self.client, talk, name_of(given.get("author")), people_who_decided)
        head_now = (given.get("diff_refs") or {}).get("head_sha") or ""
        known: dict[str, Any] = {
            "head": head_now,
            "is_locked": bool(given.get("discussion_locked")),
            "gate_says": await self._status(head),
        }
        if talk.account and await self._has_approved(talk.account):
            known |= {"verdict": "approve", "verdict_review": "approval"}
        return standing.model_copy(update=known)

    async def _has_approved(self, account: str) -> bool:
        approvals = await read_or_none(self.client.get(f"{self.client.request}/approvals")) or {}
        return any(name_of(one.get("user")) == account for one in approvals.get("approved_by") or [])

    async def _status(self, head: str) -> tuple[tuple[str, ...], str] | None:
        """Return state and words of our newest commit status for this request."""
        path = f"{self.client.project}/repository/commits/{head}/statuses?name={GATE_NAME}"
        found = await read_or_none(self.client.list(path)) or []
        named = [one for one in found if one.get("name") == GATE_NAME]
        newest = max(named, key=lambda one: one.get("id") or 0, default={})
        if newest.get("target_url") != self.client.address.url:
            return None
        states = tuple(ours for ours, its in STATES.items() if its == newest.get("status"))
        return states, newest.get("description") or ""

    async def earlier_report(self) -> bytes | None:
        return await read_earlier_report(self.client)

    async def apply(self, action: Action) -> None:
        await apply_action(self.client, action)

    async def close(self) -> None:
        await self.client.close()
