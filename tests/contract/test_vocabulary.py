"""Words of the three vocabularies."""

import pytest

from affidavit.contract.vocabulary import (
    FEEDBACK_ASPECT,
    FEEDBACK_SEVERITY,
    VERDICT_CATEGORY,
    VERDICT_SEVERITY,
    read_focus,
    read_severity,
    verdict_severity,
)
from affidavit.errors import SettingsError
from affidavit.records.finding import Category, Severity


def test_every_severity_and_category_has_a_word_in_each_vocabulary() -> None:
    assert list(FEEDBACK_SEVERITY.values()) == ["critical", "major", "major", "minor", "suggestion"]
    assert list(VERDICT_SEVERITY.values()) == ["critical", "warning", "warning", "info", "info"]
    assert set(FEEDBACK_SEVERITY) == set(VERDICT_SEVERITY) == set(Severity)
    assert set(FEEDBACK_ASPECT) == set(VERDICT_CATEGORY) == set(Category)


@pytest.mark.parametrize(
    ("category", "aspect", "verdict"),
    [
        (Category.CORRECTNESS, "correctness", "bug"),
        (Category.SECURITY, "security", "security"),
        (Category.PERFORMANCE, "efficiency", "performance"),
        (Category.RELIABILITY, "correctness", "bug"),
        (Category.MAINTAINABILITY, "maintainability", "quality"),
        (Category.STYLE, "style", "quality"),
        (Category.TEST, "testability", "quality"),
    ],
)
def test_categories_translate(category: Category, aspect: str, verdict: str) -> None:
    assert (FEEDBACK_ASPECT[category], VERDICT_CATEGORY[category]) == (aspect, verdict)


def test_style_is_a_severity_in_a_verdict() -> None:
    assert verdict_severity(Severity.HIGH, Category.STYLE) == "style"
    assert verdict_severity(Severity.HIGH, Category.TEST) == "warning"


@pytest.mark.parametrize(
    ("word", "severity"),
    [
        *((str(severity), severity) for severity in Severity),
        ("warning", Severity.MEDIUM),
        ("style", Severity.INFO),
        (" Warning ", Severity.MEDIUM),
    ],
)
def test_a_threshold_may_use_either_vocabulary(word: str, severity: Severity) -> None:
    assert read_severity(word) is severity


@pytest.mark.parametrize(
    ("words", "categories"),
    [
        (["security"], {Category.SECURITY}),
        ("security,bugs", {Category.SECURITY, Category.CORRECTNESS, Category.RELIABILITY}),
        (["bug"], {Category.CORRECTNESS, Category.RELIABILITY}),
        (["quality"], {Category.MAINTAINABILITY, Category.STYLE, Category.TEST}),
        (["style", "performance"], {Category.STYLE, Category.PERFORMANCE}),
        ([], set()),
        *(([str(category)], {category}) for category in Category),
    ],
)
def test_focus_areas_name_categories(words: str | list[str], categories: set[Category]) -> None:
    assert read_focus(words) == categories


@pytest.mark.parametrize("error", [SettingsError, ValueError])
def test_an_unknown_word_is_answered_with_the_known_ones(error: type[Exception]) -> None:
    with pytest.raises(error, match="critical, high, medium, warning, low, info, style"):
        read_severity("blocker")
    with pytest.raises(error, match="bugs"):
        read_focus(["everything"])
