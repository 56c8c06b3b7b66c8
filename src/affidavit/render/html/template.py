"""From a template and values to a page that loads nothing and runs nothing but its own script."""

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from affidavit import __version__
from affidavit.render.safe_text import one_line, visible

if TYPE_CHECKING:
    from jinja2 import Environment


def render_page(name: str, *, styles: Sequence[str], script: str = "", **values: Any) -> str:
    """The page of a template, with these styles and this script in it and no others allowed."""
    style = "".join(_asset(one) for one in styles)
    code = _asset(script) if script else ""
    return (
        _templates()
        .get_template(name)
        .render(
            style=Markup(style),  # noqa: S704 - an asset of this package
            script=Markup(code),  # noqa: S704 - an asset of this package
            policy=_content_policy(style, code),
            generator=__version__,
            **values,
        )
    )


@cache
def _templates() -> "Environment":
    """Templates in which everything is escaped that is not marked up, and nothing may be missing."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - few runs make a page

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
    return environment


@cache
def _asset(name: str) -> str:
    """A style or a script of this package."""
    return (files("affidavit.render.html") / "assets" / name).read_text(encoding="ascii")


def _content_policy(style: str, script: str) -> str:
    """Nothing is loaded from anywhere; of styles and scripts, only these."""
    sources = "; ".join(
        f"{kind}-src 'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        for kind, text in (("style", style), ("script", script))
        if text
    )
    return f"default-src 'none'; {sources}; base-uri 'none'; form-action 'none'"
