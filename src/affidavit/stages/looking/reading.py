"""Hold what specialists say they checked against the calls they made: a look that never happened is noted."""

import re
from dataclasses import dataclass

from affidavit.ports import Case, Repository
from affidavit.records.candidate import Candidate
from affidavit.records.diagnostics import Reason
from affidavit.records.docket import Docket, Outcome
from affidavit.records.evidence import is_within
from affidavit.records.finding import Finding
from affidavit.records.plan import Plan
from affidavit.records.report import Reply

STAGE = "reading"
FLAG = "verification.checked_for_handling_elsewhere"
PATH = re.compile(r"[\w@+.~-]+(?:/[\w@+.~-]+)*/?")
MAX_CLAIM_LENGTH = 4_000
MAX_NAMED = 5


@dataclass(frozen=True)
class Reading:
    """What one specialist had before its eyes."""

    shown: frozenset[str]
    """Files of which its part of the diff shows something."""
    read: frozenset[str]
    searched: frozenset[str]
    calls: int

    def covers(self, path: str) -> bool:
        """Whether something of the file was seen, or a search was confined to it."""
        return path in self.shown or path in self.read or any(is_within(path, each) for each in self.searched)


def doubt_unmade_looks(docket: Docket, case: Case) -> Docket:
    """A claim to have looked elsewhere stands only where a call shows it; others are not believed."""
    readings = {
        reply.specialist: _reading(reply, case.plan) for reply in case.replies if reply.uses is not None
    }
    known = _Files.of(case.repository) if readings else _Files(frozenset(), {})

    def doubt(candidate: Candidate, finding: Finding) -> Outcome:
        reading = readings.get(candidate.specialist)
        problem = _problem(finding, reading, known) if reading else None
        if problem is None:
            return candidate, ()
        note = candidate.note(Reason.CLAIMED_LOOK_NOT_MADE, problem, FLAG)
        return _without_flag(candidate, finding, problem), [note]

    return docket.each(doubt)


def _reading(reply: Reply, plan: Plan | None) -> Reading:
    uses = reply.uses or ()
    shown = [
        path for chunk in (plan.chunks if plan else ()) if chunk.number == reply.chunk for path in chunk.paths
    ]
    return Reading(
        shown=frozenset(shown),
        read=frozenset(path for use in uses for path in use.read),
        searched=frozenset(place for use in uses for place in use.searched),
        calls=len(uses),
    )


def _problem(finding: Finding, reading: Reading, known: "_Files") -> str | None:
    """Why the claim to have looked elsewhere is not borne out, or None."""
    evidence = finding.verification
    if evidence is None or not evidence.checked_for_handling_elsewhere:
        return None
    named = known.named_in(evidence.where_checked or "")
    unread = [name for name, files in named.items() if not any(map(reading.covers, files))]
    if unread:
        more = f" and {len(unread) - MAX_NAMED} more" if len(unread) > MAX_NAMED else ""
        return f"it says that it looked in {', '.join(unread[:MAX_NAMED])}{more}, but no tool call read that"
    if not reading.calls and not named:
        return "it says that it looked elsewhere, but it made no tool call"
    return None


@dataclass(frozen=True)
class _Files:
    """The files of both sides, by path and by name."""

    paths: frozenset[str]
    by_name: dict[str, list[str]]

    @classmethod
    def of(cls, repository: Repository) -> "_Files":
        paths = frozenset([*repository.head.entries(), *repository.base.entries()])
        by_name: dict[str, list[str]] = {}
        for path in paths:
            by_name.setdefault(path.rsplit("/", 1)[-1], []).append(path)
        return cls(paths, by_name)

    def named_in(self, text: str) -> dict[str, list[str]]:
        """Each name in a text that means files of the repository, and which; other words mean none."""
        words = dict.fromkeys(match.group().strip(".~") for match in PATH.finditer(text[:MAX_CLAIM_LENGTH]))
        meant = {word: self._meant_by(word) for word in words}
        return {word: files for word, files in meant.items() if files}

    def _meant_by(self, word: str) -> list[str]:
        path = word.removeprefix("./").rstrip("/")
        if path in self.paths and ("/" in path or "." in path):
            return [path]
        if "/" not in word:
            return self.by_name.get(path, []) if "." in path else []
        ending = [
            known for known in self.by_name.get(path.rsplit("/", 1)[-1], ()) if known.endswith(f"/{path}")
        ]
        return ending or [known for known in self.paths if known.startswith(f"{path}/")]


def _without_flag(candidate: Candidate, finding: Finding, problem: str) -> Candidate:
    evidence = finding.verification
    if evidence is None:
        return candidate
    checked = evidence.model_copy(update={"checked_for_handling_elsewhere": False})
    corrected = finding.model_copy(update={"verification": checked})
    return candidate.then(STAGE, f"not believed: {problem}", finding=corrected)
