"""All rules of all analysers: look one up, ask whether it counts, and whether two report the same problem."""

from collections.abc import Callable, Container, Mapping

from affidavit.analysers.registry import ANALYSERS
from affidavit.analysers.rule import Rule
from affidavit.analysers.silence.asked import Silence
from affidavit.config.settings import Settings
from affidavit.ports import Repository
from affidavit.records.candidate import Worth
from affidavit.records.change import Change
from affidavit.records.finding import Severity
from affidavit.specialists.broken_references.rules import REFERENCE_RULES
from affidavit.specialists.lost_code.rules import CODE_RULES
from affidavit.specialists.lost_tests.loss import TEST_RULES

_OF_ANALYSERS = [rule for analyser in ANALYSERS for rule in analyser.rules.values()]
RULES: Mapping[str, Rule] = {
    rule.id: rule for rule in (*_OF_ANALYSERS, *REFERENCE_RULES, *TEST_RULES, *CODE_RULES)
}


def worth_of(rule_id: str, blocking_linters: Container[str] = ()) -> Worth:
    """Return a nit for a rule of severity info, and a maybe for a user's linter that is not to block."""
    rule = RULES.get(rule_id)
    if rule is None:
        return Worth.ACT if rule_id.partition("/")[0] in blocking_linters else Worth.MAYBE
    return Worth.NIT if rule.severity is Severity.INFO else Worth.ACT


def same_problem(rule_a: str, rule_b: str) -> bool:
    """Whether two rules, reported at the same place, speak of one problem."""
    if rule_a == rule_b:
        return True
    first, second = RULES.get(rule_a), RULES.get(rule_b)
    return (first is not None and rule_b in first.equivalents) or (
        second is not None and rule_a in second.equivalents
    )


WhyOff = Callable[[str, str], str | None]
"""Of a rule and a path: the reason why the settings have the rule say nothing there; None: it counts."""


def nothing_is_off(_rule: str, _path: str) -> str | None:
    """Where there are no settings, every rule counts."""
    return None


def rules_off(settings: Settings) -> Callable[[str, str], bool]:
    """Says of a rule and a path whether these settings switch the rule off there."""
    why_off = why_rules_are_off(settings)
    return lambda rule, path: why_off(rule, path) is not None


def why_rules_are_off(settings: Settings) -> WhyOff:
    """Says of a rule and a path which rule these settings switch off there, so that it says nothing."""

    def why_off(rule: str, path: str) -> str | None:
        off = settings.for_path(path).rules_off
        if rule in off:
            return "the rule is off"
        # Whoever switches a rule off does not want the same problem from another analyser.
        same = next((one for one in off if same_problem(rule, one)), None)
        return f"{same}, which says the same, is off" if same else None

    return why_off


def is_meant_by(rule_id: str, named: str) -> bool:
    """Whether somebody who silences the named rule does not want to hear of this one either."""
    rule = RULES.get(rule_id)
    return same_problem(rule_id, named) or (rule is not None and named in rule.silenced_as)


def silence_about(change: Change, repository: Repository) -> Silence:
    """What people asked all analysers together not to say about a change."""
    asked = [analyser.ignored_at for analyser in ANALYSERS]
    return Silence(change, repository, is_meant_by, rules=RULES, ignored_at=asked)
