"""Read a pull request from a GitHub in memory, over real HTTP and with real git."""

from dataclasses import replace
from pathlib import Path

import pytest

from affidavit.errors import ForgeError
from affidavit.forges.clones import Remote, open_clone, remote_of
from affidavit.forges.credentials import Credentials
from affidavit.forges.opening import FetchContext, open_pull_request
from affidavit.forges.pull_request import PullRequest
from affidavit.forges.web import Patience
from affidavit.system.private_files import files_in
from endless_forge import endless_forge
from forge_http import ENVIRONMENT, Fault, RefusedError
from github_server import GitHubServer
from posting_flow import read_request
from published import example

TOKEN = Credentials("read")


async def no_sleep(_seconds: float) -> None:
    return


QUICK = Patience(sleep=no_sleep, timeout_seconds=10)


def read(server: GitHubServer, credentials: Credentials = TOKEN) -> PullRequest:
    return read_request(server.address, credentials, QUICK)


def ground(tmp_path: Path, credentials: Credentials = TOKEN) -> FetchContext:
    return FetchContext(credentials, tmp_path / "cache", ENVIRONMENT)


def test_a_pull_request_is_read_with_its_words_issues_comments_and_checks(github: GitHubServer) -> None:
    github.issues = [{"number": 3, "title": "Prices are wrong", "body": "In yen."}]
    github.say("mel", "Please handle yen.")
    github.statuses = [
        {"sha": github.head, "shown": {"state": "failure", "context": "build", "description": "1 failed"}}
    ]
    pull = read(github)
    assert (pull.title, pull.state) == ("Prices in several currencies", "open")
    assert pull.whole_description == "Fixes #3\n\nLinked issue #3: Prices are wrong\nIn yen."
    assert [(one.author, one.body) for one in pull.discussion] == [
        ("mel", "Please handle yen."),
        ("check: build", "failure: 1 failed"),
    ]
    assert pull.notices == ()


def test_without_a_token_what_is_hidden_is_said(github: GitHubServer) -> None:
    pull = read(github, Credentials())
    assert pull.head == github.head
    assert [text.partition(":")[0] for text in pull.not_read] == [
        "which threads are resolved could not be read",
        "linked issues could not be read",
    ]


def test_comments_beyond_the_first_page_are_read(github: GitHubServer) -> None:
    for number in range(203):
        github.say("mel", f"comment {number}")
    assert [one.body for one in read(github).comments] == [f"comment {number}" for number in range(203)]


def test_the_opened_change_is_what_the_branch_changes(github: GitHubServer, tmp_path: Path) -> None:
    with open_pull_request(read(github), ground(tmp_path)) as opened:
        change = opened.change
        assert [file.path for file in change.files] == ["cart.py"]
        assert (change.request, change.target) == (github.address.url, github.address.url)
        assert (change.base.commit, change.head.commit) == (github.base, github.head)
        assert (change.base.name, change.head.name) == ("main", "ada:topic")
        assert change.repository == github.address.clone_url


def test_a_second_reading_fetches_only_what_is_new(github: GitHubServer, tmp_path: Path) -> None:
    open_pull_request(read(github), ground(tmp_path)).close()
    before = github.git_requests
    open_pull_request(read(github), ground(tmp_path)).close()
    again = github.git_requests - before
    github.push(github.origin.commit("topic", {"cart.py": "x = 1\n"}, "Start over"))
    with open_pull_request(read(github), ground(tmp_path)) as opened:
        assert opened.change.head.commit == github.head
    assert again < before


def test_the_token_reaches_git_but_no_command_line_and_no_file(github: GitHubServer, tmp_path: Path) -> None:
    github.is_private = True
    open_pull_request(read(github), ground(tmp_path)).close()
    assert set(github.git_tokens) == {"read"}
    kept = [file.read_bytes() for file in (tmp_path / "cache").rglob("*") if file.is_file()]
    assert not any(b"read" in content.replace(b"thread", b"") for content in kept if len(content) < 2000)


def test_a_private_repository_without_a_token_says_that_it_needs_one(github: GitHubServer) -> None:
    github.is_private = True
    with pytest.raises(ForgeError, match="without a token only what is public"):
        read(github, Credentials())


