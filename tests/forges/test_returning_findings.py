"""Findings that come back after their thread was closed: by us, by an answer of ours, or by people."""

from pathlib import Path

import pytest

from affidavit.records.report import Report
from github_server import GitHubServer, opened_github
from gitlab_server import GitLabServer, opened_gitlab
from posting_flow import post, reviewed
from shop import HEAD_FILES

BROKEN = HEAD_FILES["cart.py"]
FIXED = BROKEN.replace("price_in(currency, item)", "item.price")


@pytest.fixture(scope="module")
def commits(
    tmp_path_factory: pytest.TempPathFactory, begun: tuple[Path, str, str], first_report: Report
) -> tuple[Report, Report]:
    """The reports on a push that fixes it and on one that breaks it again, made once."""
    folder = tmp_path_factory.mktemp("pushes")
    server = opened_github(folder / "github", begun)
    reports = [first_report]
    for text in (FIXED, BROKEN):
        server.push(server.origin.commit("topic", {"cart.py": text}, "More"))
        reports.append(reviewed(server.address, folder / "cache", previous=reports[-1]))
    server.stop()
    return reports[1], reports[2]


class Pushes:
    """A forge on which a finding is posted, fixed and broken again."""

    def __init__(
        self, server: GitHubServer | GitLabServer, commits: tuple[Report, Report], first: Report
    ) -> None:
        self.server = server
        self.reports = {"first": first, "fixed": commits[0], "broken": commits[1]}

    def post(self, name: str) -> None:
        """Twice, since the second time nothing may be added."""
        report = self.reports[name]
        self.server.head = report.change.head.commit or ""
        named = report.change.model_copy(update={"request": self.server.address.url})
        for _ in range(2):
            post(self.server.address, report.model_copy(update={"change": named}))


@pytest.fixture
def pushes(github: GitHubServer, commits: tuple[Report, Report], report: Report) -> Pushes:
    for text, made in zip((FIXED, BROKEN), commits, strict=True):
        assert github.origin.commit("topic", {"cart.py": text}, "More") == made.change.head.commit
    return Pushes(github, commits, report)


def answers(github: GitHubServer) -> list[str]:
    return [one["body"].partition("\n")[2] for one in github.inline if one.get("in_reply_to_id")]


def resolved(github: GitHubServer) -> list[bool]:
    return [bool(one["isResolved"]) for one in github.threads.values()]


def test_a_finding_that_is_back_after_we_resolved_its_thread_gets_a_new_one(
    github: GitHubServer, pushes: Pushes
) -> None:
    for name, then in (
        ("first", [False]),
        ("fixed", [True]),
        ("broken", [True, False]),
        ("fixed", [True, True]),
    ):
        pushes.post(name)
        assert resolved(github) == then
    assert answers(github) == []


def test_a_finding_that_is_back_after_an_answer_called_it_fixed_gets_a_new_comment(
    github: GitHubServer, pushes: Pushes
) -> None:
    github.can_resolve = False
    for name in ("first", "fixed", "broken", "fixed"):
        pushes.post(name)
    assert [one.split()[0] for one in answers(github)] == ["Fixed:", "Fixed:"]
    assert len(github.threads) == 2


def test_a_thread_that_a_person_resolved_stays_so_while_its_finding_blocks(
    github: GitHubServer, pushes: Pushes
) -> None:
    pushes.post("first")
    github.resolve("mel", github.inline[0]["id"])
    pushes.post("broken")
    assert resolved(github) == [True]
    assert answers(github) == []
    assert "in a thread that was resolved)" in github.comments[0]["body"]


def test_on_gitlab_a_finding_that_is_back_gets_a_new_thread(
    tmp_path: Path, begun: tuple[Path, str, str], commits: tuple[Report, Report], first_report: Report
) -> None:
    server = opened_gitlab(tmp_path / "gitlab", begun)
    flow = Pushes(server, commits, first_report)
    for text in (FIXED, BROKEN):
        server.origin.commit("topic", {"cart.py": text}, "More")
    for name in ("first", "fixed", "broken"):
        flow.post(name)
    assert [one["resolved"] for one in server.notes if "position" in one] == [True, False]
    server.stop()
