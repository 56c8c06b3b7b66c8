"""Parse the address of a pull request, and list the forges that may be asked."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal
from urllib.parse import quote, unquote, urlsplit

from affidavit.errors import InputError, SettingsError
from affidavit.records.record import Record

ForgeKind = Literal["github", "gitlab"]
KINDS: tuple[ForgeKind, ...] = ("github", "gitlab")
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Host(Record):
    """One installation of a forge. Addresses have no slash at their end."""

    kind: ForgeKind
    web: str
    """The address for people: https://github.com."""
    api: str
    """The address for programs: https://api.github.com."""

    @property
    def name(self) -> str:
        """Return the host, with a port that is not the default."""
        return urlsplit(self.web).netloc

    @property
    def origins(self) -> frozenset[str]:
        """Return the origins that requests may go to; redirects elsewhere are refused."""
        return frozenset(origin_of(address) for address in (self.web, self.api))


GITHUB = Host(kind="github", web="https://github.com", api="https://api.github.com")
GITLAB = Host(kind="gitlab", web="https://gitlab.com", api="https://gitlab.com/api/v4")


def origin_of(address: str) -> str:
    """Return scheme, host and port of an address."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.lower()}"


def known_hosts(environment: Mapping[str, str] = os.environ) -> tuple[Host, ...]:
    """Return the forges that may be contacted, those that the user named first."""
    by_name: dict[str, Host] = {}
    for host in (*named_hosts(environment), GITHUB, GITLAB):
        by_name.setdefault(host.name, host)
    return tuple(by_name.values())


def named_hosts(environment: Mapping[str, str] = os.environ) -> tuple[Host, ...]:
    """Return the forges named by the environment."""
    return (*_from_variables(environment), *_from_builds(environment))


def described(kind: ForgeKind, web: str, api: str | None, where: str) -> Host:
    """Return the forge at an address; raise SettingsError if it is not an address."""
    return Host(kind=kind, web=_address(web, where), api=_address(api or _api_of(kind, web), where))


def _api_of(kind: ForgeKind, web: str) -> str:
    if kind == "gitlab":
        return f"{web.rstrip('/')}/api/v4"
    return GITHUB.api if web.rstrip("/") == GITHUB.web else f"{web.rstrip('/')}/api/v3"


def _address(text: str, where: str) -> str:
    address = text.strip().rstrip("/")
    parts = urlsplit(address)
    is_private = parts.scheme == "http" and parts.hostname in LOOPBACK
    if not parts.hostname or (parts.scheme != "https" and not is_private):
        raise SettingsError(
            f"{where}: {text!r} is not the address of a forge, such as https://git.example.org"
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise SettingsError(f"{where}: {parts.hostname}: name the address alone; tokens are given apart")
    return address


def _from_variables(environment: Mapping[str, str]) -> Iterator[Host]:
    """Read AFFIDAVIT_GITHUB_HOSTS and AFFIDAVIT_GITLAB_HOSTS: addresses or names, separated by commas."""
    for kind in KINDS:
        variable = f"AFFIDAVIT_{kind.upper()}_HOSTS"
        for text in environment.get(variable, "").split(","):
            if text.strip():
                yield described(kind, _with_scheme(text.strip()), None, variable)


def _with_scheme(text: str) -> str:
    return text if "://" in text else f"https://{text}"


def _from_builds(environment: Mapping[str, str]) -> Iterator[Host]:
    """Return the forge that the variables of a CI job name."""
    if environment.get("GITHUB_ACTIONS") and environment.get("GITHUB_SERVER_URL"):
        yield described(
            "github", environment["GITHUB_SERVER_URL"], environment.get("GITHUB_API_URL"), "GITHUB_SERVER_URL"
        )
    if environment.get("GITLAB_CI") and environment.get("CI_SERVER_URL"):
        yield described(
            "gitlab", environment["CI_SERVER_URL"], environment.get("CI_API_V4_URL"), "CI_SERVER_URL"
        )


_NUMBER = r"(?P<number>[1-9][0-9]{0,17})(?P<page>/.*)?"
_GITHUB_PATH = re.compile(rf"/(?P<repository>[^/]+/[^/]+)/pull/{_NUMBER}")
_GITLAB_PATH = re.compile(rf"/(?P<repository>.+?)/(?:-/)?merge_requests/{_NUMBER}")
_COMMITS = re.compile(r"/pull/\d+/(?:files|changes)/(?P<base>[^/.]+)\.\.(?P<head>[^/.]+)/?")
_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_UNSEEN = re.compile(r"[\x00-\x1f\x7f\\]")
"""Characters that some programs drop or read differently."""
_GITHUB_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})/[A-Za-z0-9._-]{1,100}")
_GITLAB_NAME = re.compile(r"[\w.+ -]+(?:/[\w.+ -]+)+")


class PullRequestAddress(Record):
    """The address of a pull request, or of a merge request on GitLab."""

    host: Host
    repository: str
    """`owner/name`; on GitLab with all its groups."""
    number: int

    @property
    def url(self) -> str:
        """Return the address for people, in the one spelling that reports and marks use."""
        middle = "pull" if self.host.kind == "github" else "-/merge_requests"
        return f"{self.repository_url}/{middle}/{self.number}"

    @property
    def repository_url(self) -> str:
        return f"{self.host.web}/{self.repository}"

    @property
    def clone_url(self) -> str:
        return f"{self.repository_url}.git"

    @property
    def head_ref(self) -> str:
        """Return the ref that the forge keeps, even if the branch or the fork is gone."""
        return f"refs/{'pull' if self.host.kind == 'github' else 'merge-requests'}/{self.number}/head"

    @property
    def quoted(self) -> str:
        """Return the repository as one part of a path."""
        return quote(self.repository, safe="")


def is_request_url(text: str | None) -> bool:
    """Check whether a target is a web address; revisions and files never look like one."""
    return text is not None and text.lower().startswith(("https://", "http://"))


def refuse_without_scheme(text: str | None) -> None:
    """Raise SettingsError for the address of a request without `https://`, as browsers show it."""
    if text is None or "://" in text or "/" not in text or Path(text).exists():
        return
    with suppress(InputError):
        url = parse_change_url(f"https://{text.strip()}").url
        raise SettingsError(f"{text!r} looks like the address of a request: write {url}")


def parse_change_url(text: str, hosts: Sequence[Host] | None = None) -> PullRequestAddress:
    """Parse the address of a pull request; raise InputError if it is none or the forge is unknown."""
    text = text.strip()
    try:
        parts = urlsplit(text)
    except ValueError as error:
        raise InputError(f"{text!r} is not a valid address: {error}") from error
    if parts.scheme not in ("https", "http") or not parts.hostname:
        raise InputError(f"{text!r} is not the address of a pull request, such as {_EXAMPLES}")
    if parts.username or parts.password:
        raise InputError(
            f"{parts.hostname}: take the name and the password out of the address; a token is read from the "
            "environment (AFFIDAVIT_GITHUB_TOKEN, AFFIDAVIT_GITLAB_TOKEN)"
        )
    known = known_hosts() if hosts is None else hosts
    host = _host_of(text, known)
    if host is None and parts.scheme == "http" and _host_of(f"https{text[4:]}", known):
        raise InputError(f"{parts.netloc} is contacted over https only: write https{text[4:]}")
    if host is None:
        raise InputError(
            f"{parts.netloc} is not a known forge ({', '.join(one.name for one in known)}); if you trust it, "
            "add it to AFFIDAVIT_GITHUB_HOSTS or AFFIDAVIT_GITLAB_HOSTS"
        )
    return _on(host, parts.path[len(urlsplit(host.web).path) :], text)


_EXAMPLES = "https://github.com/owner/name/pull/1 or https://gitlab.com/group/name/-/merge_requests/1"


def _host_of(text: str, hosts: Sequence[Host]) -> Host | None:
    """Return the forge whose address the text begins with, scheme and port included."""
    parts = urlsplit(text)
    for host in hosts:
        web = urlsplit(host.web)
        is_there = (parts.scheme, parts.netloc.lower()) == (web.scheme, web.netloc.lower())
        if is_there and parts.path.startswith(f"{web.path}/"):
            return host
    return None


def named_commits(text: str) -> tuple[str, str] | None:
    """Return the two commits that an address compares within a request: `…/pull/7/files/BASE..HEAD`."""
    found = _COMMITS.search(text.strip())
    if found is None:
        return None
    if not all(map(_HASH.fullmatch, found.groups())):
        raise InputError(f"{text!r}: name both commits by their whole hashes")
    return found["base"], found["head"]


def _on(host: Host, path: str, text: str) -> PullRequestAddress:
    is_github = host.kind == "github"
    found = (_GITHUB_PATH if is_github else _GITLAB_PATH).fullmatch(path.rstrip("/"))
    name = unquote(found["repository"]).removesuffix(".git") if found else ""
    pattern = _GITHUB_NAME if is_github else _GITLAB_NAME
    # A page of the request may follow; a way back out of it means another one.
    page = unquote(found["page"] or "") if found else ""
    dotted = any(part in (".", "..") for part in (*name.split("/"), *page.split("/")))
    is_odd = dotted or _UNSEEN.search(text + page)
    if found is None or not pattern.fullmatch(name) or is_odd:
        what = "pull request" if is_github else "merge request"
        raise InputError(f"{text!r} is not the address of a {what} on {host.name}: expected {_EXAMPLES}")
    return PullRequestAddress(host=host, repository=name, number=int(found["number"]))
