"""Look up rules of all analysers: whether one counts, and whether two report the same problem."""

from collections.abc import Callable, Container, Mapping
from functools import cache

from affidavit.analysers.engine.rule import Rule
from affidavit.analysers.engine.rule import same_problem as is_same
from affidavit.analysers.references.rules import REFERENCE_RULES
from affidavit.analysers.registry import WhyOff, all_rules
from affidavit.config.settings import Settings
from affidavit.records.candidate import Worth
from affidavit.records.finding import Severity


@cache
def known_rules() -> Mapping[str, Rule]:
    """Return all rules by id; this loads every analyser."""
    return {**all_rules(), **{rule.id: rule for rule in REFERENCE_RULES}}


def worth_of(rule_id: str, blocking_linters: Container[str] = ()) -> Worth:
    """Return a nit for a rule of severity info, and a maybe for a user's linter that is not to block."""
    rule = known_rules().get(rule_id)
    if rule is None:
        return Worth.ACT if rule_id.partition("/")[0] in blocking_linters else Worth.MAYBE
    return Worth.NIT if rule.severity is Severity.INFO else Worth.ACT


def same_problem(rule_a: str, rule_b: str) -> bool:
    """Return whether two rules, reported at the same place, describe one problem."""
    return rule_a == rule_b or is_same(rule_a, rule_b, known_rules())


def rules_off(settings: Settings) -> Callable[[str, str], bool]:
    """Return a function that says whether these settings switch a rule off at a path."""
    why_off = why_rules_are_off(settings)
    return lambda rule, path: why_off(rule, path) is not None


def why_rules_are_off(settings: Settings) -> WhyOff:
    """Return a function that says why these settings switch a rule off at a path."""

    def why_off(rule: str, path: str) -> str | None:
        off = settings.for_path(path).rules_off
        if rule in off:
            return "the rule is off"
        # Switching a rule off also switches off the same problem of another analyser.
        same = next((one for one in off if same_problem(rule, one)), None)
        return f"{same}, its duplicate, is off" if same else None

    return why_off
