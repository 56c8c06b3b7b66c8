"""Work out who examined which part of a change, and what was claimed but not read."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from affidavit.languages.registry import LANGUAGES, has_errors
from affidavit.ports import Case
from affidavit.proof.running.touched import files_seen
from affidavit.records.candidate import Candidate
from affidavit.records.change import Change, FileChange, Hunk, SkipReason
from affidavit.records.docket import Docket
from affidavit.records.evidence import Unread, WhyUnread
from affidavit.records.plan import Chunk, Piece, Plan
from affidavit.records.record import Side
from affidavit.records.report import FileCoverage, Gap, HunkCoverage, name_some
from affidavit.redaction.spans import MARKER
from affidavit.redaction.text import redact_lines, redact_text

MAX_TARGET = 80


def link_words(file: FileChange) -> str:
    """Say that a file is a link and where it leads; empty if the change only moves it."""
    added = [text for hunk in file.hunks for mark, _, _, text in hunk.numbered() if mark == "+"]
    target = redact_text("\n".join(added))
    return f"a link to {target[:MAX_TARGET]}" if target else "a link"


WHY: dict[WhyUnread, str] = {
    "excused": "left out for {name} by the {configured_by}'s configuration",
    "foreign": "{name} does not read its language",
    "left_out": "left out by {name}",
    "unknown": "not known whether {name} read it",
    "unreadable": "{name} could not read it",
    "unresolved": "{name} could not check all of it: {detail}",
    "unparsed": "it does not parse, so that {name} concluded nothing else from it",
}
NOT_READ = ("left_out", "unreadable", "unparsed")
"""Files that the analyser should have read."""
UNREAD = "unread files"
COMPARES_NAMES = "references"
"""The search for broken references reads any file that has a grammar, but only its names."""
NO_READER = "no specialist reads this kind of file"
NO_ANALYSER = "no analyser reads "
UNNAMED = "it"
SHOWN_TO_NOBODY = "shown to no model"
HIDDEN = "hidden from models by redaction"
HIDDEN_CODE = re.compile(rf"""(?<!["'`]){MARKER.pattern}""")
"""Code that redaction hides, beyond the value of a string."""
TOO_LARGE_ADVICE = "Look at it yourself, or leave it out by settings at base, `--exclude` or `--include`."


@dataclass(frozen=True)
class Coverage:
    """Who examined which part of a change."""

    case: Case
    docket: Docket
    candidates: Sequence[Candidate]
    before: Mapping[str, Sequence[tuple[str, ...]]] = field(default_factory=dict)
    """Path to the models that saw each of its hunks in an earlier review, and were not shown it again."""
    read_languages: Collection[str] = ()
    """The languages for which there is an analyser."""

    def of(self, file: FileChange) -> FileCoverage:
        """Say who examined a file, hunk by hunk, and why not all of them."""
        if file.skipped:
            reason = "; ".join([str(file.skipped).replace("_", " "), *self._searched(file)])
            return FileCoverage(path=file.path, state="skipped", reason=reason)
        if file.is_link:
            return self._of_link(file)
        able, examined_by = self._able(file), self._examined_by(file)
        looks = self._looks_at(file, examined_by)
        hunks = tuple(
            self._with_earlier(_hunk_coverage(number, hunk, looks), file, number)
            for number, hunk in enumerate(file.hunks)
        )
        reasons = [
            *self._only_names(file, able, examined_by, hunks),
            *self._missing([name for name in able if name not in examined_by], file),
        ]
        earlier = self.case.earlier if any(hunk.examined_before for hunk in hunks) else None
        carried_from = earlier.digest if earlier else ""
        if examined_by or carried_from:
            reasons += self._unshown(file, hunks)
            state = "partly" if reasons else "examined"
            return FileCoverage(
                path=file.path,
                state=state,
                reason="; ".join(reasons),
                hunks=hunks,
                carried_from=carried_from,
            )
        searched = self._searched(file)
        state = "partly" if searched else "not_examined"
        unshown = self._unshown(file, hunks) if _program_language(file) else []
        said = "; ".join([*searched, *(reasons or [self._why_not_examined(file)]), *unshown])
        return FileCoverage(path=file.path, state=state, reason=said, hunks=hunks)

    def _of_link(self, file: FileChange) -> FileCoverage:
        """Cover a link: models may have seen where it leads, but nobody examines its target."""
        models = {one.specialist for one in self.case.replies if one.kind == "model"}
        readers = [name for name in self._examined_by(file) if name in models]
        if not readers:
            return FileCoverage(path=file.path, state="not_examined", reason=_why_not_examined(file))
        looks = self._looks_at(file, readers)
        hunks = tuple(_hunk_coverage(number, hunk, looks) for number, hunk in enumerate(file.hunks))
        reason = f"{_why_not_examined(file)}; only where it leads was read, by {', '.join(readers)}"
        return FileCoverage(path=file.path, state="partly", reason=reason, hunks=hunks)

    def _with_earlier(self, hunk: HunkCoverage, file: FileChange, number: int) -> HunkCoverage:
        seen = self.before.get(file.path, ())
        names = seen[number] if number < len(seen) else ()
        return hunk.model_copy(update={"examined_before": names}) if names else hunk

    def gaps(self) -> list[Gap]:
        """Return the files that a specialist claims to read and did not."""
        change = self.case.change
        found = [
            Gap(name=name, reason=_reason(name, one))
            for (name, side), unread in self._unread.items()
            for one in unread.values()
            if side == "head" and one.why in NOT_READ and not self._is_explained(one.path)
        ]
        excused = {gap.name for gap in (*self.docket.not_run, *self.docket.incomplete)}
        unseen = [file.path for file in change.files if self._is_claimed_and_unread(file, excused)]
        large = [one.path for one in change.files if one.skipped is SkipReason.TOO_LARGE and not one.excused]
        return [
            *found,
            *_unread_files(unseen, "could not be read whole", "Review the change in its repository."),
            # Files that did not fit were not examined, so the review is incomplete.
            *_unread_files(large, "too large to be looked at", TOO_LARGE_ADVICE),
        ]

    def _is_claimed_and_unread(self, file: FileChange, excused: set[str]) -> bool:
        if file.skipped or self._examined_by(file):
            return False
        claimed = {name for name in self._claimants.get(file.path, ()) if self._has_left(name, file)}
        return any(self._unread_by(name, file) is None for name in claimed - excused)

    def _is_explained(self, path: str) -> bool:
        """Check whether a finding says that the file does not parse, or it is in another language."""
        told = {one.specialist for one in self.candidates if one.finding and one.finding.file == path}
        whys = {name: unread[path].why for (name, side), unread in self._unread.items() if path in unread}
        return any(why == "foreign" or (why == "unparsed" and name in told) for name, why in whys.items())

    @property
    def _chunks(self) -> Sequence[Chunk]:
        return self.case.plan.chunks if self.case.plan else ()

    @cached_property
    def _has_hidden_names(self) -> bool:
        return any(MARKER.search(path) for chunk in self._chunks for path in chunk.paths)

    def _shown_name(self, file: FileChange) -> str:
        """Return the name that models see of a file: without the secrets in it."""
        return self.case.repository.redacted.shown_name(file.path) if self._has_hidden_names else file.path

    def _hidden_lines(self, file: FileChange) -> int:
        """Count the added lines whose code models do not see: a hostile change may look like a secret."""
        # Messages are redacted once more, as text in which nobody knows what is code.
        shown = redact_lines(self.case.repository.head.redacted_lines(file.path) or [])
        added = file.changed_lines("head")
        return sum(bool(HIDDEN_CODE.search(shown[line - 1])) for line in added if line <= len(shown))

    @cached_property
    def _read(self) -> dict[tuple[str, Side], frozenset[str]]:
        return {(run.analyser, run.side): frozenset(run.read) for run in self.docket.analyser_runs}

    @cached_property
    def _unread(self) -> dict[tuple[str, Side], dict[str, Unread]]:
        return {
            (run.analyser, run.side): {one.path: one for one in run.unread}
            for run in self.docket.analyser_runs
        }

    @cached_property
    def _answered(self) -> set[str]:
        return {reply.specialist for reply in self.docket.replies if reply.state not in ("none", "rejected")}

    @cached_property
    def _unfinished(self) -> set[str]:
        return {
            run.analyser
            for run in self.docket.analyser_runs
            if run.state not in ("completed", "nothing_to_do")
        }

    @cached_property
    def _readers(self) -> dict[str, list[str]]:
        return _by_path((one.specialist, files_seen(one, one.files)) for one in self.case.replies)

    @cached_property
    def _claimants(self) -> dict[str, list[str]]:
        return _by_path((one.specialist, files_seen(one, one.claims)) for one in self.case.replies)

    def _able(self, file: FileChange) -> list[str]:
        return [name for name in self._readers.get(file.path, ()) if self._has_left(name, file)]

    def _has_left(self, name: str, file: FileChange) -> bool:
        """Check whether there is something to read; of a deleted file, only for the whole repository."""
        is_file_by_file = (name, "base") in self._read and file.base_path not in self._read[name, "base"]
        return file.head_path is not None or not is_file_by_file or name in self._unfinished

    def _examined_by(self, file: FileChange) -> tuple[str, ...]:
        return tuple(name for name in self._able(file) if self._was_read(name, file))

    def _was_read(self, name: str, file: FileChange) -> bool:
        """Check whether an analyser is known to have read the file, or another specialist replied."""
        side: Side = "head" if file.head_path is not None else "base"
        is_seen = (name, side) not in self._read or file.path_at(side) in self._read[name, side]
        return name in self._answered and is_seen

    def _missing(self, names: Sequence[str], file: FileChange) -> list[str]:
        branch = "target branch" if self.case.change.tip else "base commit"
        unread = {name: self._unread_by(name, file) for name in names}
        found = [
            WHY[one.why].format(name=name, detail=one.detail, configured_by=branch)
            for name, one in unread.items()
            if one
        ]
        absent = {
            run.analyser: run.detail for run in self.docket.analyser_runs if run.state == "not_installed"
        }
        found += [absent[name] for name in names if name in absent]
        silent = [name for name, one in unread.items() if one is None and name not in absent]
        return found + ([f"not examined by {', '.join(silent)}"] if silent else [])

    def _only_names(
        self, file: FileChange, able: Sequence[str], names: Sequence[str], hunks: Sequence[HunkCoverage]
    ) -> list[str]:
        """Say what was not done in a file in which only names were compared."""
        machines = {one.specialist for one in self.case.replies if one.kind == "mechanical"}
        if machines.intersection(names) != {COMPARES_NAMES} or file.head_path is None:
            return []
        tried = (self._unread_by(name, file) for name in able)
        is_alone = (
            len(names) == 1
            and any(not hunk.examined_before for hunk in hunks)
            and not any(one and one.why == "unresolved" for one in tried)
        )
        reasons = ["only searched for broken references"] if is_alone else []
        if is_alone and machines.intersection(able) == {COMPARES_NAMES}:
            reasons.append(self._no_analyser(file))
        if has_errors(file.head_path, self.case.repository.head.read(file.head_path)):
            reasons.append(f"{COMPARES_NAMES} could not parse all of it")
        return reasons

    def _no_analyser(self, file: FileChange) -> str:
        language = _program_language(file)
        is_known = not language or language in self.read_languages
        return f"{NO_ANALYSER}{UNNAMED if is_known else language}"

    def _why_not_examined(self, file: FileChange) -> str:
        why = _why_not_examined(file)
        return self._no_analyser(file) if why == NO_READER and _program_language(file) else why

    def _unread_by(self, name: str, file: FileChange) -> Unread | None:
        return self._unread.get((name, "head"), {}).get(file.path)

    def _searched(self, file: FileChange) -> list[str]:
        """Say who only searched a file, and for what."""
        return [
            f"only searched for {run.looks_for} by {run.analyser}"
            for run in self.docket.analyser_runs
            if run.looks_for and file.path in self._read[run.analyser, "head"] and run.side == "head"
        ]

    def _looks_at(self, file: FileChange, names: Sequence[str]) -> list[tuple[str, tuple[Piece, ...]]]:
        """Return who examined a file, each with its pieces; without pieces it was the whole file."""
        called = self._shown_name(file)
        chunks = {chunk.number: chunk for chunk in self._chunks}
        shown = {reply.specialist: chunks.get(reply.chunk or 0) for reply in self.docket.replies}
        return [
            (name, (chunk.shown_of(called) or ()) if (chunk := shown.get(name)) else ()) for name in names
        ]

    def _unshown(self, file: FileChange, hunks: Sequence[HunkCoverage]) -> list[str]:
        """Say which parts of a file no model was shown, and how many nobody examined."""
        if not self._chunks:
            return []
        hidden = self._hidden_lines(file)
        if hidden:
            return [f"{_number(hidden, 'added line')} {HIDDEN}"]
        name = self._shown_name(file)
        # If another agent submits findings, the plan is for the verifier, and no model examines the change.
        chunks = self._chunks if any(one.kind == "model" for one in self.case.replies) else ()
        pieces = [found for chunk in chunks if (found := chunk.shown_of(name)) is not None]
        is_known = [bool(hunk.examined_before) for hunk in hunks]
        if not pieces:
            return [] if is_known and all(is_known) else [SHOWN_TO_NOBODY]
        if () in pieces:
            return []
        shown = [piece for several in pieces for piece in several if not is_known[piece.hunk]]
        lengths = [len(hunk.lines) for hunk in file.hunks]
        missing = sum(length for length, known in zip(lengths, is_known, strict=True) if not known)
        unseen = missing - sum(piece.end - piece.start for piece in shown)
        unread = sum(
            not part.examined_by and not hunk.examined_before
            for hunk in hunks
            for part in (*hunk.parts, hunk)
        )
        lines = [f"{_number(unseen, 'line')} of the diff {SHOWN_TO_NOBODY}"] if unseen else []
        return lines or ([f"{_number(unread, 'part')} of the diff not examined"] if unread else [])


def _by_path(named: Iterable[tuple[str, Iterable[str]]]) -> dict[str, list[str]]:
    """Map each path to the names that come with it."""
    found: dict[str, list[str]] = {}
    for name, paths in named:
        for path in paths:
            found.setdefault(path, []).append(name)
    return found


def _program_language(file: FileChange) -> str:
    """Name the language that a file is a program in; empty for documents and data."""
    language = LANGUAGES.named(file.language)
    return language.title if language.is_code and not language.is_document else ""


def unread_languages(coverage: Sequence[FileCoverage]) -> str:
    """Name the languages that no analyser reads, by the coverage; empty if there is none."""
    reasons = (reason for one in coverage for reason in one.reason.split("; "))
    named = {reason.removeprefix(NO_ANALYSER) for reason in reasons if reason.startswith(NO_ANALYSER)}
    languages = sorted(named - {UNNAMED})
    return f"{NO_ANALYSER}{', '.join(languages)}" if languages else ""


def unseen_files(
    change: Change, coverage: Sequence[FileCoverage], plan: Plan | None
) -> list[tuple[str, str]]:
    """Return the files that were not examined and should be, each with the reason: they prevent approval."""
    has_models = plan is not None and bool(plan.chunks)
    covered = {one.path: one for one in coverage}
    whys = [(file.path, _why_unseen(file, covered.get(file.path), has_models)) for file in change.files]
    return [(path, why) for path, why in whys if why]


def _why_unseen(file: FileChange, covered: FileCoverage | None, has_models: bool) -> str:
    if file.skipped:
        return "" if file.excused else str(file.skipped).replace("_", " ")
    if file.is_link:
        return link_words(file)
    if covered is None or not has_models:
        return ""
    reasons = covered.reason.split("; ")
    is_unshown = SHOWN_TO_NOBODY in reasons or any(reason.endswith(HIDDEN) for reason in reasons)
    return covered.reason if covered.state == "not_examined" or is_unshown else ""


def _reason(analyser: str, one: Unread) -> str:
    return f"{analyser} did not read {one.path}" + (f": {one.detail}" if one.detail else "")


def _hunk_coverage(number: int, hunk: Hunk, looks: Sequence[tuple[str, tuple[Piece, ...]]]) -> HunkCoverage:
    """Say who examined a hunk; if it was divided, also who examined which part."""
    cuts = {(piece.start, piece.end) for _, pieces in looks for piece in pieces if piece.hunk == number}
    whole = tuple(
        name for name, pieces in looks if not pieces or any(piece.hunk == number for piece in pieces)
    )
    if cuts <= {(0, len(hunk.lines))}:
        return _covered(hunk, whole)
    parts = tuple(
        _covered(
            hunk.part(start, end),
            tuple(
                name
                for name, pieces in looks
                if not pieces or any((one.hunk, one.start, one.end) == (number, start, end) for one in pieces)
            ),
        )
        for start, end in sorted(cuts)
    )
    return _covered(hunk, whole, parts)


def _covered(hunk: Hunk, names: tuple[str, ...], parts: tuple[HunkCoverage, ...] = ()) -> HunkCoverage:
    return HunkCoverage(
        new_start=hunk.new_start,
        new_count=hunk.new_count,
        old_start=hunk.old_start,
        old_count=hunk.old_count,
        examined_by=names,
        parts=parts,
    )


def _why_not_examined(file: FileChange) -> str:
    if file.is_link:
        return f"it is {link_words(file)}, which is not followed"
    if file.is_partial:
        return "only the lines of its hunks are known"
    if file.head_path is None:
        return "the change deletes it"
    return NO_READER


def _unread_files(paths: Sequence[str], what: str, advice: str) -> list[Gap]:
    reason = f"{_number(len(paths), 'changed file')} {what}: {name_some(paths)}"
    return [Gap(name=UNREAD, reason=reason, advice=advice)] if paths else []


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
