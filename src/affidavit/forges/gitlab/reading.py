"""Read a merge request from GitLab."""

from typing import Any

from affidavit.errors import ForgeError
from affidavit.forges.answers import counting_dismissals, edited_notices, people_who_dismissed
from affidavit.forges.gitlab.client import GitLabClient
from affidavit.forges.gitlab.standing import name_of, read_talk
from affidavit.forges.posting.actions import GATE_NAME
from affidavit.forges.pull_request import CheckResult, LinkedIssue, PullRequest, State
from affidavit.forges.standing import read_standing
from affidavit.forges.web import read_or_miss

MAX_CHECKS = 200
_STATES: dict[str, State] = {"merged": "merged", "closed": "closed"}


async def read_merge_request(client: GitLabClient) -> PullRequest:
    """Read the whole request; name the parts that a missing token or right hides."""
    given = await client.get(client.request)
    refs = given.get("diff_refs") or {}
    head = refs.get("head_sha") or given.get("sha") or ""
    if not refs.get("base_sha") or not head:
        raise ForgeError(
            f"{client.address.url}: GitLab has not yet worked out what it changes (or it has no commits); "
            "run again in a moment",
            retryable=True,
        )
    talk = await read_talk(client)
    missed: list[str] = list(talk.not_read)
    issues = await read_or_miss(_issues(client), "linked issues", missed)
    checks = await read_or_miss(_checks(client, head), "results of checks", missed)
    author = name_of(given.get("author"))
    standing = await read_standing(client, talk, author, people_who_dismissed)
    return PullRequest(
        address=client.address,
        title=given.get("title") or "",
        description=given.get("description") or "",
        state=_STATES.get(given.get("state") or "", "open"),
        is_draft=bool(given.get("draft") or given.get("work_in_progress")),
        has_conflicts=bool(given.get("has_conflicts")),
        base_branch=given["target_branch"],
        head_branch=given["source_branch"],
        head=head,
        bases=_bases(given, refs["base_sha"]),
        issues=issues,
        comments=talk.comments,
        checks=checks,
        dismissals=counting_dismissals(standing),
        not_read=(*missed, *edited_notices(standing)),
    )


def _bases(given: dict[str, Any], began: str) -> tuple[str, ...]:
    """Return the commits to compare with: the branch's tip, or where GitLab says a closed request began."""
    tip = f"refs/heads/{given['target_branch']}"
    return (began, tip) if given.get("state") in ("closed", "merged") else (tip, began)


async def _issues(client: GitLabClient) -> tuple[LinkedIssue, ...]:
    found = [one async for one in client.pages(f"{client.request}/closes_issues")]
    return tuple(
        LinkedIssue(
            name=(one.get("references") or {}).get("relative") or f"#{one.get('iid') or one.get('id')}",
            title=one.get("title") or "",
            body=one.get("description") or "",
        )
        for one in found
    )


async def _checks(client: GitLabClient, head: str) -> tuple[CheckResult, ...]:
    path = f"{client.project}/repository/commits/{head}/statuses"
    found: list[CheckResult] = []
    async for one in client.pages(path):
        found.append(
            CheckResult(name=one["name"], outcome=one["status"], summary=one.get("description") or "")
        )
        if len(found) >= MAX_CHECKS:
            break
    return tuple(one for one in found if one.name != GATE_NAME)
