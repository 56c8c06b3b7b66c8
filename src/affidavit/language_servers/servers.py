"""The language servers that are known: what they are called, what they read, how they are started."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from affidavit.analysers.execution import find_executable
from affidavit.errors import SettingsError
from affidavit.languages.javascript import JAVASCRIPT, TYPESCRIPT
from affidavit.languages.python import PYTHON
from affidavit.languages.python.modules import MODULE_ENDS

JAVASCRIPT_ENDS = tuple(f".{ending}" for language in (TYPESCRIPT, JAVASCRIPT) for ending in language.endings)


@dataclass(frozen=True)
class Server:
    """One server. Only files with these endings or names are laid before it."""

    name: str
    executable: str
    arguments: tuple[str, ...]
    languages: frozenset[str]
    endings: tuple[str, ...]
    file_names: frozenset[str] = frozenset()
    default_files: tuple[tuple[str, bytes], ...] = ()
    """What is laid down where the tree has no such file."""
    reads_any_path: bool = False
    """A file can name any other on the machine, and the server reads that: behind walls or not at all."""

    def reads(self, path: str) -> bool:
        """Whether the file belongs into the checkout. Settings that may load code do not."""
        return path.endswith(self.endings) or path.rpartition("/")[2] in self.file_names


TY = Server("ty", "ty", ("server",), frozenset((PYTHON.name,)), MODULE_ENDS)
TSC = Server(
    "tsc",
    "tsc",
    ("--lsp", "--stdio"),
    frozenset((TYPESCRIPT.name, JAVASCRIPT.name)),
    JAVASCRIPT_ENDS,
    frozenset(("tsconfig.json", "tsconfig.base.json", "jsconfig.json", "package.json")),
    # Without it only the opened file is known.
    (("tsconfig.json", b'{"compilerOptions": {"allowJs": true}}'),),
    reads_any_path=True,
)
SERVERS = (TY, TSC)


def find_servers(
    *, reviewed_folder: Path | None, programs: Mapping[str, Path] | None = None
) -> dict[Server, Path]:
    """The servers that are there: where the user says, else beside the interpreter or on PATH.

    A program of the reviewed repository is never taken. Raises SettingsError where the user names a program
    that is none.
    """
    named = programs or {}
    found: dict[Server, Path] = {}
    for server in SERVERS:
        asked = str(named[server.name]) if server.name in named else server.executable
        program = find_executable(asked, reviewed_folder=reviewed_folder)
        if program is None and server.name in named:
            raise SettingsError(
                f"{asked} cannot be used as the language server {server.name}: give the absolute path of a "
                "program outside the reviewed repository"
            )
        if program is not None:
            found[server] = program
    return found
