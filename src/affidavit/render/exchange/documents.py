"""Write the native report, and the actionable-feedback document for people and coding agents."""

from affidavit.iterations.feedback_document import feedback_document
from affidavit.iterations.feedback_words import clean
from affidavit.records.report import Report
from affidavit.render.exchange.shapes import as_json
from affidavit.render.formats import RenderOptions
from affidavit.render.proof import said_under


def write_report(report: Report, _options: RenderOptions) -> str:
    """The whole report, in ASCII, whatever the reader asked to see."""
    return report.model_dump_json(indent=1, ensure_ascii=True) + "\n"


def write_feedback(report: Report, _options: RenderOptions) -> str:
    """The document as JSON; empty where there is nothing to ask for, since an empty one is not valid."""
    document = feedback_document(report)
    if document is None:
        return ""
    known = {one.id: one for one in report.candidates}
    for item in document["feedback_items"]:
        if under := said_under(known[item["finding"]], report):
            item["also"] = [clean(" ".join(f"{label}: {text}".split())) for label, text in under]
    return as_json(document)
