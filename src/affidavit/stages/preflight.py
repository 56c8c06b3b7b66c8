"""Find out, before anybody plans, in which languages of a change programs can run here."""

import asyncio
import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from affidavit.languages.registry import LANGUAGES
from affidavit.languages.test_files import is_test
from affidavit.ports import Case, Tree
from affidavit.proof.running.own_names import OwnNames, own_names
from affidavit.proof.running.runners import ProgramRunner, Tally
from affidavit.proof.running.surroundings import missing_dependency
from affidavit.records.program_runs import Program
from affidavit.records.report import LanguageHere
from affidavit.sandbox.asked import asked_version, suits
from affidavit.sandbox.copies import INTERPRETERS, command_of, find_language, version_files
from affidavit.tools.test_runners import TEST_RUNNERS, first_starting

SECONDS = 30.0
ANSWER = "affidavit-runs"
NO_TOOLCHAIN = "no toolchain"
MAX_IMPORTED = 5
VERSION_WORDS = re.compile(r"[\w.+()-]{1,40}")
PRINT_VERSION: Mapping[str, str] = {
    "python": "import platform; print(platform.python_version())",
    "node": "console.log(process.versions.node)",
    "typescript": "console.log(process.versions.node as string)",
    "sh": "echo yes",
    "bash": "echo $BASH_VERSION",
    "ruby": "puts RUBY_VERSION",
    "php": "<?php echo PHP_VERSION, PHP_EOL;",
    "perl": 'printf "%vd\\n", $^V;',
    "java": "class Try { public static void main(String[] a) "
    "{ System.out.println(Runtime.version().feature()); } }",
}
"""A program in each language that prints the version; `go run` would first compile the library."""
VERSION_COMMANDS = {"go": "go env GOVERSION", "rust": """sh -c "rustc --version | cut -d ' ' -f 2\""""}
PLAIN_PATH = re.compile(r"lib/[\w./-]+")


async def find_what_runs(case: Case) -> Case:
    """Try every language here; offer only those that start, and say it of the change's."""
    if case.runner is None:
        return case
    runner = ProgramRunner.of(case.runner)
    # These runs are no part of the review's own programs.
    quiet = replace(runner, tally=Tally(), loop=None)
    versions = await asyncio.to_thread(_versions, quiet)
    found = await asyncio.to_thread(_of_change, case, quiet, versions)
    return replace(case, runner=replace(runner, languages=tuple(versions)), languages=found)


def _versions(runner: ProgramRunner) -> dict[str, str]:
    """Map the languages whose interpreter starts to its version; if none can be tried, those installed."""
    run = runner.run(Program(language="sh", text=_version_script(runner.languages)), "base", SECONDS)
    if run.state == "not_started":
        return dict.fromkeys(runner.languages, "")
    words = (line.split(" ", 2) for line in run.output.splitlines() if line.startswith(f"{ANSWER} "))
    said = {parts[1]: parts[2] for parts in words if len(parts) > 2 and VERSION_WORDS.fullmatch(parts[2])}
    return {name: said[name] for name in runner.languages if name in said}


def _version_script(languages: Iterable[str]) -> str:
    lines = ['cd "$TMPDIR" || exit 1']
    for name in languages:
        file = f"./affidavit_try{INTERPRETERS[name].ending.replace('/', '_')}"
        command = VERSION_COMMANDS.get(name) or shlex.join(command_of(name, file))
        lines.append(f"printf '%s' {shlex.quote(PRINT_VERSION.get(name, ''))} > {file}")
        lines.append(f'said=$(timeout 20 {command} 2>/dev/null </dev/null) && echo "{ANSWER} {name} $said"')
    return "\n".join([*lines, "exit 0"])


def _of_change(case: Case, runner: ProgramRunner, versions: Mapping[str, str]) -> tuple[LanguageHere, ...]:
    """Say of each language of the change whether it runs, and what it lacks."""
    base, own = case.repository.redacted.base, own_names(case.repository)
    paths: dict[str, list[str]] = {}
    for file in case.change.reviewed_files():
        language = LANGUAGES.of(file.path)
        if language.is_code and not language.is_document:
            paths.setdefault(language.name, []).append(file.base_path or "")
    return tuple(
        _language(name, [path for path in paths[name] if path], base, runner, versions, own)
        for name in sorted(paths)
    )


def _language(
    name: str,
    paths: Sequence[str],
    base: Tree,
    runner: ProgramRunner,
    versions: Mapping[str, str],
    own: OwnNames,
) -> LanguageHere:
    title, program = LANGUAGES.named(name).title, find_language(name)
    asked = asked_version("node" if program in ("node", "typescript") else name, base)
    if program is None or program not in versions:
        needs = f" (the repository asks for {asked})" if asked else ""
        return LanguageHere(title=title, runs=False, detail=NO_TOOLCHAIN + needs)
    version = versions[program].removeprefix("go")
    lacks = [_lacking(program, paths, runner, own)]
    if asked and not suits(version, asked, program):
        lacks.append(f"the repository asks for {asked}")
    lacks.append(runner.notes.get("node" if program == "typescript" else program, ""))
    if program == "python":
        lacks += [f"{path} is Affidavit's, as only a build makes it" for path in version_files(base)]
    detail = "; ".join(filter(None, [version, *lacks]))
    return LanguageHere(title=title, runs=True, detail=detail, tests=_test_runner(program, runner))


def _test_runner(language: str, runner: ProgramRunner) -> str:
    language = "node" if language == "typescript" else language
    if language not in TEST_RUNNERS:
        return ""
    run = runner.run(first_starting(language), "base", SECONDS)
    return next((one.name for one in TEST_RUNNERS[language] if one.name == run.output.strip()), "")


def _lacking(language: str, paths: Sequence[str], runner: ProgramRunner, own: OwnNames) -> str:
    """Import the changed modules and the test runner at base; say what is not there."""
    text = "\n".join(_imports(language, paths))
    if not text:
        return ""
    kind = "sh" if language == "go" else "node" if language == "typescript" else language
    missing = missing_dependency(runner.run(Program(language=kind, text=text), "base", SECONDS), own)
    return f"{missing} is not there" if missing else ""


def _imports(language: str, paths: Sequence[str]) -> Iterator[str]:
    code = [path for path in paths if not is_test(path)][:MAX_IMPORTED]
    if language == "python":
        yield "import importlib"
        for path in code:
            module = path.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            if module.replace(".", "").isidentifier() and not module.endswith("__main__"):
                yield f"importlib.import_module({module!r})"
    elif language == "go":
        folders = dict.fromkeys(f"./{path.rpartition('/')[0]}" for path in code)
        if folders:
            yield f"exec go list -deps {' '.join(map(shlex.quote, folders))}"
    elif language == "ruby":
        yield from (f"require {json.dumps('./' + path)}" for path in code if PLAIN_PATH.fullmatch(path))
