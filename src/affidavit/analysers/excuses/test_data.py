"""Whether a file is data of tests, which may be broken on purpose: a path in, yes or no out."""

import re

# Where text stands that tests read and nobody runs.
DATA_FOLDER = re.compile(
    r"(^|/)(testdata|test[-_]data|test[-_]?inputs?|__testfixtures__|__snapshots__|corpus|golden)/"
    r"|(^|/)(tests?|testing|__tests__|e2e|specs?)/(.*/)?"
    r"(data|cases|inputs?|outputs?|expected|snapshots?|jsfmt|baselines?|conformance|compile-fail)/"
    # For type checkers alone.
    r"|(^|/)(tests?|testing)/(.*/)?(mypy|pyright|typing|type[-_]?(check(s|ing|er)?|tests))/",
    re.IGNORECASE,
)
# Where such text stands beside code of the tests.
MIXED_FOLDER = re.compile(
    r"(^|/)(fixtures?|__fixtures__|test[-_]?(cases|files|projects|resources|fixtures))/"
    r"|(^|/)(tests?|testing|__tests__|e2e|specs?)/(.*/)?"
    r"(samples?|resources|assets|files|examples?|projects|templates|fuzz|suites?|ui)/",
    re.IGNORECASE,
)
TEST_FOLDER = re.compile(r"(^|/)(tests?|testing|__tests__|e2e|specs?)/", re.IGNORECASE)
# A name that says that the file does not parse; only below a folder of tests.
BROKEN_NAME = re.compile(
    r"(^|[^a-z])(bad|broken|corrupt(ed)?|conflict(s|ed)?|errors?|errored|fail(s|ed|ing|ures?)?|illegal"
    r"|incomplete|invalid|malformed|syntax|unparse?able|unterminated|unclosed|wrong)([^a-z]|$)",
    re.IGNORECASE,
)
# Imported or collected by name: broken, the tests themselves fail.
TEST_MODULE = re.compile(r"(^|/)(conftest\.py|test_[^/]*\.py|[^/]*_test\.(py|go)|[^/]*[.-](test|spec)\.\w+)$")


def is_only_read(path: str) -> bool:
    """The file is text for tests, which nobody runs."""
    return DATA_FOLDER.search(path) is not None and TEST_MODULE.search(path) is None


def may_be_broken(path: str) -> bool:
    """The file may hold text that does not parse, because a test wants it so."""
    if DATA_FOLDER.search(path) or MIXED_FOLDER.search(path):
        return True
    folder = TEST_FOLDER.search(path)
    return folder is not None and not TEST_MODULE.search(path) and _is_called_broken(path[folder.end() :])


def _is_called_broken(path: str) -> bool:
    return BROKEN_NAME.search(path) is not None
