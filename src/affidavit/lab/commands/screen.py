"""Show cases under way, and write evaluations and trials of the verifier as text or JSON."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from affidavit.cli.outputs import check_outputs, text_console, write_output
from affidavit.errors import SettingsError
from affidavit.lab.evaluation.run import CaseState, Follow, follow_nothing
from affidavit.lab.evaluation.trial import JudgedClaim, VerifierTrial
from affidavit.lab.evaluation.view import (
    money,
    rate_or_dash,
    render_evaluation,
    write_pair,
    write_table,
    write_title,
)
from affidavit.lab.records import Evaluation
from affidavit.records.measure import Rate
from affidavit.records.record import Record
from affidavit.render.formats import FormatRequest
from affidavit.render.ink import Ink
from affidavit.render.safe_text import one_line
from affidavit.render.wording import counted, listed

MAX_ID_LENGTH = 40
FORMATS = ("text", "json")
TRAPS_HEAD = ("trap", "refuted", "rate")
Mistake = tuple[str, str, str]
"""The claim, what the verifier answered, and the truth."""


def parse_outputs(texts: Sequence[str]) -> list[FormatRequest]:
    """Read `text`, `json` or `json=FILE`; the text goes to standard output unless the JSON does."""
    outputs = [_parse_output(text) for text in texts]
    return outputs if check_outputs(outputs) else [*outputs, FormatRequest("text")]


def _parse_output(text: str) -> FormatRequest:
    name, has_path, path = text.partition("=")
    if name not in FORMATS:
        raise SettingsError(f"--format: unknown format {name!r}; known: {', '.join(FORMATS)}")
    if has_path and (not path.strip() or name == "text"):
        raise SettingsError(f"--format: {text!r} names no file for JSON; write json=FILE")
    return FormatRequest(name, path=Path(path) if has_path and path != "-" else None)


def write_evaluation(evaluation: Evaluation, outputs: Sequence[FormatRequest]) -> None:
    """Write an evaluation in every format asked for."""
    _write(evaluation, outputs, lambda console: render_evaluation(evaluation, console=console))


def write_trial(trial: VerifierTrial, outputs: Sequence[FormatRequest]) -> None:
    """Write a trial of the verifier in every format asked for."""
    _write(trial, outputs, lambda console: render_trial(trial, console=console))


def _write(record: Record, outputs: Sequence[FormatRequest], draw: Callable[[Console], None]) -> None:
    for output in outputs:
        if output.name == "text":
            draw(text_console())
        else:
            write_output(record.model_dump_json(indent=1, ensure_ascii=True) + "\n", output.path)


@contextmanager
def show_cases(total: int, *, is_quiet: bool) -> Iterator[Follow]:
    """Yield a function that takes the states of cases."""
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


def render_trial(trial: VerifierTrial, *, console: Console) -> None:
    """Print the rates, then the traps, then the wrong judgements."""
    ink = Ink(console)
    write_title(ink, _trial_title(trial))
    for name, value, meaning in _trial_scores(trial):
        write_pair(ink, name, f"{value}  ({meaning})")
    write_pair(ink, "cost", _trial_costs(trial))
    write_table(ink, "Wrong claims by trap", TRAPS_HEAD, _traps(trial))
    _write_mistakes(ink, "Judged otherwise than is known", _mistakes(trial), "verifier")
    _write_mistakes(ink, "Not judged", _not_judged(trial), "why")
    if notices := _trial_notices(trial):
        ink.blank()
        for sentence in notices:
            ink.prose(f"{sentence}.", indent=0)


def _write_mistakes(ink: Ink, title: str, mistakes: Sequence[Mistake], who: str) -> None:
    if not mistakes:
        return
    ink.blank()
    ink.line((title, "bold"))
    for heading, said, known in mistakes:
        ink.hanging(Text("- "), Text(ink.safe(heading), style="bold"), indent=0)
        for label, text in ((who, said), ("known", known)):
            if text:
                ink.hanging(Text(f"{label:<10}", style="dim"), Text(ink.safe(text)), indent=2)


def _trial_title(trial: VerifierTrial) -> str:
    """Return the title: how many claims, and who judged them."""
    models = listed(list(dict.fromkeys(trial.models.values())))
    claims = counted(trial.claims, "planted claim")
    return f"{claims} judged by {models}, prompts {trial.prompt_version}"


def _trial_scores(trial: VerifierTrial) -> list[tuple[str, str, str]]:
    """Return name, value and meaning of each rate."""
    return [
        ("refuted", rate_or_dash(trial.refuted), _count(trial.refuted, "wrong claims refuted")),
        ("confirmed", rate_or_dash(trial.confirmed), _count(trial.confirmed, "true claims confirmed")),
        (
            "trivial",
            rate_or_dash(trial.called_small),
            _count(trial.called_small, "trivial ones called nit, maybe"),
        ),
        (
            "worth",
            rate_or_dash(trial.worth_as_known),
            _count(trial.worth_as_known, "confirmed true and trivial ones with a worth as known"),
        ),
    ]


def _traps(trial: VerifierTrial) -> list[tuple[str, str, str]]:
    """Return the rows under TRAPS_HEAD."""
    return [
        (trap.replace("_", " "), f"{rate.count}/{rate.n}", rate_or_dash(rate))
        for trap, rate in trial.refuted_by_trap.items()
    ]


def _mistakes(trial: VerifierTrial) -> list[Mistake]:
    """Return the wrong judgements, each beside the known fact."""
    return [(_heading(one), _said(one), f"{_known(one)}: {one.why}") for one in trial.mistakes]


def _not_judged(trial: VerifierTrial) -> list[Mistake]:
    """Return the claims without a judgement, and why."""
    return [(_heading(one), one.failure, "") for one in trial.results if not one.is_judged]


def _said(claim: JudgedClaim) -> str:
    """Return `CONFIRMED, worth act, high: reason`."""
    parts: list[str] = [claim.answer or "no answer"]
    if claim.answer == "CONFIRMED":
        parts += ["qualified"] * claim.qualified
        parts += [f"worth {claim.worth}"] if claim.worth else []
        parts += [str(claim.severity)] if claim.severity else []
    return f"{', '.join(parts)}: {claim.reason}".rstrip(": ")


def _trial_costs(trial: VerifierTrial) -> str:
    """Return money, tokens and time."""
    seconds = f"{trial.duration_ms / 1000:.1f} s"
    if not trial.requests:
        return f"no model asked, {seconds}"
    cached = f" ({trial.cached_tokens:,} from the provider's cache)" if trial.cached_tokens else ""
    asked = counted(trial.requests, "request")
    return f"{money(trial.cost_usd)}, {trial.tokens:,} tokens{cached}, {asked}, {seconds}"


def _trial_notices(trial: VerifierTrial) -> list[str]:
    """Return the caveats of the numbers."""
    sentences = []
    if trial.not_judged:
        could = counted(trial.not_judged, "claim")
        which = "it" if trial.not_judged == 1 else "them"
        sentences.append(f"{could} could not be judged: no rate counts {which}")
    if trial.refuted and trial.confirmed and trial.refuted.share > trial.confirmed.share:
        sentences.append("a verifier that refutes everything refutes all wrong claims: read both rates")
    return sentences


def _heading(claim: JudgedClaim) -> str:
    kind = f"{claim.kind}, {claim.trap.replace('_', ' ')}" if claim.trap else str(claim.kind)
    return f"{claim.id} ({kind}) {claim.file}:{claim.line} {claim.title}"


def _known(claim: JudgedClaim) -> str:
    worth = f", worth {' or '.join(claim.known_worth)}" if claim.known_worth else ""
    return f"{claim.kind}{worth}"


def _count(rate: Rate | None, what: str) -> str:
    return f"{rate.count} of {rate.n} {what}" if rate else f"no {what}"
