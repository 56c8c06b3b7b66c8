"""List what of a report cannot be proven again and rests on the word of models, users and authors."""

from collections import Counter
from collections.abc import Iterator

from affidavit import __version__
from affidavit.config.settings import Settings
from affidavit.recheck.derive import is_committed
from affidavit.records.report import Inputs, Report
from affidavit.render.account import measured_words
from affidavit.render.wording import counted

SOURCES = {
    "working_tree": "what was not committed",
    "staged": "what was staged",
    "diff": "a diff",
}
CHOSEN_BY = {"flag": "by flag", "environment": "by the environment", "file": "by a file that the user named"}


def taken_on_its_word(report: Report, settings: Settings, *, runs_programs: bool = False) -> list[str]:
    """Return one line for each thing that must be believed, or trusted by its signature."""
    return [
        *_of_version(report),
        *_of_minds(report, report.inputs),
        *_of_submission(report.inputs),
        *_of_choices(settings),
        *_of_linters(report.inputs, settings),
        *_of_programs(report.inputs, are_run_again=runs_programs),
        *_of_earlier(report.inputs),
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


def _of_submission(inputs: Inputs) -> Iterator[str]:
    if inputs.submitted_by:
        yield f"that findings were handed in by {inputs.submitted_by}, who was not watched"


def _of_choices(settings: Settings) -> Iterator[str]:
    for origin, said in CHOSEN_BY.items():
        chosen = [name for name, came_from in settings.origins.items() if came_from == origin]
        if chosen:
            yield f"chosen {said}: {', '.join(_setting(name, settings) for name in chosen)}"


def _setting(name: str, settings: Settings) -> str:
    value = getattr(settings, name)
    shown = ", ".join(map(str, value)) if isinstance(value, tuple | frozenset) else value
    return f"{name} = {shown}"


def _of_linters(inputs: Inputs, settings: Settings) -> Iterator[str]:
    linters = {linter.name for linter in settings.linters} if settings.allow_linters else set()
    named = [reply.specialist for reply in inputs.replies if reply.specialist in linters]
    if named:
        yield f"what the users' own linters said: {', '.join(named)}"


def _of_programs(inputs: Inputs, *, are_run_again: bool) -> Iterator[str]:
    programs = inputs.programs
    if programs is None:
        return
    ran = f"were run in {programs.sandbox}" if programs.sandbox else f"were not run: {programs.reason}"
    yield f"programs {ran}"
    if programs.reproductions and not are_run_again:
        named = ", ".join(given.candidate for given in programs.reproductions)
        yield f"{counted(len(programs.reproductions), 'reproduction')}, not run again without --run: {named}"
    if are_run_again:
        return
    if programs.patches:
        named = ", ".join(given.candidate for given in programs.patches)
        tried = counted(len(programs.patches), "patch", "patches")
        yield f"how {tried} went, not tried again without --run: {named}"
    probes = sum(len(reply.probes) for reply in inputs.replies)
    if probes:
        yield f"{counted(probes, 'probe')}, not run again without --run"
    decided = [given.candidate for given in inputs.judgements if given.judgement.run]
    if decided:
        yield f"the verifier's programs on {', '.join(decided)}, not run again without --run"


def _of_earlier(inputs: Inputs) -> Iterator[str]:
    earlier = inputs.earlier
    if earlier is not None:
        yield f"what the review before it said: report {earlier.report_id}, sha256 {earlier.digest}"


def _of_authors(report: Report) -> Iterator[str]:
    change = report.change
    names = {"base": change.base.name, "head": change.head.name, "repository": change.repository}
    named_as = [f"{name} {value}" for name, value in names.items() if value]
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
