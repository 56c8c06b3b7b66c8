"""One package that a repository depends on, as it lies on this machine."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["python", "node", "go", "standard_library"]


@dataclass(frozen=True)
class Package:
    """A package, its version, and where its files are."""

    kind: Kind
    name: str
    version: str
    folder: Path
    """Paths of its files count from here."""
    files: tuple[str, ...] | None = None
    """Its own among those that lie there; None: all below the folder."""
    pinned: str = ""
    """The version that the lock file of the base commit asks for, where it is another one."""

    @property
    def said_version(self) -> str:
        """The version, and that it is not the one that the repository asks for."""
        return f"{self.version} (the base commit pins {self.pinned})" if self.pinned else self.version
