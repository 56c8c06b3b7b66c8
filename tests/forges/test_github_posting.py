"""Post a review on a GitHub in memory that has GitHub's rules, and come back on the next push."""

from pathlib import Path
from typing import Any

import pytest

from affidavit.errors import ForgeError, InputError
from affidavit.forges.credentials import Credentials
from affidavit.records.report import Report
from forge_http import Asked, Fault, RefusedError
from github_server import GitHubServer
from posting_flow import ALL_BUT_RUFF, post, reviewed
from shop import BASE_FILES, HEAD_FILES

BROKEN = HEAD_FILES["cart.py"]
FIXED = BROKEN.replace("price_in(currency, item)", "item.price")


def summary(github: GitHubServer) -> str:
    assert len(github.comments) == 1
    return str(github.comments[0]["body"])


def push(
    github: GitHubServer,
    files: dict[str, str | None],
    cache: Path,
    start: str = "",
    previous: Report | None = None,
) -> Report:
    github.push(github.origin.commit("topic", files, "More", start))
    return reviewed(github.address, cache, previous=previous)


def test_a_finding_stands_on_its_line_and_the_summary_says_the_rest(
    github: GitHubServer, report: Report
) -> None:
    post(github.address, report)
    (comment,) = github.inline
    assert (comment["path"], comment["line"], comment["side"]) == ("cart.py", 5, "RIGHT")
    assert "price_in" in comment["body"]
    said = summary(github)
    assert "Changes requested: 1 finding blocks" in said
    assert f"[comment]({comment['html_url']})" in said
    assert "withheld: 1 finding: 1 too small to act on" in said
    assert "error rate" not in said
    assert "/affidavit dismiss" in said
    assert [one["state"] for one in github.reviews] == ["COMMENTED"]
    assert github.statuses[0]["shown"]["state"] == "failure"


def test_posting_twice_changes_nothing(github: GitHubServer, report: Report) -> None:
    post(github.address, report)
    github.asked.clear()
    post(github.address, report)
    assert github.writes() == []
    # Where something else is said under our name, ours is said again.
    github.statuses[-1]["shown"]["state"] = "success"
    post(github.address, report)
    assert github.writes() == [f"POST /api/v3/repos/shop/cart/statuses/{github.head}"]


def test_a_fixed_finding_is_resolved_and_the_summary_is_edited(
    github: GitHubServer, report: Report, tmp_path: Path
) -> None:
    post(github.address, report)
    post(github.address, push(github, {"cart.py": FIXED}, tmp_path / "cache", previous=report))
    assert [one["isResolved"] for one in github.threads.values()] == [True]
    assert "Fixed since the last review: 1" in summary(github)
    assert len(github.inline) == 1
    assert github.statuses[-1]["shown"]["state"] == "success"


def test_where_resolving_is_not_allowed_an_answer_says_it_once(
    github: GitHubServer, report: Report, tmp_path: Path
) -> None:
    github.can_resolve = False
    post(github.address, report)
    fixed = push(github, {"cart.py": FIXED}, tmp_path / "cache", previous=report)
    for _ in range(2):
        post(github.address, fixed)
    replies = [one for one in github.inline if one.get("in_reply_to_id")]
    assert len(replies) == 1
    assert "Fixed: " in replies[0]["body"]


def test_what_is_still_open_is_not_repeated_and_what_is_new_is_added(
    github: GitHubServer, report: Report, tmp_path: Path
) -> None:
    post(github.address, report)
    more = BROKEN + "\n\ndef tax(items):\n    return rate_of(items)\n"
    post(github.address, push(github, {"cart.py": more}, tmp_path / "cache"))
    assert [("price_in" in one["body"], "rate_of" in one["body"]) for one in github.inline] == [
        (True, False),
        (False, True),
    ]


def test_a_finding_that_moved_keeps_its_thread(github: GitHubServer, report: Report, tmp_path: Path) -> None:
    post(github.address, report)
    moved = BROKEN.replace("def total", "RATE = 2\n\n\ndef total").replace(
        "price_in(currency, item)", "price_in(currency, item, RATE)"
    )
    post(github.address, push(github, {"cart.py": moved}, tmp_path / "cache", previous=report))
    (comment,) = github.inline
    assert not github.threads[comment["id"]]["isResolved"]


