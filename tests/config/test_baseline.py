import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.config.baseline import Dismissal, add_dismissal, new_dismissal, parse_baseline
from affidavit.errors import SettingsError

PRINT = "0123456789abcdef"


def test_an_entry_is_added_to_those_that_are_there() -> None:
    text = add_dismissal("", new_dismissal(PRINT, "accepted"))
    text = add_dismissal(text, new_dismissal("f" * 16, "not reachable"))
    assert {entry.why for entry in parse_baseline(text).values()} == {"accepted", "not reachable"}


def test_the_same_finding_twice_keeps_the_newer_reason() -> None:
    text = add_dismissal(add_dismissal("", new_dismissal(PRINT, "old")), new_dismissal(PRINT, "new"))
    assert parse_baseline(text)[PRINT].why == "new"


@pytest.mark.parametrize("fingerprint", ["", "0123", PRINT.upper(), PRINT + "0", "../../../etc/pass"])
def test_what_is_no_fingerprint_is_refused(fingerprint: str) -> None:
    with pytest.raises(SettingsError, match="not a fingerprint"):
        new_dismissal(fingerprint, "why not")


def test_a_dismissal_needs_a_reason() -> None:
    with pytest.raises(SettingsError, match="--why"):
        new_dismissal(PRINT, "  ")


@pytest.mark.parametrize("text", ["[[ignore]", "ignore = 3", "[[ignore]]\nwhy = 'no fingerprint'\n"])
def test_a_broken_baseline_is_a_clear_error(text: str) -> None:
    with pytest.raises(SettingsError, match="ignored.toml"):
        parse_baseline(text)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_can_be_a_title(title: str) -> None:
    entry = Dismissal(fingerprint=PRINT, why="why", title=title)
    assert parse_baseline(add_dismissal("", entry))[PRINT].title == title
