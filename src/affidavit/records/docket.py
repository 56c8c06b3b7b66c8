"""Define the data that goes from stage to stage: all candidates so far, with diagnostics."""

from collections.abc import Callable, Iterable, Sequence

from affidavit.records.candidate import Candidate
from affidavit.records.diagnostics import Diagnostic
from affidavit.records.evidence import AnalyserRun
from affidavit.records.finding import Finding
from affidavit.records.record import Record
from affidavit.records.report import Gap, ReplySummary, RoleUsage

Outcome = tuple[Candidate, Sequence[Diagnostic]]


class Group(Record):
    """Duplicate findings, or findings with one cause; the leader is judged for all of them."""

    leader: str
    members: tuple[str, ...]
    """The others, in the order in which they are judged if their leader is refuted."""
    cause: str = ""
    """The common cause in the joiner's words; empty if rules or likeness joined them."""


class Docket(Record):
    """The data that goes from stage to stage."""

    candidates: tuple[Candidate, ...] = ()
    groups: tuple[Group, ...] = ()
    replies: tuple[ReplySummary, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    incomplete: tuple[Gap, ...] = ()
    not_run: tuple[Gap, ...] = ()
    analyser_runs: tuple[AnalyserRun, ...] = ()
    usage: tuple[RoleUsage, ...] = ()

    @property
    def findings(self) -> list[Finding]:
        return [candidate.finding for candidate in self.candidates if candidate.finding]

    @property
    def joins_claims(self) -> bool:
        """Check for groups in which something is not proven by an analyser."""
        return bool(self.groups) and any(one.kind != "mechanical" for one in self.candidates)

    @property
    def members(self) -> frozenset[str]:
        """Return the ids of candidates that another one represents."""
        return frozenset(member for group in self.groups for member in group.members)

    @property
    def leading(self) -> list[Candidate]:
        """Return the open findings that no other represents: the verifier judges these."""
        members = self.members
        return [one for one in self.candidates if one.is_shown and one.id not in members]

    def each(self, step: Callable[[Candidate, Finding], Outcome]) -> "Docket":
        """Apply a step to every candidate that is not withheld."""
        outcomes: list[Outcome] = [
            step(one, one.finding) if one.finding and not one.withheld else (one, ())
            for one in self.candidates
        ]
        return self.then(
            (candidate for candidate, _ in outcomes),
            diagnostics=[note for _, notes in outcomes for note in notes],
        )

    def then(self, candidates: Iterable[Candidate], diagnostics: Iterable[Diagnostic] = ()) -> "Docket":
        """Return the docket with these candidates and further diagnostics."""
        return self.model_copy(
            update={"candidates": tuple(candidates), "diagnostics": (*self.diagnostics, *diagnostics)}
        )

    def plus(self, other: "Docket") -> "Docket":
        return self.model_copy(
            update={name: (*getattr(self, name), *getattr(other, name)) for name in Docket.model_fields}
        )
