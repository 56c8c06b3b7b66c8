"""Say why a mutant is no good before anything is run: it does not parse, or no compiler would take it."""

import asyncio
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

from tree_sitter import Node

from affidavit.analysers.analyser import Analyser, Invocation
from affidavit.analysers.comparison import new_diagnostics
from affidavit.analysers.execution import Limits, isolated_environment, run_program, walled
from affidavit.analysers.rule import Rule
from affidavit.analysers.run_side import analyse_side, find_program
from affidavit.analysers.task import ResultCache, SideResult
from affidavit.analysers.ty import TY, read_ty
from affidavit.git.checkout import write_tree_to
from affidavit.git.repository import GitRepository
from affidavit.lab.mutation.mutant import FUNCTIONS, Mutant, PlantingGround, descendants
from affidavit.languages.grammars import ancestors, node_text, parse
from affidavit.ports import Tree
from affidavit.records.change import Change
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.finding import Category, Severity
from affidavit.sandbox.private_places import is_private, is_system
from affidavit.sandbox.provision import provide
from affidavit.system.temporary import temporary_folder

CHECKER_LIMITS = Limits(timeout_seconds=300)
TSC_LINE = re.compile(
    r"(?P<path>[^\n(]+)\((?P<line>\d+),(?P<column>\d+)\): error (?P<code>TS\d+): (?P<message>.*)"
)
TYPE_ERROR = Rule(
    id="types/error",
    severity=Severity.HIGH,
    category=Category.CORRECTNESS,
    title="{message}",
    meaning="The compiler refuses this.",
    failing_input="any",
    wrong_outcome="it does not compile",
    suggestion="",
)


def read_tsc(text: str) -> list[AnalyserDiagnostic]:
    """The diagnostics that the TypeScript compiler prints, one a line."""
    return [
        AnalyserDiagnostic(
            rule=TYPE_ERROR.id,
            path=found["path"],
            line=int(found["line"]),
            column=int(found["column"]),
            message=f"{found['code']}: {found['message']}",
        )
        for found in TSC_LINE.finditer(text)
    ]


def _invoke_tsc(base: Tree, paths: Sequence[str]) -> Invocation:
    # A project's own settings; without any, the changed files alone.
    flags = ("--noEmit", "--pretty", "false", "--incremental", "false")
    if base.entry("tsconfig.json") is not None:
        return Invocation(("--project", "tsconfig.json", *flags))
    return Invocation(
        (*flags, "--skipLibCheck", "--target", "esnext", "--moduleResolution", "bundler", *paths)
    )


TSC = Analyser(
    name="tsc",
    executable="tsc",
    patterns=("*.ts", "*.tsx", "*.mts", "*.cts", "tsconfig*.json", "package.json"),
    scope="project",
    invoke=_invoke_tsc,
    read_output=read_tsc,
    rules={TYPE_ERROR.id: TYPE_ERROR},
    elsewhere="npm install --global typescript",
    accepted_exit_codes=frozenset({0, 1, 2}),
)
GOFMT = Analyser(
    name="gofmt",
    executable="gofmt",
    patterns=("*.go",),
    scope="file",
    invoke=lambda _base, paths: Invocation(("-e", "-l", *paths)),
    read_output=lambda _text: [],
    rules={},
    elsewhere="install Go",
    version_arguments=("-h",),
)
CHECKERS = {"python": TY, "typescript": TSC, "go": GOFMT}


@dataclass(frozen=True)
class TypeCheck:
    """What came of asking the type checker of a language."""

    state: Literal["clean", "refused", "not_checked"]
    said: str
    """The checker and its version, or why there was none, or its first complaint."""


def _only(checker: Analyser, path: str) -> Analyser:
    """Ty on one file, by all its own rules: the whole tree is there to be imported, but is not checked."""

    def invoke(base: Tree, paths: Sequence[str]) -> Invocation:
        whole = checker.invoke(base, paths)
        # A review asks for few rules, those that are right on code without its libraries. Here both sides
        # lack the same libraries, so whatever is new counts.
        kept = [one for one in whole.arguments[:-1] if not one.startswith(("--ignore=", "--error="))]
        return replace(whole, arguments=(*kept, path))

    return (
        replace(checker, invoke=invoke, read_output=_read_any, rules={TYPE_ERROR.id: TYPE_ERROR})
        if checker is TY
        else checker
    )


def _read_any(text: str) -> list[AnalyserDiagnostic]:
    return [
        one.model_copy(update={"rule": TYPE_ERROR.id, "message": f"{one.rule}: {one.message}"})
        for one in read_ty(text)
    ]


