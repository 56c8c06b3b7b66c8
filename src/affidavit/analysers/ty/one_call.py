"""One diagnostic for one call: a renamed parameter is unknown by its old name and missing by its new one."""

from collections.abc import Hashable, Sequence

from affidavit.analysers.rule import names_in
from affidavit.records.evidence import AnalyserDiagnostic

UNKNOWN, MISSING, ATTRIBUTE = "ty/unknown-argument", "ty/missing-argument", "ty/missing-attribute"


def join_calls(diagnostics: Sequence[AnalyserDiagnostic]) -> list[AnalyserDiagnostic]:
    """The diagnostics, with one where a call passes an unknown argument and leaves out a required one."""
    missing = [one for one in diagnostics if one.rule == MISSING]
    calls = [(one, _call_around(one, missing)) for one in diagnostics if one.rule == UNKNOWN]
    joined: dict[int, AnalyserDiagnostic] = {}
    replaced: set[int] = set()
    for unknown, call in calls:
        if call is None:
            continue
        replaced |= {id(unknown), id(call)}
        joined.setdefault(id(call), _renamed(unknown, call))
    kept = [one for one in diagnostics if id(one) not in replaced]
    return list({_access(one): one for one in reversed([*kept, *joined.values()])}.values())[::-1]


def _access(one: AnalyserDiagnostic) -> Hashable:
    """What tells a diagnostic from others; ty names an attribute twice where it infers two types."""
    if one.rule != ATTRIBUTE:
        return id(one)
    return one.path, _place(one), *names_in(one.message)[-1:]


def _call_around(
    unknown: AnalyserDiagnostic, missing: Sequence[AnalyserDiagnostic]
) -> AnalyserDiagnostic | None:
    """The innermost call of the same callee that the argument stands in."""
    around = [
        one
        for one in missing
        if one.path == unknown.path
        and names_in(one.message)[1:2] == names_in(unknown.message)[1:2]
        and _place(one) <= _place(unknown)
        and unknown.line <= (one.end_line or one.line)
    ]
    return max(around, key=_place, default=None)


def _place(diagnostic: AnalyserDiagnostic) -> tuple[int, int]:
    return diagnostic.line, diagnostic.column or 0


def _renamed(unknown: AnalyserDiagnostic, call: AnalyserDiagnostic) -> AnalyserDiagnostic:
    passed = names_in(unknown.message)[0]
    # Of a callable that is known by its type alone, parameters are named by their numbers.
    wanted = next((f"`{name}`" for name in names_in(call.message)), "a required one")
    message = unknown.message.replace(f"`{passed}` does", f"`{passed}`, while {wanted} is left out, does", 1)
    return unknown.model_copy(update={"message": message})
