"""What the excuses for a diagnostic come to: dropped, withheld on its file's own word, or a finding."""

from collections.abc import Sequence
from dataclasses import dataclass

from affidavit.analysers.analyser import Analyser, Inspection
from affidavit.analysers.disclaimer import Disclaimer, Excuse
from affidavit.analysers.excuses.excuse import excuse as excuse_of_file
from affidavit.analysers.rule import MERGE_CONFLICT
from affidavit.records.evidence import AnalyserDiagnostic, AnalyserRun


@dataclass(frozen=True)
class Weighed:
    """Why a diagnostic is dropped, or else on whose word it is withheld; neither: it is a finding."""

    dropped: str | None = None
    withheld_by: str = ""


def weigh_excuses(
    diagnostic: AnalyserDiagnostic, analyser: Analyser, inspection: Inspection, base: AnalyserRun
) -> Weighed:
    """Ask by what a diagnostic may be excused, and hold what its file says of itself to base."""
    excuses = _excuses(diagnostic, analyser, inspection)
    plain = next((one for one in excuses if isinstance(one, str)), None)
    if plain is not None:
        return Weighed(plain)
    file = inspection.change.file_at(diagnostic.path)
    path = diagnostic.path if file is None else file.base_path or file.old_path
    is_here = path is not None and not (file and file.came_from)
    before = inspection.repository.base.read(path) if path is not None and is_here else None
    is_fault = diagnostic.rule in analyser.syntax_rules
    # An empty file is in no language.
    was_read = is_here and path in base.read and bool(before and before.strip())
    worth = {
        one.worth(before, is_fault=is_fault, was_read=was_read): one.reason
        for one in excuses
        if isinstance(one, Disclaimer)
    }
    if "drops" in worth:
        return Weighed(worth["drops"])
    said = worth.get("withholds")
    return Weighed(withheld_by=f"line {diagnostic.line}: its own word that {said}" if said else "")


def _excuses(
    diagnostic: AnalyserDiagnostic, analyser: Analyser, inspection: Inspection
) -> Sequence[Excuse | None]:
    of_file = excuse_of_file(diagnostic, analyser.rules[diagnostic.rule], analyser, inspection)
    if isinstance(of_file, str) or diagnostic.rule.endswith(f"/{MERGE_CONFLICT}"):
        return (of_file,)
    return of_file, analyser.judge(diagnostic, inspection)
