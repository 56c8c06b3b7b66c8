"""A bare diff gets its whole repository where that fits, and else what its hunks show."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from affidavit.errors import EmptyChangeError, InputError, MalformedDiffError
from affidavit.records.change import FileStatus
from affidavit.stages.intake import ChangeRequest, OpenedChange, open_change, rebuild_change
from repositories import Repo, run_git

TEN = "".join(f"line {number}\n" for number in range(1, 11))
EDITED = TEN.replace("line 5\n", "five\n")


def from_text(text: str | bytes, folder: Path) -> OpenedChange:
    """The change of a diff on standard input, read inside a repository."""
    data = text.encode() if isinstance(text, str) else text
    return open_change(ChangeRequest(target="-", diff_text=data, repo=folder))


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, in no repository."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    return tmp_path


def from_nowhere(text: str | bytes) -> OpenedChange:
    """The change of a diff outside any repository."""
    data = text.encode() if isinstance(text, str) else text
    return open_change(ChangeRequest(target="-", diff_text=data))


@pytest.fixture
def ten(repo: Repo) -> Repo:
    """A repository with a file of ten lines and others."""
    repo.commit("First", {"a.py": TEN, "other.py": "def other(): ...\n", "b.bin": b"\0\1", "e.txt": "no end"})
    return repo


def diff_of(repo: Repo, files: dict[str, str | bytes | None], *options: str) -> bytes:
    """A diff that git makes of an edit, with the working tree as it was before."""
    repo.write(files)
    repo.git("add", "-A")
    text = run_git(repo.path, "diff", "--cached", *options)
    repo.git("reset", "-q", "--hard")
    return text


def test_a_diff_that_fits_head_gets_the_whole_tree(ten: Repo):
    text = diff_of(ten, {"a.py": EDITED, "new.py": "new\n", "e.txt": "no end\nstill none"})
    with from_text(text, ten.path) as opened:
        change, repository = opened.change, opened.repository
        assert opened.notices == ()
        assert change.base.commit == ten.git("rev-parse", "HEAD")
        assert change.head.commit is None
        assert not any(file.is_partial for file in change.files)
        assert repository.head.lines("a.py") == EDITED.splitlines()
        assert repository.head.lines("other.py") == ["def other(): ..."]
        assert repository.head.read("e.txt") == b"no end\nstill none"
        assert [(file.path, file.status) for file in change.files] == [
            ("a.py", FileStatus.MODIFIED),
            ("e.txt", FileStatus.MODIFIED),
            ("new.py", FileStatus.ADDED),
        ]
        assert change.repository == "repo"


def test_applying_a_diff_writes_nothing_into_the_repository(ten: Repo):
    text = diff_of(ten, {"a.py": EDITED})
    before = {path: path.read_bytes() for path in ten.path.rglob("*") if path.is_file()}
    with from_text(text, ten.path):
        pass
    assert {path: path.read_bytes() for path in ten.path.rglob("*") if path.is_file()} == before


def test_a_diff_that_is_committed_already_is_placed_before_its_commit(ten: Repo):
    first = ten.git("rev-parse", "HEAD")
    text = diff_of(ten, {"a.py": EDITED})
    ten.commit("The change itself", {"a.py": EDITED})
    ten.commit("Something else", {"other.py": "changed\n"})
    with from_text(text, ten.path) as opened:
        assert opened.change.base.commit in (first, ten.git("rev-parse", "HEAD~1^"))
        assert opened.repository.head.lines("a.py") == EDITED.splitlines()


def test_a_diff_that_fits_nowhere_shows_only_its_hunks(ten: Repo):
    text = "--- a/a.py\n+++ b/a.py\n@@ -4,2 +4,3 @@ def f():\n other 4\n-other 5\n+5\n+more\n"
    with from_text(text, ten.path) as opened:
        assert "no recent commit" in opened.notices[0]
        assert opened.change.files[0].is_partial
        assert opened.change.repository is None
        assert opened.repository.base.lines("a.py") == ["", "", "", "other 4", "other 5"]
        assert opened.repository.head.lines("a.py") == ["", "", "", "other 4", "5", "more"]
        assert opened.repository.head.entry("other.py") is None


def test_a_diff_without_a_repository_keeps_its_line_numbers(nowhere: Path):
    text = (
        "--- a/a.py\n+++ b/a.py\n@@ -3 +3 @@\n-old\n+new\n@@ -7,0 +8,2 @@\n+x\n+y\n"
        "--- /dev/null\n+++ b/added.py\n@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file\n"
        "--- a/gone.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-bye\n"
    )
    with from_nowhere(text) as opened:
        change, repository = opened.change, opened.repository
        assert [(file.path, file.status, file.is_partial) for file in change.files] == [
            ("a.py", FileStatus.MODIFIED, True),
            ("added.py", FileStatus.ADDED, False),
            ("gone.py", FileStatus.DELETED, False),
        ]
        assert repository.head.lines("a.py") == ["", "", "new", "", "", "", "", "x", "y"]
        assert repository.base.lines("a.py") == ["", "", "old", "", "", "", ""]
        assert repository.head.read("added.py") == b"one\ntwo"
        assert repository.base.lines("gone.py") == ["bye"]
        assert repository.head.entry("gone.py") is None
        assert repository.head.search("new")[0].line == 3
        assert repository.head.blame("a.py", 3) is None
        assert opened.notices == (
            "there is no repository here: only the lines that the diff shows are known of a.py",
        )


def test_a_diff_file_is_a_target(nowhere: Path):
    (nowhere / "x.diff").write_text("--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-old\n+new\n")
    with open_change(ChangeRequest(target="x.diff")) as opened:
        assert (opened.change.source, opened.change.target, opened.change.title) == (
            "diff",
            "x.diff",
            "x.diff",
        )


def test_renames_copies_modes_and_deletions_of_a_diff_are_applied(ten: Repo):
    ten.git("mv", "a.py", "moved.py")
    (ten.path / "other.py").chmod(0o755)
    text = diff_of(ten, {"moved.py": EDITED, "e.txt": None}, "-M")
    with from_text(text, ten.path) as opened:
        head = opened.repository.head
        assert head.entry("a.py") is None
        assert head.lines("moved.py") == EDITED.splitlines()
        assert head.entry("e.txt") is None
        mode = head.entry("other.py")
        assert mode is not None
        assert mode.mode == "100755"
        assert {file.path: file.status for file in opened.change.files}["moved.py"] is FileStatus.RENAMED


def test_a_binary_file_of_a_diff_is_kept_as_a_change_that_cannot_be_read(ten: Repo):
    text = diff_of(ten, {"b.bin": b"\0\2", "a.py": EDITED})
    with from_text(text, ten.path) as opened:
        files = {file.path: file for file in opened.change.files}
        assert files["b.bin"].is_binary
        assert files["b.bin"].new_blob is None
        recorded = opened.change
    with rebuild_change(recorded, ten.path) as again:
        assert again.notices == ()
        assert again.repository.head.revision == recorded.head.tree
        assert opened.notices == ("b.bin: the diff does not contain its new content",)


def test_a_series_of_patches_is_applied_in_order_inside_its_repository(ten: Repo):
    first = ten.git("rev-parse", "HEAD")
    ten.commit("One", {"a.py": EDITED})
    ten.commit("Two", {"a.py": EDITED.replace("five\n", "FIVE\n"), "c.py": "c\n"})
    text = run_git(ten.path, "format-patch", "--stdout", f"{first}..HEAD")
    ten.git("reset", "-q", "--hard", first)
    with from_text(text, ten.path) as opened:
        assert [file.path for file in opened.change.files] == ["a.py", "c.py"]
        assert "+FIVE" in opened.change.files[0].hunks[0].lines
        assert opened.repository.head.lines("a.py") == EDITED.replace("five", "FIVE").splitlines()


def test_a_series_of_patches_without_its_repository_is_refused(nowhere: Path):
    one = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-old\n+new\n"
    with pytest.raises(InputError, match=r"a\.py is changed more than once"):
        from_nowhere(one + one)


def copied_and_changed(repo: Repo) -> bytes:
    """A diff with two copies of a file that has a change of its own, which moves the lines."""
    copies = {"copy.py": TEN + "copied\n", "twin.py": TEN + "other\n"}
    repo.commit("Copy", {"a.py": "zero\n" + TEN, **copies})
    return run_git(repo.path, "diff", "-C", "HEAD~1", "HEAD")


def test_a_copy_of_a_file_that_also_changes_is_made_from_what_the_file_was(ten: Repo):
    text = copied_and_changed(ten)
    made = ten.git("rev-parse", "HEAD^{tree}")
    ten.git("reset", "-q", "--hard", "HEAD~1")
    with from_text(text, ten.path) as opened:
        statuses = {file.path: file.status for file in opened.change.files}
        assert statuses == {"a.py": "modified", "copy.py": "copied", "twin.py": "copied"}
        assert opened.repository.head.revision == made


def test_copies_are_known_by_their_hunks_without_a_repository(
    ten: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    text = copied_and_changed(ten)
    outside = tmp_path / "outside"
    outside.mkdir()
    monkeypatch.chdir(outside)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    with from_nowhere(text) as opened:
        assert [file.path for file in opened.change.files] == ["a.py", "copy.py", "twin.py"]
        assert opened.repository.base.lines("a.py") == ["line 1", "line 2", "line 3"]
        assert list(opened.repository.base.entries()) == ["a.py"]
        assert (opened.repository.head.lines("twin.py") or [])[-1] == "other"


def test_files_that_change_names_with_each_other_are_told_apart(ten: Repo):
    # Git takes only files of some length apart.
    first, second = ("".join(f"{word} {number}\n" for number in range(100)) for word in ("this", "that"))
    ten.commit("Before", {"a.py": first, "z.py": second})
    ten.commit("Exchange", {"a.py": second, "z.py": first})
    made = ten.git("rev-parse", "HEAD^{tree}")
    text = run_git(ten.path, "diff", "-B", "-M", "HEAD~1", "HEAD")
    assert text.count(b"rename from") == 2
    ten.git("reset", "-q", "--hard", "HEAD~1")
    with from_text(text, ten.path) as opened:
        assert opened.repository.head.revision == made


def test_a_later_patch_is_made_from_what_an_earlier_one_left(ten: Repo):
    first = ten.git("rev-parse", "HEAD")
    ten.commit("Change", {"a.py": EDITED})
    ten.commit("Copy", {"copy.py": EDITED})
    made = ten.git("rev-parse", "HEAD^{tree}")
    text = run_git(ten.path, "format-patch", "--find-copies-harder", "--stdout", f"{first}..HEAD")
    assert b"copy from a.py" in text
    ten.git("reset", "-q", "--hard", first)
    with from_text(text, ten.path) as opened:
        assert opened.repository.head.revision == made


def test_hunks_whose_new_numbers_are_off_are_renumbered_by_the_repository(ten: Repo):
    text = "--- a/a.py\n+++ b/a.py\n@@ -5 +7 @@\n-line 5\n+five\n"
    with from_text(text, ten.path) as opened:
        assert opened.repository.head.lines("a.py") == EDITED.splitlines()
        assert opened.change.files[0].hunks[0].new_start == 2


def test_a_diff_that_makes_a_file_a_folder_as_well_is_refused(ten: Repo):
    with pytest.raises(InputError, match="both a file and a folder"):
        from_text("--- /dev/null\n+++ b/a.py/x\n@@ -0,0 +1 @@\n+x\n", ten.path)


def test_a_file_that_exists_already_cannot_be_added(ten: Repo):
    text = "--- /dev/null\n+++ b/a.py\n@@ -0,0 +1 @@\n+x\n"
    with from_text(text, ten.path) as opened:
        assert opened.change.repository is None


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (b"", EmptyChangeError),
        (b"hello\n", MalformedDiffError),
        (b"--- a/x\n+++ b/x\n@@ -999999999 +999999999 @@\n-a\n+b\n", InputError),
        (b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/x/y\n+++ b/x/y\n@@ -1 +1 @@\n-a\n+b\n", InputError),
    ],
)
def test_a_diff_that_cannot_be_laid_out_is_refused(nowhere: Path, text: bytes, error: type[Exception]):
    with pytest.raises(error):
        from_nowhere(text)


@pytest.mark.parametrize("name", ["git~1/config", ".git ./config", ".GIT/config"])
def test_a_name_that_some_file_system_takes_for_git_s_folder_is_refused(nowhere: Path, name: str):
    with pytest.raises(InputError):
        from_nowhere(f"--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+x\n")


PIECES = st.sampled_from(
    [
        "diff --git a/x b/x\n",
        "diff --git a/x b/y\nsimilarity index 90%\nrename from x\nrename to y\n",
        "--- a/x\n+++ b/x\n",
        "--- /dev/null\n+++ b/new\n",
        "--- a/z/q\n+++ /dev/null\n",
        "new file mode 120000\n",
        "old mode 100644\nnew mode 100755\n",
        "index 1111111..2222222 160000\n",
        "@@ -1 +1 @@\n-a\n+b\n",
        "@@ -0,0 +1 @@\n+a\n",
        "@@ -1 +0,0 @@\n-a\n",
        "@@ -70 +70,2 @@ f\n-a\n+b\n+c\n\\ No newline at end of file\n",
        "Binary files a/i and b/i differ\n",
        "prose\n",
    ]
)


@given(st.lists(PIECES, min_size=1, max_size=8).map("".join))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_diff_is_opened_with_lines_where_it_says_or_refused(nowhere: Path, text: str):
    try:
        opened = from_nowhere(text)
    except InputError:
        return
    with opened:
        for file in opened.change.files:
            lines = opened.repository.head.lines(file.path) or []
            told = [
                (line, text) for hunk in file.hunks for mark, _, line, text in hunk.numbered() if mark != "-"
            ]
            if file.new_mode != "120000" and not file.is_submodule and not file.is_binary:
                assert [(line, lines[(line or 0) - 1]) for line, _ in told] == told


def test_a_diff_that_changes_no_line_is_empty(ten: Repo):
    with pytest.raises(EmptyChangeError, match="changes no line"):
        from_text("--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n line 1\n", ten.path)


def test_standard_input_must_come_with_text(ten: Repo):
    with pytest.raises(InputError, match="standard input"):
        open_change(ChangeRequest(target="-", repo=ten.path))
