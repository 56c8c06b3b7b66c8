"""`affidavit review`: from a target on the command line to a report and an exit code."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from affidavit.cli.help import LongCommand
from affidavit.cli.options.change import config_option, opened_change, path_options, read_config
from affidavit.cli.options.earlier import review_before
from affidavit.cli.options.models import mcp_servers_option, model_options
from affidavit.cli.options.prompts import prompt_options
from affidavit.cli.options.repository import working_tree_options
from affidavit.cli.options.running import run_options
from affidavit.cli.options.servers import server_options
from affidavit.cli.options.signing import sign_option, signing_key
from affidavit.cli.screen.event_log import kept_events
from affidavit.cli.screen.hints import say_hints, say_named_settings, say_unknown_names
from affidavit.cli.screen.outputs import check_outputs, print_text, write_output
from affidavit.cli.screen.progress import show_progress
from affidavit.cli.screen.saying import say
from affidavit.config.settings import Settings
from affidavit.errors import SettingsError
from affidavit.proof.signature import sign_file
from affidavit.quality.prompts import ChosenPrompts
from affidavit.records.report import Report
from affidavit.render.formats import FormatRequest, RenderOptions, parse_format, render
from affidavit.reviewing.hold import hold_review, settings_for
from affidavit.reviewing.keeping import keep_report, measured_report
from affidavit.reviewing.models import models_of
from affidavit.reviewing.options import ReviewOptions
from affidavit.reviewing.prompts import count_for_rollout, prompts_for
from affidavit.reviewing.series import Followed, keep_iteration
from affidavit.stages.looking.intake import OpenedChange

WHAT_COUNTS = (
    "What an analyser proved counts. A model's finding counts where it is verified and worth acting on."
    " Style never counts."
)
"""The rule of the gate, as docs/ci.md has it."""


@click.command(cls=LongCommand)
@click.argument("target", required=False)
@click.option("--staged", is_flag=True, help="Review what is staged.")
@working_tree_options
@click.option("--title", default="", help="The title of the change.")
@click.option("--description", default="", help="What the change is for.")
@click.option(
    "--discussion",
    metavar="FILE",
    help="Earlier comments on the change: a JSON list, or text; - for standard input.",
)
@click.option(
    "--format",
    "formats",
    multiple=True,
    metavar="NAME[=FILE]",
    help="terminal, report, review-result[@1.0], verdict, markdown, html, sarif[@github], rdjson, gitlab,"
    " junit, feedback; repeatable. No FILE: standard output.",
)
@click.option(
    "--fail-on",
    metavar="SEVERITY",
    help=f"Exit with 1 from this severity on; default high, or never. {WHAT_COUNTS}",
)
@click.option("--severity-threshold", metavar="SEVERITY", help="Hide findings below this severity.")
@click.option(
    "--focus", metavar="AREAS", help="Show only these areas, such as security,bugs,performance,quality."
)
@click.option("--include-style/--no-style", default=None, help="Show or hide findings about style.")
@click.option("--nits/--no-nits", default=None, help="Show findings that are true but not worth acting on.")
@click.option(
    "--fold",
    metavar="SEVERITY",
    help="One line for findings of this severity and below; default low, or never.",
)
@click.option(
    "--verbose", "-v", is_flag=True, help="The whole proof of each finding, and smaller points in full."
)
@click.option("--show-withheld", is_flag=True, help="List what is not shown, each with its reason.")
@path_options
@click.option("--analysers-off", metavar="NAMES", help="Leave these analysers out.")
@click.option("--rules-off", metavar="RULES", help="Do not show these rules, such as ruff/F401.")
@click.option("--analyser-timeout-seconds", metavar="N", help="Time limit of each analyser run; default 120.")
@click.option(
    "--allow-linters/--no-linters",
    default=None,
    help="Run the linters that the settings name; this runs their commands.",
)
@config_option
@server_options
@run_options
@model_options
@mcp_servers_option
@prompt_options
@click.option(
    "--dependencies/--no-dependencies",
    default=True,
    help="Let models read the sources of packages that lie beside the repository; on by default.",
)
@click.option("--estimate", is_flag=True, help="Say what the review would cost, and ask no model.")
@click.option("--what-leaves", is_flag=True, help="Print what would be sent to whom, and send nothing.")
@sign_option("the native report (--format report=FILE) with this SSH key")
@click.option("--series", metavar="NAME", help="The series that this review belongs to; default: the branch.")
@click.option(
    "--previous",
    type=click.Path(path_type=Path),
    metavar="REPORT",
    help="The native report of the review before, where no store has it; `posted`: what the last run posted.",
)
@click.option("--all", is_flag=True, help="Let models look at everything again, not only at what is new.")
@click.option(
    "--max-iterations",
    metavar="N",
    help="How many reviews a change is thought to take, for feedback documents; default 5.",
)
@click.option("--post", is_flag=True, help="Post the report on its pull request, by a process of its own.")
@click.option("--may-approve", is_flag=True, help="With --post: approve where the verdict is approve.")
@click.option("--may-block", is_flag=True, help="With --post: request changes where the verdict says so.")
@click.option("--data", type=click.Path(path_type=Path), help="Folder of the store.")
@click.option("--no-store", is_flag=True, help="Do not keep the report.")
@click.option("--no-cache", is_flag=True, help="Run every analyser again.")
@click.option(
    "--events",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write events to FILE as they happen, one JSON object per line.",
)
@click.option(
    "--quiet", "-q", is_flag=True, help="No progress and no hints; no report where nothing is found."
)
@click.option("--debug", is_flag=True, help="Show the traceback of an unexpected error.")
@click.pass_context
def command(context: click.Context, /, **options: Any) -> None:
    """Review a change and report what can be proven.

    TARGET is A..B, A...B, one commit, a diff file, - for a diff on standard input, or the address of a pull
    or merge request.
    With no target: what is not committed yet.
    """
    if options["post"]:
        from affidavit.cli.options.posting import review_and_post  # noqa: PLC0415 - few post

        context.exit(review_and_post(options))
    outputs = _outputs(options["formats"], options["events"])
    key = _key_for(outputs, options["sign"])
    chosen = ReviewOptions.among(options)
    with opened_change(options) as opened:
        settings = settings_for(opened, chosen, read_config(options["config"]))
        if not options["quiet"]:
            say_hints(opened)
            say_named_settings(opened, options["config"])
            say_unknown_names(settings)
        heard = None if options["quiet"] else say
        is_empty = not opened.change.files
        has_models = not is_empty and models_of(settings, chosen)
        prompts = prompts_for(opened, chosen, heard) if has_models else None
        if options["estimate"] or options["what_leaves"]:
            print_text(_preview(opened, settings, options, prompts))
            return
        followed = Followed() if is_empty else review_before(opened, chosen, options["target"], say, heard)
        with (
            show_progress(is_quiet=options["quiet"]) as shown,
            kept_events(options["events"], shown) as emit,
        ):
            report = hold_review(opened, settings, chosen, prompts, emit, earlier=followed.earlier)
    if options["no_store"] or is_empty:
        report = measured_report(report, options["data"])
    else:
        report = keep_report(report, options["data"], say)
        keep_iteration(report, followed, options["data"], say)
        count_for_rollout(prompts, report, chosen, say)
    view = RenderOptions(
        show_withheld=options["show_withheld"],
        show_nits=report.settings["nits"],
        is_verbose=options["verbose"],
    )
    # A hook says nothing where there is nothing to say.
    is_silent = options["quiet"] and not report.shown and not report.gate.exit_code
    _write_outputs(report, [one for one in outputs if not (is_silent and _is_screen(one))], view)
    for output in outputs if key else ():
        if key and output.name == "report" and output.path:
            sign_file(output.path, key)
    context.exit(report.gate.exit_code)


def _outputs(texts: Sequence[str], events: Path | None) -> list[FormatRequest]:
    try:
        outputs = [parse_format(text) for text in texts]
    except ValueError as error:
        raise SettingsError(f"--format: {error}") from error
    if not check_outputs(outputs, written_besides=events):
        outputs.append(parse_format("terminal"))
    return outputs


def _key_for(outputs: Sequence[FormatRequest], named: Path | None) -> Path | None:
    """The key to sign the report with; what is wrong with it is said before the work begins."""
    if named is None:
        return None
    if not any(output.name == "report" and output.path for output in outputs):
        raise SettingsError("--sign signs the native report in a file: add --format report=FILE")
    key = signing_key(named)
    if not key.is_file():
        raise SettingsError(f"--sign: there is no key {key}")
    return key


def _preview(
    opened: OpenedChange, settings: Settings, options: dict[str, Any], prompts: ChosenPrompts | None
) -> str:
    """What a review would cost, or what would leave; nobody is asked."""
    if options["estimate"] and options["what_leaves"]:
        raise SettingsError("--estimate and --what-leaves exclude each other")
    from affidavit.reviewing.preview import checked_servers, describe_forecast  # noqa: PLC0415 - few ask for it

    if opened.change.why_empty:
        return f"{opened.change.why_empty}\n"
    chosen = ReviewOptions.among(options)
    if prompts is None:
        named = checked_servers(opened, chosen)
        said = f" Without one, nobody calls the tools of {named}." if named else ""
        return f"No model is named: nothing would leave this machine, and nothing would be paid.{said}\n"

    return describe_forecast(opened, settings, chosen, prompts.prompts, is_estimate=options["estimate"])


def _write_outputs(report: Report, outputs: Sequence[FormatRequest], options: RenderOptions) -> None:
    for output in outputs:
        if _is_screen(output):
            from affidavit.render.terminal import print_terminal  # noqa: PLC0415 - as every format

            print_terminal(report, options)
            continue
        text = render(report, output, options)
        if text:
            write_output(text, output.path)
        else:
            _leave_out(output)


def _is_screen(output: FormatRequest) -> bool:
    return output.name == "terminal" and output.path is None


def _leave_out(output: FormatRequest) -> None:
    """A format that has nothing to say writes no document; an earlier one must not pass for it."""
    if output.path and output.path.is_file():
        output.path.unlink()
    say(f"nothing to ask for: no {output.name} document is written")
