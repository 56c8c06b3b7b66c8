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

    An analyser that has a rule for it would report any other file that does not parse.
    """
    before = unparsed(base)

    def is_foreign(one: Unread) -> bool:
        file = change.file_at(one.path)
        was_unparsed = file is not None and (file.old_path or file.path) in before
        return one.why == "unparsed" and one.path not in reported and (has_rule or was_unparsed)

    named = tuple(
        one.model_copy(update={"why": "foreign"}) if is_foreign(one) else one for one in head.unread
    )
    return head.model_copy(update={"unread": named})
