"""GitHub behind the port."""

from dataclasses import dataclass

from affidavit.errors import ForgeError
from affidavit.forges.answers import people_who_decided
from affidavit.forges.github.applying import MAX_STATUS_LENGTH, STATES, apply_action
from affidavit.forges.github.client import GitHubClient
from affidavit.forges.github.earlier import read_earlier_report
from affidavit.forges.github.reading import read_pull_request
from affidavit.forges.github.standing import name_of, read_standing, read_talk
from affidavit.forges.posting.actions import GATE_NAME, Action, Limits
from affidavit.forges.pull_request import PullRequest
from affidavit.forges.standing import Standing

LIMITS = Limits(body_length=65_000, comments=40, has_reviews=True, status_length=MAX_STATUS_LENGTH)
"""GitHub takes 65,536 characters; many comments in one review end in a time-out there."""


@dataclass(frozen=True)
class GitHub:
    """One pull request on GitHub."""

    client: GitHubClient
    limits: Limits = LIMITS

    async def read(self) -> PullRequest:
        """The request with its words, comments and checks."""
        return await read_pull_request(self.client)

    async def standing(self, head: str) -> Standing:
        """Our own comments and the answers to them."""
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
        """Our check run at this commit, so that it is changed and not made twice."""
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
        """What the newest status of our name says about this request: then it need not be said again."""
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
        """The report that was posted last."""
        return await read_earlier_report(self.client)

    async def apply(self, action: Action) -> None:
        """Do one thing."""
        await apply_action(self.client, action)

    async def close(self) -> None:
        """Let go of the connection."""
        await self.client.close()