async def check_types(
    language: str,
    path: str,
    change: Change,
    repository: GitRepository,
    *,
    cache: ResultCache,
    reviewed_folder: Path | None,
) -> TypeCheck:
    """Compare what the checker says of base (the commit as it is) and of head (with the bug)."""
    if language not in CHECKERS:
        return TypeCheck("not_checked", f"no type checker for {language} here")
    checker = _only(CHECKERS[language], path)
    program = await find_program(checker, reviewed_folder)
    if program is None:
        return TypeCheck("not_checked", f"{checker.name} is not installed")
    sides: list[SideResult] = [
        await analyse_side(checker, program, change, repository, side, cache=cache, limits=CHECKER_LIMITS)
        for side in ("base", "head")
    ]
    named = f"{checker.name} {program.version}".strip()
    if not sides[0].is_complete:
        return TypeCheck("not_checked", f"{named} could not check the commit: {sides[0].run.detail}")
    if not sides[1].is_complete:
        return TypeCheck("refused", f"{named}: {sides[1].run.detail}")
    new = new_diagnostics(sides[0].diagnostics, sides[1].diagnostics, change, repository)
    return TypeCheck("refused", f"{named}: {new[0].message}") if new else TypeCheck("clean", named)


TEST_LIMITS = Limits(timeout_seconds=900)


async def run_tests(tree: Tree, command: str, *, limits: Limits = TEST_LIMITS) -> bool:
    """Run the command in the sandbox on a copy of the tree, and return whether it passed in time."""
    with temporary_folder("tests-") as scratch:
        code = scratch / "code"
        await asyncio.to_thread(_lay_out, tree, code)
        # The tests need the programs that the user calls them with.
        path = os.environ.get("PATH", os.defpath)
        outcome = await run_program(
            ["/bin/sh", "-c", command],
            folder=code,
            environment={**isolated_environment(scratch), "PATH": path},
            limits=limits,
            walls=partial(walled, checkout=code, scratch=scratch, limits=limits, shown=_shown(path)),
        )
    return outcome.state == "exited" and outcome.exit_code == 0


def _shown(search_path: str) -> list[Path]:
    """Return the folders of programs and interpreters, whole virtual environments included."""
    named = [Path(folder) for folder in search_path.split(os.pathsep) if Path(folder).is_dir()]
    folders = [one.parent if (one.parent / "pyvenv.cfg").is_file() else one for one in named]
    return [*provide(()).mounts, *(one for one in folders if not is_system(one) and not is_private(one))]


def _lay_out(tree: Tree, code: Path) -> None:
    code.mkdir()
    write_tree_to(tree, code)


DOES_NOT_PARSE = "does not parse"
DOES_NOT_COMPILE = "leaves a name unused, which Go refuses"
LOCAL = ("short_var_declaration", "range_clause", "var_spec")
SCOPES = frozenset(
    {
        "block",
        "if_statement",
        "for_statement",
        "expression_switch_statement",
        "type_switch_statement",
        "expression_case",
        "type_case",
        "default_case",
        "communication_case",
    }
)
DECLARATIONS = frozenset({"short_var_declaration", "range_clause", "assignment_statement"})


def fault_of(ground: PlantingGround, mutant: Mutant) -> str | None:
    """The reason to discard a mutant by its text alone; None where there is none."""
    root = parse(ground.grammar, mutant.text)
    if root is None or root.has_error:
        return DOES_NOT_PARSE
    if ground.family == "go" and _unused(root, mutant.text) - _unused(ground.root, ground.text):
        return DOES_NOT_COMPILE
    return None


def _unused(root: Node, text: bytes) -> Counter[str]:
    """How often each name of a Go file is declared or imported and never read."""
    parts = [part for part in root.named_children if part.type != "import_declaration"]
    used = {name for part in parts for name in _read(part, text)}
    found = Counter(name for name in _imported(root, text) if name not in used)
    for part in parts:
        if part.type in FUNCTIONS:
            found.update(_unread_locals(part, text))
    return found


def _unread_locals(function: Node, text: bytes) -> Iterator[str]:
    """The variables that nothing in their own block reads; one of the same name elsewhere is another."""
    scopes: dict[int, tuple[Node, set[str]]] = {}
    for node in descendants(function):
        if node.type == "identifier" and _written_by(node) in LOCAL:
            scope = next((one for one in ancestors(node) if one.type in SCOPES), function)
            scopes.setdefault(scope.id, (scope, set()))[1].add(node_text(node, text))
    for scope, declared in scopes.values():
        yield from declared - _read(scope, text) - {"_"}


def _read(part: Node, text: bytes) -> set[str]:
    """The names that are read somewhere in a part; to assign a name is not to read it."""
    return {
        node_text(node, text)
        for node in descendants(part)
        if node.type in ("identifier", "package_identifier") and _written_by(node) is None
    }


def _written_by(node: Node) -> str | None:
    """The kind of statement that gives the name its value here; None where the name is read."""
    above = node.parent
    if above is not None and above.type in ("var_spec", "parameter_declaration"):
        return above.type if node in above.children_by_field_name("name") else None
    if above is None or above.type != "expression_list":
        return None
    outer = next(iter(ancestors(above)), None)
    if outer is None or outer.type not in DECLARATIONS or outer.child_by_field_name("left") != above:
        return None
    operator = outer.child_by_field_name("operator")
    # `x += 1` does not count as a use either.
    return "assignment" if operator is not None else outer.type


def _imported(root: Node, text: bytes) -> set[str]:
    found: set[str] = set()
    for spec in (one for one in descendants(root) if one.type == "import_spec"):
        alias = node_text(spec.child_by_field_name("name"), text)
        path = node_text(spec.child_by_field_name("path"), text).strip('"`')
        found.add(alias or path.rpartition("/")[2])
    return found
