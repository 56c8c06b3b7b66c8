"""Why a new diagnostic says nothing about the code, whichever analyser it comes from: the excuse, or None.

Text that does not parse is a fault only where somebody would parse it as it stands: no template, no data of
a test, nothing that the repository's own linters leave out at base. Secrets are found in all of these. Marks
of a template are the file's own words: they excuse as far as they stood at base.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from affidavit.analysers.analyser import Analyser, Disclaimer, Excuse, Inspection
from affidavit.analysers.configuration import (
    MAX_CONFIG_BYTES,
    folders_above,
    read_ini,
    read_toml,
    strings,
    subtable,
)
from affidavit.analysers.rule import MERGE_CONFLICT, Rule
from affidavit.git.search.glob import matches_any
from affidavit.git.text import text_lines
from affidavit.ports import Repository, Tree
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.finding import Category


def excuse(
    diagnostic: AnalyserDiagnostic, rule: Rule, analyser: Analyser, inspection: Inspection
) -> Excuse | None:
    """The reason why a diagnostic is no finding, by what kind of file it stands in."""
    if analyser.looks_for:
        return None
    of_place = excuse_of_place(rule, diagnostic.path, analyser, inspection.repository)
    if of_place or not _needs_parsing(rule, analyser) or _is_conflict(rule):
        return of_place
    return _own_excuse(diagnostic, inspection, is_fault=rule.id in analyser.syntax_rules)


def excuse_of_place(rule: Rule, path: str, analyser: Analyser, repository: Repository) -> str | None:
    """The reason why a rule says nothing about a file, by its path alone."""
    if analyser.looks_for:
        return None
    if has_name_to_fill_in(path) and rule.category is not Category.SECURITY and not _is_conflict(rule):
        return "the file is a template: its path is filled in before anybody reads it"
    if is_only_read(path):
        return "the file is data of a test, which nobody runs"
    if not _needs_parsing(rule, analyser):
        return None
    if may_be_broken(path):
        return "the file is data of a test, which may be broken on purpose"
    linters = [left_out_by(tree, path) for tree in repository.excusing]
    return f"{linters[0]} leaves the file out at base" if all(linters) else None


def _is_conflict(rule: Rule) -> bool:
    return rule.id.endswith(f"/{MERGE_CONFLICT}")


def _needs_parsing(rule: Rule, analyser: Analyser) -> bool:
    """The rule says that the file does not parse, or that a name in it is not defined."""
    return _is_conflict(rule) or rule.id in analyser.syntax_rules or "NameError" in rule.raises


def _own_excuse(
    diagnostic: AnalyserDiagnostic, inspection: Inspection, *, is_fault: bool
) -> Disclaimer | None:
    if not _is_filled_in(diagnostic, inspection, is_fault=is_fault):
        return None
    filled_in = "the file is a template: what stands here is filled in before anybody reads it"
    return Disclaimer(filled_in, has_mark, is_open=not is_fault)


def _is_filled_in(diagnostic: AnalyserDiagnostic, inspection: Inspection, *, is_fault: bool) -> bool:
    lines = inspection.repository.head.lines(diagnostic.path) or []
    if is_fault:
        return is_marked_near(lines, diagnostic.line)
    return is_marked_at(lines, diagnostic.line, diagnostic.column)


# A folder or file whose own name is filled in, as Cookiecutter, Copier and others have it.
NAME_TO_FILL_IN = re.compile(r"\{\{[^/]*\}\}|\{%[^/]*%\}|<%[^/]*%>|\[\[[^/]*\]\]")
# Jinja, Django, Go, Mustache, ERB, and marks such as @@VERSION@@; `${{ … }}` is an expression of a workflow.
BLOCK = r"\{%[-+~]?\s?\w|<%[-=#]?\s|@@\w+@@"
VALUE = r"(?<![${])\{\{[-~#/^]?\s?[$.]{0,3}[A-Za-z_][\w.]*(?:\s?[|(\[ ][^{}:]*)?\s?[-~]?\}\}(?!\})"
MARK = re.compile(f"{BLOCK}|{VALUE}")
ANY_BRACES = re.compile(rf"(?<!\$)\{{\{{|{BLOCK}")
NEAR_LINES = 1
MAX_LINE = 2_000
"""No mark is looked for further to the right: a line of a hostile file may be as long as the file."""


def has_name_to_fill_in(path: str) -> bool:
    """The path itself holds what a template engine replaces."""
    return NAME_TO_FILL_IN.search(path[:MAX_LINE]) is not None


def is_marked_near(lines: Sequence[str], line: int) -> bool:
    """A mark of a template stands at a line that counts from 1, or beside it."""
    near = lines[max(line - 1 - NEAR_LINES, 0) : line + NEAR_LINES]
    return any(MARK.search(one[:MAX_LINE]) for one in near)


def is_marked_at(lines: Sequence[str], line: int, column: int | None) -> bool:
    """What stands at the place is filled in; lines and columns count from 1."""
    text = "".join(lines[line - 1 : line])[:MAX_LINE]
    return any(found.start() < (column or 1) <= found.end() for found in MARK.finditer(text))


def has_mark(content: bytes) -> bool:
    """A mark of a template stands anywhere in the content of a file."""
    return any(MARK.search(line[:MAX_LINE]) for line in text_lines(content))


def has_braces(lines: Sequence[str]) -> bool:
    """A mark of a template stands anywhere, or braces that may be one."""
    return any(ANY_BRACES.search(line[:MAX_LINE]) for line in lines)


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


# Hooks that parse what they read, so that they leave out what does not parse.
PARSING_HOOKS = re.compile(
    r"(check-(ast|json|yaml|toml|xml)|debug-statements|bandit|black|eslint|flake8|hadolint|mypy|oxlint|prettier"
    r"|pylint|pyright|pyupgrade|ruff|shellcheck|yamllint)[\w-]*"
)
HOOK = re.compile(r"\s*-\s+id:\s*['\"]?([\w-]+)")
HOOK_EXCLUDES = re.compile(r"(?P<indent>\s*)(?:-\s+)?exclude:\s*(?P<value>.*)")
IGNORE_FILES = (".eslintignore", ".prettierignore", ".oxlintignore")
PYRIGHT = "pyrightconfig.json"
Left = Iterator[tuple[str, bool]]
"""Names of linters, each with whether it leaves the path out."""


def left_out_by(base: Tree, path: str) -> str | None:
    """The linter or formatter that leaves the path out at base; None where none does."""
    return next((name for read in READERS for name, is_left_out in read(base, path) if is_left_out), None)


def _ruff(base: Tree, path: str) -> Left:
    for folder in folders_above([path]):
        prefix = f"{folder}/" if folder else ""
        tables = [read_toml(base, f"{prefix}{name}") for name in (".ruff.toml", "ruff.toml")]
        tables.append(subtable(read_toml(base, f"{prefix}pyproject.toml"), "tool", "ruff"))
        for table in (part for one in tables for part in (one, subtable(one, "lint"))):
            for key in ("exclude", "extend-exclude"):
                yield "ruff", matches_any(path.removeprefix(prefix), strings(table.get(key)))


def _of_pyproject(base: Tree, path: str) -> Left:
    tool = subtable(read_toml(base, "pyproject.toml"), "tool")
    for key in ("exclude", "extend-exclude", "force-exclude"):
        yield "black", _matches(path, subtable(tool, "black").get(key))
    yield "mypy", _matches(path, subtable(tool, "mypy").get("exclude"))
    yield "pyright", matches_any(path, strings(subtable(tool, "pyright").get("exclude")))
    for key in ("skip", "extend_skip", "skip_glob", "extend_skip_glob"):
        yield "isort", matches_any(path, strings(subtable(tool, "isort").get(key)))


def _matches(path: str, expressions: Any) -> bool:
    listed = [expressions] if isinstance(expressions, str) else strings(expressions)
    return any(matches_expression(path, one) for one in listed)


def _of_ini(base: Tree, path: str) -> Left:
    for name in (".flake8", "setup.cfg", "tox.ini", "mypy.ini"):
        parser = read_ini(base, name)
        for section, keys, reads in INI_SECTIONS:
            for key in keys if parser.has_section(section) else ():
                yield section, reads(path, parser[section].get(key, ""))


def _named_in_list(path: str, text: str) -> bool:
    return matches_any(path, [one for one in re.split(r"[,\s]+", text) if one and one != "."])


def _of_ignore_files(base: Tree, path: str) -> Left:
    for folder in folders_above([path]):
        prefix = f"{folder}/" if folder else ""
        for name in IGNORE_FILES:
            yield name, is_ignored_by(_text(base, prefix + name).splitlines(), path.removeprefix(prefix))


def is_ignored_by(lines: Sequence[str], path: str) -> bool:
    """As in .gitignore: the last line that means the path decides."""
    is_left_out = False
    for line in lines:
        pattern = line.strip()
        if pattern and not pattern.startswith("#") and matches_any(path, [pattern.lstrip("!")]):
            is_left_out = not pattern.startswith("!")
    return is_left_out


def _of_json(base: Tree, path: str) -> Left:
    for name in (".eslintrc.json", ".eslintrc", ".oxlintrc.json"):
        yield "eslint", is_ignored_by(_strings_of(_json(base, name).get("ignorePatterns")), path)
    eslint = _json(base, "package.json").get("eslintConfig")
    patterns = eslint.get("ignorePatterns") if isinstance(eslint, dict) else None
    yield "eslint", is_ignored_by(_strings_of(patterns), path)
    yield "pyright", matches_any(path, _strings_of(_json(base, PYRIGHT).get("exclude")))
    for name in ("biome.json", "biome.jsonc"):
        files = _json(base, name).get("files")
        listed = files if isinstance(files, dict) else {}
        negated = [one[1:].lstrip("!") for one in _strings_of(listed.get("includes")) if one.startswith("!")]
        yield "biome", matches_any(path, [*_strings_of(listed.get("ignore")), *negated])


def _strings_of(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else strings(value)


def _json(base: Tree, path: str) -> dict[str, Any]:
    try:
        found = json.loads(_text(base, path) or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _of_yamllint(base: Tree, path: str) -> Left:
    for name in (".yamllint", ".yamllint.yaml", ".yamllint.yml"):
        lines = _text(base, name).splitlines()
        for number, line in enumerate(lines):
            if line.startswith("ignore:"):
                listed = [line.partition(":")[2].strip(" |>"), *_block(lines[number + 1 :], indent=0)]
                yield "yamllint", is_ignored_by([one.strip().removeprefix("- ") for one in listed], path)


def _of_hooks(base: Tree, path: str) -> Left:
    """The hooks of pre-commit: what all leave out, and what a hook that parses leaves out."""
    lines = _text(base, ".pre-commit-config.yaml").splitlines()
    hook = ""
    for number, line in enumerate(lines):
        named = HOOK.match(line)
        hook = named[1] if named else hook
        found = HOOK_EXCLUDES.match(line)
        if found and (not found["indent"] or PARSING_HOOKS.fullmatch(hook)):
            rest = _block(lines[number + 1 :], indent=len(found["indent"]))
            value = found["value"].strip(" '\"|>-") or "\n".join(rest)
            yield "pre-commit", matches_expression(path, value)


def _block(lines: Sequence[str], indent: int) -> Iterator[str]:
    """The lines that stand deeper than the key above them."""
    for line in lines:
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            return
        yield line


def _text(base: Tree, path: str) -> str:
    content = base.read(path) if base.entry(path) is not None else None
    return (content or b"")[:MAX_CONFIG_BYTES].decode("utf-8", errors="replace")


COMMENT = re.compile(r"(^|\s)#.*$", re.MULTILINE)
VERBOSE = "(?x)"
FOLDER_START = ("(^|/)", "(?:^|/)", "(^|.*/)", "(.*/)?", "(?:.*/)?")
PLAIN = re.compile(r"[\w ./@+~,=:{}-]*")
MAX_LENGTH = 5_000


def matches_expression(path: str, expression: str) -> bool:
    """Whether one of the choices of an expression is found in the path."""
    return any(_is_found(path, choice) for choice in _choices(expression[:MAX_LENGTH]))


def _choices(expression: str) -> Iterator[str]:
    """What stands between the bars, without white space, comments and the group around all of it."""
    text = COMMENT.sub("", expression).replace(VERBOSE, "")
    for start in FOLDER_START:
        text = text.replace(start, "\0")
    text = "".join(text.split())
    group = re.fullmatch(r"([\^\0/]*)\((?:\?:)?(.*)\)(/?\$?)", text)
    before, inside, after = group.groups() if group else ("", text, "")
    for choice in inside.split("|"):
        yield f"{before}{choice}{after}"


def _is_found(path: str, choice: str) -> bool:
    is_start, is_end = choice.startswith("^"), choice.endswith("$") and not choice.endswith(r"\$")
    text = choice.removeprefix("^").removesuffix("$" if is_end else "")
    # Black's expressions begin at the root with a slash.
    has_slash = text.startswith("/") and is_start
    text = text.removeprefix("/") if has_slash else text
    is_name = text.startswith("\0")
    words = [re.sub(r"\\(\W)", r"\1", word) for word in re.split(r"\.\*\??", text.lstrip("\0"))]
    if not any(words) or not all(PLAIN.fullmatch(word) for word in words):
        return False
    return _stand_in_order(f"/{path}" if is_name or not is_start else path, words, is_name, is_start, is_end)


def _stand_in_order(path: str, words: list[str], is_name: bool, is_start: bool, is_end: bool) -> bool:
    first = f"/{words[0]}" if is_name and not words[0].startswith("/") else words[0]
    place = 0
    for number, word in enumerate([first, *words[1:]]):
        found = path.find(word, place)
        if found < 0 or (number == 0 and is_start and found != 0):
            return False
        place = found + len(word)
    return not is_end or words[-1] == "" or path.endswith(words[-1])


INI_SECTIONS: tuple[tuple[str, tuple[str, ...], Callable[[str, str], bool]], ...] = (
    ("flake8", ("exclude", "extend-exclude", "extend_exclude"), _named_in_list),
    ("pycodestyle", ("exclude",), _named_in_list),
    ("mypy", ("exclude",), matches_expression),
)
READERS: tuple[Callable[[Tree, str], Left], ...] = (
    _ruff,
    _of_pyproject,
    _of_ini,
    _of_ignore_files,
    _of_json,
    _of_yamllint,
    _of_hooks,
)
