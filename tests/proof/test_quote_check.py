"""A quote is found where it is, and the finding moves to it."""

from collections.abc import Iterator

import pytest

from affidavit.git.repository import GitRepository
from affidavit.proof.quotes import check_quote
from affidavit.records.finding import Finding
from claims import finding, opened
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
    with opened(repo, {"app.py": ""}, {"app.py": APP}) as repository:
        yield repository


def quoting(code: str, lines: tuple[int, int], line: int) -> Finding:
    return finding({"code_examined": code, "line_range_examined": lines}, line=line)


def test_a_finding_far_from_the_range_that_it_examined_moves_to_its_quote(repository: GitRepository) -> None:
    quote, moved = check_quote(quoting("def total(items):", (1, 2), 12), repository)
    assert (quote.outcome, moved.line) == ("relocated", 1)


def test_a_finding_beside_the_range_that_it_examined_stays(repository: GitRepository) -> None:
    quote, kept = check_quote(quoting("result += item", (4, 4), 6), repository)
    assert (quote.outcome, kept.line) == ("exact", 6)


def test_of_two_quotes_in_the_range_the_one_on_the_findings_line_is_meant(repository: GitRepository) -> None:
    quote, kept = check_quote(quoting("result = 0", (1, 12), 9), repository)
    assert (quote.outcome, kept.line) == ("exact", 9)


def test_a_short_quote_is_shown_with_its_neighbours(repository: GitRepository) -> None:
    quote, _ = check_quote(quoting("result = 0", (9, 9), 9), repository)
    assert (quote.start, quote.end) == (8, 10)


def test_a_line_behind_the_end_of_the_file_is_not_exact(repository: GitRepository) -> None:
    quote, moved = check_quote(quoting("result += item", (1, 9999), 5000), repository)
    assert (quote.outcome, moved.line) == ("relocated", 4)
