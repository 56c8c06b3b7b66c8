"""A diff is read exactly, or refused with the line that is wrong."""

import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from affidavit.diff.hunks import apply_hunks
from affidavit.diff.parse import FileDiff, parse_diff
from affidavit.errors import EmptyChangeError, MalformedDiffError
from affidavit.records.change import FileStatus
from long_tests import examples
from repositories import Repo, clean_environment


def only(text: str | bytes) -> FileDiff:
    """The one file of a diff."""
    files = parse_diff(text.encode() if isinstance(text, str) else text)
    assert len(files) == 1
    return files[0]


HUNK = "@@ -1,2 +1,2 @@\n one\n-two\n+2\n"


def test_a_git_diff_gives_names_modes_ids_and_hunks():
    old, new = "1" * 40, "2" * 40
    file = only(f"diff --git a/x.py b/x.py\nindex {old}..{new} 100755\n--- a/x.py\n+++ b/x.py\n{HUNK}")
    assert (file.old_name, file.new_name, file.status) == (b"x.py", b"x.py", FileStatus.MODIFIED)
    assert (file.old_blob, file.new_blob, file.old_mode, file.new_mode) == (old, new, "100755", "100755")
    assert file.hunks[0].lines == (b" one", b"-two", b"+2")


def test_a_shortened_object_id_is_not_taken_for_one():
    file = only(f"diff --git a/x b/x\nindex 1234567..89abcde 100644\n--- a/x\n+++ b/x\n{HUNK}")
    assert (file.old_blob, file.new_blob) == (None, None)


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("--- a/dir/x.py\n+++ b/dir/x.py\n", b"dir/x.py"),
        ("--- a/x y.py\t\n+++ b/x y.py\t\n", b"x y.py"),
        ("--- a/x.c\t2026-01-01 10:00:00.0 +0000\n+++ b/x.c\t2026-01-02 10:00:00.0 +0000\n", b"x.c"),
        ('--- "a/t\\303\\244\\tb\\"c"\n+++ "b/t\\303\\244\\tb\\"c"\n', 'tä\tb"c'.encode()),
        ("--- i/x.py\n+++ w/x.py\n", b"x.py"),
        ("--- c/x.py\n+++ w/x.py\n", b"x.py"),
        ("--- o/x.py\n+++ w/x.py\n", b"x.py"),
        ("--- b/x.py\n+++ a/x.py\n", b"x.py"),
        ("--- a/x.py\n+++ a/x.py\n", b"a/x.py"),
        ("--- src/x.py\n+++ src/x.py\n", b"src/x.py"),
        ("--- b/x.py\n+++ b/x.py\n", b"b/x.py"),
    ],
)
def test_prefixes_are_stripped_only_where_both_names_agree(header: str, name: bytes):
    file = only(header + HUNK)
    assert (file.old_name, file.new_name, file.status) == (name, name, FileStatus.MODIFIED)


def test_names_that_differ_without_a_git_header_are_read_as_they_stand():
    file = only("--- a/x.py\n+++ b/y.py\n" + HUNK)
    assert (file.old_name, file.new_name, file.status) == (b"a/x.py", b"b/y.py", FileStatus.RENAMED)


def test_a_new_file_in_a_folder_called_b_keeps_its_folder_without_prefixes():
    file = only("diff --git b/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+one\n")
    assert (file.old_name, file.new_name, file.status) == (None, b"b/x", FileStatus.ADDED)


def test_a_rename_between_folders_called_a_and_b_is_named_by_its_headers():
    text = "diff --git a/x b/x\nsimilarity index 100%\nrename from a/x\nrename to b/x\n"
    file = only(text)
    assert (file.old_name, file.new_name, file.status) == (b"a/x", b"b/x", FileStatus.RENAMED)
    assert file.similarity == 100


def test_a_time_stamp_of_zero_says_that_a_side_lacks_the_file():
    stamp = "1970-01-01 00:00:00.000000000 +0000"
    file = only(f"--- old/x\t{stamp}\n+++ new/x\t2026-01-01 00:00:00.0 +0000\n@@ -0,0 +1 @@\n+one\n")
    assert (file.old_name, file.new_name, file.status) == (None, b"new/x", FileStatus.ADDED)


