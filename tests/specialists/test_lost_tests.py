"""Tests that a change deletes, skips or weakens."""

import pytest

from affidavit.specialists.lost_tests.specialist import find_losses
from affidavit.stages.looking.intake import ChangeRequest, open_change
from claims import case_of
from repositories import Repo

SUM = "def test_sum():\n    assert total([1]) == 1\n    assert total([]) == 0\n"
PYTHON = f"{SUM}\n\ndef test_name():\n    assert name() == 'a'\n"
SCRIPT = "test('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n"
FILES = {
    "tests/test_app.py": PYTHON,
    "app.test.ts": SCRIPT,
    "app.py": "def total(items):\n    return sum(items)\n",
}


def losses(
    repo: Repo, after: dict[str, str | None], base: dict[str, str] | None = None
) -> list[tuple[str, str, str]]:
    repo.commit("Base", {**FILES, **(base or {})})
    repo.commit("Head", after)
    with open_change(ChangeRequest(target="HEAD", repo=repo.path)) as opened:
        found = list(find_losses(case_of(opened.change, opened.repository)))
    return [(one.rule.removeprefix("tests/"), one.path, one.name) for one in found]


def test_a_deleted_file_of_tests_is_one_loss(repo: Repo) -> None:
    assert losses(repo, {"tests/test_app.py": None}) == [
        ("deleted", "tests/test_app.py", "tests/test_app.py")
    ]


def test_a_removed_test_is_named(repo: Repo) -> None:
    found = losses(repo, {"tests/test_app.py": PYTHON.partition("\n\n\ndef test_name")[0] + "\n"})
    assert found == [("removed", "tests/test_app.py", "test_name")]


def test_a_test_that_moved_is_not_lost(repo: Repo) -> None:
    assert losses(repo, {"tests/test_app.py": None, "tests/test_other.py": "import os\n\n\n" + PYTHON}) == []


@pytest.mark.parametrize(
    "mark", ["@pytest.mark.skip\n", "@unittest.skip('later')\n", "@pytest.mark.xfail(reason='x')\n"]
)
def test_a_skipped_test_is_found(repo: Repo, mark: str) -> None:
    (found,) = losses(repo, {"tests/test_app.py": PYTHON.replace("def test_name", mark + "def test_name")})
    assert (found[0], found[2]) == ("skipped", mark.strip())


def test_fewer_or_empty_assertions_weaken_a_test(repo: Repo) -> None:
    after = PYTHON.replace("    assert total([]) == 0\n", "").replace("assert name() == 'a'", "assert True")
    assert [(rule, name) for rule, _, name in losses(repo, {"tests/test_app.py": after})] == [
        ("weakened", "test_sum"),
        ("weakened", "test_name"),
    ]


def test_other_languages_are_read_too(repo: Repo) -> None:
    assert losses(repo, {"app.test.ts": SCRIPT.replace("test(", "test.skip(")})[0][0] == "skipped"


def test_more_tests_and_other_code_are_no_loss(repo: Repo) -> None:
    more = PYTHON + "\n\ndef test_more():\n    assert more()\n"
    assert losses(repo, {"tests/test_app.py": more, "app.py": "def total(items):\n    return 1\n"}) == []


