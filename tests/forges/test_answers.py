"""Marks and answers: what people say to findings, and what only looks like it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.forges.answers import Decision, counting_dismissals, read_decisions
from affidavit.forges.standing import Mark, OwnNote, Person, Said, Standing, read_mark, write_mark

NAME = "0123456789abcdef"
OTHER = "fedcba9876543210"
MEL = Person(name="mel", lifting="lifts")


def said(body: str, by: Person = MEL, **fields: object) -> Said:
    return Said(id="5", by=by, body=body, **fields)


def decisions(*replies: Said, loose: tuple[Said, ...] = ()) -> list[Decision]:
    note = OwnNote(id="1", mark=Mark(kind="finding", fingerprint=NAME), replies=replies)
    return read_decisions(Standing(account="bot", notes=(note,), loose=loose))


@pytest.mark.parametrize(
    ("body", "kind", "why"),
    [
        ("/affidavit dismiss we never send yen", "dismissed", "we never send yen"),
        ("Hm.\n/affidavit dismiss: checked by hand\nThanks", "dismissed", "checked by hand"),
        ("/affidavit wrong it is a float", "wrong", "it is a float"),
        ("wrong, it is a float", "wrong", "it is a float"),
        ("This is wrong.", "wrong", ""),
        ("/AFFIDAVIT Dismiss\r\nx", "dismissed", ""),
        ("> quoted\n\n/affidavit dismiss see `a.py`", "dismissed", "see `a.py`"),
        ("- checked\n- twice\n\n/affidavit dismiss is so", "dismissed", "is so"),
        ("<!-- a form -->\n\n   /affidavit dismiss below it", "dismissed", "below it"),
    ],
)
def test_an_answer_in_the_thread_is_a_decision_about_its_finding(body: str, kind: str, why: str) -> None:
    assert [(one.kind, one.fingerprint, one.why, one.by.name) for one in decisions(said(body))] == [
        (kind, NAME, why, "mel")
    ]


@pytest.mark.parametrize(
    "body",
    [
        "> /affidavit dismiss as quoted",
        "```\n/affidavit dismiss as code\n```",
        "I would not say /affidavit dismiss here",
        "not wrong at all",
        "/affidavit dismissal",
        f"/affidavit dismiss {OTHER} another finding",
        "As in\n\n    /affidavit dismiss as indented code",
        "As in\n\n\t/affidavit dismiss as indented code",
        "<!--\n/affidavit dismiss unseen\n-->",
        "Fine <!-- or\n/affidavit dismiss unseen\n--> so",
        "````\n```\n/affidavit dismiss as code in code\n````",
        "```\n/affidavit dismiss as code without an end",
        "`as\n/affidavit dismiss code`",
        "<div>\n/affidavit dismiss in markup\n</div>",
        "> quoted\n/affidavit dismiss in the same quote",
        "[a]: b '\n/affidavit dismiss as the title of a link\n'",
        "![\n/affidavit dismiss as the name of a picture\n](b)",
        "[a](b '\n/affidavit dismiss as a title\n')",
        "[^1]: a\n/affidavit dismiss in a footnote of nothing",
        "\\/affidavit dismiss as it is written",
        "- /affidavit dismiss as an entry of a list",
        "<!-- wrong -->",
    ],
)
def test_quotes_code_and_talk_about_commands_decide_nothing(body: str) -> None:
    assert decisions(said(body)) == []


def test_a_bot_and_a_comment_that_somebody_else_edited_decide_nothing() -> None:
    bot = Person(name="helper[bot]", is_bot=True, lifting="lifts")
    assert decisions(said("/affidavit dismiss x", bot)) == []
    assert decisions(said("/affidavit dismiss x", edited="by_another")) == []
    assert decisions(said("wrong, it is fine", edited="by_another")) == []
    assert decisions(said("/affidavit dismiss x", edited="by_unknown")) == []


def test_a_comment_outside_the_thread_must_name_the_finding() -> None:
    assert decisions(loose=(said("/affidavit dismiss all of it"),)) == []
    found = decisions(loose=(said(f"/affidavit dismiss {OTHER} is fine"),))
    assert [(one.fingerprint, one.why) for one in found] == [(OTHER, "is fine")]


@pytest.mark.parametrize(("lifts", "count"), [("lifts", 1), ("author", 0), ("no_rights", 0), ("unknown", 0)])
def test_only_a_dismissal_by_somebody_with_rights_who_is_not_the_author_lifts(lifts: str, count: int) -> None:
    note = OwnNote(
        id="1",
        mark=Mark(kind="finding", fingerprint=NAME),
        replies=(said("/affidavit dismiss x", Person(name="p", lifting=lifts)),),
    )
    assert len(counting_dismissals(Standing(account="bot", notes=(note,)))) == count


def test_a_mark_is_read_as_it_was_written() -> None:
    mark = Mark(
        kind="finding",
        fingerprint=NAME,
        also=(OTHER,),
        rule="ruff/F821",
        by="machine",
        report="r-1",
        head="a" * 40,
    )
    assert read_mark(f"{write_mark(mark)}\nText") == mark


@given(st.text(), st.text())
def test_nothing_in_a_mark_ends_it_or_names_another_finding(rule: str, report: str) -> None:
    text = write_mark(Mark(kind="finding", fingerprint=NAME, rule=rule, report=report))
    assert text.count("-->") == 1
    read = read_mark(f"{text}\nx")
    assert read is not None
    assert read.fingerprint == NAME


def test_a_mark_below_the_first_line_is_only_text() -> None:
    forged = write_mark(Mark(kind="finding", fingerprint=OTHER))
    assert read_mark(f"Hello\n{forged}") is None
    assert read_mark(f"```\n{forged}\n```") is None
