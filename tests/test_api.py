"""The public names of the package: the examples of docs/api.md run, and type checkers know the names."""

import asyncio
import re
import subprocess
import sys
from pathlib import Path

import pytest

import affidavit
from affidavit.analysers.engine.execution import find_executable
from commands import environment_of
from repositories import Repo

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
ADDED = "import os\n\n\ndef total(items):\n    return sum(itms)\n"


def ran(program: str, repo: Repo, data: Path) -> str:
    command = [sys.executable, "-c", program]
    done = subprocess.run(
        command, cwd=repo.path, env=environment_of(data), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit("Add the shop", {"shop.py": "def total(items):\n    return sum(items)\n"})
    repo.commit("Rename", {"shop.py": ADDED})
    return repo


def test_every_example_of_the_page_runs(shop: Repo, tmp_path: Path) -> None:
    assert len(EXAMPLES) == 5
    said = ran("\n".join(EXAMPLES), shop, tmp_path)
    assert "shop.py:5 high" in said
    assert "pipeline.completed" in said
    assert "True []" in said
    assert "no-such-branch" in said


def test_importing_the_package_imports_nothing_of_it(tmp_path: Path, shop: Repo) -> None:
    program = "import affidavit, sys; print([one for one in sys.modules if one.startswith('affidavit.')])"
    assert ran(program, shop, tmp_path).strip() == "[]"


def test_every_public_name_is_there_and_no_other() -> None:
    for name in affidavit.__all__:
        assert getattr(affidavit, name) is not None
    with pytest.raises(AttributeError, match="no_such"):
        _ = affidavit.no_such


def test_wrong_arguments_are_errors_of_ours(shop: Repo, tmp_path: Path) -> None:
    options = affidavit.ReviewOptions(data=str(tmp_path / "d"), no_cache=True)  # type: ignore[arg-type]
    assert affidavit.review("HEAD", repo=shop.path, options=options).shown
    wrong: list[tuple[object, dict[str, object]]] = [
        (5, {}),
        ("HEAD", {"options": {}}),
        ("HEAD", {"options": affidavit.ReviewOptions(config="/nope.toml")}),  # type: ignore[arg-type]
    ]
    for target, more in wrong:
        with pytest.raises(affidavit.AffidavitError):
            affidavit.review(target, repo=shop.path, **more)  # type: ignore[arg-type]


def test_a_notebook_is_told_to_await(shop: Repo) -> None:
    async def cell() -> None:
        affidavit.review("HEAD", repo=shop.path)

    with pytest.raises(affidavit.AffidavitError, match="await review_async"):
        asyncio.run(cell())


def test_a_type_checker_knows_the_public_names(tmp_path: Path) -> None:
    package = tmp_path / "affidavit"
    package.mkdir()
    for entry in (ROOT / "src" / "affidavit").iterdir():
        (package / entry.name).symlink_to(entry)
    (package / "__init__.pyi").symlink_to(ROOT / "stubs" / "affidavit.pyi")
    names = [name for name in affidavit.__all__ if name != "__version__"]
    program = f"from affidavit import {', '.join(names)}\nreveal_type(review('HEAD'))\nreview(target=1)\n"
    (tmp_path / "program.py").write_text(program)
    ty = find_executable("ty", reviewed_folder=None)
    assert ty is not None
    command = [str(ty), "check", "--output-format", "concise", "--python", sys.prefix, "program.py"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    assert "Revealed type: `Report`" in said
    assert said.count("error[") == 1
    assert "invalid-argument-type" in said
