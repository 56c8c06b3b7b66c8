"""Patches, tried on real repositories before they are offered."""

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from affidavit.config.settings import Settings
from affidavit.errors import InputError
from affidavit.git.patches import apply_patch
from affidavit.git.repository import GitRepository, open_repository
from affidavit.records.change import Change, Revision
from affidavit.records.finding import Finding, Reproduction
from affidavit.records.program_runs import AlteredFile, PatchTrial, Program, ProgramRun, TrialStep, trial_of
from affidavit.records.record import Side
from affidavit.reviewing.hold import assemble_crew
from affidavit.reviewing.patch_trial import covering_tests, try_patch
from commands import affidavit
from repositories import Repo

BASE = "def total(prices):\n    return sum(prices)\n"
HEAD = "def total(prices):\n    return prices[0] + sum(prices[1:])\n"


def patch(*lines: str, file: str = "app.py") -> str:
    body = "".join(f"{line}\n" for line in lines)
    return f"--- a/{file}\n+++ b/{file}\n@@ -1,2 +1,2 @@\n def total(prices):\n{body}"


GOOD = patch("-    return prices[0] + sum(prices[1:])", "+    return sum(prices)")
BROKEN = patch("-    return prices[0] + sum(prices[1:])", "+    return sum(prices")
UNKNOWN = patch("-    return prices[0] + sum(prices[1:])", "+    return summ(prices)")
STALE = patch("-    return prices[9]", "+    return sum(prices)")


@pytest.fixture
def repository(repo: Repo) -> Iterator[GitRepository]:
    repo.commit("base", {"app.py": BASE})
    repo.commit("head", {"app.py": HEAD})
    with open_repository(repo.path, repo.git("rev-parse", "HEAD~1"), repo.git("rev-parse", "HEAD")) as opened:
        yield opened


class Says:
    """A runner that has one answer."""

    name = "a record"
    languages = ("python",)

    def __init__(self, code: int, output: str) -> None:
        self._run = (code, output)

    def run(self, program: Program, side: Side, seconds: float | None = None) -> ProgramRun:
        code, output = self._run
        return ProgramRun(side=side, state="exited", exit_code=code, output=output)

    def stop(self) -> None: ...


SHOWS: dict[str, Any] = {
    "language": "python",
    "program": "from app import total\nprint(total([]))",
    "expected_at_base": {"exit_code": 0, "output": "^0"},
    "expected_at_head": {"exit_code": 1, "output": "IndexError"},
}


def finding(text: str, program: dict[str, Any] | None = None) -> Finding:
    evidence: dict[str, Any] = {
        "code_examined": "x",
        "line_range_examined": (1, 2),
        "verification_method": "read",
        "checked_for_handling_elsewhere": True,
        "patch": text,
        "reproduction": Reproduction.model_validate(program) if program else None,
    }
    fields = {"id": "1", "severity": "high", "category": "correctness", "title": "t", "message": "m"}
    return Finding.model_validate({**fields, "file": "app.py", "line": 2, "verification": evidence})


def tried(repository: GitRepository, one: Finding, runner: Any = None, tests_of: Any = None) -> PatchTrial:
    change = Change(
        source="range",
        target="a..b",
        base=Revision(tree=repository.base.revision),
        head=Revision(tree=repository.head.revision),
        files=(),
    )
    off = Settings(analysers_off=("kingfisher", "ty", "oxlint", "yamllint", "zizmor", "hadolint"))
    specialists = assemble_crew(off, None).specialists
    make: Callable[[GitRepository], Any] | None = (lambda _: runner) if runner else None
    return asyncio.run(try_patch(one, change, repository, specialists, make, tests_of))[0]


def passed(trial: PatchTrial) -> dict[str, bool | None]:
    return {step.name: step.passed for step in trial.steps}


def test_a_good_patch_passes_every_step(repository: GitRepository) -> None:
    trial = tried(repository, finding(GOOD, SHOWS), Says(0, "0\n"))
    assert passed(trial) == {
        "applies": True,
        "parses": True,
        "analysers": True,
        "reproduction": True,
        "tests": None,
    }
    assert trial.holds


class BySide:
    """A runner whose tests end with one code without the patch (base here), and with another with it."""

    name = "a record"
    languages = ("python", "sh")

    def __init__(self, before: int, after: int) -> None:
        self._codes = {"base": before, "head": after}
        self.asked: list[str] = []

    def run(self, program: Program, side: Side, seconds: float | None = None) -> ProgramRun:
        self.asked.append(program.text)
        return ProgramRun(side=side, state="exited", exit_code=self._codes[side])

    def stop(self) -> None: ...


