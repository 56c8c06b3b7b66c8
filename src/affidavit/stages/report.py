"""Compute verdict, gate, visibility, counts and coverage in code, and compile the native report."""

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence, Set

from affidavit import __version__
from affidavit.analysers.registry import LISTED
from affidavit.config.baseline import Dismissal
from affidavit.config.settings import Settings
from affidavit.contract.vocabulary import CONFIDENCE_NUMBER
from affidavit.events import now_iso
from affidavit.minds.ledger import add_usage
from affidavit.ports import Case
from affidavit.prompts import PromptSet
from affidavit.proof.coverage import Coverage, unread_languages, unseen_files
from affidavit.proof.places import gather_places, spots_of
from affidavit.records.candidate import Candidate, Worth
from affidavit.records.change import Change, FileChange, SkipReason
from affidavit.records.diagnostics import Diagnostic, Reason
from affidavit.records.docket import Docket
from affidavit.records.finding import Category, Finding, Severity
from affidavit.records.report import (
    Counts,
    Decision,
    Gap,
    Gate,
    Report,
    RoleUsage,
    Verdict,
    count_set_aside,
    name_some,
)
from affidavit.render.wording import counted, hidden_words, not_shown

STAGE = "report"
READ_LANGUAGES = frozenset(language for one in LISTED for language in one.languages)
Unseen = tuple[str, str]
"""A file that was not examined, and not excused by the base: such a change is not approved."""


def compile_report(
    docket: Docket,
    case: Case,
    settings: Settings,
    dismissals: Mapping[str, Dismissal],
    models: Mapping[str, str],
    prompts: PromptSet,
) -> Report:
    """Compile the report. Verdict and gate are decided before the user's choice of what to see."""
    change = case.change
    judged, visible = _judged_and_visible(docket, case, settings, dismissals)
    coverage = Coverage(case, docket, judged, _seen_before(case), READ_LANGUAGES)
    covered = tuple(coverage.of(file) for file in change.files)
    unseen = unseen_files(change, covered, case.plan)
    incomplete = (*docket.incomplete, *coverage.gaps(), *_unread_settings(settings))
    gate = decide_gate(judged, settings.fail_on, is_incomplete=bool(incomplete))
    return Report(
        affidavit_version=__version__,
        id=case.review_id,
        created_at=now_iso(),
        duration_ms=0,
        schema_version=prompts.schema_version,
        prompt_version=prompts.version,
        change=change,
        settings=settings.model_dump(mode="json"),
        models=dict(models),
        plan=case.plan,
        candidates=tuple(sorted(visible, key=_reading_order)),
        replies=docket.replies,
        verdict=decide_verdict(
            judged,
            visible,
            change=change,
            unseen=unseen,
            incomplete=incomplete,
            models=models,
            set_aside=count_set_aside(docket.diagnostics),
            unread=unread_languages(covered),
            failed_by=gate.failed_by,
        ),
        gate=gate,
        incomplete=incomplete,
        not_run=docket.not_run,
        coverage=covered,
        analyser_runs=docket.analyser_runs,
        diagnostics=(*docket.diagnostics, *_hidden(docket.candidates, visible)),
        usage=_per_role(docket.usage),
    )


def _seen_before(case: Case) -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """Return which models saw the hunks of each file in an earlier review."""
    if case.scope is None:
        return {}
    from affidavit.iterations.scope import seen_before  # noqa: PLC0415 - few reviews follow another

    return seen_before(case)


def _judged_and_visible(
    docket: Docket, case: Case, settings: Settings, dismissals: Mapping[str, Dismissal]
) -> tuple[list[Candidate], list[Candidate]]:
    """Return the findings that decide verdict and gate, and the same after the user's choice."""
    searchers = frozenset(run.analyser for run in docket.analyser_runs if run.looks_for)

    def with_visibility(candidate: Candidate) -> Candidate:
        return choose_visibility(candidate, case.change, settings, searchers)

    # Dismissed and hidden findings represent no others.
    dismissed = [
        dismiss(_left_out(candidate, case.change, searchers), dismissals) for candidate in docket.candidates
    ]
    were_one = spots_of(case.earlier.findings) if case.earlier else frozenset()
    judged = gather_places(dismissed, STAGE, lambda one: with_visibility(one).withheld is not None, were_one)
    return judged, [with_visibility(candidate) for candidate in judged]


