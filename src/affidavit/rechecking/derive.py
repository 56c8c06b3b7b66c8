"""Derive a report again from its change, settings and inputs, by the stages that made it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from affidavit.agents.limits import effort_of
from affidavit.agents.model_agents import LENSES, asked_at_any_size
from affidavit.agents.verifier import Probed
from affidavit.analysers.tsc import TSC
from affidavit.config.settings import ENVIRONMENT_PREFIX, Settings, derive_settings
from affidavit.diff.between import files_between
from affidavit.diff.redacted import redact_case
from affidavit.diff.skipping import mark_skipped
from affidavit.git.repository import GitRepository
from affidavit.git.revisions import commits_between, one_commit
from affidavit.git.tree import GitTree
from affidavit.iterations.scope import choose_scope, parts_to_show
from affidavit.pipeline import conclude
from affidavit.ports import Case, Judged, Specialist, Verifiers
from affidavit.prompts import PromptSet, current_prompts
from affidavit.proof.running.announced import promises
from affidavit.proof.running.own_names import OwnNames
from affidavit.proof.running.reproduction import outcome_of
from affidavit.records.candidate import Candidate, Judgement
from affidavit.records.change import Change, Commit, Revision
from affidavit.records.docket import Docket
from affidavit.records.evidence import DependencyCheck, ReproductionCheck
from affidavit.records.plan import Plan
from affidavit.records.program_runs import TrialStep
from affidavit.records.report import Answer, Inputs, Programs, Reply, Report, RoleUsage
from affidavit.records.settings_entries import Effort
from affidavit.stages.intake import words_of_commits
from affidavit.stages.narrate import add_words
from affidavit.stages.parse import docket_of, read_replies
from affidavit.stages.plan import Opening, Planned, plan_by_size, read_plan
from affidavit.stages.review import Looked, docket_of_submission, docket_without_models
from affidavit.symbols.changed import symbol_changes

UNSTEADY = ("timed_out", "crashed", "not_installed")
"""States of an analyser that depend on the machine."""


WITHOUT_MODELS = {
    "planner": None,
    "verifier_failures": (),
    "joiner": None,
    "judgements": (),
    "reporter": None,
}


@dataclass(frozen=True)
class Derived:
    """A report derived from its inputs."""

    report: Report
    silent: Mapping[str, str] = field(default_factory=dict)
    """Analysers whose recorded reply was used because they could not run again, with the reason."""


def derive_change(recorded: Change, repository: GitRepository, settings: Settings) -> Change:
    """Read the change from its commits again; one without commits is taken from the record."""
    files = tuple(file.model_copy(update={"skipped": None}) for file in recorded.files)
    # Only a range of commits lists commits.
    change = recorded.model_copy(update={"files": files, "commits": ()})
    store, base, head = repository.store, repository.base, repository.head
    # The proof of the change reports a missing commit, or one with another tree.
    if is_committed(recorded) and head.commit is not None:
        is_single = recorded.source == "commit"
        commits = (
            one_commit(store, head.commit) if is_single else commits_between(store, base.commit, head.commit)
        )
        recorded = _with_words_of(commits, recorded)
        change = recorded.model_copy(
            update={
                "files": files_between(store, base, head),
                "commits": commits,
                "base": _named(base, recorded.base),
                "head": _named(head, recorded.head),
                "tip": repository.tip and recorded.tip and _named(repository.tip, recorded.tip),
            }
        )
    return mark_skipped(change, repository, settings.leaves_out)


def _named(tree: GitTree, recorded: Revision) -> Revision:
    return recorded.model_copy(update={"tree": tree.revision, "commit": tree.commit})


def _with_words_of(commits: Sequence[Commit], recorded: Change) -> Change:
    """Return the record with the commits' own words, except for those that somebody gave."""
    words = dict(zip(("title", "description"), words_of_commits(commits), strict=True)) if commits else {}
    sources = {"title": recorded.title_from, "description": recorded.description_from}
    updates = {}
    for name, text in words.items():
        if sources[name] == "commits":
            updates[name] = text
        elif sources[name] == "default":
            updates[f"{name}_from"] = "commits"
    return recorded.model_copy(update=updates)


def is_committed(change: Change) -> bool:
    """Check for a pair of commits; any other change can only be rebuilt from its record."""
    return change.source in ("range", "commit")


