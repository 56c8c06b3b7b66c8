"""Send requests to GitLab; every refusal becomes an error that says what to do."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from affidavit.errors import ForgeError
from affidavit.forges.web import MAX_PAGES, PUBLIC_ONLY, Connection, paged, plain

DEVELOPER = 30
"""The lowest access level that may push."""


@dataclass
class GitLabClient(Connection):
    @property
    def has_token(self) -> bool:
        return bool(self.credentials.token)

    @property
    def project(self) -> str:
        """Return the path of the project."""
        return f"/projects/{self.address.quoted}"

    @property
    def request(self) -> str:
        return f"{self.project}/merge_requests/{self.address.number}"

    async def get(self, path: str) -> dict[str, Any]:
        return self.one(path, (await self._answered("GET", path, None))[0])

    async def send(self, method: str, path: str, data: Any = None) -> Any:
        return (await self._answered(method, path, data))[0]

    async def artifact(self, job: int | str, file: str) -> bytes:
        """Download an artifact of a job, often from another host."""
        path = f"{self.project}/jobs/{job}/artifacts/{file}"
        return await self.web.download(f"{self.address.host.api}{path}", self._headers)

    async def query(self, text: str, **variables: Any) -> dict[str, Any]:
        """Ask over GraphQL; a query that this GitLab does not know is refused without a status."""
        endpoint = f"{self.address.host.api.removesuffix('/v4')}/graphql"
        data = {"query": text, "variables": variables}
        response = await self.web.request("POST", endpoint, headers=self._headers, json=data)
        if response.status_code >= 300:
            raise self._refused("POST", "/graphql", response.status_code, response.content)
        try:
            answer = json.loads(response.content)
        except ValueError as error:
            raise ForgeError("GitLab answers POST /graphql with no JSON") from error
        if not isinstance(answer, dict) or answer.get("errors") or not isinstance(answer.get("data"), dict):
            raise ForgeError(f"GitLab refuses a query: {str(answer)[:200]}")
        found: dict[str, Any] = answer["data"]
        return found

    async def pages(self, path: str) -> AsyncIterator[dict[str, Any]]:
        page = "1"
        for _ in range(MAX_PAGES):
            entries, page = await self._answered("GET", f"{paged(path)}&page={page}", None)
            if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
                raise self.unexpected(path, "a list of objects")
            for entry in entries:
                yield entry
            if not page.isdigit():
                return

    async def list(self, path: str) -> list[dict[str, Any]]:
        return [one async for one in self.pages(path)]

    async def may_write(self, account: str) -> bool:
        member = await self.get(f"{self.project}/members/all/{account}")
        return (member.get("access_level") or 0) >= DEVELOPER

    async def _answered(self, method: str, path: str, data: Any) -> tuple[Any, str]:
        """Return the decoded answer and the number of the next page."""
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
            raise ForgeError(f"GitLab answers {method} {plain(path)} with no JSON", retryable=True) from error

    @property
    def _headers(self) -> dict[str, str]:
        if not self.credentials.token:
            return {}
        name = "JOB-TOKEN" if self.credentials.is_job_token else "PRIVATE-TOKEN"
        return {name: self.credentials.token}

    def _refused(self, method: str, path: str, status: int, content: bytes) -> ForgeError:
        why = PUBLIC_ONLY if status in (401, 403, 404) and not self.has_token else ""
        if status in (401, 403, 404) and self.credentials.is_job_token:
            why = "the token of a job may do little: give a project access token in AFFIDAVIT_GITLAB_TOKEN"
        return self.refused(method, path, status, content[:1000].decode("utf-8", "replace"), why)