def _left_out(candidate: Candidate, change: Change, searchers: Container[str]) -> Candidate:
    """Withhold an earlier finding whose file is excluded now: it does not count."""
    file = change.file_at(candidate.finding.file, candidate.finding.side) if candidate.finding else None
    if file is None or file.skipped is not SkipReason.EXCLUDED or candidate.specialist in searchers:
        return candidate
    return candidate.withhold(STAGE, Reason.EXCLUDED, file.path)


def _per_role(talks: Sequence[RoleUsage]) -> tuple[RoleUsage, ...]:
    """Add up what each role spent with each model."""
    roles: dict[tuple[str, str], RoleUsage] = {}
    for spent in talks:
        key = (spent.role, spent.model)
        roles[key] = add_usage(roles[key], spent) if key in roles else spent
    return tuple(roles.values())


def may_block(candidate: Candidate) -> bool:
    """Check for a verified finding that is more than style; a model's must be worth acting on."""
    return candidate.is_shown and not candidate.why_not_counted


def _fails_gate(candidate: Candidate, fail_on: Severity | None) -> bool:
    return fail_on is not None and may_block(candidate) and candidate.rank <= fail_on.rank


def decide_gate(candidates: Sequence[Candidate], fail_on: Severity | None, *, is_incomplete: bool) -> Gate:
    """Decide what the review means for a build; a failed gate wins over an incomplete review."""
    failed_by = tuple(candidate.id for candidate in candidates if _fails_gate(candidate, fail_on))
    exit_code = 1 if failed_by else 3 if is_incomplete else 0
    return Gate(fail_on=fail_on, failed_by=failed_by, exit_code=exit_code)


def decide_verdict(  # noqa: PLR0913 - each is one thing that the verdict depends on
    judged: Sequence[Candidate],
    visible: Sequence[Candidate],
    *,
    change: Change,
    unseen: Sequence[Unseen],
    incomplete: Sequence[Gap],
    models: Mapping[str, str],
    set_aside: int = 0,
    unread: str = "",
    failed_by: Sequence[str] = (),
) -> Verdict:
    """Decide by `judged`; `visible` and what analysers set aside is only counted."""
    blocking = [
        candidate for candidate in judged if may_block(candidate) and candidate.claim.severity.is_grave
    ]
    standing = [candidate for candidate in judged if _speaks_against(candidate)]
    counts = count(visible, blocking=len(blocking), set_aside=set_aside)
    is_suppressed = Reason.SUPPRESSED in counts.withheld_by_code
    decision: Decision = "approve"
    if blocking:
        decision = "request_changes"
    elif standing or is_suppressed or incomplete or unseen or not models or change.why_empty:
        decision = "comment"
    found = _found(visible, {one.id for one in blocking}, set(failed_by), counts)
    is_whole = bool(models) and not incomplete and not unseen
    return Verdict(
        decision=decision,
        summary=_summary(found, counts, change, unseen, incomplete, unread, has_models=bool(models)),
        confidence=_confidence(
            decision, blocking, is_whole=is_whole, has_excused=bool(excused_files(change))
        ),
        blocking=tuple(candidate.id for candidate in blocking),
        counts=counts,
    )


def excused_files(change: Change) -> list[FileChange]:
    """Return the files that base, or the user's choice of paths, excludes from the review."""
    return [file for file in change.files if file.skipped and file.excused]


