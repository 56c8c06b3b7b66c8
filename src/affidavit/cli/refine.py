"""`affidavit refine`: review a branch, let a coding agent follow the feedback, and leave the best of it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from affidavit.cli.help import LongCommand
from affidavit.cli.options import (
    config_option,
    data_option,
    format_option,
    model_options,
    no_cache_option,
    off_option,
    path_options,
    prompt_options,
    quiet_option,
    repo_option,
    run_options,
)
from affidavit.cli.outputs import print_json
from affidavit.cli.progress import show_progress
from affidavit.cli.saying import say
from affidavit.config.places import state_folder
from affidavit.errors import EmptyChangeError, InputError, SettingsError
from affidavit.git.command import Location
from affidavit.git.location import find_repository
from affidavit.git.revisions import parse_range
from affidavit.iterations.loop import (
    Budget,
    Journal,
    Loop,
    Turn,
    alone,
    keep_journal,
    read_journal,
)
from affidavit.iterations.workplace import Workplace
from affidavit.render.safe_text import one_line, visible
from affidavit.reviewing.hold import read_config
from affidavit.reviewing.options import ReviewOptions
from affidavit.reviewing.refining import LoopReviews
from affidavit.reviewing.series import free_series, repository_at

MAX_ITERATIONS = 5
AGENT_SECONDS = 1_800


@click.command(cls=LongCommand)
@click.argument("target")
@click.option("--agent", required=True, metavar="COMMAND", help="Edits the files of the folder it is run in.")
@click.option("--max", "most", type=click.IntRange(1, 100), default=MAX_ITERATIONS, show_default=True)
@click.option(
    "--agent-seconds",
    type=click.IntRange(1, 86_400),
    default=AGENT_SECONDS,
    show_default=True,
    help="How long the agent may work on one document.",
)
@click.option("--branch", metavar="NAME", help="The name of the new branch; default refined/BRANCH.")
@click.option("--fresh", is_flag=True, help="Start over instead of continuing an interrupted loop.")
@click.option("--keep", is_flag=True, help="Keep the agent's copy.")
@repo_option
@click.option("--fail-on", metavar="SEVERITY", help="The gate of each review; default high, or never.")
@path_options
@off_option
@config_option
@run_options
@model_options
@prompt_options
@data_option
@click.option("--no-store", is_flag=True, help="Do not keep the reports.")
@no_cache_option
@format_option
@quiet_option
@click.pass_context
def command(context: click.Context, /, target: str, **options: Any) -> None:
    """Review TARGET (BASE...BRANCH), give the feedback to a coding agent, review its work, and repeat.

    The agent is run in a copy beside the repository. It finds the feedback document on its standard input,
    at the path that {feedback} stands for, and at $AFFIDAVIT_FEEDBACK. The best iteration is left as a
    branch; nothing is pushed. An interrupted loop goes on when the same command is given again.

    \b
    affidavit refine main...topic --agent 'claude -p "Follow this feedback" --permission-mode acceptEdits'
    affidavit refine main...topic --agent 'codex exec --full-auto - '
    affidavit refine main...topic --agent 'aider --yes --message-file {feedback}'
    """
    planned = _plan(target, options)
    planned.refuse_early()
    with alone(planned.folder):
        journal = planned.journal(is_fresh=options["fresh"])
        try:
            journal = planned.loop(options).run(journal)
        except EmptyChangeError:
            # The loop cannot be continued, so the copy is of no use.
            planned.workplace.remove()
            raise
        journal = planned.leave(journal)
    if not options["keep"]:
        planned.workplace.remove()
    _show(journal, options["output"])
    context.exit({"accepted": 0, "incomplete": 3}.get(journal.stopped, 1))


@dataclass(frozen=True)
class PlannedLoop:
    """A loop before its first step."""

    folder: Path
    workplace: Workplace
    location: Location
    target: str
    base: str
    start: str
    name: str
    options: Mapping[str, Any]

    def refuse_early(self) -> None:
        if not self.options["agent"].strip():
            raise InputError("--agent: name the command that follows the feedback")
        if self.options["branch"]:
            self.workplace.refuse_name(self.options["branch"])

    def journal(self, *, is_fresh: bool) -> Journal:
        known = None if is_fresh else read_journal(self.folder)
        new = Journal(
            repository=str(self.location.work_tree or self.location.git_dir),
            target=self.target,
            base=self.base,
            start=self.start,
            agent=sha256(self.options["agent"].encode("utf-8", "surrogateescape")).hexdigest(),
            max=self.options["most"],
            series=self._series(),
        )
        same = ("base", "start", "agent", "max")
        is_same = known is not None and all(getattr(known, name) == getattr(new, name) for name in same)
        if known is not None and is_same and not known.branch and not known.stopped:
            if not self.options["quiet"]:
                say(f"continuing an interrupted loop at iteration {len(known.turns) or 1}")
            self.workplace.forget_copy()
            return known
        self.workplace.remove()
        self.workplace.prepare(self.start)
        keep_journal(self.folder, new)
        return new

    def _series(self) -> str:
        if self.options["no_store"]:
            return f"{self.name} (refine)"
        return free_series(repository_at(self.location), self.name, self.options["data"])

    def loop(self, options: Mapping[str, Any]) -> Loop:
        told = (lambda _text: None) if options["quiet"] else say
        reviews = LoopReviews(
            own=self.workplace.own,
            options=replace(ReviewOptions.from_all(options), max_iterations=options["most"]),
            config=read_config(options["config"]),
            repository=repository_at(self.location),
            watched=lambda: show_progress(is_quiet=options["quiet"]),
            say=say,
        )
        return Loop(
            folder=self.folder,
            workplace=self.workplace,
            agent=options["agent"],
            review=reviews.hold,
            guard=reviews.guard,
            keep=reviews.keep,
            agent_seconds=options["agent_seconds"],
            budget=_budget(options),
            say=told,
        )

    def leave(self, journal: Journal) -> Journal:
        """Leave the best iteration as a branch, if it is better than the start."""
        best = next((one for one in journal.turns if one.number == journal.best), None)
        if best is None or best.commit == self.start or journal.branch:
            keep_journal(self.folder, journal)
            return journal
        wanted = self.options["branch"] or f"refined/{self.name}"
        name = _free(wanted, self.workplace) if not self.options["branch"] else wanted
        self.workplace.leave_branch(name, best.commit, self.start)
        journal = journal.model_copy(update={"branch": name})
        keep_journal(self.folder, journal)
        return journal


def _plan(target: str, options: Mapping[str, Any]) -> PlannedLoop:
    span = parse_range(target)
    if span is None:
        raise InputError(f"{target!r} is not a range; pass BASE...BRANCH, for example main...topic")
    location = find_repository(options["repo"])
    if location.is_shallow:
        raise InputError("this clone is shallow, and a loop needs its history: run `git fetch --unshallow`")
    top = location.work_tree or location.git_dir
    name = re.sub(r"[^\w.-]+", "-", span.new.removeprefix("refs/heads/")).strip("-.") or "head"
    identity = sha256(f"{location.common_dir}\0{target}".encode("utf-8", "surrogateescape")).hexdigest()[:12]
    folder = (options["data"] or state_folder()) / "refine" / identity
    workplace = Workplace(
        location, folder / "own.git", top.parent / f"{top.name}.refine-{name}-{identity[:6]}"
    )
    start, old = workplace.resolve(span.new), workplace.resolve(span.old)
    base = workplace.merge_base(old, start) if span.since_merge_base else old
    return PlannedLoop(folder, workplace, location, target, base, start, name, options)


def _budget(options: Mapping[str, Any]) -> Budget:
    try:
        usd = float(options["budget_usd"]) if options["budget_usd"] is not None else None
        tokens = int(options["budget_tokens"]) if options["budget_tokens"] is not None else None
    except ValueError as error:
        raise SettingsError(f"--budget-usd and --budget-tokens are numbers: {error}") from error
    return Budget(usd, tokens)


def _free(wanted: str, workplace: Workplace) -> str:
    names = [wanted, *(f"{wanted}-{number}" for number in range(2, 1_000))]
    return next(name for name in names if not workplace.branch_exists(name))


def _show(journal: Journal, output: str) -> None:
    if output == "json":
        print_json(journal.model_dump(mode="json"))
        return
    console = Console(soft_wrap=True, highlight=False, markup=False)
    for line in loop_lines(journal):
        console.print(line)


STOPPED = {
    "accepted": "accepted",
    "escalated": "a person has to decide: an issue repeats, the review is not sure, or work is held back",
    "rejected": "rejected: serious problems remain after the last iteration",
    "plateau": "the agent makes no more progress",
    "oscillation": "the agent goes back and forth",
    "limit": "the limit of iterations is reached, and something is left",
    "budget": "the budget is spent",
    "agent": "the agent failed",
    "incomplete": "the last review is incomplete, so nothing is accepted",
    "undone": "the agent undid the change: its files are those of base, and nothing is left to review",
}
MAX_REASONS = 10
_HEADS = ("iteration", "commit", "score", "verdict", "blocking", "held back", "agent")


def loop_lines(journal: Journal) -> Iterator[str]:
    rows = [_HEADS, *(_cells(turn, journal.best) for turn in journal.turns)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADS))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    for turn in journal.turns:
        yield from _held_back(turn)
    yield f"stopped: {_why_stopped(journal)}"
    if journal.branch:
        yield f"the best iteration is on branch {visible(journal.branch)}"
    else:
        yield "no new branch: no iteration was better than the start"


def _why_stopped(journal: Journal) -> str:
    """Return why the loop ended, and what the last review did not cover."""
    newest = next((one.summary for one in reversed(journal.turns) if one.summary), None)
    why = STOPPED.get(journal.stopped, journal.stopped)
    lacks = [("not completed", newest.incomplete), ("not looked at", newest.left_out)] if newest else []
    return "; ".join([why, *(f"{what}: {one_line(', '.join(names), 300)}" for what, names in lacks if names)])


def _cells(turn: Turn, best: int) -> tuple[str, ...]:
    summary = turn.summary
    return (
        f"{turn.number}{' best' if turn.number == best else ''}",
        turn.commit[:8],
        f"{summary.score:.2f}" if summary else "",
        summary.verdict if summary else "",
        str(turn.blocking),
        str(len(turn.held_back)),
        turn.agent.state.replace("_", " ") if turn.agent else "",
    )


def _held_back(turn: Turn) -> Iterator[str]:
    for why in turn.held_back[:MAX_REASONS]:
        yield f"iteration {turn.number} is held back: the agent's work {visible(why)}"
    if len(turn.held_back) > MAX_REASONS:
        yield f"iteration {turn.number} is held back for {len(turn.held_back) - MAX_REASONS} more reasons"
    if turn.diff:
        yield f"all that the agent did until iteration {turn.number}: {visible(turn.diff)}"
