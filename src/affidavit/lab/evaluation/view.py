"""Draw an evaluation on a terminal: scores, a table by language, and every case."""

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from affidavit.lab.records import (
    CaseResult,
    CaseRun,
    Evaluation,
    ExpectedProblem,
    KnownPlace,
    ScoredFinding,
    Scores,
)
from affidavit.records.measure import Rate
from affidavit.render.account import percent, rate_words
from affidavit.render.ink import Ink
from affidavit.render.wording import counted, listed

NOTHING = "-"
TABLE_HEAD = ("", "cases", "recall", "found", "precision", "true", "wrong", "on clean", "unlabelled")
CaseLine = tuple[str, str]
"""The kind of a line about a case, and its text."""
_COLOURS = {
    "found": "green",
    "true": "green",
    "missed": "yellow",
    "wrong": "red",
    "unlabelled": "cyan",
    "incomplete": "yellow",
    "failure": "red",
}
_NAME_WIDTH = 11


def render_evaluation(evaluation: Evaluation, *, console: Console) -> None:
    """Draw the scores, then the table, then every case with its matches."""
    ink = Ink(console)
    models = sorted(set(evaluation.models.values()))
    reviewed_by = listed(models) if models else "the mechanical specialists alone"
    size = counted(evaluation.cases, "case")
    write_title(ink, f"{size} ({evaluation.clean_cases} clean) reviewed by {reviewed_by}")
    for name, value, meaning in _scores(evaluation):
        write_pair(ink, name, f"{value}  ({meaning})")
    write_pair(ink, "cost", _costs(evaluation))
    write_table(ink, "By language", TABLE_HEAD, _rows(evaluation.by_language))
    ink.blank()
    ink.line(("Cases", "bold"))
    for result in evaluation.results:
        _write_case(ink, result)
    ink.blank()
    for sentence in _notices(evaluation):
        ink.prose(f"{sentence}.", indent=0)


def write_title(ink: Ink, text: str) -> None:
    """Write a line in bold."""
    ink.hanging(Text(), Text(ink.safe(text), style="bold"), indent=0)


def write_pair(ink: Ink, name: str, text: str) -> None:
    """Write a name and its value."""
    ink.hanging(Text(f"{name:<{_NAME_WIDTH}}", style="dim"), Text(ink.safe(text)), indent=2)


def write_table(ink: Ink, title: str, head: Sequence[str], rows: Sequence[tuple[str, ...]]) -> None:
    """Write a table with its title; cells wrap, so no number is cut off. Write nothing without rows."""
    if not rows:
        return
    grid = Table(box=box.SIMPLE_HEAD if ink.glyphs.rule != "-" else box.ASCII, pad_edge=False)
    for number, name in enumerate(head):
        grid.add_column(name, justify="left" if number == 0 else "right", overflow="fold")
    for row in rows:
        grid.add_row(*(Text(ink.safe(cell)) for cell in row))
    ink.blank()
    ink.line((title, "bold"))
    ink.console.print(grid, width=ink.width)


def share_of(rate: Rate | None) -> str:
    """Return `42.0%`, or a dash without a rate."""
    return percent(rate.share) if rate else NOTHING


def rate_or_dash(rate: Rate | None) -> str:
    """Return `42.0% [30.1-54.9], n=50`, or a dash without a rate."""
    return rate_words(rate) if rate else NOTHING


def _scores(evaluation: Evaluation) -> list[tuple[str, str, str]]:
    """Return name, value and meaning of each score."""
    outcomes = (
        f"{evaluation.true} true, {evaluation.wrong} wrong, {counted(evaluation.nits, 'nit')}, "
        f"{counted(evaluation.repeats, 'repeat')}, {evaluation.unlabelled} unlabelled"
    )
    found = f"{evaluation.found} of {evaluation.expected} expected problems found"
    clean = f"on {evaluation.clean_cases_with_wrong} of {evaluation.clean_cases} reviews of clean cases"
    among = "true findings among those known to be true, wrong or nits"
    return [
        ("recall", rate_or_dash(evaluation.recall), found),
        ("precision", rate_or_dash(evaluation.precision), among),
        ("wrong", rate_or_dash(evaluation.wrong_rate), "wrong findings among the same"),
        ("on clean", counted(evaluation.wrong_on_clean, "wrong finding"), clean),
        ("shown", counted(evaluation.shown, "finding"), outcomes),
    ]


