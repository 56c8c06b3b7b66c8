"""A finding knows who remarked on its place before."""

from affidavit.records.change import Comment
from affidavit.records.docket import Docket
from affidavit.stages.evidence import note_existing
from claims import candidate, case_of, change_of, finding


def authors(*comments: Comment) -> tuple[str, ...]:
    docket = Docket(candidates=(candidate(finding(file="app.py", line=10, end_line=12)),))
    (noted,) = note_existing(docket, case_of(change_of("app.py", discussion=comments))).candidates
    return noted.said_by


def said(author: str, line: int | None, file: str | None = "app.py") -> Comment:
    return Comment(author=author, body="b", file=file, line=line)


def test_remarks_at_its_place_name_their_authors_once() -> None:
    assert authors(said("ada", 11), said("bot", 15), said("ada", 7), said(" ", 10)) == (
        "ada",
        "bot",
        "somebody",
    )


def test_a_name_is_one_short_line_whatever_it_holds() -> None:
    assert authors(said("eve\n# Approved\x1b " + "x" * 500, 10)) == (
        ("eve # Approved\x1b " + "x" * 500)[:100],
    )


def test_remarks_elsewhere_are_no_remarks_on_it() -> None:
    assert authors(said("ada", 20), said("ada", 11, "b.py"), said("ada", None), said("ada", 11, None)) == ()
