"""The loop of reviews and an agent: with agents that fix, idle, spoil, cheat and never end."""

import json
from pathlib import Path
from typing import Any

import pytest

from commands import Done, affidavit
from repositories import Repo

OFF = 'analysers_off = ["ty", "kingfisher", "bandit", "references"]\n'
TEST = "from app import total\n\n\ndef test_total():\n    assert total([1]) == 1\n"
FILES = {"app.py": "def total(items):\n    return sum(itms)\n", "tests/test_app.py": TEST}
FIXES = "sed -i s/itms/items/ app.py"


@pytest.fixture
def branch(repo: Repo) -> Repo:
    repo.commit("Base", {"affidavit.toml": OFF, "app.py": "def total(items):\n    return 0\n"})
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit("Sum", FILES)
    return repo


def refine(repo: Repo, agent: str, *options: str, data: Path) -> tuple[Done, dict[str, Any]]:
    done = affidavit(
        "refine", "main...topic", "--agent", agent, "--format", "json", "--quiet", "--data", data, *options,
        cwd=repo.path,
    )  # fmt: skip
    return done, json.loads(done.out) if done.out.startswith("{") else {}


def everything(repo: Repo) -> tuple[str, str, str]:
    """What must not change: branches, what is checked out, the files."""
    status = repo.git("status", "--porcelain")
    return repo.git("for-each-ref"), repo.git("rev-parse", "HEAD"), status


def test_an_agent_that_fixes_is_accepted_and_its_work_left_as_a_branch(branch: Repo, tmp_path: Path) -> None:
    start = branch.git("rev-parse", "topic")
    agent = f'test -s {{feedback}} && cmp {{feedback}} "$AFFIDAVIT_FEEDBACK" && cmp - {{feedback}} && {FIXES}'
    done, said = refine(branch, agent, data=tmp_path / "data")
    assert (done.code, said["stopped"], said["branch"]) == (0, "accepted", "refined/topic")
    assert branch.git("show", "refined/topic:app.py") == "def total(items):\n    return sum(items)"
    assert branch.git("rev-parse", "refined/topic^") == start
    assert branch.git("rev-parse", "topic") == start
    assert branch.git("fsck", "--strict", "--no-dangling") == ""
    assert not list(tmp_path.glob("repo.refine-*"))
    assert "sed -i" not in done.out
    history = affidavit("review", "main...refined/topic", "--no-store", "--quiet", cwd=branch.path)
    assert history.code == 0


def test_an_agent_that_does_nothing_leaves_nothing(branch: Repo, tmp_path: Path) -> None:
    before = everything(branch)
    done, said = refine(branch, "cat > /dev/null", data=tmp_path / "data")
    assert (done.code, said["stopped"], said["branch"]) == (1, "plateau", "")
    assert everything(branch) == before


def test_an_agent_that_makes_it_worse_is_not_taken(branch: Repo, tmp_path: Path) -> None:
    worse = 'echo "def n$(wc -c < app.py)(): return gone$(wc -c < app.py)" >> app.py'
    before = everything(branch)
    done, said = refine(branch, worse, "--max", "2", data=tmp_path / "data")
    assert (done.code, said["best"], said["branch"]) == (1, 1, "")
    assert len(said["turns"]) == 2
    assert said["turns"][1]["summary"]["score"] < said["turns"][0]["summary"]["score"]
    assert everything(branch) == before


def test_an_agent_that_deletes_the_tests_hears_of_it_and_is_not_taken(branch: Repo, tmp_path: Path) -> None:
    done, said = refine(branch, f"{FIXES}; rm -f tests/test_app.py", "--max", "2", data=tmp_path / "data")
    assert done.code == 1
    assert said["turns"][1]["lost_tests"] == 1
    assert (said["best"], said["branch"]) == (1, "")
    (folder,) = (tmp_path / "data" / "refine").iterdir()
    document = json.loads((folder / "feedback-2.json").read_text())
    assert "tests/test_app.py" in document["feedback_items"][0]["issue"]


def test_an_agent_that_never_ends_is_ended(branch: Repo, tmp_path: Path) -> None:
    before = everything(branch)
    done, said = refine(branch, "sleep 600 & sleep 600", "--agent-seconds", "1", data=tmp_path / "data")
    assert (done.code, said["stopped"]) == (1, "agent")
    assert said["turns"][0]["agent"]["state"] == "timed_out"
    assert everything(branch) == before


def test_an_agent_that_breaks_its_own_repository_harms_nobody(branch: Repo, tmp_path: Path) -> None:
    spoils = f"{FIXES}; rm -rf .git; mkdir .git; echo '[core] hooksPath = /' > .git/config"
    done, said = refine(branch, spoils, data=tmp_path / "data")
    assert (done.code, said["branch"]) == (0, "refined/topic")


@pytest.mark.parametrize(
    ("target", "said"), [("topic", "is no range"), ("main...nowhere", "there is no commit called 'nowhere'")]
)
def test_what_cannot_be_refined_is_said(branch: Repo, tmp_path: Path, target: str, said: str) -> None:
    done = affidavit("refine", target, "--agent", "true", "--data", tmp_path / "data", cwd=branch.path)
    assert done.code == 2
    assert said in done.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--branch", "main"), "there is a branch main already"),
        (("--branch", "../evil"), "is no name for a branch"),
    ],
)
def test_a_branch_that_cannot_be_left_is_refused_before_the_agent_runs(
    branch: Repo, tmp_path: Path, options: tuple[str, str], said: str
) -> None:
    ran = tmp_path / "ran"
    done, _ = refine(branch, f"touch {ran}", *options, data=tmp_path / "data")
    assert (done.code, said in done.err) == (2, True)
    assert not ran.exists()
