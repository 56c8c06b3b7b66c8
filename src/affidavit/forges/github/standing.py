"""Read the comments of a pull request of GitHub."""

from affidavit.errors import ForgeError
from affidavit.forges.answers import decides
from affidavit.forges.github.client import EDITORS, THREADS, VIEWER, GitHubClient
from affidavit.forges.standing import (
    Edited,
    Given,
    Person,
    Said,
    Talk,
    Thread,
    by_editor,
    edited_by_dates,
)
from affidavit.forges.web import HIDDEN

BATCH = 100
"""Ids that GitHub looks up in one query."""
MAX_ASKED = 1_000


def name_of(user: Given | None) -> str:
    """Return the name of an account; `ghost` if it was deleted."""
    return (user or {}).get("login") or "ghost"


async def read_talk(client: GitHubClient) -> Talk:
    """Read every comment and our account; without a token, GitHub hides which threads are resolved."""
    plain = [one async for one in client.pages(f"{client.issue}/comments")]
    reviews = [one async for one in client.pages(f"{client.request}/reviews")]
    inline = [one async for one in client.pages(f"{client.request}/comments")]
    nodes: dict[int, Given] = {}
    # The account may be named by the user: then marks count without a token, too.
    account, missed = client.account, ""
    try:
        if not client.has_token:
            raise ForgeError("GitHub shows it only with a token", status=401)
        nodes = await _threads(client)
        account = account or await _account(client)
    except ForgeError as error:
        if error.status not in HIDDEN:
            raise
        missed = f"which threads are resolved could not be read: {error}"
    threads = (
        *(Thread((_said(one),)) for one in (*plain, *reviews)),
        *(_thread(one, inline, nodes) for one in inline if not one.get("in_reply_to_id")),
    )
    talk = Talk(account, threads, (missed,) if missed else ())
    return talk.with_editors(await _editors(client, talk.whose_editor_counts(decides)))


def _thread(first: Given, inline: list[Given], nodes: dict[int, Given]) -> Thread:
    node = nodes.get(first["id"]) or {}
    answers = [one for one in inline if one.get("in_reply_to_id") == first["id"]]
    return Thread(
        comments=tuple(_said(one) for one in (first, *answers)),
        id=node.get("id") or "",
        is_resolved=bool(node.get("isResolved")),
        resolved_by=(node.get("resolvedBy") or {}).get("login") or "",
    )


def _said(given: Given) -> Said:
    user = given.get("user")
    is_at_head = given.get("side", "RIGHT") == "RIGHT"
    return Said(
        id=str(given["id"]),
        by=Person(
            name=name_of(user),
            is_bot=(user or {}).get("type") == "Bot" or name_of(user).endswith("[bot]"),
        ),
        body=given.get("body") or "",
        url=given.get("html_url") or "",
        created_at=given.get("created_at") or given.get("submitted_at") or "",
        path=given.get("path") or "",
        line=given.get("line") if is_at_head else None,
        edited=edited_by_dates(given),
        node=given.get("node_id") or "",
    )


async def _editors(client: GitHubClient, asked: list[str]) -> dict[str, Edited]:
    """Return who edited each comment, as far as GitHub says."""
    edited: dict[str, Edited] = {}
    for start in range(0, min(len(asked), MAX_ASKED) if client.has_token else 0, BATCH):
        ids = asked[start : start + BATCH]
        try:
            answer = await client.query(EDITORS, ids=ids)
        except ForgeError as error:
            if error.status not in HIDDEN:
                raise
            return edited
        nodes = zip(ids, answer.get("nodes") or [], strict=False)
        edited |= {name: _by_editor(node) for name, node in nodes if node}
    return edited


def _by_editor(node: Given) -> Edited:
    author, editor = ((node.get(name) or {}).get("login") or "" for name in ("author", "editor"))
    return by_editor(author, editor, node.get("lastEditedAt"))


async def _threads(client: GitHubClient) -> dict[int, Given]:
    """Return the threads on lines by the id of their first comment."""
    owner, _, name = client.address.repository.partition("/")
    threads: dict[int, Given] = {}
    after: str | None = None
    while True:
        answer = await client.query(
            THREADS, owner=owner, name=name, number=client.address.number, after=after
        )
        request = (answer.get("repository") or {}).get("pullRequest") or {}
        found = request.get("reviewThreads") or {}
        for node in found.get("nodes") or []:
            threads |= {one["databaseId"]: node for one in node["comments"]["nodes"]}
        if not (found.get("pageInfo") or {}).get("hasNextPage"):
            return threads
        after = found["pageInfo"]["endCursor"]


async def _account(client: GitHubClient) -> str:
    answer = await client.query(VIEWER)
    login = (answer.get("viewer") or {}).get("login") or ""
    # GraphQL leaves out what REST writes behind the name of an App.
    is_app = client.credentials.is_installation and login and not login.endswith("[bot]")
    return f"{login}[bot]" if is_app else login


async def last_verdict(client: GitHubClient, account: str) -> Given:
    """Return the verdict of our last review that still counts, as fields of a Standing."""
    states = {"APPROVED": "approve", "CHANGES_REQUESTED": "request_changes"}
    reviews = [one async for one in client.pages(f"{client.request}/reviews")] if account else []
    ours = [one for one in reviews if name_of(one.get("user")) == account]
    counting = [one for one in ours if one.get("state") in (*states, "DISMISSED")]
    last = counting[-1] if counting else {}
    verdict = states.get(last.get("state", ""), "")
    return {"verdict": verdict, "verdict_review": str(last["id"]) if verdict else ""}
