"""The joiner's answer: its schema, how it is read and checked, and the groups that it comes to."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from affidavit.contract.keyed_object import object_with_key
from affidavit.proof.judging.judgement import Unreadable
from affidavit.records.candidate import Candidate
from affidavit.records.docket import Group

GROUPING_SCHEMA_NAME = "findings_by_cause"
GROUPING_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["groups"],
    "properties": {
        "groups": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["cause", "findings"],
                "properties": {
                    "cause": {"type": "string", "description": "What one fix would settle, in a sentence"},
                    "findings": {"type": "array", "items": {"type": "string"}},
                },
            },
        }
    },
}
MAX_CAUSE = 300


@dataclass(frozen=True)
class Cause:
    """Findings that one fix would settle."""

    sentence: str
    findings: tuple[str, ...]


def read_grouping(text: str | None, asked: Collection[str]) -> list[Cause] | Unreadable:
    """Read a reply; every finding that was asked about is in exactly one group, and each has its cause."""
    value = object_with_key(text, "groups")
    groups = value.get("groups") if value else None
    if not isinstance(groups, list):
        return Unreadable(reason="the reply has no list of groups")
    causes = [_cause(group) for group in groups]
    if not all(cause.sentence and cause.findings for cause in causes):
        return Unreadable(reason="a group has no cause or no finding")
    named = Counter(name for cause in causes for name in cause.findings)
    problems = (
        ("names what is no finding", sorted(named.keys() - set(asked))),
        ("leaves out", sorted(set(asked) - named.keys())),
        ("has twice", sorted(name for name, times in named.items() if times > 1)),
    )
    for what, names in problems:
        if names:
            return Unreadable(reason=f"it {what}: {', '.join(names[:5])[:200]}")
    return causes


def _cause(group: Any) -> Cause:
    if not isinstance(group, dict) or not isinstance(group.get("findings"), list):
        return Cause("", ())
    sentence = group.get("cause")
    names = tuple(name for name in group["findings"] if isinstance(name, str))
    has_all = len(names) == len(group["findings"])
    said = " ".join(sentence.split())[:MAX_CAUSE] if isinstance(sentence, str) else ""
    return Cause(said, names if has_all else ())


def groups_by_cause(causes: Sequence[Cause], strongest_first: Sequence[Candidate]) -> list[Group]:
    """The groups that stand: only what models found is absorbed, so that no words bury what was proven.

    A proven finding leads where no model's is more severe; any other proven finding stands by itself.
    """
    groups = []
    for cause in causes:
        members = [one for one in strongest_first if one.id in cause.findings]
        proven = [one for one in members if one.is_proven_by_machine]
        claimed = [one for one in members if not one.is_proven_by_machine]
        if proven and claimed and _rank(proven[0]) <= _rank(claimed[0]):
            claimed = [proven[0], *claimed]
        if len(claimed) > 1:
            leader, *others = (one.id for one in claimed)
            groups.append(Group(leader=leader, members=tuple(others), cause=cause.sentence))
    return groups


def _rank(candidate: Candidate) -> int:
    return candidate.finding.severity.rank if candidate.finding else 9
