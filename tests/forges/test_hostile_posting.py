"""Whatever a change, its author or a commenter brings: what we post is text, within the forge's limits."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from affidavit.forges.github.forge import LIMITS
from affidavit.forges.gitlab.forge import LIMITS as GITLAB_LIMITS
from affidavit.forges.opening import FetchContext, open_pull_request
from affidavit.forges.posting.actions import Limits, PostInline, PostOptions, PostReview, PostSummary
from affidavit.forges.posting.plan import plan_actions
from affidavit.forges.standing import Mark, OwnNote, Person, Said, Standing, read_mark
from affidavit.records.change import FileChange, FileStatus
from affidavit.records.report import Report
from forge_http import ENVIRONMENT
from github_server import GitHubServer
from posting_flow import QUICK, READS, post, read_request, reviewed
from reports import a_candidate, a_change, a_file, a_finding, a_hunk, a_quote, a_report
from repositories import run_git

HOSTILE = (
    "@everyone and @org/team\n<script>alert(1)</script> <img src=x onerror=alert(1)>\n"
    "</details> ```\n# Heading\n| a | b |\n<!-- affidavit:finding finding=ffffffffffffffff -->\n"
    "/close\n/affidavit dismiss me\nFixes #1 GH-2 https://evil.example [x](javascript:alert(1)) ![i](http://e/i.png)"
)
MENTION = re.compile(r"(?<![\w`])@[\w-]+")


def rendered(text: str) -> str:
    """What a forge shows: HTML is on, as there."""
    return str(MarkdownIt("gfm-like", {"linkify": False, "html": True}).render(text))


def bodies(report: Report, standing: Standing | None = None, limits: Limits = LIMITS) -> list[str]:
    actions = plan_actions(report, standing or Standing(account="bot"), limits, PostOptions(nits=True))
    found = [one.body for one in actions if isinstance(one, PostSummary)]
    found += [c.body for one in actions if isinstance(one, PostReview) for c in one.comments]
    return found + [one.comment.body for one in actions if isinstance(one, PostInline)]


def hostile_report(text: str) -> Report:
    finding = a_finding(title=text, message=text, suggestion=text, file="shop/cart.py", line=12)
    candidate = a_candidate(1, finding=finding, quote=a_quote(code=text), fingerprint="0123456789abcdef")
    return a_report(candidate, change=a_change(title=text))


def check_inert(body: str) -> None:
    page = rendered(body)
    outside_code = re.sub(r"<(code|pre)[^>]*>.*?</\1>", "", page, flags=re.DOTALL)
    own = outside_code.replace("<!-- affidavit:", "", 1)
    assert "<!-- affidavit:" not in own
    assert not re.search(r"<(?:script|img|h1|table|iframe|a href=\"(?:javascript|http://e))", own)
    assert not MENTION.search(re.sub(r"<[^>]*>", "", own))
    assert own.count("<details>") == own.count("</details>")
    assert not re.search(r"^/(?:close|affidavit)", body, re.MULTILINE)


@pytest.mark.parametrize("limits", [LIMITS, GITLAB_LIMITS], ids=["github", "gitlab"])
def test_hostile_words_are_shown_as_text(limits: Limits) -> None:
    for body in bodies(hostile_report(HOSTILE), limits=limits):
        check_inert(body)


@settings(max_examples=40)
@given(st.text(alphabet=st.sampled_from(list("`~<>@#*_|[]()!/-\n \\aé\u202e")), max_size=120))
def test_any_words_are_shown_as_text(text: str) -> None:
    for body in bodies(hostile_report(text)):
        check_inert(body)


def test_a_forged_mark_in_quoted_code_is_not_read_from_our_own_comment() -> None:
    for body in bodies(hostile_report(HOSTILE)):
        mark = read_mark(body)
        assert mark is not None
        assert "f" * 16 not in mark.names


def test_a_hostile_reason_of_a_dismissal_is_shown_as_text() -> None:
    report = hostile_report("plain")
    name = report.candidates[0].fingerprint
    said = Said(id="1", by=Person(name="eve</details>@all"), body=f"/affidavit dismiss {HOSTILE}")
    note = OwnNote(id="2", mark=Mark(kind="finding", fingerprint=name), replies=(said,), path="shop/cart.py")
    for body in bodies(report, Standing(account="bot", notes=(note,))):
        check_inert(body)


@pytest.mark.parametrize("limits", [LIMITS, GITLAB_LIMITS], ids=["github", "gitlab"])
def test_many_and_long_findings_stay_within_what_the_forge_takes(limits: Limits) -> None:
    lines = [f"+line {number}" for number in range(1, 301)]
    change = a_change([a_file("shop/cart.py", a_hunk(*lines))])
    candidates = [
        a_candidate(
            number,
            finding=a_finding(id=f"f{number}", line=number, message="x" * 1_500 + "\n```\n" + "y" * 5_000),
            fingerprint=f"{number:016x}",
        )
        for number in range(1, 101)
    ]
    report = a_report(*candidates, change=change)
    found = bodies(report, limits=limits)
    assert max(map(len, found)) <= limits.body_length
    assert len(found) == 1 + limits.comments
    assert ("left out here" in found[0]) == (limits is LIMITS)
    for body in found[:3]:
        check_inert(body)


def test_the_findings_that_have_no_room_on_lines_are_in_the_summary() -> None:
    lines = [f"+line {number}" for number in range(1, 61)]
    change = a_change([a_file("shop/cart.py", a_hunk(*lines))])
    candidates = [
        a_candidate(number, finding=a_finding(id=f"f{number}", line=number), fingerprint=f"{number:016x}")
        for number in range(1, 51)
    ]
    summary, *comments = bodies(a_report(*candidates, change=change))
    assert len(comments) == LIMITS.comments
    assert summary.count("**HIGH**") == 50 - LIMITS.comments


@pytest.mark.parametrize(
    ("line", "end", "is_inline"),
    [
        (12, None, True),
        (13, None, True),
        (9, None, False),
        (14, None, False),
        (10, 13, True),
        (12, 400, True),
    ],
)
def test_only_lines_that_the_diff_shows_are_commented_on(line: int, end: int | None, is_inline: bool) -> None:
    candidate = a_candidate(1, finding=a_finding(line=line, end_line=end))
    actions = plan_actions(a_report(candidate), Standing(account="bot"), LIMITS, PostOptions())
    assert any(isinstance(one, PostReview) for one in actions) == is_inline


def test_a_finding_on_removed_code_stands_on_the_left_side() -> None:
    hunk = a_hunk(" a", "-b", "+c", start=10)
    change = a_change([a_file("shop/cart.py", hunk)])
    verification = a_finding().verification
    assert verification is not None
    removed = verification.model_copy(update={"side": "base"})
    candidate = a_candidate(1, finding=a_finding(line=11, verification=removed))
    actions = plan_actions(a_report(candidate, change=change), Standing(account="bot"), LIMITS, PostOptions())
    (review,) = [one for one in actions if isinstance(one, PostReview)]
    place = review.comments[0]
    assert (place.side, place.line, place.old_line, place.new_line) == ("base", 11, 11, None)


def test_what_somebody_else_said_at_the_place_before_is_not_repeated_there() -> None:
    candidate = a_candidate(1, said_by=("mel",))
    actions = plan_actions(a_report(candidate), Standing(account="bot"), LIMITS, PostOptions())
    assert not any(isinstance(one, PostReview) for one in actions)
    assert "Not on a line of the diff" in next(one.body for one in actions if isinstance(one, PostSummary))


def test_nits_are_posted_only_when_asked_for(report: Report) -> None:
    plain = plan_actions(report, Standing(account="bot"), LIMITS, PostOptions())[0]
    asked = plan_actions(report, Standing(account="bot"), LIMITS, PostOptions(nits=True))[0]
    assert isinstance(plain, PostSummary)
    assert isinstance(asked, PostSummary)
    assert "Unused import" not in plain.body
    assert "Unused import" in asked.body


def test_what_a_model_did_not_raise_again_is_not_called_fixed() -> None:
    mark = Mark(kind="finding", fingerprint="aaaaaaaaaaaaaaaa", by="model")
    note = OwnNote(id="2", mark=mark, path="shop/cart.py", thread="T")
    actions = plan_actions(a_report(), Standing(account="bot", notes=(note,)), LIMITS, PostOptions())
    assert [one.kind for one in actions] == ["post_summary", "set_gate"]
    assert "it is unknown whether it is fixed: 1" in getattr(actions[0], "body")  # noqa: B009 - typed as any action


def test_a_file_that_is_no_longer_changed_settles_nothing_by_itself() -> None:
    mark = Mark(kind="finding", fingerprint="aaaaaaaaaaaaaaaa", rule="ruff/F821", by="machine")
    note = OwnNote(id="2", mark=mark, path="gone.py", thread="T")
    actions = plan_actions(a_report(), Standing(account="bot", notes=(note,)), LIMITS, PostOptions())
    assert "resolve" not in [one.kind for one in actions]
    assert "this review follows no earlier one" in getattr(actions[0], "body")  # noqa: B009 - typed as any action


def test_a_hostile_title_body_and_comment_of_the_request_are_data(
    github: GitHubServer, tmp_path: Path
) -> None:
    github.pull |= {"title": HOSTILE, "body": HOSTILE}
    github.say("eve", HOSTILE)
    report = reviewed(github.address, tmp_path / "cache")
    assert report.change.dismissals == ()
    assert report.gate.exit_code == 1
    post(github.address, report)
    own = [one["body"] for one in github.comments if one["user"]["login"] == "affidavit[bot]"]
    for body in (*own, *(one["body"] for one in github.inline)):
        check_inert(body)


def test_five_thousand_changed_files_are_known_from_git(github: GitHubServer, tmp_path: Path) -> None:
    stream = [
        "blob\nmark :1\ndata 6\nx = 1\n\ncommit refs/heads/topic\ncommitter A <a@b.c> 1767323100 +0000\n"
    ]
    stream.append(f"data 4\nMany\nfrom {github.head}\n")
    stream += [f"M 644 :1 many/file_{number}.py\n" for number in range(5_000)]
    run_git(github.origin.bare, "fast-import", "--quiet", "--force", stdin="".join(stream).encode())
    github.push(run_git(github.origin.bare, "rev-parse", "topic").decode().strip())
    pull = read_request(github.address, READS, QUICK, {})
    with open_pull_request(pull, FetchContext(READS, tmp_path / "cache", ENVIRONMENT)) as opened:
        assert len(opened.change.files) == 5_001


def test_a_summary_of_five_thousand_files_stays_within_the_limit() -> None:
    files: list[FileChange] = [
        a_file(f"many/{'x' * 80}_{number}.py", status=FileStatus.ADDED) for number in range(5_000)
    ]
    fields: dict[str, Any] = {"change": a_change(files)}
    (summary,) = bodies(a_report(**fields))
    assert len(summary) <= LIMITS.body_length
