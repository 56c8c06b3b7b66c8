"""What becomes of the findings of a review in the next one, on real git histories."""

from pathlib import Path
from typing import Any

import pytest
from first_items import BASE, CLAIM, F821, FIRST, FIXED, QUOTE, fate

from affidavit.iterations.history import track
from affidavit.iterations.review_summary import summary_of
from affidavit.records.candidate import Candidate, Carried, Judgement, Status, Worth
from affidavit.records.diagnostics import Reason
from affidavit.records.docket import Docket
from affidavit.records.evidence import ReproductionCheck
from affidavit.records.report import Report
from affidavit.render.account import series_sentence
from affidavit.stages.follow_up import rerun
from claims import candidate
from repositories import Repo
from series import Claim, Series, claim, confirming, only_decision, refuting


def mumbling(_told: str) -> dict[str, Any]:
    """A verifier that answers nothing that can be read."""
    return {"judgment": "perhaps"}


def test_the_first_review_follows_nothing(series: Series) -> None:
    assert series.review([CLAIM]).follow_up is None


def test_what_a_model_does_not_repeat_is_still_open_and_blocks(series: Series) -> None:
    series.review([CLAIM])
    series.repo.commit("Elsewhere", {"util.py": "def helper():\n    return 2\n"})
    report = series.review([])
    assert fate(series) == ("still_open", "evidence")
    (open_one,) = report.shown
    assert open_one.carried is not None
    assert (open_one.status, report.verdict.decision) == (Status.VERIFIED, "request_changes")
    assert report.gate.exit_code == 1
    assert report.follow_up is not None
    assert report.follow_up.new == ()
    assert report.follow_up.iteration == 2


def test_a_fix_beside_the_quoted_code_is_decided_by_the_verifier(series: Series) -> None:
    series.review([CLAIM])
    series.repo.commit("Check", {"shop.py": FIXED})
    report = series.review([], judge=refuting)
    assert fate(series) == ("fixed", "verifier")
    assert only_decision(report).reason == "it is checked now"
    assert only_decision(report).code_changed
    (gone,) = report.withheld
    assert gone.withheld is not None
    assert gone.withheld.code is Reason.FIXED
    assert report.shown == []


def test_what_nobody_had_verified_and_is_refuted_where_nothing_was_changed_is_not_called_fixed(
    series: Series,
) -> None:
    assert series.review([CLAIM], judge=mumbling).shown[0].status is Status.UNVERIFIED
    series.repo.commit("Elsewhere", {"util.py": "def helper():\n    return 2\n"})
    report = series.review([], judge=refuting)
    assert fate(series) == ("cannot_tell", "verifier")
    assert only_decision(report).reason.startswith("its code is unchanged, and the claim is refuted: ")
    (gone,) = report.withheld
    assert gone.withheld is not None
    assert gone.withheld.code is Reason.REFUTED
    assert report.shown == []
    series.repo.commit("Elsewhere again", {"util.py": "def helper():\n    return 3\n"})
    third = series.review([], judge=confirming).follow_up
    assert third is not None
    assert third.decisions == (), "what was refuted is not carried on"


def test_what_the_verifier_confirms_at_the_new_head_is_still_open(series: Series) -> None:
    series.review([CLAIM])
    series.repo.commit(
        "Comment", {"shop.py": FIRST.replace("    return price", "    # the price\n    return price")}
    )
    series.review([], judge=confirming)
    assert fate(series) == ("still_open", "verifier")
    (asked,) = series.asked("verifier")
    assert "items[0].price" in asked


def test_code_that_was_changed_and_a_milder_judgement_are_a_partial_fix(series: Series) -> None:
    series.review([CLAIM])
    series.repo.commit("Half", {"shop.py": FIRST.replace("items[0].price", "(items or [None])[0].price")})

    def milder(_told: str) -> dict[str, Any]:
        return {**confirming(""), "severity": "low"}

    report = series.review([], judge=milder)
    assert fate(series) == ("partly_fixed", "verifier")
    assert only_decision(report).code_changed


def test_without_a_verifier_changed_code_cannot_be_told_and_does_not_block(series: Series) -> None:
    series.review([CLAIM])
    series.repo.commit("Half", {"shop.py": FIRST.replace("items[0].price", "(items or [None])[0].price")})
    report = series.review([], judge=None)
    assert fate(series) == ("cannot_tell", "evidence")
    (open_one,) = report.shown
    assert (open_one.status, report.verdict.decision, report.gate.exit_code) == ("unverified", "comment", 0)


