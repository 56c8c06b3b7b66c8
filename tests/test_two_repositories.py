"""What a review of one repository leaves behind changes nothing in the review of another.

Both share the cache and the store of the user, as they do at home.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from commands import Done, affidavit
from forgery import forge_object
from forging import class_in
from repositories import Repo

CART = "class Cart:\n    def pay(self, sum):\n        return sum\n\n\n"
BASE = {
    "cart.py": CART + "def total(items):\n    return 0\n",
    "shop.py": "from cart import Cart, total\n\n\ndef buy():\n    return Cart().pay(total([]))\n",
    "pyproject.toml": "[tool.ruff]\nline-length = 100\n",
}
HEAD = {
    "cart.py": CART + "def totals(items):\n    return itms\n",
    "run.py": "import subprocess\n\n\ndef run(name):\n    subprocess.run(f'tar {name}', shell=True)\n",
}
HARMLESS = {
    "cart.py": CART + "def total(items):\n    return len(items)\n",
    "run.py": "def run(name):\n    return name\n",
}
TITLES = {"`itms` is not defined"}


def made(path: Path, *commits: dict[str, str]) -> Repo:
    repo = Repo(path)
    for files in commits:
        repo.commit("A change", files)
    return repo


def other_contents_under_the_same_names(path: Path) -> Repo:
    return made(path, BASE, HARMLESS)


def the_same_contents_under_other_names(path: Path) -> Repo:
    """Where analysers leave them alone: as tests, in folders that are excluded, as another language."""
    names = {"cart.py": "tests/test_cart.py", "run.py": "vendor/run.py", "shop.py": "shop.pyi"}
    others = [{names.get(name, name): text for name, text in files.items()} for files in (BASE, HEAD)]
    return made(path, *others)


def the_same_contents_with_settings_that_silence_everything(path: Path) -> Repo:
    silent = {
        "pyproject.toml": '[tool.ruff]\nexclude = ["*"]\n[tool.ruff.lint]\nignore = ["ALL"]\n'
        '[tool.bandit]\nexclude_dirs = ["."]\n[tool.ty.rules]\nall = "ignore"\n',
        "affidavit.toml": 'exclude = ["**"]\nrules_off = ["ruff/*", "ty/*"]\n',
    }
    return made(path, {**BASE, **silent}, HEAD)


def a_repository_with_harmless_files_under_the_names_of_others(path: Path) -> Repo:
    repo = made(path, BASE, HEAD)
    for name, text in HARMLESS.items():
        forge_object(repo, repo.git("rev-parse", f"HEAD:{name}"), "blob", text.encode())
    return repo


def a_repository_that_replaces_files_by_harmless_ones(path: Path) -> Repo:
    repo = made(path, BASE, HEAD)
    for name, text in HARMLESS.items():
        harmless = repo.git("hash-object", "-w", "--stdin", stdin=text.encode())
        repo.git("replace", repo.git("rev-parse", f"HEAD:{name}"), harmless)
    return repo


HOSTILE: tuple[Callable[[Path], Repo], ...] = (
    other_contents_under_the_same_names,
    the_same_contents_under_other_names,
    the_same_contents_with_settings_that_silence_everything,
    a_repository_with_harmless_files_under_the_names_of_others,
    a_repository_that_replaces_files_by_harmless_ones,
)


def review(repo: Repo, data: Path) -> Done:
    return affidavit("review", "HEAD", "--format", "report", cwd=repo.path, data=data)


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, dict | list):
        named = value.items() if isinstance(value, dict) else enumerate(value)
        for name, inner in named:
            yield from leaves(inner, (*path, str(name)))
    else:
        yield path, value


def substance(done: Done) -> dict[tuple[str, ...], Any]:
    """A report without what may differ from run to run."""
    content = json.loads(done.out)
    named = (("id",), ("created_at",))
    return {
        path: value
        for path, value in leaves(content)
        if class_in(content, path) != "free" and path not in named
    }


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """The review of a repository where nothing was reviewed before."""
    folder = tmp_path_factory.mktemp("alone")
    return review(made(folder / "repo", BASE, HEAD), folder / "data")


def test_the_repository_has_something_to_report(alone: Done) -> None:
    found = {one["finding"]["title"] for one in json.loads(alone.out)["candidates"] if one["finding"]}
    assert alone.code == 1
    assert found >= TITLES
    assert len(found) > 2


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_review_is_the_same_after_that_of_a_hostile_repository(
    hostile: Callable[[Path], Repo], alone: Done, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    before = review(hostile(tmp_path / "hostile" / "repo"), data)
    assert before.code in {0, 1, 2, 3}
    after = review(made(tmp_path / "repo", BASE, HEAD), data)
    assert after.code == alone.code
    assert substance(after) == substance(alone)
