"""Turn a reproduction into a test in the repository's own framework, and try whether it guards the fix."""

import ast
import json
import re
import shlex
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from affidavit.context.gather import gather_context
from affidavit.errors import InputError
from affidavit.git.repository import GitRepository
from affidavit.languages.test_files import NamesakeTests, is_named_test
from affidavit.ports import Runner
from affidavit.proof.running.own_names import OwnNames, own_names
from affidavit.proof.running.surroundings import blocked_by, stopped_by
from affidavit.records.change import Change
from affidavit.records.finding import Expected, Finding, Reproduction
from affidavit.records.program_runs import AddedFile, Program, ProgramRun
from affidavit.records.record import Side
from affidavit.reviewing.patch_trial import READERS, TEST_SECONDS, passed_tests

USUAL_SECONDS = 30
MAX_NAME = 50
ENDINGS = {"python": (".py",), "node": (".js", ".mjs", ".cjs", ".ts"), "typescript": (".ts", ".mts", ".cts")}
AFFIX = re.compile(r"[._-](?:test|tests|spec)(?=\.\w+$)")


@dataclass(frozen=True)
class Guard:
    """A test file, and what the runs of it showed."""

    path: str
    text: str
    steps: tuple[tuple[str, bool], ...] = ()

    @property
    def holds(self) -> bool:
        """Check that it fails with the problem, passes without it, and fails again."""
        return bool(self.steps) and all(passed for _, passed in self.steps)


@dataclass(frozen=True)
class Neighbour:
    """An existing test: a new one goes beside it and is written like it."""

    path: str
    text: str

    @property
    def framework(self) -> str:
        """Return the framework by what the test imports."""
        if self.path.endswith(".py"):
            return "unittest" if re.search(r"\bunittest\b|TestCase\b", self.text) else "pytest"
        named = re.search(r"[\"'](node:test|vitest)[\"']", self.text)
        return named[1] if named else "jest"

    def path_of(self, title: str) -> str:
        """Return the path of a new test, named as this one is."""
        name = PurePosixPath(self.path).name
        ending = name[name.rfind(".") :]
        words = re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")[:MAX_NAME].strip("_") or "regression"
        affix = AFFIX.search(name)
        stem = words if ending == ".py" else words.replace("_", "-")
        prefix = "test_" if ending == ".py" and not affix else ""
        named = f"{prefix}{stem}{affix[0] if affix else ''}{ending}"
        return str(PurePosixPath(self.path).with_name(named))


def write_guard(finding: Finding, change: Change, repository: GitRepository, runner: Runner) -> Guard:
    """Return the first form of the test that holds, or else the last one that was tried."""
    reproduction = finding.evidence.reproduction
    if reproduction is None:
        raise InputError("this finding has no reproduction to make a test of")
    beside = _neighbour(finding, change, repository, reproduction.language)
    path = beside.path_of(finding.title)
    if any(tree.entry(path) for tree in (repository.base, repository.head)):
        raise InputError(f"{path} exists already: nothing was written")
    guard = None
    for text in _forms(finding.title, reproduction, beside):
        steps = _tried(Guard(path, text), beside.framework, finding, runner, own_names(repository))
        guard = Guard(path, text, tuple(steps))
        if guard.holds:
            break
    if guard is None:
        raise InputError("no test can say what this reproduction expects")
    return guard


def _neighbour(finding: Finding, change: Change, repository: GitRepository, language: str) -> Neighbour:
    head, endings = repository.head, ENDINGS.get(language)
    if endings is None:
        raise InputError(f"tests are written for {', '.join(ENDINGS)}; the reproduction is in {language}")
    named = [
        *NamesakeTests(head.entries()).of(finding.file),
        *gather_context(change, repository, READERS).tests,
        *sorted(path for path in head.entries() if is_named_test(path)),
    ]
    path = next((path for path in named if path.endswith(endings) and head.entry(path)), None)
    if path is None:
        raise InputError(f"the repository has no test in {language} to write this one like")
    return Neighbour(path, (head.read(path) or b"").decode("utf-8", "replace"))


