"""What an agent of a loop silences counts, whatever else stands on its line."""

import pytest

from affidavit.iterations.feedback.scores import what_counts
from affidavit.iterations.refine.silenced import as_found, raised, silenced_since
from affidavit.records.candidate import Worth
from affidavit.records.diagnostics import Reason
from affidavit.records.finding import Severity
from affidavit.records.report import Report
from reports import a_candidate, a_report, a_withheld


def counted(report: Report) -> list[Severity]:
    """How much each finding weighs that counts in the loop."""
    silenced = silenced_since(report, a_report())
    all_of_it = [*raised(report, silenced).candidates, *as_found(report, silenced)]
    joined = report.model_copy(update={"candidates": tuple(all_of_it)})
    return [one.finding.severity for one in what_counts(joined) if one.finding]


@pytest.mark.parametrize("worth", [Worth.ACT, Worth.MAYBE, Worth.NIT])
def test_what_is_silenced_weighs_beside_whatever_is_shown_on_its_line(worth: Worth) -> None:
    silenced = a_withheld(1, Reason.SUPPRESSED, fingerprint="silenced")
    beside = a_candidate(2, worth=worth, fingerprint="beside", folded=worth is not Worth.ACT)
    assert [one for one in counted(a_report(silenced, beside)) if one.rank <= Severity.MEDIUM.rank]
