"""A written history becomes the same repository everywhere, or an error that says what is wrong."""

from pathlib import Path

import pytest

from affidavit.errors import InputError
from affidavit.lab.cases.repositories import build_history, is_written_history
from repositories import Repo, run_git

PATCH = """From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001
From: Somebody Else <else@example.com>
Date: Fri, 3 Feb 2023 04:05:06 +0300
Subject: [PATCH] Greet people by name

The greeting was the same for everybody.
---
 hello.py | 2 +-
 1 file changed, 1 insertion(+), 1 deletion(-)

diff --git a/hello.py b/hello.py
--- a/hello.py
+++ b/hello.py
@@ -1,2 +1,2 @@
 def hello(name):
-    return "hello"
+    return f"hello {name}"
--\x20
2.39.5
"""


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """A folder with a history of two commits."""
    folder = tmp_path / "written"
    (folder / "base").mkdir(parents=True)
    (folder / "base/hello.py").write_text('def hello(name):\n    return "hello"\n')
    (folder / "0001-greet.patch").write_text(PATCH)
    return folder


def git(repository: Path, *args: str) -> str:
    return run_git(repository, *args).decode().strip()


def test_the_tags_name_the_plain_files_and_the_patched_ones(written: Path, tmp_path: Path) -> None:
    build_history(written, tmp_path / "built")
    assert git(tmp_path / "built", "show", "base:hello.py").endswith('return "hello"')
    assert git(tmp_path / "built", "show", "head:hello.py").endswith('return f"hello {name}"')


def test_a_commit_has_the_message_of_its_patch(written: Path, tmp_path: Path) -> None:
    build_history(written, tmp_path / "built")
    message = git(tmp_path / "built", "log", "-1", "--format=%B", "head")
    assert message == "Greet people by name\n\nThe greeting was the same for everybody."


def test_the_hashes_depend_on_nothing_but_the_files(written: Path, tmp_path: Path) -> None:
    build_history(written, tmp_path / "built")
    assert git(tmp_path / "built", "rev-parse", "head") == "f7a6466f9d770a562501cbe7c3ac0a4b8241ee45"


