"""The routes of the API as a plain page: no script, nothing from another site."""

from html import escape
from typing import Any

METHODS = ("get", "post", "put", "delete")


def listing_page(document: dict[str, Any]) -> str:
    """The OpenAPI document as a table; the document itself has the shapes."""
    rows = "".join(
        f"<tr><td>{method.upper()}</td><td><code>{escape(path)}</code></td>"
        f"<td>{escape(operation.get('summary', ''))}</td></tr>"
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if method in METHODS
    )
    title = escape(document["info"]["title"])
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}: API</title></head><body>'
        f'<h1>{title}: the API</h1><p><a href="/openapi.json">openapi.json</a> has the shapes of requests '
        f"and answers.</p><table>{rows}</table></body></html>"
    )
