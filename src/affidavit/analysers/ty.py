"""Ty: check the types of a side, with no environment but the project's own files."""

import re
import sys
from collections.abc import Hashable, Sequence

from affidavit.analysers.affected_python import affected_python, saying_the_same
from affidavit.analysers.engine.analyser import (
    EVERYTHING,
    Analyser,
    Faults,
    Invocation,
    Printed,
    Reading,
    lines_after,
)
from affidavit.analysers.engine.configuration import (
    NEWEST_PYTHON,
    OLDEST_PYTHON,
    Table,
    oldest_python,
    read_toml,
    strings,
    subtable,
    toml_list,
    within_repository,
)
from affidavit.analysers.engine.readers import read_sarif
from affidavit.analysers.engine.rule import RuleMaker, names_in
from affidavit.analysers.python_modules import source_folders
from affidavit.analysers.registry import listed
from affidavit.analysers.ty_attributes import is_of_python
from affidavit.analysers.ty_judgement import judge_ty
from affidavit.analysers.ty_rules import TY_RULES
from affidavit.ports import Tree
from affidavit.records.evidence import AnalyserDiagnostic

NAMES = tuple(rule.id.removeprefix("ty/") for rule in TY_RULES if rule.id != "ty/invalid-syntax")
DEFAULT_PYTHON = "3.13"
CHECKED = "DEBUG Checking file '"
COULD_NOT_READ = ("ty/io", "ty/panic")
TEXT = re.compile(r"""b?(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')""", re.DOTALL)
LITERAL = re.compile(rf"""\bLiteral\[(?:{TEXT.pattern}|[^\]"'])*""", re.DOTALL)
# An environment with nothing in it: otherwise ty would look at the one that it is installed in, and at what
# happens to be on the machine.
EMPTY_ENVIRONMENT = {"environment/pyvenv.cfg": b"home = /usr/bin\n"}


def invoke_ty(base: Tree, paths: Sequence[str]) -> Invocation:
    """Run our rules except those that the base commit turns off, with its source folders and Python."""
    return _invoke(base, paths, _python(base))


def _invoke(base: Tree, paths: Sequence[str], python: str) -> Invocation:
    settings = _settings(base)
    off = switched_off(settings)
    chosen = [name for name in NAMES if name not in off]
    site_packages = f"environment/lib/python{python}/site-packages/README"
    return Invocation(
        arguments=(
            "check",
            # Says which files it checks.
            "-vv",
            "--no-progress",
            "--color=never",
            "--exit-zero",
            "--output-format=sarif",
            "--python=../environment",
            f"--python-version={python}",
            "--python-platform=all",
            "--no-respect-ignore-files",
            "--ignore=all",
            *(f"--error={name}" for name in chosen),
            # Files that are named are excluded, too.
            "--force-exclude",
            EVERYTHING,
        ),
        files={"ty.toml": _configuration(base, paths, settings).encode()},
        outside={**EMPTY_ENVIRONMENT, site_packages: b""},
        has_exclusions=bool(_excluded(settings)),
    )


def name_stub_aside(path: str, trees: Sequence[Tree]) -> str | None:
    """Rename a stub that must not count: its module is here, or the change adds it for a module of Python.

    A stub can describe anything; the module is what runs.
    """
    stem = path.removesuffix(".pyi")
    if stem == path:
        return None
    base, is_new = trees[0], trees[0].entry(path) is None
    roots = ["", *(f"{folder}/" for folder in (*source_folders(base), "src") if is_new)]
    # Stubs in `lib-stubs/` come before the package `lib`.
    names = {stem.replace("-stubs/", "/").removesuffix("/__init__").removeprefix(root) for root in roots}
    places = [f"{root}{name}{end}" for root in roots for name in names for end in (".py", "/__init__.py")]
    is_python = is_new and any(name.partition("/")[0] in sys.stdlib_module_names for name in names)
    return f"{stem}-stub.pyi" if is_python or any(t.entry(one) for t in trees for one in places) else None


def switched_off(settings: Table) -> set[str]:
    """Return the rules that ty's own settings turn off."""
    return {name for name, level in subtable(settings, "rules").items() if level == "ignore"}


def _settings(base: Tree) -> Table:
    if base.entry("ty.toml") is not None:
        return read_toml(base, "ty.toml")
    return subtable(read_toml(base, "pyproject.toml"), "tool", "ty")


def _python(base: Tree) -> str:
    oldest = oldest_python(base)
    return f"{oldest[0]}.{oldest[1]}" if oldest else DEFAULT_PYTHON


