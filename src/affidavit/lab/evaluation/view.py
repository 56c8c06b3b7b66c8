"""Write an evaluation for a terminal."""

from collections.abc import Sequence
from typing import Literal

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from affidavit.lab.records import (
    CaseResult,
    CaseRun,
    DeclaredPrograms,
    DeclaredRun,
    Evaluation,
    ExpectedProblem,
    KnownPlace,
    ScoredFinding,
    Scores,
)
from affidavit.records.measure import Rate
from affidavit.render import account as rates
from affidavit.render.ink import Ink
from affidavit.render.wording import counted, listed

Kind = Literal[
    "found",
    "missed",
    "near",
    "wrong",
    "nit",
    "repeat",
    "unlabelled",
    "true",
    "incomplete",
    "failure",
    "program",
    "otherwise",
]
NOTHING = "-"
BASES = {
    "judged": "the judge says so",
    "place_and_category": "same place and category",
    "place": "same place",
}
STABILITY_HEAD = ("seen in", "findings", "expected problems")
TABLE_HEAD = ("", "cases", "recall", "found", "precision", "true", "wrong", "on clean", "unlabelled")


CaseLine = tuple[Kind, str]
"""One thing to know about a case, and the sign that it gets."""
_SIGNS: dict[Kind, tuple[str, str, str]] = {
    "found": ("✓", "+", "green"),
    "true": ("✓", "+", "green"),
    "missed": ("✗", "-", "yellow"),
    "near": ("  ~", "  ~", "dim"),
    "wrong": ("!", "!", "red"),
    "nit": ("·", ".", "dim"),
    "repeat": ("·", ".", "dim"),
    "unlabelled": ("?", "?", "cyan"),
    "incomplete": ("…", "_", "yellow"),
    "failure": ("✗", "x", "red"),
    "program": ("▸", ">", "green"),
    "otherwise": ("▸", ">", "red"),
}
"""Sign, its ASCII form, and its style."""
_NAME_WIDTH = 11
_MAX_ON_A_SCREEN = 10
"""With more cases the scores on top are out of sight when the last case is written, so they come again."""


def render_evaluation(evaluation: Evaluation, *, console: Console) -> None:
    """Scores first, then the tables, then every case with its matches."""
    ink = Ink(console)
    write_title(ink, title(evaluation))
    for name, value, meaning in headline(evaluation):
        write_pair(ink, name, f"{value}  ({meaning})")
    write_pair(ink, "cost", costs(evaluation))
    write_table(ink, "By language", TABLE_HEAD, table(evaluation.by_language))
    write_table(ink, "By category", TABLE_HEAD, table(evaluation.by_category))
    write_table(ink, "Stability", STABILITY_HEAD, stability_rows(evaluation))
    ink.blank()
    ink.line(("Cases", "bold"))
    for result in evaluation.results:
        _write_case(ink, result)
    ink.blank()
    for sentence in notices(evaluation):
        ink.prose(f"{sentence}.", indent=0)
    if len(evaluation.results) > _MAX_ON_A_SCREEN:
        write_title(ink, "; ".join(f"{name} {value}" for name, value, _ in headline(evaluation)))


def write_title(ink: Ink, text: str) -> None:
    """A line in bold."""
    ink.hanging(Text(), Text(shown(ink, text), style="bold"), indent=0)


def write_pair(ink: Ink, name: str, text: str) -> None:
    """A name and what it comes to, one under the other."""
    ink.hanging(Text(f"{name:<{_NAME_WIDTH}}", style="dim"), Text(shown(ink, text)), indent=2)


def shown(ink: Ink, text: str) -> str:
    """A sentence of ours, in signs that the console has."""
    if ink.encoding.startswith("utf"):
        return ink.safe(text)
    return ink.safe(text.replace("\N{EN DASH}", "-").replace("\N{LEFTWARDS ARROW}", "<-"))


def write_table(ink: Ink, title: str, head: Sequence[str], rows: Sequence[tuple[str, ...]]) -> None:
    """Write a table with its title; cells wrap, so no number is cut off. Nothing without rows."""
    if not rows:
        return
    grid = Table(box=box.SIMPLE_HEAD if ink.glyphs.rule != "-" else box.ASCII, pad_edge=False)
    for number, name in enumerate(head):
        grid.add_column(name, justify="left" if number == 0 else "right", overflow="fold")
    for row in rows:
        grid.add_row(*(Text(shown(ink, cell)) for cell in row))
    ink.blank()
    ink.line((title, "bold"))
    ink.console.print(grid, width=ink.width)


def _write_case(ink: Ink, result: CaseResult) -> None:
    language = f" {ink.glyphs.dot} {ink.safe(result.case.language)}" if result.case.language else ""
    style = "green" if verdict_of(result) == "clean" else ""
    ink.line(
        "  ",
        (ink.safe(result.case.id), "bold"),
        (language, "dim"),
        "  ",
        (verdict_of(result), style),
    )
    for kind, text in case_lines(result):
        sign, plain, colour = _SIGNS[kind]
        mark = sign if ink.encoding.startswith("utf") else plain
        ink.hanging(Text(f"{mark} {kind}: ", style=colour), Text(shown(ink, text)), indent=4)


