"""A signature is checked by ssh-keygen against the exact bytes, and trust comes from lists alone."""

import shutil
import subprocess
from pathlib import Path

import pytest

from affidavit.errors import InputError
from affidavit.proof.signature import NAMESPACE, Signers, check_signature, sign_file, signature_path

REPORT = b'{"report_version": "1.0"}\n'

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")


def make_key(folder: Path, name: str = "key") -> Path:
    key = folder / name
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    return key


def allowing(key: Path, principal: str = "ada@example.org", options: str = "") -> Signers:
    public = key.with_name(key.name + ".pub").read_text()
    return Signers("a list", f"{principal} {options} {public}".encode())


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / "report.json"
    path.write_bytes(REPORT)
    return path


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return make_key(tmp_path)


def test_a_signed_report_names_its_signer(report: Path, key: Path) -> None:
    signature = sign_file(report, key)
    assert signature == signature_path(report) == report.with_name("report.json.sig")
    checked = check_signature(REPORT, signature.read_bytes(), [allowing(key)])
    assert (checked.state, checked.signer, checked.trusted_by) == ("trusted", "ada@example.org", "a list")
    assert checked.key.startswith("SHA256:")


def test_signing_leaves_the_report_as_it_is(report: Path, key: Path) -> None:
    sign_file(report, key)
    assert report.read_bytes() == REPORT


@pytest.mark.parametrize("content", [REPORT + b" ", REPORT[:-1], b"", REPORT.replace(b"1.0", b"1.1")])
def test_one_changed_byte_breaks_the_signature(report: Path, key: Path, content: bytes) -> None:
    signature = sign_file(report, key).read_bytes()
    assert check_signature(content, signature, [allowing(key)]).state == "bad"


def test_a_key_that_no_list_names_is_an_unknown_signer(report: Path, key: Path, tmp_path: Path) -> None:
    signature = sign_file(report, key).read_bytes()
    other = make_key(tmp_path, "other")
    checked = check_signature(REPORT, signature, [allowing(other)])
    assert (checked.state, checked.signer) == ("unknown_signer", "")
    assert checked.key.startswith("SHA256:")


def test_the_second_list_counts_where_the_first_does_not_know_the_key(
    report: Path, key: Path, tmp_path: Path
) -> None:
    signature = sign_file(report, key).read_bytes()
    lists = [allowing(make_key(tmp_path, "other")), allowing(key)]
    assert check_signature(REPORT, signature, lists).state == "trusted"


def test_a_key_that_is_allowed_for_commits_only_is_not_trusted(report: Path, key: Path) -> None:
    signature = sign_file(report, key).read_bytes()
    for_git = allowing(key, options='namespaces="git"')
    for_us = allowing(key, options=f'namespaces="git,{NAMESPACE}"')
    assert check_signature(REPORT, signature, [for_git]).state == "unknown_signer"
    assert check_signature(REPORT, signature, [for_us]).state == "trusted"


def test_a_signature_made_for_something_else_is_refused(report: Path, key: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-n", "git", "-f", key, report], check=True)
    made = signature_path(report).read_bytes()
    assert check_signature(REPORT, made, [allowing(key)]).state == "bad"


@pytest.mark.parametrize(
    "signature", [b"", b"nonsense", b"-----BEGIN SSH SIGNATURE-----\n", b"x" * 70_000, b"\0\xff" * 20]
)
def test_what_is_no_signature_is_refused(key: Path, signature: bytes) -> None:
    assert check_signature(REPORT, signature, [allowing(key)]).state == "bad"


def test_no_signature_is_said_to_be_missing(key: Path) -> None:
    assert check_signature(REPORT, None, [allowing(key)]).state == "missing"


@pytest.mark.parametrize("content", [b"", b"\0\0", b"nonsense\n" * 5, b"* ssh-ed25519 AAAA\n"])
def test_a_broken_list_trusts_nobody(report: Path, key: Path, content: bytes) -> None:
    signature = sign_file(report, key).read_bytes()
    assert check_signature(REPORT, signature, [Signers("broken", content)]).state == "unknown_signer"


def test_a_key_that_does_not_exist_is_a_clear_error(report: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such key"):
        sign_file(report, tmp_path / "absent")


def test_a_file_that_is_no_key_leaves_an_earlier_signature_alone(report: Path, key: Path) -> None:
    earlier = sign_file(report, key).read_bytes()
    with pytest.raises(InputError, match="could not sign"):
        sign_file(report, report)
    assert signature_path(report).read_bytes() == earlier
