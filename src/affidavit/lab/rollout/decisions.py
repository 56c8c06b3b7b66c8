"""Roll out a prompt or schema version: start, change the slice, promote, roll back, retire."""

from collections.abc import Sequence
from pathlib import Path

from affidavit.contract.schema import SCHEMAS
from affidavit.contract.versions import CURRENT_PROMPT_VERSION
from affidavit.errors import InputError, SettingsError
from affidavit.events import now_iso
from affidavit.lab.rollout.book import RolloutBook
from affidavit.lab.rollout.comparison import Comparison, compare_versions
from affidavit.lab.rollout.counts import count_review
from affidavit.lab.rollout.rules import (
    find_alarm,
    why_not_promote,
    why_not_promote_alone,
    why_not_retire,
)
from affidavit.prompts import load_prompts
from affidavit.records.lab.rollout import (
    AUTOMATICALLY,
    Action,
    Arm,
    Decision,
    Rollout,
    RolloutPlan,
    RolloutReview,
    Versions,
)
from affidavit.records.report import Report

MAX_TEXT_LENGTH = 2_000
DEFAULT_SHARE = 0.1
DEFAULT_SLO_DROPPED = 0.05
DEFAULT_MIN_REVIEWS = 10


def start_rollout(
    book: RolloutBook,
    new: Versions,
    *,
    by: str,
    why: str = "",
    share: float = DEFAULT_SHARE,
    slo_dropped: float = DEFAULT_SLO_DROPPED,
    min_reviews: int = DEFAULT_MIN_REVIEWS,
    auto_promote: bool = False,
) -> Rollout:
    """Give a slice of the changes the new versions, which must be whole and which the parser must read."""
    old = book.current()
    if new.is_same(old):
        raise InputError(f"{new.name} is what every review uses already; name another version")
    for kind, version in (("prompt", new.prompt), ("schema", new.schema_version)):
        if version in book.retired(kind):
            raise InputError(f"{kind} version {version} is retired; give the new one another number")
    plan = RolloutPlan(
        old=old,
        new=find_versions(new.prompt, new.schema_version, new.folder),
        share=share,
        slo_dropped=slo_dropped,
        min_reviews=min_reviews,
        auto_promote=auto_promote,
        started_at=now_iso(),
    )
    asked = f"{100 * share:g}% of the changes, SLO {100 * slo_dropped:g}%, at least {min_reviews} reviews"
    asked += ", promoted automatically" if auto_promote else ""
    return book.begin(plan, _decide("start", plan.new, by, f"{why}; {asked}" if why else asked))


def find_versions(prompt: str, schema_version: str, folder: str | None) -> Versions:
    """A version with the digest of its words; its folder is kept only where it holds them."""
    prompts = load_prompts(prompt, Path(folder) if folder else None, schema_version)
    own = str(Path(folder).absolute()) if folder and prompt != CURRENT_PROMPT_VERSION else None
    if own and not own.isprintable():
        raise SettingsError("the folder of prompts has a name that cannot be kept; rename it")
    return Versions(prompt=prompt, schema_version=schema_version, folder=own, digest=prompts.digest)


def change_slice(book: RolloutBook, share: float, *, by: str, why: str) -> Rollout:
    """Give more of the changes the new versions, or fewer."""
    rollout = _running(book)
    words = f"{100 * rollout.share:g}% to {100 * share:g}% of the changes: {why}"
    if not book.resize(rollout, share, _decide("slice", rollout.new, by, words, rollout)):
        raise _overtaken(rollout)
    return _running(book)


def promote(book: RolloutBook, *, by: str, why: str, is_forced: bool = False) -> Rollout:
    """Give every change the new versions; refused while the SLO is not kept, unless forced."""
    rollout = _running(book)
    problems = against_promotion(book, rollout)
    if problems and not is_forced:
        raise InputError(
            f"{rollout.new.name} is not promoted: {'; '.join(problems)}. Wait, roll back, or use --force"
        )
    words = f"{why} (forced although {'; '.join(problems)})" if problems else why
    if not book.conclude(rollout, "promoted", _decide("promote", rollout.new, by, words, rollout)):
        raise _overtaken(rollout)
    return rollout


def against_promotion(book: RolloutBook, rollout: Rollout) -> list[str]:
    """What speaks against a promotion by a person; empty: it may be promoted."""
    return _not_as_measured(rollout.new) + why_not_promote(rollout, compare_rollout(book, rollout))


def against_automatic_promotion(book: RolloutBook, rollout: Rollout) -> list[str]:
    """What the rule still waits for, where the rollout may be promoted without a person."""
    return why_not_promote_alone(rollout, compare_rollout(book, rollout))


