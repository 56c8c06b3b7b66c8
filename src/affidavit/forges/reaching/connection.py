"""What every forge's client has: one repository of one forge, asked as somebody or as nobody."""

from dataclasses import dataclass
from typing import Any

from affidavit.errors import ForgeError
from affidavit.forges.address import PullRequestAddress
from affidavit.forges.reaching.credentials import Credentials
from affidavit.forges.reaching.web import ForgeClient

PAGE = 100
PUBLIC_ONLY = "without a token only what is public can be read"
_NAMES = {"github": "GitHub", "gitlab": "GitLab"}
_SHAPES = {
    list: "a list",
    str: "a text",
    int: "a number",
    float: "a number",
    bool: "a word",
    type(None): "nothing",
}
_REFUSALS = {
    401: "the token is not valid (any more)",
    403: "the token may not do this",
    404: "there is none, or the token may not see it",
}


@dataclass
class Connection:
    """Where to ask, and as whom."""

    address: PullRequestAddress
    web: ForgeClient
    credentials: Credentials
    account: str = ""
    """Whom the poster writes as, where the user says so; else the forge is asked."""

    @property
    def name(self) -> str:
        """What people call the forge."""
        return _NAMES[self.address.host.kind]

    def refused(self, method: str, path: str, status: int, said: str, why: str = "") -> ForgeError:
        """What the forge said, and what to do about it; never the request's own headers."""
        shown = " ".join(said.split())[:300]
        message = f"{self.name} refuses {method} {plain(path)} ({status or 'no status'}): {shown}"
        advice = why or _REFUSALS.get(status, "")
        return ForgeError(message + (f"; {advice}" if advice else ""), status=status, retryable=status >= 500)

    def one(self, path: str, answer: Any) -> dict[str, Any]:
        """An answer that is one thing; any other shape is none that this forge is known to give."""
        if isinstance(answer, dict):
            return answer
        shape = _SHAPES.get(type(answer), "something")
        raise ForgeError(
            f"{self.name} at {self.address.host.name} answers GET {plain(path)} with {shape}"
            " where an object was expected; is there a proxy or another program in front of it?"
        )

    async def close(self) -> None:
        """Let go of the connection."""
        await self.web.aclose()


def plain(path: str) -> str:
    """A path without what is asked of it."""
    return path.partition("?")[0]


def paged(path: str) -> str:
    """The same path, a hundred entries at a time."""
    return f"{path}{'&' if '?' in path else '?'}per_page={PAGE}"
