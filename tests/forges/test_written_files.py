"""What `affidavit init` writes, held against the linters of each forge and run as a build or git would."""

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

import page as page_tool
from affidavit import __version__
from affidavit.forges.workflows.writing import Choices, workflow
from commands import affidavit
from published import webhooks
from repositories import Repo, run_git

ROOT = Path(__file__).parents[2]
DIGEST = "5d1f" * 16
FROM = "example/affidavit@" + "0a1b" * 10
SOURCE = f"https://github.com/{FROM}"
CHOICES = Choices(is_inline=True, source=SOURCE)


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


@pytest.mark.parametrize(
    "options",
    [
        ("--from", FROM, "--model", "anthropic:claude-sonnet-5", "--private"),
        ("--from", FROM, "--inline"),
        ("--from", FROM, "--inline", "--model", "anthropic:claude-sonnet-5"),
        ("--from", FROM, "--inline", "--private"),
        ("--digest", DIGEST),
    ],
)
def test_the_written_workflow_passes_zizmor(folder: Path, options: tuple[str, ...]) -> None:
    done = affidavit("init", *options, cwd=folder)
    assert done.code == 0, done.err
    for name in ("affidavit.yml", "affidavit-answered.yml"):
        code, said = zizmor(folder / ".github" / "workflows" / name)
        assert code == 0, said


def test_the_written_workflow_passes_actionlint(folder: Path, tmp_path: Path) -> None:
    files = []
    for number, choices in enumerate(
        (CHOICES, Choices(is_inline=True, source=SOURCE, model="openai:gpt-5", is_private=True))
    ):
        files.append(tmp_path / f"{number}.yml")
        files[-1].write_text(workflow("github", choices)[0].text)
    files.append(tmp_path / "answered.yml")
    files[-1].write_text(workflow("github", CHOICES)[1].text)
    assert page_tool.lint_workflows(*files) == []
    # It does look.
    wrong = tmp_path / "wrong.yml"
    wrong.write_text(files[0].read_text().replace("needs.review.outputs.code", "needs.revue.outputs.code"))
    assert [line for line in page_tool.lint_workflows(wrong) if '"revue" is not defined' in line]


