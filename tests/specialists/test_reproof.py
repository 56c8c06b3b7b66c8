"""Proving mechanical findings again."""

import asyncio
from dataclasses import replace

from affidavit.analysers.ruff import RUFF
from affidavit.analysers.ty import TY
from affidavit.records.finding import ReviewResult
from affidavit.specialists.mechanical import MechanicalSpecialist
from affidavit.specialists.reproof import reprove

CALLED = {"p/__init__.py": "", "p/a.py": "def f(a):\n    return a\n", "p/b.py": "from p.a import f\nf(1)\n"}
CHANGED = {"p/a.py": "def f(a, b):\n    return a + c\n"}


def findings(one):
    found = []
    for analyser in (RUFF, TY):
        reply = asyncio.run(MechanicalSpecialist(analyser).examine(one.brief))
        found += ReviewResult.model_validate_json(reply.text).findings
    return found


def test_findings_hold_where_nothing_changed(case):
    one = case(CALLED, CHANGED)
    found = findings(one)
    proofs = asyncio.run(reprove(found, one.brief))
    assert set(proofs) == {finding.id for finding in found}
    assert {finding.rule_id for finding in found} >= {"ruff/F821", "ty/missing-argument"}
    assert all(holds for holds, _ in proofs.values())


def test_a_finding_at_another_line_does_not_hold(case):
    one = case(CALLED, CHANGED)
    moved = findings(one)[0].model_copy(update={"line": 40})
    holds, sentence = asyncio.run(reprove([moved], one.brief))[moved.id]
    assert holds is False
    assert "does not report F821 at p/a.py:40" in sentence


def test_a_finding_that_stood_before_does_not_hold(case):
    one = case({"a.py": "x = gone\n"}, {"a.py": "x = gone\ny = 1\n"})
    other = findings(case(CALLED, CHANGED))[0]
    claimed = other.model_copy(update={"file": "a.py", "line": 1})
    holds, sentence = asyncio.run(reprove([claimed], one.brief))[claimed.id]
    assert holds is False
    assert "does not make it new" in sentence


def test_a_missing_analyser_leaves_the_finding_open(case):
    one = case(CALLED, CHANGED)
    finding = findings(one)[0]
    gone = replace(RUFF, executable="no-such-analyser-anywhere")
    holds, sentence = asyncio.run(reprove([finding], one.brief, analysers=[gone]))[finding.id]
    assert holds is None
    assert "not installed" in sentence


def test_a_finding_of_nobody_known_is_left_open(case):
    one = case(CALLED, CHANGED)
    finding = findings(one)[0].model_copy(update={"rule_id": "strange/rule"})
    assert asyncio.run(reprove([finding], one.brief))[finding.id][0] is None


def test_another_version_is_named(case):
    one = case(CALLED, CHANGED)
    finding = findings(one)[0]
    assert finding.verification is not None
    old = finding.verification.model_copy(
        update={"verification_method": "ruff 0.0.1 reports F821 at head and not at base: x"}
    )
    holds, sentence = asyncio.run(reprove([finding.model_copy(update={"verification": old})], one.brief))[
        finding.id
    ]
    assert holds
    assert "the report is from ruff 0.0.1" in sentence