def test_without_a_verifier_what_stands_as_it_stood_still_blocks(series: Series) -> None:
    series.review([CLAIM])
    series.repo.commit("Elsewhere", {"util.py": "def helper():\n    return 2\n"})
    report = series.review([], judge=None)
    assert (fate(series), report.gate.exit_code) == (("still_open", "evidence"), 1)


def test_code_that_is_gone_is_fixed_without_asking_anybody(series: Series) -> None:
    series.review([CLAIM])
    series.repo.commit("Other way", {"shop.py": "def lowest(goods):\n    return sorted(goods)\n"})
    series.review([])
    assert fate(series) == ("fixed", "evidence")
    assert series.asked("verifier") == []


def test_a_revert_is_a_fix(series: Series) -> None:
    series.repo.commit("More", {"util.py": "def helper():\n    return 3\n"})
    series.review([CLAIM])
    series.repo.commit("Back", {"shop.py": BASE["shop.py"]})
    report = series.review([])
    assert fate(series) == ("fixed", "evidence")
    assert "shop.py" in only_decision(report).reason


def test_a_reworded_finding_of_one_cause_is_known_by_the_joiner(series: Series) -> None:
    series.review([CLAIM])
    series.repo.commit(
        "Comment", {"shop.py": FIRST.replace("    return price", "    # low\n    return price")}
    )
    other = claim(
        "shop.py", 4, "        price = min(price, item.price)", title="Broken", message="Quite other words"
    )

    def one_cause(told: str) -> dict[str, Any]:
        names = [name for name in ("earlier-0", "logic-0") if f"[{name}]" in told]
        return {"groups": [{"cause": "no item at all", "findings": names}]}

    report = series.review([other], join=one_cause)
    decision = only_decision(report)
    assert decision.fate == "still_open"
    assert [one.id for one in report.shown] == [decision.now]
    assert report.follow_up is not None
    assert report.follow_up.new == ()


def test_another_finding_in_the_same_file_is_new(series: Series) -> None:
    series.review([CLAIM])
    series.repo.commit("Add", {"shop.py": FIRST + "\n\ndef last(items):\n    return items.pop()\n"})
    other = claim(
        "shop.py", 9, "    return items.pop()", title="`last` changes its argument", message="pop removes"
    )
    report = series.review([other])
    assert only_decision(report).fate == "still_open"
    assert report.follow_up is not None
    assert len(report.follow_up.new) == 1
    assert len(report.shown) == 2


def test_an_edit_in_what_another_lens_quoted_fixes_nothing(series: Series) -> None:
    twin = claim("shop.py", 2, QUOTE + "\n    for item in items:", title="`price` crashes for an empty list")

    def one_cause(told: str) -> dict[str, Any]:
        names = [name for name in ("logic-0", "logic-1", "earlier-0") if f"[{name}]" in told]
        return {"groups": [{"cause": "no item at all", "findings": names}]}

    series.review([CLAIM, twin], join=one_cause)
    series.repo.commit("Beside", {"shop.py": FIRST.replace("for item in items:", "for item in list(items):")})
    series.review([], join=one_cause)
    assert fate(series)[0] == "still_open"


def reasons(report: Report) -> set[Reason]:
    """Why findings are not shown, but for the same one by another lens."""
    return {one.withheld.code for one in report.withheld if one.withheld} - {Reason.DUPLICATE_OF}


def test_what_people_dismissed_is_not_raised_again_in_other_words(repo: Repo) -> None:
    repo.commit("Base", BASE)
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit("Take the first", {"shop.py": FIRST})
    series = Series(repo)
    name = series.review([CLAIM]).shown[0].fingerprint
    repo.git("checkout", "-q", "main")
    repo.commit(
        "Dismiss", {".affidavit/ignored.toml": f'[[ignore]]\nfingerprint = "{name}"\nwhy = "never empty"\n'}
    )
    repo.git("checkout", "-q", "feature")
    repo.git("rebase", "-q", "main")
    second = series.review([CLAIM])
    assert reasons(second) == {Reason.DISMISSED}
    assert fate(series) == ("dismissed", "people")
    decision = only_decision(second)
    assert decision.reason.endswith(": never empty"), decision.reason
    assert (decision.times, decision.code_changed) == (1, False)
    assert series_sentence(second).startswith("review 2 of this change: 1 dismissed")
    assert "still open" not in series_sentence(second)
    assert (summary_of(second).open, summary_of(second).verdict) == ((), "accept")
    assert track(summary_of(series.reports[0]), summary_of(second)).feedback_followed is None
    assert [proof for proof in series.recheck().proofs if proof.holds is not True] == []
    repo.commit("Comment", {"shop.py": FIRST + "# end\n"})
    again = claim(
        "shop.py", 2, QUOTE, rule_id="another-name", message="Nothing checks the length of it here."
    )
    third = series.review([again])
    assert third.shown == []
    assert reasons(third) == {Reason.DISMISSED}


