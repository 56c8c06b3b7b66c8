"""A search finds what stands in the tree, and nothing can be smuggled in with its paths."""

import shutil
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from affidavit.errors import GitError, InputError
from affidavit.git.command import Git
from affidavit.git.grep import MAX_LINE_BYTES, MAX_PATHS, Query, may_be_cut, search_tree
from affidavit.git.tree import GitTree
from affidavit.records.evidence import SearchHit

OpenTree = Callable[[dict[str, str | bytes | None]], GitTree]


@pytest.fixture
def tree(open_tree: OpenTree) -> GitTree:
    """A tree with texts of several kinds."""
    return open_tree(
        {
            "app.py": "def load(path):\n    return open(path)\n",
            "src/deep/user.py": "load('x')\nloader = 1\nübel = 'é'\n",
            "src/data.bin": b"\0load\n",
            "a*b.txt": "star\n",
            "acb.txt": "star\n",
            ":(exclude)x": "magic\n",
            "new\nline.py": "odd name\n",
            ".gitattributes": "*.py binary\n",
        }
    )


def found(tree: GitTree, pattern: str, *paths: str, **options: object) -> list[tuple[str, int]]:
    """Path and line of each hit."""
    return [(hit.path, hit.line) for hit in tree.search(pattern, paths, **options)]  # type: ignore[arg-type]


def test_hits_carry_path_line_and_text(tree: GitTree):
    hit = tree.search(r"def \w+\(")[0]
    assert (hit.path, hit.line, hit.text) == ("app.py", 1, "def load(path):")


def test_binary_files_and_files_that_attributes_call_binary_are_searched(tree: GitTree):
    assert found(tree, "load") == [
        ("app.py", 1),
        ("src/data.bin", 1),
        ("src/deep/user.py", 1),
        ("src/deep/user.py", 2),
    ]


def test_words_and_literals(tree: GitTree):
    assert found(tree, "load", is_word=True) == [("app.py", 1), ("src/data.bin", 1), ("src/deep/user.py", 1)]
    assert found(tree, "open(", is_literal=True) == [("app.py", 2)]
    assert found(tree, ".", "app.py", is_literal=True) == []


def test_files_with_a_matching_line_are_named_once_and_by_their_endings(tree: GitTree):
    assert tree.files_with(r"(?<!def )\bload\b", (".py",)) == {"src/deep/user.py"}
    assert tree.files_with("odd|star", (".PY", ".txt")) == {"new\nline.py", "a*b.txt", "acb.txt"}
    assert tree.without({"app.py"}).files_with("load", (".py",)) == {"src/deep/user.py"}
    assert tree.files_with("nowhere", (".py",)) == set()
    with pytest.raises(GitError, match="failed"):
        tree.files_with("(", (".py",))


def test_letters_outside_ascii_are_letters(tree: GitTree):
    assert found(tree, "[éè]") == [("src/deep/user.py", 3)]
    assert found(tree, "^.bel") == [("src/deep/user.py", 3)]


def test_paths_are_files_folders_or_globs(tree: GitTree):
    assert found(tree, "load", "src/deep") == [("src/deep/user.py", 1), ("src/deep/user.py", 2)]
    assert found(tree, "load", "./src/") == found(tree, "load", "src")
    assert found(tree, "load", "*.py") == [("app.py", 1), ("src/deep/user.py", 1), ("src/deep/user.py", 2)]
    assert found(tree, "load", "src/**/*.py") == [("src/deep/user.py", 1), ("src/deep/user.py", 2)]
    assert found(tree, "load", "src/de*") == found(tree, "load", "src/deep")
    assert found(tree, "load", "src/deep/{user,no}.py") == found(tree, "load", "src/deep")
    assert found(tree, "load", ".") == found(tree, "load")
    assert found(tree, "load", "app.py", "src/data.bin") == [("app.py", 1), ("src/data.bin", 1)]


def test_a_glob_that_matches_more_files_than_git_can_be_given_finds_all_and_only_those(open_tree: OpenTree):
    many = {f"src/{number}/a.py": "load\n" for number in range(MAX_PATHS + 5)}
    tree = open_tree({**many, "src/a.txt": "load\n", "lib/a.rs": "load\n", "docs/a.md": "load\n"})
    hits = tree.search("load", ["*.py", "lib"], max_hits=2000)
    assert {hit.path for hit in hits} == {*many, "lib/a.rs"}
    assert len(tree.search("load", ["*.py"], max_hits=10)) == 10


def test_a_hostile_glob_ends_at_once(open_tree: OpenTree):
    tree = open_tree({"/".join(["a" * 200] * 5): "load\n"})
    started = time.monotonic()
    with pytest.raises(InputError, match="no file of the tree"):
        tree.search("load", ["*a" * 30 + "b"])
    assert time.monotonic() - started < 5


def test_the_whole_tree_beside_another_path_is_the_whole_tree(tree: GitTree):
    assert found(tree, "load", "src/deep", ".") == found(tree, "load")


def test_a_file_whose_name_is_a_glob_is_that_file(tree: GitTree):
    assert found(tree, "star", "a*b.txt") == [("a*b.txt", 1)]


def test_magic_in_a_path_is_only_a_name(tree: GitTree):
    assert found(tree, "magic", ":(exclude)x") == [(":(exclude)x", 1)]
    for path in (":(exclude)app.py", ":!app.py", ":/app.py", ":(glob)*.py"):
        with pytest.raises(InputError, match="no file of the tree"):
            tree.search("load", [path])


def test_a_name_with_a_line_feed_is_told(tree: GitTree):
    assert found(tree, "odd name") == [("new\nline.py", 1)]


