"""Reject mutants that do not parse or that a type checker would refuse."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from affidavit.analysers.engine.analyser import Analyser, Invocation
from affidavit.analysers.engine.comparison import new_diagnostics
from affidavit.analysers.engine.execution import Limits
from affidavit.analysers.engine.programs import find_program
from affidavit.analysers.engine.rule import Rule
from affidavit.analysers.engine.run_side import SideRunner
from affidavit.analysers.engine.task import ResultCache
from affidavit.analysers.ty import TY, read_ty
from affidavit.git.repository import GitRepository
from affidavit.lab.mutation.mutant import Mutant, PlantingGround
from affidavit.languages.grammars import parse
from affidavit.ports import Tree
from affidavit.records.change import Change
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.finding import Category, Severity

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
    """Parse the diagnostics that the TypeScript compiler prints, one per line."""
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
    # The project's own settings; without any, only the changed files.
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
CHECKERS = {"python": TY, "typescript": TSC}


@dataclass(frozen=True)
class TypeCheck:
    """The result of a type checker."""

    state: Literal["clean", "refused", "not_checked"]
    said: str
    """The checker and its version, or why none ran, or its first error."""


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
    """Compare the checker's diagnostics at base (the original commit) and at head (with the bug)."""
    if language not in CHECKERS:
        return TypeCheck("not_checked", f"no type checker for {language} here")
    checker = _only(CHECKERS[language], path)
    program = await find_program(checker, reviewed_folder)
    if program is None:
        return TypeCheck("not_checked", f"{checker.name} is not installed")
    runner = SideRunner(checker, program, repository, cache, CHECKER_LIMITS)
    sides = [await runner.on_side(change, "base"), await runner.on_side(change, "head")]
    named = f"{checker.name} {program.version}".strip()
    if not sides[0].is_complete:
        return TypeCheck("not_checked", f"{named} could not check the commit: {sides[0].run.detail}")
    if not sides[1].is_complete:
        return TypeCheck("refused", f"{named}: {sides[1].run.detail}")
    new = new_diagnostics(sides[0].diagnostics, sides[1].diagnostics, change, repository)
    return TypeCheck("refused", f"{named}: {new[0].message}") if new else TypeCheck("clean", named)


DOES_NOT_PARSE = "does not parse"


def fault_of(ground: PlantingGround, mutant: Mutant) -> str | None:
    """Return the reason to discard a mutant by its text alone, or None."""
    root = parse(ground.grammar, mutant.text)
    if root is None or root.has_error:
        return DOES_NOT_PARSE
    return None
