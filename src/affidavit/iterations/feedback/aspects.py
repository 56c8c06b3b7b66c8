"""From a finding and the kind of its file to the aspect of quality that it is about: the written table.

| the finding | its file | aspect |
| --- | --- | --- |
| security, performance, test | any | security, efficiency, testability |
| says that something is missing | any | completeness |
| is caused by a change elsewhere | any | consistency |
| a rule about docstrings or comments | any | documentation |
| correctness, reliability | document | documentation |
| maintainability, style | document | clarity |
| maintainability, by a rule about names or a convention | any | consistency |
| correctness, reliability | any other | correctness |
| maintainability, style | any other | maintainability, style |

The first row that fits counts.
"""

import re
from typing import Literal, cast

from affidavit.contract.vocabulary import FEEDBACK_ASPECT
from affidavit.iterations.feedback.kinds import kind_of
from affidavit.records.finding import Category, Finding

Aspect = Literal[
    "correctness",
    "completeness",
    "clarity",
    "consistency",
    "efficiency",
    "security",
    "style",
    "documentation",
    "testability",
    "maintainability",
]
_OF_THEIR_OWN = (Category.SECURITY, Category.PERFORMANCE, Category.TEST)
_ABOUT_DOCUMENTATION = re.compile(r"ruff/D\d|docstring|documentation|missing-doc", re.IGNORECASE)
_ABOUT_NAMES = re.compile(r"ruff/N\d|naming|convention|inconsisten", re.IGNORECASE)


def aspect_of(finding: Finding) -> Aspect:
    """The aspect; the table above is this function."""
    rule, category = finding.rule_id or "", finding.category
    if category in _OF_THEIR_OWN:
        return cast("Aspect", FEEDBACK_ASPECT[category])
    if finding.verification is not None and finding.verification.is_absence_finding:
        return "completeness"
    if finding.is_impact:
        return "consistency"
    if _ABOUT_DOCUMENTATION.search(rule):
        return "documentation"
    is_document = kind_of(finding.file) == "document"
    if is_document:
        return "documentation" if category in (Category.CORRECTNESS, Category.RELIABILITY) else "clarity"
    if category is Category.MAINTAINABILITY and _ABOUT_NAMES.search(rule):
        return "consistency"
    return cast("Aspect", FEEDBACK_ASPECT[category])