@pytest.mark.parametrize(
    "path", ["absent.py", "*.rs", "../app.py", "/", "/app.py", "app.py/x", "app.py\0", "*\0"]
)
def test_a_path_that_names_no_file_is_refused(tree: GitTree, path: str):
    with pytest.raises(InputError, match="no file of the tree"):
        tree.search("load", [path])


@pytest.mark.parametrize("pattern", ["", "(", "a\nb", "a\0b", "[z-a]", "x" * 20_000, "\ud800"])
def test_a_bad_pattern_is_refused(tree: GitTree, pattern: str):
    with pytest.raises(InputError):
        tree.search(pattern)


@pytest.mark.parametrize("pattern", ["-e", "--open-files-in-pager=touch x", "-f/etc/passwd"])
def test_a_pattern_that_looks_like_an_option_is_a_pattern(tree: GitTree, pattern: str):
    assert tree.search(pattern) == []


@pytest.fixture
def git_without_perl(tree: GitTree, tmp_path: Path) -> Git:
    """A git that was built without Perl expressions."""
    (tmp_path / "git").write_text(
        '#!/bin/sh\nfor word; do [ "$word" = -P ] && { echo "fatal: cannot use Perl-compatible regexes" >&2; '
        f'exit 128; }}; done\nexec {shutil.which("git")} "$@"\n'
    )
    (tmp_path / "git").chmod(0o755)
    git = tree._store.git
    return git.having({"PATH": f"{tmp_path}:{git.environment['PATH']}"})


def test_without_perl_expressions_extended_ones_are_used(tree: GitTree, git_without_perl: Git):
    hits = search_tree(git_without_perl, tree, Query("(def|class) load"))
    assert [hit.path for hit in hits] == ["app.py"]


def test_a_pattern_that_would_mean_something_else_without_perl_expressions_is_refused(
    tree: GitTree, git_without_perl: Git
):
    with pytest.raises(InputError, match="needs a git built with Perl expressions"):
        search_tree(git_without_perl, tree, Query(r"\d+"))


def test_hits_are_limited(open_tree: OpenTree):
    tree = open_tree({"a": "x\n" * 50_000})
    assert len(tree.search("x", max_hits=7)) == 7
    assert len(tree.search("x")) == 200


def test_a_long_line_is_shown_around_its_match(open_tree: OpenTree):
    line = f"{'left, ' * 20_000}the one, {'right, ' * 20_000}"
    tree = open_tree({"a.js": line, "b.js": "the one, " + line[-9000:], "c.js": line[:9000] + "the one"})
    texts = {hit.path: hit.text for hit in tree.search("the one", max_characters=300)}
    assert all(len(text) <= 302 and "the one" in text for text in texts.values())
    assert texts["a.js"].startswith("…, left, left")
    assert texts["a.js"].endswith("right, right,…")
    assert texts["b.js"].startswith("the one, ")
    assert texts["c.js"].endswith("the one")
    assert len(tree.search("the one")[0].text) <= 2002


def test_of_a_long_line_no_token_is_shown_in_part(open_tree: OpenTree):
    token = "sk-" + "Ab3" * 40
    filler = "word " * 8
    tree = open_tree({"a.js": f"{'x ' * 900}{token} {filler}needle {filler}{token}{' x' * 900}\n"})
    shown = tree.search("needle", max_characters=200)[0].text
    assert "needle" in shown
    assert "Ab3" not in shown


def test_a_line_that_is_one_token_is_cut_short(open_tree: OpenTree):
    tree = open_tree({"a.js": "x" * 100_000 + "\n"})
    assert tree.search("x")[0].text == "x" * 250 + "…"


def test_a_match_after_letters_outside_ascii_is_shown(open_tree: OpenTree):
    tree = open_tree({"a.txt": "é " * 5000 + "needle" + " é" * 5000 + "\n"})
    assert "needle" in tree.search("needle", max_characters=100)[0].text


def test_a_search_that_takes_too_long_is_ended(open_tree: OpenTree):
    tree = open_tree({"a": "".join(f"{number}\n" for number in range(300_000))})
    with pytest.raises(GitError, match="took longer than 0.001 seconds"):
        search_tree(tree._store.git, tree, Query("nothing like this|(a|b)+c", timeout_seconds=0.001))


def peak_bytes(search: Callable[[], list[SearchHit]]) -> tuple[list[SearchHit], int]:
    """What a search finds, and the most memory that it took on the way."""
    tracemalloc.start()
    try:
        return search(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_lines_of_many_megabytes_are_read_in_part(open_tree: OpenTree):
    line = b"needle" + b" hay" * 15_000_000 + b" end\n"
    tree = open_tree({f"{number}.txt": line for number in range(3)} | {"short.txt": "needle\n"})
    hits, peak = peak_bytes(lambda: tree.search("needle", max_characters=100))
    assert [hit.path for hit in hits] == ["0.txt", "1.txt", "2.txt", "short.txt"]
    assert all(hit.text.startswith("needle") and may_be_cut(hit.text) for hit in hits[:3])
    assert peak < 20 * MAX_LINE_BYTES
    late, _ = peak_bytes(lambda: tree.search("end", max_characters=100))
    assert [(hit.path, may_be_cut(hit.text)) for hit in late] == [(f"{n}.txt", True) for n in range(3)]


def test_of_millions_of_hits_those_asked_for_are_taken_and_the_search_ends(open_tree: OpenTree):
    tree = open_tree({"many.txt": b"needle\n" * 5_000_000})
    hits, peak = peak_bytes(lambda: tree.search("needle", max_hits=100))
    assert len(hits) == 100
    assert peak < MAX_LINE_BYTES


def test_nothing_is_found_as_an_empty_list(tree: GitTree):
    assert tree.search("nothing like this") == []
