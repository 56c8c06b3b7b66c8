"""Draw the picture of a report that the README shows, from the sample review."""

import io
import subprocess
import sys
import tempfile
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console

from affidavit.records.report import Report
from affidavit.render.terminal import render_terminal
from review import build

PICTURE = Path(__file__).parents[1] / "docs" / "report.svg"


def sample_report() -> Report:
    """The native report of the sample change."""
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder) / "shop")
        command = [
            Path(sys.executable).with_name("affidavit"),
            "review",
            "HEAD",
            "--no-store",
            "--data",  # what this installation has measured is not the picture's
            Path(folder) / "nothing-kept",
            "--format",
            "report",
        ]
        done = subprocess.run(command, cwd=Path(folder) / "shop", check=False, capture_output=True)
    return Report.model_validate_json(done.stdout)


def without_web_fonts(template: str) -> str:
    """The template of the picture without fonts from elsewhere: a document must not call out."""
    start, end = template.index("@font-face"), template.index(".{unique_id}-matrix")
    return template[:start] + template[end:]


def main() -> None:
    """Write docs/report.svg."""
    console = Console(
        record=True, width=96, file=io.StringIO(), color_system="truecolor", force_terminal=True
    )
    render_terminal(sample_report(), console=console)
    svg = console.export_svg(title="affidavit review HEAD", code_format=without_web_fonts(CONSOLE_SVG_FORMAT))
    PICTURE.write_text(svg.replace("Fira Code", "ui-monospace, Menlo, Consolas"))


if __name__ == "__main__":
    main()