def derived_settings(report: Report, repository: GitRepository) -> Settings:
    """Read the settings again; choices of flags and environment are taken from the record."""
    return derive_settings(repository.base, Settings.model_validate(report.settings), repository.tip)


async def derive_report(
    report: Report,
    case: Case,
    settings: Settings,
    again: Sequence[Reply],
    own: OwnNames,
    specialists: Sequence[Specialist] = (),
) -> Derived:
    """Derive the report from its inputs; `again` is what the analysers, `specialists`, say now."""
    inputs = report.inputs
    has_models = bool(report.models)
    # If no model was asked, none has planned, judged or written.
    inputs = inputs if has_models else inputs.model_copy(update=WITHOUT_MODELS)
    recorded = Recorded(inputs, own, promises(case.change))
    case = replace(case, earlier=inputs.earlier, dependencies=recorded)
    chosen = choose_scope(case, settings.model_dump(mode="json"), report.models, report.prompt_version)
    case = replace(case, scope=chosen)
    replies, silent = _replies(inputs, again, settings, has_models=has_models)
    effort = effort_of(settings, case.change.changed_files)
    opening = _opening(inputs, case, effort)
    plan = opening.plan if has_models else None
    before = _before(case.change, inputs, opening, has_models=has_models)
    read = read_replies(replies, case.change)
    looked = Looked(
        replace(case, plan=plan, replies=tuple(replies), review_id=report.id),
        docket_of(read, replies, before),
        planner=inputs.planner,
        verifier_failures=inputs.verifier_failures,
        submitted_by=inputs.submitted_by,
    )
    verifiers = recorded_verifiers(report, inputs) if plan is not None else None
    has_joiner = plan is not None and (inputs.joiner is not None or "joiner" in report.models)
    joiner, reproducer = recorded if has_joiner else None, recorded if inputs.programs else None
    prompts = _prompts(report)
    trying = () if inputs.submitted_by else specialists
    derived = await conclude(
        looked, joiner, verifiers, settings, report.models, prompts, reproducer, specialists=trying
    )
    derived = add_words(derived, inputs.reporter) if inputs.reporter else derived
    kept = {"measured": report.measured, "affidavit_version": report.affidavit_version}
    return Derived(derived.model_copy(update=kept), silent)


def _before(change: Change, inputs: Inputs, opening: Opening, *, has_models: bool) -> Docket:
    if inputs.submitted_by:
        return docket_of_submission(is_judged=has_models)
    return opening.docket if has_models else docket_without_models(change)


def _prompts(report: Report) -> PromptSet:
    """Return the recorded prompt versions; without models, the built-in ones."""
    return PromptSet(report.prompt_version, {}, report.schema_version) if report.models else current_prompts()


def _opening(inputs: Inputs, case: Case, effort: Effort) -> Opening:
    """Read the plan from the planner's answer; the chunks are divided again."""
    probed = Probed(failures=inputs.verifier_failures)
    if inputs.planner is None and not inputs.submitted_by:
        return Opening(Planned(Plan()), probed)
    # Models saw the redacted change, which was divided into chunks.
    shown = redact_case(case)
    languages = inputs.programs.languages if inputs.programs else ()
    always = asked_at_any_size(shown.change, languages, effort)
    symbols = symbol_changes(shown.change, shown.repository)
    parts = parts_to_show(case, shown.change)
    if inputs.planner is None:
        return Opening(Planned(plan_by_size(shown.change, (), (), symbols)), probed)
    rough = plan_by_size(shown.change, LENSES, always, symbols, parts)
    return Opening(read_plan(inputs.planner, rough, LENSES), probed)


def _replies(
    inputs: Inputs, again: Sequence[Reply], settings: Settings, *, has_models: bool
) -> tuple[list[Reply], dict[str, str]]:
    """Return new analyser replies and recorded other ones, and which analysers could not run again."""
    now = {reply.specialist: reply for reply in again}
    linters = {linter.name for linter in settings.linters} if settings.allow_linters else set()
    replies: list[Reply] = []
    silent: dict[str, str] = {}
    for recorded in inputs.replies:
        new = now.pop(recorded.specialist, None)
        is_mind = (
            has_models
            if recorded.kind == "model"
            else (recorded.kind == "outside" and bool(inputs.submitted_by))
        )
        if new is None and (is_mind or recorded.specialist in linters):
            replies.append(recorded)
            continue
        if new is None and recorded.kind != "mechanical":
            continue
        reason = _why_not_comparable(recorded, new)
        if reason:
            silent[recorded.specialist] = reason
        replies.append(recorded if reason or new is None else new)
    return [*replies, *now.values()], silent


