"""Git for the repositories that the bench builds, under a name of its own."""

import subprocess
from pathlib import Path

IDENTITY = ("user.name=Bench", "user.email=bench@affidavit.example", "commit.gpgsign=false")


def git(folder: Path, *args: str) -> None:
    """Run git in a folder."""
    options = [part for setting in IDENTITY for part in ("-c", setting)]
    subprocess.run(["git", *options, *args], cwd=folder, check=True)
