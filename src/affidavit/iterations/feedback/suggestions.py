"""What to do about a finding: its own proposal where it brought one, else a template of its kind."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from affidavit.iterations.feedback.texts import at_least, cut, first_lower, folded, sentence
from affidavit.iterations.feedback.wording import Lint, lint_suggestion, plainer
from affidavit.records.finding import Category, Finding

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
        r"S\d{3}|flask-debug|tls-version|host-key-policy|joined-sql",
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
    """What to do and why, with its lint after the one repair."""

    action: str
    rationale: str
    example: str
    lint: Lint
    is_template: bool = False
    """The finding brought no proposal of its own, or one that could not be repaired."""


def suggestion_of(finding: Finding, place: str, clean: Callable[[str], str]) -> Suggestion:
    """The finding's own proposal, its words repaired once; a template where it has none."""
    own = folded(clean(_FENCED.sub(" ", finding.suggestion or "")))
    rationale = _rationale(finding, clean)
    if own:
        action = _bounded(own, f"Do it at `{place}`", MAX_ACTION)
        lint = lint_suggestion(action, rationale)
        if lint.forbidden:
            action, rationale = _bounded(plainer(action), "", MAX_ACTION), plainer(rationale)
            lint = lint_suggestion(action, rationale)
        if not lint.forbidden:
            return Suggestion(action, rationale, _example(finding, clean), lint)
    action = _template(finding, place, clean)
    lint = lint_suggestion(action, rationale)
    if lint.forbidden:
        # A title of a model may hedge, too.
        action, rationale = plainer(action), plainer(rationale)
        lint = lint_suggestion(action, rationale)
    return Suggestion(action, rationale, _example(finding, clean), lint, is_template=True)


def _template(finding: Finding, place: str, clean: Callable[[str], str]) -> str:
    by_rule = (text for pattern, text in _BY_RULE if finding.rule_id and re.search(pattern, finding.rule_id))
    template = next(by_rule, _ACTIONS[finding.category])
    said = template.format(place=place, title=_title(finding, clean), outcome=_outcome(finding, clean))
    return _bounded(sentence(said), f"Do it at `{place}`", MAX_ACTION)


def _rationale(finding: Finding, clean: Callable[[str], str]) -> str:
    said = _RATIONALES[finding.category].format(outcome=_outcome(finding, clean))
    return _bounded(sentence(said), "Then it no longer stands in the way", MAX_RATIONALE)


def _outcome(finding: Finding, clean: Callable[[str], str]) -> str:
    wrong = finding.verification.wrong_outcome if finding.verification else None
    return cut(folded(clean(wrong or "")), 300) or _title(finding, clean)


def _title(finding: Finding, clean: Callable[[str], str]) -> str:
    return first_lower(cut(folded(clean(finding.title)), 200).rstrip("."))


def _example(finding: Finding, clean: Callable[[str], str]) -> str:
    """The patch that settles it, or the code in its proposal."""
    patch = finding.verification.patch if finding.verification else None
    if patch:
        return clean(patch)
    fenced = _FENCED.search(finding.suggestion or "")
    return clean(fenced[1].rstrip("\n")) if fenced else ""


def _bounded(text: str, more: str, most: int) -> str:
    return at_least(cut(text, most), MIN_TEXT, more)
