import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.config.baseline import (
    BASELINE_PATH,
    Dismissal,
    add_dismissal,
    new_dismissal,
    parse_baseline,
    read_baseline,
)
from affidavit.errors import SettingsError
from affidavit.stages.intake import ChangeRequest, open_change
from repositories import Repo

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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[ignore]", "not valid TOML: .*line 1"),
        ("ignore = 3", "ignore: Input should be a valid tuple"),
        ("ignore = [3]", r"ignore\.0: Input should be .*Entry"),
        ("[[ignored]]\nwhy = 'x'\n", "ignored: Extra inputs are not permitted"),
        ("[[ignore]]\nwhy = 'x'\n", r"ignore\.0\.fingerprint: Field required"),
        (f"[[ignore]]\nfingerprint = '{PRINT}'\n", r"ignore\.0\.why: Field required"),
        (f"[[ignore]]\nfingerprint = '{PRINT}'\nwhy = ' '\n", r"ignore\.0\.why: String should match"),
        (f"[[ignore]]\nfingerprint = '{PRINT}'\nwhy = 3\n", r"ignore\.0\.why: .* valid string"),
        (
            f"[[ignore]]\nfingerprint = '{PRINT}'\nwhy = 'x'\n[[ignore]]\nfingerprint = 'abc'\nwhy = 'x'\n",
            r"ignore\.1\.fingerprint: String should match pattern '\^\[0-9a-f\]\{16\}\$'",
        ),
        (
            f"[[ignore]]\nfingerprint = '{PRINT}'\nwhy = 'x'\nby = 'me'\n",
            r"ignore\.0\.by: Extra inputs are not permitted",
        ),
    ],
)
def test_a_broken_baseline_says_which_entry_and_what_was_expected(text: str, said: str) -> None:
    with pytest.raises(SettingsError, match=rf"^\.affidavit/ignored\.toml: {said}") as caught:
        parse_baseline(text)
    assert "pydantic" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", ["[[ignore]", b"\xff"])
def test_a_broken_baseline_at_base_dismisses_nothing_and_says_why(repo: Repo, content: str | bytes) -> None:
    repo.commit("base", {BASELINE_PATH: content})
    repo.commit("repaired", {BASELINE_PATH: ""})
    with open_change(ChangeRequest(repo=repo.path, target="HEAD")) as opened:
        baseline = read_baseline(opened.repository.base)
    assert baseline.dismissals == {}
    assert baseline.problem.startswith(".affidavit/ignored.toml: ")


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_can_be_a_title(title: str) -> None:
    entry = Dismissal(fingerprint=PRINT, why="why", title=title)
    assert parse_baseline(add_dismissal("", entry))[PRINT].title == title
