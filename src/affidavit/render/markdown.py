"""Write a report as the markdown of a pull-request comment: short on top, proof in folds, never too long."""

from collections.abc import Sequence

from affidavit.proof.running.printed import both_ends
from affidavit.records.candidate import Candidate
from affidavit.records.finding import Cause, Finding
from affidavit.records.report import Report
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
from affidavit.render.changed_lines import LEGEND, changed_place, is_told_apart, marks_of
from affidavit.render.formats import RenderOptions
from affidavit.render.programs import Compared, Part, behaviour_sentence, compared, program_parts
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
from affidavit.render.safe_text import (
    clip,
    code_block,
    code_span,
    markdown_line,
    markdown_prose,
    one_line,
    visible,
)

MAX_LENGTH = 60_000
"""Forges take 65,536 characters; what posts the comment may add a mark of its own."""
_MAX_ACCOUNT_LENGTH = 15_000
_MAX_TITLE_LENGTH = 300
_MAX_RESULT_LENGTH = 1_000
"""Of a result that was set aside the reason stands behind its place, and must be read."""
_MAX_PROSE_LENGTH = 2_000
_MAX_LISTED = 20
_MAX_CODE_LINES = 30
_MAX_CODE_LINE_LENGTH = 200
_MAX_OUTPUT_LINE_LENGTH = 400


def write(report: Report, options: RenderOptions) -> str:
    """The report in this format."""
    return render_markdown(report, show_withheld=options.show_withheld, show_nits=options.show_nits)


def render_markdown(report: Report, *, show_withheld: bool = False, show_nits: bool = False) -> str:
    """The report as one comment of less than 60,000 characters; what did not fit is said."""
    head = [headline(report), about_line(report)]
    account = fit_blocks(
        account_items(report, show_withheld=show_withheld, show_nits=show_nits),
        _MAX_ACCOUNT_LENGTH,
        "note",
        "notes",
    )
    # Outside what may be left out. Its words are ours, so nothing is escaped.
    if rate := headline_words(report.measured):
        account.append(f"- error rate of this installation: {rate}")
    spent = sum(len(block) + 2 for block in head + account)
    findings = fit_blocks(
        _finding_blocks(report, show_nits=show_nits), MAX_LENGTH - spent - 200, "finding", "findings"
    )
    return joined_blocks([*head, *findings, "---", *account]) + "\n"


def headline(report: Report) -> str:
    """The outcome, and what it means for a build."""
    return f"**{markdown_line(_sentence(wording.headline(report)))}** {_gate(report)}"


def joined_blocks(blocks: Sequence[str]) -> str:
    """Blocks with an empty line between them; the items of a list stand close."""
    text = ""
    for block in blocks:
        is_next_item = _is_item(block) and _is_item(text.rpartition("\n")[2])
        text += ("\n" if is_next_item else "\n\n" if text else "") + block
    return text


def _is_item(block: str) -> bool:
    return block.startswith(("- ", "  - "))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


def _gate(report: Report) -> str:
    return ". ".join(wording.gate_words(report, "→")).capitalize() + "."


def about_line(report: Report) -> str:
    """Which change it is, and how large."""
    change = report.change
    added, removed = wording.line_totals(change)
    title = markdown_line(one_line(change.title or change.target, _MAX_TITLE_LENGTH))
    size = f"{wording.counted(len(change.files), 'file')}, +{added} -{removed}"
    return f"Reviewed: {title} ({name_span(wording.range_of(change))}, {size})"


def fit_blocks(blocks: Sequence[str], limit: int, noun: str, plural: str) -> list[str]:
    """The first blocks that fit, and a sentence about the rest. A block is kept whole or left out."""
    kept: list[str] = []
    room = limit
    for block in blocks:
        room -= len(block) + 2
        if room < 0:
            left = wording.counted(len(blocks) - len(kept), noun, plural)
            return [*kept, f"**{left} left out here, because a comment has no room for more.**"]
        kept.append(block)
    return kept


