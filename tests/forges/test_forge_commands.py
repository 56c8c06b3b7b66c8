"""The commands, as users and builds run them, against a GitHub in memory."""

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from affidavit.forges.workflows.writing import workflow
from commands import AFFIDAVIT, affidavit, environment_of
from github_server import GitHubServer
from posting_flow import ALL_BUT_RUFF
from repositories import Repo, run_git
from shop import HEAD_FILES


def variables(github: GitHubServer, **more: str) -> dict[str, str]:
    return {
        "AFFIDAVIT_GITHUB_HOSTS": github.url,
        "AFFIDAVIT_ANALYSERS_OFF": ALL_BUT_RUFF,
        "AFFIDAVIT_POST_AS": "affidavit[bot]",
        "GITHUB_TOKEN": "read",
        "GITHUB_ACTIONS": "",
        **more,
    }


def test_review_recheck_and_post_are_three_steps_with_rights_of_their_own(
    github: GitHubServer, tmp_path: Path
) -> None:
    reads = variables(github)
    done = affidavit("review", github.address.url, "--format", "report=report.json", cwd=tmp_path, env=reads)
    assert done.code == 1, done.err
    assert "price_in" in done.out
    checked = affidavit("recheck", "report.json", "--fetch", "--format", "json", cwd=tmp_path, env=reads)
    assert checked.code == 0, checked.err
    (tmp_path / "recheck.json").write_text(checked.out)
    writes = variables(github, AFFIDAVIT_POST_TOKEN="ghs_app")
    post = ("post", "report.json", "--rechecked", "recheck.json")
    planned = affidavit(*post, cwd=tmp_path, env=writes)
    assert planned.code == 0, planned.err
    assert "would be posted" in planned.out
    assert github.comments == []
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    posted = affidavit(*post, "--yes", "--sign", key, cwd=tmp_path, env=writes)
    assert posted.code == 0, posted.err
    assert "proven again by an independent recheck" in github.comments[0]["body"]
    assert "signed with `SHA256:" in github.comments[0]["body"]
    assert (tmp_path / "report.json.sig").is_file()
    assert [run["conclusion"] for run in github.checks] == ["failure"]
    github.react("mel", github.inline[0]["id"])
    again = affidavit(*post, "--yes", cwd=tmp_path, env=writes)
    assert f"labelled wrong, by mel on {github.host.name}" in again.err
    assert "labelled" not in affidavit(*post, "--yes", cwd=tmp_path, env=writes).err


def test_a_report_that_the_recheck_does_not_confirm_is_not_posted(
    github: GitHubServer, tmp_path: Path
) -> None:
    affidavit(
        "review", github.address.url, "--format", "report=r.json", "-q", cwd=tmp_path, env=variables(github)
    )
    checked = affidavit(
        "recheck", "r.json", "--fetch", "--format", "json", cwd=tmp_path, env=variables(github)
    )
    content = json.loads(checked.out)
    writes = variables(github, AFFIDAVIT_POST_TOKEN="write")
    refusals = {
        "another": {**content, "report_sha256": "0" * 64},
        "ended with 1": {**content, "exit_code": 1},
        "ended with 2": {**content, "exit_code": 2},
        "not what": [],
    }
    for said, given in refusals.items():
        (tmp_path / "recheck.json").write_text(json.dumps(given))
        done = affidavit("post", "r.json", "--rechecked", "recheck.json", "--yes", cwd=tmp_path, env=writes)
        assert done.code == 2
        assert said in done.err
    assert github.comments == []
    proof = {"finding": "ty-0", "kind": "analyser", "holds": None, "detail": "not installed", "title": ""}
    in_part = {**content, "exit_code": 3, "proofs": [*content["proofs"], proof]}
    (tmp_path / "recheck.json").write_text(json.dumps(in_part))
    done = affidavit("post", "r.json", "--rechecked", "recheck.json", "--yes", cwd=tmp_path, env=writes)
    assert done.code == 0, done.err
    assert "not proven again: ty-0 analyser: not installed" in github.comments[0]["body"]


