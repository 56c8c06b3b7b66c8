"""The rule table: whole, unique, and worded."""

import re

import pytest

from affidavit.analysers.engine.rule import fill
from affidavit.analysers.references.rules import REFERENCE_RULES
from affidavit.analysers.registry import all_analysers
from affidavit.analysers.rulebook import known_rules, rules_off, same_problem, why_rules_are_off, worth_of
from affidavit.config.settings import Settings
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
    ids = [rule for analyser in all_analysers() for rule in analyser.rules]
    ids += [rule.id for rule in REFERENCE_RULES]
    assert sorted(known_rules()) == sorted(ids)


def test_every_rule_is_filed_under_its_own_id():
    assert all(rule.id == rule_id for rule_id, rule in known_rules().items())


REFERENCES = {rule.id for rule in REFERENCE_RULES}
PAIRED = [
    rule
    for rule in known_rules().values()
    if rule.equivalents and REFERENCES.isdisjoint((rule.id, *rule.equivalents))
]


@pytest.mark.parametrize("rule", PAIRED, ids=lambda rule: rule.id)
def test_rules_for_one_problem_agree_on_how_bad_it_is(rule):
    others = [known_rules()[other] for other in rule.equivalents]
    assert {other.severity for other in others} == {rule.severity}


@pytest.mark.parametrize("rule", HIGH)
def test_names_calls_and_injections_are_high_and_count(rule):
    assert known_rules()[rule].severity is Severity.HIGH
    assert worth_of(rule) is Worth.ACT


@pytest.mark.parametrize("rule", known_rules())
def test_every_text_of_a_rule_can_be_filled_in(rule):
    diagnostic = AnalyserDiagnostic(rule=rule, message="Braces {x} and no names.", path="{a}.py", line=7)
    facts = known_rules()[rule]
    texts = (facts.title, facts.meaning, facts.failing_input, facts.wrong_outcome, facts.suggestion)
    assert all(fill(text, diagnostic).strip() for text in texts)


@pytest.mark.parametrize("rule", known_rules())
def test_equivalents_exist(rule):
    assert all(other in known_rules() for other in known_rules()[rule].equivalents)


def test_an_undefined_name_is_the_same_problem_to_both():
    assert same_problem("ruff/F821", "ty/unresolved-reference")
    assert same_problem("ty/unresolved-reference", "ruff/F821")
    assert same_problem("ruff/F401", "ruff/F401")
    assert not same_problem("ruff/F821", "ty/missing-argument")
    assert not same_problem("ruff/F821", "nobody/knows")


def test_every_rule_above_info_counts_and_a_users_linter_only_where_it_is_to_block():
    assert {rule for rule in known_rules() if worth_of(rule) is not Worth.ACT} == {"ruff/F401", "ruff/F841"}
    assert worth_of("ruff/F401") is Worth.NIT
    assert worth_of("mine/rule") is Worth.MAYBE
    assert worth_of("mine/rule", {"mine"}) is Worth.ACT
    assert worth_of("") is Worth.MAYBE


def test_a_rule_that_is_off_by_another_says_by_which():
    off = Settings(rules_off=("ruff/E501", "references/removed-import"))
    why_off, is_off = why_rules_are_off(off), rules_off(off)
    assert why_off("references/removed-import", "a.py") == "the rule is off"
    assert why_off("ty/import-not-found", "a.py") == "references/removed-import, its duplicate, is off"
    assert why_off("ty/missing-argument", "a.py") is None
    assert is_off("ty/import-not-found", "a.py")
    assert not is_off("ty/missing-argument", "a.py")


SPOKEN = list(known_rules().values())
STORY = re.compile(r"(The|A|An|This|These|Something|Whoever) ")


def test_a_title_names_the_problem_in_a_few_words() -> None:
    long = [rule.title for rule in SPOKEN if len(rule.title) > 60]
    stories = [rule.title for rule in SPOKEN if STORY.match(rule.title) or rule.title.endswith(".")]
    assert (long, stories) == ([], [])


@pytest.mark.parametrize(
    ("rule", "title"),
    [
        ("kingfisher/github-pat", "Hard-coded GitHub token"),
        ("kingfisher/1password-secret-key", "Hard-coded 1Password secret"),
        ("ruff/S608", "SQL injection{through}"),
        ("ruff/S602", "Shell injection{through}"),
        ("zizmor/template-injection", "Script injection in a workflow"),
        ("shellcheck/SC2071", "Numbers are compared as text"),
        ("shellcheck/SC2170", "Text is compared as a number"),
        ("shellcheck/SC2122", "`>=` and `<=` do not compare text"),
    ],
)
def test_a_title_is_what_people_call_the_problem(rule: str, title: str) -> None:
    assert known_rules()[rule].title == title


def test_no_sentence_is_said_twice() -> None:
    twice = [
        rule.id
        for rule in SPOKEN
        for said in (rule.failing_input, rule.wrong_outcome)
        if said.rstrip(".").casefold() in f"{rule.title} {rule.meaning}".casefold()
        or rule.failing_input == rule.wrong_outcome
    ]
    assert twice == []
