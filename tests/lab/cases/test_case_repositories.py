"""Where the repository of a case is found: in a folder, a bundle, a written history, behind an address."""

import asyncio
import os
import socket
from pathlib import Path

import pytest

from affidavit.errors import GitError, InputError
from affidavit.lab.cases.folders import CaseFolder
from affidavit.lab.cases.repositories import CaseRepositories, _without_password, is_address
from affidavit.lab.records import LabelledCase
from repositories import Repo, run_git


@pytest.fixture
def history(tmp_path: Path) -> Repo:
    """Two commits, tagged base and head."""
    repo = Repo(tmp_path / "source")
    repo.commit("base", {"a.py": "x = 1\n"})
    repo.git("tag", "base")
    repo.commit("head", {"a.py": "x = 2\n"})
    repo.git("tag", "head")
    return repo


@pytest.fixture
def repositories(tmp_path: Path) -> CaseRepositories:
    return CaseRepositories(tmp_path / "clones", tmp_path / "scratch")


def held(tmp_path: Path, repository: str, base: str = "base", head: str = "head") -> CaseFolder:
    folder = tmp_path / "case"
    folder.mkdir(exist_ok=True)
    return CaseFolder(LabelledCase(id="one", repository=repository, base=base, head=head, clean=True), folder)


def located(repositories: CaseRepositories, case: CaseFolder) -> Path:
    return asyncio.run(repositories.locate(case))


def has_commit(place: Path, revision: str) -> bool:
    return bool(run_git(place, "rev-parse", "--verify", f"{revision}^{{commit}}"))


def test_a_relative_path_begins_at_the_case(
    tmp_path: Path, history: Repo, repositories: CaseRepositories
) -> None:
    assert located(repositories, held(tmp_path, "../source")).resolve() == history.path
    assert located(repositories, held(tmp_path, str(history.path))).resolve() == history.path


def test_an_address_is_cloned_once_and_used_again_without_its_source(
    tmp_path: Path, history: Repo, repositories: CaseRepositories
) -> None:
    address = f"file://{history.path}"
    place = located(repositories, held(tmp_path, address))
    assert has_commit(place, "head")
    history.path.rename(tmp_path / "gone")
    assert located(repositories, held(tmp_path, address)) == place


def test_a_commit_on_no_branch_is_asked_for_by_name(
    tmp_path: Path, history: Repo, repositories: CaseRepositories
) -> None:
    address = f"file://{history.path}"
    located(repositories, held(tmp_path, address))
    later = history.commit("later", {"a.py": "x = 3\n"})
    assert has_commit(located(repositories, held(tmp_path, address, head=later)), later)


def test_a_bundle_is_a_repository_and_one_that_is_written_anew_is_read_anew(
    tmp_path: Path, history: Repo, repositories: CaseRepositories
) -> None:
    bundle = tmp_path / "case" / "history.bundle"
    bundle.parent.mkdir()
    history.git("bundle", "create", "-q", str(bundle), "--all")
    assert has_commit(located(repositories, held(tmp_path, "history.bundle")), "base")
    later = history.commit("later", {"a.py": "x = 3\n" * 500})
    history.git("bundle", "create", "-q", str(bundle), "--all")
    os.utime(bundle, ns=(1, 1))
    assert has_commit(located(repositories, held(tmp_path, "history.bundle")), later)


@pytest.mark.parametrize("start", ["file://", "FILE://", "file://localhost"])
def test_a_bundle_may_be_named_by_an_address(
    tmp_path: Path, history: Repo, repositories: CaseRepositories, start: str
) -> None:
    bundle = tmp_path / "a b.bundle"
    history.git("bundle", "create", "-q", str(bundle), "--all")
    address = start + str(bundle).replace(" ", "%20")
    assert has_commit(located(repositories, held(tmp_path, address)), "head")


