"""What holds processes or temporary files until it is closed: by hand, or by leaving its `with`."""

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self


class Closing(ABC):
    """Something to close after use."""

    @abstractmethod
    def close(self) -> None:
        """Release everything; it cannot be used after that."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
