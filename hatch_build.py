"""Build the page into the wheel, so that whoever installs it needs no Node."""

import os
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PageHook(BuildHookInterface[Any]):
    """Runs before files are collected."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - its name
        """An editable install has the page of its working tree; AFFIDAVIT_WITHOUT_PAGE leaves it out."""
        if version == "editable" or self.target_name != "wheel" or os.environ.get("AFFIDAVIT_WITHOUT_PAGE"):
            return
        sys.path.insert(0, str(Path(self.root) / "tools"))
        import page  # noqa: PLC0415 - it lies beside this file, not on the path

        page.build()
