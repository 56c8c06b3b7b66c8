"""Where evaluations and comparisons go: which formats were asked for, and the writing of them."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from affidavit.cli.outputs import check_outputs, write_output
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
    return outputs if check_outputs(outputs) else [*outputs, Output("text", None)]


def _parse_output(text: str) -> Output:
    name, has_path, path = text.partition("=")
    if name not in FORMATS:
        raise SettingsError(f"--format: unknown format {name!r}; known: {', '.join(FORMATS)}")
    if has_path and not path.strip():
        raise SettingsError(f"--format: no file named after {name}=; write {name}=FILE")
    return Output(name, Path(path) if has_path and path != "-" else None)


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
        write_output(text, output.path)


def _plain(draw: Callable[["Console"], None]) -> str:
    from rich.console import Console  # noqa: PLC0415

    page = StringIO()
    draw(Console(file=page, width=PLAIN_WIDTH, force_terminal=False, color_system=None))
    return page.getvalue()
