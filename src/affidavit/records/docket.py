"""What goes from stage to stage: all candidates so far, and everything that must be said about them."""

from collections.abc import Callable, Iterable, Sequence

from affidavit.records.candidate import Candidate
from affidavit.records.diagnostics import Diagnostic
from affidavit.records.evidence import AnalyserRun
from affidavit.records.finding import Finding
from affidavit.records.record import Record
from affidavit.records.report import Gap, ReplySummary, RoleUsage

Outcome = tuple[Candidate, Sequence[Diagnostic]]


class Group(Record):
    """Findings that say the same or have one cause, by their ids: the leader is judged for all of them."""

    leader: str
    members: tuple[str, ...]
    """The others, in the order in which they are judged where their leader does not stand."""
    cause: str = ""
    """What one fix would settle, in the joiner's words; empty where rules or likeness joined them."""


class Docket(Record):
    """One shape for every stage: it is handed in, and the next version of it comes out."""

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
        """What is claimed, whatever became of it."""
        return [candidate.finding for candidate in self.candidates if candidate.finding]

    @property
    def members(self) -> frozenset[str]:
        """Ids of the candidates that another one speaks for."""
        return frozenset(member for group in self.groups for member in group.members)

    @property
    def leading(self) -> list[Candidate]:
        """What stands and speaks for itself: these are the findings that a verifier is asked about."""
        members = self.members
        return [one for one in self.candidates if one.is_shown and one.id not in members]

    def each(self, step: Callable[[Candidate, Finding], Outcome]) -> "Docket":
        """Take a step with every candidate that still stands."""
        outcomes: list[Outcome] = [
            step(one, one.finding) if one.finding and not one.withheld else (one, ())
            for one in self.candidates
        ]
        return self.then(
            (candidate for candidate, _ in outcomes),
            diagnostics=[note for _, notes in outcomes for note in notes],
        )

    def then(self, candidates: Iterable[Candidate], diagnostics: Iterable[Diagnostic] = ()) -> "Docket":
        """The docket with its candidates as they are now, and with what was noted on the way."""
        return self.model_copy(
            update={"candidates": tuple(candidates), "diagnostics": (*self.diagnostics, *diagnostics)}
        )

    def plus(self, other: "Docket") -> "Docket":
        return self.model_copy(
            update={name: (*getattr(self, name), *getattr(other, name)) for name in Docket.model_fields}
        )