def percent(value: float | None) -> str:
    """`42.0%`; a dash where there is no value."""
    return NOTHING if value is None else rates.percent(value)


def with_interval(value: float | None, rate: Rate | None) -> str:
    """`42.0% [30.1-54.9], n=50`."""
    if value is None or rate is None:
        return NOTHING
    return f"{percent(value)} {rates.interval_words(rate.low, rate.high)}, n={rate.n}"


def title(evaluation: Evaluation) -> str:
    """What was run over what."""
    size = counted(evaluation.cases, "case")
    return f"{size} ({evaluation.clean_cases} clean) reviewed by {reviewed_by(evaluation)}"


def reviewed_by(evaluation: Evaluation) -> str:
    """The models, or that there was none."""
    models = sorted(set(evaluation.models.values()))
    return listed(models) if models else "the mechanical specialists alone"


def headline(evaluation: Evaluation) -> list[tuple[str, str, str]]:
    """Name, value and meaning of each score."""
    runs = evaluation.runs
    clean = evaluation.clean_cases * runs
    per_run = "" if runs == 1 else f", over {runs} runs"
    return [
        (
            "recall",
            with_interval(evaluation.recall, evaluation.recall_interval),
            f"{evaluation.found} of {evaluation.expected} expected problems found{per_run}",
        ),
        (
            "precision",
            with_interval(evaluation.precision, evaluation.precision_interval),
            "true findings among those known to be true, wrong or nits",
        ),
        ("f1", percent(evaluation.f1), "harmonic mean of recall and precision"),
        (
            "wrong",
            with_interval(evaluation.wrong_rate, evaluation.wrong_rate_interval),
            "wrong findings among the same",
        ),
        (
            "on clean",
            counted(evaluation.wrong_on_clean, "wrong finding"),
            f"on {evaluation.clean_cases_with_wrong} of {clean} reviews of clean cases",
        ),
        ("shown", counted(evaluation.shown, "finding"), outcome_counts(evaluation)),
        *_programs_headline(evaluation.programs),
    ]


def _programs_headline(programs: DeclaredPrograms | None) -> list[tuple[str, str, str]]:
    if programs is None:
        return []
    outcomes = (f"{count} {outcome_words(name)}" for name, count in sorted(programs.outcomes.items()))
    return [("programs", f"{programs.as_declared} of {programs.declared} as declared", ", ".join(outcomes))]


def outcome_counts(scores: Scores) -> str:
    """What the shown findings count as."""
    return (
        f"{scores.true} true, {scores.wrong} wrong, {counted(scores.nits, 'nit')}, "
        f"{counted(scores.repeats, 'repeat')}, {scores.unlabelled} unlabelled"
    )


def notices(evaluation: Evaluation) -> list[str]:
    """What a reader must know before the numbers mean anything."""
    sentences = []
    if evaluation.not_run:
        what = counted(evaluation.not_run, "case")
        which = "it" if evaluation.not_run == 1 else "them"
        sentences.append(f"{what} could not be run: no score counts {which}")
    if evaluation.incomplete:
        what = counted(evaluation.incomplete, "review was", "reviews were")
        sentences.append(f"{what} done in part: the scores count what was found")
    if evaluation.programs and evaluation.programs.could_not_run:
        what = counted(evaluation.programs.could_not_run, "program")
        sentences.append(f"{what} could not be run; the first: {_first_reason(evaluation)}")
    if evaluation.found_but_withheld:
        sentences.append(
            f"{counted(evaluation.found_but_withheld, 'missed problem')} had a finding that was withheld"
        )
    if evaluation.unlabelled:
        sentences.append(
            f"{counted(evaluation.unlabelled, 'finding has', 'findings have')} no label: precision counts"
            " labelled ones only"
        )
    judged = (
        f"meaning compared by {evaluation.judge}" if evaluation.judge else "matched by place and category"
    )
    return [*sentences, judged]


def _first_reason(evaluation: Evaluation) -> str:
    runs = (run for result in evaluation.results for run in result.programs)
    return next((run.check.detail for run in runs if run.check.outcome == "could_not_run"), "")


def costs(evaluation: Evaluation) -> str:
    """Money, tokens and time."""
    seconds = f"{evaluation.duration_ms / 1000:.1f} s of reviewing"
    if not evaluation.tokens and not evaluation.judge_tokens:
        return f"no model asked, {seconds}"
    judging = f" (and {evaluation.judge_tokens} to compare)" if evaluation.judge_tokens else ""
    return f"{money(evaluation.cost_usd)}, {evaluation.tokens} tokens{judging}, {seconds}"


