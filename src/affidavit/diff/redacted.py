"""Redact a change: cut its hunks from files that were redacted whole, and redact its texts."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from affidavit.ports import Case, Repository, Tree
from affidavit.records.candidate import Candidate
from affidavit.records.change import Change, FileChange, Hunk, Revision
from affidavit.records.finding import Finding
from affidavit.redaction.text import redact_lines, redact_record, redact_text

MAX_HEADING = 200
GIT_HEADING = 76
"""A heading of this length may have been cut by git (at 80 bytes, perhaps within a character)."""
HEADING_REACH = 5000
"""How many lines above a hunk are searched for its heading."""


def redact_case(case: Case) -> Case:
    """Redact a case: models read, search and quote redacted text only."""
    repository = case.repository.redacted
    return replace(case, change=redact_change(case.change, case.repository), repository=repository)


def redact_change(change: Change, repository: Repository) -> Change:
    """Redact a change, with its files named as in the redacted trees."""
    shown = repository.redacted
    return change.model_copy(
        update={
            "target": redact_text(change.target),
            "title": redact_text(change.title),
            "description": redact_text(change.description),
            "base": _redact_side(change.base, shown.base),
            "head": _redact_side(change.head, shown.head),
            "commits": tuple(map(redact_record, change.commits)),
            "files": tuple(_redact_file(file, repository) for file in change.files),
            "discussion": tuple(
                redact_record(one).model_copy(update={"file": one.file and shown.shown_name(one.file)})
                for one in change.discussion
            ),
        }
    )


def redact_shown(change: Change, shown: Collection[str] | None = None) -> Change:
    """Redact the change of a report, using only its own texts and hunks.

    `shown` has the files whose lines are read: of the others only the marks are kept. None: all of them.
    """

    def hunks(file: FileChange) -> tuple[Hunk, ...]:
        is_shown = shown is None or file.path in shown or file.old_path in shown
        return _redact_shown_hunks(file.hunks) if is_shown else tuple(map(_only_marks, file.hunks))

    return change.model_copy(
        update={
            **{name: redact_text(getattr(change, name)) for name in ("target", "title", "description")},
            "base": change.base.model_copy(update={"name": redact_text(change.base.name)}),
            "head": change.head.model_copy(update={"name": redact_text(change.head.name)}),
            "commits": tuple(map(redact_record, change.commits)),
            "discussion": tuple(map(redact_record, change.discussion)),
            "files": tuple(file.model_copy(update={"hunks": hunks(file)}) for file in change.files),
        }
    )


def _only_marks(hunk: Hunk) -> Hunk:
    return hunk.model_copy(update={"heading": "", "lines": tuple(line[0] for line in hunk.lines)})


def _redact_shown_hunks(hunks: Sequence[Hunk]) -> tuple[Hunk, ...]:
    """Redact each side of a file as one text; a line of both is shown as the one that hides more."""
    places = [(hunk, at) for hunk in range(len(hunks)) for at in range(len(hunks[hunk].lines))]
    written = {place: hunks[place[0]].lines[place[1]] for place in places}
    shown = dict(written)
    for other_mark in "+-":
        side = [place for place in places if written[place][0] != other_mark]
        redacted = redact_lines([written[place][1:] for place in side])
        for place, text in zip(side, redacted, strict=True):
            if text != written[place][1:]:
                shown[place] = written[place][0] + text
    return tuple(
        hunk.model_copy(
            update={
                "heading": redact_text(_whole_words(hunk.heading)),
                "lines": tuple(shown[number, at] for at in range(len(hunk.lines))),
            }
        )
        for number, hunk in enumerate(hunks)
    )


def _whole_words(heading: str) -> str:
    """Drop the last word of a heading that git cut: half a token has no shape."""
    is_cut = len(heading.encode("utf-8", "surrogatepass")) >= GIT_HEADING
    return heading.rpartition(" ")[0] if is_cut else heading


def redact_findings(findings: Iterable[Finding], repository: Repository) -> list[Finding]:
    """Redact findings, which quote code."""
    name = repository.redacted.shown_name
    return [redact_record(one).model_copy(update={"file": name(one.file)}) for one in findings]


def redact_candidate(candidate: Candidate, repository: Repository) -> Candidate:
    if candidate.finding is None:
        return candidate
    (finding,) = redact_findings([candidate.finding], repository)
    return candidate.model_copy(update={"finding": finding})


def _redact_side(revision: Revision, tree: Tree) -> Revision:
    return revision.model_copy(update={"tree": tree.revision, "name": redact_text(revision.name)})


def _redact_file(file: FileChange, repository: Repository) -> FileChange:
    name = repository.redacted.shown_name
    return file.model_copy(
        update={
            "path": name(file.path),
            "old_path": file.old_path and name(file.old_path),
            "hunks": redact_hunks(file, repository),
        }
    )


def redact_hunks(file: FileChange, repository: Repository) -> tuple[Hunk, ...]:
    """Cut the hunks of a file from its redacted sides."""
    sides = _Sides.of(file, repository)
    return tuple(sides.redact_hunk(hunk) for hunk in file.hunks)


@dataclass(frozen=True)
class _SideText:
    """One side of a file, original and redacted."""

    lines: Sequence[str]
    redacted: Sequence[str]

    @classmethod
    def of(cls, tree: Tree, path: str | None) -> "_SideText":
        lines = (tree.lines(path) if path else None) or ()
        return cls(lines, (tree.redacted_lines(path) if path and lines else None) or ())

    def shown(self, number: int | None, text: str) -> str | None:
        """Return that line without secrets; None if the side does not have it."""
        is_here = number is not None and 0 < number <= len(self.redacted) and self.lines[number - 1] == text
        return self.redacted[number - 1] if is_here and number is not None else None


@dataclass(frozen=True)
class _Sides:
    """Both sides of a file, from which its hunks are cut."""

    base: _SideText
    head: _SideText

    @classmethod
    def of(cls, file: FileChange, repository: Repository) -> "_Sides":
        return cls(
            _SideText.of(repository.base, file.base_path or file.old_path),
            _SideText.of(repository.head, file.head_path),
        )

    def redact_hunk(self, hunk: Hunk) -> Hunk:
        """Redact a hunk; lines that neither side has, as in a binary file, are redacted together."""
        texts = [(old, new, text.removeprefix("\ufeff")) for _, old, new, text in hunk.numbered()]
        cut = [self._shown(old, new, text.removesuffix("\r")) for old, new, text in texts]
        if None in cut:
            alone = redact_text("\n".join(text.removesuffix("\r") for _, _, text in texts)).split("\n")
            cut = [one if one is not None else other for one, other in zip(cut, alone, strict=True)]
        lines = tuple(
            line[0] + str(one) + ("\r" if line.endswith("\r") else "")
            for line, one in zip(hunk.lines, cut, strict=True)
        )
        return hunk.model_copy(update={"lines": lines, "heading": self._heading(hunk)})

    def _shown(self, old: int | None, new: int | None, text: str) -> str | None:
        """Return the line of the side that hides more of it."""
        found = [one for one in (self.head.shown(new, text), self.base.shown(old, text)) if one is not None]
        return next((one for one in found if one != text), found[0] if found else None)

    def _heading(self, hunk: Hunk) -> str:
        """Find the line above the hunk that git cut the heading from, and cut it from the redacted one."""
        above = range(min(hunk.old_start, len(self.base.lines)), max(0, hunk.old_start - HEADING_REACH), -1)
        number = next((one for one in above if self.base.lines[one - 1].startswith(hunk.heading)), 0)
        shown = self.base.redacted[number - 1] if hunk.heading and number else ""
        return hunk.heading if shown.startswith(hunk.heading) else shown[:MAX_HEADING]
