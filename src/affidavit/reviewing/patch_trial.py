"""Try a patch: does it apply, parse, add no analyser result, and fix its finding?"""

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from affidavit.context.gather import gather_context
from affidavit.errors import InputError
from affidavit.git.patches import Contents, apply_patch, patched_repository
from affidavit.git.repository import GitRepository
from affidavit.judging import change_between
from affidavit.languages.registry import has_errors
from affidavit.languages.test_files import is_test, is_test_material, runs_tests
from affidavit.ports import Case, Runner, Specialist
from affidavit.proof.running.own_names import OwnNames, own_names
from affidavit.proof.running.reproduction import settled_by
from affidavit.proof.running.surroundings import missing_dependency
from affidavit.records.change import Change
from affidavit.records.evidence import ReproductionCheck
from affidavit.records.finding import Finding, Reproduction
from affidavit.records.program_runs import (
    EDITS_TESTS,
    PatchTrial,
    Program,
    ProgramRun,
    TrialStep,
    trial_of,
)
from affidavit.stages.parse import read_replies
from affidavit.stages.review import collect_replies
from affidavit.symbols.import_graph import import_graph
from affidavit.symbols.readers import CodeReaders
from affidavit.symbols.references import find_references
from affidavit.tools.test_runners import test_programs

READERS = CodeReaders(import_graph, find_references)


def covering_tests(change: Change, patched: GitRepository) -> tuple[str, ...]:
    """Return the tests that use or import the patched code, or are named after it."""
    return gather_context(change, patched, READERS).tests


def without_proof(contents: Contents) -> Contents:
    """Return the part of a patch that is not tests; all of it if it edits only tests."""
    code = {path: content for path, content in contents.items() if not is_test_material(path)}
    return code or contents


def fewer_tests(before: ProgramRun, after: ProgramRun) -> str:
    """Say that fewer tests pass than before; empty if as many do or they were not counted."""
    then, now = passed_tests(before.output), passed_tests(after.output)
    if then is None or (now is not None and now >= then):
        return ""
    return f"{then} passed without the patch, with it {'nobody counted them' if now is None else now}"


def passed_tests(output: str) -> int | None:
    """Return how many tests passed, by the summary of their runner; None if it has none."""
    for pattern, count in COUNTS:
        found = [*pattern.finditer(output)]
        if found:
            return count(found)
    return None


def _of_pytest(found: list[re.Match[str]]) -> int:
    passed = re.search(r"(\d+) passed", found[-1][0])
    return int(passed[1]) if passed else 0


def _of_unittest(found: list[re.Match[str]]) -> int:
    return int(found[-1]["ran"]) - sum(map(int, re.findall(r"=(\d+)", found[-1]["others"] or "")))


def _of_ruby(found: list[re.Match[str]]) -> int:
    ran, *others = map(int, found[-1].groups())
    return ran - sum(others)


COUNTS: tuple[tuple[re.Pattern[str], Callable[[list[re.Match[str]]], int]], ...] = (
    (re.compile(r"^=*\s*(?:no tests ran|\d+ \w+(?:, \d+ \w+)*) in [\d.]+s", re.MULTILINE), _of_pytest),
    (
        re.compile(
            r"^Ran (?P<ran>\d+) tests? in .*\n\s*(?:OK|FAILED|NO TESTS RAN)(?: \((?P<others>.*)\))?",
            re.MULTILINE,
        ),
        _of_unittest,
    ),
    (re.compile(r"^(?:#|\u2139) pass (\d+)$", re.MULTILINE), lambda found: int(found[-1][1])),
    (
        re.compile(
            r"^(\d+) (?:runs|tests), \d+ assertions, (\d+) failures, (\d+) errors, (\d+)", re.MULTILINE
        ),
        _of_ruby,
    ),
    (re.compile(r"^ok\s+\S+\s(?!.*\[no tests to run\])", re.MULTILINE), len),
)
"""The summary line of each test runner, and how to count it; Go's names packages."""


MAX_NAMED = 3
MakeRunner = Callable[[GitRepository], Runner]
"""Returns the runner of programs on head and patched head."""
TestsOf = Callable[[Change, GitRepository], Sequence[str]]
"""Returns the tests that cover a patch."""
MAX_TESTS = 5
TEST_SECONDS = 60.0


async def try_patch(
    finding: Finding,
    change: Change,
    repository: GitRepository,
    specialists: Sequence[Specialist],
    make_runner: MakeRunner | None,
    tests_of: TestsOf | None = None,
    check: ReproductionCheck | None = None,
) -> tuple[PatchTrial, Contents]:
    """Apply the finding's patch to head and check the result; `check` is how its program ran before."""
    evidence = finding.verification
    if evidence is None or not evidence.patch:
        raise InputError("this finding has no patch")
    try:
        contents = apply_patch(repository, evidence.patch)
    except InputError as error:
        return trial_of([TrialStep(name="applies", passed=False, detail=str(error))]), {}
    patched = patched_repository(repository, contents)
    steps = [TrialStep(name="applies", passed=True, detail=f"to head, in {', '.join(contents)}"[:300])]
    steps += _parses(patched, contents)
    steps.append(await _analysed(change, patched, specialists))
    runner = make_runner(patched) if make_runner else None
    steps.append(
        await asyncio.to_thread(_reproduced, evidence.reproduction, check, runner, own_names(patched))
    )
    proving = _Proving(change, repository, patched, contents, make_runner, tests_of)
    steps.append(await asyncio.to_thread(proving.tested, runner))
    return trial_of(steps), contents


