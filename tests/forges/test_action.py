"""The action of this repository: a local shell runs its steps, with the files that GitHub gives them."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from commands import environment_of

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
EXPRESSION = re.compile(r"\$\{\{ (.+?) \}\}")
INSTALLS, *STEPS = [step for step in ACTION["runs"]["steps"] if "run" in step]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository of `make review`."""
    spec = importlib.util.spec_from_file_location("sample_review", ROOT / "sample" / "review.py")
    assert spec
    assert spec.loader
    sample = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sample)
    place = tmp_path_factory.mktemp("action") / "shop"
    sample.build(place)
    return place


class Job:
    """Runs steps as a runner of GitHub does: values come by the environment, results by files."""

    def __init__(self, folder: Path, repository: Path, **inputs: str) -> None:
        known = ACTION["inputs"]
        assert inputs.keys() <= known.keys()
        self.inputs = {name: inputs.get(name, given["default"]) for name, given in known.items()}
        self.folder, self.repository = folder, repository
        self.outputs: dict[str, dict[str, str]] = {}
        self.log = ""

    def value(self, expression: str) -> str:
        """The value of an expression; no event has a pull request here."""
        for one in expression.split(" || "):
            kind, _, name = one.partition(".")
            step, _, output = name.partition(".outputs.")
            known = {"inputs": self.inputs, "github": {"action_path": str(ROOT), "token": "token-of-the-job"}}
            found = self.outputs.get(step, {}).get(output) if kind == "steps" else known[kind].get(name)
            if found:
                return found
        return ""

    def run(self, step: dict[str, Any], path: str = "") -> int:
        if "if" in step and not eval(step["if"].replace("inputs.", ""), {}, self.inputs):
            return 0
        out, summary = self.folder / "output", self.folder / "summary.md"
        out.write_text("")
        given = {
            name: EXPRESSION.sub(lambda found: self.value(found[1]), value)
            for name, value in step.get("env", {}).items()
        }
        env = {**environment_of(self.folder), "RUNNER_TEMP": str(self.folder), **given}
        env |= {"GITHUB_OUTPUT": str(out), "GITHUB_STEP_SUMMARY": str(summary)}
        env["PATH"] = os.pathsep.join(
            filter(None, (path, str(Path(sys.executable).parent), os.environ["PATH"]))
        )
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(
            command, cwd=self.repository, env=env, capture_output=True, text=True, check=False
        )
        self.log += done.stdout + done.stderr
        lines = (line.partition("=") for line in out.read_text().splitlines())
        self.outputs[step.get("id", "")] = {name: value for name, _, value in lines}
        return done.returncode

    def run_all(self) -> int:
        return next((code for step in STEPS if (code := self.run(step))), 0)


def test_the_steps_give_outputs_a_summary_and_annotations_and_end_with_the_gate(
    shop: Path, tmp_path: Path
) -> None:
    job = Job(tmp_path, shop, target="HEAD", args="--no-store\n--title\nTwo words")
    assert job.run_all() == 1, job.log
    outputs = job.outputs["review"]
    assert outputs.keys() == ACTION["outputs"].keys()
    assert {name: one["value"] for name, one in ACTION["outputs"].items()} == {
        name: f"${{{{ steps.review.outputs.{name} }}}}" for name in outputs
    }
    report = json.loads(Path(outputs["report"]).read_text())
    assert (outputs["verdict"], outputs["exit-code"]) == (report["verdict"]["decision"], "1")
    assert report["change"]["title"] == "Two words"
    counts = report["verdict"]["counts"]["by_severity"]
    assert counts
    assert {name: int(outputs[name]) for name in ("critical", "high", "medium", "low", "info")} == {
        name: counts.get(name, 0) for name in ("critical", "high", "medium", "low", "info")
    }
    assert json.loads(Path(outputs["sarif"]).read_text())["version"] == "2.1.0"
    assert "Reviewed: Two words" in (tmp_path / "summary.md").read_text()
    _, shown = job.log.split("::add-matcher::")
    matcher, *lines = shown.split("::remove-matcher owner=affidavit::")[0].strip().splitlines()
    (known,) = json.loads(Path(matcher).read_text())["problemMatcher"]
    (pattern,) = known["pattern"]
    # A joined finding is a note in the log, and no annotation of its own.
    found = [re.fullmatch(pattern["regexp"], line) for line in lines if ": note: " not in line]
    assert len(found) == report["verdict"]["counts"]["shown"]
    assert all(one and (shop / one[pattern["file"]]).is_file() for one in found)
    assert {one[pattern["severity"]] for one in found if one} == {"error"}
    assert (
        len([one for one in found if one and one[pattern["severity"]] == "error"])
        == (report["verdict"]["counts"]["blocking"])
    )


