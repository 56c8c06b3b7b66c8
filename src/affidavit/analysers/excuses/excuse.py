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
from affidavit.ports import Repository
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.finding import Category


def excuse(
    diagnostic: AnalyserDiagnostic, rule: Rule, analyser: Analyser, inspection: Inspection
) -> Excuse | None:
    """The reason why a diagnostic is no finding, by what kind of file it stands in."""
    if analyser.looks_for:
        return None
    of_place = excuse_of_place(rule, diagnostic.path, analyser, inspection.repository)
    if of_place or not _needs_parsing(rule, analyser) or _is_conflict(rule):
        return of_place
    return _own_excuse(diagnostic, inspection, is_fault=rule.id in analyser.syntax_rules)


def excuse_of_place(rule: Rule, path: str, analyser: Analyser, repository: Repository) -> str | None:
    """The reason why a rule says nothing about a file, by its path alone."""
    if analyser.looks_for:
        return None
    if has_name_to_fill_in(path) and rule.category is not Category.SECURITY and not _is_conflict(rule):
        return "the file is a template: its path is filled in before anybody reads it"
    if is_only_read(path):
        return "the file is data of a test, which nobody runs"
    if not _needs_parsing(rule, analyser):
        return None
    if may_be_broken(path):
        return "the file is data of a test, which may be broken on purpose"
    linters = [left_out_by(tree, path) for tree in repository.excusing]
    return f"{linters[0]} leaves the file out at base" if all(linters) else None


def _is_conflict(rule: Rule) -> bool:
    return rule.id.endswith(f"/{MERGE_CONFLICT}")


def _needs_parsing(rule: Rule, analyser: Analyser) -> bool:
    """The rule says that the file does not parse, or that a name in it is not defined."""
    return _is_conflict(rule) or rule.id in analyser.syntax_rules or "NameError" in rule.raises


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
