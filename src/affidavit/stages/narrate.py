"""Let the reporter describe a finished review; it cannot change verdict, numbers or findings."""

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from affidavit.contract.reply_text import object_with_key
from affidavit.contract.schema import strict_object
from affidavit.events import Emit
from affidavit.proof.rewording import contradicts, is_too_long, why_not_used
from affidavit.records.candidate import Candidate, Wording
from affidavit.records.diagnostics import Diagnostic, Reason
from affidavit.records.finding import Finding
from affidavit.records.report import Answer, Decision, Gap, PositiveNote, Report, ReporterWords

if TYPE_CHECKING:
    from affidavit.agents.briefing import Briefing
    from affidavit.agents.panel import Panel

WORDS_SCHEMA_NAME = "review_words"
MAX_SUMMARY = 1_000
MAX_SENTENCE = 400
MAX_NOTES = 5
MAX_RECOMMENDATIONS = 3
_TEXT = {"type": "string"}
WORDS_SCHEMA = strict_object(
    {
        "summary": _TEXT,
        "positive_notes": {"type": "array", "items": strict_object({"file_path": _TEXT, "note": _TEXT})},
        "recommendations": {"type": "array", "items": _TEXT},
        "shorter": {
            "type": "array",
            "items": strict_object({"id": _TEXT, "title": _TEXT, "message": _TEXT}),
        },
    }
)


async def narrate(report: Report, panel: "Panel", briefing: "Briefing", emit: Emit) -> Report:
    """Add the words of the reporter to a report, if there is a reporter."""
    reporter = panel.minds.get("reporter")
    if reporter is None:
        return report
    talk = panel.reporter_talk(briefing, report, WORDS_SCHEMA, WORDS_SCHEMA_NAME)
    return add_words(report, await reporter.converse(talk, emit))


def add_words(report: Report, answer: Answer) -> Report:
    """Add what a reporter answered; without an answer the report only lacks its words."""
    read = object_with_key(answer.text, "summary") if answer.outcome == "answered" else None
    words = _words(read, report) if read is not None else ReporterWords()
    words, dropped = _in_line_with(report.verdict.decision, words)
    silent = () if read is not None else (_without_words(answer),)
    inputs = report.inputs.model_copy(update={"reporter": answer})
    candidates, refused = _shortened(report, _list(read.get("shorter")) if read else [])
    return report.model_copy(
        update={
            "words": words if words != ReporterWords() else None,
            "candidates": candidates,
            "diagnostics": (*report.diagnostics, *dropped, *refused),
            "usage": (*report.usage, answer.usage),
            "not_run": (*report.not_run, *silent),
            "inputs": inputs,
        }
    )


def _shortened(report: Report, given: list[Any]) -> tuple[tuple[Candidate, ...], list[Diagnostic]]:
    """Shorten long findings in the reporter's words; refuse words that add to a finding."""
    texts = {str(item.get("id")): item for item in given if isinstance(item, dict)}
    candidates, refused = [], []
    for candidate in report.candidates:
        item, finding = texts.get(candidate.id), candidate.finding
        if item is None or finding is None or not is_too_long(candidate):
            candidates.append(candidate)
            continue
        short = Wording(
            title=_line(item.get("title"), MAX_SUMMARY), message=_line(item.get("message"), MAX_SUMMARY)
        )
        opposite = contradicts(report.verdict.decision, f"{short.title}. {short.message}")
        why = "it says the opposite of the verdict" if opposite else why_not_used(short, finding)
        if why:
            refused.append(candidate.note(Reason.SHORTER_TEXT_REFUSED, why))
        candidates.append(candidate if why else _in_words(candidate, finding, short))
    return tuple(candidates), refused


def _in_words(candidate: Candidate, finding: Finding, short: Wording) -> Candidate:
    return candidate.model_copy(
        update={
            "finding": finding.model_copy(update={"title": short.title, "message": short.message}),
            "first_wording": Wording(title=finding.title, message=finding.message),
        }
    )


def _without_words(answer: Answer) -> Gap:
    reason = "its reply has no text that can be read" if answer.outcome == "answered" else answer.failure
    return Gap(name="reporter", reason=reason, advice="Verdict and findings do not depend on it.")


def _in_line_with(decision: Decision, words: ReporterWords) -> tuple[ReporterWords, list[Diagnostic]]:
    """Drop the words that contradict the verdict, with a diagnostic for each."""
    kept = ReporterWords(
        summary="" if contradicts(decision, words.summary) else words.summary,
        positive_notes=tuple(one for one in words.positive_notes if not contradicts(decision, one.note)),
        recommendations=tuple(one for one in words.recommendations if not contradicts(decision, one)),
    )
    return kept, [
        Diagnostic(
            code=Reason.WORDS_CONTRADICT_VERDICT,
            detail=f"dropped: its {name} says the opposite of the verdict",
            specialist="reporter",
            field=name,
            expected=decision,
        )
        for name in ReporterWords.model_fields
        if getattr(kept, name) != getattr(words, name)
    ]


def _words(reply: dict[str, Any], report: Report) -> ReporterWords:
    """Return the words to keep; advice counts only if findings are shown."""
    advice = (
        [_line(item, MAX_SENTENCE) for item in _list(reply.get("recommendations"))] if report.shown else []
    )
    return ReporterWords(
        summary=_line(reply.get("summary"), MAX_SUMMARY),
        positive_notes=_notes(reply.get("positive_notes"), {file.path for file in report.change.files}),
        recommendations=tuple(line for line in advice if line)[:MAX_RECOMMENDATIONS],
    )


def _notes(value: Any, known: Collection[str]) -> tuple[PositiveNote, ...]:
    notes = [
        PositiveNote(file=item["file_path"], note=note)
        for item in _list(value)
        if isinstance(item, dict)
        and isinstance(item.get("file_path"), str)
        and item["file_path"] in known
        and (note := _line(item.get("note"), MAX_SENTENCE))
    ]
    return tuple(notes[:MAX_NOTES])


def _line(value: Any, most: int) -> str:
    """Return text as one line, cut to a length."""
    if not isinstance(value, str):
        return ""
    line = " ".join(value.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
