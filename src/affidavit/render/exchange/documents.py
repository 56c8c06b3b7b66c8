"""Write the native report, and the actionable-feedback document for people and coding agents."""

from affidavit.iterations.feedback_document import feedback_document
from affidavit.iterations.feedback_words import clean
from affidavit.records.report import Report
from affidavit.render.exchange.shapes import as_json
from affidavit.render.formats import RenderOptions
from affidavit.render.proof import said_under


def write_report(report: Report, _options: RenderOptions) -> str:
    """Write the whole report, in ASCII."""
    return report.model_dump_json(indent=1, ensure_ascii=True) + "\n"


def write_feedback(report: Report, _options: RenderOptions) -> str:
    """Write the document as JSON; empty if nothing is asked for, since an empty document is not valid."""
    document = feedback_document(report)
    if document is None:
        return ""
    known = {one.id: one for one in report.candidates}
    for item in document["feedback_items"]:
        if under := said_under(known[item["finding"]], report):
            item["also"] = [clean(" ".join(f"{label}: {text}".split())) for label, text in under]
    return as_json(document)
