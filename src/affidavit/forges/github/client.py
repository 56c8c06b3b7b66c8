"""Ask GitHub: paths and data in, decoded answers out; every refusal becomes an error that says what to do."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

import gidgethub
from gidgethub.apps import get_jwt
from gidgethub.httpx import GitHubAPI

from affidavit.errors import ForgeError
from affidavit.forges.address import PullRequestAddress
from affidavit.forges.credentials import App, Credentials
from affidavit.forges.web import MAX_PAGES, USER_AGENT, ForgeClient

API_VERSION = {"x-github-api-version": "2022-11-28"}
PAGE = 100
_REFUSALS = {
    401: "the token is not valid (any more)",
    403: "the token may not do this",
    404: "there is none, or the token may not see it",
}


@dataclass
class GitHubClient:
    """One repository of one GitHub, asked as somebody or as nobody."""

    address: PullRequestAddress
    web: ForgeClient
    credentials: Credentials
    account: str = ""
    """Whom the poster writes as, where the user says so; else the forge is asked."""

    def __post_init__(self) -> None:
        self._api = GitHubAPI(
            self.web,
            USER_AGENT,
            oauth_token=self.credentials.token or None,
            base_url=self.address.host.api,
        )

    @property
    def has_token(self) -> bool:
        """Whether somebody asks."""
        return bool(self._api.oauth_token) or self.credentials.app is not None

    @property
    def repository(self) -> str:
        """The path under which all of the repository lies."""
        return f"/repos/{self.address.repository}"

    @property
    def request(self) -> str:
        """The path of the pull request."""
        return f"{self.repository}/pulls/{self.address.number}"

    @property
    def issue(self) -> str:
        """The path of the same as an issue, where its plain comments lie."""
        return f"{self.repository}/issues/{self.address.number}"

    async def get(self, path: str) -> Any:
        """One answer."""
        return await self.send("GET", path)

    async def pages(self, path: str, key: str = "items") -> AsyncIterator[dict[str, Any]]:
        """All entries of a list, page by page."""
        joint = "&" if "?" in path else "?"
        await self._authenticate()
        try:
            count = 0
            async for item in self._api.getiter(
                f"{path}{joint}per_page={PAGE}", extra_headers=API_VERSION, iterable_key=key
            ):
                yield item
                count += 1
                if count >= MAX_PAGES * PAGE:
                    return
        except gidgethub.GitHubException as error:
            raise _refused(error, "GET", path, has_token=self.has_token) from error

    async def send(self, method: str, path: str, data: Any = None) -> Any:
        """Ask for something, or have something done."""
        await self._authenticate()
        try:
            return await self._sent(method, path, data)
        except gidgethub.HTTPException as error:
            if error.status_code == 401 and self.credentials.app is not None:
                # The token of an App lives for an hour; a long review may outlive it.
                self._api.oauth_token = None
                await self._authenticate()
                return await self._again(method, path, data)
            raise _refused(error, method, path, has_token=self.has_token) from error
        except gidgethub.GitHubException as error:
            raise _refused(error, method, path, has_token=self.has_token) from error

    async def _again(self, method: str, path: str, data: Any) -> Any:
        try:
            return await self._sent(method, path, data)
        except gidgethub.GitHubException as error:
            raise _refused(error, method, path, has_token=True) from error

    async def _sent(self, method: str, path: str, data: Any) -> Any:
        if method == "GET":
            return await self._api.getitem(path, extra_headers=API_VERSION)
        if method == "DELETE":
            return await self._api.delete(path, extra_headers=API_VERSION)
        if method == "PATCH":
            return await self._api.patch(path, data=data, extra_headers=API_VERSION)
        if method == "PUT":
            return await self._api.put(path, data=data, extra_headers=API_VERSION)
        return await self._api.post(path, data=data, extra_headers=API_VERSION)

    async def query(self, text: str, **variables: Any) -> dict[str, Any]:
        """Ask over GraphQL, which needs a token."""
        await self._authenticate()
        endpoint = f"{self.address.host.api.removesuffix('/v3')}/graphql"
        try:
            answer: dict[str, Any] = await self._api.graphql(text, endpoint=endpoint, **variables)
        except gidgethub.GitHubException as error:
            raise _refused(error, "POST", "/graphql", has_token=self.has_token) from error
        return answer

    async def _authenticate(self) -> None:
        """As an App: make a token for this repository, once and again when it has expired."""
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

    async def close(self) -> None:
        """Let go of the connection."""
        await self.web.aclose()


def _status(error: Exception) -> int:
    return int(error.status_code) if isinstance(error, gidgethub.HTTPException) else 0


def _refused(error: Exception, method: str, path: str, *, has_token: bool) -> ForgeError:
    """What the forge said, and what to do about it; never the request's own headers."""
    status = _status(error)
    why = _REFUSALS.get(status, "")
    if status in (403, 404) and not has_token:
        why = "without a token only what is public can be read"
    said = " ".join(str(error).split())[:300]
    message = f"GitHub refuses {method} {path.partition('?')[0]} ({status or 'no status'}): {said}"
    return ForgeError(message + (f"; {why}" if why else ""), status=status, retryable=status >= 500)
