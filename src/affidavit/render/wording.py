"""Put the contents of a report into words. The text is raw: each format makes it safe in its own way."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import PurePosixPath
from textwrap import shorten
from typing import Any

from affidavit.records.candidate import Candidate, Status
from affidavit.records.change import Change, Revision
from affidavit.records.diagnostics import HIDDEN_BY_CHOICE, Reason
from affidavit.records.finding import Finding, Severity
from affidavit.records.record import Side
from affidavit.records.report import Counts, Gap, Report

MAX_SKIPPED = 50
NOTHING_FOUND = "No problems found (linters only, no model)"
MAX_SENTENCE_LENGTH = 200
_SENTENCE_END = re.compile(r"[.!?](?=\s+[^\sa-z])")
SIDES: dict[Side, str] = {"base": "before the change", "head": "after the change"}


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return `1 file` or `2 files`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


NOT_SAID = ("at_base", "origins", "sources", "problems")
_CHOSEN = {"environment": "the environment", "flag": "flags"}


def listed(names: Sequence[str]) -> str:
    """Return `a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""


def short_name(revision: Revision) -> str:
    """Return the start of the commit, else the name, else the start of the tree."""
    return revision.commit[:8] if revision.commit else revision.name or revision.tree[:8]


def range_of(change: Change) -> str:
    return f"{short_name(change.base)}..{short_name(change.head)}"


def line_totals(change: Change) -> tuple[int, int]:
    marks = Counter(line[:1] for file in change.files for hunk in file.hunks for line in hunk.lines)
    return marks["+"], marks["-"]


def location(finding: Finding) -> str:
    """Return `path:12-14`, with a mark for code that the change removed."""
    first, last = finding.lines
    span = f"{first}-{last}" if last != first else str(first)
    return f"{finding.file}:{span}" + (f" ({SIDES['base']})" if finding.side == "base" else "")


def ordered(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Sort by severity, the confirmed and reproduced first, then by file and line."""
    return sorted(candidates, key=lambda one: _urgency(one, one.finding))


def _urgency(candidate: Candidate, finding: Finding | None) -> tuple[int, bool, str, int, str]:
    if finding is None:
        return 9, True, "", 0, candidate.id
    check = candidate.reproduction
    is_leading = check is not None and check.is_shown_by_running and candidate.status is Status.VERIFIED
    return finding.severity.rank, not is_leading, finding.file, finding.line, candidate.id


def by_file(candidates: Sequence[Candidate]) -> dict[str, list[Candidate]]:
    files: dict[str, list[Candidate]] = {}
    for candidate in ordered(candidates):
        if candidate.finding is not None:
            files.setdefault(candidate.finding.file, []).append(candidate)
    return files


def standing(report: Report) -> list[Candidate]:
    return [one for one in report.shown if not one.folded]


def withheld_reason(candidate: Candidate) -> str:
    return str(candidate.withheld.code if candidate.withheld else Reason.FINDING_DROPPED)


def title_of(candidate: Candidate) -> str:
    """Return the title; of a finding that the contract dropped, the raw text."""
    if candidate.finding is not None:
        return candidate.finding.title
    raw: Any = candidate.raw
    title = raw.get("title") if isinstance(raw, dict) else None
    return title if isinstance(title, str) and title.strip() else f"(no finding) {str(raw)[:200]}"


def in_a_sentence(candidate: Candidate) -> str:
    """Return the first sentence of the message; empty if it repeats the title."""
    message = " ".join(candidate.finding.message.split()) if candidate.finding else ""
    end = _SENTENCE_END.search(message)
    sentence = message[: end.end()] if end else message
    is_said = sentence.rstrip(".").casefold() == title_of(candidate).strip().rstrip(".").casefold()
    return "" if is_said else shorten(sentence, MAX_SENTENCE_LENGTH, placeholder=" …")


def place_of(candidate: Candidate) -> str:
    """Return the place, or the specialist and number of a finding without a place."""
    finding = candidate.finding
    return location(finding) if finding else f"{candidate.specialist} #{candidate.index}"


def finder_name(specialist: str) -> str:
    """Return the name of a specialist without the number of the part that it reviewed."""
    return specialist.partition("@")[0]


def agreeing(candidate: Candidate) -> list[str]:
    names = dict.fromkeys(map(finder_name, candidate.agreed_by))
    return [name for name in names if name != finder_name(candidate.specialist)]


def claim(finding: Finding) -> list[tuple[str, str]]:
    """Return the failing input and the wrong outcome with labels, unless title or message has them."""
    evidence = finding.verification
    if evidence is None:
        return []
    said = _folded(f"{finding.title} {finding.message}")
    pairs = (("when", evidence.failing_input), ("then", evidence.wrong_outcome))
    return [(label, text) for label, text in pairs if text and _folded(text) not in said]


def message_of(finding: Finding) -> str:
    return "" if _folded(finding.message) in _folded(finding.title) else finding.message


def _folded(text: str) -> str:
    """Fold case and white space, and drop the last dot, to compare texts."""
    return " ".join(text.casefold().split()).rstrip(".")


def is_same_commits(report: Report) -> bool:
    before = report.inputs.earlier
    now = report.change
    return before is not None and (before.base.tree, before.head.tree) == (now.base.tree, now.head.tree)


def standing_words(candidate: Candidate, report: Report) -> list[str]:
    words = [str(candidate.finding.category)] if candidate.finding else []
    if candidate.finding is not None and candidate.finding.is_impact:
        words.append("outside the change")
    if candidate.status is not Status.VERIFIED:
        words.append(str(candidate.status).replace("_", " "))
    if candidate.carried is not None and not is_same_commits(report):
        words.append("reported before")
    if candidate.id in report.gate.failed_by:
        words.append("blocks")
    return words


def coverage_sentence(report: Report) -> str:
    files = [file for file in report.coverage if file.state != "skipped"]
    if not files:
        return ""
    hunks = [hunk for file in files for hunk in file.hunks]
    seen = [hunk for hunk in hunks if hunk.examined_by]
    whole = [file for file in files if file.state == "examined"]
    partly = [file for file in files if file.state == "partly"]
    # The parts of a large change have the same specialist.
    by = sorted({name.partition("@")[0] for hunk in seen for name in hunk.examined_by})
    parts = f"{len(whole)} of {counted(len(files), 'file')}"
    parts += f" and {len(partly)} in part" if partly else ""
    if hunks:
        parts += f", {len(seen)} of {counted(len(hunks), 'hunk')}"
    return f"{parts} examined" + (f" by {listed(by)}" if by else "")


def settings_sentence(report: Report) -> str:
    """Return where the settings come from, unless only from the tip of the target."""
    change, at_base = report.change, report.settings.get("at_base")
    if change.tip is None:
        return _without_target(report)
    if not at_base:
        return ""
    names = [name for name in at_base if name not in NOT_SAID and at_base[name] != report.settings.get(name)]
    sides = f"merge base {short_name(change.base)} and target {short_name(change.tip)}"
    return f"differ between {sides}: {listed(names)}; what excuses or hides counts only if both say it"


def _without_target(report: Report) -> str:
    """Return the file of `--config`, else the base commit, if any."""
    origins = set((report.settings.get("origins") or {}).values())
    chosen = [name for origin, name in _CHOSEN.items() if origin in origins]
    if "file" in origins:
        return f"from {listed([report.settings['sources'][0], *chosen])}"
    if report.change.source not in ("range", "commit"):
        return ""
    return f"from {listed(['the base commit', *chosen])} (no target branch)"


def spent_sentence(report: Report) -> str:
    asked = sum(usage.requests for usage in report.usage)
    if not asked:
        return ""
    taken = sum(usage.input_tokens for usage in report.usage)
    cached = sum(usage.cached_tokens for usage in report.usage)
    given = sum(usage.output_tokens for usage in report.usage)
    costs = [usage.cost_usd for usage in report.usage if usage.requests]
    known = [cost for cost in costs if cost is not None]
    # A partial sum would mislead.
    is_known = len(known) == len(costs)
    money = f"{sum(known):.4f} USD" if is_known else "price not known"
    read = f"{taken - cached:,} new tokens in, {given:,} out"
    if cached:
        again = sum(usage.cached_usd for usage in report.usage)
        prices = [f" for {usd:.4f} USD" if is_known else "" for usd in (sum(known) - again, again)]
        read = f"{read}{prices[0]}, {cached:,} repeated{prices[1]}"
    spent = f"{counted(asked, 'request')}, {read}, {money}{' in all' if cached and is_known else ''}"
    return f"{spent}{_own_estimate(report, asked)}{_programs_run(report)}"


def _programs_run(report: Report) -> str:
    programs = report.inputs.programs
    if programs is None:
        return ""
    ran = counted(programs.runs, "program run", "program runs")
    said = f"; {ran}, {programs.duration_ms / 1000:.1f} s" if programs.runs else ""
    languages = "; ".join(one.words for one in programs.languages)
    return f"{said}. Programs: {languages}" if languages else said


def _own_estimate(report: Report, asked: int) -> str:
    """Return for how many requests we estimated the tokens."""
    estimated = sum(usage.estimated_requests for usage in report.usage)
    reported = sum(usage.reported_tokens for usage in report.usage)
    if not estimated:
        return ""
    of = f"{estimated:,} of {counted(asked, 'request')}"
    return f"; estimated for {of}, for which the server reported {reported:,} tokens"


def skipped_files(report: Report) -> list[tuple[str, str]]:
    reasons = {file.path: file.reason for file in report.coverage}
    return [
        (file.path, reasons.get(file.path, file.skipped).replace("_", " "))
        for file in report.change.files
        if file.skipped is not None
    ]


def unseen_files(report: Report) -> list[tuple[str, str]]:
    """Return the skipped files and the links, which are not followed, with reasons."""
    links = {file.path for file in report.change.files if file.is_link and file.skipped is None}
    return [*skipped_files(report), *((one.path, one.reason) for one in report.coverage if one.path in links)]


def skipped_sentence(report: Report) -> str:
    """Return the skipped files in one sentence, for formats that have only findings; empty if none."""
    skipped = [f"{path} ({reason})" for path, reason in unseen_files(report)]
    more = len(skipped) - MAX_SKIPPED
    rest = f" and {more} more" if more > 0 else ""
    return f"Not looked at: {', '.join(skipped[:MAX_SKIPPED])}{rest}." if skipped else ""


def unexamined_files(report: Report) -> list[tuple[str, str]]:
    return [(file.path, file.reason) for file in report.coverage if file.state == "not_examined"]


def partly_examined_files(report: Report) -> list[tuple[str, str]]:
    """Return path and reason of each changed file that was examined only in part."""
    return [(file.path, file.reason) for file in report.coverage if file.state == "partly"]


def added_suppressions(report: Report) -> list[tuple[str, str]]:
    """Return the place of each added comment that suppresses findings, with its text and their rules."""
    found: dict[tuple[str, str], list[str]] = {}
    for candidate in report.candidates:
        if candidate.finding and candidate.withheld and candidate.withheld.code is Reason.SUPPRESSED:
            line, _, text = candidate.withheld.detail.removeprefix("line ").partition(": ")
            rules = found.setdefault((f"{candidate.finding.file}:{line}", text), [])
            rules.append(candidate.finding.rule_id or candidate.finding.title)
    return [
        (place, f"{text} silences {listed(list(dict.fromkeys(rules)))}")
        for (place, text), rules in found.items()
    ]


def part_sentence(part: Gap) -> str:
    reason = part.reason.strip().rstrip(".")
    sentence = f"{part.name}: {reason}" if reason else part.name
    return f"{sentence}. {part.advice.strip()}" if part.advice.strip() else sentence


def hidden_words(counts: Counts) -> str:
    number = sum(counts.withheld_by_code.get(code, 0) for code in HIDDEN_BY_CHOICE)
    return f"{counted(number, 'finding')}, not shown" if number else ""


def not_shown(named: Collection[str], shown: Collection[str]) -> str:
    """Return in brackets how many of the named findings are hidden; empty if none."""
    hidden = sum(name not in shown for name in named)
    return "" if not hidden else " (not shown)" if hidden == len(named) else f" ({hidden} of them not shown)"


def headline(report: Report) -> str:
    shown, failing = {one.id for one in report.shown}, set(report.gate.failed_by)
    hidden = hidden_words(report.verdict.counts)
    is_refused = report.verdict.decision == "request_changes"
    if report.verdict.decision == "approve" and not failing:
        said = f"approved: {hidden or 'nothing found'}"
    elif failing and (is_refused or shown <= failing):
        said = counted(len(failing), "finding blocks", "findings block")
    elif shown:
        blocks = counted(len(failing), "blocks", "block") if failing else "none of which blocks"
        said = f"{counted(len(shown | failing), 'finding')}, {blocks}"
    else:
        nothing = "no problems found" if report.models else NOTHING_FOUND
        said = hidden or report.change.why_empty or nothing
    said = ("changes requested: " if is_refused else "") + said + not_shown(failing, shown)
    return said + ("; the review is incomplete" if report.incomplete else "")


_GATE = {0: "passed", 1: "failed", 3: "passed, but the review is incomplete"}


def gate_words(report: Report, arrow: str) -> list[str]:
    """Return the gate in words, then the severe findings that do not count."""
    code = report.gate.exit_code
    if report.gate.fail_on is None:
        return [f"gate: off {arrow} exit {code}"]
    grave = report.gate.fail_on
    limit = f"{grave} or worse" if grave is not Severity.CRITICAL else str(grave)
    numbers = Counter(
        (one.finding.severity, one.why_not_counted)
        for one in ordered(report.shown)
        if one.finding and one.finding.severity.rank <= grave.rank and one.why_not_counted
    )
    uncounted = [
        f"{counted(number, f'{severity} finding does', f'{severity} findings do')}"
        f" not count for the gate: {why}"
        for (severity, why), number in numbers.items()
    ]
    return [f"gate ({limit}): {_GATE.get(code, 'not decided')} {arrow} exit {code}", *uncounted]


def summarize(report: Report) -> str:
    covered = coverage_sentence(report) or f"the change has {counted(len(report.change.files), 'file')}"
    return f"{report.verdict.summary} {_capital(covered)}."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def language_of(change: Change, path: str) -> str:
    """Return the file's language, or that of a changed file with the same ending."""
    file = change.file_at(path, "head") or change.file_at(path, "base")
    if file is not None:
        return file.language
    ending = PurePosixPath(path).suffix
    alike = (one.language for one in change.files if ending and PurePosixPath(one.path).suffix == ending)
    return next(alike, "")
