"""Note at each finding who had commented on its place before: it need not be said to them again."""

from collections.abc import Sequence

from affidavit.ports import Case
from affidavit.records.candidate import Candidate
from affidavit.records.change import Comment
from affidavit.records.docket import Docket
from affidavit.records.finding import NEAR_LINES, Finding

STAGE = "comments"
NOBODY = "somebody"
MAX_NAME_LENGTH = 100


def note_existing(docket: Docket, case: Case) -> Docket:
    """The candidates with the authors of comments at their places, also those that are withheld."""
    placed = [comment for comment in case.change.discussion if comment.file and comment.line]
    return docket.then(_noted(candidate, placed) for candidate in docket.candidates)


def _noted(candidate: Candidate, placed: Sequence[Comment]) -> Candidate:
    finding = candidate.finding
    if finding is None:
        return candidate
    authors = [_name(comment) for comment in placed if _is_at(comment, finding)]
    names = tuple(dict.fromkeys(authors))
    return (
        candidate.then(STAGE, f"commented on before by {', '.join(names)}", said_by=names)
        if names
        else candidate
    )


def _name(comment: Comment) -> str:
    return " ".join(comment.author.split())[:MAX_NAME_LENGTH] or NOBODY


def _is_at(comment: Comment, finding: Finding) -> bool:
    first, last = finding.lines
    line = comment.line or 0
    return comment.file == finding.file and first - NEAR_LINES <= line <= last + NEAR_LINES
