"""Small factories for tests of the stages: findings, candidates, changes and an opened pair of commits."""

from typing import Any

from affidavit.config.settings import Settings
from affidavit.git.repository import GitRepository, open_repository
from affidavit.ports import Case, Repository, Tree
from affidavit.prompts import current_prompts
from affidavit.records.candidate import Candidate
from affidavit.records.change import Change, FileChange, FileStatus, Revision
from affidavit.records.docket import Docket
from affidavit.records.finding import Finding
from affidavit.records.record import Side
from affidavit.records.report import Report
from affidavit.stages.report import compile_report
from repositories import Repo


def verification(**fields: Any) -> dict[str, Any]:
    """Evidence of schema 1.1 that is well formed."""
    return {
        "code_examined": "return total",
        "line_range_examined": (1, 10),
        "verification_method": "read the function",
        "checked_for_handling_elsewhere": True,
        "failing_input": "an empty list",
        "wrong_outcome": "a crash",
        **fields,
    }


def finding(evidence: dict[str, Any] | None = None, **fields: Any) -> Finding:
    """A finding with evidence; `evidence=None` in `fields` is not possible: use `bare_finding`."""
    return Finding(**{**_claim(), "verification": verification(**(evidence or {})), **fields})


def bare_finding(**fields: Any) -> Finding:
    """A finding of schema 1.0."""
    return Finding(**{**_claim(), **fields})


def _claim() -> dict[str, Any]:
    return {
        "id": "f1",
        "severity": "high",
        "category": "correctness",
        "title": "The total is wrong",
        "file": "app.py",
        "line": 2,
        "message": "It adds one too many.",
    }


def candidate(claim: Finding | None = None, **fields: Any) -> Candidate:
    """A candidate of a model specialist."""
    defaults = {"id": "logic-0", "specialist": "logic", "kind": "model", "index": 0}
    return Candidate(**{**defaults, "finding": claim or finding(), **fields})


def file_change(path: str = "app.py", **fields: Any) -> FileChange:
    """A modified file."""
    return FileChange(**{"path": path, "status": FileStatus.MODIFIED, **fields})


def change_of(*paths: str, files: tuple[FileChange, ...] = (), **fields: Any) -> Change:
    """A change of these files."""
    every = (*files, *(file_change(path) for path in paths))
    defaults = {"source": "range", "target": "a..b", "base": Revision(tree="0"), "head": Revision(tree="1")}
    return Change(**{**defaults, "files": every, **fields})


class NothingHidden:
    """A tree of which a stage asks only what redaction hides: nothing."""

    def redacted_lines(self, path: str) -> None:
        return

    def __getattr__(self, name: str) -> Any:
        raise AssertionError("this stage reads no tree")


class Treeless:
    """A repository for stages that read none."""

    folder = None
    tip = None
    excusing = ()
    head = NothingHidden()

    @property
    def base(self) -> Tree:
        raise AssertionError("this stage reads no tree")

    def side(self, side: Side) -> Tree:
        raise AssertionError("this stage reads no tree")


def case_of(change: Change, repository: Repository | None = None, **fields: Any) -> Case:
    """A change under review."""
    return Case(change, repository or Treeless(), **{"review_id": "r1", **fields})


def report_on(change: Change, *candidates: Candidate, review_id: str = "r1") -> Report:
    """The report of a review without models that ended with these candidates."""
    docket, case = Docket(candidates=candidates), case_of(change, review_id=review_id)
    return compile_report(docket, case, Settings(), {}, {}, current_prompts())


def opened(
    repo: Repo, base: dict[str, str | bytes | None], head: dict[str, str | bytes | None]
) -> GitRepository:
    """Two commits: `base`, then `head` on top of it."""
    first = repo.commit("base", base)
    return open_repository(repo.path, first, repo.commit("head", head))
