"""No name of a request leads to a place that is not public, whatever the DNS and the forge say."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from affidavit.errors import ForgeError
from affidavit.forges.address import GITHUB, PullRequestAddress
from affidavit.forges.credentials import NOBODY
from affidavit.service.reach import Reach, is_public
from affidavit.service.settings import ServiceSettings
from forge_http import Fault, Origin, RefusedError
from github_server import GitHubServer, opened_github
from posting_flow import QUICK, read_request
from shop import BASE_FILES, HEAD_FILES


@pytest.fixture
def github(tmp_path: Path) -> Iterator[GitHubServer]:
    origin = Origin(tmp_path / "cart.git", tmp_path / "work")
    base = origin.commit("main", dict(BASE_FILES), "Begin")
    head = origin.commit("topic", dict(HEAD_FILES), "Add prices in several currencies")
    server = opened_github(tmp_path / "github", (tmp_path, base, head))
    yield server
    server.stop()


PRIVATE = [
    "127.0.0.1",
    "127.9.9.9",
    "0.0.0.0",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.100.100.200",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:a9fe:a9fe",
    "fe80::1%eth0",
    "fc00::1",
    "fd00:ec2::254",
    "ff02::1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "not an address",
]


@pytest.mark.parametrize("address", PRIVATE)
def test_no_other_address_than_one_of_the_public_internet_is_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["140.82.112.3", "2606:50c0:8000::153", "::ffff:140.82.112.3"])
def test_an_address_of_the_public_internet_is(address: str) -> None:
    assert is_public(address)


def led_to(*addresses: str) -> Reach:
    async def resolve(_name: str) -> list[str]:
        return list(addresses)

    return Reach(resolve=resolve, is_proxied=lambda _: False)


@pytest.mark.parametrize("address", ["127.0.0.1", "169.254.169.254", "::ffff:10.0.0.1"])
def test_a_known_name_that_the_dns_leads_elsewhere_is_not_asked(address: str) -> None:
    about = PullRequestAddress(host=GITHUB, repository="a/b", number=1)
    for reach in (led_to(address), led_to("140.82.112.3", address)):
        with pytest.raises(ForgeError, match="not on the public internet") as refused:
            read_request(about, NOBODY, QUICK, {}, reach.check)
        assert not refused.value.retryable


def test_a_name_that_is_not_found_may_be_found_later() -> None:
    async def resolve(_name: str) -> list[str]:
        raise OSError(-2, "Name or service not known")

    with pytest.raises(ForgeError, match=r"api\.github\.com cannot be found") as refused:
        asyncio.run(Reach(resolve=resolve, is_proxied=lambda _: False).check("API.github.com."))
    assert refused.value.retryable


def test_what_the_operator_named_may_lead_anywhere(github: GitHubServer) -> None:
    reach = led_to("127.0.0.1")
    with pytest.raises(ForgeError, match="not on the public internet"):
        read_request(github.address, NOBODY, QUICK, {}, reach.check)
    assert github.asked == []
    exempt = Reach(frozenset({"127.0.0.1"}), reach.resolve, reach.is_proxied)
    assert read_request(github.address, NOBODY, QUICK, {}, exempt.check).head == github.head


def test_an_operators_proxy_looks_names_up_itself() -> None:
    async def resolve(_name: str) -> list[str]:
        raise AssertionError("it is not asked")

    asyncio.run(Reach(resolve=resolve, is_proxied=lambda _: True).check("github.com"))


@pytest.mark.parametrize(
    "target",
    [
        "http://169.254.169.254/latest/meta-data",
        "http://[::ffff:127.0.0.1]/",
        "http://2130706433/",
        "http://0177.0.0.1/",
        "http://127.0.0.1.nip.io/",
        "file:///etc/passwd",
    ],
)
def test_no_redirect_leads_elsewhere(github: GitHubServer, target: str) -> None:
    moved = RefusedError(302, "moved", location=target)
    github.faults.append(Fault(lambda one: one.path.endswith("/pulls/7"), moved, times=10))
    with pytest.raises(ForgeError, match="which is not contacted|Invalid"):
        read_request(github.address, NOBODY, QUICK, {})


def test_a_service_exempts_the_hosts_that_its_operator_named_and_no_other(tmp_path: Path) -> None:
    named = {"AFFIDAVIT_GITLAB_HOSTS": "https://git.inside.example", "XDG_CONFIG_HOME": str(tmp_path)}
    settings = ServiceSettings(tmp_path, environment=named)
    assert settings.reach.exempt == {"git.inside.example"}