def test_no_configuration_of_the_user_has_a_say(
    written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (home / ".config/git").mkdir(parents=True)
    (home / ".config/git/attributes").write_text("* text\n")
    (home / "template/hooks").mkdir(parents=True)
    (home / "template/hooks/post-commit").write_text("#!/bin/sh\n")
    (home / ".gitconfig").write_text(
        "[user]\nname=Me\n[core]\nautocrlf=true\n[i18n]\ncommitEncoding=ISO-8859-1\n[init]\n"
        f"defaultBranch=other\ntemplateDir={home}/template\n[apply]\nwhitespace=error\n"
    )
    (written / "base/from_windows.txt").write_bytes(b"one\r\ntwo\r\n")
    build_history(written, tmp_path / "plain")
    for name, value in {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config")}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / ".gitconfig"))
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Me")
    build_history(written, tmp_path / "built")
    assert git(tmp_path / "built", "rev-parse", "head") == git(tmp_path / "plain", "rev-parse", "head")
    assert git(tmp_path / "built", "symbolic-ref", "HEAD") == "refs/heads/main"
    assert not (tmp_path / "built/hooks").exists()


def test_files_that_an_ignore_file_names_are_committed_too(written: Path, tmp_path: Path) -> None:
    (written / "base/.gitignore").write_text("*.log\n")
    (written / "base/run.log").write_text("kept\n")
    build_history(written, tmp_path / "built")
    assert git(tmp_path / "built", "show", "base:run.log") == "kept"


def test_earlier_commits_stand_before_the_base_tag(written: Path, tmp_path: Path) -> None:
    (written / "earlier").mkdir()
    (written / "0001-greet.patch").rename(written / "earlier/0001-greet.patch")
    second = PATCH.replace('-    return "hello"', '-    return f"hello {name}"')
    second = second.replace('+    return f"hello {name}"', '+    return f"good morning {name}"')
    (written / "0001-politely.patch").write_text(second)
    build_history(written, tmp_path / "built")
    assert git(tmp_path / "built", "rev-list", "--count", "base") == "2"
    assert git(tmp_path / "built", "rev-list", "--count", "base..head") == "1"
    assert "good morning" in git(tmp_path / "built", "show", "head:hello.py")


def test_what_git_itself_writes_can_be_read_back(repo: Repo, tmp_path: Path) -> None:
    repo.commit("Start", {"a.txt": "one\r\ntwo\n", "old.bin": bytes(range(256)), "run": "#!/bin/sh\n"})
    (repo.path / "run").chmod(0o755)
    repo.git("mv", "a.txt", "ä b.txt")
    repo.commit("[api] Ändere alles — ☃", {"old.bin": bytes(range(255, -1, -1)), "new/x": "no line end"})
    written = tmp_path / "written"
    (written / "base").mkdir(parents=True)
    for name in ("a.txt", "old.bin", "run"):
        (written / "base" / name).write_bytes(run_git(repo.path, "show", f"HEAD~1:{name}"))
    repo.git("format-patch", "-q", "--binary", "-o", str(written), "HEAD~1")
    build_history(written, tmp_path / "built")
    assert git(tmp_path / "built", "rev-parse", "head^{tree}") == repo.git("rev-parse", "HEAD^{tree}")
    assert git(tmp_path / "built", "log", "-1", "--format=%s") == "[api] Ändere alles — ☃"


def test_a_patch_that_does_not_apply_is_named_and_nothing_is_left(written: Path, tmp_path: Path) -> None:
    (written / "base/hello.py").write_text("something else\n")
    with pytest.raises(InputError, match=r"0001-greet\.patch does not apply: .*hello\.py"):
        build_history(written, tmp_path / "built")
    assert not (tmp_path / "built").exists()


@pytest.mark.parametrize("path", ["../../outside.py", "/outside.py", ".git/hooks/post-commit"])
def test_a_patch_that_reaches_outside_is_refused(written: Path, tmp_path: Path, path: str) -> None:
    hostile = PATCH.replace("--- a/hello.py\n+++ b/hello.py", f"--- /dev/null\n+++ b/{path}")
    hostile = hostile.replace("a/hello.py b/hello.py", f"a/{path} b/{path}\nnew file mode 100644")
    hunk = hostile.index("@@")
    (written / "0001-greet.patch").write_text(hostile[:hunk] + "@@ -0,0 +1 @@\n+x\n")
    with pytest.raises(InputError, match="does not apply"):
        build_history(written, tmp_path / "built")


@pytest.mark.parametrize("text", ["", "nothing like a patch\n", PATCH.replace("Subject: ", "X-Other: ")])
def test_a_patch_without_a_subject_is_refused(written: Path, tmp_path: Path, text: str) -> None:
    (written / "0001-greet.patch").write_text(text)
    with pytest.raises(InputError, match="has no Subject"):
        build_history(written, tmp_path / "built")


def test_a_folder_without_files_or_patches_is_no_history(written: Path, tmp_path: Path) -> None:
    assert is_written_history(written)
    (written / "0001-greet.patch").unlink()
    assert not is_written_history(written)
    with pytest.raises(InputError, match=r"has no \*\.patch"):
        build_history(written, tmp_path / "built")
    with pytest.raises(InputError, match="has no folder base/"):
        build_history(tmp_path / "nowhere", tmp_path / "built")


def test_a_repository_among_the_files_is_refused(written: Path, tmp_path: Path) -> None:
    Repo(written / "base/inner").commit("Inner", {"x": "y"})
    with pytest.raises(InputError, match="is a git repository within base/"):
        build_history(written, tmp_path / "built")


def test_a_link_among_the_files_stays_a_link(written: Path, tmp_path: Path) -> None:
    (written / "base/link").symlink_to("/etc/hostname")
    build_history(written, tmp_path / "built")
    assert git(tmp_path / "built", "show", "head:link") == "/etc/hostname"


def test_a_folder_with_something_in_it_is_left_alone(written: Path, tmp_path: Path) -> None:
    (tmp_path / "built").mkdir()
    (tmp_path / "built/mine.txt").write_text("mine\n")
    with pytest.raises(InputError, match="the folder is not empty"):
        build_history(written, tmp_path / "built")
    assert (tmp_path / "built/mine.txt").read_text() == "mine\n"


def test_a_target_that_is_a_file_is_said(written: Path, tmp_path: Path) -> None:
    (tmp_path / "built").write_text("a file\n")
    with pytest.raises(InputError, match="no history can be built at"):
        build_history(written, tmp_path / "built")
