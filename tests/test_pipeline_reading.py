"""Through the whole line of stages: a look that never happened is not believed, and who was read is kept."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from affidavit.agents.panel import Panel
from affidavit.config.settings import Settings
from affidavit.events import Emit, ignore_events
from affidavit.pipeline import review
from affidavit.ports import Role, Talk
from affidavit.records.diagnostics import Reason
from affidavit.records.report import Answer, Report, RoleUsage
from affidavit.stages.intake import ChangeRequest, OpenedChange, open_change
from affidavit.stages.review import Crew
from claims import verification
from repositories import Repo

ANSWERS: dict[str, Any] = {
    "planner": {"goal": "g", "approach": "a", "impact": "i", "questions": {}},
    "verifier": {"judgment": "CONFIRMED", "qualified": False, "worth": "act", "reason": "app.py:1"},
}


class Mind:
    """A model that reads with its tools, or does not, and says that it has."""

    model = "scripted"

    def __init__(self, role: Role, *, is_honest: bool) -> None:
        self.role: Role = role
        self.is_honest = is_honest

    async def converse(self, talk: Talk, emit: Emit) -> Answer:
        if self.is_honest and talk.tools:
            talk.tools.call("get_file_context", {"file_path": "lib.py", "start_line": 1, "end_line": 1})
        said = ANSWERS.get(self.role) or result()
        usage = RoleUsage(role=self.role, model=self.model)
        return Answer(outcome="answered", text=json.dumps(said), usage=usage)


def result() -> dict[str, Any]:
    evidence = verification(
        code_examined="x = 2", line_range_examined=[1, 1], where_checked="callers in lib.py"
    )
    finding = {"id": "f", "severity": "high", "category": "correctness", "title": "t", "file": "app.py"}
    finding |= {"line": 1, "message": "m", "verification": evidence}
    return {"schema_version": "1.1", "prompt_version": "2.0.0", "findings": [finding]}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenedChange]:
    repo = Repo(tmp_path_factory.mktemp("reading") / "repo")
    repo.commit("base", {"app.py": "x = 1\n", "lib.py": "y = 1\n"})
    repo.commit("head", {"app.py": "x = 2\n"})
    with open_change(ChangeRequest(target="HEAD", repo=repo.path)) as change:
        yield change


def reviewed(opened: OpenedChange, *, is_honest: bool) -> Report:
    roles: tuple[Role, ...] = ("planner", "specialist", "verifier")
    minds = {role: Mind(role, is_honest=is_honest) for role in roles}
    panel = Panel(minds, reads_dependencies=False)
    crew = Crew([], panel=panel)
    return asyncio.run(review(opened.change, opened.repository, Settings(), crew, ignore_events))


def is_believed(report: Report) -> bool:
    (shown,) = report.shown
    assert shown.finding is not None
    assert shown.finding.verification is not None
    return shown.finding.verification.checked_for_handling_elsewhere


def test_who_read_what_it_names_is_believed_and_the_report_lists_what_it_read(opened: OpenedChange) -> None:
    report = reviewed(opened, is_honest=True)
    assert is_believed(report)
    assert [reply.files_read for reply in report.replies] == [("lib.py",)]
    assert Reason.CLAIMED_LOOK_NOT_MADE not in {item.code for item in report.diagnostics}


def test_who_did_not_read_what_it_names_is_not_believed_and_its_finding_goes_on(opened: OpenedChange) -> None:
    report = reviewed(opened, is_honest=False)
    assert not is_believed(report)
    assert [reply.files_read for reply in report.replies] == [()]
    (noted,) = [item for item in report.diagnostics if item.code is Reason.CLAIMED_LOOK_NOT_MADE]
    assert "lib.py" in noted.detail
    assert report.verdict.decision == "request_changes"
