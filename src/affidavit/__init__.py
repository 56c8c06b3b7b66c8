"""Affidavit: code review under oath.

What is exported here is the public API, with its types in `stubs/affidavit.pyi`. The rest may change.
"""

import importlib
from typing import Any

__version__ = "0.1.0"
HOME_PAGE = "https://affidavit.example/"
_PUBLIC = {
    "AffidavitError": "errors",
    "Finding": "records.finding",
    "Rechecked": "rechecking.check",
    "Report": "records.report",
    "ReviewOptions": "reviewing.options",
    "Settings": "config.settings",
    "recheck": "reviewing.door",
    "recheck_async": "reviewing.door",
    "review": "reviewing.door",
    "review_async": "reviewing.door",
}
__all__ = ["__version__", *_PUBLIC]  # noqa: PLE0604 - the keys are strings


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _PUBLIC:
        raise AttributeError(f"module 'affidavit' has no attribute {name!r}")
    return getattr(importlib.import_module(f"affidavit.{_PUBLIC[name]}"), name)
