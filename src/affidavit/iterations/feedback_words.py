"""Lint the words of a feedback item, repair them once, and score how clear they are."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from affidavit.records.finding import Category, Finding
from affidavit.render.safe_text import visible

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
_PLAINER: Sequence[tuple[str, str]] = (
    (r"\bconsider changing\b", "change"),
    (r"\bconsider\s+(\w+ing)\b", r"start \1"),
    (r"\byou might(?: want to| wish to| like to)?\s+", ""),
    (r"\bmight want to\b", "must"),
    (r"\bshould probably\b", "must"),
    (r"\bcould be better\b", "is worse than it has to be"),
    (r"\bneeds improvement\b", "does not do what it has to"),
    (r"\bthink about\b", "decide on"),
    (r"\b(?:maybe|perhaps),?\s*", ""),
    (r"\bconsider\s+", ""),
)


@dataclass(frozen=True)
class Lint:
    """Forbidden patterns and missing elements of one text."""

    forbidden: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def flags(self) -> list[str]:
        """Return each fault in one word or two."""
        return [f"forbidden: {one}" for one in self.forbidden] + [f"missing: {one}" for one in self.missing]


def lint_issue(text: str) -> Lint:
    """Check that an issue is specific and says what happens."""
    missing = [] if _SPECIFIC.search(text) else ["specific_problem"]
    missing += [] if _OBSERVABLE.search(text) else ["observable_effect"]
    return Lint(_hedges(text), tuple(missing))


def lint_suggestion(action: str, rationale: str) -> Lint:
    """Check that a recommendation says what to do and what improves."""
    missing = [] if _CONCRETE.search(action) else ["concrete_action"]
    missing += [] if _OUTCOME.search(rationale) else ["expected_outcome"]
    return Lint(_found(f"{action}\n{rationale}", (*ISSUE_PATTERNS, *SUGGESTION_PATTERNS)), tuple(missing))


def _hedges(text: str) -> tuple[str, ...]:
    """Find vague words in an issue."""
    advice = [one for one in SUGGESTION_PATTERNS if one != "consider"]
    found = _found(text, (*ISSUE_PATTERNS, *advice))
    is_advice = _ADVISES.search(text) is not None and "consider changing" not in found
    return (*found, "consider") if is_advice else found


def plainer(text: str) -> str:
    """Remove hedging: `Consider using X` becomes `Start using X`."""
    if not _found(text, (*ISSUE_PATTERNS, *SUGGESTION_PATTERNS)):
        return text
    said = text
    for pattern, plain in _PLAINER:
        said = re.sub(pattern, plain, said, flags=re.IGNORECASE)
    said = said.strip()
    return said[:1].upper() + said[1:]


def clarity(issue: Lint, suggestion: Lint, *, is_exact: bool) -> float:
    """Return the share of seven checks that an item passes."""
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


_SENTENCE_END = re.compile(r"[.!?](?=\s)")


def clean(text: str) -> str:
    """Show invisible characters, and break commands to the runner of a build."""
    return visible(text, keep="\n\t").encode("utf-8", "replace").decode("utf-8")


def folded(text: str) -> str:
    """Fold white space into one line."""
    return " ".join(text.split())


def cut(text: str, most: int) -> str:
    """Cut a text at the end of a sentence if that keeps half of it, else at the end of a word."""
    text = text.strip()
    if len(text) <= most:
        return text
    ends = [match.end() for match in _SENTENCE_END.finditer(text, 0, most)]
    if ends and ends[-1] >= most // 2:
        return text[: ends[-1]]
    words = text[: most - 1].rstrip()
    if not text[len(words) : len(words) + 1].isspace() and " " in words:
        words = words.rsplit(None, 1)[0]
    return words + "…"


def at_least(text: str, least: int, more: str) -> str:
    """Add a sentence to a text that is too short."""
    text = text.strip()
    if len(text) >= least:
        return text
    joined = f"{text.rstrip('.')}. {more}" if text else more
    return joined if len(joined) >= least else joined.ljust(least, ".")


def sentence(text: str) -> str:
    """Add a full stop to a text without an end mark."""
    text = text.strip()
    return text if not text or text[-1] in ".!?…" else f"{text}."


def first_lower(text: str) -> str:
    """Lower the first letter for use within a sentence, unless it begins a name."""
    return text[:1].lower() + text[1:] if text[:2].istitle() else text


MIN_TEXT, MAX_ACTION, MAX_RATIONALE = 20, 1_000, 500
_FENCED = re.compile(r"```[\w+-]*\n(.*?)```", re.DOTALL)

_ACTIONS = {
    Category.CORRECTNESS: "Change `{place}` so that this no longer happens: {outcome}",
    Category.RELIABILITY: "Handle the failure at `{place}`, so that this no longer happens: {outcome}",
    Category.SECURITY: "Close the hole at `{place}`: check or escape what comes from outside before use",
    Category.PERFORMANCE: "Replace the costly step at `{place}` with one that does the same work once",
    Category.MAINTAINABILITY: "Remove what is in the way at `{place}`: {title}",
    Category.STYLE: "Write `{place}` as the rest of the file is written: {title}",
    Category.TEST: "Add or restore the test at `{place}` so that it fails without the change: {title}",
}
_BY_RULE: tuple[tuple[str, str], ...] = (
    (r"F821|undefined", "Define or import the name that `{place}` uses: {title}"),
    (r"F401|F811|F841|unused", "Remove what `{place}` no longer uses: {title}"),
    (
        r"S\d{3}",
        "Replace the unsafe call at `{place}` with its safe form: {title}",
    ),
    (r"references/", "Bring `{place}` in line with what the change did to the name it uses: {title}"),
    (r"kingfisher|secret", "Remove the secret at `{place}`, revoke it, and read it from the environment"),
    (r"tests/", "Restore the test at `{place}` as it was, and change the code under test instead"),
)
_RATIONALES = {
    Category.CORRECTNESS: "Then the code does what the change says, and no longer this: {outcome}",
    Category.RELIABILITY: "Then a failure is noticed and handled, and no longer ends in this: {outcome}",
    Category.SECURITY: "Then nobody from outside can use it any more for this: {outcome}",
    Category.PERFORMANCE: "Then the work no longer grows with the input as it does now: {outcome}",
    Category.MAINTAINABILITY: "Then the next reader does not stumble over it, and what is left is in use",
    Category.STYLE: "Then the file reads as one, and a later diff shows only what was meant to change",
    Category.TEST: "Then the tests would fail if the behaviour broke, which they do not now",
}


@dataclass(frozen=True)
class Suggestion:
    """An action and its rationale, with the lint after the one repair."""

    action: str
    rationale: str
    example: str
    lint: Lint


def suggestion_of(finding: Finding, place: str) -> Suggestion:
    """Return the finding's own suggestion, reworded if vague; a template if it has none."""
    own = folded(clean(_FENCED.sub(" ", finding.suggestion or "")))
    rationale = _rationale(finding)
    if own:
        action = _bounded(own, f"Do it at `{place}`", MAX_ACTION)
        lint = lint_suggestion(action, rationale)
        if lint.forbidden:
            action, rationale = _bounded(plainer(action), "", MAX_ACTION), plainer(rationale)
            lint = lint_suggestion(action, rationale)
        if not lint.forbidden:
            return Suggestion(action, rationale, _example(finding), lint)
    action = _template(finding, place)
    lint = lint_suggestion(action, rationale)
    if lint.forbidden:
        # A title of a model may hedge, too.
        action, rationale = plainer(action), plainer(rationale)
        lint = lint_suggestion(action, rationale)
    return Suggestion(action, rationale, _example(finding), lint)


