"""Read and post on one pull request of GitHub."""

from collections.abc import Mapping
from typing import Any

from affidavit.errors import ForgeError, SettingsError
from affidavit.forges.answers import people_who_decided
from affidavit.forges.github.client import RESOLVE, GitHubClient
from affidavit.forges.github.reading import read_pull_request
from affidavit.forges.github.standing import last_verdict, name_of, read_talk
from affidavit.forges.posting.actions import (
    GATE_NAME,
    Action,
    Edit,
    Inline,
    Limits,
    PostInline,
    PostReview,
    PostSummary,
    Reply,
    Resolve,
    SetGate,
    WithdrawVerdict,
)
from affidavit.forges.pull_request import WORKFLOW, PullRequest, artifact_name, report_in
from affidavit.forges.standing import Standing, read_standing
from affidavit.forges.web import read_or_none

EVENTS = ("pull_request_target", "issue_comment", "workflow_run")
"""Events that run the workflow of the base or the default branch; with others, a pull request could upload
anything."""
MAX_RUNS = 100
"""Runs that are checked: other workflows may keep files under our name, too."""


_SIDES = {"head": "RIGHT", "base": "LEFT"}
STATES = {"success": "success", "failure": "failure", "in_part": "error"}
MAX_STATUS_LENGTH = 140
LIMITS = Limits(body_length=65_000, comments=40, has_reviews=True, status_length=MAX_STATUS_LENGTH)
"""GitHub takes 65,536 characters, and times out on many comments in one review."""


class GitHub(GitHubClient):
    """One pull request of GitHub."""

    limits = LIMITS

    async def read(self) -> PullRequest:
        return await read_pull_request(self)

    async def standing(self, head: str) -> Standing:
        pull = await self.get(self.request)
        talk = await read_talk(self)
        standing = await read_standing(self, talk, name_of(pull.get("user")), people_who_decided)
        known = {
            "head": pull["head"]["sha"],
            "is_locked": bool(pull.get("locked")),
            "gate_says": await self._status(head),
            **await last_verdict(self, talk.account),
        }
        return standing.model_copy(update=known)

    async def _status(self, head: str) -> tuple[tuple[str, ...], str] | None:
        """Return state and words of our newest commit status for this request."""
        combined = await read_or_none(self.get(f"{self.repository}/commits/{head}/status")) or {}
        for one in combined.get("statuses") or []:
            if one.get("context") == GATE_NAME and one.get("target_url") == self.address.url:
                states = tuple(ours for ours, its in STATES.items() if its == one.get("state"))
                return states, one.get("description") or ""
        return None

    async def earlier_report(self) -> bytes | None:
        """Download the newest report that a run of our workflow kept for this pull request."""
        if not self.has_token:
            raise ForgeError("GitHub gives artifacts of runs only to a token (actions: read)", status=401)
        name = artifact_name(self.address.number)
        path = f"{self.repository}/actions/artifacts?name={name}"
        found = [one async for one in self.pages(path, key="artifacts")]
        kept = [
            one for one in found if one["name"] == name and not one["expired"] and one.get("workflow_run")
        ]
        for one in sorted(kept, key=_age, reverse=True)[:MAX_RUNS]:
            run = await self.get(f"{self.repository}/actions/runs/{one['workflow_run']['id']}")
            if run["event"] in EVENTS and run["path"].partition("@")[0] == WORKFLOW:
                return report_in(await self.download(f"{self.repository}/actions/artifacts/{one['id']}/zip"))
        return None

    async def kept_by_job(self, job: str, file: str, environment: Mapping[str, str]) -> bytes:
        del file, environment
        raise SettingsError(f"job:{job} is for jobs of GitLab: name a file")

    async def apply(self, action: Action) -> None:
        """Apply one action; raise ForgeError if GitHub refuses."""
        match action:
            case PostSummary():
                await self.send("POST", f"{self.issue}/comments", {"body": action.body})
            case PostReview():
                await self.send("POST", f"{self.request}/reviews", _review(action))
            case PostInline():
                data = {"commit_id": action.head, **_inline(action.comment)}
                await self.send("POST", f"{self.request}/comments", data)
            case Reply():
                path = f"{self.request}/comments/{action.note}/replies"
                await self.send("POST", path, {"body": action.body})
            case WithdrawVerdict():
                path = f"{self.request}/reviews/{action.review}/dismissals"
                await self.send("PUT", path, {"message": action.why, "event": "DISMISS"})
            case Edit():
                path = f"{self.repository}/issues/comments/{action.note}"
                await self.send("PATCH", path, {"body": action.body})
            case Resolve():
                await self._resolve(action)
            case SetGate():
                status = {
                    "state": STATES[action.state],
                    "context": GATE_NAME,
                    "description": action.title[:MAX_STATUS_LENGTH],
                    "target_url": self.address.url,
                }
                await self.send("POST", f"{self.repository}/statuses/{action.head}", status)

    async def _resolve(self, action: Resolve) -> None:
        """Resolve a thread over GraphQL, or reply if the token may not resolve it."""
        if action.thread:
            try:
                await self.query(RESOLVE, thread=action.thread)
            except ForgeError as error:
                if error.status == 429 or error.retryable:
                    raise
            else:
                return
        await self.apply(Reply(note=action.note, body=action.instead))


def _age(artifact: dict[str, Any]) -> tuple[str, int]:
    return artifact.get("created_at") or "", artifact["id"]


def _review(action: PostReview) -> dict[str, Any]:
    given: dict[str, Any] = {
        "commit_id": action.head,
        "event": action.event.upper(),
        "comments": [_inline(one) for one in action.comments],
    }
    return {**given, **({"body": action.body} if action.body else {})}


def _inline(comment: Inline) -> dict[str, Any]:
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