def test_a_written_history_becomes_a_repository(
    tmp_path: Path, history: Repo, repositories: CaseRepositories
) -> None:
    case = held(tmp_path, ".")
    (case.folder / "base").mkdir()
    (case.folder / "base" / "a.py").write_text("x = 1\n")
    history.git("format-patch", "-q", "-1", "-o", str(case.folder))
    place = located(repositories, case)
    assert run_git(place, "show", "head:a.py") == b"x = 2\n"
    assert located(repositories, case) == place


def test_the_hooks_of_a_cloned_repository_are_not_there(
    tmp_path: Path, history: Repo, repositories: CaseRepositories
) -> None:
    hook = history.path / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path / 'ran'}\n")
    hook.chmod(0o755)
    place = located(repositories, held(tmp_path, f"file://{history.path}"))
    assert not (tmp_path / "ran").exists()
    assert not (place / "hooks").exists() or not list((place / "hooks").iterdir())


def test_a_folder_inside_of_another_repository_is_not_taken_for_it(
    tmp_path: Path, history: Repo, repositories: CaseRepositories
) -> None:
    (history.path / "inner").mkdir()
    with pytest.raises(InputError, match="is not itself a git repository"):
        located(repositories, held(tmp_path, "../source/inner"))


def test_a_folder_without_a_repository_is_said_in_the_words_of_a_case(
    tmp_path: Path, repositories: CaseRepositories
) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(InputError, match="is not itself a git repository, nor a written history"):
        located(repositories, held(tmp_path, "../plain"))


@pytest.mark.parametrize("address", ["ext::sh -c 'touch ran'://x", "fd://3", "ftp://example.org/x"])
def test_other_protocols_are_refused(tmp_path: Path, repositories: CaseRepositories, address: str) -> None:
    with pytest.raises(InputError, match="is named by https"):
        located(repositories, held(tmp_path, address))


def test_a_clone_that_fails_is_said_without_the_password_and_leaves_nothing(
    tmp_path: Path, repositories: CaseRepositories
) -> None:
    with pytest.raises(GitError) as caught:
        located(repositories, held(tmp_path, f"file://somebody:secret@{tmp_path}/missing"))
    assert "cannot be cloned" in str(caught.value)
    assert "secret" not in str(caught.value)
    assert list((tmp_path / "clones").iterdir()) == []


def test_what_is_not_there_is_said(tmp_path: Path, repositories: CaseRepositories) -> None:
    with pytest.raises(InputError, match="there is no repository .*nowhere"):
        located(repositories, held(tmp_path, "nowhere"))


def test_addresses_are_told_from_paths() -> None:
    assert all(map(is_address, ["https://h/o/n.git", "git@h:o/n.git", "file:///x", "ssh://h/x"]))
    assert not any(map(is_address, [".", "../x", "/abs/path", "name@2", "C/x:y"]))


def test_a_password_in_an_address_is_taken_out_of_what_git_says() -> None:
    said = "fatal: unable to access 'https://me:secret@h/o/n/': no"
    assert (
        _without_password(said, "https://me:secret@h/o/n") == "fatal: unable to access 'https://h/o/n/': no"
    )


def test_cases_that_share_an_address_share_a_clone(
    tmp_path: Path, history: Repo, repositories: CaseRepositories
) -> None:
    case = held(tmp_path, f"file://{history.path}")

    async def both() -> list[Path]:
        return await asyncio.gather(repositories.locate(case), repositories.locate(case))

    first, second = asyncio.run(both())
    assert first == second
    assert len(list((tmp_path / "clones").iterdir())) == 1


def test_whoever_is_stopped_does_not_wait_for_a_clone_that_never_ends(
    tmp_path: Path, repositories: CaseRepositories
) -> None:
    """The other side takes the connection and never says a word."""

    async def stopped(port: int) -> None:
        cloning = asyncio.create_task(repositories.locate(held(tmp_path, f"git://127.0.0.1:{port}/x")))
        connection, _ = await asyncio.get_running_loop().sock_accept(server)
        cloning.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cloning
        connection.close()

    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        asyncio.run(stopped(server.getsockname()[1]))
    assert list((tmp_path / "clones").iterdir()) == []
