"""Rules: where tests usually stand, and how a title is filled in."""

import pytest

from affidavit.analysers.engine.rule import TEST_PLACE, fill
from affidavit.analysers.ruff_rules import RUFF_RULES
from affidavit.records.evidence import AnalyserDiagnostic


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


@pytest.mark.parametrize(
    ("code", "title"),
    [
        ("db.execute(f\"SELECT * FROM users WHERE name = '{name}'\")", "SQL injection through `name`"),
        ('db.execute("SELECT * FROM users WHERE id = " + user.id)', "SQL injection through `user.id`"),
        ('db.execute("SELECT * FROM users WHERE id = %s" % key)', "SQL injection through `key`"),
        ('db.execute("SELECT * FROM users WHERE id = {}".format(key))', "SQL injection through `key`"),
        ('db.execute(f"SELECT * FROM {table} WHERE id = {key}")', "SQL injection"),
        ('db.execute("SELECT " + quote(name))', "SQL injection"),
    ],
)
def test_an_injection_names_the_value_that_is_put_in_where_there_is_one(code, title):
    diagnostic = AnalyserDiagnostic(rule="ruff/S608", message="Possible SQL injection", path="a.py", line=1)
    rule = next(rule for rule in RUFF_RULES if rule.id == "ruff/S608")
    assert fill(rule.title, diagnostic, code) == title
