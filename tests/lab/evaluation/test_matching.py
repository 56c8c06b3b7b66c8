"""Which finding shows which expected problem."""

import asyncio

import pytest
from evaluated_cases import a_case, found, known_wrong, outcomes, problem, scored

from affidavit.lab.evaluation.matching import Opinion
from affidavit.lab.records import CaseRun, KnownClaim, KnownPlace
from affidavit.records.change import Hunk
from affidavit.records.diagnostics import Reason
from affidavit.records.finding import Finding
from affidavit.records.measure import Label
from claims import change_of, file_change


class SaysSo:
    """A judge that takes for the same what shares its first word."""

    async def compare(self, claim: KnownClaim, finding: Finding) -> Opinion:
        await asyncio.sleep(0)
        same = claim.description.split()[0] == finding.title.split()[0]
        return Opinion(is_same=same, basis="judged", reason="the first word")


def pairs(run: CaseRun) -> dict[int, str]:
    return {match.expected: match.candidate for match in run.matches}


@pytest.mark.parametrize(("line", "is_match"), [(6, False), (7, True), (10, True), (15, True), (16, False)])
def test_three_lines_beside_the_problem_still_match_and_four_do_not(line: int, is_match: bool) -> None:
    run = scored(a_case(problem(10, 12)), found("f", line))
    assert bool(run.matches) is is_match


def test_a_finding_over_many_lines_matches_where_its_last_line_is_near() -> None:
    run = scored(a_case(problem(20)), found("f", 2, 17))
    assert pairs(run) == {0: "f"}
    assert run.matches[0].distance == 3


def test_the_same_line_of_another_file_does_not_match() -> None:
    assert not scored(a_case(problem(10)), found("f", 10, file="other.py")).matches


def test_a_further_acceptable_place_matches() -> None:
    elsewhere = problem(10, also=(KnownPlace(file="caller.py", line=40),))
    assert pairs(scored(a_case(elsewhere), found("f", 41, file="caller.py"))) == {0: "f"}


def test_without_a_judge_the_category_must_agree_where_one_is_stated() -> None:
    case = a_case(problem(10, category="security"))
    assert not scored(case, found("f", 10, category="correctness")).matches
    run = scored(case, found("f", 10, category="security"))
    assert run.matches[0].basis == "place_and_category"
    assert scored(a_case(problem(10)), found("f", 10)).matches[0].basis == "place"


def test_a_finding_of_another_category_in_the_place_is_told_beside_the_miss() -> None:
    run = scored(a_case(problem(10, category="security")), found("f", 10, category="correctness"))
    assert [(near.candidate, near.withheld) for near in run.misses[0].near] == [("f", None)]
    assert "correctness where security" in run.misses[0].near[0].why


def test_with_a_judge_the_meaning_decides_and_not_the_category() -> None:
    case = a_case(problem(10, category="security", description="Injection of SQL"))
    run = scored(
        case,
        found("same", 12, title="Injection through name", category="correctness"),
        found("other", 10, title="Naming is odd", category="security"),
        meaning=SaysSo(),
    )
    assert pairs(run) == {0: "same"}
    assert run.matches[0].basis == "judged"


def test_one_finding_shows_one_problem_only() -> None:
    run = scored(a_case(problem(10), problem(12)), found("f", 11))
    assert len(run.matches) == 1
    assert len(run.misses) == 1


def test_two_findings_and_two_problems_are_paired_so_that_both_count() -> None:
    # "a" is near to both problems, "b" to the first alone: a greedy reader would give the first to "a".
    run = scored(a_case(problem(10), problem(14)), found("a", 11), found("b", 7))
    assert pairs(run) == {0: "b", 1: "a"}


def test_adjacent_problems_go_to_the_findings_on_their_own_lines() -> None:
    run = scored(a_case(problem(10), problem(11)), found("second", 11), found("first", 10))
    assert pairs(run) == {0: "first", 1: "second"}


def test_code_that_the_change_removed_is_compared_with_where_it_stood() -> None:
    hunk = Hunk(old_start=1, old_count=3, new_start=51, new_count=1, lines=(" a", "-guard", "-guard"))
    change = change_of(files=(file_change("app.py", hunks=(hunk,)),))
    gone = found("f", 2, evidence={"side": "base", "line_range_examined": (2, 3)})
    assert scored(a_case(problem(51)), gone, change=change).matches
    assert not scored(a_case(problem(2)), gone, change=change).matches


def test_a_second_finding_on_a_found_problem_is_a_repeat_and_neither_true_nor_wrong() -> None:
    run = scored(a_case(problem(10)), found("near", 12), found("exact", 10))
    assert outcomes(run) == {"near": "repeat", "exact": "true"}


def test_a_withheld_finding_finds_nothing_but_is_told_beside_the_miss() -> None:
    run = scored(a_case(problem(10)), found("f", 10, withheld=Reason.REFUTED))
    assert not run.matches
    assert [(near.candidate, near.withheld) for near in run.misses[0].near] == [("f", Reason.REFUTED)]


def test_a_duplicate_is_not_told_as_a_lost_finding() -> None:
    run = scored(a_case(problem(10)), found("f", 10, withheld=Reason.DUPLICATE_OF))
    assert run.misses[0].near == ()


def test_everything_shown_on_a_clean_case_is_wrong() -> None:
    assert outcomes(scored(a_case(), found("a", 1), found("b", 90))) == {"a": "wrong", "b": "wrong"}


def test_an_unmatched_finding_of_another_case_is_unlabelled() -> None:
    assert outcomes(scored(a_case(problem(10)), found("f", 90))) == {"f": "unlabelled"}


def test_a_finding_that_makes_a_claim_known_to_be_wrong_is_wrong() -> None:
    case = a_case(problem(10), known_wrong=(known_wrong(90, category="correctness"),))
    run = scored(case, found("told", 91), found("another", 91, category="style"))
    assert outcomes(run) == {"told": "wrong", "another": "unlabelled"}


def test_a_label_goes_before_what_the_case_assumes() -> None:
    labels = {"v": Label.VALID, "w": Label.WRONG, "n": Label.NIT}
    run = scored(a_case(problem(10)), found("v", 50), found("w", 60), found("n", 70), labels=labels)
    assert outcomes(run) == {"v": "true", "w": "wrong", "n": "nit"}
    assert outcomes(scored(a_case(), found("v", 50), labels=labels)) == {"v": "true"}


def test_what_a_person_called_wrong_shows_no_problem_however_near() -> None:
    run = scored(a_case(problem(10)), found("w", 10), labels={"w": Label.WRONG})
    assert not run.matches
    assert outcomes(run) == {"w": "wrong"}
