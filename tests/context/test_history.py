"""History: who wrote the replaced lines, and what usually changes together."""

from pathlib import Path

import pytest

from affidavit.context.history import commit_files, find_companions, find_origins, line_ranges
from affidavit.git.repository import GitRepository
from affidavit.git.tree import GitTree
from claims import change_of
from python_changes import Case, make_case
from repositories import Repo, run_git


def case_between(repo: Repo, base: str, head: str) -> Case:
    return Case(repo, base, head)


def grown(repo: Repo) -> str:
    """A file whose lines come from three commits."""
    repo.commit("Add the first lines", {"app.py": "one\ntwo\nthree\n"})
    repo.commit("Say two better", {"app.py": "one\nTWO\nthree\n"})
    return repo.commit("Add the end", {"app.py": "one\nTWO\nthree\nfour\nfive\n"})


def test_replaced_lines_are_grouped_by_who_wrote_them_and_why(repo: Repo) -> None:
    base = grown(repo)
    head = repo.commit("Rewrite", {"app.py": "1\n2\nthree\n4\n5\n"})
    case = case_between(repo, base, head)
    with case.repository:
        origins, left_out = find_origins(case.change, case.repository)
    assert [(one.first_line, one.last_line, one.summary) for one in origins] == [
        (1, 1, "Add the first lines"),
        (2, 2, "Say two better"),
        (4, 5, "Add the end"),
    ]
    assert {(one.author, one.date, one.path) for one in origins} == {
        ("Ada Author", "2026-01-02T03:04:05+00:00", "app.py")
    }
    assert left_out == []


def test_added_lines_have_no_origin(repo: Repo) -> None:
    case = make_case(repo, {"a.py": "one\n"}, {"a.py": "one\ntwo\n", "b.py": "new\n"})
    with case.repository:
        assert find_origins(case.change, case.repository) == ([], [])


def test_a_renamed_file_is_blamed_under_its_old_name(repo: Repo) -> None:
    text = "".join(f"line {number}\n" for number in range(20))
    case = make_case(repo, {"old.py": text}, {"old.py": None, "new.py": text.replace("line 3", "line three")})
    with case.repository:
        origins, _ = find_origins(case.change, case.repository)
    assert [(one.path, one.first_line) for one in origins] == [("old.py", 4)]


def test_the_edge_of_a_shallow_clone_is_not_taken_for_an_author(repo: Repo, tmp_path: Path) -> None:
    grown(repo)
    repo.commit("Rewrite", {"app.py": "1\n2\nthree\n4\n5\n"})
    run_git(tmp_path, "clone", "-q", "--depth=2", f"file://{repo.path}", "shallow")
    shallow = Repo(tmp_path / "shallow")
    case = case_between(shallow, shallow.git("rev-parse", "HEAD~1"), shallow.git("rev-parse", "HEAD"))
    with case.repository:
        origins, left_out = find_origins(case.change, case.repository)
        assert find_companions(case.change, case.repository) == ([], [])
    assert origins == []
    assert left_out == ["who wrote 2 of the replaced parts is not known: this clone is shallow"]


def test_a_change_without_history_says_so(repo: Repo) -> None:
    case = make_case(repo, {"a.py": "one\n"}, {"a.py": "two\n"})
    with case.repository as repository:
        repository.base = GitTree(repository.store, repository.base.revision)
        origins, left_out = find_origins(case.change, repository)
        assert find_companions(case.change, repository) == ([], [])
    assert origins == []
    assert "came without its history" in left_out[0]


def test_blame_that_has_no_time_says_so(repo: Repo) -> None:
    case = make_case(repo, {"a.py": "one\n"}, {"a.py": "two\n"})
    with case.repository:
        origins, left_out = find_origins(case.change, case.repository, timeout_seconds=0)
    assert origins == []
    assert "time" in left_out[0]


def with_companions(repo: Repo, times: int) -> GitRepository:
    for number in range(times):
        repo.commit(f"Both {number}", {"shop/prices.py": f"{number}\n", "shop/tax table.csv": f"{number}\n"})
    repo.commit("Once", {"shop/prices.py": "once\n", "shop/other.py": "once\n"})
    wide = {f"many/{number}.py": "x\n" for number in range(40)}
    for number in range(4):
        repo.commit(f"Wide {number}", {"shop/prices.py": f"w{number}\n", "yarn.lock": f"{number}\n", **wide})
        wide = {path: text + "x\n" for path, text in wide.items()}
    return Case(
        repo, repo.git("rev-parse", "HEAD"), repo.commit("Now", {"shop/prices.py": "now\n"})
    ).repository


@pytest.mark.parametrize(("times", "expected"), [(2, []), (3, [("shop/tax table.csv", 3, 4)])])
def test_three_shared_commits_make_a_companion_and_two_do_not(
    repo: Repo, times: int, expected: list[tuple[str, int, int]]
) -> None:
    with with_companions(repo, times) as repository:
        found, left_out = find_companions(change_of("shop/prices.py"), repository)
    assert [(one.path, one.shared, one.commits) for one in found] == expected
    assert left_out == []


def test_a_file_that_rarely_takes_part_is_no_companion(repo: Repo) -> None:
    for number in range(16):
        more = {"seldom.py": f"{number}\n"} if number < 3 else {}
        repo.commit(f"Commit {number}", {"often.py": f"{number}\n", **more})
    case = Case(repo, repo.git("rev-parse", "HEAD"), repo.commit("Now", {"often.py": "now\n"}))
    with case.repository:
        assert find_companions(case.change, case.repository)[0] == []


def test_a_history_that_is_cut_keeps_its_whole_commits_only() -> None:
    one, two = b"\x01" + b"a" * 40, b"\x01" + b"b" * 40
    printed = one + b"\0\na.py\0b c.py\0" + two + b"\0\na.py\0b"
    assert commit_files(printed) == [["a.py", "b c.py"], ["a.py", "b"]]
    assert commit_files(printed, is_cut=True) == [["a.py", "b c.py"]]
    assert commit_files(b"", is_cut=True) == []


def test_neighbouring_lines_make_one_range() -> None:
    assert line_ranges([5, 1, 2, 3, 9]) == [(1, 3), (5, 5), (9, 9)]
