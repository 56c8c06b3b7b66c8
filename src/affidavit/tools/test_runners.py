"""Run tests with the project's own runner, and read from its output which tests fail."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from affidavit.proof.running.outputs import steady
from affidavit.records.program_runs import Program

NONE_STARTS = 'echo "no test runner of this language starts here" >&2; exit 127'
DJANGO = "cd tests && exec python runtests.py -v 2 --parallel 1"
PYTEST = "exec python -m pytest -q -rA --tb=short -p no:cacheprovider"
BIN, PHP = "node_modules/.bin", "php vendor/bin/phpunit"


@dataclass(frozen=True)
class Suite:
    """One test runner: `starts` is a shell command that succeeds if it can be used."""

    name: str
    starts: str
    command: str


# The first that starts is taken: a repository without pytest has its tests in the standard library's form.
TEST_RUNNERS: Mapping[str, tuple[Suite, ...]] = {
    "python": (
        Suite(
            "runtests.py",
            "[ -f tests/runtests.py ] && [ -d django ]",
            "cd tests && exec python runtests.py -v 2 --parallel 1 {labels}",
        ),
        Suite(
            "pytest",
            "python -c 'import pytest'",
            f"{PYTEST} {{paths}}",
        ),
        Suite("unittest", "python -c ''", "exec python -m unittest -v {modules}"),
    ),
    "node": (
        Suite("vitest", f"{BIN}/vitest --version", f"exec {BIN}/vitest run --reporter=tap-flat {{paths}}"),
        Suite("jest", f"{BIN}/jest --version", f"exec {BIN}/jest --ci --verbose {{paths}}"),
        Suite("mocha", f"{BIN}/mocha --version", f"exec {BIN}/mocha --reporter tap {{paths}}"),
        Suite("node --test", "node --version", "exec node --test --test-reporter=tap {paths}"),
    ),
    "go": (Suite("go test", "go version", "exec go test -v {paths}"),),
    "rust": (
        Suite("cargo test", "[ -f Cargo.toml ] && cargo --version", "exec cargo test --offline {paths}"),
    ),
    "ruby": (Suite("ruby", "ruby --version", "exec ruby -I. -Ilib -Itest {paths} --verbose"),),
    "php": (Suite("phpunit", f"{PHP} --version", f"exec {PHP} --testdox {{paths}}"),),
    "java": (
        # Without network, both run only what an environment brings.
        Suite("maven", "[ -f pom.xml ] && mvn -o -q validate", "exec mvn -o -B test -Dtest={classes}"),
        Suite("gradle", "gradle --offline -q help", "exec gradle --offline test {gradle}"),
    ),
}
TEST_ENDINGS = {
    ".py": "python",
    ".js": "node",
    ".mjs": "node",
    ".cjs": "node",
    ".go": "go",
    ".rb": "ruby",
    **dict.fromkeys((".ts", ".tsx", ".mts", ".jsx"), "node"),
}


def run_of_tests(language: str, paths: Sequence[str]) -> Program:
    """Make a program that runs these tests with the first runner that starts."""
    stems = [re.sub(r"\.\w+$", "", path) for path in paths]
    names = {
        "paths": paths,
        "modules": [
            stem.replace("/", ".") if path.endswith(".py") else path
            for stem, path in zip(stems, paths, strict=True)
        ],
        "labels": [stem.removeprefix("tests/").replace("/", ".") for stem in stems],
        "gradle": [part for stem in stems for part in ("--tests", stem.rpartition("/")[2])],
    }
    quoted = {name: " ".join(map(shlex.quote, words)) for name, words in names.items()}
    quoted["classes"] = shlex.quote(",".join(stem.rpartition("/")[2] for stem in stems))
    lines = [
        f"if {one.starts} >/dev/null 2>&1; then {one.command.format(**quoted)}; fi"
        for one in TEST_RUNNERS[language]
    ]
    return Program(language="sh", text="\n".join([*lines, NONE_STARTS]))


def first_starting(language: str) -> Program:
    """Make a program that names the first runner of a language that starts."""
    lines = [
        f"if {one.starts} >/dev/null 2>&1; then echo {shlex.quote(one.name)}; exit; fi"
        for one in TEST_RUNNERS[language]
    ]
    return Program(language="sh", text="\n".join(lines))


def test_programs(paths: Sequence[str], languages: Sequence[str]) -> dict[tuple[str, ...], Program]:
    """Make a program for the test files of each language that can be run here."""
    found: dict[str, list[str]] = {}
    for path in paths:
        language = TEST_ENDINGS.get(path[path.rfind(".") :])
        # Go tests packages, and its folders name them.
        name = f"./{path.rpartition('/')[0]}" if language == "go" else path
        if language in languages:
            found.setdefault(language or "", []).append(name)
    return {tuple(dict.fromkeys(names)): run_of_tests(one, names) for one, names in found.items()}


GOOD, BAD = (
    frozenset(("PASSED", "XFAIL", "ok", "PASS", "✓", "✔", "√")),
    frozenset(("FAILED", "ERROR", "not ok", "FAIL", "✕", "✗", "✘", "\u00d7")),
)
STATES = "|".join(sorted(GOOD | BAD | {"SKIPPED", "SKIP", "skipped", "ignored"}, key=len, reverse=True))
RESULTS = tuple(
    re.compile(pattern.replace("STATE", f"(?P<state>{STATES})"), re.MULTILINE)
    for pattern in (
        r"^STATE (?P<name>\S+\.py\S*(?:::\S.*?)?)(?: - .*)?$",
        r"^ *STATE \d+ (?:- )?(?P<name>.+?)(?: # .*)?$",
        r"^ *--- STATE: (?P<name>\S+).*$",
        r"^test (?P<name>\S+) \.\.\. STATE$",
        r"^(?P<name>\w+ \([\w.]+\))(?:\n.*)?? \.\.\. STATE.*$",
        r"^\s+(?P<state>[\u2713-\u2718\u221a\u00d7]) (?P<name>.+?)(?: [(\[]?\d+(?:\.\d+)? ?m?s[)\]]?)?$",
        r"^(?P<name>\w[\w.]* > .+?) STATE$",
        r"^(?P<name>[\w#:]+) = [\d.]+ s = STATE$",
        r"^\[STATE\] +(?P<name>\w+\.\w+:\d+).*$",
    )
)
NOISE = re.compile(
    r"^ *(?:---\n(?: +(?:duration_ms|type|location|time): .*\n)* *\.\.\.|# Subtest: .*|\d+\.\.\d+|=== .*)\n",
    re.MULTILINE,
)
MAX_NAMES = 20


def results_of(output: str) -> dict[str, bool | None]:
    """Map each test to whether it passed; None: it was skipped."""
    found: dict[str, bool | None] = {}
    for pattern in RESULTS:
        for one in pattern.finditer(output):
            state = one["state"]
            # Of a test that is named twice, the failure counts.
            if found.get(one["name"]) is not False:
                is_skipped = "# SKIP" in one[0] or state not in GOOD | BAD
                found[one["name"]] = None if is_skipped else state in GOOD
    return found


def failures_in(output: str) -> str:
    """Leave out the lines of tests that pass."""
    for pattern in RESULTS:
        output = pattern.sub(lambda one: one[0] if one["state"] in BAD else "", output)
    return re.sub(r"\n{3,}", "\n\n", NOISE.sub("", output)).lstrip("\n")


def differences(base: str, head: str) -> Iterator[tuple[str, list[str]]]:
    """Yield what differs between the outputs of both sides: a title, and the names of tests."""
    before, after = results_of(steady(base)), results_of(steady(head))
    both = [name for name in after if name in before]
    rows = {
        "fail_at_head_only": [one for one in both if after[one] is False and before[one] is not False],
        "fail_at_base_only": [one for one in both if before[one] is False and after[one] is not False],
        "fail_on_both_sides": [one for one in both if before[one] is False and after[one] is False],
        "new_and_failing": [one for one in after if one not in before and after[one] is False],
        "only_at_head": [one for one in after if one not in before and after[one] is not False],
        "only_at_base": [one for one in before if one not in after],
    }
    for title, names in rows.items():
        if names:
            more = [f"and {len(names) - MAX_NAMES} more"] if len(names) > MAX_NAMES else []
            yield title, [*names[:MAX_NAMES], *more]


def counted(output: str) -> str:
    """Count the tests of an output; empty if it names none."""
    states = [*results_of(output).values()]
    return (
        f"{states.count(True)} pass, {states.count(False)} fail, {states.count(None)} skipped"
        if states
        else ""
    )
