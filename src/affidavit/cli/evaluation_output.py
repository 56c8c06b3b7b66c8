"""Where evaluations and comparisons go: which formats were asked for, and the writing of them."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from affidavit.errors import SettingsError
from affidavit.quality.evaluation import Evaluated
from affidavit.records.evaluation import Comparison

if TYPE_CHECKING:
    from rich.console import Console

FORMATS = ("text", "json", "markdown", "html")
PLAIN_WIDTH = 120


@dataclass(frozen=True)
class Output:
    """One format; without a path it goes to standard output."""

    name: str
    path: Path | None


def parse_outputs(texts: Sequence[str]) -> list[Output]:
    """Read `json`, `html=FILE`; where none goes to standard output, the text does."""
    outputs = [_parse_output(text) for text in texts]
    standard = [output for output in outputs if output.path is None]
    if len(standard) > 1:
        raise SettingsError(
            "--format: only one format can go to standard output; give the others a file: NAME=FILE"
        )
    return outputs if standard else [*outputs, Output("text", None)]


def _parse_output(text: str) -> Output:
    name, has_path, path = text.partition("=")
    if name not in FORMATS:
        raise SettingsError(f"--format: unknown format {name!r}; known: {', '.join(FORMATS)}")
    if not has_path or path == "-":
        return Output(name, None)
    place = Path(path)
    if not path.strip() or place.is_dir():
        raise SettingsError(f"--format: no file named after {name}=; write {name}=FILE")
    if not place.parent.is_dir():
        # A mistyped folder must not cost a whole evaluation.
        raise SettingsError(f"--format: there is no folder {place.parent} for {place.name}")
    return Output(name, place)


def write_evaluation(evaluated: Evaluated, outputs: Sequence[Output]) -> None:
    """Write every format that was asked for."""
    # Each renderer is imported where it is used: who asks for JSON does not wait for the page.
    from affidavit.render.evaluation_text import render_evaluation  # noqa: PLC0415

    evaluation = evaluated.evaluation

    def render(name: str) -> str:
        if name == "json":
            return evaluation.model_dump_json(indent=1, ensure_ascii=True) + "\n"
        if name == "markdown":
            from affidavit.render.evaluation_markdown import evaluation_markdown  # noqa: PLC0415

            return evaluation_markdown(evaluation)
        from affidavit.render.evaluation_page import evaluation_page  # noqa: PLC0415

        return evaluation_page(evaluation, evaluated.reports)

    _write_all(outputs, render, lambda console: render_evaluation(evaluation, console=console))


def write_comparison(comparison: Comparison, outputs: Sequence[Output]) -> None:
    """Write every format that was asked for."""
    from affidavit.render.evaluation_text import render_comparison  # noqa: PLC0415 - as above

    def render(name: str) -> str:
        if name == "json":
            return comparison.model_dump_json(indent=1, ensure_ascii=True) + "\n"
        if name == "markdown":
            from affidavit.render.evaluation_markdown import comparison_markdown  # noqa: PLC0415

            return comparison_markdown(comparison)
        from affidavit.render.evaluation_page import comparison_page  # noqa: PLC0415

        return comparison_page(comparison)

    _write_all(outputs, render, lambda console: render_comparison(comparison, console=console))


def _write_all(
    outputs: Sequence[Output], render: Callable[[str], str], draw: Callable[["Console"], None]
) -> None:
    from rich.console import Console  # noqa: PLC0415

    for output in outputs:
        if output.name == "text" and output.path is None:
            # A pipe has no width of its own.
            draw(
                Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH, soft_wrap=not sys.stdout.isatty())
            )
            continue
        text = _plain(draw) if output.name == "text" else render(output.name)
        _write(output, text)


def _plain(draw: Callable[["Console"], None]) -> str:
    from rich.console import Console  # noqa: PLC0415

    page = StringIO()
    draw(Console(file=page, width=PLAIN_WIDTH, force_terminal=False, color_system=None))
    return page.getvalue()


def _write(output: Output, text: str) -> None:
    if output.path is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
        sys.stdout.buffer.flush()
        return
    try:
        output.path.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise SettingsError(f"--format: {output.path} cannot be written: {error.strerror}") from error
