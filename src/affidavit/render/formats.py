"""Every format that a report can be written in: one table, and how the user names a format."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from affidavit.records.report import Report

_PLAIN_WIDTH = 100


@dataclass(frozen=True)
class View:
    """What the reader asked to see, and the format's version where it has several."""

    version: str = ""
    show_withheld: bool = False
    show_nits: bool = False


@dataclass(frozen=True)
class Format:
    """One way to write a report."""

    write: Callable[[Report, View], str]
    ending: str
    is_ascii: bool
    """Every character is ASCII, so that any terminal, file or pipe takes it as it is."""
    versions: tuple[str, ...] = ()
    """The versions to choose from, the default first; empty where there is only one."""


@dataclass(frozen=True)
class FormatRequest:
    """A format as the user named it; without a path it goes to standard output."""

    name: str
    version: str = ""
    path: Path | None = None


def parse_format(text: str) -> FormatRequest:
    """Read `report`, `markdown=FILE`, `review-result@1.0=FILE`; `-` as the file is standard output."""
    named, has_path, path = text.partition("=")
    name, has_version, version = named.strip().partition("@")
    chosen = FORMATS.get(name)
    if chosen is None:
        raise ValueError(f"unknown format {name!r}; known: {', '.join(known_formats())}")
    if has_version and version not in chosen.versions:
        raise ValueError(f"format {name} has no version {version!r}; known: {', '.join(known_formats())}")
    if has_path and not path.strip():
        raise ValueError(f"no file named after {named.strip()!r}=; write {named.strip()}=FILE")
    default = chosen.versions[0] if chosen.versions else ""
    target = Path(path) if has_path and path != "-" else None
    return FormatRequest(name=name, version=version or default, path=target)


def known_formats() -> list[str]:
    """The names to choose from, with their versions."""
    return [
        name if not chosen.versions else f"{name} ({', '.join(f'@{one}' for one in chosen.versions)})"
        for name, chosen in FORMATS.items()
    ]


def render(
    report: Report, request: FormatRequest | str, *, show_withheld: bool = False, show_nits: bool = False
) -> str:
    """The report in a format; the text ends with a line feed."""
    asked = parse_format(request) if isinstance(request, str) else request
    view = View(version=asked.version, show_withheld=show_withheld, show_nits=show_nits)
    return FORMATS[asked.name].write(report, view)


def _json(data: dict[str, Any] | list[dict[str, Any]]) -> str:
    return json.dumps(data, indent=1, allow_nan=False) + "\n"


def _write_report(report: Report, _view: View) -> str:
    return report.model_dump_json(indent=1, ensure_ascii=True) + "\n"


# The formats below are imported where they are used: who asks for one does not wait for the others.


def _write_review_result(report: Report, view: View) -> str:
    from affidavit.render.exchange.review_result import to_review_result  # noqa: PLC0415

    return _json(to_review_result(report, view.version))


def _write_verdict(report: Report, _view: View) -> str:
    from affidavit.render.exchange.verdict import to_verdict  # noqa: PLC0415

    return _json(to_verdict(report))


def _write_markdown(report: Report, view: View) -> str:
    from affidavit.render.report.markdown import render_markdown  # noqa: PLC0415

    return render_markdown(report, show_withheld=view.show_withheld, show_nits=view.show_nits)


def _write_terminal(report: Report, view: View) -> str:
    """What the terminal shows, without colour."""
    from rich.console import Console  # noqa: PLC0415

    from affidavit.render.report.terminal import render_terminal  # noqa: PLC0415

    page = StringIO()
    console = Console(file=page, width=_PLAIN_WIDTH, force_terminal=False, color_system=None)
    render_terminal(report, console=console, show_withheld=view.show_withheld, show_nits=view.show_nits)
    return page.getvalue()


def _write_html(report: Report, view: View) -> str:
    from affidavit.render.html.page import render_html  # noqa: PLC0415

    return render_html(report, show_withheld=view.show_withheld, show_nits=view.show_nits)


def _write_sarif(report: Report, view: View) -> str:
    from affidavit.render.exchange.sarif import to_sarif  # noqa: PLC0415

    return _json(to_sarif(report, view.version))


def _write_rdjson(report: Report, _view: View) -> str:
    from affidavit.render.exchange.rdjson import to_rdjson  # noqa: PLC0415

    return _json(to_rdjson(report))


def _write_gitlab(report: Report, _view: View) -> str:
    from affidavit.render.exchange.gitlab import to_gitlab  # noqa: PLC0415

    return _json(to_gitlab(report))


def _write_junit(report: Report, _view: View) -> str:
    from affidavit.render.exchange.junit import to_junit  # noqa: PLC0415

    return to_junit(report)


FORMATS: dict[str, Format] = {
    "terminal": Format(write=_write_terminal, ending=".txt", is_ascii=False),
    "report": Format(write=_write_report, ending=".json", is_ascii=True),
    "review-result": Format(
        write=_write_review_result, ending=".json", is_ascii=True, versions=("1.1", "1.0")
    ),
    "verdict": Format(write=_write_verdict, ending=".json", is_ascii=True),
    "markdown": Format(write=_write_markdown, ending=".md", is_ascii=False),
    "html": Format(write=_write_html, ending=".html", is_ascii=False),
    "sarif": Format(write=_write_sarif, ending=".sarif", is_ascii=True, versions=("2.1.0", "github")),
    "rdjson": Format(write=_write_rdjson, ending=".json", is_ascii=True),
    "gitlab": Format(write=_write_gitlab, ending=".json", is_ascii=True),
    "junit": Format(write=_write_junit, ending=".xml", is_ascii=True),
}