@pytest.mark.parametrize(
    ("before", "after", "expected"), [(0, 0, True), (0, 1, False), (1, 0, True), (1, 1, None)]
)
def test_covering_tests_must_pass_as_they_did(
    repo: Repo, before: int, after: int, expected: bool | None
) -> None:
    repo.commit(
        "base", {"app.py": BASE, "test_app.py": "from app import total\n\n\ndef test_it():\n    total([1])\n"}
    )
    repo.commit("head", {"app.py": HEAD})
    runner = BySide(before, after)
    with open_repository(repo.path, repo.git("rev-parse", "HEAD~1"), repo.git("rev-parse", "HEAD")) as opened:
        trial = tried(opened, finding(GOOD), runner, covering_tests)
    assert passed(trial)["tests"] is expected
    assert "test_app.py" in runner.asked[0]


def test_a_patch_for_other_lines_does_not_apply(repository: GitRepository) -> None:
    trial = tried(repository, finding(STALE))
    assert passed(trial) == {"applies": False}
    assert "the patch does not apply" in trial.steps[0].detail


def test_a_patch_that_breaks_the_syntax_fails(repository: GitRepository) -> None:
    trial = tried(repository, finding(BROKEN))
    assert passed(trial)["parses"] is False
    assert not trial.holds


def test_a_patch_that_brings_a_new_problem_fails(repository: GitRepository) -> None:
    trial = tried(repository, finding(UNKNOWN))
    assert passed(trial)["analysers"] is False
    assert "F821" in next(step.detail for step in trial.steps if step.name == "analysers")


def test_a_change_does_not_excuse_what_its_patches_bring(repo: Repo) -> None:
    repo.commit("base", {"app.py": BASE})
    repo.commit("head", {"app.py": HEAD, "pyproject.toml": '[tool.ruff.lint]\nignore = ["F821"]\n'})
    with open_repository(repo.path, repo.git("rev-parse", "HEAD~1"), repo.git("rev-parse", "HEAD")) as opened:
        assert passed(tried(opened, finding(UNKNOWN)))["analysers"] is False


def test_a_patch_that_does_not_settle_its_program_fails(repository: GitRepository) -> None:
    trial = tried(repository, finding(GOOD, SHOWS), Says(1, "IndexError"))
    assert passed(trial)["reproduction"] is False


def test_for_new_code_the_program_must_no_longer_fail_as_it_did(repository: GitRepository) -> None:
    new = {**SHOWS, "expected_at_base": None}
    assert passed(tried(repository, finding(GOOD, new), Says(0, "")))["reproduction"] is True
    assert passed(tried(repository, finding(GOOD, new), Says(1, "IndexError")))["reproduction"] is False


def test_what_was_not_tried_is_said_and_does_not_fail(repository: GitRepository) -> None:
    trial = tried(repository, finding(GOOD))
    assert passed(trial)["reproduction"] is None
    assert trial.holds


@pytest.mark.parametrize("file", ["../out.py", ".git/config", "/etc/passwd", "a/../../b"])
def test_a_patch_that_leads_out_is_refused(repository: GitRepository, file: str) -> None:
    with pytest.raises(InputError):
        apply_patch(repository, patch("-    return prices[0] + sum(prices[1:])", "+    pass", file=file))


def test_a_patch_of_a_link_is_refused(repo: Repo) -> None:
    repo.commit("base", {"app.py": BASE})
    (repo.path / "link").symlink_to("app.py")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "link")
    with open_repository(repo.path, repo.git("rev-parse", "HEAD~1"), repo.git("rev-parse", "HEAD")) as opened:
        text = "--- a/link\n+++ b/link\n@@ -1 +1 @@\n-app.py\n\\ No newline at end of file\n+/etc/passwd\n"
        with pytest.raises(InputError):
            apply_patch(opened, text)


def written(repo: Repo, place: Path, text: str, **fields: Any) -> Path:
    """A report of a real review, with a finding's patch put into it."""
    report = place / "report.json"
    affidavit("review", "HEAD", "--format", f"report={report}", "--no-store", cwd=repo.path)
    content = json.loads(report.read_text())
    one = json.loads(finding(text).model_dump_json())
    content["candidates"] = [
        {"id": "logic:0", "specialist": "logic", "kind": "model", "index": 0, "finding": one, **fields}
    ]
    report.write_text(json.dumps(content))
    return report


def test_the_command_applies_a_good_patch_and_only_to_the_head_that_was_reviewed(
    repository: GitRepository, repo: Repo, tmp_path: Path
) -> None:
    report = written(repo, tmp_path, GOOD)
    shown = affidavit("suggest", report, "logic:0", "--format", "patch", cwd=repo.path)
    assert (shown.code, shown.out) == (0, GOOD), shown.err
    assert (repo.path / "app.py").read_text() == HEAD
    done = affidavit("suggest", report, "logic:0", "--apply", cwd=repo.path)
    assert done.code == 0, done.err
    assert (repo.path / "app.py").read_text() == BASE
    again = affidavit("suggest", report, "logic:0", "--apply", cwd=repo.path)
    assert again.code == 2
    assert "differs from the head of the review" in again.err


BROKE_A_TEST = {
    "steps": [
        {"name": "applies", "passed": True, "detail": "to head"},
        {"name": "tests", "passed": False, "detail": "test_app.py: pass without the patch, not with it"},
    ],
    "holds": False,
}


