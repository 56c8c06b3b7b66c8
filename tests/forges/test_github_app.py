"""A GitHub App posts with a token for one repository, made from its key and renewed when it has expired."""

import asyncio

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from affidavit.errors import ForgeError, SettingsError
from affidavit.forges.address import GITHUB
from affidavit.forges.choice import open_forge
from affidavit.forges.credentials import App, Credentials, find_credentials
from affidavit.records.report import Report
from forge_http import Fault, RefusedError
from github_server import GitHubServer
from posting_flow import QUICK, post


@pytest.fixture(scope="module")
def key() -> str:
    made = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return made.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()


def test_an_app_asks_for_its_installation_and_a_token_for_this_repository(
    github: GitHubServer, report: Report, key: str
) -> None:
    post(github.address, report, Credentials(app=App("42", key)))
    asked = [one for one in github.asked if one.path.endswith("/access_tokens")]
    assert [one.body for one in asked] == [{"repositories": ["cart"]}]
    assert [one["shown"]["state"] for one in github.statuses] == ["failure"]
    assert all(one.token == "ghs_app" or one.token.startswith("ey") for one in github.asked)


def test_an_expired_token_is_renewed(github: GitHubServer, key: str) -> None:
    async def read_twice() -> str:
        forge = open_forge(github.address, Credentials(app=App("42", key)), QUICK, {})
        try:
            await forge.read()
            with github.failing(
                Fault(lambda one: one.path.endswith("/pulls/7"), RefusedError(401, "Bad credentials"))
            ):
                return (await forge.read()).head
        finally:
            await forge.close()

    assert asyncio.run(read_twice()) == github.head
    assert len([one for one in github.asked if one.path.endswith("/access_tokens")]) == 2


def test_an_app_that_is_not_installed_is_said(github: GitHubServer, report: Report, key: str) -> None:
    fits = lambda one: one.path.endswith("/installation")  # noqa: E731 - a predicate
    with (
        github.failing(Fault(fits, RefusedError(404, "Not Found"))),
        pytest.raises(ForgeError, match="is it installed there"),
    ):
        post(github.address, report, Credentials(app=App("42", key)))


def test_the_variables_of_an_app_are_for_posting_only(key: str) -> None:
    environment = {"AFFIDAVIT_GITHUB_APP_ID": "42", "AFFIDAVIT_GITHUB_APP_KEY": key.replace("\n", "\\n")}
    found = find_credentials(GITHUB, "post", environment)
    assert found.app is not None
    assert found.app.key == key
    assert find_credentials(GITHUB, "read", environment).app is None
    with pytest.raises(SettingsError, match="private key"):
        find_credentials(GITHUB, "post", {"AFFIDAVIT_GITHUB_APP_ID": "42"})
