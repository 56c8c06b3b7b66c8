"""What a joiner answers is checked: every finding exactly once, and no words bury what was proven."""

import json
from typing import Any

import pytest

from affidavit.proof.judgement import SharedCause, groups_by_cause, read_grouping
from affidavit.records.candidate import Candidate
from affidavit.records.docket import Group
from claims import candidate, finding

ASKED = ("logic-0", "ruff-0", "security-1")


def grouped(*groups: Any) -> str:
    return json.dumps({"groups": list(groups)})


def group(*names: Any, cause: Any = "`total` starts at 1") -> dict[str, Any]:
    return {"cause": cause, "findings": list(names)}


def test_every_finding_is_read_with_the_cause_of_its_group() -> None:
    assert read_grouping(grouped(group("logic-0", "security-1"), group("ruff-0", cause="a\n b")), ASKED) == [
        SharedCause("`total` starts at 1", ("logic-0", "security-1")),
        SharedCause("a b", ("ruff-0",)),
    ]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (None, "no list of groups"),
        ("no object", "no list of groups"),
        (json.dumps({"groups": "all"}), "no list of groups"),
        (grouped(group("logic-0")), "leaves out: ruff-0, security-1"),
        (grouped(group(*ASKED), group("logic-0")), "has twice: logic-0"),
        (grouped(group(*ASKED, "logic-9")), "names what is no finding: logic-9"),
        (grouped(group(*ASKED, cause="  ")), "no cause or no finding"),
        (grouped(group(*ASKED, cause=7)), "no cause or no finding"),
        (grouped(group(*ASKED), group()), "no cause or no finding"),
        (grouped(group(*ASKED, 3)), "no cause or no finding"),
        (grouped("logic-0"), "no cause or no finding"),
    ],
)
def test_a_grouping_that_is_not_whole_is_none(reply: str | None, reason: str) -> None:
    read = read_grouping(reply, ASKED)
    assert isinstance(read, str)
    assert reason in read


def found(name: str, severity: str, kind: str = "model") -> Candidate:
    return candidate(finding(severity=severity), id=name, specialist=name[:-2], kind=kind)


def joined(*in_order: Candidate) -> list[Group]:
    return groups_by_cause([SharedCause("why", tuple(one.id for one in in_order))], in_order)


def test_the_strongest_leads_those_with_its_cause() -> None:
    assert joined(found("logic-0", "high"), found("security-0", "medium")) == [
        Group(leader="logic-0", members=("security-0",), cause="why")
    ]


def test_what_is_proven_leads_where_no_model_finds_it_worse() -> None:
    proven = found("ruff-0", "high", "mechanical")
    assert joined(found("logic-0", "high"), proven) == [
        Group(leader="ruff-0", members=("logic-0",), cause="why")
    ]


def test_what_is_proven_is_absorbed_by_nobody() -> None:
    proven = found("ruff-0", "medium", "mechanical")
    other = found("ty-0", "low", "mechanical")
    worse = found("logic-0", "high")
    assert joined(worse, proven, other) == []
    assert joined(worse, found("security-0", "medium"), proven) == [
        Group(leader="logic-0", members=("security-0",), cause="why")
    ]
    assert joined(proven, other, found("logic-0", "info")) == [
        Group(leader="ruff-0", members=("logic-0",), cause="why")
    ]
    assert joined(proven, other) == []
