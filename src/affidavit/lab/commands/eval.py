"""`affidavit eval`: review labelled cases and print scores; plant bugs, try the verifier."""

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import click

from affidavit.cli.options import (
    model_options,
    off_option,
    prompt_options,
    rules_off_option,
    run_options,
    server_options,
    words_option,
)
from affidavit.cli.outputs import EXIT_NOT_DONE, exit_code
from affidavit.cli.saying import say
from affidavit.config.places import cache_folder
from affidavit.errors import InputError, SettingsError
from affidavit.lab.cases.folders import CaseFolder, read_cases
from affidavit.lab.cases.repositories import CaseRepositories
from affidavit.lab.commands.options import kept_folder, labels_in_store, opened_sessions, read_limits
from affidavit.lab.commands.screen import parse_outputs, show_cases, write_evaluation
from affidavit.lab.commands.verifier import judge_claims
from affidavit.lab.evaluation.run import EvaluationPlan, evaluate
from affidavit.lab.mutation.planting import (
    PLANTABLE_LANGUAGES,
    PlantingRequest,
    PlantingSummary,
    plant_bugs,
    read_languages,
)
from affidavit.lab.records import Evaluation
from affidavit.render.safe_text import visible
from affidavit.render.wording import counted
from affidavit.system.temporary import temporary_folder


@click.command()
@click.option("--repo", type=click.Path(path_type=Path), help="The repository; default: this folder's.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    metavar="CASES",
    help="Where the cases go: a new folder.",
)
@click.option(
    "--commits",
    type=click.IntRange(1, 1000),
    default=20,
    show_default=True,
    help="How many commits get a bug.",
)
@click.option("--since", metavar="REV", help="Only commits after this one; default: the most recent ones.")
@words_option("--languages", "NAMES", f"Some of {','.join(PLANTABLE_LANGUAGES)}; default: all.")
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed makes another choice.")
@click.option("--no-cache", is_flag=True, help="Ask the type checkers again.")
@click.option("--quiet", "-q", is_flag=True, help="Only the summary.")
@click.pass_context
def mutate(context: click.Context, /, **options: Any) -> None:
    """Make labelled cases from your own repository: real commits, each with one known bug planted in it.

    Every case has a clean twin, the commit as it was. The repository is only read; the cases bring their
    own. `affidavit eval CASES` then measures how many of the bugs are found, and what is said of the twins.

    \b
    affidavit eval mutate --out cases
    affidavit eval mutate --repo ../shop --out cases --commits 50 --languages python
    """
    request = PlantingRequest(
        repository=options["repo"],
        out=options["out"],
        commits=options["commits"],
        since=options["since"],
        languages=read_languages(options["languages"]),
        seed=options["seed"],
        cache=None if options["no_cache"] else cache_folder(),
    )
    summary = asyncio.run(plant_bugs(request, report=_silent if options["quiet"] else say))
    if not summary.bugs:
        why = "; ".join(f"{counted(count, 'time')}: {reason}" for reason, count in summary.rejected.items())
        raise InputError(f"no bug could be planted in {counted(summary.commits_read, 'commit')} ({why})")
    click.echo(visible(describe_planting(summary, request.out), keep="\n"))
    context.exit(0)


def describe_planting(summary: PlantingSummary, out: Path) -> str:
    """Summarise a planting, and say what to do next."""
    operators = Counter(bug.mutant.operator.replace("_", " ") for bug in summary.bugs)
    lines = [
        f"{counted(len(summary.bugs), 'bug')} planted in {counted(summary.commits_read, 'commit')} read, "
        f"each with a clean twin: {out}",
        *(f"  {counted(count, 'time')}: {name}" for name, count in operators.most_common()),
        *(f"  rejected {counted(count, 'time')}: {why}" for why, count in summary.rejected.most_common()),
        f"Next: affidavit eval {out}",
    ]
    return "\n".join(lines)


def _silent(_text: str) -> None:
    return


RUN = "run"
FORMAT_HELP = "text, json; repeatable. No FILE: standard output."


class EvalCommands(click.Group):
    """`mutate` and `verifier`; else the run itself, so that `eval CASES` works."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Name the run where no other command is named."""
        return super().parse_args(ctx, args if args and args[0] in self.commands else [RUN, *args])


@click.group(cls=EvalCommands)
def command() -> None:
    """Measure the product on labelled cases."""


