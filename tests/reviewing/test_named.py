"""Which finding a user means."""

import pytest

from affidavit.errors import InputError
from affidavit.records.candidate import Candidate, Withheld
from affidavit.records.diagnostics import Reason
from affidavit.records.report import Report
from affidavit.reviewing.named import find_candidate
from claims import candidate, change_of, report_on

SHOWN = candidate(id="logic-0", fingerprint="3f9a11")
TWIN = candidate(id="ruff-0", fingerprint="3f9a11", withheld=Withheld(code=Reason.DUPLICATE_OF))
OTHER = candidate(id="logic-1", fingerprint="3f9b22")


def report_of(*candidates: Candidate) -> Report:
    return report_on(change_of("app.py"), *candidates)


@pytest.mark.parametrize("name", ["3f9a11", "3f9a", "logic-0"])
def test_the_shown_one_speaks_for_its_duplicates(name: str) -> None:
    assert find_candidate(report_of(TWIN, SHOWN, OTHER), name).id == "logic-0"


def test_a_duplicate_can_be_named_by_its_own_id() -> None:
    assert find_candidate(report_of(TWIN, SHOWN), "ruff-0").id == "ruff-0"


@pytest.mark.parametrize("name", ["3f9", "logic", ""])
def test_a_beginning_that_fits_several_problems_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="several findings|no finding ''"):
        find_candidate(report_of(SHOWN, OTHER), name)


def test_the_name_that_its_finder_gave_will_do_where_nothing_else_has_it() -> None:
    assert find_candidate(report_of(candidate(id="ruff-7")), "f1").id == "ruff-7"


def test_a_name_that_two_finders_gave_is_refused() -> None:
    twice = report_of(candidate(id="logic-0", fingerprint="a1"), candidate(id="security-0", fingerprint="b2"))
    with pytest.raises(InputError, match="several findings"):
        find_candidate(twice, "f1")
