"""One diagnostic for one cause: of a file that does not parse its first fault, and nothing else."""

from collections.abc import Sequence

from affidavit.analysers.analyser import Analyser
from affidavit.analysers.rule import MERGE_CONFLICT
from affidavit.ports import Tree
from affidavit.records.evidence import AnalyserDiagnostic

OURS, BETWEEN, THEIRS = "<<<<<<<", "=======", ">>>>>>>"


def one_for_each_cause(
    analyser: Analyser, diagnostics: Sequence[AnalyserDiagnostic], tree: Tree
) -> list[AnalyserDiagnostic]:
    """The diagnostics without those that only follow from others."""
    faults = [one for one in diagnostics if one.rule in analyser.syntax_rules]
    broken = {one.path for one in faults}
    firsts = [
        _named(analyser, min((one for one in faults if one.path == path), key=_place), tree)
        for path in sorted(broken)
    ]
    return [*firsts, *analyser.join([one for one in diagnostics if one.path not in broken])]


def _place(diagnostic: AnalyserDiagnostic) -> tuple[int, int]:
    return diagnostic.line, diagnostic.column or 0


def _named(analyser: Analyser, fault: AnalyserDiagnostic, tree: Tree) -> AnalyserDiagnostic:
    """The fault, or the merge conflict that it comes from."""
    conflict = find_conflict(tree.lines(fault.path) or [])
    if conflict is None:
        return fault
    start, end = conflict
    return AnalyserDiagnostic(
        rule=f"{analyser.name}/{MERGE_CONFLICT}",
        message=f"There are merge conflict markers in lines {start} to {end}",
        path=fault.path,
        line=start,
        end_line=end,
    )


def find_conflict(lines: Sequence[str]) -> tuple[int, int] | None:
    """First and last line of the first merge conflict that nobody resolved; None where there is none."""
    start = None
    is_divided = False
    for number, line in enumerate(lines, start=1):
        mark = line.rstrip("\r").partition(" ")[0]
        if mark == OURS:
            start, is_divided = number, False
        elif mark == BETWEEN:
            is_divided = True
        elif mark == THEIRS and start is not None and is_divided:
            return start, number
    return None