def test_review_with_post_gives_the_token_that_writes_to_the_poster_alone(
    github: GitHubServer, tmp_path: Path
) -> None:
    environment = environment_of(tmp_path / "data", variables(github, AFFIDAVIT_POST_TOKEN="write"))
    command = [str(AFFIDAVIT), "review", github.address.url, "--post", "-q"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert len(github.inline) == 1
    assert {token for token in github.git_tokens if token} == {"read"}
    # First one process with one token, then the other with the other.
    tokens = [one.token for one in github.asked]
    assert tokens == ["read"] * tokens.count("read") + ["write"] * tokens.count("write")


def test_the_next_review_follows_the_report_of_the_one_before(github: GitHubServer, tmp_path: Path) -> None:
    reads, writes = variables(github), variables(github, AFFIDAVIT_POST_TOKEN="write")
    url = github.address.url
    affidavit("review", url, "--format", "report=1.json", "-q", "--no-store", cwd=tmp_path, env=reads)
    assert affidavit("post", "1.json", "--yes", cwd=tmp_path, env=writes).code == 0
    fixed = HEAD_FILES["cart.py"].replace("price_in(currency, item)", "item.price")
    github.push(github.origin.commit("topic", {"cart.py": fixed}, "Fix"))
    followed = ("--previous", "1.json", "--format", "report=2.json", "-q", "--no-store")
    done = affidavit("review", url, *followed, cwd=tmp_path, env=reads)
    assert done.code == 0, done.err
    report = json.loads((tmp_path / "2.json").read_text())
    assert [one["fate"] for one in report["follow_up"]["decisions"]] == ["fixed"]
    assert affidavit("post", "2.json", "--yes", cwd=tmp_path, env=writes).code == 0
    assert [one["isResolved"] for one in github.threads.values()] == [True]
    assert "Fixed since the last review: 1" in github.comments[0]["body"]


def test_post_without_a_token_for_it_says_what_to_set(github: GitHubServer, tmp_path: Path) -> None:
    done = affidavit("review", github.address.url, "--post", cwd=tmp_path, env=variables(github))
    assert done.code == 2
    assert "AFFIDAVIT_POST_TOKEN" in done.err


def test_a_host_that_nobody_named_is_not_asked(tmp_path: Path) -> None:
    done = affidavit("review", "https://git.example.org/o/r/pull/1", cwd=tmp_path)
    assert done.code == 2
    assert "no forge that may be asked" in done.err


def test_no_token_is_in_any_output(github: GitHubServer, tmp_path: Path) -> None:
    github.tokens = {"hunter2hunter2": "rob"}
    github.is_private = True
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "git").write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path}/called\nexec {shutil.which("git")} "$@"\n'
    )
    (programs / "git").chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    env = variables(github, GITHUB_TOKEN="hunter2hunter2", PATH=path)
    good = affidavit("review", github.address.url, "--format", "report", cwd=tmp_path, env=env)
    github.tokens = {}
    bad = affidavit("review", github.address.url, "--debug", cwd=tmp_path, env=env)
    assert "Bad credentials" in bad.err
    called = (tmp_path / "called").read_text()
    assert "fetch" in called
    assert not any("hunter2" in text for text in (good.out, good.err, bad.out, bad.err, called))


# init


@pytest.fixture
def folder(repo: Repo) -> Path:
    repo.git("remote", "add", "origin", "git@github.com:owner/repo.git")
    return repo.path


