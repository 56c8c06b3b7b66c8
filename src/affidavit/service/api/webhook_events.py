"""Read webhook events of forges, and find out which review each asks for.

The caller has checked the signature; here the content is validated.
"""

import re
from typing import Any, Literal

from affidavit.errors import InputError
from affidavit.forges.address import Host, PullRequestAddress, parse_change_url
from affidavit.records.record import Record

Wish = Literal["review", "cancel", "answer", "dismiss"]
"""Review the current request; cancel, because it is closed; read an answer, or a dismissal."""
_REVIEWED = ("opened", "synchronize", "reopened", "ready_for_review")
_GITLAB_REVIEWED = ("open", "reopen")
_DRAFT_MARKS = {"draft", "work_in_progress"}
"""The second is what older GitLabs call it."""
COMMAND = "/affidavit "
_DISMISSAL = re.compile(r"^[ \t]*/affidavit[ \t]+dismiss\b", re.MULTILINE | re.IGNORECASE)


class RequestEvent(Record):
    """What happened to a pull request that a reviewer cares about."""

    wish: Wish
    address: PullRequestAddress
    head: str = ""
    """The commit, if the event names it; a late event may name an old one."""
    before: str = ""
    """For a push, the commit before it."""
    by: str = ""
    is_draft: bool = False


def read_github_event(name: str, payload: Any, hosts: tuple[Host, ...]) -> RequestEvent | None:
    """Read a delivery of GitHub; None if it asks for nothing. `X-GitHub-Event` is its name."""
    if name == "pull_request":
        return _pull_request(_table(payload), hosts)
    if name in ("issue_comment", "pull_request_review_comment"):
        return _comment(name, _table(payload), hosts)
    return None


def read_gitlab_event(name: str, payload: Any, hosts: tuple[Host, ...]) -> RequestEvent | None:
    """Read a delivery of GitLab; None if it asks for nothing. `X-Gitlab-Event` is its name."""
    content = _table(payload)
    if name == "Merge Request Hook":
        return _merge_request(content, hosts)
    if name == "Note Hook":
        return _note(content, hosts)
    return None


def _pull_request(payload: dict[str, Any], hosts: tuple[Host, ...]) -> RequestEvent | None:
    action, pull = payload.get("action"), _table(payload.get("pull_request"))
    if action not in (*_REVIEWED, "closed", "converted_to_draft"):
        return None
    wish: Wish = "review" if action in _REVIEWED else "cancel"
    return RequestEvent(
        wish=wish,
        address=_address(pull.get("html_url"), hosts),
        head=_text(_table(pull.get("head")).get("sha")),
        before=_text(payload.get("before")) if action == "synchronize" else "",
        by=_text(_table(payload.get("sender")).get("login")),
        is_draft=pull.get("draft") is True,
    )


def _comment(name: str, payload: dict[str, Any], hosts: tuple[Host, ...]) -> RequestEvent | None:
    """Return a new comment with a command for us; None for comments of bots, ours included."""
    comment, sender = _table(payload.get("comment")), _table(payload.get("sender"))
    is_about_request = name != "issue_comment" or "pull_request" in _table(payload.get("issue"))
    speaks_to_us = COMMAND in _text(comment.get("body"))
    if payload.get("action") != "created" or not is_about_request or not speaks_to_us:
        return None
    if sender.get("type") == "Bot":
        return None
    owner = _table(payload.get("pull_request" if name != "issue_comment" else "issue"))
    return RequestEvent(
        wish=_wish_of(_text(comment.get("body"))),
        address=_address(owner.get("html_url"), hosts),
        by=_text(sender.get("login")),
    )


def _wish_of(command: str) -> Wish:
    """Check whether a command is a dismissal; rights are checked when the request is read."""
    return "dismiss" if _DISMISSAL.search(command) else "answer"


def _merge_request(payload: dict[str, Any], hosts: tuple[Host, ...]) -> RequestEvent | None:
    about = _table(payload.get("object_attributes"))
    is_draft = bool(about.get("draft") or about.get("work_in_progress"))
    wish = _gitlab_wish(about, _table(payload.get("changes")), is_draft=is_draft)
    if wish is None:
        return None
    return RequestEvent(
        wish=wish,
        address=_address(about.get("url"), hosts),
        head=_text(_table(about.get("last_commit")).get("id")),
        before=_text(about.get("oldrev")),
        by=_text(_table(payload.get("user")).get("username")),
        is_draft=is_draft,
    )


def _gitlab_wish(about: dict[str, Any], changes: dict[str, Any], *, is_draft: bool) -> Wish | None:
    """Classify an `update` of GitLab: with `oldrev` it is a push; others name what they change."""
    action = about.get("action")
    if action in ("close", "merge"):
        return "cancel"
    if action in _GITLAB_REVIEWED:
        return "review"
    if action == "update" and _DRAFT_MARKS & changes.keys():
        return "cancel" if is_draft else "review"
    return "review" if action == "update" and about.get("oldrev") else None


def _note(payload: dict[str, Any], hosts: tuple[Host, ...]) -> RequestEvent | None:
    about, request = _table(payload.get("object_attributes")), _table(payload.get("merge_request"))
    if not request or COMMAND not in _text(about.get("note")) or about.get("system") is True:
        return None
    url = _text(about.get("url")).partition("#")[0]
    by = _text(_table(payload.get("user")).get("username"))
    return RequestEvent(wish=_wish_of(_text(about.get("note"))), address=_address(url, hosts), by=by)


def _address(url: Any, hosts: tuple[Host, ...]) -> PullRequestAddress:
    if not isinstance(url, str):
        raise InputError("the event names no pull request")
    # GitHub's own comments on a pull request name it as an issue in some places.
    return parse_change_url(url.replace("/issues/", "/pull/"), hosts)


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