def test_a_renamed_file_and_a_rebase_keep_the_thread(
    github: GitHubServer, report: Report, tmp_path: Path
) -> None:
    post(github.address, report)
    github.origin.commit("main", {"other.py": "x = 1\n"}, "Meanwhile", start="main")
    github.base = github.origin.of("main")
    renamed: dict[str, str | None] = {"cart.py": None, "basket.py": BROKEN}
    post(github.address, push(github, renamed, tmp_path / "cache", start="main"))
    assert len(github.inline) == 1
    assert not github.threads[github.inline[0]["id"]]["isResolved"]


def test_a_dismissal_by_somebody_with_rights_lifts_the_gate_and_is_listed(
    github: GitHubServer, report: Report, tmp_path: Path
) -> None:
    post(github.address, report)
    github.say("mel", "/affidavit dismiss comes with the next change", github.inline[0]["id"])
    again = reviewed(github.address, tmp_path / "cache")
    assert again.gate.exit_code == 0
    assert [one.by for one in again.change.dismissals] == ["mel"]
    post(github.address, again)
    assert "dismissed by `mel`: comes with the next change (lifts the gate)" in summary(github)
    assert len([one for one in github.inline if not one.get("in_reply_to_id")]) == 1


@pytest.mark.parametrize("by", ["ada", "eve", "rob"])
def test_a_dismissal_by_the_author_or_without_rights_lifts_nothing(
    github: GitHubServer, report: Report, tmp_path: Path, by: str
) -> None:
    post(github.address, report)
    github.say(by, "/affidavit dismiss trust me", github.inline[0]["id"])
    again = reviewed(github.address, tmp_path / "cache")
    assert again.gate.exit_code == 1
    post(github.address, again)
    assert f"dismissed by `{by}`: trust me (" in summary(github)
    assert "still counts at the gate" in summary(github)


def test_without_knowing_who_posts_only_a_dismissal_that_names_the_finding_counts(
    github: GitHubServer, report: Report, tmp_path: Path
) -> None:
    post(github.address, report)
    github.say("mel", "/affidavit dismiss in its thread", github.inline[0]["id"])
    assert reviewed(github.address, tmp_path / "cache", {}).gate.exit_code == 1
    name = next(one.fingerprint for one in report.shown if one.id in report.gate.failed_by)
    github.say("mel", f"/affidavit dismiss {name} by its name")
    assert reviewed(github.address, tmp_path / "cache", {}).gate.exit_code == 0


def test_wrong_is_listed_and_a_resolved_thread_is_no_dismissal(
    github: GitHubServer, report: Report, tmp_path: Path
) -> None:
    post(github.address, report)
    github.say("mel", "wrong, it is there", github.inline[0]["id"])
    github.threads[github.inline[0]["id"]]["isResolved"] = True
    again = reviewed(github.address, tmp_path / "cache")
    assert again.gate.exit_code == 1
    post(github.address, again)
    assert "called wrong by `mel`: it is there" in summary(github)


def test_a_comment_that_somebody_deleted_is_not_posted_again(
    github: GitHubServer, report: Report, tmp_path: Path
) -> None:
    post(github.address, report)
    github.threads.pop(github.inline.pop()["id"])
    post(github.address, reviewed(github.address, tmp_path / "cache"))
    assert github.inline == []
    assert "Not on a line of the diff" in summary(github)


def test_a_marker_in_somebody_elses_comment_counts_for_nothing(github: GitHubServer, report: Report) -> None:
    name = report.shown[0].fingerprint
    github.say("eve", f"<!-- affidavit:summary report=x listed={name} -->\nNothing to see")
    github.say("eve", f"<!-- affidavit:finding finding={name} -->\nAlready said")
    post(github.address, report)
    assert len(github.inline) == 1
    assert len(github.comments) == 3


def test_a_crash_before_or_after_any_call_leaves_no_double(github: GitHubServer, report: Report) -> None:
    for is_done_first in (False, True):
        for number in range(4):
            _forget(github)
            # A status that nothing is made of: the poster ends there, as if it had been killed.
            fault = Fault(is_write, RefusedError(451, "killed"), skip=number, is_done_first=is_done_first)
            with github.failing(fault):
                try:
                    post(github.address, report)
                except ForgeError:
                    assert fault.times == 0
            post(github.address, report)
            assert (len(github.comments), len(github.inline)) == (1, 1)
            assert summary(github).count("[comment](") == 1