def test_a_patch_that_failed_on_record_is_not_applied_where_that_is_not_tried_again(
    repository: GitRepository, repo: Repo, tmp_path: Path
) -> None:
    report = written(repo, tmp_path, GOOD, patch_trial=BROKE_A_TEST)
    done = affidavit("suggest", report, "logic:0", "--apply", cwd=repo.path)
    assert done.code == 1
    assert "FAILED: tests: not tried now; the report says that it failed: test_app.py: pass" in done.out
    assert "holds as far" not in done.out
    assert (repo.path / "app.py").read_text() == HEAD


def test_what_passed_on_record_is_said_and_not_called_tried(repository: GitRepository) -> None:
    steps = [
        TrialStep(name="applies", passed=True, detail=""),
        TrialStep(name="tests", passed=True, detail="t"),
    ]
    now = trial_of([steps[0], TrialStep(name="tests", passed=None, detail="programs are not run here")])
    both = now.after(trial_of(steps))
    assert (both.holds, both.untried) == (True, ("tests",))
    assert both.steps[1].detail == "programs are not run here; the report says that it passed: t"


def test_what_failed_on_record_and_passes_now_holds() -> None:
    now = trial_of(
        [TrialStep(name="applies", passed=True, detail=""), TrialStep(name="tests", passed=True, detail="")]
    )
    assert now.after(PatchTrial.model_validate(BROKE_A_TEST)) == now


def test_a_patch_that_was_tried_in_part_is_not_called_tried(
    repository: GitRepository, repo: Repo, tmp_path: Path
) -> None:
    done = affidavit("suggest", written(repo, tmp_path, GOOD), "logic:0", cwd=repo.path)
    assert done.code == 0
    assert "tried, and holds" not in done.out
    assert (
        "holds as far as it was tried (applies, parses, analysers); not tried: reproduction, tests"
        in done.out
    )


def test_the_command_does_not_apply_a_patch_that_failed(
    repository: GitRepository, repo: Repo, tmp_path: Path
) -> None:
    report = written(repo, tmp_path, BROKEN)
    done = affidavit("suggest", report, "logic:0", "--apply", cwd=repo.path)
    assert done.code == 1
    assert "FAILED: parses" in done.out
    assert (repo.path / "app.py").read_text() == HEAD


LINK = "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n"
MODE = "diff --git a/app.py b/app.py\nold mode 100644\nnew mode 100755\n"
STARTED = "diff --git a/run b/run\nnew file mode 100755\n--- /dev/null\n+++ b/run\n@@ -0,0 +1 @@\n+true\n"


@pytest.mark.parametrize(("text", "why"), [(LINK, "a link"), (MODE, "the mode"), (STARTED, "the mode")])
def test_a_patch_that_makes_a_link_or_changes_a_mode_is_refused(
    repository: GitRepository, text: str, why: str
) -> None:
    with pytest.raises(InputError, match=why):
        apply_patch(repository, text)


class Sided(Says):
    """A runner that answers for head without the patch, and cannot start with it."""

    def run(self, program: Program, side: Side, seconds: float | None = None) -> ProgramRun:
        if side == "head":
            return ProgramRun(side=side, state="not_started", detail="its name is taken")
        return super().run(program, side, seconds)


@pytest.mark.parametrize(("code", "holds"), [(1, False), (0, True)])
def test_a_patch_does_not_hold_with_which_its_program_can_no_longer_be_run(
    repository: GitRepository, code: int, holds: bool
) -> None:
    runner = Sided(code, "IndexError")
    change = Change(source="range", target="a..b", base=Revision(tree=""), head=Revision(tree=""), files=())
    trial, _ = asyncio.run(try_patch(finding(GOOD, SHOWS), change, repository, (), lambda _: runner))
    assert trial.holds is holds
    (step,) = [one for one in trial.steps if one.name == "analysers"]
    assert step.detail == "no analyser reads the patched files"


class Wanting(Says):
    """A runner whose surroundings lack something with the patch alone, or on both sides."""

    def __init__(self, *, on_both: bool, **wants: Any) -> None:
        super().__init__(0, "0")
        self._wants, self._on_both = wants, on_both

    def run(self, program: Program, side: Side, seconds: float | None = None) -> ProgramRun:
        run = super().run(program, side, seconds)
        return run.model_copy(update=self._wants) if side == "head" or self._on_both else run


@pytest.mark.parametrize("on_both", [False, True])
@pytest.mark.parametrize(
    "wants",
    [{"missing": ("yaml",)}, {"unreached": ("acme.io",)}, {"altered": (AlteredFile(path="keys.py"),)}],
)
def test_a_program_that_ends_well_for_want_of_something_settles_nothing(
    repository: GitRepository, wants: dict[str, Any], on_both: bool
) -> None:
    trial = tried(repository, finding(GOOD, SHOWS), Wanting(on_both=on_both, **wants))
    assert passed(trial)["reproduction"] is (True if on_both else None)
