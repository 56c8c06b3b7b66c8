"""One shape for every stage: it adds up, and another process can go on with it."""

from affidavit.records.candidate import Candidate
from affidavit.records.diagnostics import Reason
from affidavit.records.docket import Docket, Group, Outcome
from affidavit.records.finding import Finding
from affidavit.records.report import Gap
from claims import candidate

FIRST, SECOND = candidate(id="a-0"), candidate(id="b-0")
ENDED = candidate(id="c-0").withhold("evidence", Reason.EVIDENCE_NOT_FOUND)
GAP = Gap(name="ty", reason="it crashed")


def test_two_dockets_are_one_after_the_other() -> None:
    one = Docket(candidates=(FIRST,), incomplete=(GAP,))
    other = Docket(candidates=(SECOND,), diagnostics=(SECOND.note(Reason.NIT),))
    both = Docket(candidates=(FIRST, SECOND), incomplete=(GAP,), diagnostics=(SECOND.note(Reason.NIT),))
    assert one.plus(other) == both


def test_who_is_spoken_for_or_withheld_does_not_lead() -> None:
    group = Group(leader="b-0", members=("a-0",))
    assert Docket(candidates=(FIRST, SECOND, ENDED), groups=(group,)).leading == [SECOND]


def test_a_step_is_taken_with_those_that_still_stand_and_what_it_notes_is_kept() -> None:
    def step(one: Candidate, _finding: Finding) -> Outcome:
        return one.then("test", "seen"), [one.note(Reason.NIT, one.id)]

    docket = Docket(candidates=(FIRST, ENDED)).each(step)
    assert [one.steps[-1].what for one in docket.candidates] == ["seen", "withheld: evidence_not_found"]
    assert [note.detail for note in docket.diagnostics] == ["a-0"]
