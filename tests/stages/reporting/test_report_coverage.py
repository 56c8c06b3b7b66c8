"""The report says for each hunk who looked at it, also where it was divided, and what was left out."""

from dataclasses import replace
from typing import Any

import pytest

from affidavit.config.settings import Settings
from affidavit.prompts import current_prompts
from affidavit.proof.coverage import Coverage
from affidavit.records.change import Hunk
from affidavit.records.docket import Docket
from affidavit.records.evidence import AnalyserRun
from affidavit.records.plan import Chunk, Piece, Plan
from affidavit.records.report import FileCoverage, Reply, ReplySummary
from affidavit.stages.report import compile_report
from claims import case_of, change_of, file_change

LONG = Hunk(old_start=0, old_count=0, new_start=1, new_count=6, lines=("+a", "+b", "+c", "+d", "+e", "+f"))
FILE = file_change(hunks=(LONG,))
TARGET = Hunk(old_start=1, old_count=1, new_start=1, new_count=1, lines=("-a", "+/etc/passwd"))
LINK = file_change("link.py", old_mode="100644", new_mode="120000", hunks=(TARGET,))


def piece(start: int, end: int) -> Piece:
    return Piece(path="app.py", hunk=0, start=start, end=end)


def chunk(number: int, *pieces: Piece, paths: tuple[str, ...] = ("app.py",)) -> Chunk:
    return Chunk(number=number, paths=paths, tokens=1, pieces=pieces)


def covered(
    *chunks: Chunk, looks: dict[str, int | None], states: dict[str, Any] | None = None
) -> FileCoverage:
    summaries = tuple(
        ReplySummary(specialist=name, kind="model", state=(states or {}).get(name, "clean"), chunk=number)
        for name, number in looks.items()
    )
    replies = tuple(Reply(specialist=name, kind="model", text=None, files=("app.py",)) for name in looks)
    case = case_of(change_of(files=(FILE,)), plan=Plan(chunks=chunks), replies=replies)
    report = compile_report(Docket(replies=summaries), case, Settings(), {}, {}, current_prompts())
    return report.coverage[0]


def test_a_divided_hunk_names_who_saw_which_lines() -> None:
    found = covered(
        chunk(1, piece(0, 4)), chunk(2, piece(4, 6)), looks={"logic": 1, "logic@2": 2, "ruff": None}
    )
    (hunk,) = found.hunks
    assert (found.state, hunk.examined_by) == ("examined", ("logic", "logic@2", "ruff"))
    parts = [(part.new_start, part.new_count, part.examined_by) for part in hunk.parts]
    assert parts == [(1, 4, ("logic", "ruff")), (5, 2, ("logic@2", "ruff"))]


def test_lines_that_no_model_was_shown_are_counted() -> None:
    found = covered(chunk(1, piece(0, 4)), looks={"logic": 1})
    assert (found.state, found.reason) == ("partly", "2 lines of the diff shown to no model")


def test_a_file_that_no_model_was_shown_is_no_examined_file() -> None:
    found = covered(chunk(1, paths=("other.py",)), looks={"ruff": None})
    assert (found.state, found.reason) == ("partly", "shown to no model")


def test_a_part_whose_specialist_did_not_finish_is_said() -> None:
    chunks = (chunk(1, piece(0, 4)), chunk(2, piece(4, 6)))
    found = covered(*chunks, looks={"logic": 1, "logic@2": 2}, states={"logic@2": "none"})
    assert found.state == "partly"
    assert "not examined by logic@2" in found.reason


def test_a_file_in_one_piece_has_no_parts() -> None:
    found = covered(chunk(1), looks={"logic": 1})
    assert (found.state, found.hunks[0].parts) == ("examined", ())


def test_a_link_is_not_followed_whatever_it_is_called() -> None:
    file = Coverage(case_of(change_of(files=(LINK,))), Docket(), ()).of(LINK)
    said = "it is a link to /etc/passwd, which is not followed"
    assert (file.state, file.reason) == ("not_examined", said)


@pytest.mark.parametrize("kind", ["model", "mechanical"])
def test_a_link_is_approved_by_nobody_and_read_by_models_alone(kind: Any) -> None:
    replies = (Reply(specialist="logic", kind=kind, text=None, files=(LINK.path,)),)
    docket = Docket(replies=(ReplySummary(specialist="logic", kind=kind, state="clean", chunk=1),))
    plan = Plan(chunks=(chunk(1, paths=(LINK.path,)),))
    case = case_of(change_of(files=(LINK,)), plan=plan, replies=replies)
    report = compile_report(docket, case, Settings(), {}, {"specialist": "m"}, current_prompts())
    (file,) = report.coverage
    assert file.state == ("partly" if kind == "model" else "not_examined")
    assert file.reason.endswith("only where it leads was read, by logic") == (kind == "model")
    assert (report.verdict.decision, report.gate.exit_code) == ("comment", 0)
    assert "link.py (a link to /etc/passwd" in report.verdict.summary


