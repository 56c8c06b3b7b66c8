"""Fetch what another job of this pipeline of GitLab kept: the job's name in, the bytes of its file out.

GitLab unpacks what all jobs kept into one folder, where one job's files replace another's. Fetched by the
name of its job, a file replaces nothing.
"""

from collections.abc import Mapping

from affidavit.errors import ForgeError, SettingsError
from affidavit.forges.gitlab.client import GitLabClient


async def read_kept(client: GitLabClient, job: str, file: str, environment: Mapping[str, str]) -> bytes:
    """What the newest run of that job kept under this name, in the pipeline that we are part of."""
    pipeline = environment.get("CI_PIPELINE_ID", "")
    if not pipeline.isdecimal():
        raise SettingsError(
            f"job:{job} names a job of this pipeline, and this is no job of GitLab: name a file"
        )
    path = f"{client.project}/pipelines/{pipeline}/jobs"
    found = [one["id"] async for one in client.pages(path) if one.get("name") == job]
    if not found:
        raise ForgeError(
            f"the pipeline {pipeline} of {client.address.repository} has no job {job!r}", status=404
        )
    return await client.download(f"{client.project}/jobs/{max(found)}/artifacts/{file}")