def test_a_merged_request_is_measured_from_what_it_was_merged_into(
    github: GitHubServer, tmp_path: Path
) -> None:
    origin = github.origin
    origin.commit("main", {"other.py": "y = 2\n"}, "Meanwhile", start="main")
    tip = origin.of("main")
    work = origin.work
    from repositories import run_git  # noqa: PLC0415 - only this test merges

    run_git(work, "checkout", "-q", "main")
    run_git(work, "merge", "-q", "--no-ff", "-m", "Merge", "topic")
    run_git(work, "push", "-q", "origin", "main")
    github.pull |= {"merged": True, "state": "closed", "merge_commit_sha": origin.of("main")}
    with open_pull_request(read(github), ground(tmp_path)) as opened:
        assert [file.path for file in opened.change.files] == ["cart.py"]
        assert opened.change.base.commit == github.base != tip
    assert "is merged" in read(github).notices[0]


def test_a_deleted_branch_and_fork_are_read_from_what_the_forge_keeps(
    github: GitHubServer, tmp_path: Path
) -> None:
    github.origin.delete_branch("topic")
    with open_pull_request(read(github), ground(tmp_path)) as opened:
        assert opened.change.head.commit == github.head


def test_a_draft_and_a_conflict_are_said(github: GitHubServer) -> None:
    github.pull |= {"draft": True, "mergeable": False}
    assert [text.split(":")[0] for text in read(github).notices] == [
        "this pull request is a draft",
        "this pull request conflicts with main",
    ]


def test_a_request_from_a_fork_is_read_from_what_the_forge_keeps_of_it(
    github: GitHubServer, tmp_path: Path
) -> None:
    # The branch is in another repository: this one has nothing but the reference of the request.
    github.origin.delete_branch("topic")
    fork = example("pull-request")["head"]["repo"] | {"id": 2}
    there = {"ref": "topic", "sha": github.head, "label": "eve:topic", "repo": fork}
    github.pull["head"] = {**example("pull-request")["head"], **there}
    pull = read(github)
    with open_pull_request(pull, ground(tmp_path)) as opened:
        assert opened.change.head.commit == github.head
        assert opened.change.head.name == "eve:topic"


def test_a_closed_request_is_reviewed_as_it_was_left(github: GitHubServer, tmp_path: Path) -> None:
    github.pull["state"] = "closed"
    pull = read(github)
    assert (pull.state, pull.notices) == (
        "closed",
        ("this pull request is closed: its last state is reviewed",),
    )
    with open_pull_request(pull, ground(tmp_path)) as opened:
        assert [file.path for file in opened.change.files] == ["cart.py"]


def test_after_a_push_by_force_only_what_is_proposed_now_is_reviewed(
    github: GitHubServer, tmp_path: Path
) -> None:
    open_pull_request(read(github), ground(tmp_path)).close()
    first = github.head
    other = github.origin.commit("topic", {"other.py": "y = 2\n"}, "Start over", start=github.base)
    github.push(other)
    with open_pull_request(read(github), ground(tmp_path)) as opened:
        assert opened.change.head.commit == other != first
        assert [file.path for file in opened.change.files] == ["other.py"]


def test_a_request_that_conflicts_is_reviewed_from_where_it_left(
    github: GitHubServer, tmp_path: Path
) -> None:
    github.origin.commit("main", {"cart.py": "def total(items):\n    return 0\n"}, "Theirs", start="main")
    github.pull["mergeable"] = False
    with open_pull_request(read(github), ground(tmp_path)) as opened:
        assert opened.change.base.commit == github.base
        assert [file.path for file in opened.change.files] == ["cart.py"]
        assert "conflicts with main" in opened.notices[0]


def test_a_push_between_reading_and_fetching_is_said(github: GitHubServer, tmp_path: Path) -> None:
    pull = read(github).model_copy(update={"head": "f" * 40})
    with pytest.raises(ForgeError, match="was pushed to while it was read"):
        open_pull_request(pull, ground(tmp_path))


def test_a_long_history_is_fetched_as_deep_as_the_merge_base_needs(
    github: GitHubServer, tmp_path: Path
) -> None:
    from repositories import run_git  # noqa: PLC0415 - only this test writes history in bulk

    lines = []
    for number in range(700):
        lines.append(f"commit refs/heads/main\ncommitter A <a@b.c> {1767000000 + number} +0000\ndata 1\nx\n")
        lines.append("from refs/heads/main^0\n" if number == 0 else "")
        lines.append(f"M 644 inline n.txt\ndata {len(str(number))}\n{number}\n\n")
    run_git(github.origin.bare, "fast-import", "--quiet", "--force", stdin="".join(lines).encode())
    with open_pull_request(read(github), ground(tmp_path)) as opened:
        assert opened.change.base.commit == github.base
        assert len(opened.change.commits) == 1


