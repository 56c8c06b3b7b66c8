"""The language servers that are known: what they are called, what they read, how they are started."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from affidavit.analysers.execution import find_executable

JAVASCRIPT_ENDS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")


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

    def reads(self, path: str) -> bool:
        """Whether the file belongs into the checkout. Settings that may load code do not."""
        return path.endswith(self.endings) or path.rpartition("/")[2] in self.file_names


TY = Server("ty", "ty", ("server",), frozenset(("python",)), (".py", ".pyi"))
TYPESCRIPT = Server(
    "tsc",
    "tsc",
    ("--lsp", "--stdio"),
    frozenset(("typescript", "javascript")),
    JAVASCRIPT_ENDS,
    frozenset(("tsconfig.json", "tsconfig.base.json", "jsconfig.json", "package.json")),
    # Without it only the opened file is known.
    (("tsconfig.json", b'{"compilerOptions": {"allowJs": true}}'),),
)
SERVERS = (TY, TYPESCRIPT)


def find_servers(
    *, reviewed_folder: Path | None, programs: Mapping[str, Path] | None = None
) -> dict[Server, Path]:
    """The servers that are there: where the user says, else beside the interpreter or on PATH.

    A program of the reviewed repository is never taken.
    """
    told = programs or {}
    found: dict[Server, Path] = {}
    for server in SERVERS:
        program = told.get(server.name) or find_executable(server.executable, reviewed_folder=reviewed_folder)
        if program is not None:
            found[server] = program
    return found
