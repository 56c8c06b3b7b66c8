"""Forges that tell a service of what happens to a request, with what was written there at the end."""

import hashlib
import hmac
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from forge_http import ForgeServer
from github_server import GitHubServer
from gitlab_server import GitLabServer
from posting_flow import ALL_BUT_RUFF
from published import webhooks
from service_process import Answer, Client
from shop import BASE_FILES, HEAD_FILES

SECRET = "a secret of the webhook"
BOT, READS, WRITES = "affidavit[bot]", "read", "ghs_app"
Content = dict[str, Any]


class Delivering:
    """A forge with an open request whose deliveries reach a service."""

    name = ""
    server: GitHubServer | GitLabServer

    def open(self) -> None:
        """The shop's change, as it was pushed first."""
        base = self.server.origin.commit("main", dict(BASE_FILES), "Begin")
        head = self.server.origin.commit("topic", dict(HEAD_FILES), "Add prices in several currencies")
        self.server.open_pull(base, head)

    def push(self) -> str:
        """One more file, which changes what is found by nothing."""
        content = f"x = {time.monotonic_ns()}\n"
        head = self.server.origin.commit("topic", {**HEAD_FILES, "more.py": content}, "More")
        self.server.push(head)
        return head

    @property
    def url(self) -> str:
        return self.server.address.url

    @property
    def without_matter(self) -> tuple[Content, ...]:
        """Deliveries about the request that ask for nothing."""
        raise NotImplementedError

    def told(
        self, what: str, *, head: str | None = None, before: str = "0" * 40, is_draft: bool = False
    ) -> Content:
        """What the forge says when the request was opened, pushed, reopened, readied, drafted or closed."""
        raise NotImplementedError

    def stand(self, *, is_open: bool = True, is_draft: bool = False) -> None:
        """How the forge shows the request from now on."""
        raise NotImplementedError

    def commented(self, by: str, body: str) -> tuple[str, Content]:
        """Somebody writes a comment on the request: what the forge calls that, and what it says of it."""
        raise NotImplementedError

    def deliver(
        self,
        client: Client,
        content: Content,
        delivery: str,
        *,
        secret: str = SECRET,
        event: str = "",
        named: str = "",
    ) -> Answer:
        """Deliver an event; `named`: under another name than its own, which the forge does not sign."""
        # What happens twice is said in other words: at least the times of a forge's events differ.
        body = json.dumps({**content, "happened": delivery}).encode()
        headers = self.headers(body, named or delivery, secret, event)
        return client.ask("POST", f"/api/webhook/{self.name}", body, headers)

    def headers(self, body: bytes, delivery: str, secret: str, event: str) -> dict[str, str]:
        raise NotImplementedError

    @property
    def written(self) -> list[str]:
        """Everything of ours that stands on the request, in its own words."""
        raise NotImplementedError

    def dislike(self) -> None:
        """Somebody who may calls the first finding wrong."""
        raise NotImplementedError

    def is_standing(self, path: str) -> bool:
        """Whether a path is that of our comments, which the process that posts reads first."""
        raise NotImplementedError

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Nobody may say anything."""
        raise NotImplementedError


class GitHubDelivering(Delivering):
    name = "github"
    server: GitHubServer

    def __init__(self, folder: Path) -> None:
        self.server = GitHubServer(folder)
        self.open()

    def told(
        self, what: str, *, head: str | None = None, before: str = "0" * 40, is_draft: bool = False
    ) -> Content:
        """GitHub's own example of an event, about the request of this forge."""
        named = {"pushed": "synchronize", "readied": "ready_for_review", "drafted": "converted_to_draft"}
        action = named.get(what, what)
        found = next(one for one in webhooks()["pull_request"] if one["action"] in (action, "opened"))
        about = {"html_url": self.url, "head": {"sha": head or self.server.head}, "draft": is_draft}
        pushed = {"before": before} if what == "pushed" else {}
        return {**found, **pushed, "action": action, "pull_request": {**found["pull_request"], **about}}

    def stand(self, *, is_open: bool = True, is_draft: bool = False) -> None:
        self.server.pull |= {"state": "open" if is_open else "closed", "draft": is_draft}

    def commented(self, by: str, body: str) -> tuple[str, Content]:
        self.server.say(by, body)
        found = next(one for one in webhooks()["issue_comment"] if one["action"] == "created")
        about = {"html_url": self.url, "pull_request": {"html_url": self.url}}
        said = {"comment": {**found["comment"], "body": body}, "sender": self.server.user(by)}
        return "issue_comment", {**found, **said, "issue": {**found["issue"], **about}}

    @property
    def without_matter(self) -> tuple[Content, ...]:
        return tuple(self.told(action) for action in ("labeled", "edited", "assigned"))

    def headers(self, body: bytes, delivery: str, secret: str, event: str) -> dict[str, str]:
        signature = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
        return {
            "X-GitHub-Event": event or "pull_request",
            "X-GitHub-Delivery": delivery,
            "X-Hub-Signature-256": signature,
        }

    @property
    def written(self) -> list[str]:
        return [one["body"] for one in (*self.server.comments, *self.server.inline)]

    def dislike(self) -> None:
        self.server.say("mel", "wrong", self.server.inline[0]["id"])

    def is_standing(self, path: str) -> bool:
        return path.endswith("/issues/7/comments")

    @contextmanager
    def locked(self) -> Iterator[None]:
        self.server.pull["locked"] = True
        yield
        self.server.pull["locked"] = False


