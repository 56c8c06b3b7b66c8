"""What is said to be missing is looked for in the whole change, not only where its reviewer looked."""

from collections.abc import Iterator

import pytest

from affidavit.git.repository import GitRepository
from affidavit.records.candidate import Candidate
from affidavit.records.change import Change
from affidavit.records.docket import Docket
from affidavit.records.evidence import SearchRun
from affidavit.records.finding import Search
from affidavit.records.plan import Chunk, Plan
from affidavit.stages.evidence import search_whole_change
from claims import candidate, case_of, change_of, finding, opened
from repositories import Repo

TWO_CHUNKS = Plan(
    chunks=(Chunk(number=1, paths=("a.py",), tokens=1), Chunk(number=2, paths=("b.py",), tokens=1))
)
CHANGE: Change = change_of("a.py", "b.py")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GitRepository]:
    repo = Repo(tmp_path_factory.mktemp("repo"))
    with opened(repo, {"c.py": "check()\n"}, {"a.py": "x = 1\n", "b.py": "check()\n"}) as repository:
        yield repository


def claims_absence(*paths: str, pattern: str = "check") -> Candidate:
    search = Search(pattern=pattern, paths=paths)
    claim = finding({"is_absence_finding": True, "searches": (search,)}, file="a.py", line=1)
    return candidate(claim, searches=(SearchRun(search=search, state="nothing_found"),))


def searched(one: Candidate, repository: GitRepository, plan: Plan = TWO_CHUNKS) -> Candidate:
    case = case_of(CHANGE, repository, plan=plan)
    return search_whole_change(Docket(candidates=(one,)), case).candidates[0]


def hits(one: Candidate) -> list[str]:
    return [f"{hit.path}:{hit.line}" for run in one.searches for hit in run.hits]


def test_what_stands_in_a_part_that_the_specialist_did_not_see_is_found(repository: GitRepository) -> None:
    one = searched(claims_absence("a.py"), repository)
    assert hits(one) == ["b.py:1"]
    assert one.searches[-1].search.paths == ("b.py",)
    assert one.is_shown


def test_a_change_that_was_seen_whole_is_not_searched_again(repository: GitRepository) -> None:
    whole = Plan(chunks=TWO_CHUNKS.chunks[:1])
    one = searched(claims_absence("a.py"), repository, whole)
    assert len(one.searches) == 1


@pytest.mark.parametrize("paths", [(), ("a.py", "b.py"), (".",)])
def test_a_search_that_saw_every_changed_file_is_not_repeated(
    repository: GitRepository, paths: tuple[str, ...]
) -> None:
    one = searched(claims_absence(*paths), repository)
    assert len(one.searches) == 1


def test_a_pattern_that_cannot_be_run_is_said(repository: GitRepository) -> None:
    one = searched(claims_absence("a.py", pattern="("), repository)
    assert one.searches[-1].state == "failed"


def test_other_findings_are_left_alone(repository: GitRepository) -> None:
    other = candidate(finding())
    assert searched(other, repository) == other


def test_a_secret_in_what_is_found_is_written_down_nowhere(repo: Repo) -> None:
    key = "AKIA" + "IOSFODNN7QX3MPLE"
    with opened(repo, {"c.py": "x = 1\n"}, {"a.py": "x = 1\n", "b.py": f'check("{key}")\n'}) as repository:
        one = searched(claims_absence("a.py"), repository)
    assert hits(one) == ["b.py:1"]
    assert key not in one.model_dump_json()
