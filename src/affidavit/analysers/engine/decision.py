"""Decide which new diagnostics of an analyser are findings, and give the reason for each that is not."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import cache, cached_property
from typing import TYPE_CHECKING

from affidavit.analysers.engine.analyser import Analyser, Disclaimer, Excuse, Inspection
from affidavit.analysers.engine.causes import exact_cause, find_cause
from affidavit.analysers.engine.comparison import (
    name_dialects,
    new_diagnostics,
    not_at_base,
    one_for_each_cause,
    unparsed,
    unresolved,
)
from affidavit.analysers.engine.excuses import excuse_of_place, excuse_of_template, may_be_broken_in
from affidavit.analysers.engine.rule import MERGE_CONFLICT
from affidavit.analysers.engine.silence import Silence
from affidavit.analysers.engine.task import Examination, Place, SideResult
from affidavit.analysers.engine.wording import Counted, patch_of
from affidavit.analysers.registry import WhyOff
from affidavit.languages.test_files import TEST_PLACE
from affidavit.ports import Case, Tree
from affidavit.records.change import Change
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.record import Side
from affidavit.symbols.changed import changed_symbols

if TYPE_CHECKING:
    from affidavit.symbols.import_graph import ImportGraph

Diagnostics = Sequence[AnalyserDiagnostic]


def without_secrets(diagnostic: AnalyserDiagnostic, tree: Tree) -> AnalyserDiagnostic:
    """Remove the secrets of the file from the message of a diagnostic, which may repeat them."""
    message = tree.without_secrets(diagnostic.path, diagnostic.message)
    return diagnostic.model_copy(update={"message": message})


def place_of(diagnostic: AnalyserDiagnostic) -> Place:
    """Return what distinguishes a diagnostic from others of its side."""
    return diagnostic.rule, diagnostic.path, diagnostic.line, diagnostic.column


def add_silenced(found: Examination, unsilenced: SideResult) -> Examination:
    """Add the diagnostics of a run without the suppression comments that the change adds."""
    if not (found.head.is_complete and unsilenced.is_complete):
        return replace(found, head=unsilenced) if found.head.is_complete else found
    edits = {place_of(one): one.edits for one in found.head.diagnostics}
    # The edits are dropped: they are for the rewritten file.
    diagnostics = [
        one.model_copy(update={"edits": edits.get(place_of(one), ())}) for one in unsilenced.diagnostics
    ]
    places = {place_of(one) for one in diagnostics}
    diagnostics += [one for one in found.head.diagnostics if place_of(one) not in places]
    # The run without suppressions knows which files could not be read.
    head = SideResult(unsilenced.run, tuple(diagnostics))
    return replace(found, head=head, silenced=frozenset(places - edits.keys()))


async def confirm_doubtful(
    analyser: Analyser,
    found: Examination,
    change: Change,
    ask: Callable[[Analyser, Sequence[str]], Awaitable[SideResult]],
) -> Examination:
    """Note which doubtful diagnostics of changed lines every other invocation reports, too."""
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


def decide(analyser: Analyser, case: Case, why_off: WhyOff, found: Examination) -> Examination:
    """Compare both sides, and decide for each new diagnostic whether it is a finding."""
    decider = _Decider(analyser, case, why_off, found)
    decided = [(one, decider.decide(one)) for one in decider.new()]
    head = case.repository.head
    counted = tuple(
        replace(
            one,
            diagnostic=without_secrets(one.diagnostic, head),
            suppressed_by=head.without_secrets(one.diagnostic.path, one.suppressed_by),
        )
        for _, one in decided
        if isinstance(one, Counted)
    )
    dropped = tuple(
        (without_secrets(one, head), head.without_secrets(one.path, why))
        for one, why in decided
        if isinstance(why, str)
    )
    run = name_dialects(
        found.head.run,
        found.base.run,
        case.change,
        reported={one.diagnostic.path for one in counted},
        has_rule=bool(analyser.syntax_rules),
    )
    return replace(
        found,
        head=replace(found.head, run=run),
        counted=counted,
        dropped=dropped,
        unquotable=tuple(one for one, outcome in decided if outcome is None),
    )


class _Decider:
    """Decides about the diagnostics of one analyser for one change."""

    def __init__(self, analyser: Analyser, case: Case, why_off: WhyOff, found: Examination) -> None:
        self._analyser, self._found, self._why_off = analyser, found, why_off
        self._change, self._repository = case.change, case.repository
        self._why_not_at = cache(self._find_why_not_at)

    def new(self) -> list[AnalyserDiagnostic]:
        """Return the diagnostics of head that base lacks; base must have counted those that count."""
        base, head = self._found.base.diagnostics, self._found.head.diagnostics
        before = one_for_each_cause(self._analyser, base, self._repository.base)
        after = one_for_each_cause(self._analyser, head, self._repository.head)
        counting = [one for one in after if self._counts_at(one.rule, one.path)]
        others = [one for one in after if not self._counts_at(one.rule, one.path)]
        new = self._compare(self._counted_at_base(before), counting) + self._compare(before, others)
        known = set(map(id, new))
        return [one for one in after if id(one) in known]

    def _compare(self, before: Diagnostics, after: Diagnostics) -> list[AnalyserDiagnostic]:
        if self._analyser.identify:
            return not_at_base(before, after, self._repository, self._analyser.identify)
        return new_diagnostics(before, after, self._change, self._repository)

    def _counted_at_base(self, found: Diagnostics) -> list[AnalyserDiagnostic]:
        """Return the diagnostics of base whose rule counts in their file, and whose file was reviewed."""
        files = () if self._analyser.reads_every_line else self._change.files
        unseen = {file.old_path or file.path for file in files if file.skipped or file.was_skipped}
        return [one for one in found if one.path not in unseen and self._counts_at(one.rule, one.path)]

    def _counts_at(self, rule_id: str, path: str) -> bool:
        return not isinstance(self._why_not_at(rule_id, path), str)

    def _is_at_base(self, folder: str) -> bool:
        return any(path.startswith(folder) for path in self._repository.base.entries())

    @cache  # noqa: B019 - lives as long as the decisions about one change
    def _is_imported(self, path: str) -> bool:
        """Return whether code outside of tests imports a file of the change, directly or through others."""
        if self._change.file_at(path) is None:
            return False
        waiting, seen = [path], set[str]()
        while waiting:
            importers = {one.path for one in self._imports.importers_of(waiting.pop())} - seen
            if any(not (TEST_PLACE.search(one) or may_be_broken_in(one)) for one in importers):
                return True
            seen |= importers
            waiting += importers
        return False

    def _find_why_not_at(self, rule_id: str, path: str) -> Excuse | None:
        """Return why a rule does not count in a file, by its path and the settings."""
        rule = self._analyser.rules.get(rule_id)
        if rule is None:
            return "the rule is off"
        off = self._why_off(rule_id, path)
        if off is not None:
            return off
        return excuse_of_place(rule, path, self._analyser, self._is_at_base, self._is_imported)

    @cached_property
    def _imports(self) -> "ImportGraph":
        from affidavit.symbols.import_graph import import_graph  # noqa: PLC0415 - few findings need it

        return import_graph(self._repository.head)

    @cached_property
    def _inspection(self) -> Inspection:
        base, head = self._found.base, self._found.head
        return Inspection(
            self._change,
            self._repository.base,
            self._repository.head,
            changed_symbols(self._change, self._repository, self._analyser.defines_in),
            self._counted_at_base(base.diagnostics),
            unresolved(head.run),
            unresolved(base.run),
            self._found.confirmed,
            self._analyser.rules,
        )

    @cached_property
    def _silence(self) -> Silence:
        return Silence(self._change, self._repository)

    def decide(self, diagnostic: AnalyserDiagnostic) -> Counted | str | None:
        """Return the finding, or the reason why there is none; None if it cannot be quoted."""
        of_place = self._why_not_at(diagnostic.rule, diagnostic.path)
        dropped = of_place if isinstance(of_place, str) else self._why_unsure(diagnostic)
        if dropped is not None:
            return dropped
        # The quote is stored and sent to models, so it is cut from the redacted file.
        lines = self._repository.head.redacted_lines(diagnostic.path)
        if not lines and not self._analyser.reads_every_line:
            return "the file has no text to quote"
        dropped, withheld_by = self._weigh_excuses(diagnostic, of_place)
        if dropped or not lines:
            return dropped
        outcome = self._with_cause(diagnostic, lines)
        if isinstance(outcome, str):
            return outcome
        return self._with_silence(replace(outcome, suppressed_by=withheld_by))

    @cached_property
    def _unread_at_base(self) -> set[str]:
        base = self._found.base.run
        return {*base.refused, *(one.path for one in base.unread if one.why == "unreadable")}

    @cached_property
    def _unparsed(self) -> dict[Side, set[str]]:
        return {"base": unparsed(self._found.base.run), "head": unparsed(self._found.head.run)}

    @cached_property
    def _read_at_base(self) -> frozenset[str]:
        return frozenset(self._found.base.run.read)

    def _why_unsure(self, diagnostic: AnalyserDiagnostic) -> str | None:
        """Return why it is not known whether a diagnostic of a changed file is new."""
        file = self._change.file_at(diagnostic.path)
        if file is None:
            return None
        if not self._analyser.looks_at(file) or file.old_path in self._unread_at_base:
            return "the file is not read, or could not be read at base"
        if file.came_from or (file.old_path or file.path) not in self._unparsed["base"]:
            return None
        if diagnostic.rule in self._analyser.syntax_rules:
            return "the file did not parse before the change either"
        is_changed = self._inspection.is_changed(diagnostic)
        return None if is_changed else "base does not parse, so it is not known what was there before"

    def _weigh_excuses(
        self, diagnostic: AnalyserDiagnostic, of_place: Excuse | None
    ) -> tuple[str | None, str]:
        """Return why a diagnostic is dropped, and which words of its file withhold it.

        An excuse in a file drops a diagnostic only if base had it, too.
        """
        excuses = [of_place]
        if not diagnostic.rule.endswith(f"/{MERGE_CONFLICT}"):
            excuse = self._analyser.judge(diagnostic, self._inspection)
            if isinstance(excuse, str):
                return excuse, ""
            excuses += [excuse_of_template(diagnostic, self._analyser, self._repository.head), excuse]
        file = self._change.file_at(diagnostic.path)
        path: str | None = diagnostic.path
        if file is not None:
            path = None if file.came_from else file.base_path or file.old_path
        before = self._repository.base.read(path) if path is not None else None
        is_fault = diagnostic.rule in self._analyser.syntax_rules
        # An empty file has no language.
        was_read = path in self._read_at_base and bool(before and before.strip())
        withheld = ""
        for one in excuses:
            if not isinstance(one, Disclaimer):
                continue
            is_old = before is not None and one.said_before(before)
            if is_old and not is_fault:
                return one.reason, ""
            if is_old or one.is_open or not was_read:
                withheld = f"line {diagnostic.line}: {one.reason}, as the file itself says"
        return None, withheld

    def _with_cause(self, diagnostic: AnalyserDiagnostic, lines: Sequence[str]) -> Counted | str:
        is_changed = self._change.file_at(diagnostic.path) is not None
        # If an analyser reads each file separately, another file cannot cause a diagnostic.
        reads_all = self._analyser.scope == "project"
        broken = self._unparsed["head"] - {diagnostic.path} if reads_all else set()
        cause = None
        if broken or not is_changed:
            cause = find_cause(diagnostic, lines, self._inspection, by_any_word=not is_changed)
        if cause is not None and cause.cause.file in broken:
            return f"it follows from {cause.cause.file}, which does not parse"
        if cause is None and not is_changed:
            return (
                "the change does not touch this file, and no part of the change could be named as the cause"
            )
        if is_changed:
            cause = exact_cause(diagnostic, self._inspection, elsewhere=reads_all)
        patch = patch_of(diagnostic, self._repository.head)
        return Counted(diagnostic, tuple(lines), cause, patch, is_impact=not is_changed)

    def _with_silence(self, counted: Counted) -> Counted | str:
        """Return the finding with the comment that suppresses it, or why an older comment drops it."""
        if self._analyser.looks_for:
            return counted
        one = counted.diagnostic
        lines = range(one.line, (one.end_line or one.line) + 1)
        asked = self._silence.before(one.rule, one.path, lines, counted_before=self._counted_before(one))
        if asked is not None:
            return asked
        comment = self._silence.added_by_change(one.rule, one.path, lines)
        if comment is not None:
            return replace(counted, suppressed_by=f"line {comment.line}: {comment.text}")
        if place_of(one) in self._found.silenced:
            return replace(counted, suppressed_by=self._silence.nearest(one.path, one.line))
        return counted

    def _counted_before(self, diagnostic: AnalyserDiagnostic) -> bool:
        file = self._change.file_at(diagnostic.path)
        if file is None or not file.came_from:
            return True
        return not file.was_skipped and self._counts_at(diagnostic.rule, file.old_path or file.path)
