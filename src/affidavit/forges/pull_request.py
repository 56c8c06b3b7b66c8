"""Describe a pull request of any forge. Everything in it is untrusted data."""

import io
import zipfile
from typing import Literal
from zlib import error as ZlibError  # noqa: N812 - a class under a function's name

from affidavit.errors import ForgeError
from affidavit.forges.address import PullRequestAddress
from affidavit.records.change import Comment, Dismissed
from affidavit.records.record import Record

WORKFLOW = ".github/workflows/affidavit.yml"
REPORT_FILE = "report.json"
MAX_REPORT_BYTES = 50_000_000


def artifact_name(number: int) -> str:
    return f"affidavit-posted-{number}"


def report_in(archive: bytes) -> bytes:
    """Return the report in an archive of a run; raise ForgeError if it is missing or too large."""
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as kept, kept.open(REPORT_FILE) as file:
            content = file.read(MAX_REPORT_BYTES + 1)
    except (zipfile.BadZipFile, KeyError, ZlibError, RuntimeError, NotImplementedError, EOFError) as error:
        raise ForgeError(f"the artifact of the last run has no readable {REPORT_FILE}: {error}") from error
    if len(content) > MAX_REPORT_BYTES:
        raise ForgeError(f"the report of the last run is larger than {MAX_REPORT_BYTES:,} bytes")
    return content


State = Literal["open", "closed", "merged"]
MAX_ISSUES = 10
MAX_ISSUE_LENGTH = 8_000
MAX_DESCRIPTION_LENGTH = 100_000
MAX_COMMENTS = 2_000


class LinkedIssue(Record):
    """An issue that the request closes."""

    name: str
    """#12, or group/name#12."""
    title: str
    body: str = ""


class CheckResult(Record):
    """The result of a check on the head."""

    name: str
    outcome: str
    """success, failure, neutral, pending, …"""
    summary: str = ""

    @property
    def is_bad(self) -> bool:
        return self.outcome in ("failure", "failed", "error", "timed_out", "action_required", "canceled")


class PullRequest(Record):
    """A pull request, and what could not be read of it."""

    address: PullRequestAddress
    title: str
    description: str = ""
    state: State = "open"
    is_draft: bool = False
    has_conflicts: bool = False
    base_branch: str
    head_branch: str
    head: str
    """The commit that is to be merged."""
    bases: tuple[str, ...]
    """Commits or branches to compare with, the best first."""
    issues: tuple[LinkedIssue, ...] = ()
    comments: tuple[Comment, ...] = ()
    checks: tuple[CheckResult, ...] = ()
    dismissals: tuple[Dismissed, ...] = ()
    """By people with the right to; they lift verdict and gate."""
    not_read: tuple[str, ...] = ()
    """What could not be read, and why."""

    @property
    def is_awaiting_review(self) -> bool:
        return self.state == "open" and not self.is_draft

    @property
    def discussion(self) -> tuple[Comment, ...]:
        failed = [
            Comment(
                author=f"check: {one.name}", body=f"{one.outcome}: {one.summary}".strip(": "), is_bot=True
            )
            for one in self.checks
            if one.is_bad
        ]
        return (*self.comments[:MAX_COMMENTS], *failed)

    @property
    def whole_description(self) -> str:
        """Return the description with the issues that it closes."""
        linked = [
            f"Linked issue {one.name}: {one.title}\n{one.body[:MAX_ISSUE_LENGTH]}".strip()
            for one in self.issues[:MAX_ISSUES]
        ]
        return "\n\n".join(part for part in (self.description[:MAX_DESCRIPTION_LENGTH], *linked) if part)

    @property
    def notices(self) -> tuple[str, ...]:
        """Return notices to show before a review."""
        name = "this merge request" if self.address.host.kind == "gitlab" else "this pull request"
        said = {
            f"{name} is merged: what was merged is reviewed": self.state == "merged",
            f"{name} is closed: its last state is reviewed": self.state == "closed",
            f"{name} is a draft: it is reviewed because you asked": self.is_draft and self.state == "open",
            f"{name} conflicts with {self.base_branch}: it is reviewed as its author left it": (
                self.has_conflicts and self.state == "open"
            ),
        }
        return (*(text for text, holds in said.items() if holds), *self.not_read)
