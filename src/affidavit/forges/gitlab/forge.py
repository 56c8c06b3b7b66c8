"""Read and post on one merge request of GitLab."""

from collections.abc import Mapping
from typing import Any

from affidavit.errors import ForgeError, SettingsError
from affidavit.forges.answers import people_who_decided
from affidavit.forges.gitlab.client import GitLabClient
from affidavit.forges.gitlab.reading import read_merge_request
from affidavit.forges.gitlab.standing import name_of, read_talk
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
from affidavit.forges.pull_request import REPORT_FILE, PullRequest
from affidavit.forges.standing import Standing, read_mark, read_standing
from affidavit.forges.web import read_or_none

STATES = {"success": "success", "failure": "failed", "in_part": "failed"}
MAX_STATUS_LENGTH = 255
LIMITS = Limits(
    body_length=900_000,
    comments=40,
    has_reviews=False,
    suggests_by="offsets",
    status_length=MAX_STATUS_LENGTH,
)
"""GitLab takes a million characters."""


class GitLab(GitLabClient):
    """One merge request of GitLab."""

    limits = LIMITS

    async def read(self) -> PullRequest:
        return await read_merge_request(self)

    async def standing(self, head: str) -> Standing:
        given = await self.get(self.request)
        talk = await read_talk(self)
        standing = await read_standing(self, talk, name_of(given.get("author")), people_who_decided)
        known: dict[str, Any] = {
            "head": (given.get("diff_refs") or {}).get("head_sha") or "",
            "is_locked": bool(given.get("discussion_locked")),
            "gate_says": await self._status(head),
        }
        if talk.account and await self._has_approved(talk.account):
            known |= {"verdict": "approve", "verdict_review": "approval"}
        return standing.model_copy(update=known)

    async def _has_approved(self, account: str) -> bool:
        approvals = await read_or_none(self.get(f"{self.request}/approvals")) or {}
        return any(name_of(one.get("user")) == account for one in approvals.get("approved_by") or [])

    async def _status(self, head: str) -> tuple[tuple[str, ...], str] | None:
        """Return state and words of our newest commit status for this request."""
        path = f"{self.project}/repository/commits/{head}/statuses?name={GATE_NAME}"
        found = await read_or_none(self.list(path)) or []
        named = [one for one in found if one.get("name") == GATE_NAME]
        newest = max(named, key=lambda one: one.get("id") or 0, default={})
        if newest.get("target_url") != self.address.url:
            return None
        states = tuple(ours for ours, its in STATES.items() if its == newest.get("status"))
        return states, newest.get("description") or ""

    async def earlier_report(self) -> bytes | None:
        """Download the report of the job that our newest summary names; None if there is no summary."""
        talk = await read_talk(self)
        if not talk.account:
            raise ForgeError(
                "GitLab does not say whose token this is, so our own summary cannot be told from others': "
                "name the account that posts in AFFIDAVIT_POST_AS",
                status=401,
            )
        own = (one for thread in talk.threads for one in thread.comments if talk.is_own(one))
        marks = [read_mark(one.body) for one in own]
        jobs = [mark.run for mark in marks if mark and mark.kind == "summary" and mark.run.isdecimal()]
        return await self.artifact(jobs[-1], REPORT_FILE) if jobs else None

    async def kept_by_job(self, job: str, file: str, environment: Mapping[str, str]) -> bytes:
        """Download an artifact of the newest run of a job of our pipeline."""
        pipeline = environment.get("CI_PIPELINE_ID", "")
        if not pipeline.isdecimal():
            raise SettingsError(
                f"job:{job} names a job of this pipeline, and this is not a job of GitLab: name a file"
            )
        path = f"{self.project}/pipelines/{pipeline}/jobs"
        found = [one["id"] async for one in self.pages(path) if one.get("name") == job]
        if not found:
            where = f"the pipeline {pipeline} of {self.address.repository}"
            raise ForgeError(f"{where} has no job {job!r}", status=404)
        return await self.artifact(max(found), file)

    async def apply(self, action: Action) -> None:
        """Apply one action; raise ForgeError if GitLab refuses."""
        match action:
            case PostSummary():
                await self.send("POST", f"{self.request}/notes", {"body": action.body})
            case PostReview():
                # Only this commit: a push in between must not be approved with it.
                await self.send("POST", f"{self.request}/approve", {"sha": action.head})
            case PostInline():
                await self._discuss(action)
            case Reply():
                path = f"{self.request}/discussions/{action.thread}/notes"
                await self.send("POST", path, {"body": action.body})
            case WithdrawVerdict():
                await self.send("POST", f"{self.request}/unapprove")
            case Edit():
                await self.send("PUT", f"{self.request}/notes/{action.note}", {"body": action.body})
            case Resolve():
                await self._resolve(action)
            case SetGate():
                status = {
                    "state": STATES[action.state],
                    "name": GATE_NAME,
                    "description": action.title[:MAX_STATUS_LENGTH],
                    "target_url": self.address.url,
                }
                await self.send("POST", f"{self.project}/statuses/{action.head}", status)

    async def _discuss(self, action: PostInline) -> None:
        """Begin a discussion on a line. GitLab answers 400 for a line outside its diff; others say 422."""
        refs = (await self.get(self.request)).get("diff_refs") or {}
        if refs.get("head_sha") != action.head:
            raise ForgeError(
                f"{self.address.url} was pushed to: {action.head[:12]} is no longer its head", status=409
            )
        names = ("base_sha", "start_sha", "head_sha")
        position = {**{name: refs[name] for name in names}, **_place(action.comment)}
        data = {"body": action.comment.body, "position": position}
        try:
            await self.send("POST", f"{self.request}/discussions", data)
        except ForgeError as error:
            if error.status == 400:
                raise ForgeError(str(error), status=422) from error
            raise

    async def _resolve(self, action: Resolve) -> None:
        """Resolve a thread, or reply if the token may not resolve it."""
        try:
            await self.send("PUT", f"{self.request}/discussions/{action.thread}", {"resolved": True})
        except ForgeError as error:
            if error.retryable or error.status == 429:
                raise
            await self.apply(Reply(note=action.note, thread=action.thread, body=action.instead))


def _place(comment: Inline) -> dict[str, Any]:
    place: dict[str, Any] = {
        "position_type": "text",
        "new_path": comment.path,
        "old_path": comment.old_path,
    }
    lines = {"old_line": comment.old_line, "new_line": comment.new_line}
    return {**place, **{name: line for name, line in lines.items() if line is not None}}
