"""List the formats of a report, and read the user's choice of one."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path

from affidavit.diff.redacted import redact_shown
from affidavit.records.report import REDACTED, Report
from affidavit.redaction.text import redact_text
from affidavit.render.safe_text import json_without_commands, without_commands

NATIVE = "report"
JSON_ENDINGS = (".json", ".sarif")


@dataclass(frozen=True)
class RenderOptions:
    """What to show of a report, and the version of the format."""

    version: str = ""
    show_withheld: bool = False
    show_nits: bool = False
    is_verbose: bool = False


Write = Callable[[Report, RenderOptions], str]


@dataclass(frozen=True)
class Format:
    module: str
    """Its module in this package, imported when needed."""
    function: str = field(default="write", kw_only=True)
    ending: str
    has_diff: bool = False
    """It shows the whole diff, not only the lines about its findings."""
    versions: tuple[str, ...] = ()
    """The versions to choose from, the default first; empty if there is only one."""


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
    return [
        name if not chosen.versions else f"{name} ({', '.join(f'@{one}' for one in chosen.versions)})"
        for name, chosen in FORMATS.items()
    ]


def redacted(report: Report, *, has_diff: bool = True) -> Report:
    """Return a copy whose change may be shown: `recheck` needs the report itself."""
    lines_of = None if has_diff else _files_with_findings(report)
    change = redact_shown(report.change, lines_of)
    shown = report.model_copy(update={"notice": REDACTED, "change": change})
    paths = {path for file in report.change.files for path in (file.path, file.old_path) if path}
    names = {path: redact_text(path) for path in paths}
    if all(path == name for path, name in names.items()):
        return shown
    text = shown.model_dump_json()
    for path, name in sorted(names.items(), key=lambda pair: -len(pair[0])):
        written, instead = (json.dumps(one, ensure_ascii=False)[1:-1] for one in (path, name))
        text = text.replace(written, instead)
    return Report.model_validate_json(text)


def _files_with_findings(report: Report) -> set[str]:
    found = [one.finding for one in report.candidates if one.finding]
    causes = [one.evidence.caused_by for one in found]
    quotes = [one.quote for one in report.candidates if one.quote]
    return {one.file for one in (*found, *causes, *quotes) if one}


def render(
    report: Report,
    request: FormatRequest | str,
    options: RenderOptions | None = None,
    shown: Report | None = None,
) -> str:
    """Write the report in a format. Only the native one holds the change as it is.

    `shown` is the redacted report without the diff, if somebody has it already.
    """
    asked = parse_format(request) if isinstance(request, str) else request
    chosen = FORMATS[asked.name]
    options = replace(options or RenderOptions(), version=asked.version)
    write: Write = getattr(import_module(f"affidavit.render.{chosen.module}"), chosen.function)
    if asked.name != NATIVE:
        report = shown if shown and not chosen.has_diff else redacted(report, has_diff=chosen.has_diff)
    text = write(report, options)
    # A build may print the file, and its runner obeys commands in its log.
    is_json = chosen.ending in JSON_ENDINGS
    return json_without_commands(text) if is_json else without_commands(text)


FORMATS: dict[str, Format] = {
    "terminal": Format("terminal", ending=".txt"),
    "report": Format("exchange.documents", ending=".json", function="write_report"),
    "review-result": Format("exchange.review_result", ending=".json", versions=("1.1", "1.0")),
    "verdict": Format("exchange.verdict", ending=".json"),
    "feedback": Format("exchange.documents", ending=".json", function="write_feedback"),
    "markdown": Format("markdown", ending=".md"),
    "html": Format("page", ending=".html", has_diff=True),
    "sarif": Format("exchange.sarif", ending=".sarif", versions=("2.1.0", "github")),
    "gitlab": Format("exchange.gitlab", ending=".json"),
    "lines": Format("exchange.lines", ending=".txt"),
    "junit": Format("exchange.junit", ending=".xml"),
    "agent": Format("agent", ending=".txt"),
}