@command.command(RUN)
@click.argument("cases", nargs=-1, type=click.Path(path_type=Path))
@click.option("--format", "formats", multiple=True, metavar="NAME[=FILE]", help=FORMAT_HELP)
@click.option("--min-recall", metavar="SHARE", help="Exit with 1 below this, such as 0.6 or 60%.")
@click.option(
    "--max-wrong",
    metavar="N|SHARE",
    help="Exit with 1 above this: a whole number of wrong findings, or a share of those that are known"
    " to be true or wrong, such as 0.05 or 5%.",
)
@click.option(
    "--jobs", type=click.IntRange(1, 64), default=2, show_default=True, help="Cases at the same time."
)
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="DIR", help="Keep reports and exchanges in this folder."
)
@model_options
@prompt_options
@server_options
@run_options
@click.option("--judge-model", metavar="MODEL", help="Who compares meanings; default: the verifier's model.")
@click.option("--no-judge", is_flag=True, help="Match by place and category, even with a model.")
@off_option
@rules_off_option
@click.option("--analyser-timeout-seconds", metavar="N", help="Time limit of each analyser run; default 120.")
@click.option(
    "--nits/--no-nits", default=None, help="Show, and so score, what is true but not worth acting on."
)
@click.option(
    "--config", type=click.Path(path_type=Path), help="Settings file in place of each base commit's."
)
@click.option("--data", type=click.Path(path_type=Path), help="Folder of the store, for labels.")
@click.option("--no-labels", is_flag=True, help="Do not use the labels in the store.")
@click.option("--no-cache", is_flag=True, help="Run every analyser again.")
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
@click.pass_context
def run_cases(context: click.Context, /, cases: tuple[Path, ...], **options: Any) -> None:
    """Review labelled CASES and score what is found.

    CASES are folders: a case (with case.json), or a folder of cases; several may be named. Without --model
    the mechanical specialists are measured alone. With --run, models may run programs. Exit codes: 0 whatever
    the scores; 1 if --min-recall or --max-wrong is missed; 2 if no case could be run; 3 if some could not.

    \b
    affidavit eval evaluation/cases                        the mechanical specialists
    affidavit eval CASES --model openai:NAME --out DIR     everything; --resume DIR goes on
    affidavit eval mutate --repo DIR --out CASES           make cases by planting bugs in your own commits
    affidavit eval verifier [CLAIMS] --model NAME          how many wrong claims the verifier refutes
    """
    if not cases:
        raise InputError("name the folder of the cases, such as: affidavit eval evaluation/cases")
    outputs = parse_outputs(options["formats"])
    limits = read_limits(options)
    held = read_cases(cases)
    if limits.min_recall is not None and not any(one.case.expected for one in held):
        raise SettingsError("--min-recall: no case expects a problem, so there is no recall to measure")
    evaluation = _evaluate(held, options)
    write_evaluation(evaluation, outputs)
    context.exit(_say_result(evaluation, limits.misses(evaluation)))


def _evaluate(held: list[CaseFolder], options: dict[str, Any]) -> Evaluation:
    cache = None if options["no_cache"] else cache_folder()
    sessions = opened_sessions(options, cache)
    out = kept_folder(options)
    with (
        temporary_folder("eval-") as scratch,
        show_cases(len(held), is_quiet=options["quiet"]) as follow,
    ):
        plan = EvaluationPlan(
            repositories=CaseRepositories(scratch),
            sessions=sessions,
            jobs=options["jobs"],
            out=out,
            labels={} if options["no_labels"] else labels_in_store(options["data"]),
            follow=follow,
        )
        try:
            return asyncio.run(evaluate(held, plan))
        except KeyboardInterrupt:
            if out:
                say(f"the exchanges are kept; continue with --resume {out}")
            raise


def _say_result(evaluation: Evaluation, missed: list[str]) -> int:
    for sentence in missed:
        say(sentence)
    if evaluation.incomplete:
        what = counted(evaluation.incomplete, "review was", "reviews were")
        say(f"{what} done in part; the first: {_first_lack(evaluation)}")
    if evaluation.not_run == len(evaluation.results):
        first = evaluation.results[0].failure
        say(f"no case could be run; the first: {first}")
        return EXIT_NOT_DONE
    return exit_code(is_failed=bool(missed), is_incomplete=bool(evaluation.not_run))


def _first_lack(evaluation: Evaluation) -> str:
    runs = (result.run for result in evaluation.results if result.run)
    return next((part for run in runs for part in run.incomplete), "")


command.add_command(mutate)
command.add_command(judge_claims)
