"""Write a report as itself: the native JSON, from which all else is made and which can be proven again."""

from affidavit.records.report import Report
from affidavit.render.view import View


def write(report: Report, _view: View) -> str:
    """The whole report, in ASCII, whatever the reader asked to see."""
    return report.model_dump_json(indent=1, ensure_ascii=True) + "\n"
