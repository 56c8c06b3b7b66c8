"""A change that was opened: the record of it, and the two trees to read."""

from dataclasses import dataclass

from affidavit.git.repository import GitRepository
from affidavit.records.change import Change
from affidavit.system.closing import Closing


@dataclass(frozen=True)
class OpenedChange(Closing):
    """Close it after use: that ends git's processes and deletes the temporary objects."""

    change: Change
    repository: GitRepository
    notices: tuple[str, ...] = ()

    def close(self) -> None:
        """Release the repository."""
        self.repository.close()
