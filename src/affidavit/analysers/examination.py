"""What an analyser established about a change: both sides, what counts, and what the change silences."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from affidavit.analysers.analyser import Analyser, Disclaimer, Excuse, Inspection
from affidavit.analysers.causes import NamedCause
from affidavit.analysers.comparison import name_dialects
from affidavit.analysers.excuses import excuse as excuse_of_file
from affidavit.analysers.rule import MERGE_CONFLICT
from affidavit.analysers.task import SideResult
from affidavit.contract.schema import ASKED_SCHEMA_VERSION, CURRENT_SCHEMA_VERSION
from affidavit.ports import Tree
from affidavit.records.change import Change
from affidavit.records.evidence import AnalyserDiagnostic, AnalyserRun

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


def schema_for(found: Examination) -> str:
    """The plain form, unless a finding brings a patch."""
    return CURRENT_SCHEMA_VERSION if any(one.patch for one in found.counted) else ASKED_SCHEMA_VERSION


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
