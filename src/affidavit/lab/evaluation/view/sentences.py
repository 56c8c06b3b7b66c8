"""Say what an evaluation found, in raw rows and sentences; each format makes them safe in its own way."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from affidavit.records.lab.evaluation import (
    CaseResult,
    CaseRun,
    Comparison,
    DeclaredPrograms,
    DeclaredRun,
    Evaluation,
    ExpectedProblem,
    Place,
    ScoredFinding,
    Scores,
)
from affidavit.records.measure import Interval, Rate
from affidavit.render import account as rates
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
SCORES_HEAD = ("score", "value", "meaning")
STABILITY_HEAD = ("seen in", "findings", "expected problems")
TABLE_HEAD = ("", "cases", "recall", "found", "precision", "true", "wrong", "on clean", "unlabelled")


@dataclass(frozen=True)
class CaseLine:
    """One thing to know about a case."""

    kind: Kind
    text: str


def percent(value: float | None) -> str:
    """`42.0%`; a dash where there is no value."""
    return NOTHING if value is None else rates.percent(value)


def with_interval(value: float | None, rate: Rate | None) -> str:
    """`42.0% [30.1-54.9], n=50`."""
    if value is None or rate is None:
        return NOTHING
    return f"{percent(value)} {rates.interval_words(rate.low, rate.high)}, n={rate.n}"


def difference(interval: Interval | None, first: str = NOTHING, second: str = NOTHING) -> str:
    """`+4.0 points [-1.0 to +9.0]`, and whether chance alone could be the cause."""
    if interval is None:
        is_known = NOTHING not in (first, second)
        return "too few cases differ for an interval" if is_known else "not measurable"
    low, high = (f"{limit * 100:+.1f}" for limit in (interval.low, interval.high))
    sure = "" if interval.excludes_zero else "; may be chance"
    return f"{interval.estimate * 100:+.1f} points [{low} to {high}]{sure}"


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
        return [CaseLine("failure", result.failure)]
    lines = [line for number in range(len(result.case.expected)) for line in _problem_lines(result, number)]
    lines += _finding_lines(result)
    lines += [CaseLine("incomplete", part) for run in result.runs for part in run.incomplete]
    return [*lines, *(_program_line(run, result) for run in result.programs)]


def _program_line(run: DeclaredRun, result: CaseResult) -> CaseLine:
    claims = result.case.expected if run.about == "expected" else result.case.known_wrong
    detail = f" ({run.check.detail})" if run.check.detail else ""
    seen = f"{place_words(claims[run.number])} {outcome_words(run.check.outcome)}{detail}"
    if run.is_as_declared:
        return CaseLine("program", f"{seen}, as declared")
    if run.check.outcome == "could_not_run":
        return CaseLine("incomplete", f"the program for {seen}")
    return CaseLine("otherwise", f"{seen}; declared: {outcome_words(run.declared)}")


def outcome_words(outcome: str) -> str:
    """`also at base`."""
    return outcome.replace("_", " ")


def _problem_lines(result: CaseResult, number: int) -> list[CaseLine]:
    problem = result.case.expected[number]
    found = [(run, match) for run in result.runs for match in run.matches if match.expected == number]
    often = _often(len(found), len(result.runs))
    if not found:
        return [CaseLine("missed", problem_words(problem)), *_near_lines(result.runs, number)]
    run, match = found[0]
    finding = next(one for one in run.findings if one.candidate == match.candidate)
    why = match.reason if match.basis == "judged" and match.reason else BASES[match.basis]
    return [CaseLine("found", f"{problem_words(problem)} ← {finding_words(finding)} ({why}{often})")]


def _near_lines(runs: Sequence[CaseRun], number: int) -> list[CaseLine]:
    lines = []
    for miss in (miss for run in runs for miss in run.misses if miss.expected == number):
        for near in miss.near:
            how = f"withheld as {near.withheld}" if near.withheld else "shown"
            lines.append(CaseLine("near", f"{near.title} ({how}: {near.why})"))
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
        CaseLine(
            group[0].outcome,
            f"{finding_words(group[0])} ({group[0].why}{_often(len(group), len(result.runs))})",
        )
        for group in seen.values()
    ]


def _often(times: int, runs: int) -> str:
    return f"; in {times} of {runs} runs" if runs > 1 else ""


def place_words(place: Place) -> str:
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


def comparison_rows(comparison: Comparison) -> list[tuple[str, str, str, str]]:
    """Score, first, second, difference."""
    first, second = comparison.scores_first, comparison.scores_second
    values = {
        "recall": (percent(first.recall), percent(second.recall)),
        "wrong_rate": (percent(first.wrong_rate), percent(second.wrong_rate)),
        "precision": (percent(first.precision), percent(second.precision)),
        "f1": (percent(first.f1), percent(second.f1)),
        "clean_cases_with_wrong": (_on_clean(first), _on_clean(second)),
    }
    return [
        (one.what, *both, difference(one.interval, *both))
        for one in comparison.differences
        for both in (values.get(one.name, (NOTHING, NOTHING)),)
    ]


def _on_clean(scores: Scores) -> str:
    return str(scores.clean_cases_with_wrong) if scores.clean_cases else NOTHING


def run_words(summary: dict[str, str]) -> str:
    """What distinguishes one of two runs."""
    return ", ".join(f"{name} {value}" for name, value in summary.items())


def change_lines(comparison: Comparison) -> list[tuple[str, list[str]]]:
    """Case, and what became different in it."""
    return [
        (
            one.case,
            [
                *(f"found now: {problem_words(problem)}" for problem in one.gained),
                *(f"missed now: {problem_words(problem)}" for problem in one.lost),
                *(f"wrong now: {text}" for text in one.wrong_gained),
                *(f"no longer wrong: {text}" for text in one.wrong_lost),
            ],
        )
        for one in comparison.changes
    ]
