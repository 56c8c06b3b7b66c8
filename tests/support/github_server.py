"""GitHub in memory, over real HTTP: its rules as far as a reviewer meets them.

Every request is judged by GitHub's published description, and so is every answer: see `problems`.
"""

import io
import re
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from affidavit.forges.address import Host, PullRequestAddress
from forge_http import Asked, ForgeServer, Origin, RefusedError
from github_graphql import answer_query
from published import example, problems_of_answer, problems_of_request

API = "/api/v3"
MAX_BODY = 65_536
TIME = "2026-11-17T12:00:{:02d}Z"
Given = dict[str, Any]


class GitHubServer(ForgeServer):
    """One repository, `shop/cart`, with one pull request."""

    api_prefix = "/api/"

    def __init__(self, folder: Path, tls: Path | None = None) -> None:
        super().__init__(folder / "forge", tls)
        self.origin = Origin(folder / "forge" / "shop" / "cart.git", folder / "work")
        self.users = {"ada": "write", "mel": "admin", "eve": "none", "rob": "read", "affidavit[bot]": "write"}
        self.tokens = {"write": "affidavit[bot]", "ghs_app": "affidavit[bot]", "read": "rob", "adas": "ada"}
        self.author = "ada"
        self.number = 7
        self.pull: Given = {}
        self.comments: list[Given] = []
        self.reviews: list[Given] = []
        self.inline: list[Given] = []
        self.threads: dict[int, Given] = {}
        self.reactions: dict[int, list[Given]] = {}
        self.checks: list[Given] = []
        self.statuses: list[Given] = []
        self.issues: list[Given] = []
        self.artifacts: list[Given] = []
        self.runs: dict[int, Given] = {}
        self.store = ""
        """Where kept files lie; empty: on the forge itself."""
        self.edited_by: dict[int, str] = {}
        self.can_resolve = True
        self.knows_editors = True
        self.base = self.head = ""
        self._next_id = 100
        self._moved: list[Callable[[], None]] = []

    @property
    def host(self) -> Host:
        return Host(kind="github", web=self.url, api=f"{self.url}{API}")

    @property
    def address(self) -> PullRequestAddress:
        return PullRequestAddress(host=self.host, repository="shop/cart", number=self.number)

    # What people do

    def open_pull(self, base: str, head: str, **fields: Any) -> None:
        self.base, self.pull = base, {"title": "Prices in several currencies", "body": "", **fields}
        self.push(head)

    def push(self, head: str) -> None:
        """The branch has a new head: comments on lines that are no longer there become outdated."""
        self.head = head
        self.origin.set_ref(f"refs/pull/{self.number}/head", head)
        shown = self._diff()
        for one in self.inline:
            if one["line"] is not None and one["line"] not in shown.get(one["path"], {}).get(one["side"], ()):
                one["line"] = None

    def say(self, by: str, body: str, reply_to: int | None = None) -> Given:
        """Somebody writes a comment, or answers one on a line."""
        with self.lock:
            if reply_to is None:
                made = self._issue_comment(by, body)
                self.comments.append(made)
                return made
            root = next(one for one in self.inline if one["id"] == reply_to)
            made = {**root, **self._inline_fields(by, body), "in_reply_to_id": reply_to}
            self.inline.append(made)
            return made

    def edit(self, by: str, comment: Given, body: str) -> None:
        """Somebody changes a comment: the author of it, or anybody with write access."""
        comment["body"] = body
        self.edited_by[comment["id"]] = by
        self._next()
        if "updated_at" in comment:
            comment["updated_at"] = self._now()

    def review(self, by: str, body: str) -> Given:
        """Somebody submits a review that has words of its own."""
        return self._review(by, {"body": body, "event": "COMMENT", "commit_id": self.head})

    def resolve(self, by: str, comment: int) -> None:
        """Somebody resolves the thread that this comment begins."""
        self.threads[comment] |= {"isResolved": True, "resolvedBy": {"login": by}}

    def token_of(self, headers: Any) -> str:
        given = headers.get("authorization") or ""
        return given.partition(" ")[2]

    def answer(self, asked: Asked) -> tuple[int, Any, dict[str, str]]:
        if asked.path.startswith("/store/"):
            return 200, self._artifact(asked.path.rpartition("/")[2])["zip"], {}
        who = self._who(asked)
        if asked.path == "/api/graphql":
            return 200, answer_query(self, asked, who), {}
        path = asked.path.removeprefix(API)
        self.problems += problems_of_request(asked.method, path, asked.body)
        try:
            status, content, headers = self._routed(asked, path, who)
        except RefusedError as refused:
            if refused.status < 500 and refused.status not in (403, 401, 404, 429):
                self.problems += problems_of_answer(
                    asked.method, path, refused.status, {"message": "", "documentation_url": ""}
                )
            raise
        self.problems += problems_of_answer(asked.method, path, status, content)
        return status, content, headers

    def _who(self, asked: Asked) -> str:
        if asked.token and asked.token not in self.tokens and not asked.token.startswith("ey"):
            raise RefusedError(401, "Bad credentials")
        who = self.tokens.get(asked.token, "")
        if not who and (self.is_private or asked.method != "GET") and not asked.token.startswith("ey"):
            raise RefusedError(404 if asked.method == "GET" else 401, "Not Found")
        return who

    def _routed(self, asked: Asked, path: str, who: str) -> tuple[int, Any, dict[str, str]]:
        routes: list[tuple[str, str, Callable[..., Any]]] = [
            ("GET", r"/repos/shop/cart/pulls/7", self._get_pull),
            ("GET", r"/repos/shop/cart/issues/7/comments", lambda: self.comments),
            ("GET", r"/repos/shop/cart/pulls/7/reviews", lambda: self.reviews),
            ("GET", r"/repos/shop/cart/pulls/7/comments", self._get_inline),
            (
                "GET",
                r"/repos/shop/cart/pulls/comments/(\d+)/reactions",
                lambda n: self.reactions.get(int(n), []),
            ),
            ("GET", r"/repos/shop/cart/collaborators/([^/]+)/permission", self._permission),
        ]
        for method, pattern, get in routes:
            found = re.fullmatch(pattern, path)
            if found and asked.method == method:
                content = get(*found.groups())
                return self._paged(asked, content) if isinstance(content, list) else (200, content, {})
        if found := re.fullmatch(r"/repos/shop/cart/commits/([0-9a-f]+)/(check-runs|status)", path):
            return self._gate(asked, found[1], found[2])
        if path.startswith("/repos/shop/cart/actions/"):
            return self._actions(asked, path.removeprefix("/repos/shop/cart/actions/"), who)
        if path.startswith("/app/") or path.endswith("/installation"):
            return self._app(asked, path)
        return self._written(asked, path, who)

    def keep(self, report: bytes, **run: Any) -> None:
        """A run ends and keeps a report, as the written workflow does."""
        number = self._next()
        ours = {"event": "pull_request_target", "path": ".github/workflows/affidavit.yml"}
        self.runs[number] = {**ours, **run}
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("report.json", report)
        kept = {"id": self._next(), "name": f"affidavit-posted-{self.number}", "created_at": self._now()}
        self.artifacts.append({**kept, "run": number, "zip": packed.getvalue()})

    def _artifact(self, number: str) -> Given:
        return next(one for one in self.artifacts if one["id"] == int(number))

    def _actions(self, asked: Asked, path: str, who: str) -> tuple[int, Any, dict[str, str]]:
        if not who:
            raise RefusedError(401, "Requires authentication")
        if found := re.fullmatch(r"runs/(\d+)", path):
            return 200, {**example("workflow-run"), "id": int(found[1]), **self.runs[int(found[1])]}, {}
        if found := re.fullmatch(r"artifacts/(\d+)/zip", path):
            return 302, None, {"location": f"{self.store or self.url}/store/{found[1]}"}
        shape = example("artifact-paginated")["artifacts"][0]
        named = [one for one in reversed(self.artifacts) if one["name"] == asked.query["name"]]
        shown = [
            {
                **shape,
                **{key: one[key] for key in ("id", "name", "created_at")},
                "expired": one.get("expired", False),
                "workflow_run": {**shape["workflow_run"], "id": one["run"]},
            }
            for one in named
        ]
        status, part, headers = self._paged(asked, shown)
        if "link" in headers:
            headers["link"] = headers["link"].replace("?", f"?name={asked.query['name']}&")
        return status, {"total_count": len(shown), "artifacts": part}, headers

    def _app(self, asked: Asked, path: str) -> tuple[int, Any, dict[str, str]]:
        if not asked.token.startswith("ey"):
            raise RefusedError(401, "A JSON web token could not be decoded")
        if path.endswith("/installation"):
            return 200, example("installation"), {}
        return 201, {**example("installation-token"), "token": "ghs_app"}, {}

    def _paged(self, asked: Asked, entries: list[Given]) -> tuple[int, Any, dict[str, str]]:
        size, page = int(asked.query.get("per_page", 30)), int(asked.query.get("page", 1))
        part = entries[(page - 1) * size : page * size]
        if page * size >= len(entries):
            return 200, part, {}
        link = f'<{self.url}{asked.path}?per_page={size}&page={page + 1}>; rel="next"'
        return 200, part, {"link": link}

    def user(self, name: str) -> Given:
        kept = dict(example("issue-comment")["user"])
        return {**kept, "login": name, "type": "Bot" if name.endswith("[bot]") else "User"}

    def _get_pull(self) -> Given:
        made = example("pull-request")
        made["base"]["repo"] |= {"size": 12, "id": 1}
        made["head"]["repo"] |= {"id": 1}
        made["base"] |= {"ref": "main", "sha": self.base}
        made["head"] |= {"ref": "topic", "sha": self.head, "label": "ada:topic"}
        return {
            **made,
            "number": self.number,
            "user": self.user(self.author),
            "state": "open",
            "requested_teams": [],
            "merged": False,
            "merged_at": None,
            "draft": False,
            "locked": False,
            "mergeable": True,
            **self.pull,
        }

    def _get_inline(self) -> list[Given]:
        return [self._shown_inline(one) for one in self.inline]

    def _shown_inline(self, one: Given) -> Given:
        # GitHub describes `line` as a number that may be missing; it is, where a comment is outdated.
        shown = {name: value for name, value in one.items() if name != "line" or value is not None}
        return {**shown, "reactions": {**_NO_REACTIONS, "-1": len(self.reactions.get(one["id"], []))}}

    def _permission(self, name: str) -> Given:
        if name not in self.users:
            raise RefusedError(404, f"{name} is not a user")
        made = example("repository-collaborator-permission-response-if-user-has-admin-permissions")
        made["user"]["role_name"] = self.users[name]
        return {**made, "permission": self.users[name], "role_name": self.users[name]}

    def _gate(self, asked: Asked, sha: str, what: str) -> tuple[int, Any, dict[str, str]]:
        if what == "status":
            mine = [one for one in self.statuses if one["sha"] == sha]
            shown = [{**example("combined-commit-status")["statuses"][0], **one["shown"]} for one in mine]
            return (
                200,
                {
                    **example("combined-commit-status"),
                    "sha": sha,
                    "statuses": shown,
                    "total_count": len(shown),
                },
                {},
            )
        name = asked.query.get("check_name")
        runs = [one for one in self.checks if one["head_sha"] == sha and name in (None, one["name"])]
        return 200, {"total_count": len(runs), "check_runs": runs}, {}

    def _diff(self) -> dict[str, dict[str, set[int]]]:
        return self.origin.diff_lines(self.base, self.head)

    # Writing

    def _written(self, asked: Asked, path: str, who: str) -> tuple[int, Any, dict[str, str]]:
        if self.users.get(who, "none") not in ("write", "admin") or asked.token == "read":
            raise RefusedError(403, "Resource not accessible by integration")
        if self.pull.get("locked"):
            raise RefusedError(403, "Lock prevents comment")
        body = asked.body or {}
        if len(body.get("body") or "") > MAX_BODY:
            raise RefusedError(422, "body is too long (maximum is 65536 characters)")
        if asked.method == "POST" and path.endswith("/issues/7/comments"):
            made = self._issue_comment(who, body["body"])
            self.comments.append(made)
            return 201, made, {}
        if asked.method == "POST" and path.endswith("/pulls/7/reviews"):
            return 200, self._review(who, body), {}
        if asked.method == "POST" and path.endswith("/pulls/7/comments"):
            self._check_place(body)
            return 201, self._add_inline(who, body, review=self._next()), {}
        if found := re.fullmatch(r".*/pulls/7/comments/(\d+)/replies", path):
            return 201, self.say(who, body["body"], int(found[1])), {}
        if found := re.fullmatch(r".*/(issues|pulls)/comments/(\d+)", path):
            return self._changed(
                asked, self.comments if found[1] == "issues" else self.inline, int(found[2]), who
            )
        if found := re.fullmatch(r".*/reviews/(\d+)/dismissals", path):
            review = self._own(self.reviews, int(found[1]), who)
            review["state"] = "DISMISSED"
            return 200, review, {}
        return self._set_gate(asked, path)

    def _set_gate(self, asked: Asked, path: str) -> tuple[int, Any, dict[str, str]]:
        body = asked.body or {}
        if path.endswith("/check-runs") or "/check-runs/" in path:
            if not asked.token.startswith("ghs_"):
                raise RefusedError(403, "You must authenticate via a GitHub App.")
            if asked.method == "POST":
                made = {**example("check-run"), **_check(body), "id": self._next()}
                self.checks.append(made)
                return 201, made, {}
            run = next(one for one in self.checks if one["id"] == int(path.rpartition("/")[2]))
            run |= _check(body)
            return 200, run, {}
        if found := re.fullmatch(r".*/statuses/([0-9a-f]+)", path):
            shown = {key: body.get(key) for key in ("state", "context", "description", "target_url")}
            self.statuses = [one for one in self.statuses if one["shown"]["context"] != body["context"]]
            self.statuses.append({"sha": found[1], "shown": shown})
            return 201, {**example("status"), **shown}, {}
        raise RefusedError(404, f"Not Found: {asked}")

    def _review(self, who: str, body: Given) -> Given:
        event = body.get("event")
        if event in ("APPROVE", "REQUEST_CHANGES") and who == self.author:
            raise RefusedError(422, f"Can not {event.lower().replace('_', ' ')} on your own pull request")
        if event == "REQUEST_CHANGES" and not body.get("body"):
            raise RefusedError(422, "body is required")
        if event == "COMMENT" and not body.get("body") and not body.get("comments"):
            raise RefusedError(422, "a review must say something")
        for comment in body.get("comments") or []:
            self._check_place({**comment, "commit_id": body["commit_id"]})
        number = self._next()
        made = {
            **example("pull-request-review"),
            "id": number,
            "node_id": f"PRR_{number}",
            "user": self.user(who),
            "body": body.get("body") or "",
            "state": {"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED"}.get(event, "COMMENTED"),
            "submitted_at": self._now(),
            "commit_id": body["commit_id"],
        }
        self.reviews.append(made)
        for comment in body.get("comments") or []:
            self._add_inline(who, {**comment, "commit_id": body["commit_id"]}, review=made["id"])
        return made

    def _check_place(self, body: Given) -> None:
        if body.get("commit_id") != self.head:
            raise RefusedError(422, "commit_id is not part of the pull request")
        if len(body["body"]) > MAX_BODY:
            raise RefusedError(422, "body is too long")
        lines = self._diff().get(body["path"], {}).get(body.get("side", "RIGHT"), set())
        span = {body["line"], body.get("start_line", body["line"])}
        if not span <= lines or body.get("start_line", 0) > body["line"]:
            raise RefusedError(422, "pull_request_review_thread.line must be part of the diff")

    def _add_inline(self, who: str, body: Given, review: int) -> Given:
        made = {
            **example("pull-request-review-comment-2"),
            **self._inline_fields(who, body["body"]),
            "path": body["path"],
            "line": body["line"],
            "start_line": body.get("start_line"),
            "side": body.get("side", "RIGHT"),
            "pull_request_review_id": review,
            "commit_id": body["commit_id"],
        }
        made.pop("in_reply_to_id", None)
        self.inline.append(made)
        self.threads[made["id"]] = {"id": f"T{made['id']}", "isResolved": False}
        return made

    def _inline_fields(self, by: str, body: str) -> Given:
        number = self._next()
        return {
            "id": number,
            "node_id": f"PRRC_{number}",
            "user": self.user(by),
            "body": body,
            "created_at": self._now(),
            "updated_at": self._now(),
            "html_url": f"{self.address.url}#discussion_r{number}",
        }

    def _issue_comment(self, by: str, body: str) -> Given:
        number = self._next()
        return {
            **example("issue-comment"),
            "id": number,
            "node_id": f"IC_{number}",
            "user": self.user(by),
            "body": body,
            "created_at": self._now(),
            "updated_at": self._now(),
            "html_url": f"{self.address.url}#issuecomment-{number}",
        }

    def _changed(
        self, asked: Asked, where: list[Given], number: int, who: str
    ) -> tuple[int, Any, dict[str, str]]:
        one = self._own(where, number, who)
        if asked.method == "DELETE":
            where.remove(one)
            self.threads.pop(number, None)
            return 204, None, {}
        self.edit(who, one, asked.body["body"])
        return 200, self._shown_inline(one) if where is self.inline else one, {}

    def _own(self, where: list[Given], number: int, who: str) -> Given:
        found = next((one for one in where if one["id"] == number), None)
        if found is None:
            raise RefusedError(404, "Not Found")
        if found["user"]["login"] != who and self.users[who] != "admin":
            raise RefusedError(403, "not yours")
        return found

    def _next(self) -> int:
        self._next_id += 1
        return self._next_id

    def _now(self) -> str:
        return f"2026-11-17T12:{self._next_id // 60 % 60:02d}:{self._next_id % 60:02d}Z"


def opened_github(folder: Path, begun: tuple[Path, str, str], tls: Path | None = None) -> GitHubServer:
    """GitHub with an open pull request, from a repository that was made before."""
    template, base, head = begun
    shutil.copytree(template / "cart.git", folder / "forge" / "shop" / "cart.git")
    shutil.copytree(template / "work", folder / "work")
    server = GitHubServer(folder, tls)
    server.open_pull(base, head, body="Fixes #3")
    return server


_NO_REACTIONS = {
    "url": "",
    "total_count": 0,
    "+1": 0,
    "-1": 0,
    "laugh": 0,
    "confused": 0,
    "heart": 0,
    "hooray": 0,
    "eyes": 0,
    "rocket": 0,
}


def _check(body: Given) -> Given:
    made = {
        key: body[key] for key in ("name", "status", "conclusion", "external_id", "head_sha") if key in body
    }
    output = {**example("check-run")["output"], **body.get("output", {})}
    return {**made, "output": output}
