"""Read the comments of a pull request of GitHub: our own, and the answers to them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from affidavit.errors import ForgeError
from affidavit.forges.answers import decides
from affidavit.forges.github.client import EDITORS, THREADS, VIEWER, GitHubClient
from affidavit.forges.pull_request import MAX_COMMENT_LENGTH
from affidavit.forges.standing import (
    Edited,
    Given,
    Lifting,
    Mark,
    OwnNote,
    Person,
    Said,
    Standing,
    Whose,
    read_mark,
    with_rights,
)

BATCH = 100
"""Ids that GitHub looks up in one query."""
MAX_ASKED = 1_000


def _decides(comment: Given) -> bool:
    return decides((comment.get("body") or "")[:MAX_COMMENT_LENGTH])


def deciding(talk: Sequence[Given], inline: Sequence[Given]) -> list[Given]:
    """Return comments with a decision, and the comments that begin their threads."""
    answers = [one for one in inline if _decides(one)]
    begun = {one["in_reply_to_id"] for one in answers if one.get("in_reply_to_id")}
    known = {one["id"] for one in answers}
    roots = [one for one in inline if one["id"] in begun - known]
    return [*(one for one in talk if _decides(one)), *answers, *roots]


async def read_edited(client: GitHubClient, comments: Sequence[Given]) -> dict[str, Edited]:
    """Return who edited each comment, by node id, as far as GitHub says."""
    edited: dict[str, Edited] = {}
    names = list(dict.fromkeys(_name(one) for one in comments if _name(one)))
    asked = names[:MAX_ASKED] if client.has_token else []
    for start in range(0, len(asked), BATCH):
        ids = asked[start : start + BATCH]
        try:
            answer = await client.query(EDITORS, ids=ids)
        except ForgeError as error:
            if error.status not in (0, 401, 403, 404):
                raise
            return edited
        nodes = answer.get("nodes") or []
        edited |= {name: _by_editor(node) for name, node in zip(ids, nodes, strict=False) if node}
    return edited


def edited_of(comment: Given, edited: dict[str, Edited]) -> Edited:
    """Return who edited a comment; if GitHub does not say who, whether it was edited."""
    known = edited.get(_name(comment))
    return _by_dates(comment) if known is None else known


def _name(comment: Given) -> str:
    return comment.get("node_id") or ""


def _by_editor(node: Given) -> Edited:
    editor, author = node.get("editor"), node.get("author")
    if editor is None:
        # Whoever has deleted their account is nobody.
        return "by_unknown" if node.get("lastEditedAt") else ""
    return "" if author is not None and editor["login"] == author["login"] else "by_another"


def _by_dates(comment: Given) -> Edited:
    """Judge by the dates of REST, which names no editor and gives reviews no date of edit."""
    created, updated = comment.get("created_at"), comment.get("updated_at")
    return "" if created and created == updated else "by_unknown"


@dataclass(frozen=True)
class Thread:
    """A conversation on lines, as GraphQL knows it."""

    id: str
    is_resolved: bool
    resolved_by: str = ""


@dataclass(frozen=True)
class Talk:
    """All comments as GitHub gives them."""

    plain: Sequence[Given] = ()
    reviews: Sequence[Given] = ()
    inline: Sequence[Given] = ()
    threads: dict[int, Thread] = field(default_factory=dict)
    """By the id of the comment that begins each."""
    account: str = ""
    edited: dict[str, Edited] = field(default_factory=dict)
    """Who changed the comments that decide something."""
    not_read: tuple[str, ...] = ()

    @property
    def resolved(self) -> list[int]:
        """The ids of the comments that begin a resolved thread."""
        return [root for root, thread in self.threads.items() if thread.is_resolved]


def name_of(user: Given | None) -> str:
    """Return the name of an account; `ghost` if it was deleted."""
    return (user or {}).get("login") or "ghost"


def is_bot(user: Given | None) -> bool:
    """Check whether an account is a bot."""
    return (user or {}).get("type") == "Bot" or name_of(user).endswith("[bot]")


async def read_talk(client: GitHubClient) -> Talk:
    """Read every comment and our account; without a token, GitHub hides which threads are resolved."""
    plain = [one async for one in client.pages(f"{client.issue}/comments")]
    reviews = [one async for one in client.pages(f"{client.request}/reviews")]
    inline = [one async for one in client.pages(f"{client.request}/comments")]
    edited = await read_edited(client, deciding([*plain, *reviews], inline))
    # Who posts may be named by the user: then their marks count without a token, too.
    talk = Talk(plain, reviews, inline, account=client.account, edited=edited)
    if not client.has_token:
        missed = "which threads are resolved could not be read: GitHub tells it only to a token"
        return replace(talk, not_read=(missed,))
    try:
        threads = await _threads(client)
        account = client.account or await _account(client)
    except ForgeError as error:
        if error.status not in (0, 401, 403, 404):
            raise
        return replace(talk, not_read=(f"which threads are resolved could not be read: {error}",))
    return replace(talk, threads=threads, account=account)


async def _threads(client: GitHubClient) -> dict[int, Thread]:
    owner, _, name = client.address.repository.partition("/")
    threads: dict[int, Thread] = {}
    after: str | None = None
    while True:
        answer = await client.query(
            THREADS, owner=owner, name=name, number=client.address.number, after=after
        )
        request = (answer.get("repository") or {}).get("pullRequest") or {}
        found = request.get("reviewThreads") or {}
        for node in found.get("nodes") or []:
            comments = node["comments"]["nodes"]
            if comments:
                threads[comments[0]["databaseId"]] = _thread(node)
        if not (found.get("pageInfo") or {}).get("hasNextPage"):
            return threads
        after = found["pageInfo"]["endCursor"]


def _thread(node: Given) -> Thread:
    by = node.get("resolvedBy") or {}
    return Thread(node["id"], node["isResolved"], by.get("login") or "")


async def _account(client: GitHubClient) -> str:
    answer = await client.query(VIEWER)
    login = (answer.get("viewer") or {}).get("login") or ""
    # GraphQL leaves out what REST writes behind the name of an App.
    is_app = client.credentials.is_installation and login and not login.endswith("[bot]")
    return f"{login}[bot]" if is_app else login


async def read_standing(client: GitHubClient, talk: Talk, author: str, whose: Whose) -> Standing:
    """Return our comments with their answers; `whose` chooses the people whose rights are read."""
    account = talk.account
    notes = [
        *_summaries(talk, account),
        *[await _finding(client, talk, one) for one in _roots(talk, account)],
    ]
    standing = Standing(
        account=account,
        author=author,
        notes=tuple(notes),
        loose=tuple(
            _said(one, talk) for one in (*talk.plain, *talk.reviews) if name_of(one.get("user")) != account
        ),
        **_verdict(talk, account),
    )
    rights = {name: await _lifting(client, name, author) for name in whose(standing)}
    return with_rights(standing, rights)


def _own_marks(given: Sequence[Given], account: str) -> list[tuple[Given, Mark]]:
    """Return the comments of our account with their marks; none without an account."""
    if not account:
        return []
    marked = [(one, read_mark(one.get("body") or "")) for one in given if name_of(one.get("user")) == account]
    return [(one, mark) for one, mark in marked if mark]


def _summaries(talk: Talk, account: str) -> list[OwnNote]:
    return [
        OwnNote(
            id=str(one["id"]),
            mark=mark,
            body=one.get("body") or "",
            url=one.get("html_url") or "",
            created_at=one.get("created_at") or "",
        )
        for one, mark in _own_marks(talk.plain, account)
        if mark.kind == "summary"
    ]


def _roots(talk: Talk, account: str) -> list[tuple[Given, Mark]]:
    begun = [one for one in talk.inline if not one.get("in_reply_to_id")]
    return [(one, mark) for one, mark in _own_marks(begun, account) if mark.kind == "finding"]


async def _finding(client: GitHubClient, talk: Talk, root: tuple[Given, Mark]) -> OwnNote:
    one, mark = root
    thread = talk.threads.get(one["id"])
    replies = [reply for reply in talk.inline if reply.get("in_reply_to_id") == one["id"]]
    own = {reply["id"]: its for reply, its in _own_marks(replies, talk.account)}
    return OwnNote(
        id=str(one["id"]),
        mark=mark,
        body=one.get("body") or "",
        url=one.get("html_url") or "",
        created_at=one.get("created_at") or "",
        thread=thread.id if thread else "",
        review=str(one.get("pull_request_review_id") or ""),
        is_resolved=bool(thread and thread.is_resolved),
        resolved_by=thread.resolved_by if thread else "",
        path=one.get("path") or "",
        line=one.get("line"),
        replies=tuple(_said(reply, talk) for reply in replies if name_of(reply.get("user")) != talk.account),
        own_replies=tuple(own.values()),
        edited=edited_of(one, talk.edited),
        against=await _against(client, one),
    )


async def _against(client: GitHubClient, given: Given) -> tuple[Person, ...]:
    if not (given.get("reactions") or {}).get("-1"):
        return ()
    path = f"{client.repository}/pulls/comments/{given['id']}/reactions?content=-1"
    people = [one.get("user") async for one in client.pages(path)]
    return tuple(Person(name=name_of(user), is_bot=is_bot(user)) for user in people)


def _said(given: Given, talk: Talk) -> Said:
    user = given.get("user")
    return Said(
        id=str(given["id"]),
        by=Person(name=name_of(user), is_bot=is_bot(user)),
        body=(given.get("body") or "")[:MAX_COMMENT_LENGTH],
        url=given.get("html_url") or "",
        edited=edited_of(given, talk.edited),
    )


def _verdict(talk: Talk, account: str) -> dict[str, Any]:
    """Return the verdict of our last review that still counts."""
    states = {"APPROVED": "approve", "CHANGES_REQUESTED": "request_changes"}
    ours = [one for one in talk.reviews if account and name_of(one.get("user")) == account]
    counting = [one for one in ours if one.get("state") in (*states, "DISMISSED")]
    last = counting[-1] if counting else {}
    verdict = states.get(last.get("state", ""), "")
    return {"verdict": verdict, "verdict_review": str(last["id"]) if verdict else ""}


async def _lifting(client: GitHubClient, name: str, author: str) -> Lifting:
    """Check whether a person may lift the gate: has write access, and is not the author."""
    if name == author:
        return "author"
    try:
        answer = await client.get(f"{client.repository}/collaborators/{name}/permission")
    except ForgeError as error:
        # Whoever is no collaborator has no rights; who may not ask does not know.
        return "no_rights" if error.status == 404 and client.has_token else "unknown"
    return "lifts" if answer.get("permission") in ("admin", "write", "maintain") else "no_rights"
