"""Find the report that was posted last on a merge request of GitLab: our own summary names its job."""

from affidavit.errors import ForgeError
from affidavit.forges.earlier import REPORT_FILE
from affidavit.forges.gitlab.client import GitLabClient
from affidavit.forges.gitlab.standing import name_of, read_talk
from affidavit.forges.marks import read_mark


async def read_earlier_report(client: GitLabClient) -> bytes | None:
    """The report that the job of our newest summary kept; None where there is no such summary."""
    talk = await read_talk(client)
    if not talk.account:
        raise ForgeError(
            "GitLab does not say whose token this is, so our own summary cannot be told from others': name "
            "the account that posts in AFFIDAVIT_POST_AS",
            status=401,
        )
    marks = [read_mark(note["body"]) for _, note in talk.notes if name_of(note.get("author")) == talk.account]
    jobs = [mark.run for mark in marks if mark and mark.kind == "summary" and mark.run.isdecimal()]
    if not jobs:
        return None
    return await client.download(f"{client.project}/jobs/{jobs[-1]}/artifacts/{REPORT_FILE}")