def _forms(title: str, reproduction: Reproduction, beside: Neighbour) -> Iterator[str]:
    """Yield the texts to try: the program as the body of a test, then the test that starts the program."""
    fixed = reproduction.expected_when_fixed or reproduction.expected_at_base
    title = " ".join(title.split())
    if beside.framework in PYTHON:
        if fixed and fixed.exit_code == 0 and not reproduction.files and _can_be_a_body(reproduction.program):
            yield _python_body(title, reproduction.program, fixed, beside.framework)
        yield _python_process(title, reproduction, fixed, beside.framework)
    else:
        yield _node_process(title, reproduction, fixed, beside)


def _can_be_a_body(program: str) -> bool:
    """Check that a program means the same with each line indented."""
    try:
        tree = ast.parse(program)
    except (SyntaxError, ValueError, RecursionError):
        return False
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant | ast.JoinedStr)]
    stars = [node for node in ast.walk(tree) if isinstance(node, ast.alias) and node.name == "*"]
    return not stars and all(node.lineno == node.end_lineno for node in texts)


PYTHON = ("pytest", "unittest")


def _function(title: str, framework: str, body: str, arguments: str = "") -> str:
    name = re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")[:MAX_NAME].strip("_") or "regression"
    if framework == "pytest":
        return f"def test_{name}({arguments}):\n{textwrap.indent(body, '    ')}"
    whole = f"def test_{name}(self):\n{textwrap.indent(body, '    ')}"
    return f"class RegressionTest(unittest.TestCase):\n{textwrap.indent(whole, '    ')}"


def _python_body(title: str, program: str, fixed: Expected, framework: str) -> str:
    """Write a test whose body is the program; what it prints is compared."""
    lines = program.strip("\n").splitlines()
    tree = ast.parse("\n".join(lines))
    top = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    taken = {number for node in top for number in range(node.lineno, (node.end_lineno or 0) + 1)}
    imports = "\n".join(line for number, line in enumerate(lines, 1) if number in taken)
    body = "\n".join(line for number, line in enumerate(lines, 1) if number not in taken).strip("\n")
    asked = ["unittest"] if framework == "unittest" else []
    if fixed.output and framework == "pytest":
        body += f"\nassert re.search({_literal('(?m)' + fixed.output)}, capsys.readouterr().out)"
        asked += ["re"]
    elif fixed.output:
        body = f"with contextlib.redirect_stdout(io.StringIO()) as printed:\n{textwrap.indent(body, '    ')}"
        body += f"\nself.assertRegex(printed.getvalue(), {_literal('(?m)' + fixed.output)})"
        asked += ["contextlib", "io"]
    header = "\n".join(f"import {name}" for name in sorted(asked))
    arguments = "capsys" if fixed.output and framework == "pytest" else ""
    text = _function(title, framework, body, arguments)
    parts = [f'"""{title.replace(chr(92), "").replace(chr(34), chr(39))}."""', header, imports]
    return "\n\n".join(filter(None, parts)) + f"\n\n\n{text}\n"


def _python_process(title: str, reproduction: Reproduction, fixed: Expected | None, framework: str) -> str:
    """Write a test that starts the program and judges how it ends."""
    seconds = reproduction.seconds or USUAL_SECONDS
    lines = [
        "done = subprocess.run(",
        f"    [sys.executable, '-c', PROGRAM], capture_output=True, text=True, timeout={seconds}",
        ")",
        "printed = done.stdout + done.stderr",
    ]
    if fixed:
        lines.append(f"assert done.returncode == {fixed.exit_code}, printed")
    if fixed and fixed.output:
        lines.append(f"assert re.search({_literal('(?m)' + fixed.output)}, printed), printed")
    at_head = reproduction.expected_at_head
    if fixed is None:
        found = f" and re.search({_literal('(?m)' + at_head.output)}, printed)" if at_head.output else ""
        lines.append(f"assert not (done.returncode == {at_head.exit_code}{found}), printed")
    names = ["re"] if any("re.search" in line for line in lines) else []
    names += ["subprocess", "sys", *(["unittest"] if framework == "unittest" else [])]
    header = "\n".join(f"import {name}" for name in names)
    program = f"PROGRAM = {_literal(reproduction.program)}"
    return f"{header}\n\n{program}\n\n\n{_function(title, framework, chr(10).join(lines))}\n"


