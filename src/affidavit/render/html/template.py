"""The templates and assets of the pages, and the policy that lets a page run nothing but its own."""

import base64
import hashlib
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from affidavit.render.safe_text import one_line, visible


@cache
def page_template(name: str) -> Template:
    """A template in which everything is escaped that is not marked up, and nothing may be missing."""
    environment = Environment(
        loader=PackageLoader("affidavit.render.html", "assets"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["line"] = one_line
    environment.filters["visible"] = visible
    return environment.get_template(name)


@cache
def asset(name: str) -> str:
    """A style or a script of this package."""
    return (files("affidavit.render.html") / "assets" / name).read_text(encoding="ascii")


def content_policy(style: str, script: str = "") -> str:
    """Nothing is loaded from anywhere; of styles and scripts, only these."""
    sources = "; ".join(
        f"{kind}-src 'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        for kind, text in (("style", style), ("script", script))
        if text
    )
    return f"default-src 'none'; {sources}; base-uri 'none'; form-action 'none'"
