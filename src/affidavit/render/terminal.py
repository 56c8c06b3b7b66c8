"""Write a report for a terminal or the log of a build."""

from collections.abc import Sequence
from io import StringIO

from rich.console import Console
from rich.text import Text

from affidavit.records.finding import Severity
from affidavit.records.report import Decision, Report
from affidavit.render.account import EN_DASH
from affidavit.render.formats import RenderOptions
from affidavit.render.ink import Ink, draw_changed, draw_quote, quoted_lines
from affidavit.render.notes import notes_of
from affidavit.render.programs import parts_text
from affidavit.render.view import CauseView, FindingView, ReportView, by_file, view_of
from affidavit.render.wording import counted

_BADGE_STYLES: dict[str, str] = {
    Severity.CRITICAL: "bold white on red",
    Severity.HIGH: "bold white on red",
    Severity.MEDIUM: "bold black on yellow",
    Severity.LOW: "bold black on cyan",
    Severity.INFO: "bold black on white",
}
_DECISION_STYLES: dict[Decision, str] = {
    "approve": "bold green",
    "comment": "bold yellow",
    "request_changes": "bold red",
}
_PLAIN_WIDTH = 100
_INDENT = 2
_MAX_UNDER = 3
_LABEL_WIDTH = 12
_SEVERITY_WIDTH = 9
_ID_LENGTH = 8


def write(report: Report, options: RenderOptions) -> str:
    page = StringIO()
    console = Console(file=page, width=_PLAIN_WIDTH, force_terminal=False, color_system=None)
    render_terminal(report, console=console, options=options)
    return page.getvalue()


def print_terminal(report: Report, options: RenderOptions) -> None:
    render_terminal(report, console=Console(), options=options)


def render_terminal(report: Report, *, console: Console, options: RenderOptions | None = None) -> None:
    ink, options, view = Ink(console), options or RenderOptions(), view_of(report)
    if view.nothing_to_review:
        ink.line(ink.safe(view.nothing_to_review))
        return
    _write_head(ink, view)
    _write_overview(ink, view.standing)
    _write_findings(ink, view.standing, is_verbose=options.is_verbose)
    if options.is_verbose:
        _write_headed(ink, "smaller points:", view.folded, is_verbose=True)
    else:
        _write_folded(ink, view.folded)
    if options.show_nits:
        _write_headed(ink, "true, and withheld as nits:", view.nits, is_verbose=options.is_verbose)
    _write_notes(ink, view, options)
    _write_verdict(ink, view)


def _write_head(ink: Ink, view: ReportView) -> None:
    dot = f" {ink.glyphs.dot} "
    ink.head(
        view.title or "a change",
        (f"{ink.safe(view.range)}{dot}{counted(view.files, 'file')}{dot}", "dim"),
        (f"+{view.added}", "green"),
        " ",
        (f"-{view.removed}", "red"),
    )


def _write_overview(ink: Ink, findings: Sequence[FindingView]) -> None:
    if len(findings) < 2:
        return
    ink.blank()
    for one in findings:
        _write_in_one_line(ink, one, *(["(blocks)"] if one.is_blocking else []))


def _write_headed(ink: Ink, title: str, findings: Sequence[FindingView], *, is_verbose: bool) -> None:
    if findings:
        ink.blank()
        ink.line((title, "bold"))
        _write_findings(ink, findings, is_verbose=is_verbose)


def _write_findings(ink: Ink, findings: Sequence[FindingView], *, is_verbose: bool) -> None:
    for path, group in by_file(findings).items():
        ink.blank()
        ink.path_heading(path)
        for one in group:
            ink.blank()
            _write_finding(ink, one, is_verbose=is_verbose)


def _write_heading(ink: Ink, title: str) -> None:
    text = ink.cut(Text(title, style="bold"), ink.text_width - 4)
    rule = ink.glyphs.rule * max(ink.text_width - text.cell_len - 1, 0)
    ink.line(text, " ", (rule, "dim"))


def _write_finding(ink: Ink, finding: FindingView, *, is_verbose: bool) -> None:
    _write_title(ink, finding)
    _write_quote(ink, finding)
    if finding.message:
        ink.prose(finding.message, indent=_INDENT)
    if finding.cause:
        _write_cause(ink, finding.cause)
    ink.blank()
    for label, text in finding.claim:
        ink.prose(text, indent=_INDENT, label=_label(label))
    if finding.suggestion:
        ink.prose(finding.suggestion, indent=_INDENT, label=_label("do", "bold green"))
    _write_under(ink, finding, is_verbose=is_verbose)
    _write_proof(ink, finding, is_verbose=is_verbose)
    _write_program(ink, finding, is_verbose=is_verbose)
    if is_verbose:
        _write_patch(ink, finding)


def _write_patch(ink: Ink, finding: FindingView) -> None:
    patch = finding.patch
    if patch and patch.text:
        for line in (f"{patch.said}:", *patch.steps, "", *patch.text.split("\n")):
            ink.code(_label("patch"), line, indent=_INDENT)


def _write_program(ink: Ink, finding: FindingView, *, is_verbose: bool) -> None:
    program = finding.program
    if program is None or not program.line:
        return
    if is_verbose:
        for line in parts_text(program.parts).splitlines():
            ink.code(_label("program"), line, indent=_INDENT)
        return
    ink.hanging(_label("program"), ink.joined(program.line, "dim"), indent=_INDENT)


