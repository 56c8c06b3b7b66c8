"""Read and post on a GitLab in memory that has GitLab's rules."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from affidavit.errors import ForgeError, InputError
from affidavit.forges.choice import open_forge
from affidavit.forges.credentials import NOBODY, Credentials
from affidavit.forges.opening import FetchContext, open_pull_request
from affidavit.forges.posting.actions import PostOptions
from affidavit.forges.posting.run import Posted, plan_posting
from affidavit.forges.pull_request import PullRequest
from affidavit.records.report import Report
from forge_http import ENVIRONMENT, Fault, RefusedError
from gitlab_server import GitLabServer, opened_gitlab
from posting_flow import QUICK, READS, post, read_request, reviewed
from shop import HEAD_FILES

BOT = {"AFFIDAVIT_POST_AS": "project_1_bot"}
FIXED = HEAD_FILES["cart.py"].replace("price_in(currency, item)", "item.price")


@pytest.fixture
def gitlab(tmp_path: Path, begun: tuple[Path, str, str]) -> Iterator[GitLabServer]:
    server = opened_gitlab(tmp_path / "gitlab", begun, description="Closes #3")
    yield server
    server.stop()


@pytest.fixture
def report(gitlab: GitLabServer, first_report: Report) -> Report:
    change = first_report.change.model_copy(update={"request": gitlab.address.url})
    return first_report.model_copy(update={"change": change})


def read(server: GitLabServer, credentials: Credentials = READS) -> PullRequest:
    return read_request(server.address, credentials, QUICK, BOT)


def summary(gitlab: GitLabServer) -> str:
    (found,) = [one["body"] for one in gitlab.notes if one["body"].startswith("<!-- affidavit:summary")]
    return str(found)


def threads(gitlab: GitLabServer) -> list[dict[str, object]]:
    return [one["notes"][0] for one in gitlab.discussions if "position" in one["notes"][0]]


def test_a_merge_request_is_read_with_its_words_issues_comments_and_checks(gitlab: GitLabServer) -> None:
    gitlab.issues = [{"iid": 3, "title": "Prices are wrong", "description": "In yen.", "references": {}}]
    gitlab.statuses = [{"name": "build", "status": "failed", "description": "1 failed"}]
    for number in range(101):
        gitlab.say("mel", f"comment {number}")
    pull = read(gitlab)
    assert pull.whole_description == "Closes #3\n\nLinked issue #3: Prices are wrong\nIn yen."
    assert len(pull.comments) == 101
    assert pull.discussion[-1].body == "failed: 1 failed"


def test_the_opened_change_begins_where_gitlab_says(gitlab: GitLabServer, tmp_path: Path) -> None:
    gitlab.is_private = True
    with open_pull_request(read(gitlab), FetchContext(READS, tmp_path / "cache", ENVIRONMENT)) as opened:
        assert opened.change.base.commit == gitlab.base
        assert [file.path for file in opened.change.files] == ["cart.py"]
    assert set(gitlab.git_tokens) == {"read"}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"state": "closed"}, "is closed: its last state"),
        ({"state": "merged"}, "is merged: what was merged"),
        ({"draft": True}, "is a draft"),
        ({"has_conflicts": True}, "conflicts with main"),
    ],
)
def test_what_state_a_merge_request_is_in_is_said_and_it_is_reviewed(
    gitlab: GitLabServer, tmp_path: Path, fields: dict[str, object], said: str
) -> None:
    gitlab.request |= fields
    with open_pull_request(read(gitlab), FetchContext(READS, tmp_path / "cache", ENVIRONMENT)) as opened:
        assert [said in notice for notice in opened.notices] == [True]
        assert [file.path for file in opened.change.files] == ["cart.py"]


def test_a_merge_request_from_a_fork_that_was_pushed_to_by_force_is_read_as_it_is_now(
    gitlab: GitLabServer, tmp_path: Path
) -> None:
    gitlab.request["source_project_id"] = 2
    ground = FetchContext(READS, tmp_path / "cache", ENVIRONMENT)
    open_pull_request(read(gitlab), ground).close()
    gitlab.push(gitlab.origin.commit("topic", {"other.py": "y = 2\n"}, "Start over", start=gitlab.base))
    gitlab.origin.delete_branch("topic")
    pull = read(gitlab)
    with open_pull_request(pull, ground) as opened:
        assert [file.path for file in opened.change.files] == ["other.py"]


def test_a_private_project_says_that_the_token_of_a_job_does_not_read_it(gitlab: GitLabServer) -> None:
    gitlab.is_private = True
    with pytest.raises(ForgeError, match="give a project access token in AFFIDAVIT_GITLAB_TOKEN"):
        read(gitlab, Credentials("job", is_job_token=True))


def test_a_request_that_gitlab_still_prepares_is_said(gitlab: GitLabServer) -> None:
    gitlab.request["diff_refs"] = None
    with pytest.raises(ForgeError, match="run again in a moment"):
        read(gitlab)


def test_a_finding_is_a_thread_on_its_line_and_the_gate_a_status(
    gitlab: GitLabServer, report: Report
) -> None:
    post(gitlab.address, report)
    (thread,) = threads(gitlab)
    position = thread["position"]
    assert isinstance(position, dict)
    assert (position["new_path"], position["new_line"]) == ("cart.py", 5)
    assert "[comment](" in summary(gitlab)
    assert [(one["name"], one["status"]) for one in gitlab.statuses] == [("affidavit", "failed")]


def test_what_the_status_says_already_is_not_said_again(gitlab: GitLabServer, report: Report) -> None:
    said = f"POST /api/v4/projects/team%2Fshop%2Fcart/statuses/{gitlab.head}"
    in_part = report.model_copy(update={"gate": report.gate.model_copy(update={"exit_code": 3})})
    for posted in (report, in_part):
        post(gitlab.address, posted)
        gitlab.asked.clear()
        post(gitlab.address, posted)
        assert gitlab.writes() == []
    # Where something else is said under our name, or of another request, ours is said again.
    for name, other in (("status", "success"), ("description", "Fine"), ("target_url", "https://else/")):
        gitlab.statuses[0][name] = other
        gitlab.asked.clear()
        post(gitlab.address, in_part)
        assert gitlab.writes() == [said]


def test_posting_twice_changes_nothing_and_a_fix_resolves_the_thread(
    gitlab: GitLabServer, report: Report, tmp_path: Path
) -> None:
    for _ in range(2):
        post(gitlab.address, report)
    assert len(gitlab.discussions) == 2
    gitlab.push(gitlab.origin.commit("topic", {"cart.py": FIXED}, "Fix"))
    post(gitlab.address, reviewed(gitlab.address, tmp_path / "cache", BOT, report))
    assert [one["resolved"] for one in threads(gitlab)] == [True]
    assert "Fixed since the last review: 1" in summary(gitlab)
    assert gitlab.statuses[0]["status"] == "success"


def test_where_resolving_is_not_allowed_an_answer_says_it(
    gitlab: GitLabServer, report: Report, tmp_path: Path
) -> None:
    post(gitlab.address, report)
    gitlab.can_resolve = False
    gitlab.push(gitlab.origin.commit("topic", {"cart.py": FIXED}, "Fix"))
    fixed = reviewed(gitlab.address, tmp_path / "cache", BOT, report)
    for _ in range(2):
        post(gitlab.address, fixed)
    assert len([one for one in gitlab.notes if "This thread can be resolved" in one["body"]]) == 1


@pytest.mark.parametrize(("by", "exit_code"), [("mel", 0), ("ada", 1), ("rob", 1), ("eve", 1)])
def test_a_dismissal_counts_by_the_rights_of_who_said_it(
    gitlab: GitLabServer, report: Report, tmp_path: Path, by: str, exit_code: int
) -> None:
    post(gitlab.address, report)
    gitlab.say(by, "/affidavit dismiss later", int(str(threads(gitlab)[0]["id"])))
    assert reviewed(gitlab.address, tmp_path / "cache", BOT).gate.exit_code == exit_code


def test_wrong_is_read(gitlab: GitLabServer, report: Report) -> None:
    post(gitlab.address, report)
    for by in ("mel", "rob", "ada"):
        gitlab.say(by, "wrong, it is there", int(str(threads(gitlab)[0]["id"])))
    posted = post(gitlab.address, report)
    assert "called wrong by `mel`: it is there" in summary(gitlab)
    # Whether it counts in the error rate.
    assert [one.by.lifting for one in posted.decisions] == ["lifts", "no_rights", "author"]


def test_a_crash_before_or_after_any_call_leaves_no_double(gitlab: GitLabServer, report: Report) -> None:
    for is_done_first in (False, True):
        for number in range(4):
            gitlab.discussions.clear()
            killed = RefusedError(451, "killed")
            fault = Fault(lambda asked: asked.method != "GET", killed, is_done_first, skip=number)
            with gitlab.failing(fault):
                try:
                    post(gitlab.address, report)
                except ForgeError:
                    assert fault.times == 0
            post(gitlab.address, report)
            assert len(gitlab.discussions) == 2


def test_a_dry_run_needs_no_token_and_says_what_it_could_not_look_up(
    gitlab: GitLabServer, report: Report
) -> None:
    async def planned(credentials: Credentials) -> Posted:
        forge = open_forge(gitlab.address, credentials, QUICK, {})
        try:
            return await plan_posting(forge, report, PostOptions(), gitlab.address.url)
        finally:
            await forge.close()

    notes = asyncio.run(planned(NOBODY)).notes
    assert ["which comments are ours could not be looked up" in note for note in notes] == [True]
    assert gitlab.writes() == []
    job = Credentials("read", is_job_token=True)
    with pytest.raises(ForgeError, match="not that of a job"):
        post(gitlab.address, report, job)


def test_a_line_that_gitlab_refuses_goes_into_the_summary(gitlab: GitLabServer, report: Report) -> None:
    fits = lambda asked: asked.method == "POST" and asked.path.endswith("/discussions")  # noqa: E731
    with gitlab.failing(Fault(fits, RefusedError(400, "line_code can't be blank"), times=9)):
        post(gitlab.address, report)
    assert threads(gitlab) == []
    assert "Not on a line of the diff" in summary(gitlab)


def test_a_report_about_an_older_push_is_refused(gitlab: GitLabServer, report: Report) -> None:
    gitlab.push(gitlab.origin.commit("topic", {"cart.py": FIXED}, "Fix"))
    with pytest.raises(InputError, match="has new commits"):
        post(gitlab.address, report)


def test_it_approves_only_when_asked_and_only_what_it_may(gitlab: GitLabServer, report: Report) -> None:
    approving = report.model_copy(
        update={
            "verdict": report.verdict.model_copy(update={"decision": "approve", "blocking": ()}),
            "candidates": (),
        }
    )
    post(gitlab.address, approving)
    assert gitlab.approved_by == []
    post(gitlab.address, approving, may_approve=True)
    assert gitlab.approved_by == ["project_1_bot"]
    post(gitlab.address, report, may_approve=True)
    assert gitlab.approved_by == []
