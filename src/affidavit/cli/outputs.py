"""Write outputs to standard output, or to files that are checked before the work begins."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from affidavit.errors import SettingsError
from affidavit.render.safe_text import json_without_commands

if TYPE_CHECKING:
    from rich.console import Console

    from affidavit.render.formats import FormatRequest


EXIT_FAILED, EXIT_NOT_DONE, EXIT_INCOMPLETE = 1, 2, 3


def exit_code(*, is_failed: bool, is_incomplete: bool) -> int:
    """Return the exit code of finished work; failure takes precedence over incompleteness."""
    return EXIT_FAILED if is_failed else EXIT_INCOMPLETE if is_incomplete else 0


def check_outputs(outputs: "Sequence[FormatRequest]", written_besides: Path | None = None) -> bool:
    """Check whether an output goes to standard output; raise SettingsError for unwritable files.

    A mistyped folder must not cost the whole review.
    """
    taken = {written_besides.resolve()} if written_besides else set()
    for output in outputs:
        _check_place(output.path)
        place = output.path.resolve() if output.path else None
        if place in taken:
            raise SettingsError(f"--format: {output.path} is named twice; each output needs its own file")
        # A device such as /dev/null accepts several outputs.
        if place and (place.is_file() or not place.exists()):
            taken.add(place)
    to_standard_output = [output for output in outputs if output.path is None]
    if len(to_standard_output) > 1:
        raise SettingsError(
            "--format: only one format can go to standard output; give the others a file: NAME=FILE"
        )
    return bool(to_standard_output)


def _check_place(path: Path | None) -> None:
    if path is None:
        return
    if path.is_dir():
        raise SettingsError(f"--format: {path} is a folder; add a file name")
    if not path.parent.is_dir():
        raise SettingsError(f"--format: there is no folder {path.parent}; create it to write {path.name}")


def write_output(text: str, path: Path | None) -> None:
    if path is None:
        print_text(text if text.endswith("\n") else f"{text}\n")
        return
    try:
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise SettingsError(f"--format: {path} cannot be written: {error.strerror}") from error


def print_json(value: object) -> None:
    """Print a document in ASCII, without commands to CI runners."""
    print_text(json_without_commands(json.dumps(value, indent=1)) + "\n")


def print_text(text: str) -> None:
    """Print a text in UTF-8, whatever the encoding of the terminal."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()


PLAIN_WIDTH = 110
"""Files and pipes have no width of their own."""


def text_console() -> "Console":
    """Return standard output as wide as the terminal; elsewhere, long lines stay uncut."""
    from rich.console import Console  # noqa: PLC0415 - reports are drawn elsewhere

    is_terminal = sys.stdout.isatty()
    return Console(width=None if is_terminal else PLAIN_WIDTH, soft_wrap=not is_terminal)
