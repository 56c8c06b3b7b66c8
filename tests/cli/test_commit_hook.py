"""`affidavit review --staged` as a git hook: a planted bug stops a real commit, and nothing else does."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from affidavit.forges.workflows.writing import hook as hook_of
from commands import environment_of
from forks import forks
from repositories import Repo, clean_environment

ROOT = Path(__file__).parents[2]
CLEAN = "def total(prices):\n    return sum(prices)\n"
BROKEN = "def total(prices):\n    return sum(price)\n"


@dataclass(frozen=True)
class Tried:
    """What became of a commit."""

    is_done: bool
    said: str


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """A repository with one commit, and the hook."""
    repo.commit("A shop", {"shop.py": CLEAN, "other.py": "X = 1\n"})
    hook = repo.path / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    written = hook_of("pre-commit").text
    hook.write_text(written.replace("\naffidavit review", f"\n{forks().affidavit} review"))
    hook.chmod(0o755)
    return repo


def commit(folder: Path, data: Path, *arguments: str) -> Tried:
    """Run `git commit` and let the hook decide."""
    of_git = {name: value for name, value in clean_environment().items() if name.startswith("GIT_")}
    environment = environment_of(data / "affidavit-data", of_git)
    done = subprocess.run(
        ["git", "commit", "-m", "A change", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return Tried(done.returncode == 0, done.stdout + done.stderr)


def test_a_planted_bug_stops_the_commit(shop: Repo, tmp_path: Path) -> None:
    before = shop.git("rev-parse", "HEAD")
    shop.write({"shop.py": BROKEN})
    shop.git("add", "shop.py")
    tried = commit(shop.path, tmp_path)
    assert not tried.is_done
    assert "`price` is not defined" in tried.said
    assert shop.git("rev-parse", "HEAD") == before
    assert shop.git("diff", "--cached", "--name-only") == "shop.py"


def test_a_clean_change_is_committed(shop: Repo, tmp_path: Path) -> None:
    shop.write({"shop.py": CLEAN + "\n\ndef count(prices):\n    return len(prices)\n"})
    shop.git("add", "shop.py")
    tried = commit(shop.path, tmp_path)
    assert tried.is_done, tried.said
    assert shop.git("status", "--porcelain") == ""


def test_a_bug_that_is_not_staged_does_not_stop_the_commit(shop: Repo, tmp_path: Path) -> None:
    shop.write({"other.py": "X = 2\n"})
    shop.git("add", "other.py")
    shop.write({"shop.py": BROKEN})
    tried = commit(shop.path, tmp_path)
    assert tried.is_done, tried.said


@pytest.mark.parametrize("arguments", [("-a",), ("--only", "shop.py")])
def test_the_index_that_git_names_to_the_hook_is_the_one_that_counts(
    shop: Repo, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    shop.write({"shop.py": BROKEN})
    assert "`price` is not defined" in commit(shop.path, tmp_path, *arguments).said
    shop.write({"shop.py": CLEAN + "\n\nY = 2\n"})
    tried = commit(shop.path, tmp_path, *arguments)
    assert tried.is_done, tried.said


def test_a_commit_of_other_files_leaves_a_staged_bug_out(shop: Repo, tmp_path: Path) -> None:
    shop.write({"shop.py": BROKEN, "other.py": "X = 2\n"})
    shop.git("add", "shop.py")
    tried = commit(shop.path, tmp_path, "--only", "other.py")
    assert tried.is_done, tried.said


def test_the_hook_works_in_a_second_work_tree_and_in_a_folder_below(shop: Repo, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    shop.git("worktree", "add", "-q", "-b", "topic", str(tree))
    (tree / "below").mkdir()
    (tree / "shop.py").write_text(BROKEN)
    tried = commit(tree / "below", tmp_path, "-a")
    assert not tried.is_done
    assert "`price` is not defined" in tried.said


def test_a_commit_without_changes_is_not_reviewed(shop: Repo, tmp_path: Path) -> None:
    assert commit(shop.path, tmp_path, "--allow-empty").is_done


def test_the_hook_that_the_framework_is_offered_reviews_what_is_staged() -> None:
    offered = (ROOT / ".pre-commit-hooks.yaml").read_text()
    assert "entry: affidavit review --staged --quiet\n" in offered
    assert "pass_filenames: false\n" in offered
