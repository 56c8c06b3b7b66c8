"""Write one line for each shown finding, as compilers do: for editors and problem matchers."""

from affidavit.records.candidate import Candidate
from affidavit.records.finding import Finding
from affidavit.records.report import Report
from affidavit.render import wording
from affidavit.render.changed_lines import head_place
from affidavit.render.exchange.shapes import rule_of
from affidavit.render.formats import RenderOptions
from affidavit.render.safe_text import one_line, visible

MAX_TITLE_LENGTH = 300


def write(report: Report, _options: RenderOptions) -> str:
    """Return `FILE:LINE: error|warning: TITLE [RULE]`; an error is what blocks."""
    found = [_line(one, one.finding, report) for one in wording.ordered(report.shown) if one.finding]
    unseen = [
        f"{visible(path)}:1: warning: not reviewed: {one_line(why, MAX_TITLE_LENGTH)}"
        for path, why in wording.unseen_files(report)
    ]
    return "".join(f"{line}\n" for line in (*found, *unseen))


def _line(candidate: Candidate, finding: Finding, report: Report) -> str:
    place = head_place(finding, report.change)
    kind = "error" if candidate.id in report.gate.failed_by else "warning"
    title = one_line(wording.title_of(candidate), MAX_TITLE_LENGTH)
    return f"{visible(place.path)}:{place.first}: {kind}: {title} [{rule_of(finding)}]"
