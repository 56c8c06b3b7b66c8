"""Addresses, hosts and credentials: only what the user's own side names is asked, and as whom."""

from pathlib import Path

import pytest

from affidavit.errors import InputError, SettingsError
from affidavit.forges.address import (
    GITHUB,
    GITLAB,
    is_request_url,
    known_hosts,
    parse_change_url,
    refuse_without_scheme,
)
from affidavit.forges.credentials import NOBODY, Credentials, find_credentials
from commands import affidavit

NOWHERE = {"XDG_CONFIG_HOME": "/nonexistent"}


@pytest.mark.parametrize(
    ("url", "repository", "number"),
    [
        ("https://github.com/owner/repo/pull/123", "owner/repo", 123),
        ("https://github.com/owner/repo.js/pull/123/files#diff-1", "owner/repo.js", 123),
        ("https://GitHub.com/owner/repo/pull/1/", "owner/repo", 1),
        ("https://gitlab.com/group/sub/name/-/merge_requests/7", "group/sub/name", 7),
        ("https://gitlab.com/group/name/merge_requests/7/diffs?x=1", "group/name", 7),
        ("https://github.com/owner/repo/pull/5/commits/0a1b2c", "owner/repo", 5),
        ("https://github.com/owner/repo/pull/5/files/0a1b2c..3d4e5f", "owner/repo", 5),
        ("https://github.com/owner/repo/pull/5/checks?check_run_id=1#step:3", "owner/repo", 5),
        ("https://github.com/owner/repo/pull/5#issuecomment-1", "owner/repo", 5),
        ("https://github.com/owner/repo/pull/5?x=1", "owner/repo", 5),
        (" https://gitlab.com/group/name/-/merge_requests/7#note_1\n", "group/name", 7),
    ],
)
def test_an_address_names_its_repository_and_number(url: str, repository: str, number: int) -> None:
    address = parse_change_url(url, known_hosts(NOWHERE))
    assert (address.repository, address.number) == (repository, number)


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/owner/repo/issues/1",
        "https://github.com/owner/../pull/1",
        "https://github.com/owner/repo/pull/0",
        "https://github.com/owner/repo/pull/05",
        "https://github.com/owner/repo/pull/5%2f..",
        "https://github.com/owner/repo/pull/%35",
        "https://github.com/owner/repo/pull/5/../..",
        "https://github.com/owner/repo/pull/5/../6",
        "https://github.com/owner/repo/pull/5/%2e%2e/6",
        "https://github.com/owner/repo/pull/5/files%2f..%2f..%2f6",
        "https://github.com/owner/repo/pull/5/files\\..\\6",
        "https://github.com/owner/repo/pull/5\n7",
        "https://github.com/owner/repo/pull/5e0",
        "https://github.com/owner/repo/pull/\u0665",
        "https://gitlab.com/group/name/-/merge_requests/07",
        "https://gitlab.com/group/name/-/merge_requests/7/../8",
        "https://github.com/owner%2f..%2f/x/pull/1",
        "https://gitlab.com/../-/merge_requests/1",
        "ssh://github.com/owner/repo/pull/1",
        "github.com/owner/repo/pull/1",
    ],
)
def test_what_is_no_address_of_a_request_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="not the address of"):
        parse_change_url(url, known_hosts(NOWHERE))


@pytest.mark.parametrize(
    "url",
    [
        "https://git.example.org/owner/repo/pull/1",
        "https://github.com.evil.example/owner/repo/pull/1",
        "https://github.com:8443/owner/repo/pull/1",
        "http://169.254.169.254/owner/repo/pull/1",
        "http://127.0.0.1/owner/repo/pull/1",
    ],
)
def test_a_host_that_nobody_named_is_not_asked(url: str) -> None:
    assert is_request_url(url)
    with pytest.raises(InputError, match="is not a known forge"):
        parse_change_url(url, known_hosts(NOWHERE))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("github.com/o/r/pull/1", "https://github.com/o/r/pull/1"),
        ("gitlab.com/g/s/r/-/merge_requests/2/diffs", "https://gitlab.com/g/s/r/-/merge_requests/2"),
    ],
)
def test_an_address_as_browsers_show_it_is_answered_with_the_whole_one(
    typed: str, meant: str, tmp_path: Path
) -> None:
    done = affidavit("review", typed, cwd=tmp_path)
    assert done.code == 2
    assert f"write {meant}\n" in done.err


def refusal_of(text: str) -> str | None:
    try:
        refuse_without_scheme(text)
    except SettingsError as refusal:
        return str(refusal)
    return None


@pytest.mark.parametrize("name", ["topic/pull/1", "main", "github.com/o/r", "example.org/o/r/pull/1"])
def test_a_revision_is_not_taken_for_an_address(name: str) -> None:
    assert refusal_of(name) is None


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(InputError, match="take the name and the password out") as raised:
        parse_change_url("https://me:hunter2@github.com/owner/repo/pull/1", known_hosts(NOWHERE))
    assert "hunter2" not in str(raised.value)


def test_the_environment_names_further_hosts() -> None:
    hosts = known_hosts(
        {
            "AFFIDAVIT_GITHUB_HOSTS": "ghe.example.org",
            "AFFIDAVIT_GITLAB_HOSTS": "https://code.example.org/git",
            "GITLAB_CI": "true",
            "CI_SERVER_URL": "https://gl.example.org",
        }
    )
    assert [host.api for host in hosts] == [
        "https://ghe.example.org/api/v3",
        "https://code.example.org/git/api/v4",
        "https://gl.example.org/api/v4",
        GITHUB.api,
        GITLAB.api,
    ]
    url = "https://code.example.org/git/team/name/-/merge_requests/3"
    assert parse_change_url(url, hosts).url == url


@pytest.mark.parametrize("text", ["http://ghe.example.org", "https://u:p@ghe.example.org", "https://"])
def test_a_host_without_tls_or_with_a_password_is_refused(text: str) -> None:
    with pytest.raises(SettingsError):
        known_hosts({**NOWHERE, "AFFIDAVIT_GITHUB_HOSTS": text})


def test_tokens_come_from_the_environment_in_a_known_order() -> None:
    environment = {"GITHUB_TOKEN": "last", "GH_TOKEN": "second", "AFFIDAVIT_GITHUB_TOKEN": "first"}
    assert find_credentials(GITHUB, environment=environment).token == "first"
    assert find_credentials(GITHUB, environment={"GITHUB_TOKEN": "last"}).token == "last"
    assert find_credentials(GITLAB, environment=environment) == NOBODY


def test_only_the_poster_is_given_the_token_that_writes() -> None:
    environment = {"AFFIDAVIT_POST_TOKEN": "writes", "GITHUB_TOKEN": "reads"}
    assert find_credentials(GITHUB, "read", environment).token == "reads"
    assert find_credentials(GITHUB, "post", environment).token == "writes"


def test_what_is_no_token_is_refused_before_it_becomes_a_header() -> None:
    with pytest.raises(SettingsError, match="no token"):
        find_credentials(GITHUB, environment={"GITHUB_TOKEN": "abc\r\nX-Evil: 1"})


def test_a_token_is_never_shown() -> None:
    assert "hunter2" not in repr(Credentials("hunter2"))


def test_the_job_token_of_gitlab_is_known_as_one() -> None:
    assert find_credentials(GITLAB, environment={"CI_JOB_TOKEN": "job"}).is_job_token


def test_an_address_without_encryption_is_refused_with_the_right_one() -> None:
    with pytest.raises(InputError, match="write https://github.com/owner/repo/pull/1"):
        parse_change_url("http://github.com/owner/repo/pull/1", known_hosts(NOWHERE))
