"""Tests are known by the conventions of their languages."""

import pytest

from affidavit.code.covering_tests import NamesakeTests, is_test, subject_of


@pytest.mark.parametrize(
    ("name", "subject"),
    [
        ("test_prices.py", "prices"),
        ("prices_test.go", "prices"),
        ("prices.test.ts", "prices"),
        ("prices.spec.tsx", "prices"),
        ("PricesTest.java", "prices"),
        ("PricesTests.cs", "prices"),
        ("prices_spec.rb", "prices"),
        ("prices.py", None),
        ("latest.py", None),
        ("contest.js", None),
        ("testing.py", None),
    ],
)
def test_the_name_of_a_test_tells_what_it_tests(name: str, subject: str | None) -> None:
    assert subject_of(name) == subject


def test_code_below_a_test_folder_is_a_test_and_its_fixtures_are_not() -> None:
    assert is_test("tests/shop/checks.py")
    assert not is_test("tests/shop/golden.json")
    assert not is_test("src/shop/prices.py")


def test_of_many_namesakes_the_closest_is_taken() -> None:
    tests = NamesakeTests(["tests/shop/test_views.py", "tests/blog/test_views.py", "tests/views.test.ts"])
    assert tests.of("shop/views.py") == ["tests/shop/test_views.py"]
    assert tests.of("src/views.tsx") == ["tests/views.test.ts"]
    assert tests.of("shop/models.py") == []


def test_a_package_is_known_by_its_folder() -> None:
    assert NamesakeTests(["tests/test_shop.py"]).of("src/shop/__init__.py") == ["tests/test_shop.py"]


def test_a_name_that_many_tests_share_far_away_says_nothing() -> None:
    tests = NamesakeTests(["tests/forms/test_base.py", "tests/views/test_base.py"])
    assert tests.of("shop/template/base.py") == []
    assert tests.of("shop/forms/base.py") == ["tests/forms/test_base.py"]
