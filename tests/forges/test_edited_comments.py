"""Dismissals in comments that somebody else may have written: they decide nothing, and that is said."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from affidavit.errors import ForgeError
from affidavit.forges.credentials import NOBODY
from affidavit.forges.pull_request import PullRequest
from affidavit.records.report import Report
from forge_http import Asked, Fault, RefusedError
from github_server import GitHubServer
from gitlab_server import GitLabServer, opened_gitlab
from posting_flow import POSTER, QUICK, READS, post, read_request

GITLAB_POSTER = {"AFFIDAVIT_POST_AS": "project_1_bot"}
Say = Callable[[GitHubServer, str], dict[str, Any]]


def read(server: GitHubServer | GitLabServer, environment: dict[str, str] = POSTER) -> PullRequest:
    return read_request(server.address, READS, QUICK, environment)


def in_the_conversation(github: GitHubServer, body: str) -> dict[str, Any]:
    return github.say("mel", body)


def in_a_review(github: GitHubServer, body: str) -> dict[str, Any]:
    return github.review("mel", body)


def in_the_thread(github: GitHubServer, body: str) -> dict[str, Any]:
    return github.say("mel", body, github.inline[0]["id"])


def late_in_a_long_thread(github: GitHubServer, body: str) -> dict[str, Any]:
    for number in range(60):
        github.say("rob", f"Answer {number}", github.inline[0]["id"])
    return in_the_thread(github, body)


PLACES = [in_the_conversation, in_a_review, in_the_thread, late_in_a_long_thread]


def name_of_blocking(report: Report) -> str:
    return next(one.fingerprint for one in report.shown if one.id in report.gate.failed_by)


@pytest.mark.parametrize("say", PLACES)
def test_a_dismissal_that_somebody_wrote_into_anothers_comment_lifts_nothing(
    github: GitHubServer, report: Report, say: Say
) -> None:
    post(github.address, report)
    comment = say(github, "I will look at it.")
    github.edit("ada", comment, f"/affidavit dismiss {name_of_blocking(report)} forged")
    pull = read(github)
    assert pull.dismissals == ()
    assert "does not count: somebody other than its author has edited it" in pull.notices[-1]
    post(github.address, report)
    said = github.comments[0]["body"]
    assert "dismissed by `mel`: forged (somebody other than its author has edited it: it decides" in said
    assert "lifts the gate from" not in said


@pytest.mark.parametrize("say", PLACES)
def test_a_dismissal_that_its_author_corrected_lifts(github: GitHubServer, report: Report, say: Say) -> None:
    post(github.address, report)
    comment = say(github, "/affidavit dismis")
    github.edit("mel", comment, f"/affidavit dismiss {name_of_blocking(report)} on purpose")
    assert [one.why for one in read(github).dismissals] == ["on purpose"]


@pytest.mark.parametrize("say", PLACES)
def test_where_the_editor_is_nobody_any_more_the_comment_decides_nothing(
    github: GitHubServer, report: Report, say: Say
) -> None:
    post(github.address, report)
    comment = say(github, "Hm.")
    github.edit("ghost", comment, f"/affidavit dismiss {name_of_blocking(report)} x")
    assert read(github).dismissals == ()


@pytest.mark.parametrize("say", PLACES)
def test_where_github_does_not_say_who_edited_an_edited_comment_decides_nothing(
    github: GitHubServer, report: Report, say: Say
) -> None:
    post(github.address, report)
    github.knows_editors = False
    comment = say(github, "Hm.")
    github.edit("mel", comment, f"/affidavit dismiss {name_of_blocking(report)} x")
    pull = read(github)
    assert pull.dismissals == ()
    assert "it was edited, and who did it is not known: it decides nothing" in pull.notices[-1]


def test_where_github_does_not_say_who_edited_an_untouched_comment_counts_and_a_review_does_not(
    github: GitHubServer, report: Report
) -> None:
    post(github.address, report)
    github.knows_editors = False
    in_a_review(github, f"/affidavit dismiss {name_of_blocking(report)} in a review")
    assert read(github).dismissals == ()
    in_the_thread(github, "/affidavit dismiss in the thread")
    assert [one.why for one in read(github).dismissals] == ["in the thread"]


def test_a_thread_whose_first_comment_another_has_edited_says_of_no_finding_that_it_is_dismissed(
    github: GitHubServer, report: Report
) -> None:
    post(github.address, report)
    root = github.inline[0]
    github.edit("ada", root, root["body"].replace(name_of_blocking(report), "0123456789abcdef", 1))
    in_the_thread(github, "/affidavit dismiss another finding, as far as I can see")
    assert read(github).dismissals == ()


def test_a_forge_that_is_down_is_no_forge_that_does_not_say_who_edited(
    github: GitHubServer, report: Report
) -> None:
    post(github.address, report)
    github.edit("mel", in_the_thread(github, "Hm."), "/affidavit dismiss why not")

    def asks_for_editors(asked: Asked) -> bool:
        return "lastEditedAt" in str(asked.body)

    fault = Fault(asks_for_editors, RefusedError(502, "Bad gateway"))
    with github.failing(fault), pytest.raises(ForgeError, match="502"):
        read(github)


def test_what_an_edited_comment_hides_behind_its_length_decides_nothing(
    github: GitHubServer, report: Report
) -> None:
    post(github.address, report)
    hidden = f"Hm. <!--\n/affidavit dismiss {name_of_blocking(report)} x\n{'so ' * 10_000}-->"
    github.edit("ada", in_the_conversation(github, "Hm."), hidden)
    assert read(github).dismissals == ()


def test_without_a_token_an_edited_comment_decides_nothing(github: GitHubServer, report: Report) -> None:
    post(github.address, report)
    comment = in_the_thread(github, "Hm.")
    github.edit("ada", comment, "/affidavit dismiss x")
    pull = read_request(github.address, NOBODY, QUICK, POSTER)
    assert pull.dismissals == ()
    assert "does not count: it was edited" in pull.notices[-1]


@pytest.fixture
def gitlab(tmp_path: Path, begun: tuple[Path, str, str]) -> Any:
    server = opened_gitlab(tmp_path / "gitlab", begun)
    yield server
    server.stop()


@pytest.fixture
def gitlab_report(gitlab: GitLabServer, first_report: Report) -> Report:
    change = first_report.change.model_copy(update={"request": gitlab.address.url})
    return first_report.model_copy(update={"change": change})


@pytest.mark.parametrize(
    ("by", "knows_editors", "why"),
    [("mel", True, ["x"]), ("ada", True, []), ("mel", False, []), ("ada", False, [])],
)
@pytest.mark.parametrize("is_in_thread", [True, False])
def test_on_gitlab_an_edited_comment_counts_only_where_its_author_is_known_to_have_edited_it(
    gitlab: GitLabServer,
    gitlab_report: Report,
    by: str,
    knows_editors: bool,
    why: list[str],
    is_in_thread: bool,
) -> None:
    post(gitlab.address, gitlab_report)
    root = next(one["notes"][0]["id"] for one in gitlab.discussions if "position" in one["notes"][0])
    gitlab.knows_editors = knows_editors
    note = gitlab.say("mel", "Hm.", root if is_in_thread else None)
    gitlab.edit(by, note, f"/affidavit dismiss {name_of_blocking(gitlab_report)} x")
    assert [one.why for one in read(gitlab, GITLAB_POSTER).dismissals] == why


def test_on_gitlab_a_dismissal_counts_after_its_thread_is_resolved(
    gitlab: GitLabServer, gitlab_report: Report
) -> None:
    post(gitlab.address, gitlab_report)
    discussion = next(one for one in gitlab.discussions if "position" in one["notes"][0])
    gitlab.say("mel", "/affidavit dismiss settled", discussion["notes"][0]["id"])
    for note in discussion["notes"]:
        note |= {"resolved": True, "updated_at": "2026-11-18T12:00:00.000Z"}
    assert [one.why for one in read(gitlab, GITLAB_POSTER).dismissals] == ["settled"]
