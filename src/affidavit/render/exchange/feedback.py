"""The actionable-feedback document: what to do next, for people and for coding agents."""

from affidavit.iterations.feedback.document import feedback_document
from affidavit.records.report import Report
from affidavit.render.exchange.shapes import as_json
from affidavit.render.report.proof.under import said_under
from affidavit.render.safe_text import visible
from affidavit.render.view import View


def write(report: Report, _view: View) -> str:
    """The document as JSON; empty where there is nothing to ask for, since an empty one is not valid."""
    document = feedback_document(report, _inert)
    if document is None:
        return ""
    known = {one.id: one for one in report.candidates}
    for item in document["feedback_items"]:
        if under := said_under(known[item["finding"]], report):
            item["also"] = [_inert(" ".join(f"{label}: {text}".split())) for label, text in under]
    return as_json(document)


def _inert(text: str) -> str:
    return visible(text, keep="\n\t").encode("utf-8", "replace").decode("utf-8")
