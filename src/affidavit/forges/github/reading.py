"""Read a pull request from GitHub."""

from typing import Any

from affidavit.errors import ForgeError
from affidavit.forges.answers import counting_dismissals, edited_notices, people_who_dismissed
from affidavit.forges.github.client import ISSUES, GitHubClient
from affidavit.forges.github.standing import name_of, read_talk
from affidavit.forges.posting.actions import GATE_NAME
from affidavit.forges.pull_request import CheckResult, LinkedIssue, PullRequest, State
from affidavit.forges.standing import MAX_COMMENT_LENGTH, read_standing
from affidavit.forges.web import read_or_miss

MAX_CHECKS = 200


async def read_pull_request(client: GitHubClient) -> PullRequest:
    """Read the whole request; name the parts that a missing token or right hides."""
    pull = await client.get(client.request)
    talk = await read_talk(client)
    missed: list[str] = list(talk.not_read)
    issues = await read_or_miss(_issues(client), "linked issues", missed)
    checks = await read_or_miss(_checks(client, pull["head"]["sha"]), "results of checks", missed)
    author = name_of(pull.get("user"))
    standing = await read_standing(client, talk, author, people_who_dismissed)
    state = _state(pull)
    return PullRequest(
        address=client.address,
        title=pull.get("title") or "",
        description=pull.get("body") or "",
        state=state,
        is_draft=bool(pull.get("draft")),
        has_conflicts=pull.get("mergeable") is False,
        base_branch=pull["base"]["ref"],
        head_branch=pull["head"].get("label") or pull["head"]["ref"],
        head=pull["head"]["sha"],
        bases=_bases(pull, state),
        issues=issues,
        comments=talk.comments,
        checks=checks,
        dismissals=counting_dismissals(standing),
        not_read=(*missed, *edited_notices(standing)),
    )


def _state(pull: dict[str, Any]) -> State:
    if pull.get("merged") or pull.get("merged_at"):
        return "merged"
    return "open" if pull.get("state") == "open" else "closed"


def _bases(pull: dict[str, Any], state: State) -> tuple[str, ...]:
    """Return the commits to compare with: the branch's tip, or what a merged request was merged into."""
    tip, then = f"refs/heads/{pull['base']['ref']}", pull["base"]["sha"]
    merged = pull.get("merge_commit_sha")
    if state == "merged" and merged:
        return (f"{merged}^1", then)
    return (tip, then)


async def _issues(client: GitHubClient) -> tuple[LinkedIssue, ...]:
    if not client.has_token:
        raise ForgeError("GitHub tells them only to a token", status=401)
    owner, _, name = client.address.repository.partition("/")
    answer = await client.query(ISSUES, owner=owner, name=name, number=client.address.number)
    request = (answer.get("repository") or {}).get("pullRequest") or {}
    nodes = (request.get("closingIssuesReferences") or {}).get("nodes") or []
    return tuple(_issue(node, client.address.repository) for node in nodes if node)


def _issue(node: dict[str, Any], here: str) -> LinkedIssue:
    repository = (node.get("repository") or {}).get("nameWithOwner") or here
    name = f"#{node['number']}" if repository == here else f"{repository}#{node['number']}"
    return LinkedIssue(name=name, title=node.get("title") or "", body=node.get("body") or "")


async def _checks(client: GitHubClient, head: str) -> tuple[CheckResult, ...]:
    """Return the check runs and the commit statuses of the head."""
    found: list[CheckResult] = []
    async for run in client.pages(f"{client.repository}/commits/{head}/check-runs", key="check_runs"):
        output = run.get("output") or {}
        said = " ".join(str(output.get(key) or "") for key in ("title", "summary")).strip()
        outcome = str(run.get("conclusion") or "pending")
        found.append(CheckResult(name=run["name"], outcome=outcome, summary=said[:MAX_COMMENT_LENGTH]))
        if len(found) >= MAX_CHECKS:
            break
    combined = await client.get(f"{client.repository}/commits/{head}/status")
    found += [
        CheckResult(name=one["context"], outcome=one["state"], summary=one.get("description") or "")
        for one in (combined.get("statuses") or [])[:MAX_CHECKS]
    ]
    # Skip our own gate.
    return tuple(one for one in found if one.name != GATE_NAME)
