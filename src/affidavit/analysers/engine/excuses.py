"""Excuse new diagnostics of any analyser by their file: templates and test data.

A file that does not parse is a fault only where somebody parses it as it is. Secrets are found in all files.
Template marks are the file's own words: they excuse only if base had them, too. A folder excuses its files
only if base had it.
"""

import re
from collections.abc import Callable, Sequence

from affidavit.analysers.engine.analyser import Analyser, Disclaimer, Excuse
from affidavit.analysers.engine.rule import MERGE_CONFLICT, Rule
from affidavit.git.text import text_lines
from affidavit.ports import Tree
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.finding import Category


def excuse_of_place(
    rule: Rule,
    path: str,
    analyser: Analyser,
    is_at_base: Callable[[str], bool],
    is_imported: Callable[[str], bool],
) -> Excuse | None:
    """Return why a rule does not count in a file, by its path.

    `is_at_base` returns whether base has a folder; one that the change adds does not excuse.
    `is_imported` returns whether code outside of tests imports a file, which is no test data then.
    """
    if not rule.counts_at(path):
        found = None if analyser.looks_for else rule.folder_of_tests(path)
        reason = "the rule does not count in tests or examples"
    elif analyser.looks_for:
        return None
    elif (
        (found := NAME_TO_FILL_IN.search(path[:MAX_LINE]))
        and rule.category is not Category.SECURITY
        and not _is_conflict(rule)
    ):
        reason = "the file is a template: its path is filled in before use"
    elif (found := only_read_in(path)) and not is_imported(path):
        reason = "the file is test data, which nobody runs"
    elif _needs_parsing(rule, analyser) and (found := may_be_broken_in(path)) and not is_imported(path):
        reason = "the file is test data, which may be broken on purpose"
    else:
        return None
    if found is None or is_at_base(_folder(path, found)):
        return reason
    return Disclaimer(reason, lambda _before: False, is_open=True)


def _folder(path: str, found: re.Match[str]) -> str:
    """Return the path up to the first folder of a match, with a slash at its end; of a file, its path."""
    return path[: path.find("/", found.start() + 1) + 1] or path


def excuse_of_template(diagnostic: AnalyserDiagnostic, analyser: Analyser, head: Tree) -> Disclaimer | None:
    """Return why a diagnostic is not a finding if its place is filled in by a template engine."""
    if analyser.looks_for or not _needs_parsing(analyser.rules[diagnostic.rule], analyser):
        return None
    is_fault = diagnostic.rule in analyser.syntax_rules
    lines = head.lines(diagnostic.path) or []
    if is_fault:
        is_filled_in = is_marked_near(lines, diagnostic.line)
    else:
        is_filled_in = is_marked_at(lines, diagnostic.line, diagnostic.column)
    filled_in = "the file is a template: this part is filled in before use"
    return Disclaimer(filled_in, has_mark, is_open=not is_fault) if is_filled_in else None


def _is_conflict(rule: Rule) -> bool:
    return rule.id.endswith(f"/{MERGE_CONFLICT}")


def _needs_parsing(rule: Rule, analyser: Analyser) -> bool:
    """Return whether the rule reports a file that does not parse, or an undefined name."""
    return _is_conflict(rule) or rule.id in analyser.syntax_rules or "NameError" in rule.raises


# A folder or file with a placeholder in its name, as Cookiecutter, Copier and others use.
NAME_TO_FILL_IN = re.compile(r"\{\{[^/]*\}\}|\{%[^/]*%\}|<%[^/]*%>|\[\[[^/]*\]\]")
# Jinja, Django, Go, Mustache, ERB, @@VERSION@@, Maven's @a.b@; `${{ … }}` is GitHub's, and no mark.
BLOCK = r"\{%[-+~]?\s?\w|<%[-=#]?\s|(?<!\w)@@?[A-Za-z_][\w.-]*@"
VALUE = r"(?<![${])\{\{[-~#/^]?\s?[$.]{0,3}[A-Za-z_][\w.]*(?:\s?[|(\[ ][^{}:]*)?\s?[-~]?\}\}(?!\})"
MARK = re.compile(f"{BLOCK}|{VALUE}")
NEAR_LINES = 1
MAX_LINE = 2_000
"""Marks are searched no further to the right: a line of a hostile file may be as long as the file."""


def is_marked_near(lines: Sequence[str], line: int) -> bool:
    """Return whether a line, counted from 1, or its neighbour has a template mark."""
    near = lines[max(line - 1 - NEAR_LINES, 0) : line + NEAR_LINES]
    return any(MARK.search(one[:MAX_LINE]) for one in near)


def is_marked_at(lines: Sequence[str], line: int, column: int | None) -> bool:
    """Return whether a template mark covers the place; lines and columns count from 1."""
    text = "".join(lines[line - 1 : line])[:MAX_LINE]
    return any(found.start() < (column or 1) <= found.end() for found in MARK.finditer(text))


def has_mark(content: bytes) -> bool:
    """Return whether the content of a file has a template mark."""
    return any(MARK.search(line[:MAX_LINE]) for line in text_lines(content))


# Folders with files that tests read and nothing runs.
DATA_FOLDER = re.compile(
    r"(^|/)(testdata|test[-_]data|test[-_]?inputs?|__testfixtures__|__snapshots__|corpus|golden)/"
    r"|(^|/)(tests?|testing|__tests__|e2e|specs?)/(.*/)?"
    r"(data|cases|inputs?|outputs?|expected|snapshots?|jsfmt|baselines?|conformance|compile-fail)/"
    # For type checkers alone.
    r"|(^|/)(tests?|testing)/(.*/)?(mypy|pyright|typing|type[-_]?(check(s|ing|er)?|tests))/",
    re.IGNORECASE,
)
# Folders with such text beside code of the tests.
MIXED_FOLDER = re.compile(
    r"(^|/)(fixtures?|__fixtures__|test[-_]?(cases|files|projects|resources|fixtures))/"
    r"|(^|/)(tests?|testing|__tests__|e2e|specs?)/(.*/)?"
    r"(samples?|resources|assets|files|examples?|projects|templates|fuzz|suites?|ui)/",
    re.IGNORECASE,
)
TEST_FOLDER = re.compile(r"(^|/)(tests?|testing|__tests__|e2e|specs?)/", re.IGNORECASE)
# Names that say that the file does not parse; only in a folder of tests.
BROKEN_NAME = re.compile(
    r"(^|[^a-z])(bad|broken|corrupt(ed)?|conflict(s|ed)?|errors?|errored|fail(s|ed|ing|ures?)?|illegal"
    r"|incomplete|invalid|malformed|syntax|unparse?able|unterminated|unclosed|wrong)([^a-z]|$)",
    re.IGNORECASE,
)
# Imported or collected by name: if these are broken, the tests fail.
TEST_MODULE = re.compile(r"(^|/)(conftest\.py|test_[^/]*\.py|[^/]*_test\.(py|go)|[^/]*[.-](test|spec)\.\w+)$")


def only_read_in(path: str) -> re.Match[str] | None:
    """Find the folder that marks a file as test data."""
    return None if TEST_MODULE.search(path) else DATA_FOLDER.search(path)


def may_be_broken_in(path: str) -> re.Match[str] | None:
    """Find the folder by which a test may need a file that does not parse."""
    if found := DATA_FOLDER.search(path) or MIXED_FOLDER.search(path):
        return found
    folder = TEST_FOLDER.search(path)
    is_broken = folder and not TEST_MODULE.search(path) and BROKEN_NAME.search(path[folder.end() :])
    return folder if is_broken else None