def test_the_scripts_of_the_written_workflow_pass_shellcheck(tmp_path: Path) -> None:
    jobs = as_read(workflow("github", Choices(is_inline=True, source=SOURCE, model="openai:gpt-5"))[0].text)[
        "jobs"
    ]
    steps = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    assert len(steps) == 10
    program = Path(sys.executable).with_name("shellcheck")
    for number, step in enumerate(steps):
        file = tmp_path / f"{number}.sh"
        file.write_text(step)
        done = subprocess.run([program, "--shell=bash", file], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


def test_the_action_of_this_repository_passes_zizmor() -> None:
    code, said = zizmor(ROOT / "action.yml")
    assert code == 0, said


def test_the_container_file_passes_hadolint() -> None:
    file = ROOT / "Dockerfile"
    program = Path(sys.executable).with_name("hadolint")
    done = subprocess.run([program, file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def jobs_of(text: str) -> dict[str, str]:
    """The jobs of the workflow, each as its text."""
    parts = text.partition("\njobs:\n")[2].split("\n\n  ")
    return {part.strip().partition(":")[0]: part for part in parts}


def test_each_job_of_the_workflow_has_its_own_rights_and_secrets() -> None:
    jobs = jobs_of(workflow("github", Choices(is_inline=True, source=SOURCE, model="openai:gpt-5"))[0].text)
    assert list(jobs) == ["review", "recheck", "post", "queue", "packages"]
    assert "permissions:\n      statuses: write\n    steps" in jobs.pop("queue")
    assert "permissions: {}" in jobs["packages"]
    assert "write" not in jobs["review"].partition("steps:")[0]
    assert "secrets.OPENAI_API_KEY" in jobs["review"]
    assert "permissions: {}" in jobs["recheck"]
    assert "secrets." not in jobs["recheck"]
    assert "github.token" not in jobs["recheck"]
    assert "OPENAI_API_KEY" not in jobs["post"]
    assert "--rechecked rechecked/recheck.json" in jobs["post"]
    assert all(job.count("actions/checkout") == 1 for job in jobs.values())
    assert all("ref: ${{ github.event.repository.default_branch }}\n" in job for job in jobs.values())
    assert not any("head." in job or "refs/pull" in job for job in jobs.values())


def value(expression: str, event_name: str, event: dict[str, Any]) -> Any:
    """What GitHub makes of an expression of ours; a field that is not there is nothing."""

    def at(path: str) -> Any:
        found: Any = {"event_name": event_name, "event": event, "run_id": 99}
        for name in path.split("."):
            found = found.get(name) if isinstance(found, dict) else None
        return found

    text = " ".join(expression.removeprefix("${{").removesuffix("}}").split())
    text = re.sub(r"!(?!=)", " not ", text.replace("&&", " and ").replace("||", " or "))
    text = re.sub(r"github\.([a-z_.]+)", r"at('\1')", text)
    known = {
        "at": at,
        "contains": lambda among, one: one in among,
        "fromJSON": json.loads,
        "startsWith": lambda text, start: (text or "").startswith(start),
        "format": lambda text, *values: text.format(*values),
    }
    return eval(text, known)


def comment(association: str, body: str = "/affidavit dismiss why") -> dict[str, Any]:
    """GitHub's own example of a comment on a pull request, said by somebody."""
    event: dict[str, Any] = deepcopy(next(one for one in webhooks()["issue_comment"]))
    event["issue"] |= {"number": 7, "pull_request": {"html_url": "https://github.com/o/r/pull/7"}}
    event["comment"] |= {"author_association": association, "body": body}
    return event


@pytest.mark.parametrize(
    ("association", "starts"),
    [
        ("OWNER", True),
        ("MEMBER", True),
        ("COLLABORATOR", True),
        ("CONTRIBUTOR", False),
        ("FIRST_TIME_CONTRIBUTOR", False),
        ("NONE", False),
    ],
)
def test_a_comment_starts_a_run_only_by_people_of_the_repository(association: str, starts: bool) -> None:
    content = as_read(workflow("github", CHOICES)[0].text)
    condition, group = content["jobs"]["review"]["if"], content["concurrency"]["group"]
    event = comment(association)
    assert bool(value(condition, "issue_comment", event)) is starts
    # Nor does it end the run of somebody else: its group is its own.
    assert value(group.removeprefix("affidavit-"), "issue_comment", event) == (7 if starts else 99)
    assert not value(condition, "issue_comment", comment(association, "thanks, /affidavit dismiss"))
    on_issue = comment(association)
    del on_issue["issue"]["pull_request"]
    assert not value(condition, "issue_comment", on_issue)


def answered(conclusion: str) -> dict[str, Any]:
    """That the small workflow has ended, as far as our expressions ask about it."""
    run = {"event": "pull_request_review_comment", "conclusion": conclusion, "display_title": "7"}
    return {"workflow_run": run, "repository": {"html_url": "https://github.com/o/r"}}


def test_an_answer_in_a_thread_starts_a_run_of_the_default_branch_by_way_of_a_workflow_without_rights() -> (
    None
):
    whole, small = (as_read(one.text) for one in workflow("github", CHOICES)[:2])
    # YAML reads `on` as true.
    triggers: Any = {**whole, **{str(name): value for name, value in whole.items()}}["True"]
    assert triggers["workflow_run"] == {"workflows": [small["name"]], "types": ["completed"]}
    assert "pull_request_review_comment" not in triggers
    assert small["permissions"] == {}
    assert "permissions" not in small["jobs"]["answered"]
    assert small["jobs"]["answered"]["steps"] == [{"run": "true"}]
    guard = small["jobs"]["answered"]["if"]
    for association, starts in (("MEMBER", True), ("CONTRIBUTOR", False)):
        assert bool(value(guard, "pull_request_review_comment", comment(association))) is starts
    review = whole["jobs"]["review"]
    group = whole["concurrency"]["group"].removeprefix("affidavit-")
    assert value(review["steps"][0]["env"]["NUMBER"], "workflow_run", answered("success")) == "7"
    for conclusion, starts in (("success", True), ("skipped", False), ("failure", False)):
        assert bool(value(review["if"], "workflow_run", answered(conclusion))) is starts
        assert value(group, "workflow_run", answered(conclusion)) == ("7" if starts else 99)


def test_what_the_recheck_keeps_cannot_replace_the_report_that_is_posted(tmp_path: Path) -> None:
    steps = as_read(workflow("github", CHOICES)[0].text)["jobs"]["post"]["steps"]
    taken = {
        step["with"]["name"]: step["with"]["path"] for step in steps if "download" in step.get("uses", "")
    }
    assert taken == {"affidavit-report": "reviewed", "affidavit-recheck": "rechecked"}
    script = next(step["run"] for step in steps if "affidavit post" in step.get("run", ""))
    (tmp_path / "affidavit").write_text('#!/bin/sh\necho "$@"\n')
    (tmp_path / "affidavit").chmod(0o755)
    for folder, file in (("reviewed", "report.json"), ("rechecked", "recheck.json")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / file).write_text("{}")
    env = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "REQUEST": "u", "SIGNING_KEY": ""}
    digest = hashlib.sha256(b"{}").hexdigest()
    for sha256, code in ((digest, 0), ("0" * 64, 1)):
        done = subprocess.run(
            ["bash", "-e", "-c", script],
            cwd=tmp_path,
            env={**env, "SHA256": sha256},
            capture_output=True,
            check=False,
        )
        assert done.returncode == code, done.stderr
        assert (b"post reviewed/report.json" in done.stdout) is (code == 0)


def test_on_gitlab_only_the_report_that_the_review_job_put_out_is_posted(tmp_path: Path) -> None:
    jobs = as_read(workflow("gitlab", CHOICES)[0].text)
    review, post = jobs["affidavit-review"], jobs["affidavit-post"]
    # Neither a file nor a variable of the recheck reaches the job that posts.
    assert post["needs"] == ["affidavit-review", {"job": "affidavit-recheck", "artifacts": False}]
    assert review["artifacts"]["reports"] == {"dotenv": "digest.env"}
    (tmp_path / "affidavit").write_text('#!/bin/sh\necho "$@"\n')
    (tmp_path / "affidavit").chmod(0o755)
    (tmp_path / "report.json").write_text("{}")
    env = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "AFFIDAVIT_REQUEST": "u"}
    run_as_job(tmp_path, review, env)
    name, _, digest = (tmp_path / "digest.env").read_text().strip().partition("=")
    assert digest == hashlib.sha256(b"{}").hexdigest()
    posted = run_as_job(tmp_path, post, {**env, name: digest})
    assert b"post report.json --url u --rechecked job:affidavit-recheck --yes" in posted.stdout
    for wrong in ({name: "0" * 64}, {}):
        refused = run_as_job(tmp_path, post, {**env, **wrong})
        assert refused.returncode != 0
        assert b"post report.json" not in refused.stdout


def run_as_job(folder: Path, job: dict[str, Any], env: dict[str, str]) -> subprocess.CompletedProcess[bytes]:
    """The script of a job of GitLab, as its runner runs it."""
    script = "\n".join(["set -eo pipefail", *job["script"]])
    return subprocess.run(["bash", "-c", script], cwd=folder, env=env, capture_output=True, check=False)


def test_a_draft_waits_until_it_is_ready() -> None:
    condition = as_read(workflow("github", CHOICES)[0].text)["jobs"]["review"]["if"]
    for is_draft in (True, False):
        event = {"pull_request": {"draft": is_draft, "number": 7}}
        assert bool(value(condition, "pull_request_target", event)) is not is_draft


def test_without_a_model_the_review_has_no_secret() -> None:
    jobs = jobs_of(workflow("github", CHOICES)[0].text)
    assert "secrets." not in jobs["review"]


def test_a_workflow_that_is_there_is_not_overwritten_unasked(folder: Path) -> None:
    assert affidavit("init", "--inline", "--from", FROM, cwd=folder).code == 0
    again = affidavit("init", "--inline", "--from", FROM, cwd=folder)
    assert again.code == 2
    assert "--force" in again.err


def test_a_lock_that_called_jobs_do_not_use_is_named(folder: Path) -> None:
    inline = affidavit("init", "--inline", "--from", FROM, cwd=folder)
    called = affidavit("init", "--from", FROM, "--force", cwd=folder)
    lock = folder / ".github" / "affidavit.lock"
    assert f"{lock} is no longer used" in called.err
    assert "no longer used" not in inline.err
    assert lock.is_file()


def test_the_gitlab_jobs_are_yaml_that_a_linter_reads(folder: Path) -> None:
    assert (
        affidavit(
            "init", "--inline", "--from", FROM, "--forge", "gitlab", "--model", "openai:gpt-5", cwd=folder
        ).code
        == 0
    )
    file = folder / ".gitlab" / "affidavit.yml"
    program = Path(sys.executable).with_name("yamllint")
    rules = "{extends: default, rules: {line-length: {max: 160}, document-start: disable}}"
    done = subprocess.run([program, "-d", rules, file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def as_read(text: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(text)
    return content


def test_the_jobs_on_gitlab_have_variables_of_their_own_by_environment() -> None:
    jobs = as_read(workflow("gitlab", Choices(is_inline=True, source=SOURCE, model="openai:gpt-5"))[0].text)
    review, recheck, post = (jobs[f"affidavit-{name}"] for name in ("review", "recheck", "post"))
    assert review["environment"] == {"name": "affidavit-review", "action": "access"}
    assert post["environment"] == {"name": "affidavit-post", "action": "access"}
    assert "environment" not in recheck
    assert "environment" not in jobs["affidavit"]
    on_default = "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH && $AFFIDAVIT_REQUEST"
    assert all(job["rules"] == [{"if": on_default}] for job in (review, recheck, post))
    assert "--previous posted" in " ".join(review["script"])
    assert "report.json" in post["artifacts"]["paths"]


def test_in_a_private_project_of_gitlab_the_job_without_a_secret_reviews_what_git_has() -> None:
    public, private = (
        as_read(workflow("gitlab", Choices(is_inline=True, source=SOURCE, is_private=is_private))[0].text)[
            "affidavit"
        ]
        for is_private in (False, True)
    )
    assert "merge_requests/$CI_MERGE_REQUEST_IID" in public["script"][0]
    assert private["script"][0].startswith(
        'affidavit review "$CI_MERGE_REQUEST_DIFF_BASE_SHA...$CI_COMMIT_SHA" --format'
    )
    assert private["variables"] == {"GIT_STRATEGY": "fetch", "GIT_DEPTH": "0"}


@pytest.mark.parametrize(
    ("job", "variable", "code"),
    [
        ("affidavit-review", "AFFIDAVIT_POST_TOKEN", 2),
        ("affidavit-review", "AFFIDAVIT_SIGNING_KEY_FILE", 2),
        ("affidavit-review", "OPENAI_API_KEY", 0),
        ("affidavit-recheck", "AFFIDAVIT_POST_TOKEN", 2),
        ("affidavit-recheck", "AFFIDAVIT_SIGNING_KEY_FILE", 2),
        ("affidavit-recheck", "AFFIDAVIT_GITLAB_TOKEN", 2),
        ("affidavit-recheck", "OPENAI_API_KEY", 2),
        ("affidavit-recheck", "ANOTHER", 0),
    ],
)
def test_a_secret_that_reaches_the_wrong_job_of_gitlab_ends_it(job: str, variable: str, code: int) -> None:
    first = as_read(workflow("gitlab", Choices(is_inline=True, source=SOURCE, model="openai:gpt-5"))[0].text)[
        job
    ]["script"][0]
    done = subprocess.run(["sh", "-c", first], env={variable: "secret"}, capture_output=True, check=False)
    assert done.returncode == code
    assert b"secret" not in done.stdout


def test_the_groups_of_gitlab_have_names_that_it_takes() -> None:
    jobs = as_read(workflow("gitlab", CHOICES)[0].text)
    groups = [job["resource_group"] for job in jobs.values() if "resource_group" in job]
    # Letters, digits, and a few marks; a colon, as in an address, is refused.
    assert groups
    assert all(re.fullmatch(r"[A-Za-z0-9_/$.{} -]+", name) for name in groups)


def pinned(text: str) -> dict[str, tuple[str, int]]:
    """Each package of a list with its version and how many hashes it has."""
    found = {}
    for entry in re.split(r"\n(?=[a-z])", text):
        if name := re.match(r"([a-z0-9._-]+)==(\S+)", entry):
            found[name[1]] = (name[2], entry.count("--hash=sha256:"))
    return found


@pytest.mark.parametrize(("forge", "place"), [("github", ".github"), ("gitlab", ".gitlab")])
def test_everything_that_a_job_installs_is_pinned_by_hashes(folder: Path, forge: str, place: str) -> None:
    done = affidavit("init", "--forge", forge, "--digest", f"sha256:{DIGEST}", cwd=folder)
    assert done.code == 0, done.err
    packages = pinned((folder / place / "affidavit.lock").read_text())
    assert packages["affidavit"] == (__version__, 1)
    assert all(hashes for _, hashes in packages.values())
    jobs = next((folder / place).rglob("affidavit.yml")).read_text()
    installs = [line for line in jobs.splitlines() if "pip install" in line]
    assert installs
    assert all("--no-deps --require-hashes --only-binary :all: -r" in line for line in installs)


def test_init_names_no_package_that_the_index_does_not_have(folder: Path) -> None:
    refused = affidavit("init", cwd=folder)
    assert (refused.code, "--from OWNER/REPO@COMMIT" in " ".join(refused.err.split())) == (2, True), (
        refused.err
    )
    assert not (folder / ".github").exists()
    done = affidavit("init", "--inline", "--from", FROM, cwd=folder)
    assert done.code == 0, done.err
    jobs = (folder / ".github" / "workflows" / "affidavit.yml").read_text()
    assert jobs.count(f'FROM="affidavit @ git+{SOURCE}"\n') == 4
    loose = {line.strip() for line in jobs.splitlines() if "pip install" in line and "hashes" not in line}
    assert {line.partition("--no-deps ")[2] for line in loose} == {'--no-build-isolation "$FROM"'}
    packages = pinned((folder / ".github" / "affidavit.lock").read_text())
    assert "affidavit" not in packages
    assert packages["hatchling"][1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--digest", "abc"), "64 hexadecimal digits"),
        (("--from", "owner/repo@main"), "can be moved"),
        (("--from", "http://host/owner/repo@" + "0" * 40), "can be moved"),
        (("--from", 'o/r"; curl evil #@' + "0" * 40), "can be moved"),
        (("--from", FROM, "--digest", DIGEST), "give one of them"),
    ],
)
def test_what_names_no_certain_version_is_refused(folder: Path, options: tuple[str, ...], said: str) -> None:
    done = affidavit("init", *options, cwd=folder)
    assert (done.code, said in " ".join(done.err.split())) == (2, True), done.err


def test_the_written_command_installs_a_commit(tmp_path: Path) -> None:
    steps = as_read(workflow("github", CHOICES)[0].text)["jobs"]["review"]["steps"]
    script = next(step["run"] for step in steps if "no-build-isolation" in step.get("run", ""))
    commit = run_git(ROOT, "rev-parse", "HEAD").decode().strip()
    local = "\n".join(script.splitlines()[-2:]).replace(
        f"affidavit @ git+{SOURCE}", f"git+file://{ROOT}@{commit}"
    )
    command = (
        local.replace("python -I -m pip", shlex.quote(sys.executable) + " -I -m pip")
        + f" --target {tmp_path}"
    )
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "affidavit" / "__main__.py").exists()


def test_the_hashes_that_come_along_are_of_what_this_version_asks_for() -> None:
    kept = pinned(workflow("github", CHOICES)[-1].text)
    everything = pinned((ROOT / "requirements.lock").read_text())
    assert {name: version for name, (version, _) in kept.items()} == {
        name: everything[name][0] for name in kept
    }
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert {Requirement(one).name for one in asked} <= kept.keys()


def test_the_short_example_of_the_documents_installs_and_uses_what_init_writes(tmp_path: Path) -> None:
    example = (ROOT / "docs" / "ci.md").read_text().split("```yaml\n")[1].partition("```")[0]
    written = workflow("github", CHOICES)[0].text
    assert set(re.findall(r"uses: (.*)", example)) <= set(re.findall(r"uses: (.*)", written))
    example = example.replace("https://github.com/OWNER/REPO@COMMIT", SOURCE)
    installs = [line.strip() for line in example.splitlines() if "pip install" in line or "FROM=" in line]
    as_written = {line.strip() for line in written.splitlines() if "pip install" in line or "FROM=" in line}
    # The list comes from the base branch: what is checked out is the pull request.
    assert {one.replace('"$RUNNER_TEMP/affidavit.lock"', ".github/affidavit.lock") for one in installs} == (
        as_written
    )
    assert 'git show "origin/$GITHUB_BASE_REF:.github/affidavit.lock" > "$RUNNER_TEMP/' in example
    (tmp_path / "short.yml").write_text(example)
    assert page_tool.lint_workflows(tmp_path / "short.yml") == []
    code, said = zizmor(tmp_path / "short.yml")
    assert code == 0, said


def test_a_model_in_a_build_has_a_budget(folder: Path) -> None:
    text = workflow("github", Choices(is_inline=True, source=SOURCE, model="openai:gpt-5"))[0].text
    assert 'AFFIDAVIT_BUDGET_USD: "5"' in jobs_of(text)["review"]
    assert "AFFIDAVIT_BUDGET_USD" not in workflow("github", CHOICES)[0].text
    done = affidavit(
        "init",
        "--inline",
        "--from",
        FROM,
        "--forge",
        "gitlab",
        "--model",
        "openai:gpt-5",
        "--budget-usd",
        "1.5",
        cwd=folder,
    )
    assert done.code == 0, done.err
    jobs = as_read((folder / ".gitlab" / "affidavit.yml").read_text())
    assert jobs["affidavit-review"]["variables"] == {
        "AFFIDAVIT_MODEL": "openai:gpt-5",
        "AFFIDAVIT_BUDGET_USD": "1.5",
    }
    assert affidavit("init", "--budget-usd", "1.5", "--force", cwd=folder).code == 2


@pytest.mark.parametrize("link", [".github", ".github/workflows"])
@pytest.mark.parametrize("force", [(), ("--force",)])
def test_nothing_is_written_through_a_link_that_leads_out(
    folder: Path, link: str, force: tuple[str, ...]
) -> None:
    outside = folder.parent / "outside"
    outside.mkdir()
    (folder / link).parent.mkdir(exist_ok=True)
    (folder / link).symlink_to(outside)
    done = affidavit("init", "--inline", "--from", FROM, *force, cwd=folder)
    assert done.code == 2
    assert "leads out of" in done.err
    assert list(outside.iterdir()) == []
    assert not (folder / ".github" / "affidavit.lock").exists()


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_a_file_that_is_a_link_is_named_as_one(folder: Path, force: tuple[str, ...]) -> None:
    (folder / ".github" / "workflows").mkdir(parents=True)
    (folder / ".github" / "workflows" / "affidavit.yml").symlink_to("ci.yml")
    done = affidavit("init", "--inline", "--from", FROM, *force, cwd=folder)
    assert done.code == 2
    assert "affidavit.yml is a link to ci.yml" in done.err
    assert "--force overwrites" not in done.err


def test_a_link_within_the_repository_is_followed(folder: Path) -> None:
    (folder / "forge").mkdir()
    (folder / ".github").symlink_to("forge")
    assert affidavit("init", "--inline", "--from", FROM, cwd=folder).code == 0
    assert (folder / "forge" / "workflows" / "affidavit.yml").is_file()
