"""The address of a pull request: what a user pastes in, which forge, repository and number it means out."""

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from affidavit.errors import InputError, SettingsError
from affidavit.forges.reaching.hosts import Host, known_hosts
from affidavit.records.record import Record

_NUMBER = r"(?P<number>[1-9][0-9]{0,17})(?P<page>/.*)?"
_GITHUB_PATH = re.compile(rf"/(?P<repository>[^/]+/[^/]+)/pull/{_NUMBER}")
_GITLAB_PATH = re.compile(rf"/(?P<repository>.+?)/(?:-/)?merge_requests/{_NUMBER}")
_UNSEEN = re.compile(r"[\x00-\x1f\x7f\\]")
"""What programs leave out of an address or read as something else."""
_GITHUB_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})/[A-Za-z0-9._-]{1,100}")
_GITLAB_NAME = re.compile(r"[\w.+ -]+(?:/[\w.+ -]+)+")


class PullRequestAddress(Record):
    """Which pull request is meant; on GitLab, which merge request."""

    host: Host
    repository: str
    """`owner/name`; on GitLab with all its groups."""
    number: int

    @property
    def url(self) -> str:
        """Where people find it: the one spelling that reports, markers and comparisons use."""
        middle = "pull" if self.host.kind == "github" else "-/merge_requests"
        return f"{self.repository_url}/{middle}/{self.number}"

    @property
    def repository_url(self) -> str:
        """Where people find its repository."""
        return f"{self.host.web}/{self.repository}"

    @property
    def clone_url(self) -> str:
        """Where git fetches from."""
        return f"{self.repository_url}.git"

    @property
    def head_ref(self) -> str:
        """What the forge keeps of the request, also where its branch or its fork is gone."""
        return f"refs/{'pull' if self.host.kind == 'github' else 'merge-requests'}/{self.number}/head"

    @property
    def quoted(self) -> str:
        """The repository as one part of a path."""
        return quote(self.repository, safe="")


def is_request_url(text: str | None) -> bool:
    """Whether a target is an address of the web: no revision and no file is written like one."""
    return text is not None and text.lower().startswith(("https://", "http://"))


def refuse_without_scheme(text: str | None) -> None:
    """Raise where somebody pasted the address of a request as browsers show it: no revision is called so."""
    if text is None or "://" in text or "/" not in text or Path(text).exists():
        return
    with suppress(InputError):
        url = parse_change_url(f"https://{text.strip()}").url
        raise SettingsError(f"{text!r} looks like the address of a request: write {url}")


def parse_change_url(text: str, hosts: Sequence[Host] | None = None) -> PullRequestAddress:
    """The pull request that an address means; raises InputError where none is, or its forge is not known."""
    text = text.strip()
    try:
        parts = urlsplit(text)
    except ValueError as error:
        raise InputError(f"{text!r} is no address: {error}") from error
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
        raise InputError(f"{parts.netloc} is asked over https only: write https{text[4:]}")
    if host is None:
        raise InputError(
            f"{parts.netloc} is no forge that may be asked ({', '.join(one.name for one in known)}): if it "
            "is yours, name it in AFFIDAVIT_GITHUB_HOSTS or AFFIDAVIT_GITLAB_HOSTS, or in forges.toml"
        )
    return _on(host, parts.path[len(urlsplit(host.web).path) :], text)


_EXAMPLES = "https://github.com/owner/name/pull/1 or https://gitlab.com/group/name/-/merge_requests/1"


def _host_of(text: str, hosts: Sequence[Host]) -> Host | None:
    """The forge whose address the text begins with, scheme and port included."""
    parts = urlsplit(text)
    for host in hosts:
        web = urlsplit(host.web)
        is_there = (parts.scheme, parts.netloc.lower()) == (web.scheme, web.netloc.lower())
        if is_there and parts.path.startswith(f"{web.path}/"):
            return host
    return None


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
