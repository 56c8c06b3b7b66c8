"""Write a report as the web page in one file, which loads nothing and opens from disk."""

import html
import json
from importlib.resources import files
from typing import Any

from pydantic_core import to_jsonable_python

from affidavit.errors import InputError
from affidavit.records.report import Report
from affidavit.render.formats import RenderOptions
from affidavit.render.safe_text import json_without_commands, one_line
from affidavit.render.view import view_of

TITLE_MARK, CONTENTS_MARK = "{{title}}", "{{contents}}"
MAX_TITLE_LENGTH = 200
ESCAPES = {"<": r"\u003c", ">": r"\u003e", "&": r"\u0026"}
"""Escapes for JSON inside a script element; these signs occur only in its strings."""


def write(report: Report, _options: RenderOptions) -> str:
    """Write the report and its view into the page, without the inputs of the review."""
    contents = {"report": report.model_dump(exclude={"inputs"}), "view": view_of(report).model_dump()}
    return single_page(report.change.title or report.change.target, contents)


def built_page() -> str:
    """Return the page without a report; raise InputError if it is not built."""
    built = files("affidavit") / "web" / "file.html"
    if not built.is_file():
        raise InputError("the page is not built, and HTML is made of it: run `make page` first")
    return built.read_text(encoding="utf-8")


def single_page(title: str, contents: dict[str, Any]) -> str:
    head, _, rest = built_page().partition(TITLE_MARK)
    middle, _, tail = rest.partition(CONTENTS_MARK)
    name = html.escape(f"{one_line(title, MAX_TITLE_LENGTH)} \u2013 Affidavit")
    return f"{head}{name}{middle}{_inert(contents)}{tail}"


def _inert(contents: dict[str, Any]) -> str:
    """Return JSON in ASCII that ends no element and contains no command to CI runners.

    Half of a surrogate pair stays as it is, for the page to show; pydantic would refuse it.
    """
    text = json.dumps(contents, allow_nan=False, default=to_jsonable_python)
    for sign, escape in ESCAPES.items():
        text = text.replace(sign, escape)
    return json_without_commands(text)