def test_a_broken_answer_is_asked_for_again_and_a_limit_is_waited_for(github: GitHubServer) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    patience = Patience(sleep=sleep)
    fits = lambda asked: asked.path.endswith("/pulls/7")  # noqa: E731 - a predicate
    with (
        github.failing(Fault(fits, RefusedError(502, "Bad gateway"))),
        github.failing(Fault(fits, RefusedError(429, "slow down", retry_after="7"))),
    ):
        pull = read_request(github.address, TOKEN, patience)
    assert pull.head == github.head
    assert 7 <= max(waits) <= 11


def test_a_limit_that_lasts_too_long_is_said_with_what_to_do(github: GitHubServer) -> None:
    refusal = RefusedError(
        403, "API rate limit exceeded", x_ratelimit_remaining="0", x_ratelimit_reset="9999999999"
    )
    with (
        github.failing(Fault(lambda _: True, refusal)),
        pytest.raises(ForgeError, match=r"takes no more requests .* a token"),
    ):
        read(github, Credentials())


def test_a_redirect_to_another_host_is_not_followed(github: GitHubServer) -> None:
    moved = RefusedError(301, "Moved", location="http://127.0.0.2:1/elsewhere")
    with (
        github.failing(Fault(lambda asked: asked.path.endswith("/pulls/7"), moved)),
        pytest.raises(ForgeError, match="which is not contacted"),
    ):
        read(github)


def test_a_renamed_repository_is_followed_on_the_same_forge(github: GitHubServer) -> None:
    moved = RefusedError(301, "Moved", location=f"{github.url}/api/v3/repos/shop/cart/pulls/7")
    with github.failing(Fault(lambda asked: asked.path.endswith("/pulls/7"), moved)):
        assert read(github).head == github.head


def test_a_repository_that_is_larger_than_allowed_is_not_kept_fetching(
    github: GitHubServer, tmp_path: Path
) -> None:
    remote = Remote(github.address.clone_url, environment=ENVIRONMENT, max_megabytes=0)
    clone = open_clone(tmp_path / "cache", remote)
    for _ in range(2):
        with pytest.raises(ForgeError, match="AFFIDAVIT_MAX_CLONE_MB"):
            clone.fetch({"refs/x": github.head}, "--depth=1")
        assert [*files_in(clone.folder / "objects")] == []
        assert (clone.is_shallow, clone.commit_of("refs/x")) == (False, None)


def test_of_a_fetch_that_is_too_much_only_what_was_there_before_stays(
    github: GitHubServer, tmp_path: Path
) -> None:
    remote = Remote(github.address.clone_url, environment=ENVIRONMENT)
    clone = open_clone(tmp_path / "cache", remote)
    clone.fetch({"refs/x": github.head}, "--depth=1")
    more = github.origin.commit("more", {"more.txt": "more\n"}, "More")
    with pytest.raises(ForgeError, match="AFFIDAVIT_MAX_CLONE_MB"):
        replace(clone, remote=replace(remote, max_megabytes=0)).fetch({"refs/y": more})
    assert (clone.commit_of("refs/x"), clone.is_shallow) == (github.head, True)
    assert not clone.has(more)
    clone.git.run("fsck", "--connectivity-only", "refs/x")
    clone.fetch({"refs/y": more})
    assert clone.has(more)


def test_a_fetch_that_is_ended_takes_those_along_that_do_the_fetching(tmp_path: Path) -> None:
    with endless_forge() as (url, is_left):
        clone = open_clone(tmp_path / "cache", Remote(url, environment=ENVIRONMENT, max_megabytes=1))
        with pytest.raises(ForgeError, match="AFFIDAVIT_MAX_CLONE_MB"):
            clone.fetch({"refs/x": "refs/heads/main"})
        assert is_left.wait(5)


def test_a_clone_is_fetched_from_the_forge_itself_only(github: GitHubServer) -> None:
    with pytest.raises(ForgeError, match="not contacted"):
        remote_of(github.host, "https://elsewhere.example/shop/cart.git", TOKEN, {})
