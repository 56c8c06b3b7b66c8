"""The commands, as users and builds run them, against a GitHub in memory."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from affidavit.records.report import Report
from affidavit.render.formats import render
from affidavit.store.open import open_store
from commands import AFFIDAVIT, affidavit, environment_of
from github_server import GitHubServer
from posting_flow import ALL_BUT_RUFF, post
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
    assert [one["shown"]["state"] for one in github.statuses] == ["failure"]
    github.say("mel", "wrong", github.inline[0]["id"])
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


def test_a_dismissal_on_the_forge_goes_through_all_three_steps_and_a_forged_one_through_none(
    github: GitHubServer, report: Report, tmp_path: Path
) -> None:
    post(github.address, report)
    github.say("mel", "/affidavit dismiss comes later", github.inline[0]["id"])
    reads, writes = variables(github), variables(github, AFFIDAVIT_POST_TOKEN="write")
    review = ("review", github.address.url, "--format", "report=r.json", "-q", "--no-store")
    assert affidavit(*review, cwd=tmp_path, env=reads).code == 0
    recheck = ("recheck", "r.json", "--fetch")
    said = affidavit(*recheck, cwd=tmp_path, env=reads)
    assert said.code == 0, said.out
    assert "1 dismissal on the forge, and that these people may dismiss: mel" in said.out
    (tmp_path / "recheck.json").write_text(
        affidavit(*recheck, "--format", "json", cwd=tmp_path, env=reads).out
    )
    done = affidavit("post", "r.json", "--rechecked", "recheck.json", "--yes", cwd=tmp_path, env=writes)
    assert done.code == 0, done.err
    assert "dismissed by `mel`: comes later (lifts the gate)" in github.comments[0]["body"]
    content = json.loads((tmp_path / "r.json").read_text())
    content["change"]["dismissals"] = []
    (tmp_path / "r.json").write_text(json.dumps(content))
    forged = affidavit(*recheck, cwd=tmp_path, env=reads)
    assert forged.code == 1
    assert "FAILS: dismissal: withheld: the report says" in forged.out


def test_only_the_word_of_who_may_write_and_is_not_the_author_moves_the_error_rate(
    github: GitHubServer, report: Report, tmp_path: Path
) -> None:
    writes = variables(github, AFFIDAVIT_POST_TOKEN="write")
    own: dict[str, Any] = {"cwd": tmp_path, "data": tmp_path / "data", "env": writes}
    (tmp_path / "r.json").write_text(render(report, "report"))
    finding = next(one.id for one in report.shown if one.id in report.gate.failed_by)
    assert affidavit("label", "r.json", finding, "valid", **own).code == 0
    post(github.address, report)
    for stranger in ("eve", "rob", "ada"):
        github.say(stranger, "wrong, trust me", github.inline[0]["id"])
    kept = affidavit("post", "r.json", "--yes", **own)
    assert "by eve on" in kept.err
    assert "counts in no error rate (forge: without write access)" in kept.err
    assert "counts in no error rate (forge: by the author of the change)" in kept.err
    measured = json.loads(affidavit("quality", "--format", "json", **own).out)
    assert (measured["wrong"]["count"], measured["wrong"]["n"]) == (0, 1)
    host = github.host.name
    assert measured["unheard_from"] == {f"{name} on {host}": 1 for name in ("eve", "rob", "ada")}
    said = affidavit("quality", **own).out
    assert "1 finding labelled by the author or without write access" in " ".join(said.split())
    history = open_store(tmp_path / "data").labels.history(report.id, finding)
    assert [one.by for one in history[1:]] == [f"{name} on {host}" for name in ("eve", "rob", "ada")]
    github.say("mel", "wrong, I checked", github.inline[0]["id"])
    affidavit("post", "r.json", "--yes", **own)
    measured = json.loads(affidavit("quality", "--format", "json", **own).out)
    assert (measured["wrong"]["count"], measured["wrong"]["n"]) == (1, 1)


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


def test_a_dry_run_needs_no_token_that_writes_and_says_what_it_could_not_look_up(
    github: GitHubServer, report: Report, tmp_path: Path
) -> None:
    (tmp_path / "r.json").write_text(render(report, "report"))
    named = {"AFFIDAVIT_POST_AS": "", "GITHUB_TOKEN": "", "GH_TOKEN": ""}
    nobody = affidavit("post", "r.json", cwd=tmp_path, env=variables(github, **named))
    assert nobody.code == 0, nobody.err
    assert "would be posted" in nobody.out
    assert "which threads are resolved could not be read" in nobody.err
    assert "which comments are ours could not be looked up" in nobody.err
    writes = variables(github, AFFIDAVIT_POST_TOKEN="write")
    assert affidavit("post", "r.json", "--yes", cwd=tmp_path, env=writes).code == 0
    # What is there is known by the name of the account that posts: nothing is planned twice.
    reads = affidavit("post", "r.json", cwd=tmp_path, env=variables(github))
    assert (reads.code, reads.err) == (0, "")
    assert "post_review" not in reads.out
    assert "post_summary" not in reads.out
    refused = affidavit("post", "r.json", "--yes", cwd=tmp_path, env=variables(github, **named))
    assert refused.code == 2
    assert "needs a token that may write" in refused.err


def test_a_host_that_nobody_named_is_not_asked(tmp_path: Path) -> None:
    done = affidavit("review", "https://git.example.org/o/r/pull/1", cwd=tmp_path)
    assert done.code == 2
    assert "is not a known forge" in done.err


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


def test_a_proxy_of_the_environment_is_used_for_the_forge_and_for_git(
    github: GitHubServer, tmp_path: Path
) -> None:
    nobody = "http://localhost:1"
    env = variables(github, AFFIDAVIT_GITHUB_HOSTS=nobody, HTTP_PROXY=github.url, http_proxy=github.url)
    env |= {"NO_PROXY": "", "no_proxy": ""}
    done = affidavit("review", f"{nobody}/shop/cart/pull/7", cwd=tmp_path, env=env)
    assert done.code == 1, done.err
    assert github.git_requests > 0
