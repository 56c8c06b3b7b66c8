"""Outputs of commands that draw text on a terminal, or render it as JSON, markdown or a page."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from rich.console import Console

from affidavit.cli.screen.outputs import write_output
from affidavit.errors import SettingsError

TEXT = "text"
PLAIN_WIDTH = 110
"""A file or a pipe has no width of its own."""


@dataclass(frozen=True)
class NamedOutput:
    """One format; without a path it goes to standard output."""

    name: str
    path: Path | None


def parse_output(text: str, known: Sequence[str]) -> NamedOutput:
    """Read `json` or `html=FILE`; `-` as the file is standard output."""
    name, has_path, path = text.partition("=")
    if name not in known:
        raise SettingsError(f"--format: unknown format {name!r}; known: {', '.join(known)}")
    if has_path and not path.strip():
        raise SettingsError(f"--format: no file named after {name}=; write {name}=FILE")
    return NamedOutput(name, Path(path) if has_path and path != "-" else None)


def write_all(
    outputs: Sequence[NamedOutput], render: Callable[[str], str], draw: Callable[[Console], None]
) -> None:
    """Write every format that was asked for: the text is drawn, any other rendered by its name."""
    for output in outputs:
        if output.name == TEXT and output.path is None:
            _draw_here(draw)
            continue
        write_output(_drawn(draw) if output.name == TEXT else render(output.name), output.path)


def _draw_here(draw: Callable[[Console], None]) -> None:
    is_terminal = sys.stdout.isatty()
    draw(Console(width=None if is_terminal else PLAIN_WIDTH, soft_wrap=not is_terminal))


def _drawn(draw: Callable[[Console], None]) -> str:
    page = StringIO()
    draw(Console(file=page, width=PLAIN_WIDTH, force_terminal=False, color_system=None))
    return page.getvalue()
