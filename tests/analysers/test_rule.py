"""Where tests usually stand, so that what does not matter in tests is left alone there."""

import pytest

from affidavit.analysers.rule import TEST_PLACE


@pytest.mark.parametrize(
    "path",
    [
        "tests/keys.py",
        "t/unit/security/__init__.py",
        "caddytest/localhost.key",
        "pkg/integration_tests/a.go",
        "src/SCons/ActionTests.py",
        "app/src/UserTest.java",
        "web/app.spec.ts",
    ],
)
def test_a_place_of_tests_is_known(path):
    assert TEST_PLACE.search(path)


@pytest.mark.parametrize(
    "path", ["latest/app.py", "contest/rules.py", "src/attest/key.pem", "Dockerfiles/latest/x.sh", "src/Test"]
)
def test_a_name_that_only_ends_like_one_is_not(path):
    assert not TEST_PLACE.search(path)