def _write_under(ink: Ink, finding: FindingView, *, is_verbose: bool) -> None:
    """Write the places and findings joined to a finding; all of them on demand."""
    places, accounts = finding.places_under, finding.accounts_under
    for said, most in ((places, _MAX_UNDER), (accounts, 1 if places else _MAX_UNDER)):
        shown = said if is_verbose else said[:most]
        for label, text in shown:
            ink.hanging(_label(label), ink.inline(" ".join(text.split())), indent=_INDENT)
        if more := len(said) - len(shown):
            rest = Text(f"{more} more with --verbose", style="dim")
            ink.hanging(_label(said[0][0]), rest, indent=_INDENT)


def _write_proof(ink: Ink, finding: FindingView, *, is_verbose: bool) -> None:
    ink.hanging(_label("proof"), ink.joined(finding.proof_line, "dim"), indent=_INDENT)
    if not is_verbose:
        return
    ink.hanging(_label("in detail"), ink.joined(finding.proof_steps), indent=_INDENT)
    if finding.where_checked:
        ink.prose(finding.where_checked, indent=_INDENT, label=_label("checked"))
    if finding.first_wording:
        ink.prose(finding.first_wording, indent=_INDENT, label=_label("first said"))


def _write_title(ink: Ink, finding: FindingView) -> None:
    title = ink.inline(" ".join(finding.title.split()), "bold")
    ink.hanging(_badge(ink, finding.severity), title, indent=_INDENT)
    words = [finding.place, *finding.standing]
    words += [f"id {finding.fingerprint}"] if finding.fingerprint else []
    ink.hanging(Text(), ink.joined(words, "dim"), indent=_INDENT)


def _badge(ink: Ink, severity: str) -> Text:
    word = severity.upper()
    return Text.assemble((f" {word} ", _BADGE_STYLES[severity]), " ") if ink.has_colour else Text(f"{word}  ")


def _label(text: str, style: str = "dim") -> Text:
    return Text.assemble((text, style), " " * max(_LABEL_WIDTH - len(text), 1))


def _write_quote(ink: Ink, finding: FindingView) -> None:
    ink.blank()
    if quote := finding.quote:
        draw_quote(ink, quoted_lines(quote), path=finding.file, language=quote.language, indent=_INDENT)
        ink.blank()


def _write_cause(ink: Ink, cause: CauseView) -> None:
    named = f"`{cause.symbol}` in {cause.file}" if cause.symbol else cause.file
    where = f"{named}, line {cause.line}" if cause.line is not None else named
    ink.blank()
    ink.hanging(_label("caused by"), ink.inline(" ".join(where.split())), indent=_INDENT)
    if cause.lines:
        ink.blank()
        draw_changed(ink, cause.lines, indent=_INDENT)


def _write_folded(ink: Ink, findings: Sequence[FindingView]) -> None:
    if not findings:
        return
    ink.blank()
    _write_heading(ink, "smaller points (--verbose shows each in full)")
    for one in findings:
        _write_in_one_line(ink, one, *one.in_brackets)
        for text in (one.sentence, one.under_in_short):
            if text:
                _write_below(ink, text)


def _write_below(ink: Ink, text: str) -> None:
    ink.hanging(Text(" " * _SEVERITY_WIDTH), ink.inline(text, "dim"), indent=_INDENT)


def _write_in_one_line(ink: Ink, finding: FindingView, *said: str) -> None:
    title = ink.inline(" ".join([*finding.title.split(), *said]))
    where = Text.assemble((ink.safe_path(finding.place), "dim"), "  ").append_text(title)
    ink.hanging(Text(finding.severity.ljust(_SEVERITY_WIDTH), style="cyan"), where, indent=_INDENT)


def _write_notes(ink: Ink, view: ReportView, options: RenderOptions) -> None:
    ink.blank()
    previous = ""
    for note in notes_of(view, show_nits=options.show_nits):
        is_hidden = note.is_on_demand and not options.show_withheld
        hint = " (--show-withheld lists them)" if is_hidden and note.details else ""
        label = "" if note.label == previous else note.label
        text = ink.inline(" ".join(f"{note.text}{hint}".split()).replace(EN_DASH, ink.glyphs.dash))
        start = _note_label(label, note.style)
        ink.hanging(start, ink.cut(text, ink.text_width - start.cell_len) if note.is_cut else text, indent=0)
        for line in () if is_hidden else note.details:
            ink.hanging(Text(), ink.inline(" ".join(line.split()), "dim"), indent=_INDENT)
        previous = note.label
    _write_behaviour(ink, view, is_verbose=options.is_verbose)
    ink.hanging(_note_label("report"), ink.inline(view.id[:_ID_LENGTH]), indent=0)


def _write_behaviour(ink: Ink, view: ReportView, *, is_verbose: bool) -> None:
    if view.behaviour:
        ink.hanging(_note_label("behaviour"), ink.inline(view.behaviour), indent=0)
    for one in view.probes if is_verbose else ():
        words = f"{one.outcome}: {one.name}" + (f" ({one.in_short})" if one.in_short else "")
        ink.hanging(Text(), ink.inline(" ".join(words.split()), "dim"), indent=_INDENT)


def _note_label(text: str, style: str = "dim") -> Text:
    return Text.assemble((text, style), " " * max(_LABEL_WIDTH + _INDENT - len(text), 1))


def _write_verdict(ink: Ink, view: ReportView) -> None:
    ink.blank()
    said = Text(ink.safe(view.headline), style=_DECISION_STYLES[view.decision])
    gate, *uncounted = (Text(one.replace("→", ink.glyphs.arrow), style="dim") for one in view.gate)
    dot = Text(f" {ink.glyphs.dot} ", style="dim")
    if said.cell_len + dot.cell_len + gate.cell_len <= ink.text_width:
        ink.line(said, dot, gate)
    else:
        ink.hanging(Text(), said, indent=0)
        ink.line(gate)
    for line in uncounted:
        ink.line(line)
