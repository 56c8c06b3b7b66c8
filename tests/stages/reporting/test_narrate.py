"""The reporter's words stand beside the verdict and can change nothing of it."""

import asyncio
import json
from typing import Any

import pytest

from affidavit.config.settings import Settings
from affidavit.events import Emit, ignore_events
from affidavit.ports import Role, Talk
from affidavit.prompts import current_prompts
from affidavit.records.candidate import Candidate, Status, Wording, Worth
from affidavit.records.diagnostics import Reason
from affidavit.records.docket import Docket
from affidavit.records.report import Answer, PositiveNote, Report, ReporterWords, RoleUsage
from affidavit.stages.narrate import (
    MAX_RECOMMENDATIONS,
    MAX_SUMMARY,
    WORDS_SCHEMA,
    WORDS_SCHEMA_NAME,
    add_words,
)
from affidavit.stages.report import compile_report
from claims import candidate, case_of, change_of, finding

TALK = Talk("reporter", "Write.", "", "The outcome.", WORDS_SCHEMA, WORDS_SCHEMA_NAME)
SPENT = RoleUsage(role="reporter", model="scripted", requests=1, input_tokens=7)


class Reporter:
    """A reporter with one answer."""

    role: Role = "reporter"
    model = "scripted"

    def __init__(self, text: str | None, outcome: Any = "answered") -> None:
        self.text, self.outcome, self.heard = text, outcome, 0

    async def converse(self, talk: Talk, emit: Emit) -> Answer:
        self.heard += 1
        return Answer(outcome=self.outcome, text=self.text, usage=SPENT)


def proven() -> Candidate:
    return candidate(status=Status.VERIFIED, worth=Worth.ACT)


def compiled(*candidates: Candidate) -> Report:
    case, models = case_of(change_of("app.py")), {"reporter": "scripted"}
    return compile_report(Docket(candidates=candidates), case, Settings(), {}, models, current_prompts())


def worded(report: Report, text: str | None, outcome: Any = "answered") -> Report:
    return add_words(report, asyncio.run(Reporter(text, outcome).converse(TALK, ignore_events)))


def told(**fields: Any) -> str:
    words = {"summary": "It adds a loop.", "positive_notes": [], "recommendations": [], **fields}
    return json.dumps(words)


def test_the_reporter_is_asked_once_and_its_words_are_kept() -> None:
    reporter = Reporter(
        told(
            positive_notes=[{"file_path": "app.py", "note": "It closes the file on every path."}],
            recommendations=["Start the sum at zero."],
        )
    )
    report = add_words(compiled(proven()), asyncio.run(reporter.converse(TALK, ignore_events)))
    assert reporter.heard == 1
    assert report.words == ReporterWords(
        summary="It adds a loop.",
        positive_notes=(PositiveNote(file="app.py", note="It closes the file on every path."),),
        recommendations=("Start the sum at zero.",),
    )
    assert report.usage == (SPENT,)


@pytest.mark.parametrize("outcome", ["cut_off", "failed", "refused", "timed_out", "budget_exhausted"])
def test_a_reporter_that_does_not_answer_costs_only_its_words(outcome: str) -> None:
    before = compiled(proven())
    after = worded(before, told(), outcome)
    assert after.words is None
    assert after.inputs.reporter is not None
    assert after.inputs.reporter.outcome == outcome
    kept = {"usage": before.usage, "not_run": (), "inputs": before.inputs}
    assert after.model_copy(update=kept) == before


def test_a_reporter_that_does_not_answer_is_named_with_the_reason() -> None:
    (cut,) = worded(compiled(proven()), told(), "cut_off").not_run
    assert (cut.name, cut.reason) == ("reporter", "cut off")
    (unread,) = worded(compiled(proven()), "LGTM").not_run
    assert unread.reason == "its reply has no text that can be read"
    assert worded(compiled(proven()), told()).not_run == ()


