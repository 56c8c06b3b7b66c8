"""A change that was opened: the record of it, and the two trees to read."""

from dataclasses import dataclass
from types import TracebackType
from typing import Self

from affidavit.code.repository import GitRepository
from affidavit.records.change import Change


@dataclass(frozen=True)
class OpenedChange:
    """Close it after use: that ends git's processes and deletes the temporary objects."""

    change: Change
    repository: GitRepository
    notices: tuple[str, ...] = ()

    def close(self) -> None:
        """Release the repository."""
        self.repository.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
