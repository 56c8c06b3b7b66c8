"""What of a change can run here, found out before anybody plans."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from affidavit.agents.model_agents import LENSES, asked_at_any_size
from affidavit.ports import Case
from affidavit.proof.running.runners import ProgramRunner
from affidavit.proof.running.touched import EXPERIMENTER
from affidavit.records.program_runs import Program, ProgramRun
from affidavit.records.record import Side
from affidavit.records.report import LanguageHere
from affidavit.sandbox.asked import python_for, suits, toolchain_for
from affidavit.sandbox.fetching import NEW_ARE_MISSING
from affidavit.sandbox.provision import own_python, provide
from affidavit.sandbox.sides import SandboxedSides
from affidavit.stages.intake import ChangeRequest, open_change
from affidavit.stages.plan import plan_by_size, plan_schema_of
from affidavit.stages.preflight import find_what_runs
from repositories import Repo
from sandboxes import needed_sandbox


class Broken:
    """A machine on which every interpreter is a file that does not start, except the shell."""

    name = "broken"
    languages = ("python", "go", "sh")

    def run(self, program: Program, side: Side, seconds: float | None = None) -> ProgramRun:
        return ProgramRun(side=side, state="exited", exit_code=0, output="affidavit-runs sh yes\n")

    def stop(self) -> None: ...


def tried(tmp_path: Path, base: Mapping[str, str], head: Mapping[str, str], runner: object = None) -> Case:
    repo = Repo(tmp_path / "repo")
    repo.commit("base", dict(base))
    repo.commit("head", dict(head))
    with open_change(ChangeRequest(target="HEAD~1..HEAD", repo=repo.path)) as opened:
        case = Case(opened.change, opened.repository)
        if runner is not None:
            return asyncio.run(find_what_runs(Case(opened.change, opened.repository, runner=runner)))  # type: ignore[arg-type]
        with SandboxedSides(opened.repository, needed_sandbox(), provide(())) as sides:
            case = Case(opened.change, opened.repository, runner=sides)
            return asyncio.run(find_what_runs(case))


def test_a_language_says_its_version_what_it_lacks_and_what_the_repository_asks_for(tmp_path: Path) -> None:
    base = {
        "app.py": "import no_such_package\nx = 1\n",
        "pyproject.toml": '[project]\nrequires-python = ">=3.99"\n',
    }
    case = tried(tmp_path, base, {"app.py": "x = 2\n"})
    (python,) = case.languages
    assert python.words.startswith("Python yes (3.")
    assert python.detail.endswith("; no_such_package is not there; the repository asks for >=3.99")
    # Its own runs are no part of the review's.
    assert isinstance(case.runner, ProgramRunner)
    assert case.runner.tally.runs == 0


def test_a_toolchain_that_does_not_start_is_offered_to_nobody(tmp_path: Path) -> None:
    base = {"app.go": "package a\n", "lib.rs": "", "rust-toolchain.toml": '[toolchain]\nchannel = "1.80"\n'}
    case = tried(tmp_path, base, {"app.go": "package b\n", "lib.rs": "fn b() {}\n"}, Broken())
    assert [one.words for one in case.languages] == [
        "Go no toolchain",
        "Rust no toolchain (the repository asks for 1.80)",
    ]
    assert case.runner is not None
    assert case.runner.languages == ("sh",)


@pytest.mark.parametrize(("title", "is_asked"), [("Python", True), ("Go", False)])
def test_the_experimenter_is_asked_only_if_a_changed_language_runs(
    tmp_path: Path, title: str, is_asked: bool
) -> None:
    case = tried(tmp_path, {"app.py": "x = 1\n"}, {"app.py": "x = 2\n"}, Broken())
    always = asked_at_any_size(case.change, (LanguageHere(title=title, runs=True),))
    assert (EXPERIMENTER in always) is is_asked
    assert EXPERIMENTER not in asked_at_any_size(case.change, (LanguageHere(title=title, runs=False),))


@pytest.mark.parametrize(
    ("lines", "required", "choice"),
    [
        (2, [EXPERIMENTER], "1 of logic, codebase-fit, security, quality examine this change"),
        (50, [*LENSES, EXPERIMENTER], None),
    ],
)
def test_the_schema_of_a_plan_says_which_lenses_are_fixed(
    tmp_path: Path, lines: int, required: list[str], choice: str | None
) -> None:
    case = tried(tmp_path, {"app.py": "x = 1\n"}, {"app.py": "x = 2\n" * lines}, Broken())
    rough = plan_by_size(case.change, LENSES, (EXPERIMENTER,))
    questions = plan_schema_of(rough, (EXPERIMENTER,))["properties"]["questions"]
    assert (questions["required"], questions.get("description")) == (required, choice)


@pytest.mark.parametrize(
    ("language", "version", "asked", "expected"),
    [
        ("python", "3.11.7", ">=3.12", False),
        ("python", "3.12.1", ">=3.12,<4", True),
        ("node", "20.1.0", "20", True),
        ("node", "24.1.0", "20", False),
        ("go", "1.22.1", "1.21", True),
        ("python", "3.11.7", "no version", True),
    ],
)
def test_a_version_suits_what_is_asked_for(language: str, version: str, asked: str, expected: bool) -> None:
    assert suits(version, asked, language) is expected


def test_what_was_not_fetched_is_said_of_its_language(tmp_path: Path) -> None:
    class Starting(Broken):
        def run(self, program: Program, side: Side, seconds: float | None = None) -> ProgramRun:
            said = "affidavit-runs python 3.12.1\naffidavit-runs sh yes\n"
            return ProgramRun(side=side, state="exited", exit_code=0, output=said)

    runner = ProgramRunner("test", Broken.languages, Starting(), notes={"python": NEW_ARE_MISSING})
    case = tried(tmp_path, {"app.py": "x = 1\n"}, {"app.py": "x = 2\n"}, runner)
    assert [one.words for one in case.languages] == [f"Python yes (3.12.1; {NEW_ARE_MISSING})"]


@pytest.mark.parametrize(
    ("language", "asked", "expected"),
    [
        ("node", "20", ".nvm/versions/node/v20.11.1"),
        ("node", "21", None),
        ("node", "", None),
        ("go", "1.21", "sdk/go1.22.3"),
        ("go", "1.23", None),
        ("rust", "1.75", ".rustup/toolchains/1.75.0-x86_64-unknown-linux-gnu"),
        ("rust", "nightly", ".rustup/toolchains/nightly-x86_64-unknown-linux-gnu"),
        ("rust", "", ".rustup/toolchains/stable-x86_64-unknown-linux-gnu"),
    ],
)
def test_the_toolchain_that_a_repository_asks_for_is_found_in_a_home(
    tmp_path: Path, language: str, asked: str, expected: str | None
) -> None:
    for place in (
        ".nvm/versions/node/v20.11.1/bin/node",
        ".nvm/versions/node/v20.9.0/bin/node",
        ".nvm/versions/node/v18.0.0/bin/node",
        "sdk/go1.20.1/bin/go",
        "sdk/go1.22.3/bin/go",
        *(
            f".rustup/toolchains/{name}-x86_64-unknown-linux-gnu/bin/cargo"
            for name in ("1.75.0", "stable", "nightly")
        ),
    ):
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).touch()
    found = toolchain_for(language, asked, [tmp_path])
    assert found == (tmp_path / expected if expected else None)


def test_the_newest_python_that_suits_is_found(tmp_path: Path) -> None:
    for number in ("3.9", "3.12", "3.13"):
        (tmp_path / number / "bin").mkdir(parents=True)
        for name in (f"python{number}", f"python{number}-config"):
            (tmp_path / number / "bin" / name).touch()
    assert python_for(">=3.9,<3.13", [tmp_path]) == tmp_path / "3.12"
    assert python_for(">=3.99", [tmp_path]) is None


def test_our_own_python_comes_alone_where_it_suits() -> None:
    assert len(list(own_python(">=3"))) == len(list(own_python()))
