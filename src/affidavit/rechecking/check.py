"""Recheck a report: derive it again from its inputs, compare the two, and prove each finding."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from uuid import UUID

from affidavit import __version__
from affidavit.config.settings import ENVIRONMENT_PREFIX, Settings
from affidavit.diff.rebuild import OpenedChange, compare_record, has_its_trees
from affidavit.errors import InputError
from affidavit.events import iso
from affidavit.git.repository import GitRepository
from affidavit.git.revisions import find_commit, parse_range
from affidavit.pipeline import conclude
from affidavit.ports import Case, Specialist
from affidavit.prompts import current_prompts
from affidavit.proof.running.own_names import own_names
from affidavit.rechecking.compare import differences
from affidavit.rechecking.derive import Derived, derive_change, derive_report, derived_settings, is_committed
from affidavit.rechecking.findings import Proof, check_verdict, prove_dependencies, prove_findings
from affidavit.records.candidate import Candidate
from affidavit.records.change import Change
from affidavit.records.report import Inputs, Reply, Report, why_not_derived
from affidavit.render.account import measured_words
from affidavit.render.wording import counted, settings_sentence
from affidavit.stages.parse import docket_of, read_replies
from affidavit.stages.review import Looked, collect_replies, docket_without_models

SOURCES = {
    "working_tree": "uncommitted changes",
    "staged": "what was staged",
    "diff": "a diff",
}
CHOSEN_BY = {"flag": "by flag", "environment": "by the environment", "file": "by a file that the user named"}


def _not_verified(report: Report, settings: Settings, *, runs_programs: bool = False) -> list[str]:
    """Return one line for each thing that cannot be proven, only trusted by its signature."""
    return [
        *_of_version(report),
        *_of_minds(report, report.inputs),
        *_of_choices(report.inputs, settings),
        *_of_programs(report.inputs, are_run_again=runs_programs),
        *_of_authors(report),
    ]


def _of_version(report: Report) -> Iterator[str]:
    if report.affidavit_version != __version__:
        yield f"that Affidavit {report.affidavit_version} made it"


def _of_minds(report: Report, inputs: Inputs) -> Iterator[str]:
    if not report.models:
        return
    yield f"prompts {report.prompt_version}, schema {report.schema_version}"
    models = ", ".join(sorted(set(report.models.values())))
    replies = [reply.specialist for reply in inputs.replies if reply.kind != "mechanical"]
    if inputs.planner:
        yield f"the planner's answer, by {report.models.get('planner', models)}"
    if replies:
        yield f"{len(replies)} replies by {models}: {', '.join(replies)}"
    if inputs.joiner:
        yield f"which findings have one cause, by {report.models.get('joiner', models)}"
    if inputs.judgements:
        by = Counter(given.judgement.model for given in inputs.judgements)
        yield f"{len(inputs.judgements)} judgements by {', '.join(sorted(str(name) for name in by))}"
    if inputs.verifier_failures:
        yield "that no verifier could be asked"
    if inputs.reporter:
        yield f"the reporter's words, by {report.models.get('reporter', models)}"


def _of_choices(inputs: Inputs, settings: Settings) -> Iterator[str]:
    if inputs.submitted_by:
        yield f"that findings were submitted by {inputs.submitted_by}, whose tool calls were not recorded"
    for origin, said in CHOSEN_BY.items():
        chosen = [name for name, came_from in settings.origins.items() if came_from == origin]
        if chosen:
            yield f"chosen {said}: {', '.join(_setting(name, settings) for name in chosen)}"
    linters = {linter.name for linter in settings.linters} if settings.allow_linters else set()
    named = [reply.specialist for reply in inputs.replies if reply.specialist in linters]
    if named:
        yield f"the results of the users' own linters: {', '.join(named)}"


def _setting(name: str, settings: Settings) -> str:
    value = getattr(settings, name)
    shown = ", ".join(map(str, value)) if isinstance(value, tuple | frozenset) else value
    return f"{name} = {shown}"


def _of_programs(inputs: Inputs, *, are_run_again: bool) -> Iterator[str]:
    programs = inputs.programs
    if programs is None:
        return
    ran = f"were run in {programs.sandbox}" if programs.sandbox else f"were not run: {programs.reason}"
    yield f"programs {ran}"
    probes = sum(len(reply.probes) for reply in inputs.replies)
    decided = sum(given.judgement.run is not None for given in inputs.judgements)
    recorded = len(programs.reproductions) + len(programs.patches) + probes + decided
    if recorded and not are_run_again:
        yield f"{counted(recorded, 'run')} of programs and patches, not repeated without --run"


def _of_authors(report: Report) -> Iterator[str]:
    change = report.change
    names = {"base": change.base.name, "head": change.head.name, "repository": change.repository}
    named_as = [f"{name} {value}" for name, value in names.items() if value]
    if earlier := report.inputs.earlier:
        yield f"the earlier review: report {earlier.report_id}, sha256 {earlier.digest}"
    yield f"its id {report.id} and its time {report.created_at}"
    yield f"how it is named: {', '.join([change.target or change.source, *named_as])}"
    if change.request:
        yield f"that it is a review of {change.request}"
    if not is_committed(change):
        yield f"the change itself ({SOURCES.get(change.source, change.source)}), rebuilt from the report"
    named = [
        name
        for name in ("title", "description")
        if getattr(change, name) and getattr(change, f"{name}_from") != "commits"
    ]
    if named:
        yield " and ".join(named)
    if change.discussion:
        yield f"{counted(len(change.discussion), 'comment')} of others"
    if change.dismissals:
        people = ", ".join(sorted({one.by for one in change.dismissals}))
        said = counted(len(change.dismissals), "dismissal")
        yield f"{said} on the forge, and that these people may dismiss: {people}"
    if report.measured:
        yield f"the error rate of the installation: {measured_words(report.measured)}"


def _of_target(change: Change, repository: GitRepository) -> Iterator[str]:
    """Say where the branch of a range was, if it is elsewhere now: it moved, or the report is forged."""
    then = change.tip or change.base
    try:
        now = find_commit(repository.store, then.name) if change.source == "range" else None
    except InputError:
        now = None
    if now and now != then.commit:
        yield f"that {then.name} was at {(then.commit or '')[:SHORT]}; it is at {now[:SHORT]} here"


MAX_DIFFERENCES = 10
SHORT = 12
OF_COMMITS = tuple(("change", name) for name in ("commits", "base", "head", "title", "description"))
GROWING = frozenset({"ty"})
"""Every version of these analysers finds more, so additions of another version prove nothing."""
Assemble = Callable[[Settings], Sequence[Specialist]]
"""Return the mechanical specialists under these settings, without any cache."""


@dataclass(frozen=True)
class Rechecked:
    """The proofs, and the parts that only a signature can vouch for."""

    proofs: tuple[Proof, ...]
    words: tuple[str, ...]

    @property
    def holds(self) -> bool | None:
        """Return whether all proofs hold; None if none fails and some cannot be checked here."""
        held = {proof.holds for proof in self.proofs}
        return False if False in held else None if None in held else True


async def recheck(
    report: Report,
    opened: OpenedChange,
    assemble: Assemble,
    *,
    runs_programs: bool = False,
    environments: Sequence[Path] = (),
) -> Rechecked:
    """Run the analysers again, derive the whole report from its inputs, and compare.

    Raise InputError if this release cannot derive it. `runs_programs`: the caller runs the programs again,
    so they are not listed as unverified. Environments are further folders with packages.
    """
    if why := why_not_derived(report.affidavit_version, report.report_version):
        raise InputError(why)
    repository = opened.repository
    settings = derived_settings(report, repository)
    case = Case(derive_change(report.change, repository, settings), repository)
    # A report must not name a command that is then run.
    specialists = assemble(without_commands(settings))
    replies = await collect_replies(specialists, case)
    derived = await derive_report(report, case, settings, replies, own_names(repository), specialists)
    is_in_part = bool(opened.notices) or not has_its_trees(report.change, repository)
    change = _check_change(report, repository)
    whole = _compared(report, derived, change, is_in_part=is_in_part)
    quoted, unseen = prove_dependencies(report, repository, environments)
    proofs = [
        change,
        *_check_name(report),
        *prove_findings(report, derived, is_in_part=is_in_part),
        *quoted,
        check_verdict(report),
        whole,
    ]
    if whole.holds is None and not is_in_part:
        proofs += await _check_blocking(report, case, settings, replies)
    words = _not_verified(report, settings, runs_programs=runs_programs)
    return Rechecked(tuple(proofs), (*words, *_of_target(report.change, repository), *unseen))


def without_commands(settings: Settings) -> Settings:
    """Return a report's settings without the programs that they name; the compiler is this user's own."""
    compiler = os.environ.get(f"{ENVIRONMENT_PREFIX}TYPESCRIPT_SERVER")
    return settings.model_copy(update={"linters": (), "allow_linters": False, "typescript_server": compiler})


def _check_change(report: Report, repository: GitRepository) -> Proof:
    """Check that the commits, files and lines are those that the report names."""
    change = report.change
    found = compare_record(change, repository)
    wrong = [one.detail for one in found if not one.is_unknown]
    if change.source in ("range", "commit") and change.head.commit is None:
        wrong.append(f"it is called a {change.source}, but names no commit at head")
    if change.tip is None and _has_target(change):
        wrong.append("it is measured from a target branch, but does not name that branch's tip")
    unknown = [one.detail for one in found if one.is_unknown]
    holds = False if wrong else None if unknown else True
    detail = "; ".join((wrong or unknown)[:MAX_DIFFERENCES]) or "files and lines are as recorded"
    return Proof(finding="", title="change", kind="change", holds=holds, detail=f"{_sides(report)}, {detail}")


def _has_target(change: Change) -> bool:
    span = parse_range(change.target)
    is_since_merge_base = span is not None and span.since_merge_base
    return change.source == "range" and (change.request is not None or is_since_merge_base)


def _sides(report: Report) -> str:
    """Name both sides by their hashes: how a report names its commits is not verified."""
    change, chosen = report.change, settings_sentence(report)
    base, head = (
        f"commit {revision.commit[:SHORT]}" if revision.commit else f"tree {revision.tree[:SHORT]}"
        for revision in (change.base, change.head)
    )
    tip = change.tip and (change.tip.commit or change.tip.tree)
    target = f"target commit {tip[:SHORT]}" if tip else chosen and f"settings {chosen}"
    return f"base {base}, head {head}" + (f", {target}" if target else "")


def _check_name(report: Report) -> list[Proof]:
    """Fail for an id or a time that no review writes."""
    wrong = [
        f"{name}: {text!r} is no {what}"
        for name, text, what, written in (
            ("id", report.id, "UUID", lambda text: str(UUID(text))),
            ("created_at", report.created_at, "time", lambda text: iso(datetime.fromisoformat(text))),
        )
        if not _is_written(text, written)
    ]
    return [_whole(False, one) for one in wrong]


def _is_written(text: str, written: Callable[[str], str]) -> bool:
    try:
        return written(text) == text
    except ValueError:
        return False


def _compared(report: Report, derived: Derived, change: Proof, *, is_in_part: bool) -> Proof:
    found = differences(report, derived.report)
    missing = [f"{name}: {why}" for name, why in derived.silent.items()]
    if change.holds is None:
        # The tree is here but the commit is not: only its message cannot be read.
        found = [one for one in found if one.path[:2] not in OF_COMMITS]
        missing.append("what the commits say of themselves")
    if found and is_in_part:
        return _whole(None, "the change could not be rebuilt whole, so the report does not come out the same")
    if found:
        shown = "; ".join(map(str, found[:MAX_DIFFERENCES]))
        more = f"; and {len(found) - MAX_DIFFERENCES} more" if len(found) > MAX_DIFFERENCES else ""
        return _whole(False, f"{shown}{more}")
    if missing:
        return _whole(None, f"not derived again here: {'; '.join(missing)}")
    return _whole(True, "derived again from its inputs, it is the same in every field")


def _whole(holds: bool | None, detail: str) -> Proof:
    return Proof(finding="", title="report", kind="report", holds=holds, detail=detail)


async def _check_blocking(
    report: Report, case: Case, settings: Settings, replies: Sequence[Reply]
) -> list[Proof]:
    """Fail for each finding that blocks now and does not in the report, whatever version that names."""
    heard = [reply for reply in replies if _counts(reply, report)]
    docket = docket_of(read_replies(heard, case.change), heard, docket_without_models(case.change))
    now = await conclude(Looked(case, docket), None, None, settings, {}, current_prompts())
    left = [one for one, leader in _blocking(now) if one is leader or _blocks_alone(one, leader)]
    known = [one for one, _ in _blocking(report)]
    for is_same in (_is_at_line, _is_same_rule_nearby):
        for one in tuple(left):
            partner = next((other for other in known if is_same(one, other)), None)
            if partner is not None:
                left.remove(one)
                known.remove(partner)
    return [_missing(one) for one in left]


def _counts(reply: Reply, report: Report) -> bool:
    """Check whether an analyser's reply can contradict the report: not if it admits that it could not run."""
    name = reply.specialist
    has_replied = any(one.specialist == name and one.state != "none" for one in report.replies)
    is_gap = any(gap.name == name for gap in (*report.not_run, *report.incomplete))
    has_examined = any(name in hunk.examined_by for file in report.coverage for hunk in file.hunks)
    if is_gap and not has_replied and not has_examined:
        return False
    then = {(run.analyser, run.side): run.version for run in report.analyser_runs}
    is_other = any(
        then.get((run.analyser, run.side), run.version) != run.version for run in reply.analyser_runs
    )
    return not (is_other and name in GROWING)