CONFTEST = "import pytest\n\n\n@pytest.fixture\ndef shop():\n    return 1\n"
GO = "package a\n\nfunc TestAdd(t *testing.T) {\n\tif add(1) != 2 {\n\t\tt.Fatal(1)\n\t}\n}\n"
SWITCHES: dict[str, dict[str, str | None]] = {
    "collect_ignore": {"conftest.py": 'collect_ignore = ["tests/test_app.py"]\n'},
    "collect_ignore below": {
        "tests/conftest.py": 'collect_ignore = []\ncollect_ignore.append("test_app.py")\n'
    },
    "collect_ignore_glob": {"tests/conftest.py": 'collect_ignore_glob = ["test_*.py"]\n'},
    "modifyitems": {
        "conftest.py": "def pytest_collection_modifyitems(items):\n    items[:] = items[:1]\n",
    },
    "ignore_collect": {
        "conftest.py": "def pytest_ignore_collect(collection_path):\n    return 'a' in 'app'\n"
    },
    "setup": {
        "conftest.py": "import pytest\n\n\ndef pytest_runtest_setup(item):\n    pytest.skip('later')\n"
    },
    "autouse": {
        "tests/conftest.py": "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef no():\n"
        "    pytest.skip('no')\n"
    },
    "exit": {"conftest.py": "import os\n\nos._exit(0)\n"},
    "pytest.ini ignore": {"pytest.ini": "[pytest]\naddopts = -q --ignore=tests/test_app.py\n"},
    "deselect": {"pytest.ini": "[pytest]\naddopts = --deselect tests/test_app.py::test_sum\n"},
    "toml -k": {"pyproject.toml": "[tool.pytest.ini_options]\naddopts = \"-k 'not test_sum'\"\n"},
    "toml list": {"pyproject.toml": '[tool.pytest.ini_options]\naddopts = ["-m", "fast"]\n'},
    "toml of pytest 9": {"pytest.toml": '[pytest]\naddopts = ["--ignore", "tests"]\n'},
    "table of pytest 9": {"pyproject.toml": '[tool.pytest]\ntestpaths = ["other"]\n'},
    "testpaths": {"setup.cfg": "[tool:pytest]\ntestpaths = other\n"},
    "norecursedirs": {"tox.ini": "[pytest]\nnorecursedirs = tests\n"},
    "python_files": {"pytest.ini": "[pytest]\npython_files = check_*.py\n"},
    "python_functions": {"pytest.ini": "[pytest]\npython_functions = check_*\n"},
    "jest": {"jest.config.js": "module.exports = {\n  testPathIgnorePatterns: ['app'],\n};\n"},
}


@pytest.mark.parametrize("after", SWITCHES.values(), ids=SWITCHES)
def test_tests_that_are_switched_off_elsewhere_are_lost(repo: Repo, after: dict[str, str | None]) -> None:
    (path,) = after
    found = losses(repo, after)
    assert {(rule, where) for rule, where, _ in found} <= {("unselected", path), ("skipped", path)}
    assert found


SUM_NOW: dict[str, str] = {
    "returns early": "def test_sum():\n    return\n    assert total([1]) == 1\n    assert total([]) == 0\n",
    "passes": "def test_sum():\n    pass\n",
    "never": "def test_sum():\n    if False:\n        assert total([1]) == 1\n"
    "        assert total([]) == 0\n",
    "forgets": "def test_sum():\n    try:\n        assert total([1]) == 1\n        assert total([]) == 0\n"
    "    except Exception:\n        pass\n",
    "suppresses": "def test_sum():\n    with suppress(AssertionError):\n        assert total([1]) == 1\n"
    "        assert total([]) == 0\n",
    "true": "def test_sum():\n    assert True\n    assert total([]) == 0 or True\n",
    "a pair": "def test_sum():\n    assert (total([1]) == 1, 'a')\n    assert total([]) == 0\n",
    "commented": "def test_sum():\n    total([1])\n    # assert total([1]) == 1\n    assert total([]) == 0\n",
    "overwritten": SUM + "\n\ndef test_sum():\n    pass\n",
}


@pytest.mark.parametrize("now", SUM_NOW.values(), ids=SUM_NOW)
def test_a_test_that_checks_nothing_any_more_is_weaker(repo: Repo, now: str) -> None:
    found = losses(repo, {"tests/test_app.py": PYTHON.replace(SUM, now)})
    assert [(rule, name) for rule, _, name in found] == [("weakened", "test_sum")]


GONE: dict[str, dict[str, str | None]] = {
    "renamed to no test": {"tests/test_app.py": PYTHON.replace("test_sum", "check_sum")},
    "taken away": {"tests/test_app.py": PYTHON + "\n\ndel test_sum\n"},
    "within another": {
        "tests/test_app.py": PYTHON.replace(
            SUM, "def hidden():\n    " + SUM.replace("\n", "\n    ").rstrip() + "\n"
        )
    },
    "another of its name": {
        "tests/test_app.py": PYTHON.replace(SUM, ""),
        "tests/test_other.py": "def test_sum():\n    pass\n",
    },
}