def money(cost: float | None) -> str:
    """US dollars, or that nobody knows."""
    return "price unknown" if cost is None else f"${cost:.4f}"


def table(groups: dict[str, Scores]) -> list[tuple[str, ...]]:
    """Rows for languages or categories, under TABLE_HEAD."""
    return [
        (
            name,
            str(scores.cases),
            percent(scores.recall),
            f"{scores.found}/{scores.expected}",
            percent(scores.precision),
            str(scores.true),
            str(scores.wrong),
            str(scores.wrong_on_clean),
            str(scores.unlabelled),
        )
        for name, scores in groups.items()
    ]


def stability_rows(evaluation: Evaluation) -> list[tuple[str, str, str]]:
    """How often, findings, expected problems; most stable first."""
    return [
        (
            f"{seen.times} of {evaluation.runs}",
            str(seen.findings) if seen.times else NOTHING,
            str(seen.expected),
        )
        for seen in reversed(evaluation.stability)
    ]


def verdict_of(result: CaseResult) -> str:
    """One word or two on a case."""
    if result.failure:
        return "not run"
    wrong = any(finding.outcome == "wrong" for run in result.runs for finding in run.findings)
    if result.case.clean:
        return "wrong findings" if wrong else "clean"
    found = sum(len(run.matches) for run in result.runs)
    return f"{found}/{len(result.case.expected) * len(result.runs)} found" + (
        ", wrong findings" if wrong else ""
    )


def case_lines(result: CaseResult) -> list[CaseLine]:
    """Everything about a case: found, missed with what was near, wrong, unlabelled, not done."""
    if result.failure:
        return [("failure", result.failure)]
    lines = [line for number in range(len(result.case.expected)) for line in _problem_lines(result, number)]
    lines += _finding_lines(result)
    lines += [("incomplete", part) for run in result.runs for part in run.incomplete]
    return [*lines, *(_program_line(run, result) for run in result.programs)]


def _program_line(run: DeclaredRun, result: CaseResult) -> CaseLine:
    claims = result.case.expected if run.about == "expected" else result.case.known_wrong
    detail = f" ({run.check.detail})" if run.check.detail else ""
    seen = f"{place_words(claims[run.number])} {outcome_words(run.check.outcome)}{detail}"
    if run.is_as_declared:
        return ("program", f"{seen}, as declared")
    if run.check.outcome == "could_not_run":
        return ("incomplete", f"the program for {seen}")
    return ("otherwise", f"{seen}; declared: {outcome_words(run.declared)}")


def outcome_words(outcome: str) -> str:
    """`also at base`."""
    return outcome.replace("_", " ")


def _problem_lines(result: CaseResult, number: int) -> list[CaseLine]:
    problem = result.case.expected[number]
    found = [(run, match) for run in result.runs for match in run.matches if match.expected == number]
    often = _often(len(found), len(result.runs))
    if not found:
        return [("missed", problem_words(problem)), *_near_lines(result.runs, number)]
    run, match = found[0]
    finding = next(one for one in run.findings if one.candidate == match.candidate)
    why = match.reason if match.basis == "judged" and match.reason else BASES[match.basis]
    return [("found", f"{problem_words(problem)} ← {finding_words(finding)} ({why}{often})")]


def _near_lines(runs: Sequence[CaseRun], number: int) -> list[CaseLine]:
    lines: list[CaseLine] = []
    for miss in (miss for run in runs for miss in run.misses if miss.expected == number):
        for near in miss.near:
            how = f"withheld as {near.withheld}" if near.withheld else "shown"
            lines.append(("near", f"{near.title} ({how}: {near.why})"))
    return list(dict.fromkeys(lines))


def _finding_lines(result: CaseResult) -> list[CaseLine]:
    """The findings that are in no match, each once, with how often it was seen."""
    seen: dict[tuple[str, str], list[ScoredFinding]] = {}
    for run in result.runs:
        matched = {match.candidate for match in run.matches}
        for finding in run.findings:
            if finding.candidate not in matched:
                key = (finding.outcome, finding.fingerprint or finding.candidate)
                seen.setdefault(key, []).append(finding)
    return [
        (
            group[0].outcome,
            f"{finding_words(group[0])} ({group[0].why}{_often(len(group), len(result.runs))})",
        )
        for group in seen.values()
    ]


def _often(times: int, runs: int) -> str:
    return f"; in {times} of {runs} runs" if runs > 1 else ""


def place_words(place: KnownPlace) -> str:
    """`path:10-12`."""
    first, last = place.lines
    return f"{place.file}:{first}" + (f"-{last}" if last != first else "")


def problem_words(problem: ExpectedProblem) -> str:
    """Where, and what is known of it."""
    described = ": ".join(part for part in (problem.category or "", problem.description) if part)
    return f"{place_words(problem)} {described}".rstrip()


def finding_words(finding: ScoredFinding) -> str:
    """Where, by whom, what."""
    return f"{finding.file}:{finding.line} {finding.specialist}: {finding.title}"
