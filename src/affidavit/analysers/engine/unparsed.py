"""What an analyser that could not parse a file says about the change: nothing, and that is said."""

from collections.abc import Collection

from affidavit.records.change import Change, FileChange
from affidavit.records.evidence import AnalyserDiagnostic, AnalyserRun, Unread


def about_changed_files(run: AnalyserRun, change: Change) -> AnalyserRun:
    """The record of a run without the many files that the change does not touch."""
    paths = change.changed_files
    return run.model_copy(
        update={
            "read": tuple(path for path in run.read if path in paths),
            "unread": tuple(one for one in run.unread if one.path in paths),
        }
    )


def unparsed(run: AnalyserRun) -> set[str]:
    """The files that are not valid in their language."""
    return {one.path for one in run.unread if one.why == "unparsed"}


def unresolved(run: AnalyserRun) -> frozenset[str]:
    """The files for which the analyser lacks what they import."""
    return frozenset(one.path for one in run.unread if one.why == "unresolved")


def unsure_about(
    diagnostic: AnalyserDiagnostic, file: FileChange, base: AnalyserRun, *, is_fault: bool
) -> str | None:
    """Why it is not known whether a diagnostic is new, where base does not parse; None where it is."""
    if (file.old_path or file.path) not in unparsed(base):
        return None
    if is_fault:
        return "the file did not parse before the change either"
    lines = range(diagnostic.line, (diagnostic.end_line or diagnostic.line) + 1)
    if not set(file.changed_lines("head")).isdisjoint(lines):
        return None
    return "the file does not parse at base, so it is not known what was there before"


def name_dialects(
    head: AnalyserRun, base: AnalyserRun, change: Change, *, reported: Collection[str], has_rule: bool
) -> AnalyserRun:
    """The record of head; files that do not parse, as before, and that nothing is reported on are foreign.

    An analyser that has a rule for it would report any other file that does not parse. A file that it read
    at base is not foreign because the change says so: it is one that should have been read.
    """
    before = unparsed(base)

    def path_before(one: Unread) -> str:
        file = change.file_at(one.path)
        return one.path if file is None else file.old_path or file.path

    def is_foreign(one: Unread) -> bool:
        is_known = has_rule or path_before(one) in before
        return one.why == "unparsed" and one.path not in reported and is_known

    def named(one: Unread) -> Unread:
        if is_foreign(one):
            return one.model_copy(update={"why": "foreign"})
        is_disowned = one.why == "foreign" and path_before(one) in base.read
        return one.model_copy(update={"why": "left_out"}) if is_disowned else one

    return head.model_copy(update={"unread": tuple(map(named, head.unread))})
