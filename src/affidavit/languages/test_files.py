"""Recognise tests and examples, and find the tests named after a file."""

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import PurePosixPath

from affidavit.languages.registry import LANGUAGES

TEST_FOLDERS = frozenset({"tests", "__tests__", "spec", "specs", "e2e", "unittests"})
# Libraries for tests also have folders of these names: `django/test`, `numpy/testing`.
UNSURE_FOLDERS = frozenset({"test", "testing"})
DATA_FOLDERS = TEST_FOLDERS | UNSURE_FOLDERS | {"testdata", "__snapshots__"}
RUNS_TESTS = frozenset({"conftest", "sitecustomize", "usercustomize", "unittest", "pytest", "_pytest"})
"""Files that run tests or are loaded before them."""
_TEST_NAME = re.compile(
    r"(?P<before>test[_-])(?P<a>.+)|(?P<b>.+?)(?:[_.-](?:test|tests|spec|unittest)|(?<=[a-z0-9])(?:Test|Tests|Spec|IT))"
)
MAX_NAMESAKES = 3
TEST_PLACE = re.compile(
    r"(^|/)(t|tests?|testing|testutils|testdata|fixtures|__tests__|__mocks__|__fixtures__|e2e|specs?)/"
    r"|(^|/)(?!(la|con|at|pro|fas|grea)test/)[a-z]+[_-]?tests?/"
    r"|(^|/)(conftest\.py|tests?\.py|test_[^/]*|[^/]*_tests?\.\w+|[^/]*[.-](test|spec|stories)\.\w+)$"
    r"|[a-z]Tests?\.\w+$"
)
EXAMPLE_PLACE = re.compile(
    r"(^|/)(docs?|examples?|samples?|cassettes|mocks?|snapshots)/|\.(md|rst|adoc|mdx)$"
    r"|[._-](example|sample|template|tmpl|dist)(\.\w+)?$"
)


def is_code(path: str) -> bool:
    return LANGUAGES.of(path).is_code


@lru_cache(maxsize=50_000)
def is_test(path: str) -> bool:
    """Check whether a path is test code, by the conventions of its language."""
    if not is_code(path):
        return False
    return is_named_test(path) or _is_in_test_folder(path)


def is_test_material(path: str) -> bool:
    """Check whether a file is test code, test data, or what runs tests."""
    *folders, _ = path.lower().split("/")
    is_data = not is_code(path) and not DATA_FOLDERS.isdisjoint(folders)
    return is_test(path) or runs_tests(path) or is_data


def runs_tests(path: str) -> bool:
    return any(part.lstrip(".").split(".")[0] in RUNS_TESTS for part in PurePosixPath(path).parts)


def is_named_test(path: str) -> bool:
    return is_code(path) and subject_of(path.rpartition("/")[2]) is not None


def _is_in_test_folder(path: str) -> bool:
    *folders, name = path.lower().split("/")
    if not TEST_FOLDERS.isdisjoint(folders):
        return True
    if "main" in folders or name.split(".")[0] == "__init__":
        return False
    unsure = [number for number, folder in enumerate(folders) if folder in UNSURE_FOLDERS]
    is_on_top = any(number == 0 or folders[number - 1] == "src" for number in unsure)
    signs = LANGUAGES.of(path).tests
    return is_on_top or bool(unsure and not (signs and signs.are_named))


def has_tests(path: str, content: bytes | None) -> bool:
    """Check whether a text contains tests, by the words of its language."""
    signs = LANGUAGES.named(_family(path)).tests
    return content is not None and (signs is None or signs.words.search(content) is not None)


def subject_of(file_name: str) -> str | None:
    """Return `prices` for `test_prices.py`, `prices.test.ts` and `PricesTest.java`; None if it is no test."""
    stem = file_name.rsplit(".", 1)[0]
    match = _TEST_NAME.fullmatch(stem)
    if match is None:
        return None
    return (match["a"] or match["b"] or "").lower() or None


class NamesakeTests:
    """The tests of a tree by the name of what they test."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._by_name: dict[tuple[str, str], list[str]] = {}
        self._subjects: dict[tuple[str, str], list[str]] = {}
        for path in paths:
            name = subject_of(path.rsplit("/", 1)[-1])
            if name is not None:
                self._by_name.setdefault((name, _family(path)), []).append(path)
            else:
                self._subjects.setdefault((_subject(path), _family(path)), []).append(path)

    def of(self, path: str) -> list[str]:
        """Return the tests that are named after a file; of many of that name, the closest."""
        key = (_subject(path), _family(path))
        found = [test for test in self._by_name.get(key, ()) if not self._has_closer_subject(test, path, key)]
        if len(found) <= 1:
            return found
        nearness = {test: _shared_folders(test, path) for test in found}
        best = max(nearness.values())
        # If many tests share a name and none is close by, the name proves nothing (`test_base.py`).
        return [test for test in found if nearness[test] == best][:MAX_NAMESAKES] if best else []

    def _has_closer_subject(self, test: str, path: str, key: tuple[str, str]) -> bool:
        """Check whether another file of the same name is closer to the test."""
        nearness = _shared_folders(test, path)
        return any(_shared_folders(test, other) > nearness for other in self._subjects.get(key, ()))


def _subject(path: str) -> str:
    *folders, name = path.split("/")
    stem = name.split(".", 1)[0] or name
    return (folders[-1] if folders and stem in LANGUAGES.folder_stems else stem).lower().lstrip("_")


def _family(path: str) -> str:
    """Return the family of the file's language: its tests may be in any of these languages."""
    return LANGUAGES.of(path).family


def _shared_folders(path: str, other: str) -> int:
    return len(set(path.split("/")[:-1]) & set(other.split("/")[:-1]))
