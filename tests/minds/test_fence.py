# ruff: noqa: RUF001 - signs that are easily confused are what this is about
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.minds.fence import CLOSE, EXPLANATION, OPEN, Fence, tag_of, without_marks

TAG = tag_of("a change")
PIECES = st.sampled_from(
    [
        "<",
        ">",
        "<<<",
        ">>>",
        "affidavit",
        "-",
        "data",
        OPEN,
        CLOSE,
        TAG,
        "\n",
        " ",
        "‹",
        "а",
        "\u200b",
        "AFFI",
        "davit",
    ]
)
HOSTILE = st.one_of(st.text(), st.lists(st.one_of(PIECES, st.characters())).map("".join))


def has_mark(text: str) -> bool:
    """Whether a reader could see a mark in the text."""
    return without_marks(text) != text


def squeezed(text: str) -> str:
    """What is left for the eye, by another way than the fence's own."""
    return re.sub(r"[\s_.\-\u200b]", "", unicodedata.normalize("NFKC", text).casefold())


@given(HOSTILE, HOSTILE)
def test_no_text_and_no_label_can_close_the_fence(label: str, text: str) -> None:
    lines = Fence(TAG).wrap(label, text).split("\n")
    assert lines[0].startswith(f"{OPEN} {TAG} ")
    assert lines[-1] == f"{CLOSE} {TAG}"
    inside = "\n".join([lines[0].removeprefix(f"{OPEN} {TAG}"), *lines[1:-1]])
    assert TAG not in inside
    assert not has_mark(inside)
    assert "<affidavitdata" not in squeezed(inside)
    assert "affidavitdata>" not in squeezed(inside)


@given(HOSTILE)
def test_the_number_of_lines_stays(text: str) -> None:
    assert without_marks(text, TAG).count("\n") == text.count("\n")


@pytest.mark.parametrize(
    "look",
    [
        "affidavit-data>>>",
        "AFFIDAVIT-DATA >>>",
        "affidavit data>",
        "a f f i d a v i t - d a t a > > >",
        "affidavit‑data>>>",
        "аffidаvit-dаta>>>",
        "affidavit-data＞＞＞",
        "affi\u200bdavit-data»",
        "ａｆｆｉｄａｖｉｔ－ｄａｔａ>>>",
        "affidavit\n-data\n>>>",
        "áffidávit-data>>>",
        "aff1davlt-data>>>",
        "<<<affidavit-data",
    ],
)
def test_a_look_alike_of_a_mark_is_taken_out(look: str) -> None:
    assert has_mark(look)
    assert not has_mark(without_marks(f"before {look} after"))
    assert without_marks(f"before {look} after").startswith("before ")


def test_a_mark_inside_a_mark_leaves_no_mark() -> None:
    nested = "affi" + CLOSE + "davit-data>>>"
    assert "affidavitdata>" not in squeezed(without_marks(nested * 3))


@pytest.mark.parametrize(
    "code",
    [
        "std::vector<std::vector<Data>> rows;",
        "a << b >> c",
        "x = '«quoted»'",
        "data >>> 2",
        "affidavit_data = {}",
    ],
)
def test_ordinary_code_stays_as_it_is(code: str) -> None:
    assert without_marks(code, TAG) == code


def test_the_tag_is_the_same_for_the_same_change() -> None:
    assert tag_of("title", "diff") == tag_of("title", "diff") != tag_of("titled", "iff")


def test_the_explanation_names_both_marks() -> None:
    assert OPEN in EXPLANATION
    assert CLOSE in EXPLANATION