class GitLabDelivering(Delivering):
    name = "gitlab"
    server: GitLabServer

    def __init__(self, folder: Path) -> None:
        self.server = GitLabServer(folder)
        # The account that posts on both forges.
        self.server.users[BOT] = 30
        self.server.tokens[WRITES] = BOT
        self.open()

    def told(
        self, what: str, *, head: str | None = None, before: str = "0" * 40, is_draft: bool = False
    ) -> Content:
        """As GitLab's documentation shows it: any change of a request is an `update`."""
        named = {"opened": "open", "reopened": "reopen", "closed": "close"}
        about = {
            "action": named.get(what, "update"),
            "iid": self.server.number,
            "url": self.url,
            "state": "closed" if what == "closed" else "opened",
            "last_commit": {"id": head or self.server.head},
            "draft": is_draft,
            "work_in_progress": is_draft,
        }
        changes: Content = {}
        if what == "pushed":
            about["oldrev"] = before
        if what in ("readied", "drafted"):
            changes["draft"] = {"previous": what == "readied", "current": what == "drafted"}
            about |= {"draft": what == "drafted", "work_in_progress": what == "drafted"}
        return {
            "object_kind": "merge_request",
            "event_type": "merge_request",
            "user": {"username": "ada"},
            "object_attributes": about,
            "changes": changes,
        }

    def stand(self, *, is_open: bool = True, is_draft: bool = False) -> None:
        self.server.request |= {"state": "opened" if is_open else "closed", "draft": is_draft}

    def commented(self, by: str, body: str) -> tuple[str, Content]:
        note = self.server.say(by, body)
        about = {"note": body, "url": f"{self.url}#note_{note['id']}", "system": False}
        content = {"object_kind": "note", "user": {"username": by}, "object_attributes": about}
        return "Note Hook", {**content, "merge_request": {"iid": self.server.number}}

    @property
    def without_matter(self) -> tuple[Content, ...]:
        plain = self.told("updated")
        approved = {**plain, "object_attributes": {**plain["object_attributes"], "action": "approved"}}
        labelled = {**plain, "changes": {"labels": {"previous": [], "current": [{"title": "bug"}]}}}
        return plain, approved, labelled

    def headers(self, body: bytes, delivery: str, secret: str, event: str) -> dict[str, str]:
        return {
            "X-Gitlab-Event": event or "Merge Request Hook",
            # Another one each time, also where the same is delivered again.
            "X-Gitlab-Event-UUID": f"{time.monotonic_ns()}",
            "Idempotency-Key": delivery,
            "X-Gitlab-Token": secret,
        }

    @property
    def written(self) -> list[str]:
        return [one["body"] for one in self.server.notes]

    def dislike(self) -> None:
        thread = next(one for one in self.server.notes if "position" in one)
        self.server.say("mel", "wrong", thread["id"])

    def is_standing(self, path: str) -> bool:
        return path.endswith("/merge_requests/7/discussions")

    @contextmanager
    def locked(self) -> Iterator[None]:
        self.server.request["discussion_locked"] = True
        yield
        self.server.request["discussion_locked"] = False


@contextmanager
def delivering(folder: Path) -> Iterator[dict[str, Delivering]]:
    """Both forges, each with an open request, by their names."""
    forges = (GitHubDelivering(folder / "github"), GitLabDelivering(folder / "gitlab"))
    try:
        yield {one.name: one for one in forges}
    finally:
        for one in forges:
            one.server.stop()


def variables(forges: dict[str, Delivering]) -> dict[str, str]:
    """What the operator of a service that both forges tell gives it."""
    return {
        "AFFIDAVIT_GITHUB_HOSTS": forges["github"].server.url,
        "AFFIDAVIT_GITLAB_HOSTS": forges["gitlab"].server.url,
        "AFFIDAVIT_ANALYSERS_OFF": ALL_BUT_RUFF,
        "AFFIDAVIT_POST_AS": BOT,
        "AFFIDAVIT_POST_TOKEN": WRITES,
        "AFFIDAVIT_GITHUB_TOKEN": READS,
        "AFFIDAVIT_GITLAB_TOKEN": READS,
        "AFFIDAVIT_GITHUB_WEBHOOK_SECRET": SECRET,
        "AFFIDAVIT_GITLAB_WEBHOOK_TOKEN": SECRET,
    }


def tokens_of(server: ForgeServer, *, writing: bool) -> set[str]:
    """Who asked the forge to read, or to write, something."""
    return {
        one.token for one in server.asked if (one.method != "GET") is writing and "graphql" not in one.path
    }


def posted(client: Client, review_id: str, number: int = 1) -> dict[str, Any]:
    """What became of the posting, when it is over."""
    until = time.monotonic() + 90
    while time.monotonic() < until:
        found: dict[str, Any] = client.get(f"/api/review/{review_id}/post").json
        if found.get("number", 0) >= number and found["state"] != "waiting":
            return found
        time.sleep(0.1)
    raise AssertionError(f"not posted: {found}")
