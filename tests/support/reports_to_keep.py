"""Reports for the tests of the store."""

from affidavit.records.report import Report
from claims import candidate, change_of, report_on

FINGERPRINT = "0123456789abcdef"


def report(review_id: str = "r1", title: str = "A change") -> Report:
    kept = candidate(fingerprint=FINGERPRINT)
    return report_on(change_of("app.py", title=title), kept, review_id=review_id)
