"""Why a new diagnostic says nothing about the code, whichever analyser it comes from: the excuse, or None.

Text that does not parse is a fault only where somebody would parse it as it stands: no template, no data of
a test, nothing that the repository's own linters leave out at base. Secrets are found in all of these. Marks
of a template are the file's own words: they excuse as far as they stood at base.
"""

from affidavit.analysers.analyser import Analyser, Inspection
from affidavit.analysers.disclaimer import Disclaimer, Excuse
from affidavit.analysers.excuses.exclusions import left_out_by
from affidavit.analysers.excuses.templates import (
    has_mark,
    has_name_to_fill_in,
    is_marked_at,
    is_marked_near,
)
from affidavit.analysers.excuses.test_data import is_only_read, may_be_broken
from affidavit.analysers.rule import MERGE_CONFLICT, Rule
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.finding import Category


def excuse(
    diagnostic: AnalyserDiagnostic, rule: Rule, analyser: Analyser, inspection: Inspection
) -> Excuse | None:
    """The reason why a diagnostic is no finding, by what kind of file it stands in."""
    if analyser.looks_for:
        return None
    path = diagnostic.path
    is_conflict = diagnostic.rule.endswith(f"/{MERGE_CONFLICT}")
    is_fault = is_conflict or rule.id in analyser.syntax_rules
    if has_name_to_fill_in(path) and rule.category is not Category.SECURITY and not is_conflict:
        return "the file is a template: its path is filled in before anybody reads it"
    if is_only_read(path):
        return "the file is data of a test, which nobody runs"
    if not is_fault and "NameError" not in rule.raises:
        return None
    if may_be_broken(path):
        return "the file is data of a test, which may be broken on purpose"
    if linter := left_out_by(inspection.repository.base, path):
        return f"{linter} leaves the file out at base"
    return None if is_conflict else _own_excuse(diagnostic, inspection, is_fault=is_fault)


def _own_excuse(
    diagnostic: AnalyserDiagnostic, inspection: Inspection, *, is_fault: bool
) -> Disclaimer | None:
    if not _is_filled_in(diagnostic, inspection, is_fault=is_fault):
        return None
    filled_in = "the file is a template: what stands here is filled in before anybody reads it"
    return Disclaimer(filled_in, has_mark, is_open=not is_fault)


def _is_filled_in(diagnostic: AnalyserDiagnostic, inspection: Inspection, *, is_fault: bool) -> bool:
    lines = inspection.repository.head.lines(diagnostic.path) or []
    if is_fault:
        return is_marked_near(lines, diagnostic.line)
    return is_marked_at(lines, diagnostic.line, diagnostic.column)