def test_inputs_reach_the_review_as_they_are_and_never_as_code(tmp_path: Path) -> None:
    hostile = '$(touch pwned)"; touch pwned; `touch pwned`'
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "affidavit").write_text('#!/bin/sh\nprintf "%s\\n" "$@" > given\nexit 2\n')
    (programs / "affidavit").chmod(0o755)
    job = Job(
        tmp_path,
        tmp_path,
        **{"target": hostile, "model": hostile, "effort": "low", "budget-usd": "2", "fail-on": "never"},
        run="true",
        args=f"{hostile}\n\n--whole",
    )
    review = next(step for step in STEPS if step.get("id") == "review")
    assert job.run(review, str(programs)) == 2
    given = (tmp_path / "given").read_text().splitlines()
    asked = [
        hostile,
        "--run",
        "--model",
        hostile,
        "--effort",
        "low",
        "--budget-usd",
        "2",
        "--fail-on",
        "never",
    ]
    assert given[: given.index("--format")] == ["review", *asked, hostile, "--whole"]
    assert not (tmp_path / "pwned").exists()
    assert not [step for step in (INSTALLS, *STEPS) if "${{" in step["run"]]


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({}, "name a target"),
        ({"target": "--help"}, "does not begin with -"),
        ({"target": "HEAD", "run": "yes"}, "run is true or false"),
    ],
)
def test_what_cannot_be_meant_ends_the_job_before_anything_is_reviewed(
    inputs: dict[str, str], said: str, tmp_path: Path
) -> None:
    job = Job(tmp_path, tmp_path, **inputs)
    assert job.run_all() == 2
    assert said in job.log


def test_only_the_step_that_posts_holds_the_token_that_posts(tmp_path: Path) -> None:
    holding = [step for step in STEPS if "AFFIDAVIT_POST_TOKEN" in step.get("env", {})]
    assert [(step["if"], step["run"]) for step in holding] == [
        ("inputs.post == 'true'", 'affidavit post "$REPORT" --yes')
    ]


def test_the_packages_come_by_their_hashes_and_not_from_the_checkout(tmp_path: Path) -> None:
    """A pull request may bring a package named pip, and the step starts in its checkout."""
    (tmp_path / "pip").mkdir()
    (tmp_path / "pip" / "__init__.py").touch()
    (tmp_path / "pip" / "__main__.py").write_text("open('pwned', 'w')")
    job = Job(tmp_path, tmp_path)
    missing = {**INSTALLS, "env": {"ACTION_PATH": str(tmp_path / "nowhere")}}
    assert job.run(missing) != 0
    assert "nowhere" in job.log
    assert not (tmp_path / "pwned").exists()
    installs = [line for line in INSTALLS["run"].splitlines() if "pip install" in line]
    assert ["--require-hashes --only-binary :all:" in line for line in installs] == [True, False]
    assert "--no-deps --no-build-isolation" in installs[1]


def test_shellcheck_accepts_the_steps(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("shellcheck")
    for number, step in enumerate((INSTALLS, *STEPS)):
        file = tmp_path / f"{number}.sh"
        file.write_text(step["run"])
        done = subprocess.run([program, "--shell=bash", file], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
