"""Ask GitLab: paths and data in, decoded answers out; every refusal becomes an error that says what to do."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from affidavit.errors import ForgeError
from affidavit.forges.address import PullRequestAddress
from affidavit.forges.credentials import Credentials
from affidavit.forges.web import MAX_PAGES, ForgeClient

PAGE = 100
_REFUSALS = {
    401: "the token is not valid (any more)",
    403: "the token may not do this",
    404: "there is none, or the token may not see it",
}


@dataclass
class GitLabClient:
    """One project of one GitLab, asked as somebody or as nobody."""

    address: PullRequestAddress
    web: ForgeClient
    credentials: Credentials
    account: str = ""
    """Whom the poster writes as, where the user says so; else the forge is asked."""

    @property
    def has_token(self) -> bool:
        """Whether somebody asks."""
        return bool(self.credentials.token)

    @property
    def project(self) -> str:
        """The path under which all of the project lies."""
        return f"/projects/{self.address.quoted}"

    @property
    def request(self) -> str:
        """The path of the merge request."""
        return f"{self.project}/merge_requests/{self.address.number}"

    async def get(self, path: str) -> Any:
        """One answer."""
        return (await self._answered("GET", path, None))[0]

    async def send(self, method: str, path: str, data: Any = None) -> Any:
        """Have something done."""
        return (await self._answered(method, path, data))[0]

    async def pages(self, path: str) -> AsyncIterator[dict[str, Any]]:
        """All entries of a list, page by page."""
        joint = "&" if "?" in path else "?"
        page = "1"
        for _ in range(MAX_PAGES):
            entries, page = await self._answered("GET", f"{path}{joint}per_page={PAGE}&page={page}", None)
            if not isinstance(entries, list):
                raise ForgeError(f"GitLab answers {path} with something else than a list")
            for entry in entries:
                yield entry
            if not page.isdigit():
                return

    async def _answered(self, method: str, path: str, data: Any) -> tuple[Any, str]:
        """The decoded answer, and the number of the next page."""
        response = await self.web.request(
            method, f"{self.address.host.api}{path}", headers=self._headers, json=data
        )
        if response.status_code >= 300:
            raise self._refused(method, path, response.status_code, response.content)
        if not response.content:
            return None, ""
        try:
            return json.loads(response.content), response.headers.get("x-next-page", "")
        except ValueError as error:
            raise ForgeError(
                f"GitLab answers {method} {_shown(path)} with no JSON", retryable=True
            ) from error

    @property
    def _headers(self) -> dict[str, str]:
        if not self.credentials.token:
            return {}
        name = "JOB-TOKEN" if self.credentials.is_job_token else "PRIVATE-TOKEN"
        return {name: self.credentials.token}

    def _refused(self, method: str, path: str, status: int, content: bytes) -> ForgeError:
        """What the forge said, and what to do about it."""
        why = _REFUSALS.get(status, "")
        if status in (401, 403, 404) and not self.has_token:
            why = "without a token only what is public can be read"
        if status in (401, 403) and self.credentials.is_job_token:
            why = "the token of a job may do little: give a project access token in AFFIDAVIT_GITLAB_TOKEN"
        said = " ".join(content[:1000].decode("utf-8", "replace").split())[:300]
        message = f"GitLab refuses {method} {_shown(path)} ({status}): {said}"
        return ForgeError(message + (f"; {why}" if why else ""), status=status, retryable=status >= 500)

    async def close(self) -> None:
        """Let go of the connection."""
        await self.web.aclose()


def _shown(path: str) -> str:
    return path.partition("?")[0]