def _literal(text: str) -> str:
    """Write a text as Python does, over several lines where it has them."""
    if "\n" in text and '"""' not in text and "\\" not in text and text.isascii() and not text.endswith('"'):
        return f'"""\\\n{text}"""'
    return repr(text) if "\\" not in text or text.endswith("\\") or '"' in text else f'r"{text}"'


def _node_process(title: str, reproduction: Reproduction, fixed: Expected | None, beside: Neighbour) -> str:
    """Write a test that starts the program with Node and judges how it ends."""
    is_module = bool(re.search(r"^import\s", beside.text, re.MULTILINE))
    judged, at_head = fixed or reproduction.expected_at_head, reproduction.expected_at_head
    found = f" && new RegExp({json.dumps(judged.output)}, 'm').test(printed)" if judged.output else ""
    ends = f"done.status === {judged.exit_code}{found}"
    has_import = re.search(r"^\s*(?:import\s[^(]|import\{|export\s)", reproduction.program, re.MULTILINE)
    kind = "module" if has_import else "commonjs"
    wanted = {"node:test": ["test", "node:test"], "vitest": ["{ test }", "vitest"]}.get(beside.framework)
    imports = [
        ["{ spawnSync }", "node:child_process"],
        ["assert", "node:assert"],
        *([wanted] if wanted else []),
    ]
    header = [
        f"import {name} from '{module}';" if is_module else f"const {name} = require('{module}');"
        for name, module in imports
    ]
    seconds = (reproduction.seconds or USUAL_SECONDS) * 1000
    return "\n".join(
        [
            *header,
            "",
            f"const PROGRAM = {json.dumps(reproduction.program)};",
            "",
            f"test({json.dumps(title)}, () => {{",
            f"  const given = ['--input-type={kind}', '--eval', PROGRAM];",
            f"  const done = spawnSync(process.execPath, given, {{ encoding: 'utf8', timeout: {seconds} }});",
            "  const printed = done.stdout + done.stderr;",
            f"  assert.ok({ends if judged is fixed or at_head is not judged else f'!({ends})'}, printed);",
            "});",
            "",
        ]
    )


COMMANDS: dict[str, Callable[[str], str]] = {
    "pytest": lambda path: f"exec python -m pytest -q -p no:cacheprovider {shlex.quote(path)}",
    "unittest": lambda path: f"exec python -m unittest {shlex.quote(path[:-3].replace('/', '.'))}",
    "node:test": lambda path: f"exec node --test {shlex.quote(path)}",
    "vitest": lambda path: f"exec node node_modules/vitest/vitest.mjs run {shlex.quote(path)}",
    "jest": lambda path: f"exec node node_modules/jest/bin/jest.js {shlex.quote(path)}",
}


def _tried(
    guard: Guard, framework: str, finding: Finding, runner: Runner, own: OwnNames
) -> Iterator[tuple[str, bool]]:
    """Run the test at head, without the problem, and at head again."""
    added = AddedFile(path=guard.path, content=guard.text)
    program = Program(language="sh", text=COMMANDS[framework](guard.path), files=(added,))
    ways: Sequence[tuple[str, Side, str]] = [("at base", "base", "")]
    if finding.evidence.patch:
        ways = [("with the patch", "head", finding.evidence.patch), *ways]
    first = runner.run(program, "head", TEST_SECONDS)
    yield f"fails at head ({first.summary})", _fails(first, own)
    for place, side, patch in ways:
        run = runner.run(program.model_copy(update={"patch": patch}), side, TEST_SECONDS)
        if _passes(run, framework):
            yield f"passes {place}", True
            break
    else:
        yield f"passes {' or '.join(place for place, _, _ in ways)}", False
    again = runner.run(program, "head", TEST_SECONDS)
    yield "fails again without the patch", _fails(again, own)


def _fails(run: ProgramRun, own: OwnNames) -> bool:
    """Check that a test failed by itself, and not by its surroundings."""
    return run.exit_code == 1 and not stopped_by(run) and not blocked_by(run, own)


def _passes(run: ProgramRun, framework: str) -> bool:
    """Check that a test ran and passed; runners that are not counted say so by their end alone."""
    is_counted = framework in (*PYTHON, "node:test")
    return run.exit_code == 0 and (not is_counted or bool(passed_tests(run.output)))