def _configuration(base: Tree, paths: Sequence[str], settings: Table) -> str:
    named = strings(subtable(settings, "environment").get("root"))
    roots = [place for root in named if (place := within_repository("", root))] or [
        *source_folders(base),
        "src",
    ]
    # Ty refuses a folder that the side does not have.
    roots = [
        one for one in dict.fromkeys(roots) if one == "." or any(path.startswith(f"{one}/") for path in paths)
    ]
    # The first pattern takes back ty's own list, which leaves out `dist`, `venv` and others.
    excluded = ["!**", *_excluded(settings)]
    return f"[environment]\nroot = {toml_list(roots)}\n[src]\nexclude = {toml_list(excluded)}\n"


def _excluded(settings: Table) -> list[str]:
    return strings(subtable(settings, "src").get("exclude"))


def read_ty(text: str) -> list[AnalyserDiagnostic]:
    """Return the diagnostics of ty's report, without the texts in literal types: they may be secrets."""
    return [
        found.model_copy(update={"message": LITERAL.sub(_without_texts, found.message)})
        for found in read_sarif(text, "ty")
    ]


def _without_texts(literal: re.Match[str]) -> str:
    return TEXT.sub(lambda text: "bytes" if text[0].startswith("b") else "str", literal[0])


def read_ty_files(printed: Printed) -> Reading:
    """Return every file that ty checked, and those on which it failed."""
    failed: Faults = {
        found.path: ("unreadable", found.message)
        for found in read_ty(printed.output)
        if found.rule in COULD_NOT_READ
    }
    return Reading(lines_after(CHECKED, printed.errors, end="'"), failed, is_log=True)


UNKNOWN, MISSING, ATTRIBUTE = "ty/unknown-argument", "ty/missing-argument", "ty/missing-attribute"


def join_calls(diagnostics: Sequence[AnalyserDiagnostic]) -> list[AnalyserDiagnostic]:
    """Join an unknown and a missing argument of one call to one diagnostic."""
    missing = [one for one in diagnostics if one.rule == MISSING]
    calls = [(one, _call_around(one, missing)) for one in diagnostics if one.rule == UNKNOWN]
    joined: dict[int, AnalyserDiagnostic] = {}
    replaced: set[int] = set()
    for unknown, call in calls:
        if call is None:
            continue
        replaced |= {id(unknown), id(call)}
        joined.setdefault(id(call), _renamed(unknown, call))
    kept = [one for one in diagnostics if id(one) not in replaced]
    return list({_access(one): one for one in reversed([*kept, *joined.values()])}.values())[::-1]


def _access(one: AnalyserDiagnostic) -> Hashable:
    """Identify a diagnostic; ty reports an attribute twice if it infers two types."""
    if one.rule != ATTRIBUTE:
        return id(one)
    return one.path, _place(one), *names_in(one.message)[-1:]


def _call_around(
    unknown: AnalyserDiagnostic, missing: Sequence[AnalyserDiagnostic]
) -> AnalyserDiagnostic | None:
    """Return the innermost call of the same callee around the argument."""
    around = [
        one
        for one in missing
        if one.path == unknown.path
        and names_in(one.message)[1:2] == names_in(unknown.message)[1:2]
        and _place(one) <= _place(unknown)
        and unknown.line <= (one.end_line or one.line)
    ]
    return max(around, key=_place, default=None)


def _place(diagnostic: AnalyserDiagnostic) -> tuple[int, int]:
    return diagnostic.line, diagnostic.column or 0


def _renamed(unknown: AnalyserDiagnostic, call: AnalyserDiagnostic) -> AnalyserDiagnostic:
    passed = names_in(unknown.message)[0]
    # Of a callable that is known by its type alone, parameters are named by their numbers.
    wanted = next((f"`{name}`" for name in names_in(call.message)), "a required one")
    message = unknown.message.replace(f"`{passed}` does", f"`{passed}`, while {wanted} is left out, does", 1)
    return unknown.model_copy(update={"message": message})


TY = Analyser(
    **listed("ty"),
    executable="ty",
    invoke=invoke_ty,
    read_output=read_ty,
    elsewhere="take it from https://github.com/astral-sh/ty/releases",
    rules={rule.id: rule for rule in (*TY_RULES, *RuleMaker("ty").conflict("ruff"))},
    read_files=read_ty_files,
    ignored_at=lambda base, _path: [f"ty/{name}" for name in switched_off(_settings(base))],
    join=join_calls,
    name_aside=name_stub_aside,
    syntax_rules=frozenset({"ty/invalid-syntax"}),
    subject="broken calls, imports and attributes, also in files that the change does not touch",
    version_tried="0.0.100",
    distribution="ty",
    judge=judge_ty,
    choose_part=affected_python,
    saying_the_same=saying_the_same,
    is_doubtful=is_of_python,
    confirmed_by=(
        lambda base, paths: _invoke(base, paths, "{}.{}".format(*OLDEST_PYTHON)),
        lambda base, paths: _invoke(base, paths, "{}.{}".format(*NEWEST_PYTHON)),
    ),
)
