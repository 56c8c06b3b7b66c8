"""A `.git` that came with an archive runs nothing and reaches nothing outside its folder."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from affidavit.errors import GitError, InputError
from affidavit.git.command import git_environment
from affidavit.git.location import Allowed, find_repository
from affidavit.stages.intake import ChangeRequest, open_change
from commands import affidavit
from repositories import Repo, run_git

COMMANDS = (
    "core.fsmonitor",
    "core.sshCommand",
    "core.gitProxy",
    "core.pager",
    "core.editor",
    "core.askPass",
    "core.alternateRefsCommand",
    "credential.helper",
    "diff.external",
    "diff.custom.command",
    "diff.custom.textconv",
    "filter.custom.clean",
    "filter.custom.smudge",
    "filter.served.process",
    "filter.a=b.clean",
    "filter.with.dots.clean",
    "gpg.program",
    "gpg.ssh.program",
    "interactive.diffFilter",
    "merge.custom.driver",
    "pager.diff",
    "pager.log",
    "remote.origin.uploadpack",
    "sequence.editor",
    "trailer.sign.command",
    "uploadpack.packObjectsHook",
)
"""Settings whose value git runs as a program, in one situation or another."""
FILTERED = {
    ".gitattributes": "*.py diff=custom filter=custom\n*.js filter=served\n"
    "*.go filter=a=b\n*.rs filter=with.dots\n",
    "a.py": "a = 1\n",
    "a.js": "a = 1\n",
    "a.go": "a = 1\n",
    "a.rs": "a = 1\n",
}


class Trap:
    """A program that leaves a trace when somebody runs it."""

    def __init__(self, folder: Path) -> None:
        self.trace = folder / "ran"
        self.program = folder / "program"
        self.program.write_text(f'#!/bin/sh\necho "$0 $*" >> {self.trace}\ncat\n')
        self.program.chmod(0o755)

    def arm(self, repo: Repo, *names: str) -> None:
        for name in names:
            repo.git("config", name, str(self.program))


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    return Trap(tmp_path)


@pytest.fixture
def private(tmp_path: Path) -> Repo:
    """Another repository of the user."""
    repo = Repo(tmp_path / "private")
    repo.commit("Private", {"secret.txt": "for nobody else\n"})
    return repo


def review_everything(repo: Repo, diff: bytes) -> Iterator[str]:
    """Every way to name a change, each with all that is read of it."""
    requests = (
        ChangeRequest(repo=repo.path),
        ChangeRequest(repo=repo.path, staged=True),
        ChangeRequest(repo=repo.path, target="HEAD"),
        ChangeRequest(repo=repo.path, target="HEAD~1..HEAD"),
        ChangeRequest(repo=repo.path, target="-", diff_text=diff),
    )
    for request in requests:
        with open_change(request) as opened:
            head = opened.repository.head
            head.search("a")
            for path in head.entries():
                head.blame(path, 1)
            yield opened.change.model_dump_json()


def test_no_program_that_the_configuration_names_is_run(repo: Repo, trap: Trap) -> None:
    repo.commit("First", FILTERED)
    repo.commit("Second", {name: text.replace("1", "2") for name, text in FILTERED.items()})
    changed = {name: text.replace("1", "3") for name, text in FILTERED.items()}
    repo.write(changed)
    repo.git("add", "a.py")
    repo.write({name: text.replace("3", "4") for name, text in changed.items()})
    (repo.path / "new.py").write_text("a = 5\n")
    diff = repo.git("diff").encode() + b"\n"
    trap.arm(repo, *COMMANDS)
    repo.git("config", "log.showSignature", "true")
    repo.git("config", "filter.custom.required", "true")
    assert all("a.py" in change for change in review_everything(repo, diff))
    assert not trap.trace.exists()


def test_the_trap_would_have_sprung(repo: Repo, trap: Trap) -> None:
    """Git itself runs the filter, so that its silence in the other tests means something."""
    repo.commit("First", FILTERED)
    repo.write({"a.py": "a = 2\n"})
    trap.arm(repo, "filter.custom.clean")
    repo.git("add", "a.py")
    assert trap.trace.exists()


def test_a_submodule_s_configuration_is_not_obeyed(repo: Repo, trap: Trap, tmp_path: Path) -> None:
    inner = Repo(repo.path / "inner")
    inner.commit("Inner", FILTERED)
    repo.commit("First", {"a.py": "a = 1\n"})
    trap.arm(inner, *COMMANDS)
    inner.git("config", "filter.custom.required", "false")
    repo.write({"a.py": "a = 2\n"})
    inner.write({"a.py": "a = 3\n"})
    (inner.path / ".git" / "hooks").mkdir(exist_ok=True)
    with open_change(ChangeRequest(repo=repo.path)) as opened:
        assert [file.path for file in opened.change.files] == ["a.py"]
    assert not trap.trace.exists()


def test_a_submodule_that_has_moved_on_is_part_of_the_change(repo: Repo) -> None:
    inner = Repo(repo.path / "inner")
    inner.commit("Inner", {"a.py": "a = 1\n"})
    repo.commit("First", {"a.py": "a = 1\n"})
    inner.commit("Inner again", {"a.py": "a = 2\n"})
    with open_change(ChangeRequest(repo=repo.path)) as opened:
        assert [(file.path, file.new_mode or file.old_mode) for file in opened.change.files] == [
            ("inner", "160000")
        ]


def test_a_submodule_that_is_gone_is_part_of_the_change(repo: Repo) -> None:
    inner = Repo(repo.path / "inner")
    inner.commit("Inner", {"a.py": "a = 1\n"})
    repo.commit("First", {"a.py": "a = 1\n"})
    shutil.rmtree(inner.path)
    with open_change(ChangeRequest(repo=repo.path)) as opened:
        assert [(file.path, file.status) for file in opened.change.files] == [("inner", "deleted")]


def test_files_under_a_filter_are_compared_as_they_are_and_that_is_said(repo: Repo, trap: Trap) -> None:
    repo.commit("First", FILTERED)
    trap.arm(repo, "filter.custom.clean")
    repo.write({"a.py": "a = 2\n"})
    with open_change(ChangeRequest(repo=repo.path)) as opened:
        assert opened.change.files[0].hunks[0].lines == ("-a = 1", "+a = 2")
        assert opened.notices[0].startswith("a.py: compared as they are in the folder")
        assert "--allow-filters" in opened.notices[0]
    assert not trap.trace.exists()


def test_a_filter_runs_where_the_user_allows_it(repo: Repo, trap: Trap) -> None:
    repo.commit("First", FILTERED)
    repo.git("config", "filter.custom.clean", "tr 2 7")
    repo.write({"a.py": "a = 2\n"})
    with open_change(ChangeRequest(repo=repo.path, allowed=Allowed(filters=True))) as opened:
        assert opened.change.files[0].hunks[0].lines == ("-a = 1", "+a = 7")
        assert opened.notices == ()


@pytest.mark.parametrize(
    ("arguments", "environment", "runs"),
    [((), {}, False), (("--allow-filters",), {}, True), ((), {"AFFIDAVIT_ALLOW_FILTERS": "1"}, True)],
)
def test_filters_are_allowed_by_flag_or_environment(
    repo: Repo, trap: Trap, arguments: tuple[str, ...], environment: dict[str, str], *, runs: bool
) -> None:
    repo.commit("First", FILTERED)
    trap.arm(repo, "filter.custom.clean")
    repo.write({"a.py": "a = 2\n"})
    done = affidavit("context", *arguments, cwd=repo.path, env=environment)
    assert done.code == 0, done.err
    assert trap.trace.exists() is runs


@pytest.mark.parametrize("mark", ["--assume-unchanged", "--skip-worktree"])
def test_an_index_cannot_hide_a_file_that_was_changed(repo: Repo, mark: str) -> None:
    repo.commit("base", {"app.py": "x = 1\n", "b.py": "y = 1\n"})
    repo.git("update-index", mark, "app.py")
    repo.write({"app.py": "x = 2\n"})
    with open_change(ChangeRequest(repo=repo.path)) as opened:
        assert [file.path for file in opened.change.files] == ["app.py"]
        assert any("app.py: compared although the index marks it" in one for one in opened.notices)


def test_a_file_that_a_sparse_checkout_leaves_out_is_not_deleted(repo: Repo) -> None:
    repo.commit("base", {"app.py": "x = 1\n", "left/out.py": "y = 1\n"})
    repo.git("update-index", "--skip-worktree", "left/out.py")
    (repo.path / "left" / "out.py").unlink()
    repo.write({"app.py": "x = 2\n"})
    with open_change(ChangeRequest(repo=repo.path)) as opened:
        assert [file.path for file in opened.change.files] == ["app.py"]


def test_a_work_tree_elsewhere_is_refused_unless_it_is_named(repo: Repo, tmp_path: Path) -> None:
    repo.commit("First", {"a.txt": "one\n"})
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "a.txt").write_text("for nobody else\n")
    repo.git("config", "core.worktree", str(elsewhere))
    with pytest.raises(InputError, match=f"--work-tree {elsewhere}"):
        open_change(ChangeRequest(repo=repo.path))
    with open_change(ChangeRequest(repo=repo.path, allowed=Allowed(work_tree=elsewhere))) as opened:
        assert opened.change.files[0].hunks[0].lines == ("-one", "+for nobody else")


def test_the_command_line_names_a_work_tree(repo: Repo, tmp_path: Path) -> None:
    repo.commit("First", {"a.txt": "one\n"})
    (tmp_path / "elsewhere").mkdir()
    repo.git("config", "core.worktree", str(tmp_path / "elsewhere"))
    refused = affidavit("context", cwd=repo.path)
    assert (refused.code, "run again with --work-tree" in refused.err) == (2, True)
    assert affidavit("context", "--work-tree", tmp_path / "elsewhere", cwd=repo.path).code == 0


def test_a_git_file_that_leads_to_somebody_else_s_repository_is_refused(
    private: Repo, tmp_path: Path
) -> None:
    archive = tmp_path / "archive"
    archive.mkdir()
    (archive / ".git").write_text(f"gitdir: {private.path / '.git'}\n")
    with pytest.raises(InputError, match="does not name this folder"):
        open_change(ChangeRequest(repo=archive))


def test_a_git_link_that_leads_to_somebody_else_s_repository_is_refused(
    private: Repo, tmp_path: Path
) -> None:
    archive = tmp_path / "archive"
    archive.mkdir()
    (archive / ".git").symlink_to(private.path / ".git")
    with pytest.raises(InputError, match="does not name this folder"):
        open_change(ChangeRequest(repo=archive))


def test_a_shared_folder_of_another_repository_is_refused(repo: Repo, private: Repo) -> None:
    repo.commit("First", {"a.txt": "one\n"})
    (repo.path / ".git" / "commondir").write_text(f"{private.path / '.git'}\n")
    with pytest.raises(InputError, match="is part of another repository"):
        open_change(ChangeRequest(repo=repo.path))


@pytest.mark.parametrize("form", ["{}", '"{}"', "../../../private/.git/objects"])
def test_objects_of_another_repository_are_refused_unless_they_are_allowed(
    repo: Repo, private: Repo, form: str
) -> None:
    repo.commit("First", {"a.txt": "one\n"})
    info = repo.path / ".git" / "objects" / "info"
    info.mkdir(exist_ok=True)
    (info / "alternates").write_text(form.format(private.path / ".git" / "objects") + "\n")
    borrowed = private.git("rev-parse", "HEAD")
    with pytest.raises(InputError, match="--allow-alternates"):
        open_change(ChangeRequest(repo=repo.path, target=borrowed))
    allowed = Allowed(alternates=True)
    with open_change(ChangeRequest(repo=repo.path, target=borrowed, allowed=allowed)) as opened:
        assert opened.change.files[0].path == "secret.txt"


def test_a_clone_that_borrows_objects_has_its_own_after_what_the_refusal_says(
    repo: Repo, tmp_path: Path
) -> None:
    repo.commit("First", {"a.txt": "one\n"})
    repo.git("clone", "-q", "--shared", str(repo.path), str(tmp_path / "borrowing"))
    borrowing = tmp_path / "borrowing"
    with pytest.raises(InputError, match="--allow-alternates") as refused:
        find_repository(borrowing)
    _, pack, _, remove, _ = str(refused.value).split("`")
    assert pack == "git repack -a -d"
    run_git(borrowing, *pack.split()[1:], "-q")
    with pytest.raises(InputError, match="--allow-alternates"):
        find_repository(borrowing)
    Path(remove.removeprefix("rm ")).unlink()
    shutil.rmtree(repo.path)
    with open_change(ChangeRequest(repo=borrowing, target="HEAD")) as opened:
        assert [file.path for file in opened.change.files] == ["a.txt"]


@pytest.mark.parametrize("part", ["", "pack", "info"])
def test_objects_behind_a_link_are_refused(repo: Repo, private: Repo, part: str) -> None:
    repo.commit("First", {"a.txt": "one\n"})
    private.git("repack", "-a", "-d", "-q")
    place = repo.path / ".git" / "objects" / part
    shutil.rmtree(place, ignore_errors=True)
    place.symlink_to(private.path / ".git" / "objects" / part)
    with pytest.raises(
        InputError, match=r"--allow-alternates or set AFFIDAVIT_ALLOW_ALTERNATES=1; .* `git clone --no-local`"
    ):
        find_repository(repo.path)


def test_one_object_behind_a_link_is_refused(repo: Repo, private: Repo) -> None:
    repo.commit("First", {"a.txt": "one\n"})
    blob = private.git("rev-parse", "HEAD:secret.txt")
    place = repo.path / ".git" / "objects" / blob[:2]
    place.mkdir(exist_ok=True)
    (place / blob[2:]).symlink_to(private.path / ".git" / "objects" / blob[:2] / blob[2:])
    with pytest.raises(InputError, match="--allow-alternates"):
        find_repository(repo.path)


def test_the_index_of_another_repository_is_refused(repo: Repo, private: Repo) -> None:
    repo.commit("First", {"a.txt": "one\n"})
    (repo.path / ".git" / "index").unlink()
    (repo.path / ".git" / "index").symlink_to(private.path / ".git" / "index")
    with pytest.raises(InputError, match="is a link"):
        find_repository(repo.path)


def test_a_linked_work_tree_is_reviewed(repo: Repo, tmp_path: Path) -> None:
    repo.commit("First", {"a.txt": "one\n"})
    repo.git("worktree", "add", "-q", "-b", "topic", str(tmp_path / "linked"))
    (tmp_path / "linked" / "a.txt").write_text("two\n")
    with open_change(ChangeRequest(repo=tmp_path / "linked")) as opened:
        assert opened.change.files[0].hunks[0].lines == ("-one", "+two")


def test_a_submodule_is_reviewed(repo: Repo, private: Repo) -> None:
    repo.commit("First", {"a.txt": "one\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(private.path), "sub")
    (repo.path / "sub" / "secret.txt").write_text("two\n")
    with open_change(ChangeRequest(repo=repo.path / "sub")) as opened:
        assert opened.change.files[0].path == "secret.txt"


def test_included_configuration_of_another_repository_names_nothing_in_the_report(
    repo: Repo, private: Repo
) -> None:
    repo.commit("First", {"a.txt": "one\n"})
    private.git("config", "remote.origin.url", "https://secret.example/project")
    repo.git("config", "include.path", str(private.path / ".git" / "config"))
    with open_change(ChangeRequest(repo=repo.path, target="HEAD")) as opened:
        assert opened.change.repository == "repo"


def test_an_included_filter_does_not_run(repo: Repo, trap: Trap, tmp_path: Path) -> None:
    repo.commit("First", FILTERED)
    included = tmp_path / "included"
    run_git(tmp_path, "config", "--file", str(included), "filter.custom.clean", str(trap.program))
    repo.git("config", "includeIf.gitdir:/.path", str(included))
    repo.write({"a.py": "a = 2\n"})
    with open_change(ChangeRequest(repo=repo.path)) as opened:
        assert opened.change.files[0].path == "a.py"
    assert not trap.trace.exists()


def test_a_missing_object_is_not_fetched_by_the_command_that_the_repository_names(
    repo: Repo, trap: Trap
) -> None:
    repo.commit("First", {"a.txt": "one\n"})
    repo.commit("Second", {"a.txt": "two\n"})
    lacking = repo.git("rev-parse", "HEAD:a.txt")
    (repo.path / ".git" / "objects" / lacking[:2] / lacking[2:]).unlink()
    for name, value in {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": f"ext::{trap.program} %S",
        "protocol.ext.allow": "always",
    }.items():
        repo.git("config", name, value)
    with pytest.raises(GitError, match="contacts the remote that the repository names"):
        open_change(ChangeRequest(repo=repo.path, target="HEAD"))
    assert not trap.trace.exists()


def test_a_partial_clone_says_what_to_do(repo: Repo, tmp_path: Path) -> None:
    repo.commit("First", {"a.txt": "one\n"})
    repo.commit("Second", {"a.txt": "two\n"})
    repo.git("config", "uploadpack.allowFilter", "true")
    options = ("--quiet", "--filter=blob:none", f"file://{repo.path}")
    run_git(tmp_path, "-c", "protocol.file.allow=always", "clone", *options, "partial")
    done = affidavit("review", "HEAD", cwd=tmp_path / "partial")
    assert done.code == 2
    assert "this clone is partial: complete it with `git fetch --refetch --no-filter`" in done.err
    run_git(tmp_path / "partial", "fetch", "--quiet", "--refetch", "--no-filter")
    assert affidavit("review", "HEAD", cwd=tmp_path / "partial").code == 0


@pytest.mark.parametrize(
    "name",
    [
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_OBJECT_DIRECTORY",
        "GIT_CONFIG_PARAMETERS",
        "GIT_CONFIG_COUNT",
        "GIT_EXEC_PATH",
        "GIT_COMMON_DIR",
        "GIT_NAMESPACE",
        "GIT_ATTR_SOURCE",
        "GIT_SSH",
        "GIT_PROXY_COMMAND",
        "GIT_TRACE",
        "GIT_EXTERNAL_DIFF",
    ],
)
@pytest.mark.parametrize("in_hook", [True, False])
def test_no_variable_points_git_elsewhere(
    name: str, monkeypatch: pytest.MonkeyPatch, *, in_hook: bool
) -> None:
    monkeypatch.setenv(name, os.devnull)
    assert name not in git_environment(keep_hook_variables=in_hook)