def _notices(evaluation: Evaluation) -> list[str]:
    """Return what a reader must know before the numbers mean anything."""
    sentences = []
    if evaluation.not_run:
        which = "it" if evaluation.not_run == 1 else "them"
        what = counted(evaluation.not_run, "case")
        sentences.append(f"{what} could not be run: no score counts {which}")
    if evaluation.incomplete:
        what = counted(evaluation.incomplete, "review was", "reviews were")
        sentences.append(f"{what} done in part: the scores count what was found")
    if evaluation.found_but_withheld:
        what = counted(evaluation.found_but_withheld, "missed problem")
        sentences.append(f"{what} had a finding that was withheld")
    if evaluation.unlabelled:
        what = counted(evaluation.unlabelled, "finding has", "findings have")
        sentences.append(f"{what} no label: precision counts labelled ones only")
    judge = evaluation.judge
    return [*sentences, f"meaning compared by {judge}" if judge else "matched by place and category"]


def _costs(evaluation: Evaluation) -> str:
    seconds = f"{evaluation.duration_ms / 1000:.1f} s of reviewing"
    if not evaluation.tokens and not evaluation.judge_tokens:
        return f"no model asked, {seconds}"
    judging = f" (and {evaluation.judge_tokens} to compare)" if evaluation.judge_tokens else ""
    return f"{money(evaluation.cost_usd)}, {evaluation.tokens} tokens{judging}, {seconds}"


def money(cost: float | None) -> str:
    """Return US dollars, or that the price is unknown."""
    return "price unknown" if cost is None else f"${cost:.4f}"


def _rows(groups: dict[str, Scores]) -> list[tuple[str, ...]]:
    """Return the rows under TABLE_HEAD."""
    return [
        (
            name,
            str(scores.cases),
            share_of(scores.recall),
            f"{scores.found}/{scores.expected}",
            share_of(scores.precision),
            str(scores.true),
            str(scores.wrong),
            str(scores.wrong_on_clean),
            str(scores.unlabelled),
        )
        for name, scores in groups.items()
    ]


def _write_case(ink: Ink, result: CaseResult) -> None:
    language = f" {ink.glyphs.dot} {ink.safe(result.case.language)}" if result.case.language else ""
    ink.line("  ", (ink.safe(result.case.id), "bold"), (language, "dim"), "  ", _outcome(result))
    for kind, text in _case_lines(result):
        ink.hanging(Text(f"{kind}: ", style=_COLOURS.get(kind, "dim")), Text(ink.safe(text)), indent=4)


def _outcome(result: CaseResult) -> str:
    """Return one word or two on a case."""
    if result.run is None:
        return "not run"
    is_wrong = any(finding.outcome == "wrong" for finding in result.run.findings)
    if result.case.clean:
        return "wrong findings" if is_wrong else "clean"
    found = f"{len(result.run.matches)}/{len(result.case.expected)} found"
    return f"{found}, wrong findings" if is_wrong else found


def _case_lines(result: CaseResult) -> list[CaseLine]:
    """Return everything about a case: found, missed with what was near, wrong, unlabelled, not done."""
    run = result.run
    if run is None:
        return [("failure", result.failure)]
    lines = [
        line for number in range(len(result.case.expected)) for line in _problem_lines(result, run, number)
    ]
    matched = {match.candidate for match in run.matches}
    lines += [
        (finding.outcome, f"{_finding_words(finding)} ({finding.why})")
        for finding in run.findings
        if finding.candidate not in matched
    ]
    return [*lines, *(("incomplete", part) for part in run.incomplete)]


def _words(outcome: str) -> str:
    return outcome.replace("_", " ")


def _problem_lines(result: CaseResult, run: CaseRun, number: int) -> list[CaseLine]:
    problem = _problem_words(result.case.expected[number])
    for match in run.matches:
        if match.expected == number:
            finding = next(one for one in run.findings if one.candidate == match.candidate)
            why = match.reason or _words(match.basis)
            return [("found", f"{problem} - {_finding_words(finding)} ({why})")]
    return [("missed", problem)]


def _place_words(place: KnownPlace) -> str:
    """Return `path:10-12`."""
    first, last = place.lines
    return f"{place.file}:{first}" + (f"-{last}" if last != first else "")


def _problem_words(problem: ExpectedProblem) -> str:
    """Return the place of a problem and what is known of it."""
    described = ": ".join(part for part in (problem.category or "", problem.description) if part)
    return f"{_place_words(problem)} {described}".rstrip()


def _finding_words(finding: ScoredFinding) -> str:
    return f"{finding.file}:{finding.line} {finding.specialist}: {finding.title}"
