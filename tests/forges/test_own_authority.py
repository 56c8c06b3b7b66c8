"""A forge behind a certificate authority of one's own: trusted where the environment names it, else not."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from certificates import write_certificates
from commands import affidavit
from github_server import GitHubServer, opened_github
from posting_flow import ALL_BUT_RUFF


@pytest.fixture
def secured(tmp_path: Path, begun: tuple[Path, str, str]) -> Iterator[tuple[GitHubServer, Path]]:
    """GitHub over TLS, and the file of the authority that vouches for it."""
    authority, own = write_certificates(tmp_path, "forge.test")
    server = opened_github(tmp_path / "github", begun, tls=own)
    yield server, authority
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
