"""Where a command's outputs go: files that are checked before the work begins, or standard output."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from affidavit.errors import SettingsError
from affidavit.render.safe_text import json_without_commands


class Output(Protocol):
    """Something to write; without a path it goes to standard output."""

    @property
    def path(self) -> Path | None: ...


def check_outputs(outputs: Sequence[Output], written_besides: Path | None = None) -> bool:
    """Whether something goes to standard output; raises for places that cannot be written.

    A mistyped folder must not cost the whole work, nor one output another.
    """
    taken = {written_besides.resolve()} if written_besides else set()
    for output in outputs:
        _check_place(output.path)
        place = output.path.resolve() if output.path else None
        if place in taken:
            raise SettingsError(f"--format: {output.path} is named twice; each output needs its own file")
        # A device such as /dev/null takes any number of them.
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
        raise SettingsError(f"--format: {path} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise SettingsError(f"--format: there is no folder {path.parent} for {path.name}")


def write_output(text: str, path: Path | None) -> None:
    """Write a text to its file, or print it."""
    if path is None:
        print_text(text if text.endswith("\n") else f"{text}\n")
        return
    try:
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise SettingsError(f"--format: {path} cannot be written: {error.strerror}") from error


def print_json(value: object) -> None:
    """Print a document in ASCII that no runner of a build takes for a command."""
    print_text(json_without_commands(json.dumps(value, indent=1)) + "\n")


def print_text(text: str) -> None:
    """Print a text whose format is UTF-8 by definition, whatever the terminal's own encoding is."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()
