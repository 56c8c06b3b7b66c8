"""Say what a verifier made of planted claims, in raw rows and sentences; each format makes them safe."""

from dataclasses import dataclass

from affidavit.lab.evaluation.view.sentences import money
from affidavit.records.lab.verifier_trial import JudgedClaim, VerifierTrial
from affidavit.records.measure import Rate
from affidavit.render.account import rate_words
from affidavit.render.wording import counted, listed

NOTHING = "-"
SCORES_HEAD = ("score", "value", "meaning")
TRAPS_HEAD = ("trap", "refuted", "rate")


@dataclass(frozen=True)
class Mistake:
    """A claim that was judged otherwise than is known, or not at all."""

    heading: str
    said: str
    known: str


def title(trial: VerifierTrial) -> str:
    """Who judged what."""
    models = listed(list(dict.fromkeys(trial.models.values())))
    votes = f", {trial.votes} votes on what is claimed as high or critical" if trial.votes > 1 else ""
    claims = counted(trial.claims, "planted claim")
    return f"{claims} judged by {models}{votes}, prompts {trial.prompt_version}"


def scores(trial: VerifierTrial) -> list[tuple[str, str, str]]:
    """Name, value and meaning of each rate."""
    return [
        ("refuted", _words(trial.refuted), _count(trial.refuted, "wrong claims refuted")),
        ("confirmed", _words(trial.confirmed), _count(trial.confirmed, "true claims confirmed")),
        ("trivial", _words(trial.called_small), _count(trial.called_small, "trivial ones called nit, maybe")),
        (
            "worth",
            _words(trial.worth_as_known),
            _count(trial.worth_as_known, "confirmed true and trivial ones with a worth as known"),
        ),
    ]


def traps(trial: VerifierTrial) -> list[tuple[str, str, str]]:
    """Rows under TRAPS_HEAD."""
    return [
        (trap.replace("_", " "), f"{rate.count}/{rate.n}", _words(rate))
        for trap, rate in trial.refuted_by_trap.items()
    ]


def mistakes(trial: VerifierTrial) -> list[Mistake]:
    """What the verifier got wrong, with its reason beside the known fact."""
    return [Mistake(_heading(one), said(one), f"{_known(one)}: {one.why}") for one in trial.mistakes]


def not_judged(trial: VerifierTrial) -> list[Mistake]:
    """What could not be judged, and why."""
    return [Mistake(_heading(one), one.failure, "") for one in trial.results if not one.is_judged]


def said(claim: JudgedClaim) -> str:
    """`CONFIRMED, worth act, high: reason`."""
    parts: list[str] = [claim.answer or "no answer"]
    if claim.answer == "CONFIRMED":
        parts += ["qualified"] * claim.qualified
        parts += [f"worth {claim.worth}"] if claim.worth else []
        parts += [str(claim.severity)] if claim.severity else []
    return f"{', '.join(parts)}: {claim.reason}".rstrip(": ")


def costs(trial: VerifierTrial) -> str:
    """Money, tokens and time."""
    seconds = f"{trial.duration_ms / 1000:.1f} s"
    if not trial.requests:
        return f"no model asked, {seconds}"
    cached = f" ({trial.cached_tokens:,} from the provider's cache)" if trial.cached_tokens else ""
    asked = counted(trial.requests, "request")
    return f"{money(trial.cost_usd)}, {trial.tokens:,} tokens{cached}, {asked}, {seconds}"


def notices(trial: VerifierTrial) -> list[str]:
    """What a reader must know before the numbers mean anything."""
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


def _words(rate: Rate | None) -> str:
    return rate_words(rate) if rate else NOTHING


def _count(rate: Rate | None, what: str) -> str:
    return f"{rate.count} of {rate.n} {what}" if rate else f"no {what}"
