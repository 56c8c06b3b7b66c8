"""A change that was opened: the record of it, and the two trees to read."""

from dataclasses import dataclass

from affidavit.code.closing import Closing
from affidavit.code.repository import GitRepository
from affidavit.records.change import Change


@dataclass(frozen=True)
class OpenedChange(Closing):
    """Close it after use: that ends git's processes and deletes the temporary objects."""

    change: Change
    repository: GitRepository
    notices: tuple[str, ...] = ()

    def close(self) -> None:
        """Release the repository."""
        self.repository.close()
