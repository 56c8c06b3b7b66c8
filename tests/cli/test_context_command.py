"""`affidavit context`, as a user runs it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from affidavit.cli.context import command
from affidavit.errors import InputError
from commands import affidavit
from repositories import Repo

FILES = {
    "shop/__init__.py": "",
    "shop/prices.py": "def total(items):\n    return sum(items)\n",
    "shop/checkout.py": "from shop.prices import total\n\n\ndef pay(items):\n    return total(items)\n",
    "tests/test_prices.py": "from shop.prices import total\n\n\ndef test_it():\n    assert total([1]) == 1\n",
}


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit("Add the shop", FILES)
    repo.commit("Tax", {"shop/prices.py": "def total(items, tax):\n    return sum(items) * tax\n"})
    return repo


def run(repo: Repo, *args: str) -> Result:
    cache = {"AFFIDAVIT_CACHE": str(repo.path.parent / "cache")}
    return CliRunner().invoke(command, ["--repo", str(repo.path), *args], env=cache, catch_exceptions=False)


def test_the_map_of_a_commit_is_printed_as_text(shop: Repo) -> None:
    shown = run(shop, "HEAD~1..HEAD").output
    assert "new signature  total, line" in shown
    assert "calls total, line 5" in shown
    assert "tests/test_prices.py" in shown.split("Tests that cover it")[1]
    assert "Ada Author: Add the shop" in shown


def test_the_map_of_a_commit_is_printed_as_json(shop: Repo) -> None:
    data = json.loads(run(shop, "HEAD~1..HEAD", "--format", "json").output)
    assert [file["path"] for file in data["context"]["related_files"]] == [
        "shop/checkout.py",
        "tests/test_prices.py",
    ]


@pytest.mark.parametrize("name", ["text", "json"])
def test_a_locale_that_knows_ascii_only_prints_every_format(shop: Repo, name: str) -> None:
    shop.commit("Gr\u00f6\u00dfe \u2192", {"shop/gr\u00f6\u00dfe.py": "GR\u00d6SSE = 1\n"})
    ascii_only = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}
    done = affidavit("context", "HEAD~1..HEAD", "--format", name, cwd=shop.path, env=ascii_only)
    assert (done.code, done.err) == (0, "")
    assert "gr" in done.out


def test_a_second_run_with_the_cache_gives_the_same_map(shop: Repo) -> None:
    first, second, without = (
        run(shop, "HEAD~1..HEAD", "--format", "json", *more).output for more in ((), (), ("--no-cache",))
    )
    assert first == second == without


def test_what_is_not_committed_has_a_map_too(shop: Repo) -> None:
    shop.write(
        {"shop/checkout.py": "from shop.prices import total\n\n\ndef pay():\n    return total([], 1)\n"}
    )
    assert "shop/checkout.py  +2 -2" in run(shop).output


def test_a_diff_without_its_repository_has_the_map_that_it_shows(shop: Repo, tmp_path: Path) -> None:
    diff = tmp_path / "tax.diff"
    diff.write_text(shop.git("diff", "HEAD~1", "HEAD") + "\n")
    empty = Repo(tmp_path / "elsewhere")
    assert "shop/prices.py" in run(empty, str(diff)).output


def test_an_excluded_file_is_named_but_not_looked_into(shop: Repo) -> None:
    shown = run(shop, "HEAD~1..HEAD", "--exclude", "shop/prices.py").output
    assert "not read: excluded" in shown
    assert "calls total" not in shown


def test_exclude_given_twice_excludes_both(shop: Repo) -> None:
    shown = run(shop, "HEAD~1..HEAD", "--exclude", "shop/prices.py", "--exclude", "docs/**").output
    assert "not read: excluded" in shown


def test_max_files_limits_the_related_files(shop: Repo) -> None:
    data = json.loads(run(shop, "HEAD~1..HEAD", "--max-files", "1", "--format", "json").output)
    assert len(data["context"]["related_files"]) == 1
    assert "1 more related files do not fit into 1 files" in data["context"]["left_out"][0]


def test_an_unknown_revision_is_an_error_of_the_user(shop: Repo) -> None:
    with pytest.raises(InputError):
        run(shop, "nowhere..HEAD")