def test_a_file_that_was_shown_to_no_model_is_not_approved() -> None:
    replies = (Reply(specialist="ruff", kind="mechanical", text=None, files=("app.py",)),)
    docket = Docket(replies=(ReplySummary(specialist="ruff", kind="mechanical", state="clean"),))
    other = file_change("other.py")
    case = case_of(change_of(files=(FILE, other)), plan=Plan(chunks=(chunk(1, paths=("other.py",)),)))
    case = replace(case, replies=replies)
    report = compile_report(docket, case, Settings(), {}, {"specialist": "m"}, current_prompts())
    assert report.verdict.decision == "comment"
    assert "app.py (shown to no model)" in report.verdict.summary


@pytest.mark.parametrize("kind", ["model", "outside"])
def test_what_another_agent_hands_in_approves_nothing_that_no_model_read(kind: Any) -> None:
    asked = (
        ("ruff", "mechanical", ("app.py",)),
        ("logic", kind, ("app.py",) if kind == "model" else ()),
    )
    case = case_of(
        change_of(files=(FILE,)),
        plan=Plan(chunks=(chunk(1),)),
        replies=tuple(Reply(specialist=name, kind=one, text=None, files=files) for name, one, files in asked),
    )
    docket = Docket(
        replies=tuple(ReplySummary(specialist=name, kind=one, state="clean") for name, one, _ in asked)
    )
    report = compile_report(docket, case, Settings(), {}, {"verifier": "m"}, current_prompts())
    assert (report.verdict.decision == "approve") == (kind == "model")
    assert ("app.py (shown to no model)" in report.verdict.summary) == (kind == "outside")


@pytest.mark.parametrize(("excused", "exit_code"), [(False, 3), (True, 0)])
def test_what_is_too_large_to_be_looked_at_leaves_the_review_incomplete(
    excused: bool, exit_code: int
) -> None:
    large = file_change("m.py", skipped="too_large").model_copy(update={"excused": excused})
    case = case_of(change_of(files=(FILE, large)))
    report = compile_report(Docket(), case, Settings(), {}, {}, current_prompts())
    assert report.gate.exit_code == exit_code
    gaps = [gap.reason for gap in report.incomplete]
    assert gaps == ([] if excused else ["1 changed file too large to be looked at: m.py"])
    assert report.verdict.decision == "comment"


def test_a_program_in_a_language_that_nobody_read_is_not_approved() -> None:
    """The findings come from an agent outside: a model judges them, and none is shown the file."""
    file = file_change("a.kt", language="kotlin", hunks=(LONG,))
    searched = AnalyserRun(
        analyser="kingfisher", side="head", tree="t", state="completed", read=("a.kt",), looks_for="secrets"
    )
    case = case_of(change_of(files=(file,)), plan=Plan(chunks=(chunk(1, paths=("a.kt",)),)))
    docket = Docket(analyser_runs=(searched,))
    report = compile_report(docket, case, Settings(), {}, {"verifier": "m"}, current_prompts())
    assert "no analyser reads Kotlin" in report.coverage[0].reason
    assert (report.verdict.decision, report.gate.exit_code) == ("comment", 0)


def test_a_program_that_a_model_read_is_examined_whatever_its_language() -> None:
    file = file_change("a.kt", language="kotlin", hunks=(LONG,))
    replies = (Reply(specialist="logic", kind="model", text=None, files=("a.kt",)),)
    docket = Docket(replies=(ReplySummary(specialist="logic", kind="model", state="clean", chunk=1),))
    plan = Plan(chunks=(chunk(1, paths=("a.kt",)),))
    case = case_of(change_of(files=(file,)), plan=plan, replies=replies)
    report = compile_report(docket, case, Settings(), {}, {"specialist": "m"}, current_prompts())
    assert (report.coverage[0].state, report.verdict.decision) == ("examined", "approve")


def test_a_script_whose_name_hides_its_language_is_not_said_to_be_in_an_unread_one() -> None:
    case = case_of(change_of(files=(file_change("deploy", language="shell", hunks=(LONG,)),)))
    report = compile_report(Docket(), case, Settings(), {}, {}, current_prompts())
    assert report.coverage[0].reason == "no analyser reads it"
    assert "no analyser" not in report.verdict.summary
