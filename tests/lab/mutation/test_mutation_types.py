"""The type checkers of other languages, where the user has them; programs of the test stand in for them."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from grounds import BY_NAME

from affidavit.lab.mutation.checks import read_tsc
from affidavit.lab.mutation.planting import TYPE_ERROR, PlantingRequest, PlantingSummary, plant_bugs
from repositories import Repo

TYPESCRIPT = "\nexport function f(n: number) {\n  if (n === 2) {\n    go(n)\n  }\n}\n"


def plant_comparison(repo: Repo, out: Path, **options: Any) -> PlantingSummary:
    chosen = [BY_NAME["reversed_comparison"]]
    return asyncio.run(plant_bugs(PlantingRequest(repo.path, out, operators=chosen, **options)))


def install(folder: Path, name: str, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir()
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


@pytest.fixture
def typescript(repo: Repo) -> Repo:
    """A repository whose last commit adds a TypeScript function."""
    repo.commit("Begin", {"a.ts": "export const x = 1\n", "tsconfig.json": "{}\n"})
    repo.commit("More", {"a.ts": "export const x = 1\n" + TYPESCRIPT})
    return repo


def test_typescript_that_the_compiler_refuses_is_discarded(
    typescript: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    complain = "grep -q '!==' a.ts && echo 'a.ts(3,7): error TS2367: no overlap' && exit 2; exit 0"
    install(tmp_path / "bin", "tsc", complain, monkeypatch)

    assert plant_comparison(typescript, tmp_path / "cases").rejected[TYPE_ERROR] == 1


def test_a_complaint_about_the_commit_itself_is_not_held_against_the_bug(
    typescript: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "bin", "tsc", "echo 'a.ts(1,1): error TS2307: no module'; exit 2", monkeypatch)
    (bug,) = plant_comparison(typescript, tmp_path / "cases").bugs

    assert bug.checked.startswith("tsc")


def test_without_a_type_checker_the_case_says_so(
    typescript: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "bin", "other", "exit 0", monkeypatch)
    (bug,) = plant_comparison(typescript, tmp_path / "cases").bugs

    assert bug.checked == "not checked: tsc is not installed"


def test_a_compiler_inside_the_repository_is_never_run(
    typescript: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(typescript.path / "bin", "tsc", f"touch {tmp_path / 'trap'}", monkeypatch)
    plant_comparison(typescript, tmp_path / "cases")

    assert not (tmp_path / "trap").exists()


def test_the_compilers_lines_are_read() -> None:
    text = "src/a.ts(12,5): error TS2345: Argument of type 'x'.\n  Types differ.\nFound 1 error.\n"
    (found,) = read_tsc(text)

    assert (found.path, found.line, found.column) == ("src/a.ts", 12, 5)
    assert found.message == "TS2345: Argument of type 'x'."
