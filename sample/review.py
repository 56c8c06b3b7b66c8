"""Build a small repository with a change that has problems in it, and review that change without a model."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
TITLE = "Let customers redeem coupons"


def git(repository: Path, *arguments: str) -> None:
    """Run git in the sample repository, as nobody in particular."""
    identity = [
        "-c",
        "user.name=Sample",
        "-c",
        "user.email=sample@affidavit.example",
        "-c",
        "commit.gpgsign=false",
    ]
    subprocess.run(["git", "-C", str(repository), *identity, *arguments], check=True, capture_output=True)


def build(repository: Path) -> None:
    """Two commits: the shop before and after the change."""
    repository.mkdir()
    git(repository, "init", "--quiet", "--initial-branch=main")
    for folder, message in (("before", "A small shop"), ("after", TITLE)):
        shutil.copytree(HERE / folder, repository, dirs_exist_ok=True)
        git(repository, "add", "--all")
        git(repository, "commit", "--quiet", "--message", message)


def main() -> int:
    """Review the sample; findings are what it is for, so only a review that could not be done fails."""
    with tempfile.TemporaryDirectory() as folder:
        repository = Path(folder) / "shop"
        build(repository)
        affidavit = Path(sys.executable).with_name("affidavit")
        arguments = ["review", "HEAD~1..HEAD", "--no-store", *sys.argv[1:]]
        print(f"$ affidavit {' '.join(arguments)}\n", flush=True)
        # What people said of the user's own reviews has no place in a sample.
        environment = {**os.environ, "AFFIDAVIT_DATA": str(Path(folder) / "data")}
        done = subprocess.run([affidavit, *arguments], cwd=repository, env=environment, check=False)
    return 0 if done.returncode in (0, 1) else done.returncode


if __name__ == "__main__":
    sys.exit(main())
