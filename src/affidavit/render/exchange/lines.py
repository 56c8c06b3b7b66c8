"""Write lines as compilers do, for editors and problem matchers: each shown finding, and notes under it."""

from collections.abc import Iterator

from affidavit.records.candidate import Candidate
from affidavit.records.finding import Finding
from affidavit.records.report import Report
from affidavit.render import wording
from affidavit.render.changed_lines import head_place
from affidavit.render.exchange.shapes import rule_of, under_lines
from affidavit.render.formats import RenderOptions
from affidavit.render.safe_text import one_line, visible

MAX_TITLE_LENGTH = 300


def write(report: Report, _options: RenderOptions) -> str:
    """Return `FILE:LINE: error|warning: TITLE [RULE]`; errors block, notes name joined findings."""
    shown = wording.ordered(report.shown)
    found = [line for one in shown if one.finding for line in _lines(one, one.finding, report)]
    unseen = [
        f"{visible(path)}:1: warning: not reviewed: {one_line(why, MAX_TITLE_LENGTH)}"
        for path, why in wording.unseen_files(report)
    ]
    return "".join(f"{line}\n" for line in (*found, *unseen))


def _lines(candidate: Candidate, finding: Finding, report: Report) -> Iterator[str]:
    place = head_place(finding, report.change)
    at = f"{visible(place.path)}:{place.first}"
    kind = "error" if candidate.id in report.gate.failed_by else "warning"
    title = one_line(wording.title_of(candidate), MAX_TITLE_LENGTH)
    yield f"{at}: {kind}: {title} [{rule_of(finding)}]"
    yield from (f"{at}: note: {one_line(text)}" for text in under_lines(candidate, report))
