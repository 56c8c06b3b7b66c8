"""Note what an analyser reported and its own part drops: rule, place and reason of each, up to a bound."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

from affidavit.analysers.rule import Rule
from affidavit.records.diagnostics import Diagnostic, Reason, SetAside
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.finding import Category, Severity

MAX_LISTED = 200


def note_set_aside(
    specialist: str, rules: Mapping[str, Rule], dropped: Sequence[tuple[AnalyserDiagnostic, str]]
) -> tuple[Diagnostic, ...]:
    """A note for each of the first, and one for all the others with how many there are by rule.

    What is said of a line in the same words, for the same reason, is said once.
    """
    note = partial(Diagnostic, code=Reason.FINDING_DROPPED, specialist=specialist)
    said = list(dict.fromkeys(_set_aside(rules, *one) for one in dropped))
    results = said[:MAX_LISTED]
    listed = [
        note(detail=f"{one.rule} at {one.file}:{one.line} ({one.message}): {one.reason}", set_aside=one)
        for one in results
    ]
    others = Counter(one.rule for one in said[MAX_LISTED:])
    if not others:
        return tuple(listed)
    rest = note(detail=f"and {others.total()} more of the same kinds", unlisted=dict(sorted(others.items())))
    return (*listed, rest)


def _set_aside(rules: Mapping[str, Rule], diagnostic: AnalyserDiagnostic, reason: str) -> SetAside:
    rule = rules.get(diagnostic.rule)
    return SetAside(
        rule=diagnostic.rule,
        severity=rule.severity_of(diagnostic) if rule else Severity.INFO,
        category=rule.category if rule else Category.MAINTAINABILITY,
        file=diagnostic.path,
        line=diagnostic.line,
        message=diagnostic.message,
        reason=reason,
    )
