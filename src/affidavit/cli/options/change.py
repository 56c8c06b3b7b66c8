"""What the options that name a change, or a settings file for it, ask for."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from affidavit.cli.options.discussion import read_discussion
from affidavit.cli.options.repository import allowed_of
from affidavit.errors import SettingsError
from affidavit.stages.intake import ChangeRequest


def requested_change(options: Mapping[str, Any]) -> ChangeRequest:
    """The change that a command is about; `-` as the target reads a diff from standard input."""
    is_input_taken = options["target"] == "-"
    return ChangeRequest(
        target=options["target"],
        staged=options["staged"],
        repo=options["repo"],
        allowed=allowed_of(options),
        title=options["title"],
        description=options.get("description", ""),
        diff_text=sys.stdin.buffer.read() if is_input_taken else None,
        discussion=read_discussion(options.get("discussion"), is_input_taken=is_input_taken),
    )


def read_config(path: Path | None) -> tuple[str, bytes] | None:
    """The settings file of `--config`, with its name; None where none is named."""
    if path is None:
        return None
    try:
        return str(path), path.read_bytes()
    except OSError as error:
        raise SettingsError(f"--config: {path}: {error.strerror}") from error
