"""From a real repository to cases: what is written, what is left alone, what is discarded."""

import asyncio
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from grounds import BY_NAME

from affidavit.errors import InputError, NotARepositoryError, UnknownRevisionError
from affidavit.git.repository import open_repository
from affidavit.lab.cases.folders import read_cases
from affidavit.lab.commands.eval import describe_planting
from affidavit.lab.mutation.case_folders import REPOSITORY
from affidavit.lab.mutation.planting import (
    NOT_IN_THE_CHANGE,
    TYPE_ERROR,
    PlantingRequest,
    PlantingSummary,
    plant_bugs,
)
from repositories import Repo

STORE = "def old():\n    return 1\n"
TAKE = """

def take(items, limit):
    if limit < 0:
        raise ValueError(limit)
    chosen = []
    for item in items:
        if item is None:
            continue
        if len(chosen) >= limit:
            return chosen
        chosen.append(item)
    return chosen
"""


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """A repository whose second commit adds a function, and whose third adds a test only."""
    repo.commit("Begin", {"shop.py": STORE, "README": "A shop\n"})
    repo.commit("Take items\n\nAt most so many.", {"shop.py": STORE + TAKE})
    repo.commit("Test it", {"tests/test_shop.py": "def test_take():\n    assert 1 == 1\n"})
    return repo


def plant(repo: Repo, out: Path, **options: Any) -> PlantingSummary:
    return asyncio.run(plant_bugs(PlantingRequest(repo.path, out, **options)))


def read(place: Path) -> Any:
    return json.loads(place.read_text())


def snapshot(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_case_is_the_real_commit_with_one_bug_and_its_clean_twin(shop: Repo, tmp_path: Path) -> None:
    commit = shop.git("rev-parse", "HEAD~1")
    summary = plant(shop, tmp_path / "cases")

    (bug,) = summary.bugs
    planted, clean = (
        one.case for one in sorted(read_cases([tmp_path / "cases"]), key=lambda one: one.case.clean)
    )
    assert (planted.title, planted.description) == ("Take items", "At most so many.")
    assert planted.base == clean.base == shop.git("rev-parse", "HEAD~2")
    assert clean.head == commit
    assert (clean.clean, clean.expected) == (True, ())
    assert planted.head == bug.planted != commit
    (expected,) = planted.expected
    assert (expected.file, expected.line) == ("shop.py", bug.mutant.line)
    assert expected.description == bug.mutant.description


def test_the_planted_commit_differs_from_the_real_one_where_the_case_says(shop: Repo, tmp_path: Path) -> None:
    (bug,) = plant(shop, tmp_path / "cases").bugs
    with open_repository(tmp_path / "cases" / REPOSITORY, bug.commit, bug.planted) as opened:
        assert opened.base.entries().keys() == opened.head.entries().keys()
        changed = [path for path, entry in opened.head.entries().items() if opened.base.entry(path) != entry]

        assert changed == ["shop.py"]
        assert opened.head.read("shop.py") == bug.mutant.text


def test_the_bug_is_in_the_lines_of_the_commit(shop: Repo, tmp_path: Path) -> None:
    bugs = [bug for seed in range(6) for bug in plant(shop, tmp_path / str(seed), seed=seed).bugs]

    assert len({bug.mutant.operator for bug in bugs}) > 1
    assert all(bug.mutant.line > STORE.count("\n") for bug in bugs)


def test_author_and_message_stay_and_a_signature_goes(shop: Repo, tmp_path: Path) -> None:
    header, _, message = shop.git("cat-file", "commit", "HEAD~1").partition("\n\n")
    signed = f"{header}\ngpgsig -----BEGIN\n over\n -----END\n\n{message}\n".encode()
    shop.git("update-ref", "HEAD", shop.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=signed))
    (bug,) = plant(shop, tmp_path / "cases").bugs
    content = Repo(tmp_path / "cases" / REPOSITORY, "--bare").git("cat-file", "commit", bug.planted)

    assert re.sub(r"^tree \w+", "tree", content) == re.sub(r"^tree \w+", "tree", f"{header}\n\n{message}")


def test_nothing_in_the_users_repository_changes(shop: Repo, tmp_path: Path) -> None:
    shop.write({"shop.py": "work in progress\n"})
    before = snapshot(shop.path)
    plant(shop, tmp_path / "cases")

    assert snapshot(shop.path) == before


def test_the_cases_do_not_need_the_users_repository(shop: Repo, tmp_path: Path) -> None:
    (bug,) = plant(shop, tmp_path / "cases").bugs
    shutil.move(tmp_path / "cases", tmp_path / "elsewhere")
    shutil.rmtree(shop.path)
    place = tmp_path / "elsewhere" / REPOSITORY

    assert not (place / "objects" / "info" / "alternates").exists()
    with open_repository(place, bug.parent, bug.planted) as opened:
        assert opened.head.read("shop.py") == bug.mutant.text
        assert opened.base.read("shop.py") == STORE.encode()


def test_the_same_seed_gives_the_same_cases(shop: Repo, tmp_path: Path) -> None:
    for place in ("one", "other"):
        for seed in range(5):
            plant(shop, tmp_path / place / str(seed), seed=seed)
    cases = [
        {name: text for name, text in snapshot(tmp_path / place).items() if name.endswith(".json")}
        for place in ("one", "other")
    ]

    assert cases[0] == cases[1]
    assert len(cases[0]) == 5 * 4