@pytest.mark.parametrize("after", GONE.values(), ids=GONE)
def test_a_test_that_is_not_found_any_more_is_lost(repo: Repo, after: dict[str, str | None]) -> None:
    found = losses(repo, after)
    assert [name for _, _, name in found] == ["test_sum"]


def test_a_file_that_is_not_collected_under_its_new_name_is_lost(repo: Repo) -> None:
    found = losses(repo, {"tests/test_app.py": None, "tests/app_cases.py": PYTHON})
    assert [rule for rule, _, _ in found] == ["removed", "removed"]


@pytest.mark.parametrize(
    ("path", "base", "now"),
    [
        ("app.test.ts", SCRIPT, SCRIPT.replace("test(", "xit(")),
        ("app.test.ts", SCRIPT, "describe.skip('all', () => {\n" + SCRIPT + "});\n"),
        ("app.test.ts", SCRIPT, SCRIPT + "test.only('one', () => {});\n"),
        ("add_test.go", GO, GO.replace("\tif add", '\tt.Skip("later")\n\tif add')),
        ("add_test.go", GO, GO.replace("\tif add", "\treturn\n\tif add")),
    ],
)
def test_what_other_languages_leave_out_is_lost(repo: Repo, path: str, base: str, now: str) -> None:
    assert [rule for rule, _, _ in losses(repo, {path: now}, {path: base})] in (["skipped"], ["weakened"])


SKIPPED = "import pytest\n\n\n@pytest.mark.skip\n" + PYTHON
CASES = (
    '@pytest.mark.parametrize("given", [[1], []])\ndef test_sums(given):\n'
    "    assert total(given) == sum(given)\n    assert total([]) == 0\n"
)
HONEST: dict[str, tuple[dict[str, str], dict[str, str | None]]] = {
    "renamed": ({}, {"tests/test_app.py": PYTHON.replace("test_sum", "test_the_sum_of_all")}),
    "renamed and moved": (
        {},
        {
            "tests/test_app.py": None,
            "tests/test_b.py": "import os\n\n\n" + PYTHON.replace("test_sum", "test_all"),
        },
    ),
    "into a class": (
        {},
        {
            "tests/test_app.py": "class TestApp:\n"
            + "".join(
                f"    {line}\n" if line else "\n" for line in PYTHON.replace("()", "(self)").split("\n")
            )
        },
    ),
    "asserts joined": (
        {},
        {
            "tests/test_app.py": PYTHON.replace(
                SUM, "def test_sum():\n    assert (total([1]), total([])) == (1, 0)\n"
            )
        },
    ),
    "into a helper": (
        {},
        {
            "tests/test_app.py": PYTHON.replace(
                SUM,
                "def holds():\n    assert total([1]) == 1\n    assert total([]) == 0\n\n\n"
                "def test_sum():\n    holds()\n",
            )
        },
    ),
    "parametrized": (
        {
            "tests/test_two.py": "def test_a():\n    assert total([]) == 0\n\n\n"
            "def test_b():\n    assert total([]) == 0\n"
        },
        {"tests/test_two.py": "import pytest\n\n\n" + CASES},
    ),
    "a skipped one moved": (
        {"tests/test_app.py": SKIPPED},
        {"tests/test_app.py": None, "tests/test_c.py": SKIPPED},
    ),
    "a new one is skipped": (
        {},
        {"tests/test_app.py": PYTHON + "\n\n@pytest.mark.skip\ndef test_later():\n    assert later()\n"},
    ),
    "a file of new ones is skipped": ({}, {"tests/test_d.py": "pytestmark = pytest.mark.skip\n\n" + SUM}),
    "testpaths that hold all": (
        {},
        {"pytest.ini": "[pytest]\ntestpaths = tests\naddopts = -q -p no:cacheprovider\n"},
    ),
    "a fixture": ({}, {"tests/conftest.py": CONFTEST}),
    "a hook that sorts": (
        {},
        {"conftest.py": "def pytest_collection_modifyitems(items):\n    items.sort(key=str)\n"},
    ),
    "other settings": ({}, {"pyproject.toml": '[project]\nname = "a"\n'}),
}