@pytest.mark.parametrize("judge", [confirming, refuting, None])
def test_the_report_of_a_review_that_follows_is_derived_again(series: Series, judge: Any) -> None:
    series.review([CLAIM], proven=[F821])
    series.repo.commit(
        "Shift", {"shop.py": "import os\n\n\n" + FIRST, "util.py": "def helper():\n    return 2\n"}
    )
    series.review([], proven=[], judge=judge)
    done = series.recheck()
    assert [proof for proof in done.proofs if proof.holds is not True] == []
    assert any("review before" in word or "earlier" in word for word in done.words)


def test_three_reviews_count_how_often_an_issue_stood(series: Series, tmp_path: Path) -> None:
    series.review([CLAIM])
    for number in (2, 3):
        series.repo.commit("Elsewhere", {"util.py": f"def helper():\n    return {number}\n"})
        series.review([])
    assert only_decision(series.reports[-1]).times == 3
    assert series.reports[-1].inputs is not None
    earlier = series.reports[-1].inputs.earlier
    assert earlier is not None
    assert [one.number for one in earlier.history] == [1, 2]


def ran(outcome: Any) -> Candidate:
    """An open finding of the review before whose program was run at the new head."""
    carried = Carried(
        earlier="logic-0",
        key="k",
        trace="stands",
        judgement=Judgement(by="earlier", answer="CONFIRMED", worth=Worth.ACT),
        asks=True,
    )
    return candidate(carried=carried, reproduction=ReproductionCheck(outcome=outcome))


@pytest.mark.parametrize("outcome", ["reproduced", "reproduced_new"])
def test_what_still_fails_when_it_is_run_is_open_and_nobody_is_asked(outcome: str) -> None:
    (one,) = rerun(Docket(candidates=(ran(outcome),))).candidates
    assert one.withheld is None
    assert one.carried is not None
    assert one.carried.judgement is not None
    assert (one.carried.asks, one.carried.judgement.answer) == (False, "CONFIRMED")


def test_what_no_longer_fails_when_it_is_run_is_fixed() -> None:
    (one,) = rerun(Docket(candidates=(ran("not_reproduced"),))).candidates
    assert one.withheld is not None
    assert one.withheld.code is Reason.FIXED


@pytest.mark.parametrize("outcome", ["flaky", "could_not_run", "also_at_base"])
def test_a_run_that_says_nothing_leaves_it_to_the_verifier(outcome: str) -> None:
    (one,) = rerun(Docket(candidates=(ran(outcome),))).candidates
    assert one.withheld is None
    assert one.carried is not None
    assert one.carried.asks


@pytest.mark.parametrize("said", [[], [CLAIM]], ids=["carried", "reported again"])
def test_a_verifier_that_fails_takes_no_confirmation_away(series: Series, said: list[Claim]) -> None:
    series.review([CLAIM])
    series.repo.commit("Beside it", {"shop.py": FIRST + "\n\ndef last(items):\n    return items\n"})
    report = series.review(said, judge=mumbling)
    (open_one,) = report.shown
    assert (open_one.status, report.gate.exit_code) == ("verified", 1)
    assert "verifier" in {gap.name for gap in report.incomplete}
    assert fate(series) == ("still_open", "evidence")
    assert "its verifier gave no answer now" in only_decision(report).reason
    assert [proof for proof in series.recheck().proofs if proof.holds is not True] == []
    series.repo.commit("Elsewhere", {"util.py": "def helper():\n    return 2\n"})
    later = series.review(judge=None)
    assert (fate(series), later.gate.exit_code) == (("still_open", "evidence"), 1)


@pytest.mark.parametrize("said", [[], [CLAIM]], ids=["carried", "reported again"])
def test_a_verifier_that_answers_refutes_what_was_confirmed_before(series: Series, said: list[Claim]) -> None:
    series.review([CLAIM])
    series.repo.commit("Beside it", {"shop.py": FIRST + "\n\ndef last(items):\n    return items\n"})
    report = series.review(said, judge=refuting)
    assert (report.shown, report.gate.exit_code) == ([], 0)


def test_a_verifier_that_fails_leaves_changed_code_unverified(series: Series) -> None:
    series.review([CLAIM])
    series.repo.commit("Change it", {"shop.py": FIRST.replace("items[0].price", "items[0].price or 0")})
    report = series.review(judge=mumbling)
    assert [one.status for one in report.shown] == ["unverified"]
    assert report.gate.exit_code == 3
