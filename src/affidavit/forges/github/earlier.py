"""Find the report that was posted last on a pull request of GitHub, however many runs lie between."""

from typing import Any

from affidavit.errors import ForgeError
from affidavit.forges.earlier import WORKFLOW, artifact_name, report_in
from affidavit.forges.github.client import GitHubClient

EVENTS = ("pull_request_target", "issue_comment", "workflow_run")
"""With these the workflow is the base or the default branch's: with any other, a pull request could upload
what it likes."""
MAX_RUNS = 100
"""Runs that are asked about: a stranger's workflow may keep files under our name, too."""


async def read_earlier_report(client: GitHubClient) -> bytes | None:
    """The newest report that a run of our own workflow kept for this pull request, if there is one."""
    if not client.has_token:
        raise ForgeError("GitHub gives what a run kept only to a token (actions: read)", status=401)
    name = artifact_name(client.address.number)
    path = f"{client.repository}/actions/artifacts?name={name}"
    found = [one async for one in client.pages(path, key="artifacts")]
    kept = [one for one in found if one["name"] == name and not one["expired"] and one.get("workflow_run")]
    for one in sorted(kept, key=_age, reverse=True)[:MAX_RUNS]:
        run = await client.get(f"{client.repository}/actions/runs/{one['workflow_run']['id']}")
        if run["event"] in EVENTS and run["path"].partition("@")[0] == WORKFLOW:
            return report_in(await client.download(f"{client.repository}/actions/artifacts/{one['id']}/zip"))
    return None


def _age(artifact: dict[str, Any]) -> tuple[str, int]:
    return artifact.get("created_at") or "", artifact["id"]