def _finding_blocks(report: Report, *, show_nits: bool) -> list[str]:
    """One block a finding, worst file first; the first block of a file carries its heading."""
    blocks = [*_overview(report), *_grouped(report, wording.standing(report))]
    blocks += _under("#### Smaller points", folded_items(report))
    if show_nits:
        blocks += _under("#### True, and withheld as nits", _grouped(report, wording.nits(report)))
    return blocks


def _overview(report: Report) -> list[str]:
    """One line for each finding that is said in full, worst first; a single one needs none."""
    standing = wording.ordered(wording.standing(report))
    if len(standing) < 2:
        return []
    blocking = report.verdict.blocking
    lines = [one_line_item(one) + " (blocks)" * (one.id in blocking) for one in standing[:_MAX_LISTED]]
    more = len(standing) - len(lines)
    return ["\n".join([*lines, f"- {more} more, below"] if more else lines)]


def _under(heading: str, blocks: list[str]) -> list[str]:
    return [f"{heading}\n\n{blocks[0]}", *blocks[1:]] if blocks else []


def _grouped(report: Report, candidates: Sequence[Candidate]) -> list[str]:
    blocks: list[str] = []
    for path, group in wording.by_file(candidates).items():
        heading = f"### {name_span(path)}\n\n"
        for candidate in group:
            blocks.append(heading + finding_block(report, candidate))
            heading = ""
    return blocks


def finding_block(
    report: Report, candidate: Candidate, *, has_code: bool = True, has_proof: bool = True
) -> str:
    """One finding with its proof; without the code or the proof where a reader sees that beside it."""
    finding = candidate.finding
    if finding is None:
        return ""
    quote = _quote(report, candidate, finding) if has_code else ""
    parts = [_title(report, candidate, finding), quote, _prose(wording.message_of(finding))]
    places = [one for one in said_under(candidate, report) if one[0] == "also at"]
    claim = [*wording.claim(finding), *places]
    parts.append("\n".join(f"- {label.capitalize()}: {clipped_line(text)}" for label, text in claim))
    if finding.suggestion:
        parts.append(_labelled("**Do:**", _prose(finding.suggestion)))
    if has_proof:
        parts.append(f"Proof: {clipped_line(' · '.join(proof_line(candidate, report)))}")
    program = program_parts(candidate, report.id)
    if program:
        parts.append(fold_of("The program that was run on both sides", _program_blocks(program)))
    if patch := patch_text(candidate):
        tried = "\n".join(f"- {clipped_line(line)}" for line in trial_lines(candidate))
        parts.append(fold_of(patch_words(candidate), [tried, code_block(_short_code(patch), "diff")]))
    if has_proof:
        parts.append(fold_of("Proof in detail", proof_blocks(report, candidate, finding)))
    return "\n\n".join(part for part in parts if part)


def _labelled(label: str, prose: str) -> str:
    """A label and prose; prose of several lines may begin with a fence, which needs a line of its own."""
    return f"{label}\n\n{prose}" if "\n" in prose else f"{label} {prose}"


def name_span(text: str) -> str:
    """A path or a symbol as code; its white space is part of it."""
    return code_span(clip(visible(text), _MAX_TITLE_LENGTH))


def _title(report: Report, candidate: Candidate, finding: Finding) -> str:
    title = markdown_line(one_line(finding.title, _MAX_TITLE_LENGTH))
    words = ", ".join([f"line {_span(finding)}", *wording.standing_words(candidate, report)])
    return f"**{finding.severity.upper()}** {title} ({words})"


def _span(finding: Finding) -> str:
    return wording.location(finding).removeprefix(f"{finding.file}:")


def _prose(text: str) -> str:
    return markdown_prose(clip(visible(text, keep="\n\t"), _MAX_PROSE_LENGTH))


def fold_of(summary: str, parts: Sequence[str]) -> str:
    """A fold. Its summary is ours: a forge reads markup there that could not be made inert."""
    inside = "\n\n".join(part for part in parts if part)
    return f"<details><summary>{summary}</summary>\n\n{inside}\n\n</details>"