@pytest.mark.parametrize(("base", "after"), HONEST.values(), ids=HONEST)
def test_an_honest_change_of_tests_loses_none(
    repo: Repo, base: dict[str, str], after: dict[str, str | None]
) -> None:
    assert losses(repo, after, base) == []


def test_a_parametrized_test_that_was_there_stands_for_no_other(repo: Repo) -> None:
    base = {"tests/test_two.py": "import pytest\n\n\n" + CASES + "\n\n" + SUM}
    found = losses(repo, {"tests/test_two.py": "import pytest\n\n\n" + CASES}, base)
    assert [(rule, name) for rule, _, name in found] == [("removed", "test_sum")]


def test_fewer_cases_weaken_a_parametrized_test(repo: Repo) -> None:
    found = losses(
        repo, {"tests/test_two.py": CASES.replace("[[1], []]", "[[]]")}, {"tests/test_two.py": CASES}
    )
    assert [(rule, name) for rule, _, name in found] == [("weakened", "test_sums")]


WEAKER = {
    "a value is any value": ("assert price(2) == 4", "assert price(2)"),
    "a value is there": ("assert price(2) == 4", "assert price(2) is not None"),
    "of a kind": ("assert price(2) == 4", "assert isinstance(price(2), int)"),
    "a length": ("assert rows == [1, 2]", "assert len(rows) > 0"),
    "another than": ("assert price(2) == 4", "assert price(2) != 5"),
    "itself": ("assert price(2) == 4", "assert price(2) == price(2)"),
    "unittest": ("self.assertEqual(price(2), 4)", "self.assertTrue(price(2))"),
    "unittest, there": ("self.assertEqual(4, price(2))", "self.assertIsNotNone(price(2))"),
    "across styles": ("self.assertEqual(price(2), 4)", "assert price(2) > 0"),
    "any error": ("with pytest.raises(ValueError): price(-1)", "with pytest.raises(Exception): price(-1)"),
    "any message": (
        "with pytest.raises(ValueError, match='no'): price(-1)",
        "with pytest.raises(ValueError): price(-1)",
    ),
}


def one_test(line: str) -> dict[str, str | None]:
    return {"tests/test_price.py": f"def test_price(self):\n    rows = list(all_rows())\n    {line}\n"}


@pytest.mark.parametrize(("before", "now"), WEAKER.values(), ids=WEAKER)
def test_an_assertion_that_asks_for_less_of_the_same_weakens_its_test(
    repo: Repo, before: str, now: str
) -> None:
    base = {path: text for path, text in one_test(before).items() if text}
    assert losses(repo, one_test(now), base) == [("weakened", "tests/test_price.py", "test_price")]


AS_STRONG = {
    "another value": ("assert price(2) == 4", "assert price(2) == 5"),
    "another style": ("self.assertEqual(price(2), 4)", "assert price(2) == 4"),
    "turned around": ("assert 4 == price(2)", "assert price(2) == 4"),
    "stronger": ("assert price(2)", "assert price(2) == 4"),
    "another thing": ("assert price(2) == 4", "assert cost(2) > 3"),
    "its parts": ("assert rows == [1, 2]", "assert rows and rows[0] == 1 and rows[1] == 2"),
    "a part": ("assert rows == [1, 2]", "assert rows and rows[0] == 1"),
    "another error": ("with pytest.raises(ValueError): price(-1)", "with pytest.raises(KeyError): price(-1)"),
}


@pytest.mark.parametrize(("before", "now"), AS_STRONG.values(), ids=AS_STRONG)
def test_an_assertion_that_asks_for_something_else_or_in_another_way_is_no_loss(
    repo: Repo, before: str, now: str
) -> None:
    base = {path: text for path, text in one_test(before).items() if text}
    assert losses(repo, one_test(now), base) == []


def test_an_expectation_of_a_script_that_asks_for_less_weakens_its_test(repo: Repo) -> None:
    assert losses(repo, {"app.test.ts": SCRIPT.replace("toBe(3)", "toBeTruthy()")})[0][0] == "weakened"
    assert losses(repo, {"app.test.ts": SCRIPT.replace("toBe(3)", "toEqual(4)")}) == []
