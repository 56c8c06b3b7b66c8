"""Commands take a kept report by `last` or the beginning of its id, as they take a file."""

import json
from pathlib import Path

import pytest

from commands import affidavit
from repositories import Repo

OFF = 'analysers_off = ["ty", "kingfisher", "bandit", "references"]\n'


@pytest.fixture
def kept(repo: Repo, tmp_path: Path) -> str:
    repo.commit("Base", {"affidavit.toml": OFF, "app.py": "def total(items):\n    return 0\n"})
    repo.commit("Sum", {"app.py": "def total(items):\n    return sum(itms)\n"})
    done = affidavit("review", "HEAD", "--format", "report", "--quiet", cwd=repo.path, env=state(tmp_path))
    report_id: str = json.loads(done.out)["id"]
    return report_id


def state(folder: Path) -> dict[str, str]:
    return {"XDG_STATE_HOME": str(folder / "state"), "AFFIDAVIT_DATA": str(folder / "state")}


@pytest.mark.parametrize("length", [None, 8])
def test_recheck_takes_last_and_a_short_id(repo: Repo, kept: str, tmp_path: Path, length: int | None) -> None:
    done = affidavit("recheck", kept[:length] if length else "last", cwd=repo.path, env=state(tmp_path))
    assert done.code == 0, done.out + done.err
    assert kept in done.out


@pytest.mark.parametrize("command", [("ask", "last", "nosuch", "Why?"), ("post", "last")])
def test_ask_and_post_find_the_newest_report(
    repo: Repo, kept: str, tmp_path: Path, command: tuple[str, ...]
) -> None:
    done = affidavit(*command, cwd=repo.path, env=state(tmp_path))
    assert kept
    assert done.code == 2
    assert "the report has no finding 'nosuch'" in done.err or "names no pull request" in done.err
