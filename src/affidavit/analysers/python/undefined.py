"""Whether a name that an analyser calls undefined really fails at run time."""

from affidavit.analysers.analyser import Inspection
from affidavit.analysers.python.syntax import is_only_for_type_checkers, is_unevaluated_annotation
from affidavit.records.evidence import AnalyserDiagnostic


def judge_undefined_name(diagnostic: AnalyserDiagnostic, inspection: Inspection, text: bytes) -> str | None:
    """The reason why an undefined name is no finding; None where it is one."""
    if is_unevaluated_annotation(text, diagnostic.line, diagnostic.column):
        return "the name stands in an annotation that is never evaluated"
    if is_only_for_type_checkers(text, diagnostic.line, diagnostic.column):
        return "the code is only read by type checkers"
    # A name that was undefined before comes from outside: an injected builtin, a notebook, a build tool.
    was_undefined = any(
        known.rule == diagnostic.rule and known.message == diagnostic.message
        for known in inspection.base_diagnostics
    )
    return "the same undefined name was used before the change" if was_undefined else None
