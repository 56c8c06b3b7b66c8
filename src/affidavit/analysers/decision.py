"""Decide which new diagnostics of an analyser are findings, and give the reason for each that is none."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from affidavit.analysers.analyser import Analyser, Disclaimer, Excuse, Inspection
from affidavit.analysers.causes import NamedCause, exact_cause, find_cause
from affidavit.analysers.comparison import (
    name_dialects,
    new_diagnostics,
    not_at_base,
    one_for_each_cause,
    unparsed,
    unresolved,
    unsure_about,
)
from affidavit.analysers.excuses import excuse as excuse_of_file
from affidavit.analysers.excuses import excuse_of_place
from affidavit.analysers.registry import silence_about
from affidavit.analysers.rule import MERGE_CONFLICT, WhyOff
from affidavit.analysers.silence import Silence
from affidavit.analysers.task import SideResult
from affidavit.analysers.wording import patch_of
from affidavit.ports import Case, Tree
from affidavit.records.change import Change
from affidavit.records.evidence import AnalyserDiagnostic, AnalyserRun
from affidavit.symbols.changed import changed_symbols

Place = tuple[str, str, int, int | None]
"""Rule, path, line and column of a diagnostic."""


def without_secrets(diagnostic: AnalyserDiagnostic, tree: Tree) -> AnalyserDiagnostic:
    """What an analyser says, without the secrets of the file that it speaks of."""
    message = tree.without_secrets(diagnostic.path, diagnostic.message)
    return diagnostic.model_copy(update={"message": message})


@dataclass(frozen=True)
class Counted:
    """A new diagnostic that is a finding, with its file's lines and what of the change is to blame for it."""

    diagnostic: AnalyserDiagnostic
    lines: tuple[str, ...]
    cause: NamedCause | None
    patch: str = ""
    """How the analyser itself would settle it, as a diff against head."""
    suppressed_by: str = ""
    """The change's own comment that silences it."""
    is_impact: bool = False
    """The change does not touch its file."""

    def without_secrets(self, tree: Tree) -> "Counted":
        """The same as it may be written down: messages of analysers repeat what they read."""
        silenced_by = tree.without_secrets(self.diagnostic.path, self.suppressed_by)
        return replace(self, diagnostic=without_secrets(self.diagnostic, tree), suppressed_by=silenced_by)


@dataclass(frozen=True)
class Examination:
    """What an analyser established about a change."""

    base: SideResult
    head: SideResult
    confirmed: frozenset[Place] = frozenset()
    """What is doubtful, and the analyser's other invocations report too."""
    silenced: frozenset[Place] = frozenset()
    """What the analyser does not report because of comments that the change adds."""
    counted: tuple[Counted, ...] = ()
    dropped: tuple[tuple[AnalyserDiagnostic, str], ...] = ()
    unquotable: tuple[AnalyserDiagnostic, ...] = ()
    """What would count if its file had text that can be quoted."""

    @property
    def is_complete(self) -> bool:
        """Both sides are known, so that new means new."""
        return self.base.is_complete and self.head.is_complete

    def without_dialects(self, analyser: Analyser, change: Change) -> "Examination":
        """The same, where files that do not parse and are no finding count as another language's."""
        reported = {one.diagnostic.path for one in self.counted}
        run = name_dialects(
            self.head.run, self.base.run, change, reported=reported, has_rule=bool(analyser.syntax_rules)
        )
        return replace(self, head=replace(self.head, run=run))


def place_of(diagnostic: AnalyserDiagnostic) -> Place:
    """What tells a diagnostic from others of its side."""
    return diagnostic.rule, diagnostic.path, diagnostic.line, diagnostic.column


def louder(found: Examination, loud: SideResult) -> Examination:
    """The examination with what the analyser reports where the change's own comments do not work."""
    if not (found.head.is_complete and loud.is_complete):
        return replace(found, head=loud) if found.head.is_complete else found
    quiet = {place_of(one) for one in found.head.diagnostics}
    silenced = frozenset(place for one in loud.diagnostics if (place := place_of(one)) not in quiet)
    # A rewritten file has no edits: what the analyser would write is for the file as it is.
    edits = {place_of(one): one.edits for one in found.head.diagnostics}
    said = [one.model_copy(update={"edits": edits.get(place_of(one), ())}) for one in loud.diagnostics]
    heard = {place_of(one) for one in said}
    said += [one for one in found.head.diagnostics if place_of(one) not in heard]
    # What it could not read is told by the run that nothing silences.
    head = SideResult(loud.run, tuple(said))
    return replace(found, head=head, silenced=silenced)


