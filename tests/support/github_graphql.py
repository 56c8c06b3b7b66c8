"""GitHub's GraphQL in memory: the threads of a pull request, executed by the published schema."""

from typing import Any, Protocol

from graphql import graphql_sync

from forge_http import Asked, RefusedError
from published import graphql_schema

Given = dict[str, Any]


class Threads(Protocol):
    """What a server has of it."""

    comments: list[Given]
    reviews: list[Given]
    inline: list[Given]
    threads: dict[int, Given]
    issues: list[Given]
    edited_by: dict[int, str]
    can_resolve: bool
    knows_editors: bool
    problems: list[str]


def answer_query(server: Threads, asked: Asked, who: str) -> Given:
    """What a query is answered; a query that the schema does not allow is a problem of the server."""
    if not who:
        raise RefusedError(401, "This endpoint requires you to be authenticated.")
    root = {
        "viewer": {"login": who},
        "repository": lambda *_, **__: {
            "nameWithOwner": "shop/cart",
            "pullRequest": lambda *_, **__: _pull(server),
        },
        "nodes": lambda _, ids: [_node(server, one) for one in ids],
        "resolveReviewThread": lambda _, input: _resolve(server, input["threadId"], who),  # noqa: A006 - its name
        "unresolveReviewThread": lambda _, input: _resolve(server, input["threadId"], ""),  # noqa: A006
    }
    done = graphql_sync(
        graphql_schema(), asked.body["query"], root, variable_values=asked.body.get("variables")
    )
    if done.errors:
        messages = [error.message for error in done.errors]
        if not any("Resource not accessible" in one for one in messages):
            server.problems += messages
    return {
        "data": done.data,
        **({"errors": [{"message": e.message} for e in done.errors]} if done.errors else {}),
    }


def _pull(server: Threads) -> Given:
    def threads(*_: Any, first: int, after: str | None = None, **__: Any) -> Given:
        start = int(after or 0)
        roots = list(server.threads)[start : start + first]
        has_more = start + first < len(server.threads)
        return {
            "nodes": [_thread(server, root) for root in roots],
            "pageInfo": {"hasNextPage": has_more, "endCursor": str(start + first)},
        }

    return {
        "reviewThreads": threads,
        "closingIssuesReferences": lambda *_, **__: {
            "nodes": [{"repository": {"nameWithOwner": "shop/cart"}, **one} for one in server.issues]
        },
    }


def _thread(server: Threads, root: int) -> Given:
    spoken = [one for one in server.inline if root in (one["id"], one.get("in_reply_to_id"))]

    def comments(*_: Any, first: int, **__: Any) -> Given:
        return {"nodes": [{"databaseId": one["id"]} for one in spoken[:first]]}

    return {**server.threads[root], "comments": comments}


def _node(server: Threads, name: str) -> Given:
    """A comment of any kind; who is deleted, and who edits as one that is, is nobody."""
    if not server.knows_editors:
        raise ValueError("Resource not accessible by personal access token")
    kinds = {
        "IssueComment": server.comments,
        "PullRequestReview": server.reviews,
        "PullRequestReviewComment": server.inline,
    }
    kind, found = next(
        (kind, one) for kind, listed in kinds.items() for one in listed if one["node_id"] == name
    )
    editor = server.edited_by.get(found["id"])
    return {
        "__typename": kind,
        "id": name,
        "author": _actor(found["user"]["login"]),
        "editor": _actor(editor) if editor and editor != "ghost" else None,
        "lastEditedAt": "2026-11-18T12:00:00Z" if editor else None,
    }


def _actor(name: str) -> Given:
    """GraphQL leaves out what REST writes behind the name of an App."""
    return {"__typename": "User", "login": name.removesuffix("[bot]")}


def _resolve(server: Threads, thread: str, who: str) -> Given:
    if not server.can_resolve:
        raise ValueError("Resource not accessible by integration")
    found = next(one for one in server.threads.values() if one["id"] == thread)
    found |= {"isResolved": bool(who), "resolvedBy": _actor(who) if who else None}
    return {"thread": found}
