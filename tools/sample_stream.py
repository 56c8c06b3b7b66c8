"""Write the sample change into the package: from `sample/` to a stream and a diff."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "sample"
PACKED = ROOT / "src" / "affidavit" / "service"
SIDES = (("before", "A small shop"), ("after", "Let customers redeem coupons"))
CACHES = shutil.ignore_patterns("__pycache__")


def streams() -> dict[str, str]:
    """Content by name of file: always the same, down to the names of the commits."""
    with tempfile.TemporaryDirectory() as folder:
        shop = Path(folder)
        _git(shop, "init", "--quiet", "--initial-branch=before")
        for side, message in SIDES:
            _git(shop, "checkout", "--quiet", "-B", side)
            shutil.copytree(SAMPLE / side, shop, dirs_exist_ok=True, ignore=CACHES)
            _git(shop, "add", "--all")
            _git(shop, "commit", "--quiet", "--message", message)
        return {
            "sample.stream": _git(shop, "fast-export", "before", "after"),
        }


def _git(folder: Path, *arguments: str) -> str:
    variables = {
        **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in IDENTITY.items()},
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, **variables},
    )
    return done.stdout


IDENTITY = {"NAME": "Sample", "EMAIL": "sample@affidavit.example", "DATE": "2026-01-01T12:00:00+0000"}


def main() -> None:
    """Write them."""
    for name, text in streams().items():
        (PACKED / name).write_text(text)


if __name__ == "__main__":
    main()
