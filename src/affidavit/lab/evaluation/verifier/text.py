"""Write what a verifier made of planted claims for somebody who reads it on a terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from affidavit.lab.evaluation.verifier import sentences
from affidavit.lab.evaluation.view.text import shown, write_pair, write_table, write_title
from affidavit.records.lab.verifier_trial import VerifierTrial
from affidavit.render.ink import Ink


def render_trial(trial: VerifierTrial, *, console: Console) -> None:
    """Rates first, then the traps, then what was judged otherwise than is known."""
    ink = Ink(console)
    write_title(ink, sentences.title(trial))
    for name, value, meaning in sentences.scores(trial):
        write_pair(ink, name, f"{value}  ({meaning})")
    write_pair(ink, "cost", sentences.costs(trial))
    write_table(ink, "Wrong claims by trap", sentences.TRAPS_HEAD, sentences.traps(trial))
    _write_mistakes(ink, "Judged otherwise than is known", sentences.mistakes(trial), "verifier")
    _write_mistakes(ink, "Not judged", sentences.not_judged(trial), "why")
    if notices := sentences.notices(trial):
        ink.blank()
        for sentence in notices:
            ink.prose(f"{sentence}.", indent=0)


def _write_mistakes(ink: Ink, title: str, mistakes: Sequence[sentences.Mistake], who: str) -> None:
    if not mistakes:
        return
    ink.blank()
    ink.line((title, "bold"))
    for mistake in mistakes:
        ink.hanging(Text("- "), Text(shown(ink, mistake.heading), style="bold"), indent=0)
        for label, text in ((who, mistake.said), ("known", mistake.known)):
            if text:
                ink.hanging(Text(f"{label:<10}", style="dim"), Text(shown(ink, text)), indent=2)
