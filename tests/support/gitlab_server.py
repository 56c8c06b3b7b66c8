"""GitLab in memory, over real HTTP: its rules as far as a reviewer meets them, by its documentation."""

import re
import shutil
from pathlib import Path
from typing import Any

from affidavit.forges.address import Host, PullRequestAddress
from forge_http import Asked, ForgeServer, Origin, RefusedError

API = "/api/v4"
MAX_BODY = 1_000_000
PROJECT = "team%2Fshop%2Fcart"
PIPELINE = 5
Given = dict[str, Any]
LEVELS = {"none": 0, "reporter": 20, "developer": 30, "maintainer": 40}


def opened_gitlab(folder: Path, begun: tuple[Path, str, str], **fields: Any) -> "GitLabServer":
    """GitLab with an open merge request, from a repository that was made before."""
    template, base, head = begun
    shutil.copytree(template / "cart.git", folder / "forge" / "team" / "shop" / "cart.git")
    shutil.copytree(template / "work", folder / "work")
    server = GitLabServer(folder)
    server.open_pull(base, head, **fields)
    return server


class GitLabServer(ForgeServer):
    """One project, `team/shop/cart`, with one merge request."""

    api_prefix = "/api/"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "forge")
        self.origin = Origin(folder / "forge" / "team" / "shop" / "cart.git", folder / "work")
        self.users = {"ada": 30, "mel": 40, "eve": 0, "rob": 20, "project_1_bot": 30}
        self.tokens = {"write": "project_1_bot", "read": "rob"}
        self.author = "ada"
        self.number = 7
        self.request: Given = {}
        self.discussions: list[Given] = []
        self.awards: dict[int, list[Given]] = {}
        self.statuses: list[Given] = []
        self.issues: list[Given] = []
        self.approved_by: list[str] = []
        self.kept: dict[int, bytes] = {}
        """Reports, by the job that kept each."""
        self.jobs: list[Given] = []
        """Of the one pipeline."""
        self.can_resolve = True
        self.edited_by: dict[int, str] = {}
        self.knows_editors = True
        self.base = self.head = ""
        self._next_id = 100

    @property
    def host(self) -> Host:
        return Host(kind="gitlab", web=self.url, api=f"{self.url}{API}")

    @property
    def address(self) -> PullRequestAddress:
        return PullRequestAddress(host=self.host, repository="team/shop/cart", number=self.number)

    def open_pull(self, base: str, head: str, **fields: Any) -> None:
        self.base, self.request = base, {"title": "Prices in several currencies", "description": "", **fields}
        self.push(head)

    def push(self, head: str) -> None:
        self.head = head
        self.origin.set_ref(f"refs/merge-requests/{self.number}/head", head)

    @property
    def notes(self) -> list[Given]:
        return [note for discussion in self.discussions for note in discussion["notes"]]

    def say(self, by: str, body: str, reply_to: int | None = None) -> Given:
        with self.lock:
            note = self._note(by, body)
            if reply_to is None:
                self.discussions.append({"id": f"d{note['id']}", "individual_note": True, "notes": [note]})
            else:
                self._discussion_of(reply_to)["notes"].append(note)
            return note

    def edit(self, by: str, note: Given, body: str) -> None:
        """Somebody changes a comment: the author of it, or a maintainer."""
        self.edited_by[note["id"]] = by
        note |= {"body": body, "updated_at": "2026-11-18T12:00:00.000Z"}

    def user(self, name: str) -> Given:
        return {"id": list(self.users).index(name) + 1 if name in self.users else 99, "username": name}

    # Answers

    def token_of(self, headers: Any) -> str:
        return headers.get("private-token") or ""

    def answer(self, asked: Asked) -> tuple[int, Any, dict[str, str]]:
        if asked.token and asked.token not in self.tokens:
            raise RefusedError(401, "401 Unauthorized")
        who = self.tokens.get(asked.token, "")
        if not who and (self.is_private or asked.method != "GET"):
            raise RefusedError(404 if asked.method == "GET" else 401, "404 Project Not Found")
        if asked.path == "/api/graphql":
            return 200, self._editor(asked.body["variables"]["id"]), {}
        path = asked.path.removeprefix(API)
        if path == "/user":
            if not who:
                raise RefusedError(401, "401 Unauthorized")
            return 200, self.user(who), {}
        project = f"/projects/{PROJECT}"
        if not path.startswith(project):
            raise RefusedError(404, f"404 Not Found: {asked}")
        inside = path.removeprefix(project)
        if asked.method == "GET":
            return self._read(asked, inside)
        return self._written(asked, inside, who)

    def _editor(self, name: str) -> Given:
        """What GraphQL says of a note; older GitLabs do not know the field."""
        if not self.knows_editors:
            return {"errors": [{"message": "Field 'lastEditedBy' doesn't exist on type 'Note'"}]}
        note = next(one for one in self.notes if name == f"gid://gitlab/Note/{one['id']}")
        editor = self.edited_by.get(note["id"])
        edited = {"lastEditedAt": note["updated_at"], "lastEditedBy": {"username": editor}}
        none = {"lastEditedAt": None, "lastEditedBy": None}
        return {"data": {"note": {"author": note["author"], **(edited if editor else none)}}}

    def _read(self, asked: Asked, path: str) -> tuple[int, Any, dict[str, str]]:
        mr = f"/merge_requests/{self.number}"
        if path == mr:
            return 200, self._merge_request(), {}
        if found := re.fullmatch(r"/jobs/(\d+)/artifacts/(?:report|recheck)\.json", path):
            if int(found[1]) not in self.kept:
                raise RefusedError(404, "404 Not Found")
            return 200, self.kept[int(found[1])], {}
        if path == f"/pipelines/{PIPELINE}/jobs":
            return self._paged(asked, self.jobs)
        if path == f"{mr}/approvals":
            return 200, {"approved_by": [{"user": self.user(name)} for name in self.approved_by]}, {}
        if found := re.fullmatch(r"/members/all/(\d+)", path):
            names = {self.user(name)["id"]: level for name, level in self.users.items()}
            level = names.get(int(found[1]), 0)
            if not level:
                raise RefusedError(404, "404 Not found")
            return 200, {"id": int(found[1]), "access_level": level}, {}
        lists = {f"{mr}/discussions": self.discussions, f"{mr}/closes_issues": self.issues}
        if found := re.fullmatch(rf"{mr}/notes/(\d+)/award_emoji", path):
            return self._paged(asked, self.awards.get(int(found[1]), []))
        if found := re.fullmatch(r"/repository/commits/([0-9a-f]+)/statuses", path):
            name = asked.query.get("name")
            here = [one for one in self.statuses if one.get("sha", found[1]) == found[1]]
            return self._paged(asked, [one for one in here if name in (None, one["name"])])
        if path not in lists:
            raise RefusedError(404, f"404 Not Found: {asked}")
        return self._paged(asked, lists[path])

    def _paged(self, asked: Asked, entries: list[Given]) -> tuple[int, Any, dict[str, str]]:
        size, page = int(asked.query.get("per_page", 20)), int(asked.query.get("page", 1))
        more = str(page + 1) if page * size < len(entries) else ""
        return 200, entries[(page - 1) * size : page * size], {"x-next-page": more}

    def _merge_request(self) -> Given:
        return {
            "iid": self.number,
            "author": self.user(self.author),
            "state": "opened",
            "draft": False,
            "has_conflicts": False,
            "source_project_id": 1,
            "target_project_id": 1,
            "source_branch": "topic",
            "target_branch": "main",
            "sha": self.head,
            "diff_refs": {"base_sha": self.base, "start_sha": self.base, "head_sha": self.head},
            "changes_count": "1000+",
            **self.request,
        }

    # Writing

    def _written(self, asked: Asked, path: str, who: str) -> tuple[int, Any, dict[str, str]]:
        if self.users.get(who, 0) < LEVELS["developer"]:
            raise RefusedError(403, "403 Forbidden")
        body = asked.body or {}
        if len(body.get("body") or "") > MAX_BODY:
            raise RefusedError(400, "body is too long")
        mr = f"/merge_requests/{self.number}"
        if path == f"{mr}/notes":
            return 201, self.say(who, body["body"]), {}
        if path == f"{mr}/discussions":
            return 201, self._discuss(who, body), {}
        if found := re.fullmatch(rf"{mr}/discussions/(\w+)/notes", path):
            discussion = self._by_id(found[1])
            note = self._note(who, body["body"])
            discussion["notes"].append(note)
            return 201, note, {}
        if found := re.fullmatch(rf"{mr}/discussions/(\w+)", path):
            if not self.can_resolve:
                raise RefusedError(403, "403 Forbidden")
            for note in self._by_id(found[1])["notes"]:
                # A comment is touched by being resolved, and not edited.
                note |= {"resolved": body["resolved"], "updated_at": "2026-11-18T12:00:00.000Z"}
                note["resolved_by"] = self.user(who) if body["resolved"] else None
            return 200, self._by_id(found[1]), {}
        if found := re.fullmatch(rf"{mr}/notes/(\d+)", path):
            return self._changed(asked, int(found[1]), who)
        if path in (f"{mr}/approve", f"{mr}/unapprove"):
            return self._approve(path, body, who)
        if found := re.fullmatch(r"/statuses/([0-9a-f]+)", path):
            if body["state"] not in ("pending", "running", "success", "failed", "canceled", "skipped"):
                raise RefusedError(400, "state does not have a valid value")
            self.statuses = [one for one in self.statuses if one["name"] != body["name"]]
            self._next_id += 1
            status = {
                "id": self._next_id,
                "sha": found[1],
                "name": body["name"],
                "status": body["state"],
                "description": body["description"],
                "target_url": body.get("target_url"),
            }
            self.statuses.append(status)
            return 201, status, {}
        raise RefusedError(404, f"404 Not Found: {asked}")

    def _approve(self, path: str, body: Given, who: str) -> tuple[int, Any, dict[str, str]]:
        if path.endswith("/unapprove"):
            self.approved_by.remove(who)
            return 201, None, {}
        if body.get("sha") != self.head:
            raise RefusedError(409, "SHA does not match HEAD of source branch")
        if who == self.author:
            raise RefusedError(401, "401 Unauthorized")
        self.approved_by.append(who)
        return 201, {}, {}

    def _discuss(self, who: str, body: Given) -> Given:
        position = body["position"]
        refs = self._merge_request()["diff_refs"]
        lines = self.origin.diff_lines(self.base, self.head).get(position["new_path"], {})
        old, new = position.get("old_line"), position.get("new_line")
        shown = (new is None or new in lines.get("RIGHT", ())) and (
            old is None or old in lines.get("LEFT", ())
        )
        is_current = all(position[name] == refs[name] for name in refs)
        # A line without a change needs both of its numbers.
        is_context = new in lines.get("RIGHT", ()) and not self._is_added(position["new_path"], new)
        if not shown or not is_current or (old is None and new is None) or (is_context and old is None):
            raise RefusedError(400, '400 Bad request - Note {:line_code=>["can\'t be blank"]}')
        note = {**self._note(who, body["body"]), "position": position, "resolvable": True, "resolved": False}
        discussion = {"id": f"d{note['id']}", "individual_note": False, "notes": [note]}
        self.discussions.append(discussion)
        return discussion

    def _is_added(self, path: str, line: int | None) -> bool:
        from repositories import run_git  # noqa: PLC0415 - beside what uses it

        text = run_git(self.origin.bare, "diff", "-U0", self.base, self.head, "--", path).decode()
        spans = re.findall(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", text, re.MULTILINE)
        return line is not None and any(
            int(start) <= line < int(start) + int(count or 1) for start, count in spans
        )

    def _changed(self, asked: Asked, number: int, who: str) -> tuple[int, Any, dict[str, str]]:
        discussion = self._discussion_of(number)
        note = next(one for one in discussion["notes"] if one["id"] == number)
        if note["author"]["username"] != who:
            raise RefusedError(403, "403 Forbidden")
        if asked.method == "DELETE":
            discussion["notes"].remove(note)
            if not discussion["notes"]:
                self.discussions.remove(discussion)
            return 204, None, {}
        self.edit(who, note, asked.body["body"])
        return 200, note, {}

    def _discussion_of(self, number: int) -> Given:
        for discussion in self.discussions:
            if any(note["id"] == number for note in discussion["notes"]):
                return discussion
        raise RefusedError(404, "404 Note Not Found")

    def _by_id(self, name: str) -> Given:
        found = next((one for one in self.discussions if one["id"] == name), None)
        if found is None:
            raise RefusedError(404, "404 Discussion Not Found")
        return found

    def _note(self, by: str, body: str) -> Given:
        self._next_id += 1
        moment = f"2026-11-17T12:{self._next_id // 60 % 60:02d}:{self._next_id % 60:02d}Z"
        return {
            "id": self._next_id,
            "body": body,
            "author": self.user(by),
            "created_at": moment,
            "updated_at": moment,
            "system": False,
            "resolvable": False,
        }
