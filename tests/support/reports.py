"""Small reports for tests: each function gives something whole, and takes what the test is about."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from affidavit.records.candidate import Candidate, Judgement, Status, Withheld, Worth
from affidavit.records.change import Change, FileChange, FileStatus, Hunk, Revision, SkipReason
from affidavit.records.context import ContextMap, Import, Reference, Symbol, SymbolChange
from affidavit.records.diagnostics import Reason, SetAside
from affidavit.records.evidence import QuoteCheck
from affidavit.records.finding import Category, Cause, Finding, Severity, Verification
from affidavit.records.report import (
    Counts,
    Decision,
    FileCoverage,
    Gap,
    Gate,
    HunkCoverage,
    ReplySummary,
    Report,
    Verdict,
)

CODE = "def add(items):\n    for item in items:\n        total += item.price\n    return total"


def a_verification(**fields: Any) -> Verification:
    return Verification(
        **{
            "code_examined": CODE,
            "line_range_examined": (10, 13),
            "verification_method": "ruff 0.17.4 reports F821 at head and not at base",
            "checked_for_handling_elsewhere": True,
            "where_checked": "both sides of the change",
            "failing_input": "add([Item(price=3)])",
            "wrong_outcome": "NameError: name 'total' is not defined",
            **fields,
        }
    )


def a_finding(**fields: Any) -> Finding:
    return Finding(
        **{
            "id": "f1",
            "severity": Severity.HIGH,
            "category": Category.CORRECTNESS,
            "title": "`total` is not defined",
            "file": "shop/cart.py",
            "line": 12,
            "message": "`add` reads `total` before anything is assigned to it, so a call raises NameError.",
            "suggestion": "Set `total = 0` before the loop.",
            "confidence": "high",
            "rule_id": "ruff/F821",
            "verification": a_verification(),
            **fields,
        }
    )


def a_quote(**fields: Any) -> QuoteCheck:
    return QuoteCheck(
        **{
            "outcome": "exact",
            "file": "shop/cart.py",
            "side": "head",
            "start": 10,
            "end": 13,
            "code": CODE,
            **fields,
        }
    )


def a_set_aside(**fields: Any) -> SetAside:
    return SetAside(
        **{
            "rule": "ruff/F821",
            "severity": "high",
            "category": "correctness",
            "file": "shop/cart.py",
            "line": 2,
            "message": "Undefined name",
            "reason": "the rule is off",
            **fields,
        }
    )


def a_candidate(number: int = 0, **fields: Any) -> Candidate:
    finding = fields.get("finding", a_finding(id=f"f{number}"))
    return Candidate(
        **{
            "id": f"ruff:{number}",
            "specialist": "ruff",
            "kind": "mechanical",
            "index": number,
            "finding": finding,
            "fingerprint": "3f9a1c0be2d4",
            "quote": a_quote(file=finding.file) if finding else None,
            "judgements": (Judgement(by="machine", answer="CONFIRMED"),),
            "status": Status.VERIFIED,
            "confidence": "high",
            "folded": fields.get("worth") is Worth.MAYBE,
            **fields,
        }
    )


def an_impact_candidate(number: int = 0, **fields: Any) -> Candidate:
    """A caller in an untouched file that the change of `price_of` breaks."""
    verification = a_verification(
        code_examined="    return price_of(item)",
        line_range_examined=(41, 41),
        verification_method="ty 0.0.100 reports missing-argument at head and not at base",
        is_impact_finding=True,
        caused_by=Cause(file="shop/prices.py", symbol="price_of"),
        failing_input="invoice(item)",
        wrong_outcome="TypeError: price_of() missing 1 required positional argument: 'currency'",
    )
    finding = a_finding(
        id=f"f{number}",
        title="`price_of` is called without `currency`",
        file="billing/invoice.py",
        line=41,
        message="The change adds the parameter `currency` to `price_of`; this call does not pass it.",
        suggestion="Pass `currency`, or give it a default.",
        rule_id="ty/missing-argument",
        verification=verification,
    )
    quote = a_quote(file=finding.file, start=41, end=41, code="    return price_of(item)")
    defaults: dict[str, Any] = {"id": f"ty:{number}", "specialist": "ty", "finding": finding, "quote": quote}
    return a_candidate(number, **{**defaults, **fields})


def a_withheld(number: int, code: Reason = Reason.REFUTED, detail: str = "", **fields: Any) -> Candidate:
    defaults: dict[str, Any] = {"withheld": Withheld(code=code, detail=detail)}
    if code in (Reason.REFUTED, Reason.EVIDENCE_NOT_FOUND):
        defaults["status"] = Status.FALSE_POSITIVE
    if code is Reason.NIT:
        defaults["worth"] = Worth.NIT
    return a_candidate(number, **{**defaults, **fields})


def a_hunk(*lines: str, start: int = 1, heading: str = "") -> Hunk:
    return Hunk(
        old_start=start,
        old_count=sum(line[0] != "+" for line in lines),
        new_start=start,
        new_count=sum(line[0] != "-" for line in lines),
        heading=heading,
        lines=lines,
    )


def a_file(path: str = "shop/cart.py", *hunks: Hunk, **fields: Any) -> FileChange:
    defaults: dict[str, Any] = {"status": FileStatus.MODIFIED, "language": "python"}
    return FileChange(
        path=path, hunks=hunks or (a_hunk(" a", "-b", "+c", start=10),), **{**defaults, **fields}
    )


def the_files() -> tuple[FileChange, ...]:
    prices = a_hunk(
        " import decimal", "-def price_of(item):", "+def price_of(item, currency):", "     pass", start=7
    )
    cart = a_hunk(
        "+def add(items):",
        "+    for item in items:",
        "+        total += item.price",
        "+    return total",
        start=10,
    )
    lock = a_file("poetry.lock", skipped=SkipReason.LOCK, language="")
    return a_file("shop/cart.py", cart), a_file("shop/prices.py", prices), lock


def a_change(files: Sequence[FileChange] | None = None, **fields: Any) -> Change:
    return Change(
        **{
            "source": "range",
            "target": "main..feature",
            "repository": "shop",
            "title": "Prices in several currencies",
            "base": Revision(tree="1" * 40, commit="a1b2c3d4" + "0" * 32, name="main"),
            "head": Revision(tree="2" * 40, commit="e5f6a7b8" + "0" * 32, name="feature"),
            "tip": Revision(tree="1" * 40, commit="a1b2c3d4" + "0" * 32, name="main"),
            "files": the_files() if files is None else tuple(files),
            **fields,
        }
    )


def a_map(*, users: Sequence[str] = ("billing/invoice.py", "shop/cart.py")) -> ContextMap:
    """Who uses `price_of`: a file outside of the change, and one in it."""
    symbol = Symbol(
        path="shop/prices.py", name="price_of", qualified="price_of", kind="function", line=8, end_line=9
    )
    return ContextMap(
        symbols=(SymbolChange(fate="signature_changed", base=symbol, head=symbol),),
        importers=tuple(
            Import(path=path, line=3, name="shop.prices", target=symbol.path, names=("price_of",))
            for path in users
        ),
        references=tuple(
            Reference(
                symbol="price_of",
                path=path,
                line=41,
                text="    return price_of(item)",
                kind="call",
                verification_method="searched for the name",
                certainty="certain",
            )
            for path in users
        ),
    )


def cover(change: Change) -> tuple[FileCoverage, ...]:
    return tuple(
        FileCoverage(
            path=file.path,
            state="skipped" if file.skipped else "examined",
            reason=str(file.skipped or ""),
            hunks=tuple(
                HunkCoverage(
                    new_start=hunk.new_start,
                    new_count=hunk.new_count,
                    old_start=hunk.old_start,
                    old_count=hunk.old_count,
                    examined_by=() if file.skipped else ("ruff", "ty"),
                )
                for hunk in file.hunks
            ),
        )
        for file in change.files
    )


def count(candidates: Sequence[Candidate], blocking: int) -> Counts:
    shown = [one for one in candidates if one.is_shown]
    withheld = [one for one in candidates if not one.is_shown]
    return Counts(
        candidates=len(candidates),
        shown=len(shown),
        folded=sum(one.folded for one in shown),
        withheld=len(withheld),
        blocking=blocking,
        by_severity=Counter(one.finding.severity for one in shown if one.finding),
        withheld_by_code=Counter(one.withheld.code for one in withheld if one.withheld),
    )


def blocks(candidate: Candidate) -> bool:
    finding = candidate.finding
    return (
        candidate.is_shown
        and finding is not None
        and finding.severity.rank <= 1
        and candidate.status is Status.VERIFIED
        and candidate.worth is Worth.ACT
    )


def a_report(*candidates: Candidate, **fields: Any) -> Report:
    """A report of these candidates; verdict, gate, counts and coverage follow from them."""
    change = fields.get("change") or a_change()
    blocking = tuple(one.id for one in candidates if blocks(one))
    decision: Decision = "request_changes" if blocking else "comment"
    no_model = Gap(name="model", reason="no model is configured", advice="Set `model` to have one look.")
    return Report(
        **{
            "affidavit_version": "0.1.0",
            "id": "r-1",
            "created_at": "2026-11-20T10:00:00.000Z",
            "duration_ms": 812,
            "schema_version": "1.1",
            "prompt_version": "1.0.0",
            "change": change,
            "settings": {},
            "candidates": candidates,
            "replies": (ReplySummary(specialist="ruff", kind="mechanical", state="accepted"),),
            "verdict": Verdict(
                decision=decision,
                summary="1 proven finding must be dealt with."
                if blocking
                else "No problems found (linters only, no model).",
                confidence=0.9,
                blocking=blocking,
                counts=count(candidates, len(blocking)),
            ),
            "gate": Gate(fail_on=Severity.HIGH, failed_by=blocking, exit_code=1 if blocking else 0),
            "not_run": (no_model,),
            "coverage": cover(change),
            **fields,
        }
    )


def a_full_report(**fields: Any) -> Report:
    """One of everything."""
    maybe = a_candidate(
        3,
        worth=Worth.MAYBE,
        finding=a_finding(id="f3", severity=Severity.LOW, title="`items` shadows a module", line=11),
    )
    doubtful = a_candidate(
        4,
        id="logic:4",
        specialist="logic",
        kind="model",
        status=Status.UNVERIFIED,
        confidence="low",
        agreed_by=("security",),
        finding=a_finding(id="f4", severity=Severity.MEDIUM, title="An empty cart is billed", line=13),
        judgements=(Judgement(by="verifier", outcome="cut_off", model="some-model"),),
    )
    nit = a_withheld(5, Reason.NIT, "unused import", finding=a_finding(id="f5", severity=Severity.INFO))
    dropped = Candidate(
        id="logic:6",
        specialist="logic",
        kind="model",
        index=6,
        raw={"title": "Wrong file", "file": "nowhere.py"},
        withheld=Withheld(code=Reason.FILE_NOT_IN_CHANGED_FILES, detail="nowhere.py"),
    )
    refuted = a_withheld(7, detail="`total` is a global, set in line 3")
    return a_report(
        a_candidate(1, agreed_by=("ty",)),
        an_impact_candidate(2),
        maybe,
        doubtful,
        nit,
        dropped,
        refuted,
        **{
            "incomplete": (Gap(name="ty at base", reason="ran out of time after 60 s", advice="Raise it."),),
            **fields,
        },
    )
