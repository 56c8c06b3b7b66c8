"""GitHub behind the port."""

from dataclasses import dataclass

from affidavit.errors import ForgeError
from affidavit.forges.address import PullRequestAddress
from affidavit.forges.answers import people_who_decided
from affidavit.forges.credentials import Credentials
from affidavit.forges.github.applying import GATE_NAME, apply_action
from affidavit.forges.github.client import GitHubClient
from affidavit.forges.github.reading import read_pull_request
from affidavit.forges.github.standing import name_of, read_standing, read_talk
from affidavit.forges.posting.actions import Action, Limits
from affidavit.forges.pull_request import PullRequest
from affidavit.forges.standing import Standing
from affidavit.forges.web import ForgeClient

LIMITS = Limits(body_length=65_000, comments=40, has_reviews=True)
"""GitHub takes 65,536 characters; many comments in one review end in a time-out there."""


@dataclass(frozen=True)
class GitHub:
    """One pull request on GitHub."""

    client: GitHubClient
    limits: Limits = LIMITS

    @classmethod
    def opened(
        cls, address: PullRequestAddress, web: ForgeClient, credentials: Credentials, account: str
    ) -> "GitHub":
        """With a connection of its own."""
        return cls(GitHubClient(address, web, credentials, account))

    async def read(self) -> PullRequest:
        """The request with its words, comments and checks."""
        return await read_pull_request(self.client)

    async def standing(self, head: str) -> Standing:
        """Our own comments and the answers to them."""
        pull = await self.client.get(self.client.request)
        talk = await read_talk(self.client)
        if not talk.account:
            raise ForgeError(
                "GitHub does not say whose token this is, so our own comments cannot be told from others': "
                f"name the account in AFFIDAVIT_POST_AS ({'; '.join(talk.not_read)})",
                status=401,
            )
        standing = await read_standing(self.client, talk, name_of(pull.get("user")), people_who_decided)
        known = {"head": pull["head"]["sha"], "is_locked": bool(pull.get("locked"))}
        return standing.model_copy(update={"gate": await self._gate(head), **known})

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

    async def apply(self, action: Action) -> None:
        """Do one thing."""
        await apply_action(self.client, action)

    async def close(self) -> None:
        """Let go of the connection."""
        await self.client.close()