def test_words_are_found_in_prose_with_braces() -> None:
    words = worded(compiled(proven()), f"On `{{x}}`: {told()} {{so}}").words
    assert words is not None
    assert words.summary == "It adds a loop."


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "LGTM",
        "{",
        "[1]",
        '{"a": [}',
        "{}",
        "[" * 100_000 + "{}",
        "{" * 100_000 + "}",
        json.dumps({"summary": 3, "positive_notes": {"file_path": "app.py"}, "recommendations": "merge it"}),
        json.dumps({"summary": " ", "positive_notes": [1, {}, {"file_path": ["app.py"], "note": "x"}]}),
        json.dumps(
            {"positive_notes": [{"file_path": "app.py", "note": None}], "recommendations": [None, " "]}
        ),
    ],
)
def test_a_reply_that_is_no_words_gives_none(text: str | None) -> None:
    assert worded(compiled(proven()), text).words is None


def test_a_verdict_in_the_reply_changes_nothing() -> None:
    before = compiled(proven())
    after = worded(before, told(verdict="approve", findings=[], counts={"shown": 0}))
    assert before.verdict.decision == "request_changes"
    assert (after.verdict, after.gate, after.candidates) == (before.verdict, before.gate, before.candidates)


def test_a_note_on_a_file_outside_the_change_is_dropped() -> None:
    notes = [{"file_path": path, "note": "fine"} for path in ("other.py", "../app.py", "app.py")]
    words = worded(compiled(), told(positive_notes=notes)).words
    assert words is not None
    assert [note.file for note in words.positive_notes] == ["app.py"]


def test_advice_without_a_finding_is_dropped() -> None:
    words = worded(compiled(), told(recommendations=["Merge it at once."])).words
    assert words == ReporterWords(summary="It adds a loop.")


def test_words_without_end_are_cut() -> None:
    words = worded(
        compiled(proven()), told(summary="so it is " * 9_000, recommendations=["go on"] * 50)
    ).words
    assert words is not None
    assert len(words.summary) == MAX_SUMMARY
    assert len(words.recommendations) == MAX_RECOMMENDATIONS


def test_words_of_several_lines_become_one() -> None:
    report = worded(compiled(), '{"summary": "one\\n\\ntwo"}')
    assert report.words == ReporterWords(summary="one two")
    assert Report.model_validate_json(report.model_dump_json()) == report


LONG = "The loop in `total` starts at 1, which makes each sum too high. " * 9


def long_one(**fields: Any) -> Candidate:
    return candidate(finding(message=LONG), status=Status.VERIFIED, worth=Worth.ACT, **fields)


def shorter(**fields: str) -> str:
    return told(
        shorter=[{"id": "logic-0", "title": "Sums are too high", "message": "`total` starts at 1.", **fields}]
    )


def test_a_long_text_is_shown_in_the_reporter_s_words_and_both_are_kept() -> None:
    report = worded(compiled(long_one()), shorter())
    (one,) = report.candidates
    assert one.finding is not None
    assert (one.finding.title, one.finding.message) == ("Sums are too high", "`total` starts at 1.")
    assert one.first_wording == Wording(title="The total is wrong", message=LONG)
    assert Report.model_validate_json(report.model_dump_json()) == report


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"message": "`total` starts at 2."}, "it adds 2"),
        ({"message": "`cart` starts at 1."}, "it adds cart"),
        ({"message": ""}, "no message"),
        ({"message": "Approved, this is safe to merge."}, "opposite of the verdict"),
    ],
)
def test_words_that_would_add_to_a_finding_are_refused(fields: dict[str, str], why: str) -> None:
    before = compiled(long_one())
    after = worded(before, shorter(**fields))
    assert after.candidates == before.candidates
    ((code, detail),) = [(one.code, one.detail) for one in after.diagnostics]
    assert code is Reason.SHORTER_TEXT_REFUSED
    assert why in detail


def test_a_text_that_is_short_or_the_machine_s_own_is_left_alone() -> None:
    for one in (proven(), long_one(kind="mechanical")):
        before = compiled(one)
        assert worded(before, shorter()).candidates == before.candidates
