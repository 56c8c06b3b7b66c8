"""The report of the review before is found on the forge, by the run that posted it."""

import asyncio
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from affidavit.errors import ForgeError
from affidavit.forges.choice import ask_forge
from affidavit.forges.credentials import NOBODY, Credentials
from affidavit.records.report import Report
from affidavit.render.formats import render
from commands import affidavit
from forge_http import ForgeServer
from github_server import GitHubServer
from gitlab_server import GitLabServer, opened_gitlab
from posting_flow import ALL_BUT_RUFF, QUICK, READS, post
from shop import HEAD_FILES

FIXED = HEAD_FILES["cart.py"].replace("price_in(currency, item)", "item.price")
RECHECK = "affidavit-recheck"
BOT = {"AFFIDAVIT_POST_AS": "project_1_bot"}


@pytest.fixture
def gitlab(tmp_path: Path, begun: tuple[Path, str, str]) -> Iterator[GitLabServer]:
    server = opened_gitlab(tmp_path / "gitlab", begun)
    yield server
    server.stop()


def earlier(
    server: GitHubServer | GitLabServer, credentials: Credentials = READS, **environment: str
) -> bytes | None:
    return asyncio.run(
        ask_forge(server.address, credentials, lambda forge: forge.earlier_report(), QUICK, environment)
    )


def test_the_report_of_this_request_is_found_however_many_runs_lie_between(github: GitHubServer) -> None:
    github.keep(b"first")
    github.keep(b"second", event="workflow_run")
    for number in range(60):
        github.keep(b"another request")
        github.artifacts[-1]["name"] = f"affidavit-posted-{number + 100}"
    assert earlier(github) == b"second"


def test_what_a_run_of_another_workflow_kept_under_our_name_is_not_taken(github: GitHubServer) -> None:
    github.keep(b"ours", path=".github/workflows/affidavit.yml@main")
    # A pull request may bring a workflow of its own, with any name and any file.
    github.keep(b"theirs", event="pull_request")
    github.keep(b"theirs", path=".github/workflows/build.yml")
    for _ in range(20):
        github.keep(b"theirs", event="push")
    assert earlier(github) == b"ours"


def test_what_has_expired_is_passed_over(github: GitHubServer) -> None:
    github.keep(b"ours")
    github.artifacts[-1]["expired"] = True
    assert earlier(github) is None


def test_the_store_of_the_forge_is_asked_without_a_token_and_over_tls_only(github: GitHubServer) -> None:
    github.keep(b"ours")
    assert earlier(github) == b"ours"
    assert [one.token for one in github.asked if one.path.startswith("/store/")] == [""]
    github.store = github.url.replace("127.0.0.1", "localhost")
    with pytest.raises(ForgeError, match="without TLS"):
        earlier(github)


def test_an_archive_that_is_none_is_said(github: GitHubServer) -> None:
    github.keep(b"ours")
    github.artifacts[-1]["zip"] = b"PK no archive"
    with pytest.raises(ForgeError, match=r"has no readable report\.json"):
        earlier(github)


def test_without_a_token_it_is_said_that_one_is_needed(github: GitHubServer) -> None:
    with pytest.raises(ForgeError, match="only to a token"):
        earlier(github, NOBODY)


def review(server: ForgeServer, url: str, folder: Path, name: str, **more: str) -> str:
    """Review as the written workflow does; what was said."""
    env = {
        "AFFIDAVIT_ANALYSERS_OFF": ALL_BUT_RUFF,
        "GITHUB_ACTIONS": "",
        "AFFIDAVIT_POST_AS": "affidavit[bot]",
        "GITHUB_TOKEN": "read",
        "GITLAB_TOKEN": "read",
        "AFFIDAVIT_GITHUB_HOSTS": server.url,
        **more,
    }
    arguments = ("--previous", "posted", "--format", f"report={name}", "-q", "--no-store")
    done = affidavit("review", url, *arguments, cwd=folder, env=env)
    assert done.code in (0, 1), done.err
    return done.err


def test_a_review_follows_what_was_posted_and_goes_on_without(github: GitHubServer, tmp_path: Path) -> None:
    url = github.address.url
    assert "none was posted on" in review(github, url, tmp_path, "1.json")
    github.keep(b'{"version": "of another time"}')
    assert "written by another version" in review(github, url, tmp_path, "1.json")
    github.keep((tmp_path / "1.json").read_bytes())
    renamed = (tmp_path / "1.json").read_text().replace('"cart.py"', '"gone.py"')
    github.keep(renamed.encode())
    assert "files that are nowhere in this repository" in review(github, url, tmp_path, "other.json")
    del github.artifacts[-1]
    github.push(github.origin.commit("topic", {"cart.py": FIXED}, "Fix"))
    assert review(github, url, tmp_path, "2.json") == ""
    second = json.loads((tmp_path / "2.json").read_text())
    assert [one["fate"] for one in second["follow_up"]["decisions"]] == ["fixed"]