def _template(finding: Finding, place: str) -> str:
    by_rule = (text for pattern, text in _BY_RULE if finding.rule_id and re.search(pattern, finding.rule_id))
    template = next(by_rule, _ACTIONS[finding.category])
    said = template.format(place=place, title=_title(finding), outcome=_outcome(finding))
    return _bounded(sentence(said), f"Do it at `{place}`", MAX_ACTION)


def _rationale(finding: Finding) -> str:
    said = _RATIONALES[finding.category].format(outcome=_outcome(finding))
    return _bounded(sentence(said), "Then it no longer stands in the way", MAX_RATIONALE)


def _outcome(finding: Finding) -> str:
    wrong = finding.verification.wrong_outcome if finding.verification else None
    return cut(folded(clean(wrong or "")), 300) or _title(finding)


def _title(finding: Finding) -> str:
    return first_lower(cut(folded(clean(finding.title)), 200).rstrip("."))


def _example(finding: Finding) -> str:
    """Return the patch of the finding, or the code in its suggestion."""
    patch = finding.verification.patch if finding.verification else None
    if patch:
        return clean(patch)
    fenced = _FENCED.search(finding.suggestion or "")
    return clean(fenced[1].rstrip("\n")) if fenced else ""


def _bounded(text: str, more: str, most: int) -> str:
    return at_least(cut(text, most), MIN_TEXT, more)
