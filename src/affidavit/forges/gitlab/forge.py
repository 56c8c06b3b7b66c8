"""GitLab behind the port."""

from dataclasses import dataclass
from typing import Any

from affidavit.errors import ForgeError
from affidavit.forges.answers import people_who_decided
from affidavit.forges.gitlab.applying import MAX_STATUS_LENGTH, STATES, apply_action
from affidavit.forges.gitlab.client import GitLabClient
from affidavit.forges.gitlab.earlier import read_earlier_report
from affidavit.forges.gitlab.reading import read_merge_request
from affidavit.forges.gitlab.standing import name_of, read_standing, read_talk
from affidavit.forges.posting.actions import GATE_NAME, Action, Limits
from affidavit.forges.pull_request import PullRequest
from affidavit.forges.standing import Standing

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
    """One merge request on GitLab."""

    client: GitLabClient
    limits: Limits = LIMITS

    async def read(self) -> PullRequest:
        """The request with its words, comments and checks."""
        return await read_merge_request(self.client)

    async def standing(self, head: str) -> Standing:
        """Our own comments and the answers to them."""
        given = await self.client.get(self.client.request)
        talk = await read_talk(self.client)
        standing = await read_standing(self.client, talk, name_of(given.get("author")), people_who_decided)
        head_now = (given.get("diff_refs") or {}).get("head_sha") or ""
        known: dict[str, Any] = {
            "head": head_now,
            "is_locked": bool(given.get("discussion_locked")),
            "not_read": talk.not_read,
            "gate_says": await self._status(head),
        }
        if talk.account and await self._has_approved(talk.account):
            known |= {"verdict": "approve", "verdict_review": "approval"}
        return standing.model_copy(update=known)

    async def _has_approved(self, account: str) -> bool:
        try:
            approvals = await self.client.get(f"{self.client.request}/approvals")
        except ForgeError as error:
            if error.status in (401, 403, 404):
                return False
            raise
        return any(name_of(one.get("user")) == account for one in approvals.get("approved_by") or [])

    async def _status(self, head: str) -> tuple[tuple[str, ...], str] | None:
        """What the newest status of our name says about this request: then it need not be said again."""
        path = f"{self.client.project}/repository/commits/{head}/statuses?name={GATE_NAME}"
        try:
            found = [one async for one in self.client.pages(path)]
        except ForgeError as error:
            if error.status in (401, 403, 404):
                return None
            raise
        named = [one for one in found if one.get("name") == GATE_NAME]
        newest = max(named, key=lambda one: one.get("id") or 0, default={})
        if newest.get("target_url") != self.client.address.url:
            return None
        states = tuple(ours for ours, its in STATES.items() if its == newest.get("status"))
        return states, newest.get("description") or ""

    async def earlier_report(self) -> bytes | None:
        """The report that was posted last."""
        return await read_earlier_report(self.client)

    async def apply(self, action: Action) -> None:
        """Do one thing."""
        await apply_action(self.client, action)

    async def close(self) -> None:
        """Let go of the connection."""
        await self.client.close()
