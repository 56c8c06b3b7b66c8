"""Write a report as the markdown of a pull request comment, with proof in folds."""

from collections.abc import Sequence

from affidavit.proof.running.outputs import both_ends
from affidavit.records.report import Report
from affidavit.render.changed_lines import LEGEND
from affidavit.render.formats import RenderOptions
from affidavit.render.notes import notes_of
from affidavit.render.programs import Compared, Part
from affidavit.render.safe_text import (
    clip,
    code_block,
    code_span,
    markdown_line,
    markdown_prose,
    one_line,
    visible,
)
from affidavit.render.view import CauseView, FindingView, QuoteView, ReportView, by_file, view_of
from affidavit.render.wording import counted

MAX_LENGTH = 60_000
"""Forges take 65,536 characters, and posting may add a mark."""
_MAX_NOTES_LENGTH = 15_000
_MAX_TITLE_LENGTH = 300
_MAX_PROSE_LENGTH = 2_000
_MAX_LISTED = 20
_MAX_CODE_LINES = 30
_MAX_CODE_LINE_LENGTH = 200
_MAX_OUTPUT_LINE_LENGTH = 400


def write(report: Report, options: RenderOptions) -> str:
    return render_markdown(report, show_withheld=options.show_withheld, show_nits=options.show_nits)


def render_markdown(report: Report, *, show_withheld: bool = False, show_nits: bool = False) -> str:
    """Return the report as one comment below 60,000 characters; what does not fit is counted."""
    view = view_of(report)
    head = [headline(view), about_line(view)]
    items = note_items(view, show_withheld=show_withheld, show_nits=show_nits)
    notes = fit_blocks(items, _MAX_NOTES_LENGTH, "note", "notes")
    spent = sum(len(block) + 2 for block in head + notes)
    blocks = _finding_blocks(view, show_nits=show_nits)
    findings = fit_blocks(blocks, MAX_LENGTH - spent - 200, "finding", "findings")
    return joined_blocks([*head, *findings, "---", *notes]) + "\n"


def headline(view: ReportView) -> str:
    gate = ". ".join(view.gate).capitalize()
    return f"**{markdown_line(_sentence(view.headline))}** {gate}."


def joined_blocks(blocks: Sequence[str]) -> str:
    """Join blocks with empty lines between them, but not between items of a list."""
    text = ""
    for block in blocks:
        is_next_item = _is_item(block) and _is_item(text.rpartition("\n")[2])
        text += ("\n" if is_next_item else "\n\n" if text else "") + block
    return text


def _is_item(block: str) -> bool:
    return block.startswith(("- ", "  - "))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


def about_line(view: ReportView) -> str:
    title = markdown_line(one_line(view.title, _MAX_TITLE_LENGTH))
    size = f"{counted(view.files, 'file')}, +{view.added} -{view.removed}"
    return f"Reviewed: {title} ({name_span(view.range)}, {size})"


def fit_blocks(blocks: Sequence[str], limit: int, noun: str, plural: str) -> list[str]:
    """Return the first blocks that fit, each whole, and a sentence that counts the rest."""
    kept: list[str] = []
    room = limit
    for block in blocks:
        room -= len(block) + 2
        if room < 0:
            left = counted(len(blocks) - len(kept), noun, plural)
            return [*kept, f"**{left} left out here, because a comment has no room for more.**"]
        kept.append(block)
    return kept


def _finding_blocks(view: ReportView, *, show_nits: bool) -> list[str]:
    blocks = [*_overview(view.standing), *_grouped(view.standing)]
    blocks += _under("#### Smaller points", [folded_item(one) for one in view.folded])
    if show_nits:
        blocks += _under("#### True, and withheld as nits", _grouped(view.nits))
    return blocks


def _overview(standing: Sequence[FindingView]) -> list[str]:
    if len(standing) < 2:
        return []
    lines = [one_line_item(one) + " (blocks)" * one.is_blocking for one in standing[:_MAX_LISTED]]
    more = len(standing) - len(lines)
    return ["\n".join([*lines, f"- {more} more, below"] if more else lines)]


def _under(heading: str, blocks: list[str]) -> list[str]:
    return [f"{heading}\n\n{blocks[0]}", *blocks[1:]] if blocks else []


def _grouped(findings: Sequence[FindingView]) -> list[str]:
    blocks: list[str] = []
    for path, group in by_file(findings).items():
        heading = f"### {name_span(path)}\n\n"
        for one in group:
            blocks.append(heading + finding_block(one))
            heading = ""
    return blocks


def finding_block(finding: FindingView, *, has_code: bool = True, has_proof: bool = True) -> str:
    """Return one finding, on demand without the code or the proof."""
    quote = _quote(finding.quote) if has_code and finding.quote else ""
    parts = [_title(finding), quote, _prose(finding.message)]
    claim = [*finding.claim, *finding.places_under]
    parts.append("\n".join(f"- {label.capitalize()}: {clipped_line(text)}" for label, text in claim))
    if finding.suggestion:
        parts.append(_labelled("**Do:**", _prose(finding.suggestion)))
    if has_proof:
        parts.append(f"Proof: {clipped_line(' · '.join(finding.proof_line))}")
    if finding.program and finding.program.parts:
        blocks = _program_blocks(finding.program.parts)
        parts.append(fold_of("The program that was run on both sides", blocks))
    if (patch := finding.patch) and patch.text:
        tried = "\n".join(f"- {clipped_line(line)}" for line in patch.steps)
        parts.append(fold_of(patch.said, [tried, code_block(_short_code(patch.text), "diff")]))
    if has_proof:
        parts.append(fold_of("Proof in detail", proof_blocks(finding)))
    return "\n\n".join(part for part in parts if part)


