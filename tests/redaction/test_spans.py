"""Markers: one word in the place of a secret, found again and never replaced."""

from hypothesis import given
from hypothesis import strategies as st

from affidavit.redaction.spans import MARKER
from affidavit.redaction.text import redact_text

# Put together here, so that no scanner takes this file for a leak.
TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
PIECES = [
    TOKEN,
    "AKIA" + "IOSFODNN7QX3MPLE",
    "Hunter2Sup3r!x",
    "REDACTED_token_1",
    "REDACTED_secret_12",
    "password",
    "api_key = ",
    "Authorization: Bearer ",
    "https://app:",
    "@db.example.org/",
    "-----BEGIN RSA PRIVATE " + "KEY-----",
    "-----END RSA PRIVATE " + "KEY-----",
    "MIIEpAIBAAKCAQEA3Tz2mr7SZiAMfQyuvBjM9OiJjRazXBZ1BjP5CE/Wm/Rr500P",
    *(
        "\n",
        '"',
        "'",
        "\\",
        "\\n",
        "\\u00",
        "%3D",
        "&amp;",
        "=",
        ": ",
        " ",
        "+ ",
        "x1",
        "{",
        "}",
        ",",
        "(",
        ")",
    ),
]


@given(st.lists(st.sampled_from(PIECES), max_size=24).map("".join))
def test_redacting_twice_changes_nothing(text: str) -> None:
    once = redact_text(text)
    assert redact_text(once) == once
    assert once.count("\n") == text.count("\n")
    assert TOKEN not in once


def test_a_marker_that_an_author_wrote_hides_nothing_beside_it() -> None:
    for text in (f"REDACTED_token_1{TOKEN}", f"{TOKEN}REDACTED_token_1", f"'REDACTED_token_1' '{TOKEN}'"):
        shown = redact_text(text)
        assert TOKEN not in shown
        assert MARKER.search(shown)


def test_a_marker_does_not_give_the_length_away() -> None:
    assert redact_text(f"password = '{'Hunter2x' * 2}'") == redact_text(f"password = '{'Hunter2x' * 9}'")


def test_an_escape_is_not_cut() -> None:
    assert redact_text(f"a\\n{TOKEN}\\n") == "a\\nREDACTED_token_0\\n"
    assert redact_text(f'"\\u003d{TOKEN}\\u0022"') == '"\\u003dREDACTED_token_0\\u0022"'