def test_lines_that_look_like_headers_inside_a_hunk_are_content():
    text = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a\n-@@ -1 +1 @@\n+++ b\n+diff --git a/x b/x\n"
    assert only(text).hunks[0].lines == (b"--- a", b"-@@ -1 +1 @@", b"+++ b", b"+diff --git a/x b/x")


def test_an_empty_line_inside_a_hunk_is_an_empty_context_line():
    assert only("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n\n-a\n+b\n").hunks[0].lines == (b" ", b"-a", b"+b")


def test_a_diff_converted_to_crlf_as_a_whole_is_read_as_if_it_were_not():
    text = f"diff --git a/x b/x\n--- a/x\n+++ b/x\n{HUNK}".replace("\n", "\r\n")
    file = only(text)
    assert (file.name, file.hunks[0].lines[0]) == (b"x", b" one")


def test_a_carriage_return_of_the_content_is_kept():
    assert only("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\r\n+b\r\n").hunks[0].lines == (b"-a\r", b"+b\r")


def test_prose_and_mail_around_a_diff_are_passed_over():
    mail = (
        "From 123 Mon Sep 17\nSubject: [PATCH] x\n\n---\n x | 2 +-\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n"
    )
    assert only(mail + HUNK + "-- \n2.39.5\n\n").name == b"x"


@pytest.mark.parametrize(
    "body",
    [
        "Binary files a/x and b/x differ\n",
        "GIT binary patch\nliteral 3\nKcmZQzWB>pF0RRC1\n\nliteral 0\nHcmV?d00001\n\n",
    ],
)
def test_a_binary_file_is_known_as_such(body: str):
    text = f"diff --git a/x b/x\nindex 1111111..2222222 100644\n{body}--- a/y\n+++ b/y\n{HUNK}"
    binary, other = parse_diff(text.encode())
    assert (binary.is_binary, binary.name) == (True, b"x")
    assert other.name == b"y"


def test_modes_empty_files_and_submodules_need_no_hunk():
    text = (
        "diff --git a/m b/m\nold mode 100644\nnew mode 100755\n"
        "diff --git a/e b/e\nnew file mode 100644\nindex 0000000..e69de29\n"
        "diff --git a/d b/d\ndeleted file mode 100644\nindex e69de29..0000000\n"
        "diff --git a/s b/s\nindex 1111111..2222222 160000\n--- a/s\n+++ b/s\n"
        "@@ -1 +1 @@\n-Subproject commit 1\n+Subproject commit 2\n"
    )
    mode, empty, deleted, submodule = parse_diff(text.encode())
    assert (mode.old_mode, mode.new_mode, mode.status) == ("100644", "100755", FileStatus.MODIFIED)
    assert (empty.status, deleted.status) == (FileStatus.ADDED, FileStatus.DELETED)
    assert submodule.is_submodule


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("hello\nworld\n", 1, "not a diff"),
        ("Binary files a/x and b/x differ\n", 1, "not shown"),
        ("Submodule lib 1234567..89abcde:\n  > a message\n", 1, "not shown"),
        ("diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1 -1 +1 @@@\n", 1, "combined"),
        ("--- a/x\n+++ b/x\n@@@ -1 -1 +1 @@@\n", 3, "combined"),
        ("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n", 6, "ends inside"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\n+d\n", 6, "more lines"),
        ("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-b\n*c\n", 5, "inside a hunk"),
        ("--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n+b\n+c\n", 5, "more lines"),
        ("--- a/x\n+++ b/x\n@@ -x +1 @@\n", 3, "header"),
        ("--- a/x\n+++ b/x\n@@ -0,1 +1 @@\n-a\n+b\n", 3, "count from 1"),
        ("--- a/x\n+++ b/x\nhello\n", 3, "must follow"),
        ("--- a/x\n@@ -1 +1 @@\n-a\n+b\n", 1, "+++"),
        ("@@ -1 +1 @@\n-a\n+b\n", 1, "names"),
        ("--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n", 1, "inside a repository"),
        ("--- /etc/x\n+++ /etc/x\n@@ -1 +1 @@\n-a\n+b\n", 1, "inside a repository"),
        ("--- a/.git/hooks/x\n+++ b/.git/hooks/x\n@@ -1 +1 @@\n-a\n+b\n", 1, "inside a repository"),
        ('--- "a/x\n+++ "b/x\n@@ -1 +1 @@\n-a\n+b\n', 1, "no end"),
        ('--- "a/\\q"\n+++ "b/\\q"\n@@ -1 +1 @@\n-a\n+b\n', 1, "escape"),
        ("diff --git a/x b/x\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", 2, "differs from"),
        ("diff --git a/x b/x\nrename from x\nrename to y z\nnew file mode 100644\n--- a/x\nfoo", 5, "---"),
        ("diff --git a/x b/y\nrename from x\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", 3, "both"),
        (
            "diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
            5,
            "new file",
        ),
        ("--- a/x\n+++ b/x\n@@ -5 +5 @@\n-a\n+b\n@@ -2 +2 @@\n-a\n+b\n", 6, "order"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline\n+b\n@@ -2 +2 @@\n-a\n+b\n", 7, "end of the file"),
        ("diff --git a/x b/x\nGIT binary patch\nliteral 3\nnot base85 data\n", 4, "binary"),
        ("diff --git a/one two\n--- a/one two\nfoo", 2, "---"),
    ],
)
def test_a_malformed_diff_is_refused_with_the_line_that_is_wrong(text: str, line: int, reason: str):
    with pytest.raises(MalformedDiffError) as caught:
        parse_diff(text.encode())
    assert caught.value.line_number == line
    assert reason in caught.value.reason
    assert caught.value.line == text.split("\n")[line - 1]


