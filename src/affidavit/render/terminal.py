"""Write a report for somebody who reads it on a terminal, or in the log of a build."""

from collections.abc import Sequence
from io import StringIO

from rich.console import Console
from rich.text import Text

from affidavit.records.candidate import Candidate
from affidavit.records.finding import Finding, Severity
from affidavit.records.report import Decision, Gap, Report
from affidavit.render import wording
from affidavit.render.account import (
    alert_lines,
    decision_lines,
    headline_words,
    series_sentence,
    set_aside_lines,
    set_aside_words,
    why_words,
    withheld_counts,
)
from affidavit.render.changed_lines import changed_place
from affidavit.render.formats import RenderOptions
from affidavit.render.ink import Ink, draw_changed, draw_quote, quoted_lines
from affidavit.render.programs import (
    behaviour_sentence,
    compared,
    ending_words,
    how_to_repeat,
    program_text,
    runs_of,
)
from affidavit.render.proof import (
    further_places,
    patch_text,
    patch_words,
    proof_line,
    said_under,
    standing_in_brackets,
    trial_lines,
    why_withheld,
)

_BADGE_STYLES = {
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
"""Lines on what else a finding stands for."""
_LABEL_WIDTH = 12
_SEVERITY_WIDTH = 9
_MAX_LISTED = 10
_MAX_DECISIONS = 20
_ID_LENGTH = 8
"""Of a report's id: enough to name it to `affidavit label`."""


def write(report: Report, options: RenderOptions) -> str:
    """What the terminal shows, without colour."""
    page = StringIO()
    console = Console(file=page, width=_PLAIN_WIDTH, force_terminal=False, color_system=None)
    render_terminal(report, console=console, options=options)
    return page.getvalue()


def print_terminal(report: Report, options: RenderOptions) -> None:
    """Write it to the terminal itself, as wide and as colourful as that is."""
    render_terminal(report, console=Console(), options=options)


def render_terminal(report: Report, *, console: Console, options: RenderOptions | None = None) -> None:
    """Write what was found and why it is believed, what was withheld, what did not run, the verdict."""
    ink, options = Ink(console), options or RenderOptions()
    if report.change.why_empty and not report.candidates:
        ink.line(ink.safe(report.verdict.summary))
        return
    standing, folded = wording.standing(report), wording.folded(report)
    _write_head(ink, report)
    _write_overview(ink, report, standing)
    _write_findings(ink, report, standing, is_verbose=options.is_verbose)
    if options.is_verbose and folded:
        ink.blank()
        ink.line(("smaller points:", "bold"))
        _write_findings(ink, report, folded, is_verbose=True)
    else:
        _write_folded(ink, report, folded)
    if options.show_nits:
        _write_nits(ink, report, is_verbose=options.is_verbose)
    _write_account(ink, report, options)
    _write_verdict(ink, report)


def _write_head(ink: Ink, report: Report) -> None:
    change = report.change
    added, removed = wording.line_totals(change)
    dot = f" {ink.glyphs.dot} "
    ink.head(
        change.title or change.target or "a change",
        (
            f"{ink.safe(wording.range_of(change))}{dot}{wording.counted(len(change.files), 'file')}{dot}",
            "dim",
        ),
        (f"+{added}", "green"),
        " ",
        (f"-{removed}", "red"),
    )


def _write_overview(ink: Ink, report: Report, candidates: Sequence[Candidate]) -> None:
    """One line for each finding that is said in full, worst first; a single one needs none."""
    if len(candidates) < 2:
        return
    ink.blank()
    for candidate in wording.ordered(candidates):
        blocks = ["blocks"] if candidate.id in report.verdict.blocking else []
        _write_in_one_line(ink, candidate, *(f"({word})" for word in blocks))


def _write_findings(ink: Ink, report: Report, candidates: Sequence[Candidate], *, is_verbose: bool) -> None:
    for path, group in wording.by_file(candidates).items():
        ink.blank()
        ink.path_heading(path)
        for candidate in group:
            ink.blank()
            _write_finding(ink, report, candidate, is_verbose=is_verbose)


def _write_heading(ink: Ink, title: str) -> None:
    text = ink.cut(Text(title, style="bold"), ink.text_width - 4)
    rule = ink.glyphs.rule * max(ink.text_width - text.cell_len - 1, 0)
    ink.line(text, " ", (rule, "dim"))


def _write_finding(ink: Ink, report: Report, candidate: Candidate, *, is_verbose: bool) -> None:
    finding = candidate.finding
    if finding is None:
        return
    _write_title(ink, report, candidate, finding)
    _write_quote(ink, report, candidate, finding)
    if message := wording.message_of(finding):
        ink.prose(message, indent=_INDENT)
    _write_cause(ink, report, finding)
    ink.blank()
    for label, text in wording.claim(finding):
        ink.prose(text, indent=_INDENT, label=_label(label))
    if finding.suggestion:
        ink.prose(finding.suggestion, indent=_INDENT, label=_label("do", "bold green"))
    _write_under(ink, said_under(candidate, report), is_verbose=is_verbose)
    _write_proof(ink, report, candidate, is_verbose=is_verbose)
    _write_program(ink, report, candidate, is_verbose=is_verbose)
    if is_verbose:
        _write_patch(ink, candidate)


def _write_patch(ink: Ink, candidate: Candidate) -> None:
    """The patch that a finding brings, with what became of it."""
    if patch := patch_text(candidate):
        for line in (f"{patch_words(candidate)}:", *trial_lines(candidate), "", *patch.split("\n")):
            ink.code(_label("patch"), line, indent=_INDENT)


def _write_program(ink: Ink, report: Report, candidate: Candidate, *, is_verbose: bool) -> None:
    """How both sides ended and how to repeat it; on demand the program and its outputs."""
    check = candidate.reproduction
    if check is None:
        return
    if is_verbose:
        for line in program_text(candidate, report.id).splitlines():
            ink.code(_label("program"), line, indent=_INDENT)
        return
    ended = [ending_words(run) for run in runs_of(check)]
    words = [*ended, f"again: {how_to_repeat(candidate, report.id)}"] if ended else [check.detail]
    ink.hanging(_label("program"), ink.joined(words, "dim"), indent=_INDENT)


def _write_under(ink: Ink, under: Sequence[tuple[str, str]], *, is_verbose: bool) -> None:
    """What a finding stands for; on demand all of it. Places come before what others say of them."""
    places = [one for one in under if one[0] == "also at"]
    accounts = [one for one in under if one[0] != "also at"]
    for said, most in ((places, _MAX_UNDER), (accounts, 1 if places else _MAX_UNDER)):
        shown = said if is_verbose else said[:most]
        for label, text in shown:
            ink.hanging(_label(label), ink.inline(" ".join(text.split())), indent=_INDENT)
        if more := len(said) - len(shown):
            rest = Text(f"{more} more with --verbose", style="dim")
            ink.hanging(_label(said[0][0]), rest, indent=_INDENT)


def _write_proof(ink: Ink, report: Report, candidate: Candidate, *, is_verbose: bool) -> None:
    """One line; on demand every step of it."""
    ink.hanging(_label("proof"), ink.joined(proof_line(candidate, report), "dim"), indent=_INDENT)
    if not is_verbose:
        return
    ink.hanging(_label("in detail"), ink.joined(wording.proof(candidate)), indent=_INDENT)
    evidence = candidate.finding.verification if candidate.finding else None
    if evidence and evidence.where_checked:
        ink.prose(evidence.where_checked, indent=_INDENT, label=_label("checked"))
    if first := wording.first_wording(candidate):
        ink.prose(first, indent=_INDENT, label=_label("first said"))


def _write_title(ink: Ink, report: Report, candidate: Candidate, finding: Finding) -> None:
    title = ink.inline(" ".join(finding.title.split()), "bold")
    ink.hanging(_badge(ink, finding.severity), title, indent=_INDENT)
    words = [wording.location(finding), *wording.standing_words(candidate, report)]
    words += [f"id {candidate.fingerprint}"] if candidate.fingerprint else []
    ink.hanging(Text(), ink.joined(words, "dim"), indent=_INDENT)


def _badge(ink: Ink, severity: Severity) -> Text:
    word = severity.upper()
    return Text.assemble((f" {word} ", _BADGE_STYLES[severity]), " ") if ink.has_colour else Text(f"{word}  ")


def _label(text: str, style: str = "dim") -> Text:
    return Text.assemble((text, style), " " * max(_LABEL_WIDTH - len(text), 1))


def _write_quote(ink: Ink, report: Report, candidate: Candidate, finding: Finding) -> None:
    ink.blank()
    quote = candidate.quote
    if quote is None or not quote.code:
        return
    language = wording.language_of(report.change, finding.file)
    lines = quoted_lines(quote, finding, report.change)
    draw_quote(ink, lines, path=finding.file, language=language, indent=_INDENT)
    ink.blank()


def _write_cause(ink: Ink, report: Report, finding: Finding) -> None:
    cause = finding.verification.caused_by if finding.verification else None
    if cause is None:
        return
    place = changed_place(report.change, cause)
    named = f"`{cause.symbol}` in {cause.file}" if cause.symbol else cause.file
    where = f"{named}, line {place.anchor.number}" if place else named
    ink.blank()
    ink.hanging(_label("caused by"), ink.inline(" ".join(where.split())), indent=_INDENT)
    if place:
        ink.blank()
        draw_changed(ink, place, indent=_INDENT)


def _write_folded(ink: Ink, report: Report, candidates: Sequence[Candidate]) -> None:
    if not candidates:
        return
    ink.blank()
    _write_heading(ink, "smaller points (--verbose shows each in full)")
    for candidate in candidates:
        _write_in_one_line(ink, candidate, *standing_in_brackets(candidate, report))
        if sentence := wording.in_a_sentence(candidate):
            ink.hanging(Text(" " * _SEVERITY_WIDTH), ink.inline(sentence, "dim"), indent=_INDENT)
        if places := further_places(candidate, report):
            ink.hanging(Text(" " * _SEVERITY_WIDTH), ink.inline(places, "dim"), indent=_INDENT)


def _write_in_one_line(ink: Ink, candidate: Candidate, *said: str) -> None:
    finding = candidate.finding
    severity = finding.severity.value if finding else ""
    place = ink.safe_path(wording.place_of(candidate))
    title = ink.inline(" ".join([*wording.title_of(candidate).split(), *said]))
    where = Text.assemble((place, "dim"), "  ").append_text(title)
    ink.hanging(Text(severity.ljust(_SEVERITY_WIDTH), style="cyan"), where, indent=_INDENT)


def _write_nits(ink: Ink, report: Report, *, is_verbose: bool) -> None:
    nits = wording.nits(report)
    if nits:
        ink.blank()
        ink.line(("true, and withheld as nits:", "bold"))
        _write_findings(ink, report, nits, is_verbose=is_verbose)


def _write_account(ink: Ink, report: Report, options: RenderOptions) -> None:
    """What was withheld, what did not run, what was not looked at."""
    ink.blank()
    _write_series(ink, report)
    _write_withheld(ink, report, show_withheld=options.show_withheld, show_nits=options.show_nits)
    _write_parts(ink, "incomplete", report.incomplete, "bold yellow")
    _write_parts(ink, "not run", report.not_run, "dim")
    _write_files(ink, "silences", wording.brought_suppressions(report))
    _write_files(ink, "skipped", wording.skipped_files(report))
    _write_files(ink, "not looked at", wording.unexamined_files(report))
    _write_files(ink, "in part", wording.partly_examined_files(report))
    covered = wording.coverage_sentence(report)
    if covered:
        ink.hanging(_account_label("coverage"), ink.inline(covered), indent=0)
    if chosen := wording.settings_sentence(report):
        ink.hanging(_account_label("settings"), ink.inline(chosen, "dim"), indent=0)
    _write_behaviour(ink, report, is_verbose=options.is_verbose)
    if report.words and report.words.summary:
        label = _account_label("model says")
        ink.line(label, ink.cut(ink.inline(report.words.summary), ink.text_width - label.cell_len))
    spent = wording.spent_sentence(report)
    if spent:
        ink.hanging(_account_label("spent"), ink.inline(spent), indent=0)
    _write_measured(ink, report)


def _write_series(ink: Ink, report: Report) -> None:
    """What became of the findings of the review before."""
    if said := series_sentence(report):
        ink.hanging(_account_label("followed up", "bold"), ink.inline(said), indent=0)
    for fate, text in decision_lines(report)[:_MAX_DECISIONS]:
        start = Text(fate.ljust(14), style="green" if fate == "fixed" else "yellow")
        ink.hanging(start, ink.inline(text, "dim"), indent=_INDENT)
    if (more := len(decision_lines(report)) - _MAX_DECISIONS) > 0:
        ink.hanging(Text(), Text(f"and {more} more", style="dim"), indent=_INDENT)
    for text in alert_lines(report):
        ink.hanging(_account_label("alert", "bold red"), ink.inline(text), indent=0)


def _write_behaviour(ink: Ink, report: Report, *, is_verbose: bool) -> None:
    """What probes showed on both sides, in one line; on demand each of them."""
    sentence = behaviour_sentence(report)
    if not sentence:
        return
    ink.hanging(_account_label("behaviour"), ink.inline(sentence), indent=0)
    for one in compared(report) if is_verbose else ():
        words = f"{one.outcome}: {one.name}" + (f" ({one.why})" if one.why else "")
        ink.hanging(Text(), ink.inline(" ".join(words.split()), "dim"), indent=_INDENT)


def _write_measured(ink: Ink, report: Report) -> None:
    """How often this installation has been wrong, and the name by which this report is labelled."""
    said, name = headline_words(report.measured, ink.glyphs.dash), report.id[:_ID_LENGTH]
    if said:
        ink.hanging(_account_label("error rate"), ink.joined([said, f"report {name}"]), indent=0)
    else:
        ink.hanging(_account_label("report"), ink.inline(name), indent=0)


def _account_label(text: str, style: str = "dim") -> Text:
    return Text.assemble((text, style), " " * max(_LABEL_WIDTH + _INDENT - len(text), 1))


def _write_withheld(ink: Ink, report: Report, *, show_withheld: bool, show_nits: bool) -> None:
    _write_set_aside(ink, report, is_listed=show_withheld)
    withheld = report.withheld
    if not withheld:
        return
    counts = ", ".join(f"{count} {reason}" for reason, count in withheld_counts(withheld))
    hint = "" if show_withheld else " (--show-withheld lists them)"
    said = f"{wording.counted(len(withheld), 'finding')}: {counts}{hint}"
    ink.hanging(_account_label("withheld"), ink.inline(said), indent=0)
    if not show_withheld:
        return
    written = {one.id for one in wording.nits(report)} if show_nits else set()
    for candidate in wording.ordered([one for one in withheld if one.id not in written]):
        _write_withheld_one(ink, report, candidate)


def _write_set_aside(ink: Ink, report: Report, *, is_listed: bool) -> None:
    lines = set_aside_lines(report)
    if not lines:
        return
    hint = "" if is_listed else " (--show-withheld lists them)"
    said = f"{set_aside_words(report)}{hint}"
    ink.hanging(_account_label("dropped"), ink.inline(said), indent=0)
    for line in lines if is_listed else ():
        ink.hanging(Text(" " * _SEVERITY_WIDTH), ink.inline(" ".join(line.split()), "dim"), indent=_INDENT)


def _write_withheld_one(ink: Ink, report: Report, candidate: Candidate) -> None:
    _write_in_one_line(ink, candidate)
    detail = why_withheld(candidate, report)
    reason = f"{why_words(candidate)}: {detail}" if detail else why_words(candidate)
    ink.hanging(Text(" " * _SEVERITY_WIDTH), ink.inline(" ".join(reason.split()), "dim"), indent=_INDENT)


def _write_parts(ink: Ink, label: str, parts: Sequence[Gap], style: str) -> None:
    for number, part in enumerate(parts):
        sentence = " ".join(wording.part_sentence(part).split())
        ink.hanging(_account_label("" if number else label, style), ink.inline(sentence), indent=0)


def _write_files(ink: Ink, label: str, files: Sequence[tuple[str, str]]) -> None:
    if not files:
        return
    paths_by_reason: dict[str, list[str]] = {}
    for path, reason in files[:_MAX_LISTED]:
        paths_by_reason.setdefault(reason, []).append(path)
    groups = [
        f"{', '.join(paths)} ({reason})" if reason else ", ".join(paths)
        for reason, paths in paths_by_reason.items()
    ]
    if len(files) > _MAX_LISTED:
        groups.append(f"{len(files) - _MAX_LISTED} more")
    ink.hanging(_account_label(label), ink.inline("; ".join(groups)), indent=0)


def _write_verdict(ink: Ink, report: Report) -> None:
    ink.blank()
    said = Text(ink.safe(wording.headline(report)), style=_DECISION_STYLES[report.verdict.decision])
    gate, *uncounted = (Text(words, style="dim") for words in wording.gate_words(report, ink.glyphs.arrow))
    dot = Text(f" {ink.glyphs.dot} ", style="dim")
    if said.cell_len + dot.cell_len + gate.cell_len <= ink.text_width:
        ink.line(said, dot, gate)
    else:
        ink.hanging(Text(), said, indent=0)
        ink.line(gate)
    for line in uncounted:
        ink.line(line)
