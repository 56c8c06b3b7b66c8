"""Reports for the tests of the store."""

from affidavit.config.settings import Settings
from affidavit.records.report import Report
from affidavit.stages.report import Proceedings, compile_report
from claims import candidate, change_of

FINGERPRINT = "0123456789abcdef"


def report(review_id: str = "r1", title: str = "A change") -> Report:
    proceedings = Proceedings(review_id=review_id, candidates=[candidate(fingerprint=FINGERPRINT)])
    return compile_report(proceedings, change_of("app.py", title=title), Settings(), [], {})
