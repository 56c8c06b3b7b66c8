"""Note what an analyser reported and its own part drops: rule, place and reason of each, up to a bound."""

from collections import Counter
from collections.abc import Sequence
from functools import partial

from affidavit.analysers.analyser import Analyser
from affidavit.records.diagnostics import Diagnostic, Reason, SetAside
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.finding import Category, Severity

MAX_LISTED = 200


def note_set_aside(
    analyser: Analyser, dropped: Sequence[tuple[AnalyserDiagnostic, str]]
) -> tuple[Diagnostic, ...]:
    """A note for each of the first, and one for all the others with how many there are by rule."""
    note = partial(Diagnostic, code=Reason.FINDING_DROPPED, specialist=analyser.name)
    results = [_set_aside(analyser, *one) for one in dropped[:MAX_LISTED]]
    listed = [
        note(detail=f"{one.rule} at {one.file}:{one.line} ({one.message}): {one.reason}", set_aside=one)
        for one in results
    ]
    others = Counter(diagnostic.rule for diagnostic, _ in dropped[MAX_LISTED:])
    if not others:
        return tuple(listed)
    rest = note(detail=f"and {others.total()} more of the same kinds", unlisted=dict(sorted(others.items())))
    return (*listed, rest)


def _set_aside(analyser: Analyser, diagnostic: AnalyserDiagnostic, reason: str) -> SetAside:
    rule = analyser.rules.get(diagnostic.rule)
    return SetAside(
        rule=diagnostic.rule,
        severity=rule.severity_of(diagnostic) if rule else Severity.INFO,
        category=rule.category if rule else Category.MAINTAINABILITY,
        file=diagnostic.path,
        line=diagnostic.line,
        message=diagnostic.message,
        reason=reason,
    )
