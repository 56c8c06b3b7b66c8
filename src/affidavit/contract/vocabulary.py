"""Translate severities, categories and confidence between the contract, feedback documents and verdicts.

"Feedback" is the vocabulary of the feedback documents, "verdict" that of `ReviewVerdict`.
"""

from collections.abc import Iterable, Mapping
from typing import Literal

from affidavit.errors import SettingsError
from affidavit.records.finding import Category, Confidence, Severity

VerdictSeverity = Literal["critical", "warning", "info", "style"]
VerdictCategory = Literal["security", "bug", "performance", "quality"]

FEEDBACK_SEVERITY: Mapping[Severity, str] = {
    Severity.CRITICAL: "critical",
    Severity.HIGH: "major",
    Severity.MEDIUM: "major",
    Severity.LOW: "minor",
    Severity.INFO: "suggestion",
}
VERDICT_SEVERITY: Mapping[Severity, VerdictSeverity] = {
    Severity.CRITICAL: "critical",
    Severity.HIGH: "warning",
    Severity.MEDIUM: "warning",
    Severity.LOW: "info",
    Severity.INFO: "info",
}
FEEDBACK_ASPECT: Mapping[Category, str] = {
    Category.CORRECTNESS: "correctness",
    Category.SECURITY: "security",
    Category.PERFORMANCE: "efficiency",
    Category.RELIABILITY: "correctness",
    Category.MAINTAINABILITY: "maintainability",
    Category.STYLE: "style",
    Category.TEST: "testability",
}
VERDICT_CATEGORY: Mapping[Category, VerdictCategory] = {
    Category.CORRECTNESS: "bug",
    Category.SECURITY: "security",
    Category.PERFORMANCE: "performance",
    Category.RELIABILITY: "bug",
    Category.MAINTAINABILITY: "quality",
    Category.STYLE: "quality",
    Category.TEST: "quality",
}
CONFIDENCE_NUMBER: Mapping[Confidence, float] = {"high": 0.9, "medium": 0.6, "low": 0.3}

# A threshold lets through everything that its word covers, so it becomes the mildest severity covered.
_THRESHOLD_WORDS: Mapping[str, Severity] = {
    "critical": Severity.CRITICAL,
    "high": Severity.HIGH,
    "medium": Severity.MEDIUM,
    "warning": Severity.MEDIUM,
    "low": Severity.LOW,
    "info": Severity.INFO,
    "style": Severity.INFO,
}
_BUGS = frozenset({Category.CORRECTNESS, Category.RELIABILITY})
_FOCUS_WORDS: Mapping[str, frozenset[Category]] = {
    **{str(category): frozenset({category}) for category in Category},
    "bug": _BUGS,
    "bugs": _BUGS,
    "quality": frozenset({Category.MAINTAINABILITY, Category.STYLE, Category.TEST}),
}


class UnknownWordError(SettingsError, ValueError):
    """A word that is in no vocabulary."""

    def __init__(self, kind: str, word: str, allowed: Iterable[str]) -> None:
        super().__init__(f"{word[:40]!r} is not a {kind}; use one of {', '.join(allowed)}")


def verdict_severity(severity: Severity, category: Category) -> VerdictSeverity:
    """Return a verdict's word for a severity; style is a severity there."""
    return "style" if category is Category.STYLE else VERDICT_SEVERITY[severity]


def read_severity(word: str) -> Severity:
    """Read the severity of a threshold, in the contract's words or a verdict's."""
    known = _THRESHOLD_WORDS.get(word.strip().lower())
    if known is None:
        raise UnknownWordError("severity", word, _THRESHOLD_WORDS)
    return known


def read_focus(words: str | Iterable[str]) -> frozenset[Category]:
    """Read the categories of focus areas; commas separate areas too."""
    given = [words] if isinstance(words, str) else words
    areas = [area.strip().lower() for word in given for area in word.split(",") if area.strip()]
    return frozenset(category for area in areas for category in _categories_of(area))


def _categories_of(area: str) -> frozenset[Category]:
    known = _FOCUS_WORDS.get(area)
    if known is None:
        raise UnknownWordError("focus area", area, sorted(_FOCUS_WORDS))
    return known
