"""Where a quote of a package stands: exact, elsewhere, several times, nowhere, or in no file that is here."""

import pytest

from affidavit.proof.quotes import PackageFile, check_dependency, still_follows
from affidavit.records.finding import DependencyQuote

LINES = ["def up(value):", "    return value + 5", "", "def down(value):", "    return value - 5", "x", "x"]
HASH = "cd" * 32
FILE = PackageFile("1.1.0", HASH, LINES)


def quote(code: str = "    return value + 5", **fields: object) -> DependencyQuote:
    given = {"package": "lib", "version": "1.1.0", "file": "lib.py", "sha256": HASH, "code_examined": code}
    return DependencyQuote.model_validate({**given, **fields})


@pytest.mark.parametrize(
    ("given", "outcome", "lines"),
    [
        (quote(), "exact", (2, 2)),
        (quote(sha256=HASH.upper(), line_range_examined=(1, 3)), "exact", (2, 2)),
        (quote("return   value + 5", line_range_examined=(4, 6)), "relocated", (2, 2)),
        (quote("2: return value + 5"), "exact", (2, 2)),
        (quote("x"), "ambiguous", (6, 6)),
        (quote("x", line_range_examined=(7, 7)), "exact", (7, 7)),
        (quote("return value * 5"), "not_found", (None, None)),
        (quote(sha256="ef" * 32), "other_file", (None, None)),
    ],
)
def test_a_quote_is_located_in_its_file(
    given: DependencyQuote, outcome: str, lines: tuple[int | None, int | None]
) -> None:
    check = check_dependency(given, FILE)
    assert (check.outcome, (check.start, check.end)) == (outcome, lines)
    assert check.code == ("" if lines[0] is None else LINES[lines[0] - 1])
    assert still_follows(given, check)


def test_a_file_that_is_not_here_leaves_it_on_its_word() -> None:
    check = check_dependency(quote(), "there is no package 'lib' here")
    assert (check.outcome, check.is_found, check.is_refuted) == ("not_here", False, False)
    assert check.summary == "quotes lib 1.1.0 lib.py, not verified: it is not here"


def test_the_version_is_that_of_the_file_whatever_the_quote_calls_it() -> None:
    assert check_dependency(quote(version="9.9"), FILE).summary == "quotes lib 1.1.0 lib.py:2"


def test_a_recorded_check_that_shows_other_code_is_none_of_this_quote() -> None:
    check = check_dependency(quote(), FILE)
    for forged in (
        {"code": "    return value - 5"},
        {"file": "other.py"},
        {"sha256": "00" * 32},
        {"start": 0},
        {"start": None},
    ):
        assert not still_follows(quote(), check.model_copy(update=forged)), forged
