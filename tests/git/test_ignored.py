"""What the `.gitignore` files of a tree mean, read by git itself."""

from collections.abc import Callable, Mapping

import pytest

from affidavit.git.checkout import is_ignored
from affidavit.git.tree import GitTree

Files = Mapping[str, str | bytes | None]
IGNORING = {
    "main.py": "",
    ".gitignore": "*.log\n/made/\n**/gen/*.ts\n",
    "app/.gitignore": "local_*.py\n!local_kept.py\n",
}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("made/deep/x.py", True),
        ("app/made/x.py", False),
        ("web/gen/api.ts", True),
        ("app/local_one.py", True),
        ("app/local_kept.py", False),
        ("local_one.py", False),
        ("main.py", False),
        ("../outside.log", False),
    ],
)
def test_a_path_is_ignored_as_git_would(
    open_tree: Callable[[Files], GitTree], path: str, expected: bool
) -> None:
    assert is_ignored(open_tree(IGNORING), path) is expected


def test_a_tree_without_patterns_ignores_nothing(open_tree: Callable[[Files], GitTree]) -> None:
    assert not is_ignored(open_tree({"main.py": ""}), "made/x.py")
