"""Name each finding so that the name survives line shifts and renames."""

import hashlib
from collections import Counter

from affidavit.ports import Case
from affidavit.proof.quotes import fold
from affidavit.records.candidate import Candidate
from affidavit.records.docket import Docket
from affidavit.records.finding import Finding
from affidavit.records.record import Side


def add_fingerprints(docket: Docket, case: Case) -> Docket:
    """Fingerprint the findings, in the order of their places.

    A finding carried over from the earlier review keeps its fingerprint.
    """
    seen: Counter[str] = Counter()
    named: dict[str, Candidate] = {}
    members = docket.members
    in_order = sorted(docket.candidates, key=by_place)
    # Withheld findings and duplicates must not shift the count of the others.
    for candidate in sorted(in_order, key=lambda one: one.withheld is not None or one.id in members):
        if candidate.finding is None or (candidate.carried and not candidate.carried.is_repeated):
            continue
        seed = _fingerprint_seed(candidate.finding, case)
        fingerprint = _digest(seed, seen[seed])
        seen[seed] += 1
        named[candidate.id] = candidate.model_copy(update={"fingerprint": fingerprint})
    return docket.then(named.get(candidate.id, candidate) for candidate in in_order)


def by_place(candidate: Candidate) -> tuple[str, int, str, int]:
    """Return a key to sort by file and line."""
    finding = candidate.finding
    return (
        finding.file if finding else "",
        finding.line if finding else 0,
        candidate.specialist,
        candidate.index,
    )


def finding_name(rule: str, path: str, side: Side, text: str, count: int) -> str:
    """Return the fingerprint of a finding on a line with this text, which `count` others have before it."""
    return _digest(_seed(rule, path, side, text), count)


def rule_name(finding: Finding) -> str:
    """Return the rule of a finding, or its category if it has none."""
    return finding.rule_id or finding.category


def _digest(seed: str, count: int) -> str:
    return hashlib.sha256(f"{seed}\n{count}".encode()).hexdigest()[:16]


def _seed(rule: str, path: str, side: Side, text: str) -> str:
    return "\n".join(["1", rule, path, side, fold(text)])


def _fingerprint_seed(finding: Finding, case: Case) -> str:
    """Return what survives shifted lines and renames: the rule, the first path, the text of the line."""
    file = case.change.file_at(finding.file, finding.side)
    path = (file.base_path if file else None) or finding.file
    lines = case.repository.side(finding.side).lines(finding.file) or []
    text = lines[finding.line - 1] if finding.line <= len(lines) else ""
    return _seed(rule_name(finding), path, finding.side, text)
