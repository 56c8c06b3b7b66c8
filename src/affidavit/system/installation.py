"""Find out how Affidavit was installed, and which commands add packages to it."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path
from typing import Literal

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

NAME = "affidavit"
UV_RECEIPT, PIPX_RECEIPT = "uv-receipt.toml", "pipx_metadata.json"
Installer = Literal["pip", "uv", "pipx", "uv tool"]


@dataclass(frozen=True)
class Installation:
    """The environment of this Affidavit, and the installer that made it."""

    prefix: Path
    python: Path
    installer: Installer

    def command_for(self, requirement: str) -> str:
        wanted = shlex.quote(requirement)
        match self.installer:
            case "uv tool":
                return f"uv tool install --with {wanted} {NAME}"
            case "pipx":
                return f"pipx inject {shlex.quote(self.prefix.name)} {wanted}"
            case "uv":
                return f"uv pip install --python {shlex.quote(str(self.python))} {wanted}"
            case "pip":
                return f"{shlex.quote(str(self.python))} -m pip install {wanted}"

    def command_to_complete(self) -> str:
        """Return the command that installs missing packages of Affidavit."""
        match self.installer:
            case "uv tool":
                return f"uv tool upgrade --reinstall {NAME}"
            case "pipx":
                return f"pipx reinstall {shlex.quote(self.prefix.name)}"
            case _:
                return self.command_for(NAME)


def this_installation() -> Installation:
    return installation_at(Path(sys.prefix), Path(sys.executable), has_pip=util.find_spec("pip") is not None)


def installation_at(prefix: Path, python: Path, *, has_pip: bool) -> Installation:
    if (prefix / UV_RECEIPT).is_file():
        return Installation(prefix, python, "uv tool")
    if (prefix / PIPX_RECEIPT).is_file():
        return Installation(prefix, python, "pipx")
    return Installation(prefix, python, "pip" if has_pip else "uv")


def comes_along(
    package: str, required: Sequence[str] | None = None, platform: Mapping[str, str] | None = None
) -> bool:
    """Check whether an install of Affidavit brings the package to this or the given platform."""
    declared = (metadata.requires(NAME) if required is None else required) or ()
    wanted = [Requirement(text) for text in declared]
    environment = {"extra": "", **(platform or {})}
    return any(
        canonicalize_name(one.name) == canonicalize_name(package)
        and (one.marker is None or one.marker.evaluate(environment))
        for one in wanted
    )
