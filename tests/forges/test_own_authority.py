"""A forge behind a certificate authority of one's own: trusted where the environment names it, else not."""

import datetime as dt
import ipaddress
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from commands import affidavit
from github_server import GitHubServer, opened_github
from posting_flow import ALL_BUT_RUFF


def certificate(
    name: str, signer: tuple[x509.Name, ec.EllipticCurvePrivateKey] | None
) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    """A certificate for 127.0.0.1, or without a signer an authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    issuer, issuer_key = signer or (subject, key)
    now = dt.datetime.now(dt.UTC)
    names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    authority = x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key())
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(hours=1))
        .add_extension(x509.BasicConstraints(ca=signer is None, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(authority, critical=False)
    )
    if signer is None:
        usage = x509.KeyUsage(
            **dict.fromkeys(
                (
                    "digital_signature",
                    "content_commitment",
                    "key_encipherment",
                    "data_encipherment",
                    "key_agreement",
                    "encipher_only",
                    "decipher_only",
                ),
                False,
            ),
            key_cert_sign=True,
            crl_sign=True,
        )
        builder = builder.add_extension(usage, critical=True)
    else:
        builder = builder.add_extension(names, critical=False)
    return builder.sign(issuer_key, hashes.SHA256()), key


@pytest.fixture
def secured(tmp_path: Path, begun: tuple[Path, str, str]) -> Iterator[tuple[GitHubServer, Path]]:
    """GitHub over TLS, and the file of the authority that vouches for it."""
    root, root_key = certificate("An authority of our own", None)
    leaf, leaf_key = certificate("forge", (root.subject, root_key))
    pem = serialization.Encoding.PEM
    private = leaf_key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (tmp_path / "authority.pem").write_bytes(root.public_bytes(pem))
    (tmp_path / "server.pem").write_bytes(leaf.public_bytes(pem) + private)
    server = opened_github(tmp_path / "github", begun, tls=tmp_path / "server.pem")
    yield server, tmp_path / "authority.pem"
    server.stop()


def test_a_forge_is_trusted_by_an_authority_that_the_environment_names_and_by_no_other(
    secured: tuple[GitHubServer, Path], tmp_path: Path
) -> None:
    github, authority = secured
    assert github.url.startswith("https://")
    env = {
        "AFFIDAVIT_GITHUB_HOSTS": github.url,
        "AFFIDAVIT_ANALYSERS_OFF": ALL_BUT_RUFF,
        "GITHUB_TOKEN": "read",
        "GITHUB_ACTIONS": "",
    }
    unknown = affidavit("review", github.address.url, cwd=tmp_path, env=env)
    assert unknown.code == 2
    assert "SSL_CERT_FILE for your own certificate authority" in unknown.err
    assert github.asked == []
    known = affidavit(
        "review", github.address.url, cwd=tmp_path, env={**env, "SSL_CERT_FILE": str(authority)}
    )
    assert known.code == 1, known.err
    # By git, too.
    assert github.git_requests > 0