def _labelled(label: str, prose: str) -> str:
    """Return a label and prose; prose of several lines begins on a new line, since it may begin a fence."""
    return f"{label}\n\n{prose}" if "\n" in prose else f"{label} {prose}"


def name_span(text: str) -> str:
    """Return a path or a symbol as code, with its white space."""
    return code_span(clip(visible(text), _MAX_TITLE_LENGTH))


def _title(finding: FindingView) -> str:
    title = markdown_line(one_line(finding.title, _MAX_TITLE_LENGTH))
    span = finding.place.removeprefix(f"{finding.file}:")
    return f"**{finding.severity.upper()}** {title} ({', '.join([f'line {span}', *finding.standing])})"


def _prose(text: str) -> str:
    return markdown_prose(clip(visible(text, keep="\n\t"), _MAX_PROSE_LENGTH))


def fold_of(summary: str, parts: Sequence[str]) -> str:
    """Return a fold; its summary must be our own text, since markup there cannot be made inert."""
    inside = "\n\n".join(part for part in parts if part)
    return f"<details><summary>{summary}</summary>\n\n{inside}\n\n</details>"


def _quote(quote: QuoteView) -> str:
    if not quote.is_told_apart:
        return code_block(_short_code(quote.code), quote.language)
    numbered = enumerate(quote.code.removesuffix("\n").split("\n"), quote.start)
    marked = "\n".join(quote.marks.get(number, " ") + line for number, line in numbered)
    return code_block(_short_code(marked), "diff")


def _short_code(code: str) -> str:
    lines = code.split("\n")
    shown = [clip(visible(line, keep="\t\r"), _MAX_CODE_LINE_LENGTH) for line in lines[:_MAX_CODE_LINES]]
    left = len(lines) - len(shown)
    return "\n".join([*shown, f"… {counted(left, 'more line')}"] if left else shown)


def _program_blocks(parts: Sequence[Part]) -> list[str]:
    """Return each part in a code block that its text cannot end; long ones are cut in the middle."""
    blocks = []
    for part in parts:
        blocks.append(clipped_line(part.heading))
        lines = [clip(visible(line, keep="\t"), _MAX_OUTPUT_LINE_LENGTH) for line in part.text.splitlines()]
        # Printed output is already cut.
        shown = lines if part.is_output else both_ends(lines, _MAX_CODE_LINES)
        blocks += [code_block("\n".join(shown))] if shown else []
    return blocks


def proof_blocks(finding: FindingView) -> list[str]:
    said = [_cause(finding.cause)] if finding.cause else []
    steps = [*finding.proof_steps, *(f"{label}: {text}" for label, text in finding.accounts_under)]
    said.append("\n".join(f"- {clipped_line(step)}" for step in steps))
    if finding.first_wording:
        said.append(_labelled("First wording:", _prose(finding.first_wording)))
    if finding.fingerprint:
        said.append(f"Fingerprint: {name_span(finding.fingerprint)}")
    return said


def _cause(cause: CauseView) -> str:
    symbol = f"{name_span(cause.symbol)} in " if cause.symbol.strip() else ""
    said = f"Caused by {symbol}{name_span(cause.file)}"
    if cause.line is None:
        return said
    diff = _short_code("\n".join(line.mark + line.text for line in cause.lines))
    return f"{said}, line {cause.line} ({LEGEND}):\n\n{code_block(diff, 'diff')}"


def clipped_line(text: str) -> str:
    return markdown_line(one_line(text, _MAX_PROSE_LENGTH))


def folded_item(finding: FindingView) -> str:
    item = " ".join([one_line_item(finding), *finding.in_brackets])
    said = [finding.sentence, finding.under_in_short.capitalize()]
    sentence = " ".join(f"{one.rstrip('.')}." for one in said if one)
    return f"{item.rstrip('.')}. {clipped_line(sentence)}" if sentence else item


def one_line_item(finding: FindingView) -> str:
    severity = f"{finding.severity} " if finding.severity else ""
    title = markdown_line(one_line(finding.title, _MAX_TITLE_LENGTH))
    return f"- {severity}{name_span(finding.place)} {title}"


def note_items(view: ReportView, *, show_withheld: bool = False, show_nits: bool = False) -> list[str]:
    items = []
    for note in notes_of(view, show_nits=show_nits):
        most = _MAX_TITLE_LENGTH if note.is_cut else _MAX_PROSE_LENGTH
        items.append(f"- {note.label}: {markdown_line(one_line(note.text, most))}")
        if show_withheld or not note.is_on_demand:
            items += [f"  - {clipped_line(line)}" for line in note.details]
    return items + _behaviour(view)


def _behaviour(view: ReportView) -> list[str]:
    if not view.behaviour:
        return []
    rows = view.probes[:_MAX_LISTED]
    said = ["\n".join(_probe_line(one) for one in rows)]
    for one in rows:
        said += [] if one.is_alike else [clipped_line(one.name), *_program_blocks(one.parts)]
    return [fold_of(f"Behaviour compared: {view.behaviour}", said)]


def _probe_line(one: Compared) -> str:
    return f"- {one.outcome}: {clipped_line(one.name)}" + (
        f" ({clipped_line(one.in_short)})" if one.in_short else ""
    )
