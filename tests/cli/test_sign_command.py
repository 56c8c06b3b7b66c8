"""Reports are signed with SSH keys, and a recheck says who signed and whether they may."""

import shutil
import subprocess
from pathlib import Path

import pytest

from commands import Done, affidavit
from repositories import Repo

QUICK = ("--no-store", "--analysers-off", "kingfisher")
pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("keys") / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    return path


@pytest.fixture(scope="module")
def trusting(tmp_path_factory: pytest.TempPathFactory, key: Path) -> Repo:
    """A repository whose base commit names who may sign, and a change that is harmless."""
    repo = Repo(tmp_path_factory.mktemp("trusting"))
    public = key.with_name("key.pub").read_text()
    signers = f"ada@example.org {public}"
    repo.commit("Base", {"notes.txt": "a\n", ".affidavit/allowed_signers": signers})
    repo.commit("Change", {"notes.txt": "b\n"})
    return repo


@pytest.fixture(scope="module")
def signed(trusting: Repo, key: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    report = tmp_path_factory.mktemp("reports") / "report.json"
    done = affidavit("review", "HEAD", *QUICK, "--format", f"report={report}", cwd=trusting.path)
    assert done.code == 0, done.err
    assert affidavit("sign", report, "--key", key, cwd=trusting.path).code == 0
    return report


def rechecked(trusting: Repo, report: Path, *options: str) -> Done:
    return affidavit("recheck", report, "--trust-base", "main", *options, cwd=trusting.path)


def test_a_report_that_was_signed_as_it_was_made_names_its_signer(trusting: Repo, signed: Path) -> None:
    done = rechecked(trusting, signed, "--require-signature")
    assert done.code == 0, done.out
    assert "signed by ada@example.org" in done.out
    base, head = (trusting.git("rev-parse", "--short=12", name) for name in ("HEAD~1", "main"))
    assert f".affidavit/allowed_signers of the base commit {base}, part of main ({head})" in done.out


@pytest.fixture(scope="module")
def foreign(trusting: Repo, key: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A clone with a branch that brings its own list along, and a report on it, signed by its author."""
    place = tmp_path_factory.mktemp("foreign")
    subprocess.run(["git", "clone", "-q", trusting.path, place / "clone"], check=True)
    clone = Repo(place / "clone")
    own = place / "own"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(own)], check=True)
    clone.git("switch", "-q", "-c", "mine")
    signers = f"mallory@example.org {own.with_name('own.pub').read_text()}"
    clone.commit("My list", {".affidavit/allowed_signers": signers})
    clone.commit("My change", {"notes.txt": "c\n"})
    report = place / "report.json"
    done = affidavit("review", "HEAD", *QUICK, "--format", f"report={report}", cwd=clone.path)
    assert done.code == 0, done.err
    assert affidavit("sign", report, "--key", own, cwd=clone.path).code == 0
    return clone.path, report


def test_a_branch_cannot_say_who_may_sign_for_it(foreign: tuple[Path, Path]) -> None:
    clone, report = foreign
    done = affidavit("recheck", report, "--require-signature", cwd=clone)
    assert done.code == 1, done.out
    assert "does not count: refs/remotes/origin/HEAD" in done.out
    assert "does not contain that commit" in done.out
    trusting_it = affidavit("recheck", report, "--require-signature", "--trust-base", "mine", cwd=clone)
    assert trusting_it.code == 0, trusting_it.out


def test_without_a_remote_the_user_says_what_is_trusted(trusting: Repo, signed: Path) -> None:
    done = affidavit("recheck", signed, "--require-signature", cwd=trusting.path)
    assert done.code == 1
    assert "name the branch or commit that you trust with --trust-base" in done.out


def test_a_trusted_name_that_is_not_here_is_a_clear_line(trusting: Repo, signed: Path) -> None:
    done = affidavit("recheck", signed, "--trust-base", "gone", cwd=trusting.path)
    assert (done.code, "--trust-base: there is no commit called 'gone' here" in done.err) == (2, True)


def test_a_key_that_was_taken_off_the_list_is_not_trusted_on_an_old_base(
    trusting: Repo, signed: Path, tmp_path: Path
) -> None:
    subprocess.run(["git", "clone", "-q", trusting.path, tmp_path / "clone"], check=True)
    Repo(tmp_path / "clone").commit("Ada has left", {".affidavit/allowed_signers": "# nobody\n"})
    command = ("recheck", signed, "--require-signature", "--trust-base", "HEAD")
    done = affidavit(*command, cwd=tmp_path / "clone")
    assert done.code == 1, done.out
    assert "HEAD has removed lines from it" in done.out


def test_the_users_own_list_counts_whatever_the_base_is(foreign: tuple[Path, Path], tmp_path: Path) -> None:
    clone, report = foreign
    own = report.with_name("own.pub").read_text()
    (tmp_path / "allowed").write_text(f"mallory@example.org {own}")
    (tmp_path / "gitconfig").write_text(f'[gpg "ssh"]\n\tallowedSignersFile = {tmp_path}/allowed\n')
    environment = {"GIT_CONFIG_GLOBAL": str(tmp_path / "gitconfig")}
    done = affidavit("recheck", report, "--require-signature", cwd=clone, env=environment)
    assert done.code == 0, done.out


def test_one_space_more_fails(trusting: Repo, signed: Path, tmp_path: Path) -> None:
    changed = tmp_path / "report.json"
    changed.write_bytes(signed.read_bytes() + b" ")
    shutil.copy(signed.with_name("report.json.sig"), tmp_path / "report.json.sig")
    done = rechecked(trusting, changed)
    assert done.code == 1
    assert "FAILS: signature" in done.out


def test_a_report_without_a_signature_fails_only_where_one_is_required(
    trusting: Repo, signed: Path, tmp_path: Path
) -> None:
    shutil.copy(signed, tmp_path / "report.json")
    plain = rechecked(trusting, tmp_path / "report.json")
    assert (plain.code, "not signed" in plain.out) == (0, True)
    assert rechecked(trusting, tmp_path / "report.json", "--require-signature").code == 1


def test_signing_later_says_where_the_signature_lies(
    trusting: Repo, signed: Path, key: Path, tmp_path: Path
) -> None:
    report = tmp_path / "report.json"
    shutil.copy(signed, report)
    done = affidavit("sign", report, "--key", key, cwd=trusting.path)
    assert (done.code, done.out.strip()) == (0, f"signed: {report}.sig")


def test_without_a_key_it_says_what_to_do(trusting: Repo, signed: Path, tmp_path: Path) -> None:
    shutil.copy(signed, tmp_path / "report.json")
    done = affidavit(
        "sign", tmp_path / "report.json", cwd=trusting.path, env={"GIT_CONFIG_GLOBAL": "/dev/null"}
    )
    assert done.code == 2
    assert "no key to sign with" in done.err


def test_what_is_no_report_is_not_signed(trusting: Repo, key: Path, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("{}")
    done = affidavit("sign", tmp_path / "other.json", "--key", key, cwd=trusting.path)
    assert done.code == 2
    assert not (tmp_path / "other.json.sig").exists()


KEPT = Path(__file__).parents[1] / "proof" / "signed"
"""A signed report that was written some time ago, and the repository that it is about. The key is gone.
`tools/sign_kept_report.sh` writes it again, when what a report holds changes before the first release."""


def test_the_signature_of_a_kept_report_still_verifies(tmp_path: Path) -> None:
    subprocess.run(["git", "clone", "-q", KEPT / "shop.bundle", tmp_path / "shop"], check=True)
    done = affidavit(
        "recheck",
        KEPT / "report.json",
        "--require-signature",
        "--trust-base",
        "origin/main",
        cwd=tmp_path / "shop",
    )
    assert "holds: signature: signed by ada@example.org" in done.out, done.out + done.err
    assert "FAILS" not in done.out
    assert done.code in (0, 3)