def _not_as_measured(new: Versions) -> list[str]:
    """Whether the words that would be promoted are those that were measured."""
    try:
        prompts = load_prompts(new.prompt, Path(new.folder) if new.folder else None, new.schema_version)
    except SettingsError as error:
        return [f"its prompts cannot be used: {error}"]
    return [] if prompts.digest == new.digest else ["its text has changed since the rollout began"]


def roll_back(book: RolloutBook, *, by: str, why: str) -> tuple[Rollout, Versions]:
    """End the running rollout, or take the last promotion back; what reviews use now is returned too."""
    rollout = book.running() or book.last_promoted()
    if rollout is None:
        raise InputError("there is nothing to roll back: no rollout is running and none was promoted")
    if rollout.old.prompt in book.retired("prompt") or rollout.old.schema_version in book.retired("schema"):
        raise InputError(f"{rollout.old.name} is retired, so there is no way back; roll out another version")
    if not book.conclude(rollout, "rolled_back", _decide("roll_back", rollout.new, by, why, rollout)):
        raise _overtaken(rollout)
    return rollout, book.current()


def retire(book: RolloutBook, version: str, *, by: str, why: str, is_schema: bool = False) -> None:
    """Read a version no more: a reply that names it is rejected from now on."""
    current, running = book.current(), book.running()
    in_use = current.schema_version if is_schema else current.prompt
    if problem := why_not_retire(version, in_use, is_schema=is_schema):
        raise InputError(problem)
    if running is not None:
        raise InputError(f"a rollout of {running.new.name} is running; promote it or roll it back first")
    kind = "schema" if is_schema else "prompt"
    known = SCHEMAS if is_schema else {CURRENT_PROMPT_VERSION, *_ever_used(book)}
    if version not in known:
        raise InputError(f"no {kind} version {version} was ever used here; known: {', '.join(sorted(known))}")
    if version in book.retired(kind):
        raise InputError(f"{kind} version {version} is retired already")
    decision = Decision(
        action="retire", versions=f"{kind} {version}", at=now_iso(), by=_kept(by), why=_kept(why)
    )
    book.retire(kind, version, decision)


def compare_rollout(book: RolloutBook, rollout: Rollout) -> Comparison:
    """What is known of both versions so far."""
    return compare_versions(book.reviews(rollout.number), book.labels())


def record_review(
    book: RolloutBook, rollout: Rollout, arm: Arm, change_key: str, report: Report
) -> Decision | None:
    """Count a review for its version, and decide at once where a rule holds.

    A review in which no specialist was asked, since the verifier could not be, says nothing of its prompts.
    """
    review = RolloutReview(
        change_key=change_key,
        report_id=report.id,
        arm=arm,
        at=report.created_at,
        counts=count_review(report),
    )
    if review.counts.asked == 0:
        return None
    reviews = book.add_review(rollout.number, review)
    return _apply_rules(book, rollout.number, reviews) if arm == "new" else None


def _apply_rules(book: RolloutBook, number: int, reviews: Sequence[RolloutReview]) -> Decision | None:
    rollout = book.running()
    if rollout is None or rollout.number != number:
        return None
    if alarm := find_alarm(rollout, reviews):
        decision = _decide("roll_back", rollout.new, AUTOMATICALLY, alarm, rollout)
        # Where another review has ended at the same moment, its decision stands.
        return decision if book.conclude(rollout, "rolled_back", decision) else None
    if not rollout.auto_promote or against_automatic_promotion(book, rollout):
        return None
    slo = f"dropped findings and rejected replies are within the SLO of {100 * rollout.slo_dropped:g}%"
    reason = f"{slo} for certain, and no more is refuted or wrong than under {rollout.old.name}"
    decision = _decide("promote", rollout.new, AUTOMATICALLY, reason, rollout)
    return decision if book.conclude(rollout, "promoted", decision) else None


def _ever_used(book: RolloutBook) -> set[str]:
    return {decision.versions.split(" ")[0] for decision in book.decisions() if decision.action == "promote"}


def _decide(action: Action, about: Versions, by: str, why: str, rollout: Rollout | None = None) -> Decision:
    return Decision(
        action=action,
        versions=about.name,
        at=now_iso(),
        by=_kept(by),
        why=_kept(why),
        rollout=rollout.number if rollout else None,
    )


def _kept(text: str) -> str:
    """Text of an argument, as a database can hold it."""
    return text[:MAX_TEXT_LENGTH].encode("utf-8", "replace").decode("utf-8")


def _running(book: RolloutBook) -> Rollout:
    rollout = book.running()
    if rollout is None:
        raise InputError("no rollout is running; begin one with `affidavit rollout start`")
    return rollout


def _overtaken(rollout: Rollout) -> SettingsError:
    return SettingsError(
        f"another decision about the rollout of {rollout.new.name} came first: see `affidavit rollout status`"
    )
