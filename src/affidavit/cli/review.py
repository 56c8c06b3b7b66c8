"""`affidavit review`: review a change, write its report and end with the exit code of the gate."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from affidavit.cli.change import opened_change, say_hints, say_named_settings, say_unknown_names
from affidavit.cli.help import LongCommand
from affidavit.cli.options import (
    config_option,
    data_option,
    mcp_servers_option,
    model_options,
    no_cache_option,
    off_option,
    path_options,
    prompt_options,
    rules_off_option,
    run_options,
    server_options,
    words_option,
    working_tree_options,
)
from affidavit.cli.outputs import EXIT_NOT_DONE, check_outputs, print_text, write_output
from affidavit.cli.progress import STAGES, kept_events, show_progress, show_step
from affidavit.cli.saying import note, say
from affidavit.config.settings import Settings
from affidavit.errors import ForgeError, InputError, SettingsError
from affidavit.forges.address import is_request_url, parse_change_url
from affidavit.records.report import Report
from affidavit.render.formats import FormatRequest, RenderOptions, parse_format, redacted, render
from affidavit.reviewing.hold import hold_review, read_config, settings_for
from affidavit.reviewing.keeping import keep_review
from affidavit.reviewing.models import models_of
from affidavit.reviewing.options import AUTO, ReviewOptions, Say
from affidavit.reviewing.series import Followed, followed_by
from affidavit.stages.intake import OpenedChange
from affidavit.system.temporary import temporary_folder

if TYPE_CHECKING:
    from affidavit.quality.prompts import ChosenPrompts

WHAT_COUNTS = (
    "Findings of analysers count. A model's finding counts if verified and worth acting on."
    " Style never counts."
)
POSTED = "posted"


@click.command(cls=LongCommand)
@click.argument("target", required=False)
@click.option("--staged", is_flag=True, help="Review the staged changes.")
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
    help="terminal, report, review-result[@1.0], verdict, markdown, html, sarif[@github], gitlab, junit,"
    " lines, feedback, agent; repeatable. No FILE: standard output.",
)
@click.option(
    "--fail-on",
    metavar="SEVERITY",
    help=f"Exit with 1 from this severity on; default high, or never. {WHAT_COUNTS}",
)
@click.option("--severity-threshold", metavar="SEVERITY", help="Hide findings below this severity.")
@words_option("--focus", "AREAS", "Show only these areas, such as security,bugs,performance,quality.")
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
@off_option
@rules_off_option
@click.option("--analyser-timeout-seconds", metavar="N", help="Time limit of each analyser run; default 120.")
@click.option(
    "--whole/--no-whole",
    default=None,
    help="Let ty check the whole project, not only the files that the change can affect.",
)
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
    help="Let models read the sources of packages installed beside the repository; on by default.",
)
@click.option("--estimate", is_flag=True, help="Print an estimate of the cost; call no model.")
@click.option("--what-leaves", is_flag=True, help="Print what would be sent to which model; send nothing.")
@click.option("--series", metavar="NAME", help="The series that this review belongs to; default: the branch.")
@click.option(
    "--previous",
    type=click.Path(path_type=Path),
    metavar="REPORT",
    help="The native report of the earlier review, if no store has it; `posted`: the last posted one.",
)
@click.option("--all", is_flag=True, help="Let models review everything, not only what is new.")
@click.option(
    "--max-iterations",
    metavar="N",
    help="Expected number of reviews of a change, for feedback documents; default 5.",
)
@click.option("--post", is_flag=True, help="Post the report on its pull request, from a separate process.")
@click.option("--may-approve", is_flag=True, help="With --post: approve if the verdict is approve.")
@click.option("--may-block", is_flag=True, help="With --post: request changes if the verdict says so.")
@data_option
@click.option("--no-store", is_flag=True, help="Do not keep the report.")
@no_cache_option
@click.option(
    "--events",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write events to FILE as they happen, one JSON object per line.",
)
@click.option("--quiet", "-q", is_flag=True, help="No progress, no hints, and no report if nothing is found.")
@click.pass_context
def command(context: click.Context, /, **options: Any) -> None:
    """Review a change and report what can be proven.

    TARGET is A..B, A...B, one commit, a diff file, - for a diff on standard input, or the address of a pull
    or merge request.
    With no target: uncommitted changes.
    """
    if options["post"]:
        context.exit(review_and_post(options))
    outputs = _outputs(options["formats"], options["events"])
    chosen = ReviewOptions.from_all(options)
    is_quiet = options["quiet"]
    with ExitStack() as closing:
        with show_step(STAGES["planner"], is_quiet=is_quiet):
            opened = closing.enter_context(opened_change(options))
        settings = settings_for(opened, chosen, read_config(options["config"]))
        if not is_quiet:
            say_hints(opened)
            say_named_settings(opened, options["config"])
            say_unknown_names(settings)
            if AUTO in chosen.environments and not settings.run:
                note("--environment auto fetches nothing without --run; models read what was fetched before")
        heard = None if is_quiet else say
        is_empty = not opened.change.files
        has_models = not is_empty and models_of(settings, chosen)
        prompts = _prompts(opened, chosen, heard) if has_models else None
        if options["estimate"] or options["what_leaves"]:
            print_text(_preview(opened, settings, options, prompts))
            return
        followed = Followed() if is_empty else review_before(opened, chosen, options["target"], say, heard)
        with (
            show_progress(is_quiet=is_quiet, files=len(opened.change.files)) as shown,
            kept_events(options["events"], shown) as emit,
        ):
            report = hold_review(opened, settings, chosen, prompts, emit, earlier=followed.earlier)
    with show_step(STAGES["reporter"], is_quiet=is_quiet):
        report = keep_review(report, followed, prompts, chosen, say)
    view = RenderOptions(
        show_withheld=options["show_withheld"],
        show_nits=report.settings["nits"],
        is_verbose=options["verbose"],
    )
    # A hook prints nothing if there is nothing to report.
    is_silent = is_quiet and not report.shown and not report.gate.exit_code
    _write_outputs(report, [one for one in outputs if not (is_silent and _is_screen(one))], view)
    context.exit(report.gate.exit_code)


def _prompts(opened: OpenedChange, chosen: ReviewOptions, heard: Say | None) -> "ChosenPrompts":
    from affidavit.reviewing.prompts import prompts_for  # noqa: PLC0415 - only models need prompts

    return prompts_for(opened, chosen, heard)


def _outputs(texts: Sequence[str], events: Path | None) -> list[FormatRequest]:
    try:
        outputs = [parse_format(text) for text in texts]
    except ValueError as error:
        raise SettingsError(f"--format: {error}") from error
    if any(output.name == "html" for output in outputs):
        from affidavit.render.page import built_page  # noqa: PLC0415 - as every format

        built_page()
    if not check_outputs(outputs, written_besides=events):
        outputs.append(parse_format("terminal"))
    return outputs


def _preview(
    opened: OpenedChange, settings: Settings, options: dict[str, Any], prompts: "ChosenPrompts | None"
) -> str:
    """Return the estimate, or what would be sent; no model is asked."""
    if options["estimate"] and options["what_leaves"]:
        raise SettingsError("--estimate and --what-leaves exclude each other")
    from affidavit.reviewing.forecast import checked_servers, describe_forecast  # noqa: PLC0415 - few ask for it

    if opened.change.why_empty:
        return f"{opened.change.why_empty}\n"
    chosen = ReviewOptions.from_all(options)
    if prompts is None:
        named = checked_servers(opened, chosen)
        said = f" Without one, the tools of {named} are not called." if named else ""
        return f"No model is named: nothing would leave this machine, and nothing would be paid.{said}\n"

    return describe_forecast(opened, settings, chosen, prompts.prompts, is_estimate=options["estimate"])


def _write_outputs(report: Report, outputs: Sequence[FormatRequest], options: RenderOptions) -> None:
    shown = redacted(report, has_diff=False) if outputs else report
    # Files first: standard output may be full.
    for output in sorted(outputs, key=lambda one: one.path is None):
        if _is_screen(output):
            from affidavit.render.terminal import print_terminal  # noqa: PLC0415 - as every format

            print_terminal(shown, options)
            continue
        text = render(report, output, options, shown)
        if text:
            write_output(text, output.path)
        else:
            _leave_out(output)


def _is_screen(output: FormatRequest) -> bool:
    return output.name == "terminal" and output.path is None


def _leave_out(output: FormatRequest) -> None:
    """Remove an older document of a format that is empty now."""
    if output.path and output.path.is_file():
        output.path.unlink()
    say(f"no open findings: no {output.name} document written")


def review_before(
    opened: OpenedChange, options: ReviewOptions, target: str | None, say: Say, heard: Say | None
) -> Followed:
    """Find the review to follow; skip a posted report that does not fit."""
    if str(options.previous) != POSTED:
        return followed_by(opened, options, heard)
    if target is None or not is_request_url(target):
        raise SettingsError(
            f"--previous {POSTED} goes with the address of a pull request; a file of that name is ./{POSTED}"
        )
    options, posted = replace(options, previous=None), _posted(target, say)
    try:
        return followed_by(opened, options, heard, posted)
    except InputError as error:
        # It was found automatically: a request whose files were all renamed must not fail because of it.
        say(f"no earlier review is followed: {error}")
    return followed_by(opened, options, heard)


def _posted(url: str, say: Say) -> bytes | None:
    from affidavit.forges.choice import ask_forge  # noqa: PLC0415 - few ask a forge
    from affidavit.forges.credentials import find_credentials  # noqa: PLC0415

    address = parse_change_url(url)
    try:
        content = asyncio.run(
            ask_forge(address, find_credentials(address.host), lambda forge: forge.earlier_report())
        )
    except ForgeError as error:
        say(f"no earlier review is followed: {error}")
        return None
    if content is None:
        say(f"no earlier review is followed: none was posted on {address.url} by a run that still has it")
        return None
    return content


REVIEWED = (0, 1, 3)
OWN_FLAGS = ("--post", "--may-approve", "--may-block")


def review_and_post(options: Mapping[str, Any]) -> int:
    """Review in a process without the token that writes, then post in one that has it."""
    from affidavit.forges.credentials import has_credentials_for_posting  # noqa: PLC0415 - few post

    if not is_request_url(options["target"]):
        raise SettingsError("--post goes with the address of a pull request; else use `affidavit post --url`")
    if options["estimate"] or options["what_leaves"]:
        raise SettingsError("--post does not go with --estimate or --what-leaves")
    if not has_credentials_for_posting():
        raise SettingsError(
            "--post needs a token that only the poster is given: set AFFIDAVIT_POST_TOKEN "
            "or the variables of an App (AFFIDAVIT_GITHUB_APP_ID)"
        )
    flags = [flag for flag in OWN_FLAGS[1:] if options[flag.strip("-").replace("-", "_")]]
    with temporary_folder("post-") as folder:
        report = folder / "report.json"
        code = _affidavit([*_own_arguments(), "--format", f"report={report}"], _without_token())
        if code not in REVIEWED:
            return code
        nits = ["--nits"] if options["nits"] else []
        posted = _affidavit(["post", str(report), "--yes", *flags, *nits], dict(os.environ))
    return code if posted == 0 else EXIT_NOT_DONE


def _own_arguments() -> list[str]:
    return [argument for argument in sys.argv[1:] if argument not in OWN_FLAGS]


def _without_token() -> dict[str, str]:
    from affidavit.forges.credentials import ONLY_FOR_POSTING  # noqa: PLC0415 - few post

    return {name: value for name, value in os.environ.items() if name not in ONLY_FOR_POSTING}


def _affidavit(arguments: list[str], environment: Mapping[str, str]) -> int:
    # -P: import nothing from the current folder.
    command = [sys.executable, "-P", "-m", "affidavit", *arguments]
    return subprocess.run(command, env=dict(environment), cwd=Path.cwd(), check=False).returncode
