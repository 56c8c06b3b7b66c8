"""Send requests to GitHub; every refusal becomes an error that says what to do."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

import gidgethub
from gidgethub.apps import get_jwt
from gidgethub.httpx import GitHubAPI

from affidavit.errors import ForgeError
from affidavit.forges.credentials import App
from affidavit.forges.web import MAX_PAGES, PAGE, PUBLIC_ONLY, USER_AGENT, Connection, paged

THREADS = """
query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 50, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id
          isResolved
          resolvedBy { login }
          comments(first: 1) { nodes { databaseId } }
        }
      }
    }
  }
}
"""

EDITORS = """
query($ids: [ID!]!) {
  nodes(ids: $ids) {
    id
    ... on IssueComment { author { login } editor { login } lastEditedAt }
    ... on PullRequestReview { author { login } editor { login } lastEditedAt }
    ... on PullRequestReviewComment { author { login } editor { login } lastEditedAt }
  }
}
"""

ISSUES = """
query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      closingIssuesReferences(first: 10) {
        nodes { number title body repository { nameWithOwner } }
      }
    }
  }
}
"""

VIEWER = """
query { viewer { login } }
"""

RESOLVE = """
mutation($thread: ID!) {
  resolveReviewThread(input: {threadId: $thread}) { thread { id isResolved } }
}
"""


API_VERSION = {"x-github-api-version": "2022-11-28"}


@dataclass
class GitHubClient(Connection):
    def __post_init__(self) -> None:
        self._api = GitHubAPI(
            self.web,
            USER_AGENT,
            oauth_token=self.credentials.token or None,
            base_url=self.address.host.api,
        )

    @property
    def has_token(self) -> bool:
        return bool(self._api.oauth_token) or self.credentials.app is not None

    @property
    def repository(self) -> str:
        """Return the path of the repository."""
        return f"/repos/{self.address.repository}"

    @property
    def request(self) -> str:
        return f"{self.repository}/pulls/{self.address.number}"

    @property
    def issue(self) -> str:
        """Return the path of the request as an issue, which has the plain comments."""
        return f"{self.repository}/issues/{self.address.number}"

    async def get(self, path: str) -> dict[str, Any]:
        return self.one(path, await self.send("GET", path))

    async def pages(self, path: str, key: str = "items") -> AsyncIterator[dict[str, Any]]:
        await self._authenticate()
        try:
            count = 0
            async for item in self._api.getiter(paged(path), extra_headers=API_VERSION, iterable_key=key):
                yield item
                count += 1
                if count >= MAX_PAGES * PAGE:
                    return
        except gidgethub.GitHubException as error:
            raise self._refused(error, "GET", path) from error

    async def send(self, method: str, path: str, data: Any = None) -> Any:
        """Send a request; renew the token of an App once, since a long review may outlive its hour."""
        await self._authenticate()
        try:
            return await self._sent(method, path, data)
        except gidgethub.GitHubException as error:
            if _status(error) != 401 or self.credentials.app is None:
                raise self._refused(error, method, path) from error
        self._api.oauth_token = None
        await self._authenticate()
        try:
            return await self._sent(method, path, data)
        except gidgethub.GitHubException as error:
            raise self._refused(error, method, path) from error

    async def may_write(self, account: str) -> bool:
        answer = await self.get(f"{self.repository}/collaborators/{account}/permission")
        return answer.get("permission") in ("admin", "write", "maintain")

    async def _sent(self, method: str, path: str, data: Any) -> Any:
        if method == "GET":
            return await self._api.getitem(path, extra_headers=API_VERSION)
        sends: dict[str, Any] = {"PATCH": self._api.patch, "PUT": self._api.put, "POST": self._api.post}
        return await sends[method](path, data=data, extra_headers=API_VERSION)

    async def download(self, path: str) -> bytes:
        """Download a file, often from another host."""
        await self._authenticate()
        headers = {**API_VERSION, "authorization": f"bearer {self._api.oauth_token}"}
        return await self.web.download(f"{self.address.host.api}{path}", headers)

    async def query(self, text: str, **variables: Any) -> dict[str, Any]:
        """Ask over GraphQL, which needs a token."""
        await self._authenticate()
        endpoint = f"{self.address.host.api.removesuffix('/v3')}/graphql"
        try:
            answer: dict[str, Any] = await self._api.graphql(text, endpoint=endpoint, **variables)
        except gidgethub.GitHubException as error:
            raise self._refused(error, "POST", "/graphql") from error
        return answer

    async def _authenticate(self) -> None:
        """Make a token for this repository if we are an App and have none."""
        app = self.credentials.app
        if app is None or self._api.oauth_token:
            return
        self._api.oauth_token = await self._installation_token(app)

    async def _installation_token(self, app: App) -> str:
        try:
            jwt = get_jwt(app_id=app.id, private_key=app.key)
        except (ValueError, TypeError) as error:
            raise ForgeError(f"the private key of App {app.id} cannot be used: {error}") from error
        try:
            number = app.installation or str(
                (await self._api.getitem(f"{self.repository}/installation", jwt=jwt))["id"]
            )
            # Rights to this repository only, whatever else the App is installed on.
            name = self.address.repository.partition("/")[2]
            answer: Mapping[str, Any] = await self._api.post(
                f"/app/installations/{number}/access_tokens", data={"repositories": [name]}, jwt=jwt
            )
        except gidgethub.GitHubException as error:
            what = f"App {app.id} gets no token for {self.address.repository}"
            raise ForgeError(f"{what}: {error}; is it installed there?", status=_status(error)) from error
        return str(answer["token"])

    def _refused(self, error: Exception, method: str, path: str) -> ForgeError:
        status = _status(error)
        why = PUBLIC_ONLY if status in (403, 404) and not self.has_token else ""
        return self.refused(method, path, status, str(error), why)


def _status(error: Exception) -> int:
    return int(error.status_code) if isinstance(error, gidgethub.HTTPException) else 0
