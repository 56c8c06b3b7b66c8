"""Tests are known by the conventions of their languages."""

import pytest

from affidavit.languages.test_files import NamesakeTests, has_tests, is_test, subject_of


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


def test_a_test_with_a_subject_of_its_own_is_not_named_after_another_one() -> None:
    tests = NamesakeTests(
        ["web/lambda/handler.ts", "web/lambda/handler.test.ts", "web/next/handler.ts", "core/handler.ts"]
    )
    assert tests.of("web/lambda/handler.ts") == ["web/lambda/handler.test.ts"]
    assert tests.of("web/next/handler.ts") == []
    assert tests.of("core/handler.ts") == []


def test_a_package_is_known_by_its_folder() -> None:
    assert NamesakeTests(["tests/test_shop.py"]).of("src/shop/__init__.py") == ["tests/test_shop.py"]


def test_a_name_that_many_tests_share_far_away_says_nothing() -> None:
    tests = NamesakeTests(["tests/forms/test_base.py", "tests/views/test_base.py"])
    assert tests.of("shop/template/base.py") == []
    assert tests.of("shop/forms/base.py") == ["tests/forms/test_base.py"]


@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        ("django/test/client.py", False),
        ("numpy/testing/utils.py", False),
        ("pkg/test/__init__.py", False),
        ("src/main/java/org/shop/test/Client.java", False),
        ("internal/testing/fakes.go", False),
        ("django/test/test_client.py", True),
        ("test/helpers.py", True),
        ("src/test/java/shop/Prices.java", True),
        ("packages/shop/test/prices.js", True),
        ("shop/tests/checks.py", True),
    ],
)
def test_a_library_for_tests_is_no_test(path: str, is_one: bool) -> None:
    assert is_test(path) is is_one


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "class A:\n    async def test_it(self): ...\n"),
        ("a.py", "class ShopTests(TestCase):\n    pass\n"),
        ("a.ts", "describe('shop', () => { it('sells', () => {}) })\n"),
        ("a.go", "package a\n\nfunc TestShop(t *testing.T) {}\n"),
        ("A.java", "class A { @ParameterizedTest void sells() {} }"),
        ("A.cs", "class A { [Fact] public void Sells() {} }"),
        ("a.rs", "#[tokio::test]\nasync fn sells() {}\n"),
        ("a.rb", "describe Shop do\n  it 'sells' do\n  end\nend\n"),
        ("A.php", "<?php class A { public function testSells() {} }"),
        ("a.c", "int main(void) { return 0; }"),
    ],
)
def test_the_text_of_a_test_says_so(path: str, text: str) -> None:
    assert has_tests(path, text.encode())


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("models.py", "class Latest(Model):\n    tested = 1\n"),
        ("a.ts", "export const edit = (submit: string) => unit.test(submit)\n"),
        ("a.go", "package a\n\nfunc NewTestServer() {}\n"),
        ("a.rs", "fn latest() {}\n"),
    ],
)
def test_code_that_only_serves_tests_has_none(path: str, text: str) -> None:
    assert not has_tests(path, text.encode())
    assert not has_tests(path, None)
