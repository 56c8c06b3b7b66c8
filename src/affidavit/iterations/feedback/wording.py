"""Lint the words of a feedback item, repair them once, and say how clear they are.

Patterns match on word boundaries: `considered` is not `consider`. Both lists count for both texts. An element
is recognised by simple signs, which `SIGNS` names; what is missing after the repair is flagged, and never a
reason to withhold.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

ISSUE_PATTERNS = (
    "could be better",
    "needs improvement",
    "consider changing",
    "might want to",
    "should probably",
)
SUGGESTION_PATTERNS = ("think about", "consider", "maybe", "perhaps", "you might")

_NAMED = r"`[^`]+`|\"[^\"]+\"|'[^']+'|\b\w+\(|\b\w+[._]\w+|\b[a-z]+[A-Z]\w+|\b\d+\b"
_EFFECT = (
    r"rais\w+|fail\w*|crash\w*|return\w*|throw\w*|leak\w*|los[et]\w*|break\w*|broke\w*|overwrit\w+|ignor\w+"
    r"|hang\w*|never|always|no longer|so that|instead|wrong\w*|error\w*|exception|undefined|unbound|nothing"
    r"|den(?:y|ied)|expos\w+|inject\w*|execut\w*|run\w*|slow\w*|quadratic|twice|stale|mislead\w*|cannot|can't"
    r"|does not|do not|doesn't|is not|isn't|are not|unused|miss\w+|skip\w*|race\w*|deadlock\w*|corrupt\w*"
)
_VERBS = (
    r"add|allow|append|assert|assign|avoid|bind|bound|bring|build|bump|call|catch|change|check|clear|close|compare"
    r"|convert|copy|correct|create|declare|decide|default|define|delete|document|drop|encode|end|escape|exclude"
    r"|export|extend|extract|filter|fix|give|guard|handle|hash|import|include|initiali[sz]e|inline|join|keep|let"
    r"|limit|load|lock|log|look|make|map|mark|match|merge|move|name|open|order|parse|pass|pin|place|prefix|put"
    r"|quote|raise|read|refuse|register|reject|release|remove|rename|reorder|repeat|replace|report|reset|resolve"
    r"|restore|restrict|retry|return|reuse|revert|run|say|send|separate|set|show|sort|split|start|state|stop|store"
    r"|strip|switch|take|test|throw|trim|turn|unwrap|update|use|validate|wait|wrap|write"
)
SIGNS: Mapping[str, str] = {
    "specific_problem": "names something: a word in quotes or backquotes, an identifier, a call, a number",
    "observable_effect": "a word for what happens as a result: raises, fails, returns, never, is not, …",
    "concrete_action": "a sentence begins with a verb that changes code: add, replace, …; or it has code",
    "expected_outcome": "a word for what is better then: so that, no longer, prevents, keeps, again, …",
}
_SPECIFIC = re.compile(_NAMED)
_OBSERVABLE = re.compile(rf"\b(?:{_EFFECT})\b", re.IGNORECASE)
_CONCRETE = re.compile(rf"(?:^|[.;:,]\s+|\bthen\s+|\band\s+)(?:{_VERBS})\b|`[^`]+`", re.IGNORECASE)
_OUTCOME = re.compile(
    r"\b(?:so that|no longer|prevent\w*|avoid\w*|keep\w*|again|ensure\w*|instead|then|stop\w*|let\w*|make\w*"
    r"|will|becomes?|because|otherwise|without|not)\b",
    re.IGNORECASE,
)
_ADVISES = re.compile(
    r"(?:^|[.;:!?]\s+|\b(?:please|to|should|could|might|may)\s+)consider\b|\bconsider\s+\w+ing\b",
    re.IGNORECASE,
)
_GERUNDS = {
    "using": "use",
    "adding": "add",
    "removing": "remove",
    "changing": "change",
    "replacing": "replace",
    "moving": "move",
    "making": "make",
    "setting": "set",
    "passing": "pass",
    "returning": "return",
    "renaming": "rename",
    "writing": "write",
    "handling": "handle",
    "splitting": "split",
    "extracting": "extract",
    "checking": "check",
    "validating": "validate",
    "wrapping": "wrap",
    "raising": "raise",
    "calling": "call",
    "documenting": "document",
    "testing": "test",
    "keeping": "keep",
    "caching": "cache",
    "escaping": "escape",
    "limiting": "limit",
    "closing": "close",
}
_PLAINER: Sequence[tuple[str, str]] = (
    (r"\byou might(?: want to| wish to| like to)?\s+", ""),
    (r"\bmight want to\b", "must"),
    (r"\bshould probably\b", "must"),
    (r"\bconsider changing\b", "change"),
    (r"\bcould be better\b", "is worse than it has to be"),
    (r"\bneeds improvement\b", "does not do what it has to"),
    (r"\bthink about\b", "decide on"),
    (r"\b(?:maybe|perhaps),?\s*", ""),
    (r"\bconsider\s+", ""),
)


@dataclass(frozen=True)
class Lint:
    """What is wrong with the words of one text: patterns that it has, elements that it lacks."""

    forbidden: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def flags(self) -> list[str]:
        """Each fault in one word or two."""
        return [f"forbidden: {one}" for one in self.forbidden] + [f"missing: {one}" for one in self.missing]


def lint_issue(text: str) -> Lint:
    """Is it specific, and does it say what happens?"""
    missing = [] if _SPECIFIC.search(text) else ["specific_problem"]
    missing += [] if _OBSERVABLE.search(text) else ["observable_effect"]
    return Lint(_hedges(text), tuple(missing))


def lint_suggestion(action: str, rationale: str) -> Lint:
    """Does it say what to do, and what is better then?"""
    missing = [] if _CONCRETE.search(action) else ["concrete_action"]
    missing += [] if _OUTCOME.search(rationale) else ["expected_outcome"]
    return Lint(_found(f"{action}\n{rationale}", (*ISSUE_PATTERNS, *SUGGESTION_PATTERNS)), tuple(missing))


def _hedges(text: str) -> tuple[str, ...]:
    """What no issue may say; code that does not consider a case is an issue, `consider using` is none."""
    advice = [one for one in SUGGESTION_PATTERNS if one != "consider"]
    found = _found(text, (*ISSUE_PATTERNS, *advice))
    is_advice = _ADVISES.search(text) is not None and "consider changing" not in found
    return (*found, "consider") if is_advice else found


def plainer(text: str) -> str:
    """The same without hedging, by a template: `Consider using X` becomes `Use X`."""
    if not _found(text, (*ISSUE_PATTERNS, *SUGGESTION_PATTERNS)):
        return text
    said = re.sub(
        r"\bconsider\s+(\w+ing)\b",
        lambda match: _GERUNDS.get(match[1].lower(), f"go over to {match[1]}"),
        text,
        flags=re.IGNORECASE,
    )
    for pattern, plain in _PLAINER:
        said = re.sub(pattern, plain, said, flags=re.IGNORECASE)
    said = said.strip()
    return said[:1].upper() + said[1:]


def clarity(issue: Lint, suggestion: Lint, *, is_exact: bool) -> float:
    """The share of seven checks that an item passes: four elements, two sets of patterns, an exact place."""
    passed = [
        "specific_problem" not in issue.missing,
        "observable_effect" not in issue.missing,
        not issue.forbidden,
        "concrete_action" not in suggestion.missing,
        "expected_outcome" not in suggestion.missing,
        not suggestion.forbidden,
        is_exact,
    ]
    return round(sum(passed) / len(passed), 3)


def _found(text: str, patterns: Sequence[str]) -> tuple[str, ...]:
    return tuple(
        pattern
        for pattern in patterns
        if re.search(rf"\b{re.escape(pattern)}\b", " ".join(text.split()), re.IGNORECASE)
    )
