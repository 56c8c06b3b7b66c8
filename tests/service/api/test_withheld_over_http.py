"""What the service answers to whoever asks what is not shown."""

import asyncio

from affidavit.records.diagnostics import Diagnostic, Reason
from affidavit.service.routes.reports import get_withheld
from affidavit.service.work.workplace import outcome_of
from reports import a_report, a_set_aside

RESULT = a_set_aside(file="a.py")
NOTE = Diagnostic(code=Reason.FINDING_DROPPED, detail="as before", specialist="ruff", set_aside=RESULT)
REST = Diagnostic(
    code=Reason.FINDING_DROPPED, detail="and 3 more", specialist="ruff", unlisted={"ruff/F821": 3}
)
REPORT = a_report(diagnostics=(NOTE, REST))


def test_what_analysers_set_aside_is_answered_beside_the_withheld_findings() -> None:
    answer = asyncio.run(get_withheld(REPORT)).model_dump(mode="json")
    assert answer["withheld"] == []
    assert answer["set_aside_count"] == 4
    assert answer["set_aside"] == [{"specialist": "ruff", **RESULT.model_dump(mode="json")}]


def test_a_list_of_reviews_counts_those_that_are_too_many_to_be_listed() -> None:
    assert outcome_of(REPORT).dropped == 4