def _quote(report: Report, candidate: Candidate, finding: Finding) -> str:
    quote = candidate.quote
    if quote is None or not quote.code:
        return ""
    marks = marks_of(quote, report.change)
    if not is_told_apart(marks, quote):
        return code_block(_short_code(quote.code), wording.language_of(report.change, finding.file))
    numbered = enumerate(quote.code.removesuffix("\n").split("\n"), quote.start or 1)
    marked = "\n".join(marks.get(number, " ") + line for number, line in numbered)
    return code_block(_short_code(marked), "diff")


def _short_code(code: str) -> str:
    lines = code.split("\n")
    shown = [clip(visible(line, keep="\t\r"), _MAX_CODE_LINE_LENGTH) for line in lines[:_MAX_CODE_LINES]]
    left = len(lines) - len(shown)
    return "\n".join([*shown, f"… {wording.counted(left, 'more line')}"] if left else shown)


def _program_blocks(parts: Sequence[Part]) -> list[str]:
    """Each part in a block of its own, which no text can leave; of a long one both ends."""
    blocks = []
    for part in parts:
        blocks.append(clipped_line(part.heading))
        lines = [clip(visible(line, keep="\t"), _MAX_OUTPUT_LINE_LENGTH) for line in part.text.splitlines()]
        # What was printed is cut already.
        shown = lines if part.is_output else both_ends(lines, _MAX_CODE_LINES)
        blocks += [code_block("\n".join(shown))] if shown else []
    return blocks


def proof_blocks(report: Report, candidate: Candidate, finding: Finding) -> list[str]:
    """The whole proof of a finding: its cause, every step, its first wording and its name."""
    cause = finding.verification.caused_by if finding.verification else None
    said = [_cause(report, cause)] if cause else []
    steps = wording.proof(candidate)
    steps += [f"{label}: {text}" for label, text in said_under(candidate, report) if label != "also at"]
    said.append("\n".join(f"- {clipped_line(step)}" for step in steps))
    if first := wording.first_wording(candidate):
        said.append(_labelled("First wording:", _prose(first)))
    if candidate.fingerprint:
        said.append(f"Fingerprint: {name_span(candidate.fingerprint)}")
    return said


def _cause(report: Report, cause: Cause) -> str:
    place = changed_place(report.change, cause)
    symbol = f"{name_span(cause.symbol)} in " if cause.symbol.strip() else ""
    said = f"Caused by {symbol}{name_span(cause.file)}"
    if place is None:
        return said
    diff = _short_code("\n".join(line.mark + line.text for line in place.lines))
    return f"{said}, line {place.anchor.number} ({LEGEND}):\n\n{code_block(diff, 'diff')}"


def clipped_line(text: str) -> str:
    """Text of a change on one line, inert and not too long."""
    return markdown_line(one_line(text, _MAX_PROSE_LENGTH))


def folded_items(report: Report) -> list[str]:
    """The smaller points, one line each: its title, its standing, and what goes wrong in a sentence."""
    return [_folded_item(report, one) for one in wording.folded(report)]


def _folded_item(report: Report, candidate: Candidate) -> str:
    item = " ".join([one_line_item(candidate), *standing_in_brackets(candidate, report)])
    said = [wording.in_a_sentence(candidate), further_places(candidate, report).capitalize()]
    sentence = " ".join(f"{one.rstrip('.')}." for one in said if one)
    return f"{item.rstrip('.')}. {clipped_line(sentence)}" if sentence else item


def one_line_item(candidate: Candidate) -> str:
    """A finding as an item of a list."""
    finding = candidate.finding
    severity = f"{finding.severity} " if finding else ""
    title = markdown_line(one_line(wording.title_of(candidate), _MAX_TITLE_LENGTH))
    return f"- {severity}{name_span(wording.place_of(candidate))} {title}"


