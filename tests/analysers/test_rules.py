"""The rule table: whole, unique, and worded."""

import pytest

from affidavit.analysers.ruff_rules import RUFF_RULES
from affidavit.analysers.rule import fill
from affidavit.analysers.rules import RULES, same_problem, worth_of
from affidavit.analysers.ty_rules import TY_RULES
from affidavit.records.candidate import Worth
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.finding import Severity

HIGH = [
    "ruff/F821",
    "ruff/S602",
    "ruff/S605",
    "ruff/S608",
    "ty/missing-argument",
    "ty/unknown-argument",
    "ty/too-many-positional-arguments",
]


def test_every_rule_stands_in_the_table_once():
    assert len(RULES) == len(RUFF_RULES) + len(TY_RULES)


@pytest.mark.parametrize("rule", HIGH)
def test_names_calls_and_injections_are_high_and_worth_acting_on(rule):
    assert RULES[rule].severity is Severity.HIGH
    assert worth_of(rule) is Worth.ACT


@pytest.mark.parametrize("rule", RULES)
def test_every_text_of_a_rule_can_be_filled_in(rule):
    diagnostic = AnalyserDiagnostic(rule=rule, message="Braces {x} and no names.", path="{a}.py", line=7)
    facts = RULES[rule]
    texts = (facts.title, facts.meaning, facts.failing_input, facts.wrong_outcome, facts.suggestion)
    assert all(fill(text, diagnostic).strip() for text in texts)


@pytest.mark.parametrize("rule", RULES)
def test_equivalents_exist(rule):
    assert all(other in RULES for other in RULES[rule].equivalents)


def test_an_undefined_name_is_the_same_problem_to_both():
    assert same_problem("ruff/F821", "ty/unresolved-reference")
    assert same_problem("ty/unresolved-reference", "ruff/F821")
    assert same_problem("ruff/F401", "ruff/F401")
    assert not same_problem("ruff/F821", "ty/missing-argument")
    assert not same_problem("ruff/F821", "nobody/knows")


def test_an_unused_import_is_a_nit_and_an_unknown_rule_a_maybe():
    assert worth_of("ruff/F401") is Worth.NIT
    assert worth_of("nobody/knows") is Worth.MAYBE
    assert worth_of(None) is Worth.MAYBE