def _speaks_against(candidate: Candidate) -> bool:
    """Check whether a change with this finding cannot be approved.

    A proven finding of at least medium needs a fix or people's dismissal, whatever its worth.
    """
    is_proven = candidate.is_proven_by_machine and candidate.rank <= Severity.MEDIUM.rank
    return candidate.is_shown and (is_proven or candidate.worth is not Worth.NIT)


def count(candidates: Sequence[Candidate], *, blocking: int, set_aside: int = 0) -> Counts:
    """Count the candidates."""
    shown = [candidate for candidate in candidates if candidate.is_shown]
    withheld = [candidate for candidate in candidates if candidate.withheld]
    by_severity = Counter(candidate.claim.severity for candidate in shown)
    return Counts(
        candidates=len(candidates),
        shown=len(shown),
        folded=sum(candidate.folded for candidate in shown),
        withheld=len(withheld),
        blocking=blocking,
        by_severity={severity: by_severity[severity] for severity in Severity},
        withheld_by_code=dict(Counter(item.withheld.code for item in withheld if item.withheld)),
        set_aside=set_aside,
    )


def dismiss(candidate: Candidate, dismissals: Mapping[str, Dismissal]) -> Candidate:
    """Withhold a finding that people have dismissed in the base commit, from verdict and gate, too."""
    # A cause may be dismissed under any of its names; an analyser's finding only under its own.
    names = (candidate.fingerprint, *(() if candidate.is_proven_by_machine else candidate.carries))
    dismissal = next((dismissals[name] for name in names if name in dismissals), None)
    if candidate.finding is None or candidate.withheld or dismissal is None:
        return candidate
    why = f"by {dismissal.by}: {dismissal.why}" if dismissal.by else dismissal.why
    return candidate.withhold(STAGE, Reason.DISMISSED, why)


def _unread_settings(settings: Settings) -> tuple[Gap, ...]:
    """Return a gap for each settings file at base that cannot be read."""
    advice = "The defaults apply instead. Fix it on the branch that this change goes into."
    return tuple(Gap(name="settings", reason=problem, advice=advice) for problem in settings.problems)


def choose_visibility(
    candidate: Candidate, change: Change, settings: Settings, searchers: Container[str] = ()
) -> Candidate:
    """Withhold findings that the user chose not to see, with the reason.

    `searchers` look for one thing in every line: their findings count in skipped files, too.
    """
    if candidate.finding is None or candidate.withheld:
        return candidate
    file = change.file_at(candidate.finding.file, candidate.finding.side)
    skipped = file.skipped if file and candidate.specialist not in searchers else None
    reasons = _reasons_to_hide(candidate, candidate.finding, settings, skipped)
    code, detail = next(reasons, (None, ""))
    if code:
        return candidate.withhold(STAGE, code, detail)
    folded = _is_folded(candidate, candidate.finding, settings)
    return candidate.then(STAGE, "shown in one line" if folded else "shown", folded=folded)


def _is_folded(candidate: Candidate, finding: Finding, settings: Settings) -> bool:
    """Check for a maybe, or a small finding that fails no gate."""
    rank = finding.severity.rank
    is_small = settings.fold is not None and rank >= settings.fold.rank
    is_small = is_small and not _fails_gate(candidate, settings.fail_on)
    return candidate.worth is Worth.MAYBE or is_small


def _reasons_to_hide(
    candidate: Candidate,
    finding: Finding,
    settings: Settings,
    skipped: SkipReason | None,
) -> Iterator[tuple[Reason, str]]:
    chosen = settings.for_path(finding.file)
    if skipped is not None:
        yield Reason.OUT_OF_FOCUS, f"{finding.file} is skipped: {skipped}"
    if finding.category is Category.STYLE and not chosen.include_style:
        yield Reason.STYLE_OFF, "style is off"
    if chosen.focus and finding.category not in chosen.focus:
        yield Reason.OUT_OF_FOCUS, f"{finding.category} is outside the focus"
    if finding.severity.rank > chosen.severity_threshold.rank:
        yield Reason.BELOW_THRESHOLD, f"{finding.severity} is below the threshold"
    if candidate.worth is Worth.NIT and not settings.nits and not _fails_gate(candidate, settings.fail_on):
        yield Reason.NIT, candidate.judgements[-1].reason if candidate.judgements else ""


