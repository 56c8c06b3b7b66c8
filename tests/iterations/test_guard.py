"""What an agent does to tests, settings and code under review is left to a person."""

from collections.abc import Callable

import pytest

from affidavit.iterations.guard import held_back, suppressed_since
from affidavit.ports import Case
from affidavit.records.diagnostics import Reason
from affidavit.stages.intake import ChangeRequest, open_change
from reports import a_report, a_withheld
from repositories import Repo

APP = "def price(n):\n    return 2 * n\n\n\ndef older(n):\n    return n * n\n"
BASE = {
    "app.py": "def older(n):\n    return n * n\n",
    "util.py": "def keep(n):\n    return n + 1\n",
    "pyproject.toml": '[project]\nname = "a"\n\n[tool.pytest.ini_options]\naddopts = "-q"\n',
    "package.json": '{"name": "a", "scripts": {"test": "vitest run", "build": "vite"}}\n',
    ".github/workflows/ci.yml": "jobs:\n  a:\n    steps:\n      - run: pytest\n",
}
SCRIPT = "function f() {\n  return g(1)\n}\n"
HEAD = {
    "app.py": APP,
    "tests/test_app.py": "def test_a():\n    assert 1\n",
    "m.js": SCRIPT,
}
Held = Callable[[dict[str, str | None]], list[str]]


@pytest.fixture
def held(repo: Repo) -> Held:
    """What is held back of work that leaves files as named."""
    repo.commit("Base", BASE)
    start = repo.commit("Change", HEAD)

    def held(files: dict[str, str | None]) -> list[str]:
        gone = [path for path, text in files.items() if text is None]
        if gone:
            repo.git("rm", "-q", *gone)
        repo.commit("Work", {path: text for path, text in files.items() if text is not None})
        targets = (f"{start}~1..{start}", f"{start}..HEAD")
        first, second = (open_change(ChangeRequest(target=one, repo=repo.path)) for one in targets)
        with first, second:
            cases = [Case(one.change, one.repository) for one in (first, second)]
            return held_back(cases[0], cases[1], a_report())

    return held


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("tests/test_app.py", "def test_a():\n    assert True\n"),
        ("tests/test_app.py", None),
        ("conftest.py", "collect_ignore = ['tests']\n"),
        ("pytest.ini", "[pytest]\naddopts = --ignore=tests\n"),
        ("tox.ini", "[tox]\n"),
        ("web/jest.config.js", "module.exports = {}\n"),
        ("pyproject.toml", BASE["pyproject.toml"].replace("-q", "-k nothing")),
        ("pyproject.toml", "no toml at all"),
        ("package.json", BASE["package.json"].replace("vitest run", "true")),
        ("setup.cfg", "[tool:pytest]\naddopts = --ignore=tests\n"),
        (".github/workflows/ci.yml", BASE[".github/workflows/ci.yml"].replace("pytest", "true")),
    ],
)
def test_tests_and_their_settings_are_a_persons_business(held: Held, path: str, text: str | None) -> None:
    (why,) = held({path: text, "app.py": APP.replace("2", "3")})
    assert why.startswith("edits ")
    assert why.endswith(path)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("tests/test_more.py", "def test_more():\n    assert 1\n"),
        ("app.py", APP.replace("2 * n", "n + n")),
        ("app.py", APP.replace("2 * n", "0")),
        ("m.js", "function f() {\n  return null;\n}\n"),
        ("util.py", ""),
        ("app.py", APP.replace("def older(n):\n    return n * n\n", "")),
    ],
)
def test_new_tests_and_what_nobody_reviewed_are_not(held: Held, path: str, text: str) -> None:
    assert held({path: text}) == []


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"app.py": BASE["app.py"] + "\nX = 1\n"}, ["deletes app.py::price"]),
        ({"app.py": None}, ["deletes app.py", "deletes app.py::price"]),
        ({"app.py": APP.replace("return 2 * n", '"""Price\n    it."""')}, ["empties app.py::price"]),
        ({"app.py": APP.replace("return 2 * n", "raise NotImplementedError")}, ["empties app.py::price"]),
        ({"app.py": APP.replace("\n    return 2 * n", " pass")}, ["empties app.py::price"]),
        ({"m.js": "function f() {\n  throw new Error('not implemented');\n}\n"}, ["empties m.js::f"]),
        ({"app.py": BASE["app.py"] + "# done\n"}, [
            "restores app.py from before the change", "deletes app.py::price",
        ]),
        ({"app.py": BASE["app.py"], "other.py": "def price(n):\n    return 2 * n\n"}, [
            "restores app.py from before the change",
        ]),
    ],
)  # fmt: skip
def test_code_under_review_that_goes_is_a_persons_business(
    held: Held, files: dict[str, str | None], why: list[str]
) -> None:
    assert held(files) == why


def test_what_is_silenced_since_the_loop_began_is_named() -> None:
    old = a_withheld(1, Reason.SUPPRESSED, fingerprint="old")
    new = a_withheld(2, Reason.SUPPRESSED, fingerprint="new")
    (why,) = suppressed_since(a_report(old, new), a_report(old))
    assert why.startswith("silences a finding at ")
