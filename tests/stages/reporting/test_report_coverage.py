"""The report says for each hunk who looked at it, also where it was divided, and what was left out."""

from typing import Any

import pytest

from affidavit.config.settings import Settings
from affidavit.prompts import current_prompts
from affidavit.proof.coverage import Coverage
from affidavit.records.change import Hunk
from affidavit.records.docket import Docket
from affidavit.records.plan import Chunk, Piece, Plan
from affidavit.records.report import FileCoverage, Reply, ReplySummary
from affidavit.stages.reporting.report import compile_report
from claims import case_of, change_of, file_change

LONG = Hunk(old_start=0, old_count=0, new_start=1, new_count=6, lines=("+a", "+b", "+c", "+d", "+e", "+f"))
FILE = file_change(hunks=(LONG,))


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
    link = file_change("link.py").model_copy(update={"new_mode": "120000"})
    file = Coverage((), (), (), None, ()).of(link)
    assert (file.state, file.reason) == ("not_examined", "it is a link, which is not followed")


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