@pytest.mark.parametrize(
    "headers",
    ["index 1111111..2222222 100644", "new file mode 100644\nindex 0000000..2222222"],
)
def test_a_file_whose_hunks_were_lost_is_refused_at_its_index_line(headers: str):
    with pytest.raises(MalformedDiffError, match="no hunk says how") as refused:
        parse_diff(f"diff --git a/x b/x\n{headers}\n".encode())
    assert refused.value.line.startswith("index ")


@pytest.mark.parametrize(
    "headers",
    [
        "new file mode 100644\nindex 0000..e69d",
        "deleted file mode 100644\nindex e69de29..0000000",
        "old mode 100644\nnew mode 100755\nindex 1111111..2222222",
        "similarity index 90%\nrename from x\nrename to y\nindex 1111111..2222222 100644",
    ],
)
def test_headers_that_git_prints_without_hunks_are_read(headers: str):
    name = "y" if "rename" in headers else "x"
    assert only(f"diff --git a/x b/{name}\n{headers}\n").hunks == []


def test_a_byte_order_mark_before_a_diff_is_passed_over():
    rename = b"diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n"
    assert only(b"\xef\xbb\xbf" + rename).status is FileStatus.RENAMED


@pytest.mark.parametrize(
    ("data", "advice"),
    [
        (f"--- a/x\n+++ b/x\n{HUNK}".encode("utf-16"), "UTF-8"),
        (b"\x1b[1mdiff --git a/x b/x\x1b[m\n", "--no-color"),
    ],
)
def test_a_diff_in_the_wrong_form_is_refused_with_what_to_do(data: bytes, advice: str):
    with pytest.raises(MalformedDiffError, match=advice):
        parse_diff(data)


@pytest.mark.parametrize("text", [b"", b"\n", b" \r\n\t"])
def test_an_empty_text_is_an_empty_change(text: bytes):
    with pytest.raises(EmptyChangeError):
        parse_diff(text)


def test_a_hundred_thousand_lines_are_read_in_less_than_a_second():
    lines = b"".join(b"-old %d\n+new %d\n" % (number, number) for number in range(50_000))
    started = time.process_time()
    file = only(b"--- a/x\n+++ b/x\n@@ -1,50000 +1,50000 @@\n" + lines)
    assert len(file.hunks[0].lines) == 100_000
    assert time.process_time() - started < 1


FRAGMENTS = st.sampled_from(
    [
        b"diff --git a/x b/x\n",
        b"diff --git ",
        b"--- a/x\n",
        b"+++ b/x\n",
        b"--- /dev/null\n",
        b"@@ -1,2 +1,2 @@\n",
        b"@@ -1 +1 @@\n",
        b"@@ -0,0 +1 @@\n",
        b"+a\n",
        b"-b\n",
        b" c\n",
        b"\n",
        b"\\ No newline at end of file\n",
        b"new file mode 100644\n",
        b"deleted file mode 100644\n",
        b"rename from x\n",
        b"rename to y\n",
        b"GIT binary patch\n",
        b"literal 3\n",
        b"Binary files a/x and b/x differ\n",
        b'"a\\303"',
        b"\r\n",
        b"index 1111111..2222222 160000\n",
    ]
)


