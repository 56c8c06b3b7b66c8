"""Says which files of tests share a name: the test runner refuses the second, but only in a whole run."""

import sys
from collections import defaultdict
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent / "tests"


def shared_names(folder: Path) -> dict[str, list[Path]]:
    """Every module's name that several files below a folder have, with these files."""
    files = defaultdict(list)
    for file in sorted(folder.rglob("*.py")):
        files[file.name].append(file)
    return {name: places for name, places in files.items() if len(places) > 1 and name != "conftest.py"}


def main() -> int:
    """Name the files; 1 where there are any."""
    shared = shared_names(TESTS)
    for name, places in shared.items():
        print(f"{name} is the name of several files:", *(place.relative_to(TESTS.parent) for place in places))
    return 1 if shared else 0


if __name__ == "__main__":
    sys.exit(main())
