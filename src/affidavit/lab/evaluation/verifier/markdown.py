"""Write what a verifier made of planted claims as markdown in which nothing of a change is obeyed."""

from collections.abc import Sequence

from affidavit.lab.evaluation.verifier import sentences
from affidavit.lab.evaluation.view.markdown import safe, section
from affidavit.records.lab.verifier_trial import VerifierTrial


def trial_markdown(trial: VerifierTrial) -> str:
    """Rates, traps, and what was judged otherwise than is known."""
    notices = "\n".join(f"- {safe(sentence)}" for sentence in sentences.notices(trial))
    pieces = [
        f"# Verifier: {safe(sentences.title(trial))}",
        *section("Rates", sentences.SCORES_HEAD, sentences.scores(trial)),
        safe(f"Cost: {sentences.costs(trial)}."),
        notices,
        *section("Wrong claims by trap", sentences.TRAPS_HEAD, sentences.traps(trial)),
        *_listed("Judged otherwise than is known", sentences.mistakes(trial), "verifier"),
        *_listed("Not judged", sentences.not_judged(trial), "why"),
    ]
    return "\n\n".join(piece for piece in pieces if piece) + "\n"


def _listed(title: str, mistakes: Sequence[sentences.Mistake], who: str) -> list[str]:
    if not mistakes:
        return []
    lines = []
    for mistake in mistakes:
        lines.append(f"- {safe(mistake.heading)}")
        lines += [
            f"  - **{label}**: {safe(text)}"
            for label, text in ((who, mistake.said), ("known", mistake.known))
            if text
        ]
    return [f"## {title}", "\n".join(lines)]
