from collections.abc import Iterator
from typing import Any

import pytest

from affidavit.git.repository import GitRepository
from affidavit.records.candidate import Candidate, Status
from affidavit.records.change import Change
from affidavit.records.diagnostics import Reason
from affidavit.records.docket import Docket
from affidavit.records.plan import Plan
from affidavit.stages.evidence import check_causes, leave_pre_existing, locate_quotes, run_searches
from claims import bare_finding, candidate, case_of, change_of, finding, opened
from repositories import Repo

APP = """def total(items):
    result = 0
    for item in items:
        result += item
    return result


def count(items):
    result = 0
    for item in items:
        result += 1
    return result
"""


@pytest.fixture
def repository(repo: Repo) -> Iterator[GitRepository]:
    base = {
        "app.py": APP.replace("+= 1", "+= 2"),
        "gone.py": "import os\n",
        "other.py": "from app import total\n",
    }
    with opened(repo, base, {"app.py": APP, "gone.py": None}) as repository:
        yield repository


CHANGE = change_of("app.py")


def check_all(
    claim: Any, repository: GitRepository, change: Change = CHANGE, *, has_verifier: bool = False
) -> Docket:
    case = case_of(change, repository, plan=Plan() if has_verifier else None)
    docket = Docket(candidates=(candidate(claim),))
    for each in (locate_quotes, leave_pre_existing, check_causes, run_searches):
        docket = each(docket, case)
    return docket


def check(claim: Any, repository: GitRepository, *given: Any, **options: Any) -> Candidate:
    return check_all(claim, repository, *given, **options).candidates[0]


def quoting(code: str, lines: tuple[int, int], line: int, **evidence: Any) -> Any:
    return finding({"code_examined": code, "line_range_examined": lines, **evidence}, line=line)


def test_a_quote_where_it_is_said_to_stand_is_exact(repository: GitRepository) -> None:
    checked = check(quoting("result += item", (1, 5), 4), repository)
    assert checked.quote is not None
    assert (checked.quote.outcome, checked.quote.start, checked.quote.code) == (
        "exact",
        4,
        "        result += item",
    )


def test_a_quote_elsewhere_in_the_file_moves_the_finding(repository: GitRepository) -> None:
    result = check_all(quoting("result += 1", (2, 3), 2), repository)
    moved = result.candidates[0]
    assert moved.finding is not None
    assert moved.finding.line == 11
    assert [diagnostic.code for diagnostic in result.diagnostics] == [Reason.EVIDENCE_RELOCATED]


def test_a_quote_that_stands_several_times_is_taken_nearest_to_the_claimed_line(
    repository: GitRepository,
) -> None:
    result = check_all(quoting("result = 0", (90, 99), 95), repository)
    moved = result.candidates[0]
    assert moved.finding is not None
    assert moved.finding.line == 9
    assert [diagnostic.code for diagnostic in result.diagnostics] == [Reason.EVIDENCE_AMBIGUOUS]


def test_a_finding_whose_quote_is_not_in_the_file_is_withheld(repository: GitRepository) -> None:
    refused = check(quoting("result -= item", (1, 5), 4), repository)
    assert refused.withheld is not None
    assert (refused.withheld.code, refused.status) == (Reason.EVIDENCE_NOT_FOUND, Status.FALSE_POSITIVE)


def test_real_code_cited_in_the_wrong_file_is_withheld(repository: GitRepository) -> None:
    claim = finding({"code_examined": "result += item"}, file="other.py", line=1)
    refused = check(claim, repository, change_of("app.py", "other.py"))
    assert refused.withheld is not None
    assert refused.withheld.code is Reason.EVIDENCE_NOT_FOUND


def test_removed_code_is_quoted_at_base(repository: GitRepository) -> None:
    claim = quoting("result += 2", (8, 12), 11, side="base")
    assert check(claim, repository).withheld is None


def test_removed_code_is_not_found_at_head(repository: GitRepository) -> None:
    assert check(quoting("result += 2", (8, 12), 11), repository).withheld is not None


def test_a_deleted_file_can_be_quoted_at_base_only(repository: GitRepository) -> None:
    at_base = finding({"code_examined": "import os", "side": "base"}, file="gone.py", line=1)
    at_head = finding({"code_examined": "import os"}, file="gone.py", line=1)
    change = change_of("gone.py")
    assert check(at_base, repository, change).withheld is None
    assert check(at_head, repository, change).withheld is not None


def test_a_finding_without_a_quote_must_name_a_line_that_exists(repository: GitRepository) -> None:
    assert check(bare_finding(line=12), repository).withheld is None
    assert check(bare_finding(line=13), repository).withheld is not None


@pytest.mark.parametrize(
    ("cause", "is_kept"),
    [
        ({"file": "app.py", "symbol": "total"}, True),
        ({"file": "app.py", "symbol": "app.total"}, True),
        ({"file": "app.py", "symbol": "app"}, True),
        ({"file": "app.py", "symbol": "tot"}, False),
        ({"file": "other.py", "symbol": "total"}, False),
    ],
)
def test_an_impact_finding_names_a_symbol_that_the_change_has(
    repository: GitRepository, cause: dict[str, str], is_kept: bool
) -> None:
    evidence = {"code_examined": "from app import total", "is_impact_finding": True, "caused_by": cause}
    checked = check(finding(evidence, file="other.py", line=1), repository)
    assert (checked.withheld is None) == is_kept


def test_a_finding_about_what_was_there_before_is_withheld_and_not_called_false(
    repository: GitRepository,
) -> None:
    left = check(quoting("result += item", (1, 5), 4, is_pre_existing=True), repository)
    assert left.withheld is not None
    assert left.withheld.code is Reason.PRE_EXISTING
    assert left.status is not Status.FALSE_POSITIVE


def absence(*searches: dict[str, Any]) -> Any:
    evidence = {"code_examined": "result += item", "is_absence_finding": True, "searches": searches}
    return finding(evidence, line=4)


def test_an_absence_that_a_search_confirms_stands(repository: GitRepository) -> None:
    checked = check(absence({"pattern": "if not items"}), repository)
    assert checked.withheld is None
    assert [run.state for run in checked.searches] == ["nothing_found"]


def test_an_absence_claim_without_a_search_is_withheld(repository: GitRepository) -> None:
    checked = check(absence(), repository)
    assert checked.withheld is not None
    assert checked.withheld.code is Reason.ABSENCE_NOT_SEARCHED


def test_an_absence_that_a_search_disproves_is_withheld(repository: GitRepository) -> None:
    checked = check(absence({"pattern": "import total"}), repository)
    assert checked.withheld is not None
    assert (checked.withheld.code, checked.status) == (Reason.ABSENCE_DISPROVED, Status.FALSE_POSITIVE)


def test_with_a_verifier_the_hits_of_a_search_are_left_to_it(repository: GitRepository) -> None:
    checked = check(absence({"pattern": "import total"}), repository, has_verifier=True)
    assert checked.withheld is None
    assert [hit.path for run in checked.searches for hit in run.hits] == ["other.py"]


@pytest.mark.parametrize("search", [{"pattern": "(unclosed"}, {"pattern": "x", "paths": ("no/such/folder",)}])
def test_a_search_that_cannot_be_run_proves_nothing(
    repository: GitRepository, search: dict[str, Any]
) -> None:
    checked = check(absence(search), repository)
    assert checked.withheld is not None
    assert checked.withheld.code is Reason.ABSENCE_NOT_SEARCHED