async def confirm_doubtful(
    analyser: Analyser,
    found: Examination,
    change: Change,
    ask: Callable[[Analyser, Sequence[str]], Awaitable[SideResult]],
) -> Examination:
    """Note which doubtful diagnostics of changed lines every other invocation reports too."""
    changed = {file.path: set(file.changed_lines("head")) for file in change.files}
    places = {
        place_of(one)
        for one in found.head.diagnostics
        if analyser.confirmed_by and analyser.is_doubtful(one) and one.line in changed.get(one.path, ())
    }
    for invoke in analyser.confirmed_by:
        if places:
            paths = sorted({path for _, path, _, _ in places})
            again = await ask(replace(analyser, invoke=invoke), paths)
            places &= {place_of(one) for one in again.diagnostics}
    return replace(found, confirmed=frozenset(places))


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


@dataclass(frozen=True)
class Decision:
    """Decides which diagnostics of one analyser are findings about one change."""

    analyser: Analyser
    case: Case
    why_off: WhyOff

    def decide(self, found: Examination) -> Examination:
        """Compare both sides, and decide what is a finding."""
        change, repository = self.case.change, self.case.repository
        before = one_for_each_cause(self.analyser, found.base.diagnostics, repository.base)
        after = one_for_each_cause(self.analyser, found.head.diagnostics, repository.head)
        counted = self._counted(before, is_before=True)
        new = self._new(before, counted, after)
        if not new:
            return found.without_dialects(self.analyser, change)
        symbols = changed_symbols(change, repository, self.analyser.defines_in)
        silence = silence_about(change, repository)
        known = self._counted(found.base.diagnostics, is_before=True)
        inspection = Inspection(
            change,
            repository,
            symbols,
            known,
            unresolved(found.head.run),
            unresolved(found.base.run),
            found.confirmed,
        )
        decided = [(one, self._heard(one, inspection, found, silence)) for one in new]
        head = repository.head
        return replace(
            found,
            counted=tuple(
                outcome.without_secrets(head) for _, outcome in decided if isinstance(outcome, Counted)
            ),
            dropped=tuple(
                (without_secrets(one, head), head.without_secrets(one.path, why))
                for one, why in decided
                if isinstance(why, str)
            ),
            unquotable=tuple(diagnostic for diagnostic, outcome in decided if outcome is None),
        ).without_dialects(self.analyser, change)

    def _counted(
        self, found: Sequence[AnalyserDiagnostic], *, is_before: bool = False
    ) -> list[AnalyserDiagnostic]:
        """Those whose rule counts in their file, and, of base, whose file was looked at."""
        unseen: set[str] = set()
        if is_before and not self.analyser.reads_every_line:
            files = self.case.change.files
            unseen = {file.old_path or file.path for file in files if file.skipped or file.was_skipped}

        @cache
        def counts(rule: str, path: str) -> bool:
            return path not in unseen and self._excuse_of_place(rule, path) is None

        return [one for one in found if counts(one.rule, one.path)]

    def _new(
        self,
        before: Sequence[AnalyserDiagnostic],
        counted: Sequence[AnalyserDiagnostic],
        after: Sequence[AnalyserDiagnostic],
    ) -> list[AnalyserDiagnostic]:
        """The diagnostics of head that base does not excuse: one that counts, only by one that counted."""

        def compare(
            old: Sequence[AnalyserDiagnostic], new: Sequence[AnalyserDiagnostic]
        ) -> list[AnalyserDiagnostic]:
            if self.analyser.identify:
                return not_at_base(old, new, self.case.repository, self.analyser.identify)
            return new_diagnostics(old, new, self.case.change, self.case.repository)

        if len(counted) == len(before):
            return compare(before, after)
        counting = self._counted(after)
        known = {id(one) for one in counting}
        others = [one for one in after if id(one) not in known]
        new = {id(one) for one in (*compare(before, others), *compare(counted, counting))}
        return [one for one in after if id(one) in new]

    def _excuse_of_place(self, rule_id: str, path: str) -> str | None:
        """Why a rule says nothing about a file, by its path and the settings."""
        rule = self.analyser.rules.get(rule_id)
        if rule is None:
            return "the rule is off"
        off = self.why_off(rule_id, path)
        if off is not None:
            return off
        if not rule.counts_at(path):
            return "the rule does not count in tests or examples"
        return excuse_of_place(rule, path, self.analyser, self.case.repository)

    def _heard(
        self, diagnostic: AnalyserDiagnostic, inspection: Inspection, found: Examination, silence: Silence
    ) -> Counted | str | None:
        """The finding, with the comment of the change that silences it, or the reason why there is none."""
        outcome = self._count(diagnostic, inspection, found)
        if not isinstance(outcome, Counted) or self.analyser.looks_for:
            return outcome
        lines = range(diagnostic.line, (diagnostic.end_line or diagnostic.line) + 1)
        counted_before = self._counted_before(diagnostic, inspection)
        asked = silence.before(diagnostic.rule, diagnostic.path, lines, counted_before=counted_before)
        if asked is not None:
            return asked
        brought = silence.brought(diagnostic.rule, diagnostic.path, lines)
        if brought is not None:
            return replace(outcome, suppressed_by=f"line {brought.line}: {brought.text}")
        is_silenced = place_of(diagnostic) in found.silenced
        by = silence.nearest(diagnostic.path, diagnostic.line) if is_silenced else outcome.suppressed_by
        return replace(outcome, suppressed_by=by)

    def _counted_before(self, diagnostic: AnalyserDiagnostic, inspection: Inspection) -> bool:
        file = inspection.change.file_at(diagnostic.path)
        if file is None or not file.came_from:
            return True
        before = file.old_path or file.path
        excuse = self._excuse_of_place(diagnostic.rule, before)
        return excuse is None and not file.was_skipped

    def _count(
        self, diagnostic: AnalyserDiagnostic, inspection: Inspection, found: Examination
    ) -> Counted | str | None:
        """The finding, or the reason why there is none; None where it cannot be quoted."""
        excuse = self._excuse(diagnostic, inspection, found)
        if excuse is not None:
            return excuse
        # What is quoted is written down and sent to models, so it is cut from the file without secrets.
        lines = inspection.repository.head.redacted_lines(diagnostic.path)
        if not lines and not self.analyser.reads_every_line:
            return "the file has no text to quote"
        weighed = weigh_excuses(diagnostic, self.analyser, inspection, found.base.run)
        if weighed.dropped or not lines:
            return weighed.dropped
        outcome = self._with_cause(diagnostic, lines, inspection, found)
        return outcome if isinstance(outcome, str) else replace(outcome, suppressed_by=weighed.withheld_by)

    def _excuse(
        self, diagnostic: AnalyserDiagnostic, inspection: Inspection, found: Examination
    ) -> str | None:
        """Why a new diagnostic does not count, whatever the analyser's own judge would say."""
        of_place = self._excuse_of_place(diagnostic.rule, diagnostic.path)
        if of_place is not None:
            return of_place
        file = inspection.change.file_at(diagnostic.path)
        if file is None:
            return None
        if not self.analyser.looks_at(file) or file.old_path in found.base.run.refused:
            return "the file is not read, or could not be read at base"
        if file.came_from:
            return None
        is_fault = diagnostic.rule in self.analyser.syntax_rules
        return unsure_about(diagnostic, file, found.base.run, is_fault=is_fault)

    def _with_cause(
        self,
        diagnostic: AnalyserDiagnostic,
        lines: Sequence[str],
        inspection: Inspection,
        found: Examination,
    ) -> Counted | str:
        is_changed = inspection.change.file_at(diagnostic.path) is not None
        # Who reads each file by itself says nothing that another file could be to blame for.
        reads_all = self.analyser.scope == "project"
        broken = unparsed(found.head.run) - {diagnostic.path} if reads_all else set()
        cause = None
        if broken or not is_changed:
            cause = find_cause(diagnostic, lines, inspection, by_any_word=not is_changed)
        if cause is not None and cause.cause.file in broken:
            return f"it goes back to {cause.cause.file}, which does not parse"
        if cause is None and not is_changed:
            return (
                "the change does not touch this file, and no part of the change could be named as the cause"
            )
        patch = patch_of(diagnostic, inspection.repository.head)
        if is_changed:
            cause = exact_cause(diagnostic, lines, inspection, elsewhere=reads_all)
        return Counted(diagnostic, tuple(lines), cause, patch, is_impact=not is_changed)