def _hidden(judged: Sequence[Candidate], visible: Sequence[Candidate]) -> list[Diagnostic]:
    """Note each candidate that the user chose not to see."""
    return [
        after.note(after.withheld.code, after.withheld.detail)
        for before, after in zip(judged, visible, strict=True)
        if before.withheld is None and after.withheld is not None
    ]


def _reading_order(candidate: Candidate) -> tuple[bool, bool, str, int, int, str, int]:
    """Return a key to sort by: shown first, then files in order, worst first within a file."""
    finding = candidate.finding
    return (
        not candidate.is_shown,
        candidate.folded,
        finding.file if finding else "",
        candidate.rank,
        finding.line if finding else 0,
        candidate.specialist,
        candidate.index,
    )


def _found(visible: Sequence[Candidate], blocking: Set[str], failing: Set[str], counts: Counts) -> list[str]:
    """Say which findings block, which others are shown, and which hidden ones still fail the gate."""
    shown = {candidate.id for candidate in visible if candidate.is_shown}
    found = []
    if blocking:
        must = f"{counted(len(blocking), 'proven finding')} must be fixed before merging"
        found.append(must + not_shown(blocking, shown))
    if hidden := failing - shown - blocking:
        found.append(counted(len(hidden), "finding blocks", "findings block") + " (not shown)")
    if others := len(shown - blocking):
        found.append(f"{counted(others, 'other finding' if found else 'finding')} to look at")
    return found or [*filter(None, [hidden_words(counts)])]


def _summary(
    found: list[str],
    counts: Counts,
    change: Change,
    unseen: Sequence[Unseen],
    incomplete: Sequence[Gap],
    unread: str,
    *,
    has_models: bool,
) -> str:
    """Write a sentence on what was found, and one on what the review lacks."""
    if change.why_empty and not counts.candidates:
        return _sentence([change.why_empty])
    lacks = [] if has_models or not found else ["linters only, no model"]
    lacks += [unread] if unread else []
    silenced = counts.withheld_by_code.get(Reason.SUPPRESSED, 0)
    lacks += [f"{counted(silenced, 'finding')} suppressed by the change itself"] if silenced else []
    if unseen:
        lacks.append(f"not looked at: {_listed(unseen)}")
    excused = [(file.path, str(file.skipped).replace("_", " ")) for file in excused_files(change)]
    if incomplete:
        lacks.append("not completed: " + ", ".join(dict.fromkeys(gap.name for gap in incomplete)))
    if not found:
        nothing = "nothing to report" if has_models else "no problems found (linters only, no model)"
        whole = ["every part of the review completed"] * has_models
        found, lacks = [nothing, *(lacks or whole)], []
    if excused:
        lacks = [*lacks, f"except {_listed(excused)}"] if lacks else []
        found = found if lacks else [*found[:-1], f"{found[-1]}, except {_listed(excused)}"]
    return " ".join(_sentence(parts) for parts in (found, lacks) if parts)


def _listed(files: Sequence[Unseen]) -> str:
    """Name some files with their reasons; every format lists the rest."""
    return name_some([f"{path} ({why})" for path, why in files])


def _sentence(parts: Sequence[str]) -> str:
    text = "; ".join(parts)
    return text[0].upper() + text[1:] + "."


def _confidence(
    decision: Decision, blocking: Sequence[Candidate], *, is_whole: bool, has_excused: bool
) -> float:
    if decision == "request_changes":
        return max(CONFIDENCE_NUMBER[candidate.confidence] for candidate in blocking)
    if not is_whole:
        return CONFIDENCE_NUMBER["low"]
    return CONFIDENCE_NUMBER["high" if decision == "approve" and not has_excused else "medium"]