def _blocking(report: Report) -> Iterator[tuple[Candidate, Candidate]]:
    """Yield each finding that blocks, and each duplicate of one, with the one that blocks."""
    leaders = {one.id: one for one in report.candidates if one.id in report.verdict.blocking}
    for one in report.candidates:
        leader = leaders.get(one.duplicate_of or one.id)
        if leader is not None and one.finding is not None:
            yield one, leader


def _blocks_alone(one: Candidate, leader: Candidate) -> bool:
    return one.claim.severity.is_grave and not one.why_not_counted and one.specialist == leader.specialist


def _is_at_line(one: Candidate, other: Candidate) -> bool:
    return (one.claim.file, one.claim.line) == (other.claim.file, other.claim.line)


def _is_same_rule_nearby(one: Candidate, other: Candidate) -> bool:
    """Check for the same rule within the quoted lines: another version may name the line beside."""
    quote, found = one.quote, other.claim
    if quote is None or quote.start is None:
        return False
    is_same_rule = (one.claim.rule_id, quote.file) == (found.rule_id, found.file)
    return is_same_rule and quote.start <= found.line <= (quote.end or quote.start)


def _missing(one: Candidate) -> Proof:
    place = f"{one.claim.file}:{one.claim.line}"
    detail = f"checked again, {one.specialist} reports {one.claim.rule_id} at {place}, which blocks"
    return Proof(finding="", title=one.claim.title, kind="analyser", holds=False, detail=detail)
