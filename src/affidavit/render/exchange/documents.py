"""Write the native report, and the actionable-feedback document for people and coding agents."""

from affidavit.iterations.feedback_document import feedback_document
from affidavit.records.report import Report
from affidavit.render.exchange.shapes import as_json
from affidavit.render.formats import RenderOptions
from affidavit.render.proof import said_under
from affidavit.render.safe_text import visible


def write_report(report: Report, _options: RenderOptions) -> str:
    """The whole report, in ASCII, whatever the reader asked to see."""
    return report.model_dump_json(indent=1, ensure_ascii=True) + "\n"


def write_feedback(report: Report, _options: RenderOptions) -> str:
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
