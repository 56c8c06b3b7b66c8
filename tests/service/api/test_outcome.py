"""What a list of reviews counts."""

from affidavit.records.diagnostics import Diagnostic, Reason
from affidavit.service.work.workplace import outcome_of
from reports import a_report, a_set_aside

RESULT = a_set_aside(file="a.py")
NOTE = Diagnostic(code=Reason.FINDING_DROPPED, detail="as before", specialist="ruff", set_aside=RESULT)
REST = Diagnostic(
    code=Reason.FINDING_DROPPED, detail="and 3 more", specialist="ruff", unlisted={"ruff/F821": 3}
)
REPORT = a_report(diagnostics=(NOTE, REST))


def test_a_list_of_reviews_counts_those_that_are_too_many_to_be_listed() -> None:
    assert outcome_of(REPORT).dropped == 4
