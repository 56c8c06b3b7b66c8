"""Many findings, and the same one many times: how often the verifier is asked."""

from typing import Any

from scripted_verifiers import EXACT, SPENT, Answers, ByTitle, judged

from affidavit.events import ignore_events
from affidavit.records.candidate import Candidate, Status, Worth
from claims import candidate, finding


def reported(index: int, **fields: Any) -> Candidate:
    claim = finding(**{"rule_id": "ruff/F821", "severity": "medium", "line": index + 1, **fields})
    return candidate(
        claim, id=f"ruff-{index}", index=index, specialist="ruff", kind="mechanical", quote=EXACT
    )


def test_the_verifier_is_not_asked_about_what_an_analyser_proved() -> None:
    verifier = Answers(answer="REFUTED", worth="nit", reason="taste")
    proven = [reported(0, severity="low"), reported(1), reported(2, file="lib.py", severity="high")]
    claimed = candidate(finding(title="The total is wrong"), quote=EXACT)
    docket = judged([*proven, claimed], verifier, ignore_events)
    assert verifier.asked == 1
    assert [one.withheld is None for one in docket.candidates] == [True, True, True, False]
    assert {(one.status, one.worth) for one in docket.candidates[:3]} == {(Status.VERIFIED, Worth.ACT)}
    assert {one.by for found in docket.candidates[:3] for one in found.judgements} == {"machine"}
    assert docket.usage == (SPENT,)


def test_what_analysers_proved_takes_no_turn_from_what_models_found() -> None:
    items = [candidate(finding(title=str(at)), id=f"logic-{at}", index=at, quote=EXACT) for at in range(24)]
    verifier = ByTitle()
    docket = judged([*(reported(number) for number in range(900)), *items], verifier, ignore_events)
    assert len(verifier.asked) == 24
    assert docket.incomplete == ()


def test_so_many_findings_are_verified_that_the_number_grows_slower_than_they_do() -> None:
    items = [
        candidate(finding(severity="low" if at else "high", title=str(at)), id=f"logic-{at}", index=at)
        for at in range(900)
    ]
    verifier = ByTitle()
    docket = judged(items, verifier, ignore_events)
    assert len(verifier.asked) == 144
    assert "0" in verifier.asked
    unasked = [one for one in docket.candidates if one.status is Status.UNVERIFIED]
    assert len(unasked) == 900 - 144
    assert [gap.reason for gap in docket.incomplete] == ["756 findings not verified: too many for one review"]
