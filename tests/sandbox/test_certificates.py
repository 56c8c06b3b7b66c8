"""Certificates are handed on to who makes an environment, and nothing that lies beside them."""

from pathlib import Path

import pytest

from affidavit.sandbox.private_places import VARIABLES, certificates

CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
KEY = "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n"


@pytest.mark.parametrize("name", VARIABLES)
def test_a_file_with_certificates_is_handed_on_and_shown_alone(name: str, tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text(CERTIFICATE)
    given = certificates({name: str(tmp_path / "ca.pem"), "TOKEN": "x"})
    assert given.variables == {name: str(tmp_path / "ca.pem")}
    assert given.mounts == (tmp_path / "ca.pem",)


def test_one_file_of_a_home_is_shown_and_no_folder_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "trusted").mkdir()
    (tmp_path / "trusted" / "ca.pem").write_text(CERTIFICATE)
    folder, file = str(tmp_path / "trusted"), str(tmp_path / "trusted" / "ca.pem")
    assert certificates({"PIP_CERT": file}).mounts == (Path(file),)
    given = certificates({"SSL_CERT_DIR": folder, "REQUESTS_CA_BUNDLE": str(tmp_path)})
    assert (given.variables, given.mounts) == ({}, ())
    assert [reason.split(":")[0] for reason in given.refused] == ["SSL_CERT_DIR", "REQUESTS_CA_BUNDLE"]


def test_folders_are_shown_that_hold_certificates_and_nothing_else(tmp_path: Path) -> None:
    for name in ("one", "two", "mixed"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "ca.pem").write_text(CERTIFICATE)
    both = f"{tmp_path / 'one'}:{tmp_path / 'two'}"
    assert certificates({"SSL_CERT_DIR": both}).variables == {"SSL_CERT_DIR": both}
    assert certificates({"SSL_CERT_DIR": both}).mounts == (tmp_path / "one", tmp_path / "two")
    (tmp_path / "mixed" / "notes").write_text("private")
    assert certificates({"SSL_CERT_DIR": f"{both}:{tmp_path / 'mixed'}"}).variables == {}


@pytest.mark.parametrize(
    ("content", "why"), [("private", "holds no certificate"), (CERTIFICATE + KEY, "holds a private key")]
)
def test_what_is_no_certificate_or_more_than_one_is_not_shown(tmp_path: Path, content: str, why: str) -> None:
    (tmp_path / "ca.pem").write_text(content)
    given = certificates({"SSL_CERT_FILE": str(tmp_path / "ca.pem")})
    assert (given.variables, given.mounts) == ({}, ())
    assert given.refused == (f"SSL_CERT_FILE: {tmp_path / 'ca.pem'} {why}",)


@pytest.mark.parametrize("place", ["/proc/self/environ", "/dev/null", "/gone/ca.pem"])
def test_what_is_no_file_is_not_shown(place: str) -> None:
    assert certificates({"SSL_CERT_FILE": place}).variables == {}


def test_what_programs_with_the_network_see_anyway_is_not_shown_twice() -> None:
    bundle = Path("/etc/ssl/certs")
    if not bundle.is_dir():
        pytest.skip("this system keeps its certificates elsewhere")
    given = certificates({"SSL_CERT_DIR": str(bundle)})
    assert (given.variables, given.mounts) == ({"SSL_CERT_DIR": str(bundle)}, ())
