"""Names in texts that a change takes away; prose, numbers, imports and comments are none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.context.texts import MAX_LINE, changed_texts, names_in_line
from python_changes import make_case
from repositories import Repo


def texts(repo: Repo, before: dict[str, str], after: dict[str, str | None]) -> set[tuple[str, str, str]]:
    case = make_case(repo, {"kept.txt": "", **before}, after)
    with case.repository:
        return {(one.text, one.fate, one.path) for one in changed_texts(case.change)}


@pytest.mark.parametrize(
    ("line", "language", "expected"),
    [
        ('    suffix="alert_event_frequency",', "python", ["alert_event_frequency"]),
        ("track('userCreated', x)", "javascript", ["userCreated"]),
        ("const a = `cart-opened`", "typescript", ["cart-opened"]),
        ('path("/api/orders/", view)', "python", ["/api/orders/"]),
        (
            'REF = "tsdb-modelid:4.alert_event_frequency"',
            "python",
            ["tsdb-modelid:4.alert_event_frequency", "tsdb-modelid", "alert_event_frequency"],
        ),
        ("max-retries: 3  # not user_name", "yaml", ["max-retries"]),
        ("  image: registry/shop-api", "yaml", ["registry/shop-api", "shop-api"]),
        ('time_limit = "5s"', "toml", ["time_limit"]),
        ('say("Could not load user_name")', "python", []),
        ('say("short")', "python", []),
        ('say("a_b", "plainword", "Capital")', "python", []),
        ('version = "10.12.1"; day = "2026-01-02"', "python", []),
        ('id = "deadbeef-0123-4567"', "python", []),
        ('see("https://example.org/some_page")', "python", []),
        ("# see 'user_name'", "python", []),
        (" * 'user_name'", "java", []),
        ("import x from './some_module'", "javascript", []),
        ("const x = require('some_module')", "javascript", []),
        ('\t"example.org/some_module/part"', "go", []),
        ("``user_name`` is `user_mail`", "python", []),
        (r"x = 'it\'s' + 'user_name'", "python", ["user_name"]),
    ],
)
def test_names_are_told_from_other_texts(line: str, language: str, expected: list[str]) -> None:
    assert list(names_in_line(line, language)) == expected


def test_a_text_is_replaced_or_removed_by_what_happens_at_its_place(repo: Repo) -> None:
    gap = "step()\n" * 10
    before = f"a('old_name')\n{gap}b('gone_name')\n{gap}c('kept_name', 1)\n"
    after = f"a('new_name')\n{gap}{gap}c('kept_name', 2)\n"
    assert texts(repo, {"app.py": before}, {"app.py": after}) == {
        ("old_name", "replaces", "app.py"),
        ("gone_name", "removes", "app.py"),
    }


def test_a_text_that_is_replaced_at_one_place_counts_though_it_stays_at_another(repo: Repo) -> None:
    before = "a('old_name')\n" + "step()\n" * 10 + "b('old_name')\n"
    after = before.replace("a('old_name')", "a('batch_old_name')")
    assert ("old_name", "replaces", "app.py") in texts(repo, {"app.py": before}, {"app.py": after})


def test_a_text_that_only_moves_is_not_gone(repo: Repo) -> None:
    before = {"one.py": "x = 1\na('old_name')\n", "two.py": "y = 1\n"}
    assert texts(repo, before, {"one.py": "x = 1\n", "two.py": "y = 1\na('old_name')\n"}) == set()


def test_tests_documents_and_very_long_lines_bring_no_texts(repo: Repo) -> None:
    files = {
        "tests/test_app.py": "a('old_name')\n",
        "README.md": "`old_name` and 'old_name'\n",
        "bundle.js": "x();" * MAX_LINE + "a('old_name')\n",
    }
    assert texts(repo, files, dict.fromkeys(files, "")) == set()


@given(st.text(max_size=200), st.sampled_from(["python", "javascript", "yaml", "go", ""]))
def test_any_line_can_be_read(line: str, language: str) -> None:
    assert all(text in line for text in names_in_line(line, language))
