"""Maps of changes for tests of how they are shown."""

from typing import Any

from affidavit.records.change import Change, Commit
from affidavit.records.context import (
    BlameOrigin,
    ContextMap,
    Import,
    Reference,
    RelatedFile,
    Relation,
    Symbol,
    SymbolChange,
)
from reports import a_change, a_file, a_hunk


def a_symbol(name: str = "total", **fields: Any) -> Symbol:
    defaults = {
        "path": "shop/prices.py",
        "name": name,
        "qualified": name,
        "kind": "function",
        "line": 4,
        "end_line": 9,
        "signature": f"def {name}(items)",
    }
    return Symbol(**{**defaults, **fields})


def related(path: str, *reasons: tuple[str, str], score: float = 1, **fields: Any) -> RelatedFile:
    told = tuple(Relation(kind=kind, detail=detail, lines=(3, 9)) for kind, detail in reasons)  # type: ignore[arg-type]
    return RelatedFile(path=path, score=score, reasons=told, **fields)


def an_import(path: str, target: str | None, name: str = "") -> Import:
    return Import(path=path, line=1, name=name or target or "os", target=target)


def a_mapped_change(**fields: Any) -> Change:
    files = [a_file("shop/prices.py", a_hunk("-old", "+new")), a_file("shop/app.py", a_hunk("+x", "+y"))]
    commit = Commit(sha="c" * 40, author="Ada", date="2026-01-02T03:04:05+00:00", subject="Tax by country")
    return a_change(files=files, title="Tax by country").model_copy(update={"commits": (commit,), **fields})


def a_map(**fields: Any) -> ContextMap:
    """A map with something in every part."""
    parts: dict[str, Any] = {
        "symbols": (
            SymbolChange(
                fate="signature_changed", base=a_symbol(), head=a_symbol(signature="def total(items, tax)")
            ),
            SymbolChange(fate="added", head=a_symbol("vat")),
            SymbolChange(fate="renamed", base=a_symbol("old_name"), head=a_symbol("new_name")),
        ),
        "imports": (
            an_import("shop/app.py", "shop/prices.py"),
            an_import("shop/prices.py", "shop/money.py"),
            an_import("shop/prices.py", None, "decimal"),
        ),
        "importers": (an_import("shop/checkout.py", "shop/prices.py"),),
        "references": (
            Reference(
                symbol="total",
                path="shop/checkout.py",
                line=3,
                text="total(items)",
                kind="call",
                verification_method="read",
                certainty="certain",
            ),
        ),
        "related_files": (
            related("shop/checkout.py", ("calls", "calls total"), score=9, symbols=("total",)),
            related("tests/test_prices.py", ("tests", "is named after shop/prices.py"), score=5),
            related(
                "shop/events.yaml",
                ("shares_text", "also has the text `old_rate`, which the change replaces in shop/prices.py"),
                score=4.5,
            ),
            related("docs/tax.md", ("documents", "names shop/prices.py"), score=2),
            related(
                "shop/table.csv", ("changes_with", "changed in 4 of the last 5 commits of shop/prices.py")
            ),
            related("shop/money.py", ("imported_by", "is imported by shop/prices.py")),
        ),
        "tests": ("tests/test_prices.py", "tests/test_new.py"),
        "origins": (
            BlameOrigin(
                path="shop/prices.py",
                first_line=4,
                last_line=5,
                author="Grace",
                date="2025-05-06T07:08:09+00:00",
                commit="d" * 40,
                summary="Round down",
            ),
        ),
        "commits": a_mapped_change().commits,
        "left_out": ("3 more related files do not fit",),
    }
    return ContextMap(**{**parts, **fields})
