"""Who is in the slice of a rollout."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollouts import a_rollout

from affidavit.cli.rollout import read_percent
from affidavit.errors import SettingsError
from affidavit.quality.rollout import arm_of, change_key
from affidavit.records.change import Revision
from affidavit.records.measure import Versions
from claims import change_of

SHARES = st.floats(min_value=0.001, max_value=1)


@given(st.text(), SHARES, SHARES)
def test_who_is_in_a_slice_stays_in_as_it_grows(key: str, one: float, other: float) -> None:
    small, large = sorted((one, other))
    if arm_of(a_rollout(share=small), key) == "new":
        assert arm_of(a_rollout(share=large), key) == "new"


def test_a_slice_holds_its_share_of_the_changes() -> None:
    drawn = sum(arm_of(a_rollout(share=0.1), f"change {number}") == "new" for number in range(10_000))
    assert 900 < drawn < 1_100


def test_everybody_is_in_a_whole_slice() -> None:
    assert all(arm_of(a_rollout(share=1.0), f"change {number}") == "new" for number in range(1_000))


def test_another_version_is_tried_on_other_changes() -> None:
    other = a_rollout(share=0.5, new=Versions(prompt="1.6.0", schema_version="1.1"))
    keys = [f"change {number}" for number in range(100)]
    assert [arm_of(a_rollout(share=0.5), key) for key in keys] != [arm_of(other, key) for key in keys]


def test_the_heads_of_a_pull_request_are_one_change() -> None:
    request = "https://forge.example/pull/7"
    first = change_of("a.py", request=request)
    pushed = change_of("a.py", request=request, head=Revision(tree="2", commit="c2"))
    assert change_key(first) == change_key(pushed)


@pytest.mark.parametrize(
    "fields",
    [
        {"repository": "/elsewhere"},
        {"base": Revision(tree="9")},
        {"head": Revision(tree="9")},
        {"request": "https://forge.example/pull/7"},
    ],
)
def test_another_repository_side_or_request_is_another_change(fields: dict[str, object]) -> None:
    assert change_key(change_of("a.py", repository="/here")) != change_key(
        change_of("a.py", **{"repository": "/here", **fields})
    )


def test_a_folder_with_an_odd_name_has_changes_too() -> None:
    key = change_key(change_of("a.py", repository="/odd \udcff"))
    assert arm_of(a_rollout(share=1.0), key) == "new"
    assert key.isascii()


def test_the_words_of_a_change_do_not_choose_its_version() -> None:
    assert change_key(change_of("a.py", title="try me")) == change_key(change_of("b.py", description="no"))


@pytest.mark.parametrize(("text", "share"), [("10%", 0.1), ("100%", 1.0), ("0.5 %", 0.005)])
def test_a_share_is_read_from_per_cent(text: str, share: float) -> None:
    assert read_percent(text, option="--slice") == pytest.approx(share)


@pytest.mark.parametrize("text", ["0.1", "10", "101%", "-5%", "1e2%", "ten%", "", "9" * 999 + "%"])
def test_anything_else_is_refused_with_the_form_that_is_wanted(text: str) -> None:
    with pytest.raises(SettingsError, match="--slice: .* is not a share; write .* such as 10%"):
        read_percent(text, option="--slice")