def account_items(report: Report, *, show_withheld: bool, show_nits: bool) -> list[str]:
    """What was withheld, what did not run, what was not looked at."""
    blocks = [f"- {clipped_line('incomplete: ' + wording.part_sentence(part))}" for part in report.incomplete]
    blocks += [f"- {clipped_line('not run: ' + wording.part_sentence(part))}" for part in report.not_run]
    blocks = [*_series(report), *blocks]
    covered = wording.coverage_sentence(report)
    if covered:
        blocks.append(f"- {clipped_line('coverage: ' + covered)}")
    if chosen := wording.settings_sentence(report):
        blocks.append(f"- {clipped_line('settings: ' + chosen)}")
    if report.words and report.words.summary:
        said = one_line(f"a model says: {report.words.summary}", _MAX_TITLE_LENGTH)
        blocks.append(f"- {markdown_line(said)}")
    spent = wording.spent_sentence(report)
    if spent:
        blocks.append(f"- spent: {spent}")
    blocks += _behaviour(report)
    blocks += _files("suppressions that this change brings in", wording.brought_suppressions(report))
    blocks += _files("skipped", wording.skipped_files(report))
    blocks += _files("not looked at", wording.unexamined_files(report))
    blocks += _files("looked at in part", wording.partly_examined_files(report))
    return blocks + _withheld(report, show_withheld=show_withheld, show_nits=show_nits)


def _series(report: Report) -> list[str]:
    """What became of the findings of the review before."""
    said = series_sentence(report)
    blocks = [f"- {clipped_line(said)}"] if said else []
    blocks += [f"  - {clipped_line(f'{fate}: {text}')}" for fate, text in decision_lines(report)]
    return blocks + [f"- {clipped_line(f'alert: {text}')}" for text in alert_lines(report)]


def _behaviour(report: Report) -> list[str]:
    """What probes showed on both sides: a sentence of ours, and the table in a fold."""
    sentence = behaviour_sentence(report)
    if not sentence:
        return []
    rows = compared(report)[:_MAX_LISTED]
    said = ["\n".join(_probe_line(one) for one in rows)]
    for one in rows:
        said += [] if one.is_alike else [clipped_line(one.name), *_program_blocks(one.parts)]
    return [fold_of(f"Behaviour compared: {sentence}", said)]


def _probe_line(one: Compared) -> str:
    return f"- {one.outcome}: {clipped_line(one.name)}" + (f" ({clipped_line(one.why)})" if one.why else "")


def _files(label: str, files: Sequence[tuple[str, str]]) -> list[str]:
    if not files:
        return []
    named = [
        name_span(path) + (f" ({markdown_line(one_line(reason, 80))})" if reason else "")
        for path, reason in files[:_MAX_LISTED]
    ]
    more = f" and {len(files) - _MAX_LISTED} more" if len(files) > _MAX_LISTED else ""
    return [f"- {label}: {', '.join(named)}{more}"]


def _withheld(report: Report, *, show_withheld: bool, show_nits: bool) -> list[str]:
    aside = _set_aside(report, is_listed=show_withheld)
    withheld = report.withheld
    if not withheld:
        return aside
    counts = ", ".join(f"{count} {reason}" for reason, count in withheld_counts(withheld))
    said = [f"- withheld: {wording.counted(len(withheld), 'finding')} ({counts})"]
    if show_withheld:
        written = {one.id for one in wording.nits(report)} if show_nits else set()
        said += [_withheld_one(report, one) for one in wording.ordered(withheld) if one.id not in written]
    return said + aside


def _set_aside(report: Report, *, is_listed: bool) -> list[str]:
    lines = set_aside_lines(report)
    if not lines:
        return []
    said = [f"- dropped: {markdown_line(one_line(set_aside_words(report), _MAX_TITLE_LENGTH))}"]
    listed = [f"  - {markdown_line(one_line(line, _MAX_RESULT_LENGTH))}" for line in lines]
    return said + (listed if is_listed else [])


def _withheld_one(report: Report, candidate: Candidate) -> str:
    detail = why_withheld(candidate, report)
    said = markdown_line(one_line(detail, _MAX_TITLE_LENGTH))
    return f"  {one_line_item(candidate)}: {why_words(candidate)}" + (f", {said}" if said else "")