def test_in_a_merge_queue_the_posted_review_counts_and_another_tree_is_reviewed(
    github: GitHubServer, tmp_path: Path
) -> None:
    url, origin = github.address.url, github.origin
    main, head = origin.of("main"), origin.of("topic")
    review(github, url, tmp_path, "posted.json")
    github.keep((tmp_path / "posted.json").read_bytes())
    posted = json.loads((tmp_path / "posted.json").read_text())
    same = origin.commit("queue/same", dict(HEAD_FILES), "Merge the request", start=main)
    assert review(github, f"{url}/files/{main}..{same}", tmp_path, "same.json") == ""
    ahead = origin.commit(
        "queue/ahead", {"other.py": "import os, sys\n"}, "What is queued before", start=main
    )
    other = origin.commit("queue/other", {**HEAD_FILES, "new.py": "x = undefined\n"}, "Merge", start=ahead)
    assert review(github, f"{url}/changes/{ahead}..{other}", tmp_path, "other.json") == ""
    merged, another = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("same", "other"))
    assert posted["change"]["head"]["commit"] == head
    assert merged["change"]["head"] | {"commit": head} == posted["change"]["head"]
    assert merged["gate"]["exit_code"] == posted["gate"]["exit_code"] == 1
    assert merged["follow_up"]["previous"] == posted["id"]
    assert [one["path"] for one in another["change"]["files"]] == ["cart.py", "new.py"]
    assert another["change"]["base"]["commit"] == ahead


def test_commits_of_a_request_are_named_by_their_whole_hashes(github: GitHubServer, tmp_path: Path) -> None:
    done = affidavit(
        "review",
        f"{github.address.url}/files/abc..def",
        cwd=tmp_path,
        env={"AFFIDAVIT_GITHUB_HOSTS": github.url, "GITHUB_TOKEN": "read"},
    )
    assert done.code == 2
    assert "name both commits by their whole hashes" in done.err


def test_a_change_without_a_request_has_nothing_that_was_posted(tmp_path: Path) -> None:
    diff = b"--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a = 1\n+a = 2\n"
    done = affidavit("review", "-", "--previous", "posted", cwd=tmp_path, stdin=diff)
    assert done.code == 2
    assert "goes with the address of a pull request; a file of that name is ./posted" in done.err


def test_the_summary_on_gitlab_names_the_job_that_keeps_its_report(
    gitlab: GitLabServer, first_report: Report
) -> None:
    change = first_report.change.model_copy(update={"request": gitlab.address.url})
    report = first_report.model_copy(update={"change": change})
    assert earlier(gitlab, **BOT) is None
    post(gitlab.address, report, run="81")
    gitlab.kept[81] = render(report, "report").encode()
    # Anybody may write such a line; only our own account is believed.
    gitlab.say("eve", "<!-- affidavit:summary run=82 -->")
    gitlab.kept[82] = b"forged"
    assert earlier(gitlab, **BOT) == gitlab.kept[81]
    gitlab.kept.clear()
    with pytest.raises(ForgeError, match="may have expired"):
        earlier(gitlab, **BOT)


def test_a_job_of_gitlab_writes_its_own_number_where_the_project_is_its_own(
    gitlab: GitLabServer, first_report: Report, tmp_path: Path
) -> None:
    change = first_report.change.model_copy(update={"request": gitlab.address.url})
    report = first_report.model_copy(update={"change": change})
    (tmp_path / "r.json").write_text(render(report, "report"))
    job = {"AFFIDAVIT_GITLAB_HOSTS": gitlab.url, "AFFIDAVIT_POST_TOKEN": "write", "CI_JOB_ID": "81"}
    for project, expected in (("team/other", False), ("team/shop/cart", True)):
        done = affidavit("post", "r.json", "--yes", cwd=tmp_path, env={**job, "CI_PROJECT_PATH": project})
        assert done.code == 0, done.err
        (summary,) = [one["body"] for one in gitlab.notes if one["body"].startswith("<!-- affidavit:summary")]
        assert (" run=81 " in summary) is expected


def test_what_the_recheck_job_of_gitlab_kept_is_fetched_by_its_name(
    gitlab: GitLabServer, first_report: Report, tmp_path: Path
) -> None:
    change = first_report.change.model_copy(update={"request": gitlab.address.url})
    content = render(first_report.model_copy(update={"change": change}), "report").encode()
    (tmp_path / "r.json").write_bytes(content)
    confirmed = {"report_sha256": hashlib.sha256(content).hexdigest(), "exit_code": 0, "proofs": []}
    # It was run twice, and another job kept a file of the same name.
    gitlab.jobs = [{"id": number, "name": name} for number, name in ((8, RECHECK), (9, RECHECK), (7, "test"))]
    gitlab.kept = {7: json.dumps(confirmed).encode(), 8: b"{}", 9: json.dumps(confirmed).encode()}
    env = {"AFFIDAVIT_GITLAB_HOSTS": gitlab.url, "AFFIDAVIT_POST_TOKEN": "write", "CI_PIPELINE_ID": "5"}
    post = ("post", "r.json", "--yes", "--rechecked")
    done = affidavit(*post, f"job:{RECHECK}", cwd=tmp_path, env=env)
    assert done.code == 0, done.err
    assert "proven again by an independent recheck" in gitlab.notes[0]["body"]
    gitlab.kept[9] = json.dumps({**confirmed, "report_sha256": "0" * 64}).encode()
    assert "it confirms another report" in affidavit(*post, f"job:{RECHECK}", cwd=tmp_path, env=env).err
    assert "has no job 'other'" in affidavit(*post, "job:other", cwd=tmp_path, env=env).err
    assert "cannot be read" in affidavit(*post, "gone.json", cwd=tmp_path, env=env).err