def test_another_seed_gives_another_choice(shop: Repo, tmp_path: Path) -> None:
    planted = {plant(shop, tmp_path / str(seed), seed=seed).bugs[0].planted for seed in range(6)}

    assert len(planted) > 1


def test_a_mutant_that_only_undoes_the_change_is_discarded(repo: Repo, tmp_path: Path) -> None:
    code = "def f(n):\n    go()\n    stay()\n    if n {} 3:\n        go()\n    a()\n    b()\n    c()\n"
    more = "\n\ndef g():\n    return 1\n\n\ndef h():\n    return 1\n"
    repo.commit("Begin", {"a.py": code.format("<")})
    repo.commit("Take in three", {"a.py": code.format("<=") + more})
    summary = plant(repo, tmp_path / "cases", operators=[BY_NAME["moved_boundary"]])

    assert not summary.bugs
    assert summary.rejected[NOT_IN_THE_CHANGE] == 1


def test_a_mutant_that_a_type_checker_refuses_is_discarded(repo: Repo, tmp_path: Path) -> None:
    repo.commit("Begin", {"a.py": "X = 1\n"})
    load = "\n\nasync def load() -> str:\n    return ''\n"
    call = "\n\nasync def f() -> str:\n    x = await load()\n    return x\n"
    repo.commit("Put", {"a.py": "X = 1\n" + load + call})
    summary = plant(repo, tmp_path / "cases", operators=[BY_NAME["dropped_await"]])

    assert not summary.bugs
    assert summary.rejected[TYPE_ERROR] == 1


def test_what_was_checked_is_said_in_the_case(shop: Repo, tmp_path: Path) -> None:
    (bug,) = plant(shop, tmp_path / "cases").bugs
    checks = read(tmp_path / "cases" / bug.case_id / "case.json")["planted"]["types"]

    assert checks.startswith("ty ")


def test_without_the_flag_nothing_of_the_repository_runs(repo: Repo, tmp_path: Path) -> None:
    trap = f"open({str(tmp_path / 'trap')!r}, 'w').close()\n"
    repo.commit("Begin", {"shop.py": STORE, "conftest.py": trap, "setup.py": trap, "sitecustomize.py": trap})
    repo.commit("Take", {"shop.py": trap + STORE + TAKE})

    assert plant(repo, tmp_path / "cases").bugs
    assert not (tmp_path / "trap").exists()


def test_merges_roots_and_tests_get_no_bug(shop: Repo, tmp_path: Path) -> None:
    shop.git("switch", "-q", "-c", "topic", "HEAD~1")
    shop.commit("Text", {"README": "A better shop\n"})
    shop.git("merge", "-q", "--no-ff", "-m", "Merge", "main")
    summary = plant(shop, tmp_path / "cases")

    assert [bug.title for bug in summary.bugs] == ["Take items"]
    assert summary.rejected["it has no parent"] == 1
    assert summary.rejected["it changes no code in a supported language"] == 2


def test_only_commits_after_a_named_one_are_taken(shop: Repo, tmp_path: Path) -> None:
    summary = plant(shop, tmp_path / "cases", since="HEAD~1")

    assert summary.commits_read == 1
    assert not summary.bugs


def test_a_shallow_clone_without_the_parent_is_no_failure(shop: Repo, tmp_path: Path) -> None:
    shop.git("reset", "-q", "--hard", "HEAD~1")
    clone = Repo(tmp_path / "clone")
    clone.git("fetch", "-q", "--depth=1", f"file://{shop.path}", "main")
    clone.git("reset", "-q", "--hard", "FETCH_HEAD")
    summary = plant(clone, tmp_path / "cases")

    assert summary.rejected == {"its parent is not in this clone": 1}


def test_a_folder_with_something_in_it_is_refused(shop: Repo, tmp_path: Path) -> None:
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / "note").write_text("mine")

    with pytest.raises(InputError, match="not empty"):
        plant(shop, tmp_path / "cases")
    assert (tmp_path / "cases" / "note").read_text() == "mine"


def test_where_writing_fails_what_others_put_there_stays(shop: Repo, tmp_path: Path) -> None:
    out = tmp_path / "cases"

    def meanwhile(told: str) -> None:
        out.mkdir(exist_ok=True)
        (out / "mine").mkdir(exist_ok=True)
        # Where the case belongs stands a file, so that it cannot be written.
        (out / told.partition(":")[0]).write_text("in the way")

    with pytest.raises(OSError, match="exists"):
        asyncio.run(plant_bugs(PlantingRequest(shop.path, out), report=meanwhile))
    assert {place.name for place in out.iterdir() if place.is_dir()} == {"mine"}


def test_bad_input_is_said(repo: Repo, shop: Repo, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(NotARepositoryError):
        asyncio.run(plant_bugs(PlantingRequest(tmp_path / "plain", tmp_path / "a")))
    with pytest.raises(UnknownRevisionError):
        plant(shop, tmp_path / "b", since="nowhere")
    with pytest.raises(InputError, match="no commit yet"):
        plant(Repo(tmp_path / "new"), tmp_path / "c")


def test_the_summary_counts_what_was_planted_and_what_was_not(shop: Repo, tmp_path: Path) -> None:
    summary = plant(shop, tmp_path / "cases")
    text = describe_planting(summary, tmp_path / "cases")

    assert "1 bug planted in 3 commits read" in text
    assert "rejected 1 time: it has no parent" in text
