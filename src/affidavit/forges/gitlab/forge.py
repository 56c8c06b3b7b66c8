"""GitLab behind the port."""

from dataclasses import dataclass

from affidavit.errors import ForgeError
from affidavit.forges.address import PullRequestAddress
from affidavit.forges.answers import people_who_decided
from affidavit.forges.credentials import Credentials
from affidavit.forges.gitlab.applying import apply_action
from affidavit.forges.gitlab.client import GitLabClient
from affidavit.forges.gitlab.reading import read_merge_request
from affidavit.forges.gitlab.standing import name_of, read_standing, read_talk
from affidavit.forges.posting.actions import Action, Limits
from affidavit.forges.pull_request import PullRequest
from affidavit.forges.standing import Standing
from affidavit.forges.web import ForgeClient

LIMITS = Limits(body_length=900_000, comments=40, has_reviews=False, suggests_by="offsets")
"""GitLab takes a million characters."""


@dataclass(frozen=True)
class GitLab:
    """One merge request on GitLab."""

    client: GitLabClient
    limits: Limits = LIMITS

    @classmethod
    def opened(
        cls, address: PullRequestAddress, web: ForgeClient, credentials: Credentials, account: str
    ) -> "GitLab":
        """With a connection of its own."""
        return cls(GitLabClient(address, web, credentials, account))

    async def read(self) -> PullRequest:
        """The request with its words, comments and checks."""
        return await read_merge_request(self.client)

    async def standing(self, head: str) -> Standing:  # noqa: ARG002 - a status here has no id to keep
        """Our own comments and the answers to them."""
        given = await self.client.get(self.client.request)
        talk = await read_talk(self.client)
        if not talk.account:
            raise ForgeError(
                "GitLab does not say whose token this is, so our own comments cannot be told from others': "
                "give a project or personal access token, not that of a job",
                status=401,
            )
        standing = await read_standing(self.client, talk, name_of(given.get("author")), people_who_decided)
        head_now = (given.get("diff_refs") or {}).get("head_sha") or ""
        known: dict[str, str | bool] = {"head": head_now, "is_locked": bool(given.get("discussion_locked"))}
        if await self._has_approved(talk.account):
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

    async def apply(self, action: Action) -> None:
        """Do one thing."""
        await apply_action(self.client, action)

    async def close(self) -> None:
        """Let go of the connection."""
        await self.client.close()