def zizmor(file: Path) -> tuple[int, str]:
    program = Path(sys.executable).with_name("zizmor")
    done = subprocess.run(
        [program, "--offline", "--no-progress", file], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("options", [(), ("--model", "anthropic:claude-sonnet-5"), ("--private",)])
def test_the_written_workflow_passes_zizmor(folder: Path, options: tuple[str, ...]) -> None:
    done = affidavit("init", *options, cwd=folder)
    assert done.code == 0, done.err
    code, said = zizmor(folder / ".github" / "workflows" / "affidavit.yml")
    assert code == 0, said


def test_the_action_of_this_repository_passes_zizmor() -> None:
    code, said = zizmor(Path(__file__).parents[2] / "action.yml")
    assert code == 0, said


def test_the_container_file_passes_hadolint() -> None:
    file = Path(__file__).parents[2] / "Dockerfile"
    program = Path(sys.executable).with_name("hadolint")
    done = subprocess.run([program, file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def jobs_of(text: str) -> dict[str, str]:
    """The three jobs of the workflow, each as its text."""
    parts = text.partition("\njobs:\n")[2].split("\n\n  ")
    return {part.strip().partition(":")[0]: part for part in parts}


def test_each_job_of_the_workflow_has_its_own_rights_and_secrets() -> None:
    jobs = jobs_of(workflow("github", "openai:gpt-5", is_private=False).text)
    assert list(jobs) == ["review", "recheck", "post"]
    assert "write" not in jobs["review"].partition("steps:")[0]
    assert "secrets.OPENAI_API_KEY" in jobs["review"]
    assert "permissions: {}" in jobs["recheck"]
    assert "secrets." not in jobs["recheck"]
    assert "github.token" not in jobs["recheck"]
    assert "OPENAI_API_KEY" not in jobs["post"]
    assert "--rechecked recheck.json" in jobs["post"]
    assert not any("actions/checkout" in job for job in jobs.values())


def test_without_a_model_the_review_has_no_secret() -> None:
    jobs = jobs_of(workflow("github", None, is_private=False).text)
    assert "secrets." not in jobs["review"]


def test_a_workflow_that_is_there_is_not_overwritten_unasked(folder: Path) -> None:
    assert affidavit("init", cwd=folder).code == 0
    again = affidavit("init", cwd=folder)
    assert again.code == 2
    assert "--force" in again.err


def test_the_gitlab_jobs_are_yaml_that_a_linter_reads(folder: Path) -> None:
    assert affidavit("init", "--forge", "gitlab", "--model", "openai:gpt-5", cwd=folder).code == 0
    file = folder / ".gitlab" / "affidavit.yml"
    program = Path(sys.executable).with_name("yamllint")
    rules = "{extends: default, rules: {line-length: {max: 120}, document-start: disable}}"
    done = subprocess.run([program, "-d", rules, file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_hooks_are_programs_that_stop_a_bad_commit_and_a_bad_push(folder: Path, repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "x = 1\n"})
    assert affidavit("init", "--hook", "pre-commit", "--hook", "pre-push", cwd=folder).code == 0
    hooks = folder / ".git" / "hooks"
    assert all((hooks / name).stat().st_mode & stat.S_IXUSR for name in ("pre-commit", "pre-push"))
    program = Path(sys.executable).with_name("shellcheck")
    subprocess.run([program, hooks / "pre-commit", hooks / "pre-push"], check=True)
    repo.write({"a.py": "x = undefined_name\n"})
    repo.git("add", "-A")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**environment_of(folder.parent / "data"), "PATH": path, "AFFIDAVIT_ANALYSERS_OFF": ALL_BUT_RUFF}

    def git(*arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(["git", *arguments], cwd=folder, env=env, capture_output=True, check=False)

    done = git("commit", "-m", "Bad")
    assert done.returncode != 0
    assert b"undefined_name" in done.stdout + done.stderr
    run_git(folder.parent, "init", "-q", "--bare", "-b", "main", "there.git")
    repo.git("remote", "set-url", "origin", str(folder.parent / "there.git"))
    first = git("push", "origin", "HEAD:main")
    assert b"not reviewed, since origin has no known main branch" in first.stderr
    repo.git("remote", "set-head", "origin", "main")
    repo.git("commit", "-q", "--no-verify", "-m", "Bad")
    done = git("push", "origin", "HEAD:topic")
    assert done.returncode != 0
    assert b"undefined_name" in done.stdout + done.stderr


def test_a_proxy_of_the_environment_is_used_for_the_forge_and_for_git(
    github: GitHubServer, tmp_path: Path
) -> None:
    nobody = "http://localhost:1"
    env = variables(github, AFFIDAVIT_GITHUB_HOSTS=nobody, HTTP_PROXY=github.url, http_proxy=github.url)
    env |= {"NO_PROXY": "", "no_proxy": ""}
    done = affidavit("review", f"{nobody}/shop/cart/pull/7", cwd=tmp_path, env=env)
    assert done.code == 1, done.err
    assert github.git_requests > 0