def is_write(asked: Asked) -> bool:
    return asked.method != "GET" and "graphql" not in asked.path


@pytest.mark.parametrize("refusal", [None, RefusedError(502, "Bad gateway"), RefusedError(429, "Slow down")])
@pytest.mark.parametrize("is_done_first", [False, True])
def test_a_lost_answer_is_looked_for_before_anything_is_sent_again(
    github: GitHubServer, report: Report, refusal: RefusedError | None, is_done_first: bool
) -> None:
    if refusal and refusal.status == 429:
        is_done_first = False
    with github.failing(Fault(is_write, refusal, times=2, is_done_first=is_done_first)):
        post(github.address, report)
    assert (len(github.comments), len(github.inline)) == (1, 1)


def test_a_forge_that_stays_broken_is_said(github: GitHubServer, report: Report) -> None:
    with (
        github.failing(Fault(is_write, RefusedError(503, "Unavailable"), times=99)),
        pytest.raises(ForgeError, match="503"),
    ):
        post(github.address, report)


def test_a_push_in_the_middle_of_posting_ends_it(github: GitHubServer, report: Report) -> None:
    other = github.origin.commit("topic", {"cart.py": FIXED}, "More")

    def push_before(asked: Asked) -> bool:
        if asked.path.endswith("/reviews") and asked.method == "POST":
            github.push(other)
        return False

    with github.failing(Fault(push_before)), pytest.raises(InputError, match="has new commits"):
        post(github.address, report)
    assert github.inline == []


def _forget(github: GitHubServer) -> None:
    for kept in (github.comments, github.inline, github.reviews, github.statuses):
        kept.clear()
    github.threads.clear()


def test_a_line_that_the_forge_refuses_goes_into_the_summary(github: GitHubServer, report: Report) -> None:
    refusal = RefusedError(422, "line must be part of the diff")
    fits = lambda asked: asked.method == "POST" and asked.path.endswith(("/reviews", "/pulls/7/comments"))  # noqa: E731
    with github.failing(Fault(fits, refusal, times=9)):
        posted = post(github.address, report)
    assert github.inline == []
    assert "Not on a line of the diff" in summary(github)
    assert "part of the diff" in " ".join(posted.notes)


def test_where_no_status_is_allowed_the_comments_still_stand(github: GitHubServer, report: Report) -> None:
    fits = lambda asked: "/statuses/" in asked.path  # noqa: E731 - a predicate
    with github.failing(Fault(fits, RefusedError(403, "Resource not accessible"))):
        posted = post(github.address, report)
    assert len(github.inline) == 1
    assert "the gate could not be set" in posted.notes[0]


def test_it_blocks_only_when_asked_and_withdraws_that_when_all_is_fixed(
    github: GitHubServer, report: Report, tmp_path: Path
) -> None:
    post(github.address, report, may_block=True)
    assert [one["state"] for one in github.reviews] == ["CHANGES_REQUESTED"]
    post(github.address, push(github, {"cart.py": FIXED}, tmp_path / "cache"), may_block=True)
    assert [one["state"] for one in github.reviews] == ["DISMISSED"]


def test_on_its_own_request_it_neither_blocks_nor_approves(github: GitHubServer, report: Report) -> None:
    github.author = "affidavit[bot]"
    post(github.address, report, may_block=True)
    assert [one["state"] for one in github.reviews] == ["COMMENTED"]
    assert "forges let nobody approve or block their own" in summary(github)


def test_a_report_about_an_older_push_is_refused(github: GitHubServer, report: Report) -> None:
    github.push(github.origin.commit("topic", {"cart.py": FIXED}, "More"))
    with pytest.raises(InputError, match="has new commits"):
        post(github.address, report)


def test_a_locked_conversation_is_said(github: GitHubServer, report: Report) -> None:
    github.pull["locked"] = True
    with pytest.raises(InputError, match="is locked"):
        post(github.address, report)


def test_a_token_that_may_not_write_is_said_and_nothing_is_posted(
    github: GitHubServer, report: Report
) -> None:
    with pytest.raises(ForgeError, match="may not do this"):
        post(github.address, report, Credentials("read"))
    assert github.comments == []


