"""A change that ships configuration, plug-ins, programs or links gets none of its code run."""

import asyncio
import os

import pytest

from affidavit.analysers.engine.execution import find_executable, isolated_environment
from affidavit.analysers.engine.specialist import MechanicalSpecialist, mechanical_specialists
from affidavit.analysers.registry import all_analysers
from python_changes import Case


def traps(mark):
    """Every file that some tool is known to take code from, each of which would leave a mark."""
    python = f"import pathlib; pathlib.Path({str(mark)!r}).write_text('ran')\n"
    shell = f"#!/bin/sh\necho ran > {mark}\n"
    script = f"require('fs').writeFileSync({str(mark)!r}, 'ran')\n"
    plugin = '{"jsPlugins": ["./plugin.js"], "plugins": ["./plugin.js"], "extends": ["./plugin.js"]}\n'
    pythons = (
        "sitecustomize",
        "usercustomize",
        "conftest",
        "yamllint",
        "kingfisher",
        "json",
        "yaml",
    )
    tools = ("oxlint", "shellcheck", "hadolint", "zizmor", "yamllint", "kingfisher", "ruff", "ty")
    return {
        **{f"{name}.py": python for name in pythons},
        "setup.py": python,
        "setup.cfg": "[bandit]\nplugins = conftest\n[flake8:local-plugins]\nextension = X = conftest:run\n",
        ".bandit": "[bandit]\nprofile = conftest\n",
        "pyproject.toml": "[tool.bandit]\nplugins = ['conftest']\n[tool.ruff]\nextend = 'conftest.py'\n",
        ".shellcheckrc": "external-sources=true\nsource-path=/\nenable=all\n",
        ".hadolint.yaml": "format: tty\nno-fail: false\nfailure-threshold: style\n",
        ".yamllint": "extends: conftest\nyaml-files: ['*']\nlocale: x\n",
        "zizmor.yml": "rules: {template-injection: {disable: true}}\n",
        ".oxlintrc.json": plugin,
        "web/.oxlintrc.json": plugin,
        "oxlint.config.ts": script,
        "plugin.js": script,
        "web/plugin.js": script,
        ".npmrc": f"node-options=--require={mark}\nscript-shell=./trap.sh\n",
        "package.json": '{"scripts": {"preinstall": "./trap.sh"}, "type": "commonjs"}\n',
        "trap.sh": shell,
        **{f"node_modules/.bin/{name}": shell for name in tools},
        **dict.fromkeys(tools, shell),
        **{f"bin/{name}": shell for name in tools},
    }


INNOCENT = {
    "a.py": "VALUE = 1\n",
    "a.sh": "#!/bin/sh\n. ./trap.sh\necho 1\n",
    "Dockerfile": "FROM debian:12\nRUN ./trap.sh\n",
    ".github/workflows/ci.yml": "on: push\njobs: {a: {runs-on: x, steps: [{run: ./trap.sh}]}}\n",
    "web/a.ts": "export const a = 1;\n",
    "a.yaml": "a: !!python/object/apply:os.system ['./trap.sh']\n",
}


def plant(repo, mark):
    """Write the traps, all executable, and links that lead out."""
    repo.write(traps(mark))
    for name in traps(mark):
        (repo.path / name).chmod(0o755)
    for name in ("link.py", "link.sh", "link.yaml", "web/link.ts"):
        (repo.path / name).symlink_to("/etc/passwd")


@pytest.mark.parametrize("side", ["base", "head"])
def test_no_analyser_runs_code_of_the_repository(side, repo, tmp_path, monkeypatch):
    mark = tmp_path / "mark"
    if side == "base":
        plant(repo, mark)
    base = repo.commit("Before", {"x": ""})
    if side == "head":
        plant(repo, mark)
    one = Case(repo, base, repo.commit("After", INNOCENT))
    # A user who calls the review from inside the repository, with its programs on PATH.
    monkeypatch.chdir(repo.path)
    folders = [str(repo.path), str(repo.path / "bin"), str(repo.path / "node_modules/.bin"), "."]
    monkeypatch.setenv("PATH", os.pathsep.join([*folders, os.environ["PATH"]]))
    monkeypatch.setenv("PYTHONPATH", str(repo.path))
    monkeypatch.setenv("NODE_OPTIONS", f"--require={repo.path}/plugin.js")
    try:
        replies = asyncio.run(everybody(one))
    finally:
        one.repository.close()
    assert not mark.exists()
    assert [part.reason for reply in replies for part in reply.incomplete] == []
    # The user's own compilers may not be installed here: then nothing else is taken for them.
    brought = {analyser.name for analyser in all_analysers() if analyser.distribution}
    runs = [run for reply in replies for run in reply.analyser_runs if run.analyser in brought]
    assert {run.state for run in runs} <= {"completed", "nothing_to_do"}


async def everybody(one):
    return await asyncio.gather(*(each.examine(one.case) for each in mechanical_specialists()))


@pytest.mark.parametrize("analyser", all_analysers(), ids=lambda analyser: analyser.name)
def test_a_program_in_the_repository_is_not_the_analyser(analyser, repo):
    repo.write({f"bin/{analyser.executable}": "#!/bin/sh\n"})
    (repo.path / "bin" / analyser.executable).chmod(0o755)
    found = find_executable(
        analyser.executable, reviewed_folder=repo.path, search_path=str(repo.path / "bin")
    )
    assert found is None or not found.is_relative_to(repo.path)


def test_a_name_with_a_folder_must_be_absolute_and_outside(repo, tmp_path, monkeypatch):
    for place in (repo.path / "tool", tmp_path / "tool"):
        place.write_text("#!/bin/sh\n")
        place.chmod(0o755)
    monkeypatch.chdir(repo.path)
    assert find_executable("./tool", reviewed_folder=None) is None
    assert find_executable(str(repo.path / "tool"), reviewed_folder=repo.path) is None
    assert find_executable(str(tmp_path / "tool"), reviewed_folder=repo.path) == tmp_path / "tool"
    assert find_executable(str(tmp_path / "missing"), reviewed_folder=repo.path) is None


def test_the_environment_has_nothing_of_the_users(tmp_path, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    environment = isolated_environment(tmp_path)
    assert set(environment) == {
        "HOME",
        "LANG",
        "NO_COLOR",
        "PATH",
        "TMPDIR",
        "XDG_CACHE_HOME",
        "XDG_CONFIG_HOME",
    }


@pytest.mark.parametrize("analyser", all_analysers(), ids=lambda analyser: analyser.name)
def test_a_link_is_not_followed(analyser, case, repo):
    pattern = analyser.patterns[0].replace("*", "link")
    place = repo.path / pattern
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to("/etc/passwd")
    reply = asyncio.run(MechanicalSpecialist(analyser).examine(case({}, {"note": "1"}).case))
    assert all(run.files <= 1 and run.diagnostics == 0 for run in reply.analyser_runs)
