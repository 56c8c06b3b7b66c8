"""Changes as the intake opens them, and what is looked at in them."""

from affidavit.records.change import Change, FileStatus
from affidavit.stages.intake import ChangeRequest, open_change
from repositories import Repo


def opened(repo: Repo, target: str | None = None, **more: object) -> Change:
    """The change alone, with its repository closed again."""
    with open_change(ChangeRequest(target=target, repo=repo.path, **more)) as change:  # type: ignore[arg-type]
        return change.change


def statuses(change: Change) -> dict[str, FileStatus]:
    """What happened to each file."""
    return {file.path: file.status for file in change.files}