def is_resolved(github: GitHubServer) -> bool:
    (thread,) = github.threads.values()
    return bool(thread["isResolved"])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "price_in(currency, item) for item in items)  # nosec  # noqa",
            "it is unknown whether it is fixed: 1",
        ),
        ("price_in(item) for item in items)  # noqa: F821", "it is unknown whether it is fixed: 1"),
    ],
)
def test_a_finding_that_a_comment_of_the_change_silences_is_not_fixed(
    github: GitHubServer, report: Report, tmp_path: Path, line: str, said: str
) -> None:
    post(github.address, report)
    silenced = BROKEN.replace("price_in(currency, item) for item in items)", line)
    post(github.address, push(github, {"cart.py": silenced}, tmp_path / "cache"))
    assert not is_resolved(github)
    assert len(github.inline) == 1
    assert said in summary(github)
    assert "Fixed since" not in summary(github)


@pytest.mark.parametrize(
    "off",
    [{"rules_off": ("ruff/F821",)}, {"analysers_off": f"ruff,{ALL_BUT_RUFF}"}],
    ids=["rule", "analyser"],
)
@pytest.mark.parametrize("follows", [True, False])
def test_what_nobody_looks_for_any_more_is_not_called_fixed(
    github: GitHubServer, report: Report, tmp_path: Path, off: dict[str, Any], follows: bool
) -> None:
    post(github.address, report)
    previous = report if follows else None
    post(github.address, reviewed(github.address, tmp_path / "cache", previous=previous, **off))
    assert not is_resolved(github)
    assert "Fixed since" not in summary(github)


NEW = "def tax(items):\n    return rate_of(items)\n"


def test_without_the_posted_report_nothing_is_called_fixed(
    github: GitHubServer, report: Report, tmp_path: Path
) -> None:
    post(github.address, report)
    edited = BROKEN.replace("price_in(currency, item)", "price_in(item)")
    for text in (edited, FIXED):
        post(github.address, push(github, {"cart.py": text}, tmp_path / "cache"))
        assert not any(one["isResolved"] for one in github.threads.values())
        assert "this review follows no earlier one" in summary(github)
        assert "it is unknown whether it is fixed" in summary(github)


@pytest.mark.parametrize("follows", [True, False])
@pytest.mark.parametrize(
    ("files", "is_open"),
    [
        ({"fee.py": None, "levy.py": NEW}, True),
        ({"fee.py": None, "levy.py": f"RATE = 2\n\n\n{NEW}"}, True),
        ({"fee.py": None, "levy.py": NEW.replace("(items)\n", "(items)  # noqa: F821\n")}, True),
        ({"fee.py": None, "levy.txt": NEW}, True),
        ({"fee.py": None}, False),
    ],
)
def test_what_moves_with_its_file_is_not_called_fixed(
    github: GitHubServer, tmp_path: Path, files: dict[str, str | None], is_open: bool, follows: bool
) -> None:
    first = push(github, {"cart.py": FIXED, "fee.py": NEW}, tmp_path / "cache")
    post(github.address, first)
    thread = github.threads[github.inline[0]["id"]]
    post(github.address, push(github, files, tmp_path / "cache", previous=first if follows else None))
    # Without the posted report nobody knows where the line went.
    assert thread["isResolved"] == (follows and not is_open)
    assert ("it is unknown whether it is fixed: 1" in summary(github)) or follows


def test_what_moved_twice_keeps_its_thread(github: GitHubServer, tmp_path: Path) -> None:
    previous: Report | None = None
    for files in (
        {"cart.py": FIXED, "fee.py": NEW},
        {"fee.py": None, "levy.py": NEW},
        {"levy.py": None, "tax.py": NEW},
    ):
        previous = push(github, files, tmp_path / "cache", previous=previous)
        post(github.address, previous)
    assert len(github.inline) == 1
    assert not is_resolved(github)


def test_of_an_empty_change_nothing_is_posted_and_nothing_approved(
    github: GitHubServer, report: Report, tmp_path: Path
) -> None:
    post(github.address, report)
    taken_back = push(github, dict(BASE_FILES), tmp_path / "cache")
    assert taken_back.verdict.summary == f"Nothing to review: {github.address.url} changes no file."
    github.asked.clear()
    posted = post(github.address, taken_back)
    assert (posted.actions, github.writes()) == ((), [])