@given(
    st.one_of(st.binary(max_size=300), st.lists(FRAGMENTS | st.binary(max_size=8), max_size=25).map(b"".join))
)
@settings(max_examples=examples(400), deadline=None)
def test_any_bytes_give_files_or_a_clear_refusal(data: bytes):
    try:
        files = parse_diff(data)
    except (MalformedDiffError, EmptyChangeError):
        return
    assert files
    for file in files:
        assert file.name
        for hunk in file.hunks:
            marks = [line[:1] for line in hunk.lines]
            assert marks.count(b" ") + marks.count(b"-") == hunk.old_count
            assert marks.count(b" ") + marks.count(b"+") == hunk.new_count


LINES = st.lists(
    st.sampled_from(
        [b"", b"a", b"b", b"-- a", b"++ b", b"@@ -1 +1 @@", b"\x0c\r", b"c\r", b"\xff", "é\u2028".encode()]
    ),
    max_size=14,
)
CONTENT = st.builds(lambda lines, end: b"\n".join(lines) + end, LINES, st.sampled_from([b"", b"\n"]))


@given(old=CONTENT, new=CONTENT, context=st.integers(0, 4))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_hunks_of_a_real_git_diff_turn_the_old_content_into_the_new(
    tmp_path: Path, old: bytes, new: bytes, context: int
):
    (tmp_path / "old").write_bytes(old)
    (tmp_path / "new").write_bytes(new)
    done = subprocess.run(
        ["git", "diff", "--no-index", "--text", f"-U{context}", "old", "new"],
        cwd=tmp_path,
        env=clean_environment(),
        capture_output=True,
        check=False,
    )
    if not done.stdout:
        assert old == new
        return
    hunks = only(done.stdout).hunks
    assert apply_hunks(old, hunks) == new


@pytest.mark.parametrize(
    "content", [b"one\nTWO\n", b"zero\none\ntwo\n", b"one\ntwo", b"one\n", b"", b"one\r\ntwo\r\n"]
)
def test_hunks_are_applied_to_exactly_what_they_were_made_from(content: bytes):
    hunks = only("--- a/x\n+++ b/x\n" + HUNK).hunks
    assert apply_hunks(b"one\ntwo\nmore\n", hunks) == b"one\n2\nmore\n"
    assert apply_hunks(content, hunks) is None


NAMES = [
    "plain.py",
    "with space.py",
    "tab\there.py",
    'quote".py',
    "ünï.py",
    "a/a.py",
    "b/b.py",
    "back\\slash",
    "n\nl.py",
]


@pytest.mark.parametrize("options", [(), ("--no-prefix",), ("-c", "diff.mnemonicPrefix=true"), ("-R",)])
def test_every_kind_of_name_is_read_from_real_git_diffs(repo: Repo, options: tuple[str, ...]):
    repo.commit("base", dict.fromkeys(NAMES, "one\ntwo\n"))
    repo.write(dict.fromkeys(NAMES, "one\n2\n"))
    before = [option for option in options if option.startswith(("-c", "diff."))]
    after = [option for option in options if option not in before]
    text = repo.git(*before, "diff", *after)
    files = parse_diff((text + "\n").encode())
    assert {file.name.decode() for file in files} == set(NAMES)
    assert {file.old_name for file in files} == {file.new_name for file in files}


def test_renames_copies_and_type_changes_of_real_git_diffs_are_read(repo: Repo):
    body = "".join(f"line {number}\n" for number in range(20))
    repo.commit("base", {"old name.py": body, "source.py": body.upper(), "link": "x\n"})
    repo.git("mv", "old name.py", "new name.py")
    repo.write({"new name.py": body + "more\n", "copy.py": body.upper(), "source.py": body.upper() + "z\n"})
    (repo.path / "link").unlink()
    (repo.path / "link").symlink_to("target")
    repo.git("add", "-A")
    files = parse_diff(repo.git("diff", "--cached", "-M", "-C").encode() + b"\n")
    told = [(file.status, file.old_name, file.new_name) for file in files]
    assert (FileStatus.RENAMED, b"old name.py", b"new name.py") in told
    assert (FileStatus.COPIED, b"source.py", b"copy.py") in told
    assert [item for item in told if b"link" in item] == [
        (FileStatus.DELETED, b"link", None),
        (FileStatus.ADDED, None, b"link"),
    ]