def _parses(patched: GitRepository, contents: Contents) -> Iterator[TrialStep]:
    """Check that every file that parsed before still parses."""
    broken = [path for path in contents if _is_broken(patched, path)]
    detail = f"{', '.join(broken[:MAX_NAMED])} cannot be parsed any more" if broken else "as before"
    yield TrialStep(name="parses", passed=not broken, detail=detail)


def _is_broken(patched: GitRepository, path: str) -> bool:
    return not has_errors(path, patched.base.read(path)) and has_errors(path, patched.head.read(path))


async def _analysed(change: Change, patched: GitRepository, specialists: Sequence[Specialist]) -> TrialStep:
    """Run the analysers on the step from head to patched head."""
    case = Case(change_between(change, patched), patched)
    replies = await collect_replies(specialists, case)
    found = read_replies(replies, case.change).findings
    if found:
        named = "; ".join(f"{one.rule_id or one.title} at {one.file}:{one.line}" for one in found[:MAX_NAMED])
        return TrialStep(name="analysers", passed=False, detail=f"new with the patch: {named}")
    ran = sum(reply.text is not None for reply in replies)
    if not ran:
        return TrialStep(name="analysers", passed=None, detail="no analyser reads the patched files")
    return TrialStep(name="analysers", passed=True, detail=f"{ran}: nothing new")


def _reproduced(
    reproduction: Reproduction | None, check: ReproductionCheck | None, runner: Runner | None, own: OwnNames
) -> TrialStep:
    """Check that the program does with the patch what it should; what was run already is not run again."""
    if reproduction is None or runner is None:
        why = "it has no reproduction" if reproduction is None else "programs are not run here"
        return TrialStep(name="reproduction", passed=None, detail=why)
    if check and check.head and check.patched:
        head, patched = check.head[0], check.patched
    else:
        seconds, program = reproduction.seconds, reproduction.as_program
        patched, head = (runner.run(program, side, seconds) for side in ("head", "base"))
    passed, detail = settled_by(reproduction, head, patched, own)
    return TrialStep(name="reproduction", passed=passed, detail=detail)


@dataclass(frozen=True)
class _Proving:
    """A patch and the tests that judge it."""

    change: Change
    repository: GitRepository
    patched: GitRepository
    contents: Contents
    make_runner: MakeRunner | None
    tests_of: TestsOf | None

    def tested(self, runner: Runner | None) -> TrialStep:
        """Check that the tests of the patched files pass as before; a patch must not edit its own judges."""
        step = self._tested(runner)
        if step.passed is None and any(map(self._is_old_test, self.contents)):
            return step.model_copy(update={"passed": False, "detail": f"{EDITS_TESTS}{step.detail}"})
        return step

    def _tested(self, runner: Runner | None) -> TrialStep:
        """Run the tests that the patch edits as they are at head, then as the patch leaves them."""
        judged = without_proof(self.contents)
        if runner is None or self.make_runner is None or self.tests_of is None:
            return TrialStep(name="tests", passed=None, detail="programs are not run here")
        if len(judged) == len(self.contents):
            return _compare_tests(self._covering(self.tests_of, self.patched), runner)
        code_alone = patched_repository(self.repository, judged)
        step = _compare_tests(self._covering(self.tests_of, code_alone), self.make_runner(code_alone))
        touched = [path for path, content in self.contents.items() if content is not None and is_test(path)]
        as_left = _compare_tests(touched, runner)
        if step.passed is not False and as_left.passed is False:
            return as_left
        return step.model_copy(update={"detail": f"{step.detail} (tests as at head)"})

    def _is_old_test(self, path: str) -> bool:
        """Check whether a file of the patch is an existing test, or runs the tests; new tests are welcome."""
        return is_test_material(path) and (self.repository.head.entry(path) is not None or runs_tests(path))

    def _covering(self, tests_of: TestsOf, patched: GitRepository) -> Sequence[str]:
        return tests_of(change_between(self.change, patched), patched)


def _compare_tests(covering: Sequence[str], runner: Runner) -> TrialStep:
    """Check that the tests of these files pass as they did without the patch."""
    programs = test_programs(covering[:MAX_TESTS], runner.languages)
    if not programs:
        return TrialStep(name="tests", passed=None, detail="no test is known that covers it and can be run")
    steps = [_compared(paths, program, runner) for paths, program in programs.items()]
    return next((step for step in steps if step.passed is not True), steps[0])


def _compared(paths: tuple[str, ...], program: Program, runner: Runner) -> TrialStep:
    before, after = (runner.run(program, side, TEST_SECONDS) for side in ("base", "head"))
    named = ", ".join(paths)[:200]
    if "not_started" in (before.state, after.state) or missing_dependency(before):
        why = before.detail or after.detail or f"{missing_dependency(before)} is not there"
        return TrialStep(name="tests", passed=None, detail=f"{named}: {why}")
    fewer = fewer_tests(before, after)
    if after.exit_code == 0 and fewer:
        return TrialStep(name="tests", passed=False, detail=f"{named}: {fewer}")
    if after.exit_code == 0:
        return TrialStep(name="tests", passed=True, detail=f"{named}: pass with the patch")
    if before.exit_code == 0:
        return TrialStep(name="tests", passed=False, detail=f"{named}: pass without the patch, not with it")
    # The exit code does not tell which of them fail.
    is_same = (before.state, before.exit_code) == (after.state, after.exit_code)
    return TrialStep(
        name="tests", passed=None if is_same else False, detail=f"{named}: fail without the patch, too"
    )
