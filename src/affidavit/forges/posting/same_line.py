"""Whether a line of the change is the one that a comment of ours is about, by the names that it carries.

A name is made of rule, path and text of the line: what moved to another file, or got a comment behind it,
would have had one of them there and then.
"""

import re
from collections.abc import Iterable, Iterator

from affidavit.forges.standing import OwnNote
from affidavit.proof.fingerprints import finding_name, rule_name
from affidavit.records.candidate import Candidate
from affidavit.records.change import Change
from affidavit.records.diagnostics import Reason
from affidavit.records.finding import Category
from affidavit.records.record import Side

MAX_ALIKE = 5
"""Lines of the same text in one file have names that count them."""
_COMMENT = re.compile(r"#|//|/\*|--|<!--|;|%")
_REDACTED = "[redacted:"


def is_same_line(note: OwnNote, candidate: Candidate, change: Change) -> bool:
    """Whether a finding speaks of the very line, whichever file it is in now and whatever silences it."""
    finding = candidate.finding
    if finding is None:
        return False
    text = _line(change, finding.file, finding.side, finding.line)
    if _REDACTED in text:
        # Nobody can compare what was taken out; of a rule that looks for it, it is the line that counts.
        return finding.rule_id == note.mark.rule != ""
    is_silenced = candidate.withheld is not None and candidate.withheld.code is Reason.SUPPRESSED
    texts = [text, *(_without_comments(text) if is_silenced else ())]
    return any(_has_name(note, rule_name(finding), finding.side, one, change) for one in texts)


def files_with_line(note: OwnNote, change: Change) -> list[str]:
    """The files of the change that add the very line, whether or not anybody reports it there."""
    rules = [note.mark.rule] if note.mark.rule else [str(one) for one in Category]
    found = []
    for file in change.files:
        added = {text for hunk in file.hunks for mark, _, _, text in hunk.numbered() if mark == "+"}
        if any(_has_name(note, rule, "head", text, change) for text in added for rule in rules):
            found.append(file.path)
    return found


def _has_name(note: OwnNote, rule: str, side: Side, text: str, change: Change) -> bool:
    names = note.mark.names
    return any(
        finding_name(rule, path, side, text, count) in names
        for path in _paths(note, change)
        for count in range(MAX_ALIKE)
    )


def _paths(note: OwnNote, change: Change) -> Iterable[str]:
    """The note's file, and what it was called at base, which is what names are made of."""
    before = [file.old_path for file in change.files if file.path == note.path and file.old_path]
    return [note.path, *before]


def _line(change: Change, path: str, side: Side, line: int) -> str:
    file = change.file_at(path, side)
    for hunk in file.hunks if file else ():
        for _, old, new, text in hunk.numbered():
            if line == (old if side == "base" else new):
                return text
    return ""


def _without_comments(text: str) -> Iterator[str]:
    """The line up to each place where a comment may begin."""
    return (text[: found.start()] for found in _COMMENT.finditer(text) if text[: found.start()].strip())
