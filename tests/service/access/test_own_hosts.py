"""By which names a server lets itself be called, and whose pages may ask it."""

import pytest

from affidavit.service.api.guard import OwnHosts

HERE = OwnHosts((), is_loopback=True, machine="box")
THERE = OwnHosts(("Review.Example.org", "*.inside.example", ""), is_loopback=False, machine="box")


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost", "LOCALHOST:1", "[::1]:8000", "localhost."])
def test_loopback_has_its_usual_names(host: str) -> None:
    assert HERE.has(host)
    assert THERE.has(host)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.example",
        "127.0.0.1.evil.example",
        "[::1].evil.example",
        "localhost@evil.example",
        "evil.example#localhost",
        "localhost/evil.example",
        "localhost:port",
        "[::1",
    ],
)
def test_no_other_name_leads_anywhere(host: str) -> None:
    assert not HERE.has(host)
    assert not THERE.has(host)


def test_a_server_for_others_takes_addresses_in_figures_its_machine_and_what_the_operator_named() -> None:
    for host in ("10.0.0.7:8000", "[fd00::1]:8000", "box:8000", "review.example.org", "a.inside.example:443"):
        assert THERE.has(host), host
    for host in ("inside.example", "a.b.inside.example", "other.example.org"):
        assert not THERE.has(host), host


def test_a_server_for_this_machine_takes_no_address_of_another() -> None:
    assert not HERE.has("10.0.0.7:8000")
    assert not HERE.has("box")


def test_a_page_is_ours_where_it_has_the_host_of_the_request_or_a_name_of_the_operators() -> None:
    assert HERE.is_own_page("http://127.0.0.1:8000", "127.0.0.1:8000")
    assert THERE.is_own_page("https://review.example.org", "10.0.0.7:8000")
    for origin in ("http://127.0.0.1:3000", "http://localhost:8000", "null", "https://evil.example", ""):
        assert not HERE.is_own_page(origin, "127.0.0.1:8000"), origin
    assert not THERE.is_own_page("https://review.example.org:8443", "10.0.0.7:8000")