def _why_not_comparable(recorded: Reply, new: Reply | None) -> str | None:
    """Say why an analyser's new reply cannot be compared with the recorded one, or None."""
    if new is None:
        return "there is no such specialist here"
    then, now = _states(recorded), _states(new)
    for side, (version, state) in now.items():
        old_version, old_state = then.get(side, ("", "absent"))
        if state != old_state and (state in UNSTEADY or old_state in UNSTEADY):
            named = state == "not_installed" and recorded.specialist == TSC.name
            advice = f". Name the tsc of the review in {ENVIRONMENT_PREFIX}TYPESCRIPT_SERVER" if named else ""
            return f"{old_state.replace('_', ' ')} then, {state.replace('_', ' ')} now{advice}"
        if version != old_version:
            return f"version {old_version or 'unknown'} then, {version or 'unknown'} now"
    return None


def _states(reply: Reply) -> dict[str, tuple[str, str]]:
    return {f"{run.analyser} {run.side}": (run.version, run.state) for run in reply.analyser_runs}


@dataclass(frozen=True)
class RecordedVerifier:
    """Repeats the recorded judgements of a verifier."""

    inputs: Inputs
    role: str = "verifier"

    async def judge(self, candidate: Candidate) -> Judged:
        """Return the recorded judgement, or that there is none."""
        for given in self.inputs.judgements:
            one = given.judgement
            if given.candidate == candidate.id and one.role == self.role:
                return Judged(judgement=one)
        reason = "the report has no judgement of it"
        return Judged(judgement=Judgement(by="verifier", outcome="failed", reason=reason))


@dataclass(frozen=True)
class Recorded:
    """Repeats what a report says of its joiner, packages and programs; nothing is asked, opened or run."""

    inputs: Inputs
    own: OwnNames
    promises: str = ""
    """The text in which the change says what it fixes."""

    async def join(self, _candidates: Sequence[Candidate]) -> Answer:
        """Return the recorded grouping, or that there is none."""
        nothing = RoleUsage(role="joiner", model="")
        return self.inputs.joiner or Answer(outcome="failed", detail="the report has none", usage=nothing)

    def check(self, candidate: Candidate) -> tuple[DependencyCheck, ...]:
        """Return the recorded checks of a candidate's quotes of packages."""
        given = (one.checks for one in self.inputs.dependency_quotes if one.candidate == candidate.id)
        return next(given, ())

    @property
    def ground(self) -> Programs:
        """Return how programs were run."""
        return self.inputs.programs or Programs()

    async def reproduce(self, candidate: Candidate) -> ReproductionCheck | None:
        """Judge the recorded runs of a candidate's program again."""
        declared = candidate.evidence.reproduction
        given = (one.check for one in self.ground.reproductions if one.candidate == candidate.id)
        check = next(given, None)
        if check is None and (declared is None or not self.ground.sandbox):
            return None
        if check is None or declared is None:
            return ReproductionCheck(outcome="could_not_run", detail="the report has no run of it")
        if check.outcome == "could_not_run" and not check.head:
            return check
        if check.base is None or len(check.head) < 2:
            return check.model_copy(update={"outcome": "could_not_run", "detail": "runs are missing"})
        outcome, detail = outcome_of(declared, check.base, check.head, self.own, self.promises)
        return check.model_copy(update={"outcome": outcome, "detail": detail})

    async def try_patch(self, candidate: Candidate) -> tuple[TrialStep, ...] | None:
        """Return the recorded trial of a candidate's patch."""
        return next((one.steps for one in self.ground.patches if one.candidate == candidate.id), None)


def recorded_verifiers(report: Report, inputs: Inputs) -> Verifiers:
    """Return stand-ins for the verifiers of the recorded review."""
    second = RecordedVerifier(inputs, "second_verifier") if "second_verifier" in report.models else None
    return Verifiers(RecordedVerifier(inputs), second)
