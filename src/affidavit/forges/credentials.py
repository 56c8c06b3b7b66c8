"""Find the credentials for a forge in the environment, never in a repository; `repr` hides them."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from affidavit.errors import SettingsError
from affidavit.forges.address import Host

Purpose = Literal["read", "post"]
MAX_TOKEN_LENGTH = 10_000
POST_TOKEN = "AFFIDAVIT_POST_TOKEN"  # noqa: S105 - the name of a variable
APP_VARIABLES = (
    "AFFIDAVIT_GITHUB_APP_ID",
    "AFFIDAVIT_GITHUB_APP_KEY",
    "AFFIDAVIT_GITHUB_APP_KEY_FILE",
    "AFFIDAVIT_GITHUB_APP_INSTALLATION",
)
ONLY_FOR_POSTING = (POST_TOKEN, *APP_VARIABLES, "AFFIDAVIT_SIGNING_KEY")
"""Variables that a process that reads a change does not get."""
_OWN = {
    "github": ("AFFIDAVIT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"),
    "gitlab": ("AFFIDAVIT_GITLAB_TOKEN", "GITLAB_TOKEN"),
}


@dataclass(frozen=True)
class App:
    """A GitHub App, which can make a token for one repository."""

    id: str
    key: str = field(repr=False)
    installation: str = ""
    """If empty, GitHub is asked for the repository's."""


@dataclass(frozen=True)
class Credentials:
    """A token, an App, or neither; without any, only public data can be read."""

    token: str = field(default="", repr=False)
    app: App | None = None
    is_job_token: bool = False
    """The token of a GitLab job: sent in another header, with few rights."""

    @property
    def is_installation(self) -> bool:
        """Check whether the token is an App's; that of a build on GitHub is one."""
        return self.app is not None or self.token.startswith("ghs_")


NOBODY = Credentials()


def find_credentials(
    host: Host, purpose: Purpose = "read", environment: Mapping[str, str] = os.environ
) -> Credentials:
    """Return the user's credentials for this forge and purpose; NOBODY if there are none."""
    if purpose == "post":
        app = _app(environment) if host.kind == "github" else None
        token = environment.get(POST_TOKEN, "")
        if app or token:
            return Credentials(token=_checked(token, POST_TOKEN) if not app else "", app=app)
    token = next((environment[name] for name in _OWN[host.kind] if environment.get(name)), "")
    if token:
        return Credentials(token=_checked(token, _OWN[host.kind][0]))
    if host.kind == "gitlab" and environment.get("CI_JOB_TOKEN"):
        return Credentials(token=_checked(environment["CI_JOB_TOKEN"], "CI_JOB_TOKEN"), is_job_token=True)
    return NOBODY


def has_credentials_for_posting(environment: Mapping[str, str] = os.environ) -> bool:
    return any(environment.get(name) for name in (POST_TOKEN, APP_VARIABLES[0]))


def _checked(token: str, where: str) -> str:
    token = token.strip()
    if not token.isascii() or not token.isprintable() or " " in token or len(token) > MAX_TOKEN_LENGTH:
        raise SettingsError(f"{where}: not a token: it has characters that no token has")
    return token


def _app(environment: Mapping[str, str]) -> App | None:
    app_id = environment.get("AFFIDAVIT_GITHUB_APP_ID", "").strip()
    if not app_id:
        return None
    key = environment.get("AFFIDAVIT_GITHUB_APP_KEY") or _key_file(environment)
    if "PRIVATE KEY" not in key:
        raise SettingsError(
            "AFFIDAVIT_GITHUB_APP_ID names an App: give its private key (PEM) in AFFIDAVIT_GITHUB_APP_KEY, "
            "or its file in AFFIDAVIT_GITHUB_APP_KEY_FILE"
        )
    # Where a variable cannot hold several lines, people write \n.
    key = key.replace("\\n", "\n")
    return App(
        id=app_id, key=key, installation=environment.get("AFFIDAVIT_GITHUB_APP_INSTALLATION", "").strip()
    )


def _key_file(environment: Mapping[str, str]) -> str:
    name = environment.get("AFFIDAVIT_GITHUB_APP_KEY_FILE")
    if not name:
        return ""
    try:
        return Path(name).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"AFFIDAVIT_GITHUB_APP_KEY_FILE: {name} cannot be read: {error}") from error
