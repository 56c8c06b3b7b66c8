"""Define the verifier's and the joiner's answers, and read them."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from affidavit.contract.reply_text import object_with_key
from affidavit.contract.schema import strict_object
from affidavit.records.candidate import Candidate, Judgement, Scenario, Worth
from affidavit.records.docket import Group
from affidavit.records.finding import Severity


def unanswered_in(judgements: Sequence[Judgement]) -> list[Judgement]:
    """Return the judgements of verifiers that were asked and gave no answer."""
    return [one for one in judgements if one.by == "verifier" and one.model and one.outcome != "answered"]


def join(first: Judgement, second: Judgement) -> Judgement:
    """Join two judgements: either refutes, both must confirm, and the milder worth counts.

    If two verifiers disagree, the finding is too often wrong to be shown. A missing answer refutes nothing:
    a finding that only one of them confirmed is likely.
    """
    refuting = [one for one in (first, second) if one.answer == "REFUTED"]
    confirming = [one for one in (first, second) if one.answer == "CONFIRMED"]
    if refuting:
        reason = f"{refuting[0].model} refutes it: {refuting[0].reason}"
        return _ruling(answer="REFUTED", reason=reason, worth=Worth.NIT)
    if not confirming:
        reason = f"neither verifier answered: {first.reason or first.outcome}"
        return _ruling(outcome=first.outcome, reason=reason)
    is_alone = len(confirming) == 1
    reason = f"only {confirming[0].model} answered: {confirming[0].reason}" if is_alone else first.reason
    return _ruling(
        answer="CONFIRMED",
        qualified=is_alone or any(one.qualified for one in confirming),
        worth=max((_worth(one) for one in confirming), key=list(Worth).index),
        severity=_milder(confirming),
        reason=reason,
    )


def _milder(confirming: Sequence[Judgement]) -> Severity | None:
    said = [one.severity for one in confirming if one.severity]
    return max(said, key=lambda one: one.rank, default=None)


def _worth(judgement: Judgement) -> Worth:
    # Without a worth, the verifier has not said that it is worth acting on.
    return judgement.worth or Worth.MAYBE


def _ruling(**fields: object) -> Judgement:
    return Judgement.model_validate({"by": "ruling", **fields})


UNCHANGED = "unchanged"
JUDGEMENT_SCHEMA_NAME = "verification_judgment"
_JUDGEMENT: dict[str, Any] = {
    "scenario": {"type": "string", "enum": list(get_args(Scenario))},
    "judgment": {
        "type": "string",
        "enum": ["CONFIRMED", "REFUTED"],
        "description": "Binary verification judgment for the finding",
    },
    "qualified": {"type": "boolean"},
    "worth": {"type": "string", "enum": ["act", "maybe", "nit"]},
    "reason": {"type": "string"},
    "severity": {"type": "string", "enum": [str(one) for one in Severity]},
}
_RUN = {
    "type": "string",
    "description": "The `run` that run_program answered with, where a program decided it; otherwise empty",
}
JUDGEMENT_SCHEMA = strict_object(_JUDGEMENT)
RUNNING_SCHEMA = strict_object({**_JUDGEMENT, "run": _RUN})
"""For a verifier that can run programs: it names the one that decided."""
JUDGEMENTS = ("CONFIRMED", "REFUTED")


def read_judgement(text: str | None, model: str) -> Judgement | str:
    """Read a reply, or say why it is not a judgement. Prose around the object is skipped."""
    value = object_with_key(text, "judgment")
    if value is None:
        return "the reply has no JSON object, a broken one or several"
    given = value.get("judgment")
    word = given.strip().upper() if isinstance(given, str) else None
    if word not in JUDGEMENTS:
        return f"judgment must be CONFIRMED or REFUTED, not {str(given)[:40]!r}"
    scenario = _word(value.get("scenario"), get_args(Scenario))
    worth, severity = _word(value.get("worth"), Worth), _word(value.get("severity"), Severity)
    reason = str(value.get("reason") or "")[:1000]
    if scenario == UNCHANGED and word == "CONFIRMED":
        # A problem that base has too, and nobody promised to fix, is not a problem of this change.
        word, reason = "REFUTED", f"unchanged, base and head end alike: {reason}"
    return Judgement.model_validate(
        {
            "by": "verifier",
            "answer": word,
            "qualified": value.get("qualified") is True,
            "scenario": scenario,
            "worth": worth,
            "severity": severity,
            "reason": reason,
            "model": model,
        }
    )


def read_run(text: str | None) -> str:
    """Read which run decided a judgement; empty if it names none."""
    value = object_with_key(text, "judgment") or {}
    run = value.get("run")
    return run.strip() if isinstance(run, str) else ""


def _word(value: Any, known: Iterable[str]) -> str | None:
    word = value.strip().lower() if isinstance(value, str) else ""
    return word if word in set(known) else None


GROUPING_SCHEMA_NAME = "findings_by_cause"
_GROUP = strict_object(
    {
        "cause": {"type": "string", "description": "What one fix would settle, in a sentence"},
        "findings": {"type": "array", "items": {"type": "string"}},
    }
)
GROUPING_SCHEMA = strict_object({"groups": {"type": "array", "items": _GROUP}})
MAX_CAUSE = 300


@dataclass(frozen=True)
class SharedCause:
    """Findings that one fix would settle."""

    sentence: str
    findings: tuple[str, ...]


def read_grouping(text: str | None, asked: Collection[str]) -> list[SharedCause] | str:
    """Read a reply, or say why it is not a grouping: each finding is in one group, each group has a cause."""
    value = object_with_key(text, "groups")
    groups = value.get("groups") if value else None
    if not isinstance(groups, list):
        return "the reply has no list of groups"
    causes = [_cause(group) for group in groups]
    if not all(cause.sentence and cause.findings for cause in causes):
        return "a group has no cause or no finding"
    named = Counter(name for cause in causes for name in cause.findings)
    problems = (
        ("names what is no finding", sorted(named.keys() - set(asked))),
        ("leaves out", sorted(set(asked) - named.keys())),
        ("has twice", sorted(name for name, times in named.items() if times > 1)),
    )
    for what, names in problems:
        if names:
            return f"it {what}: {', '.join(names[:5])[:200]}"
    return causes


def _cause(group: Any) -> SharedCause:
    if not isinstance(group, dict) or not isinstance(group.get("findings"), list):
        return SharedCause("", ())
    sentence = group.get("cause")
    names = tuple(name for name in group["findings"] if isinstance(name, str))
    has_all = len(names) == len(group["findings"])
    said = " ".join(sentence.split())[:MAX_CAUSE] if isinstance(sentence, str) else ""
    return SharedCause(said, names if has_all else ())


def groups_by_cause(causes: Sequence[SharedCause], strongest_first: Sequence[Candidate]) -> list[Group]:
    """Return the groups to make: only findings of models are absorbed, so that no proof is buried.

    A proven finding leads if no model's is more severe; otherwise it stays alone.
    """
    groups = []
    for cause in causes:
        members = [one for one in strongest_first if one.id in cause.findings]
        proven = [one for one in members if one.is_proven_by_machine]
        claimed = [one for one in members if not one.is_proven_by_machine]
        if proven and claimed and proven[0].rank <= min(one.rank for one in claimed):
            claimed = [proven[0], *claimed]
        if len(claimed) > 1:
            leader, *others = (one.id for one in claimed)
            groups.append(Group(leader=leader, members=tuple(others), cause=cause.sentence))
    return groups
