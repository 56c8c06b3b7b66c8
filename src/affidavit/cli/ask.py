"""`affidavit ask`: let a model answer a question about a finding from its evidence."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import click

from affidavit.agents.panel import Panel
from affidavit.agents.question import question_talk, read_answer
from affidavit.cli.change import allowed_of
from affidavit.cli.options import quiet_option, repository_options, talk_options
from affidavit.cli.progress import show_progress
from affidavit.cli.saying import note
from affidavit.config.places import cache_folder
from affidavit.diff.redacted import redact_candidate
from affidavit.errors import InputError, OutsideError, SettingsError
from affidavit.events import Emit, ignore_events
from affidavit.minds.roles import minds_from
from affidavit.ports import Case, Mind, Talk
from affidavit.records.candidate import Candidate
from affidavit.records.context import ContextMap
from affidavit.records.plan import Plan
from affidavit.records.report import Answer, Report
from affidavit.render.safe_text import encodable, prose_lines, without_command_start
from affidavit.reviewing.models import chosen_model, opened_ledger, opened_log
from affidavit.reviewing.named import find_candidate, read_report, report_file
from affidavit.reviewing.options import ReviewOptions
from affidavit.stages.intake import OpenedChange, rebuild_change


@click.command()
@click.argument("report")
@click.argument("finding")
@click.argument("question")
@repository_options
@click.option(
    "--model", metavar="MODEL", help="PROVIDER:NAME; else AFFIDAVIT_REPORTER_MODEL or AFFIDAVIT_MODEL."
)
@click.option("--base-url", metavar="URL", help="An OpenAI-compatible Chat Completions endpoint.")
@talk_options
@quiet_option
def command(report: str, finding: str, question: str, repo: Path | None, **options: Any) -> None:
    """Ask QUESTION about FINDING of REPORT (a file of `review --format report=FILE`, an id, or `last`).

    FINDING is the id or the fingerprint of a finding, or the beginning of one if no other begins so.
    A withheld finding can be asked about, too. The model reads the evidence and, read-only, the repository.
    """
    if not question.strip():
        raise InputError("the question is empty")
    with report_file(report, repo=repo, allowed=allowed_of(options)) as file:
        recorded = read_report(file)
    candidate = find_candidate(recorded, finding)
    with rebuild_change(recorded.change, repo, allowed_of(options)) as opened:
        mind = _mind(ReviewOptions.from_all(options), opened.repository.folder)
        for notice in opened.notices:
            note(notice)
        talk = _talk(recorded, opened, candidate, question)
        with show_progress(is_quiet=options["quiet"]) as emit:
            answer = asyncio.run(_converse(mind, talk, emit))
    lines = prose_lines(_text_of(answer))
    # Indented, so that no line begins with a model's words.
    shown = "\n".join(f"  {without_command_start(line)}".rstrip() for line in lines)
    click.echo(encodable(shown, sys.stdout.encoding or "utf-8"))


def _mind(options: ReviewOptions, reviewed: Path | None) -> Mind:
    choice = chosen_model("reporter", options) or chosen_model("verifier", options)
    if choice is None:
        raise SettingsError("a question needs a model: name one with --model PROVIDER:NAME")
    ledger, log = opened_ledger(options), opened_log(options)
    return minds_from({"reporter": choice}, ledger=ledger, log=log, reviewed=reviewed)["reporter"]


def _talk(report: Report, opened: OpenedChange, candidate: Candidate, question: str) -> Talk:
    panel = Panel({}, cache_folder())
    # The map of the change is not sent, so it is not made.
    briefing = panel.brief(Case(opened.change, opened.repository, ignore_events), ContextMap())
    plan = report.plan or Plan()
    asked = redact_candidate(candidate, opened.repository)
    tools = panel.tools(briefing.case)
    return question_talk(briefing, plan, asked, question, tools)


async def _converse(mind: Mind, talk: Talk, emit: Emit) -> Answer:
    return await mind.converse(talk, emit)


def _text_of(answer: Answer) -> str:
    text = read_answer(answer.text) if answer.outcome == "answered" else None
    if text is None:
        why = "its reply has no answer" if answer.outcome == "answered" else answer.failure
        raise OutsideError(f"the model did not answer: {why}")
    return text
