"""Evaluations and comparisons on a screen: which cases are under way, and the formats that were asked for."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from affidavit.cli.screen.drawn_outputs import TEXT, NamedOutput, parse_output, write_all
from affidavit.cli.screen.outputs import check_outputs
from affidavit.lab.evaluation.run import CaseState, Evaluated, Follow, follow_nothing
from affidavit.lab.evaluation.verifier.markdown import trial_markdown
from affidavit.lab.evaluation.verifier.text import render_trial
from affidavit.lab.evaluation.view.markdown import comparison_markdown, evaluation_markdown
from affidavit.lab.evaluation.view.page import comparison_page, evaluation_page
from affidavit.lab.evaluation.view.text import render_comparison, render_evaluation
from affidavit.records.lab.evaluation import Comparison
from affidavit.records.lab.verifier_trial import VerifierTrial
from affidavit.render.safe_text import one_line

MAX_ID_LENGTH = 40
TRIAL_FORMATS = (TEXT, "json", "markdown")
FORMATS = (*TRIAL_FORMATS, "html")


def parse_outputs(texts: Sequence[str], formats: Sequence[str] = FORMATS) -> list[NamedOutput]:
    """Read `json`, `html=FILE`; where none goes to standard output, the text does."""
    outputs = [parse_output(text, formats) for text in texts]
    return outputs if check_outputs(outputs) else [*outputs, NamedOutput(TEXT, None)]


def write_evaluation(evaluated: Evaluated, outputs: Sequence[NamedOutput]) -> None:
    """Write every format that was asked for."""
    evaluation = evaluated.evaluation

    def render(name: str) -> str:
        if name == "json":
            return evaluation.model_dump_json(indent=1, ensure_ascii=True) + "\n"
        if name == "markdown":
            return evaluation_markdown(evaluation)
        return evaluation_page(evaluation, evaluated.reports)

    write_all(outputs, render, lambda console: render_evaluation(evaluation, console=console))


def parse_trial_outputs(texts: Sequence[str]) -> list[NamedOutput]:
    """The same for what a verifier makes of planted claims, which has no page."""
    return parse_outputs(texts, TRIAL_FORMATS)


def write_trial(trial: VerifierTrial, outputs: Sequence[NamedOutput]) -> None:
    """Write every format that was asked for."""

    def render(name: str) -> str:
        if name == "json":
            return trial.model_dump_json(indent=1, ensure_ascii=True) + "\n"
        return trial_markdown(trial)

    write_all(outputs, render, lambda console: render_trial(trial, console=console))


def write_comparison(comparison: Comparison, outputs: Sequence[NamedOutput]) -> None:
    """Write every format that was asked for."""

    def render(name: str) -> str:
        if name == "json":
            return comparison.model_dump_json(indent=1, ensure_ascii=True) + "\n"
        if name == "markdown":
            return comparison_markdown(comparison)
        return comparison_page(comparison)

    write_all(outputs, render, lambda console: render_comparison(comparison, console=console))


@contextmanager
def show_cases(total: int, *, is_quiet: bool) -> Iterator[Follow]:
    """Yield what takes the states of cases."""
    if is_quiet or not sys.stderr.isatty():
        yield follow_nothing
        return
    columns = (
        MofNCompleteColumn(),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("", total=total)
        working: dict[str, None] = {}

        def follow(case_id: str, state: CaseState) -> None:
            if state == "started":
                working[case_id] = None
            else:
                working.pop(case_id, None)
                progress.advance(bar)
            progress.update(bar, description=", ".join(one_line(one, MAX_ID_LENGTH) for one in working))

        yield follow
