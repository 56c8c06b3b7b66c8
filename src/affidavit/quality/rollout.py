"""Roll out a prompt or schema version: choose the slice, count reviews, promote or roll back."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from affidavit.contract.schema import CURRENT_SCHEMA_VERSION
from affidavit.contract.versions import CURRENT_PROMPT_VERSION
from affidavit.errors import InputError, SettingsError
from affidavit.events import now_iso
from affidavit.prompts import load_prompts
from affidavit.quality.statistics import rate_of
from affidavit.records.change import Change, Revision
from affidavit.records.diagnostics import Reason
from affidavit.records.measure import (
    Arm,
    Rate,
    ReviewCounts,
    Rollout,
    RolloutDecision,
    RolloutPlan,
    RolloutReview,
    RolloutState,
    Versions,
)
from affidavit.records.report import Report
from affidavit.store.open import Store

BUILT_IN = Versions(prompt=CURRENT_PROMPT_VERSION, schema_version=CURRENT_SCHEMA_VERSION)
"""The versions of every review until something is promoted."""
MAX_TEXT_LENGTH = 2_000
SHARES = {
    "dropped": ("findings that the contract dropped", "findings"),
    "rejected": ("replies that the contract rejected", "replies"),
    "incompatible": ("replies rejected for their versions", "replies"),
    "coerced": ("replies in which a value was coerced", "replies"),
}
"""Each measure: its description, and the count that it is a share of."""
KEPT_WITHIN_SLO = ("dropped", "rejected")
"""A rejected reply loses all its findings, so the limit for dropped findings applies to it too."""


def running_rollout(store: Store) -> Rollout | None:
    """Return the running rollout; there is at most one."""
    return store.rollouts.newest("running") if store.exists() else None


def current_versions(store: Store) -> Versions:
    """Return the versions of reviews outside the slice."""
    promoted = store.rollouts.newest("promoted") if store.exists() else None
    return promoted.new if promoted else BUILT_IN


def change_key(change: Change) -> str:
    """Identify a change by its pull request, or by its repository and both sides."""
    if change.request:
        return _digest(f"request {change.request}").hex()
    return _digest(f"{change.repository or ''} {_side(change.base)}..{_side(change.head)}").hex()


def arm_of(plan: RolloutPlan, key: str) -> Arm:
    """Choose by hash, so that a change gets the same version every time."""
    drawn = _digest(f"{plan.new.prompt}\0{plan.new.schema_version}\0{key}")
    return "new" if int.from_bytes(drawn[:8]) / 2**64 < plan.share else "old"


def start_rollout(
    store: Store, new: Versions, *, by: str, why: str, share: float, slo_dropped: float, min_reviews: int
) -> Rollout:
    """Start to give a share of the changes the new versions; they must load and be readable."""
    old = current_versions(store)
    if new.is_same(old):
        raise InputError(f"{new.name} is already used by every review; name another version")
    plan = RolloutPlan(
        old=old,
        new=_measured_versions(new),
        share=share,
        slo_dropped=slo_dropped,
        min_reviews=min_reviews,
        decisions=(_decide("running", by, why),),
    )
    begun = store.rollouts.begin(plan)
    if begun is None:
        raise InputError("another rollout is running; promote it or roll it back first")
    return begun


def promote(store: Store, *, by: str, why: str) -> Rollout:
    """Give every change the new versions; raise InputError outside the SLO."""
    rollout = running_rollout(store)
    if rollout is None:
        raise InputError("no rollout is running; begin one with `affidavit rollout start`")
    problems = why_not_promote(rollout, store.rollouts.reviews(rollout.number))
    if problems:
        raise InputError(f"{rollout.new.name} is not promoted: {'; '.join(problems)}. Wait, or roll back")
    return _conclude(store, rollout, _decide("promoted", by, why))


def roll_back(store: Store, *, by: str, why: str) -> Rollout:
    """End the running rollout; if none is running, undo the last promotion."""
    rollout = running_rollout(store) or (store.rollouts.newest("promoted") if store.exists() else None)
    if rollout is None:
        raise InputError("there is nothing to roll back: no rollout is running and none was promoted")
    return _conclude(store, rollout, _decide("rolled_back", by, why))


def why_not_promote(rollout: Rollout, reviews: Sequence[RolloutReview]) -> list[str]:
    """List what prevents a promotion; empty if the SLO is kept in a large enough sample."""
    seen = sum(review.arm == "new" for review in reviews)
    problems = _not_as_measured(rollout.new)
    if seen < rollout.min_reviews:
        problems.append(f"only {seen} of {rollout.min_reviews} reviews of the slice are there")
    for name in KEPT_WITHIN_SLO if seen else ():
        rate, meaning = rate_in(reviews, "new", name), SHARES[name][0]
        if rate is None:
            problems.append(f"{meaning}: unknown, since no model handed anything in")
        elif rate.share > rollout.slo_dropped:
            slo = f"the SLO of {100 * rollout.slo_dropped:g}%"
            problems.append(f"{meaning}: {rate.count} of {rate.n}, above {slo}")
    return problems


def rate_in(reviews: Sequence[RolloutReview], arm: Arm, name: str) -> Rate | None:
    """Return one of SHARES over the reviews of an arm."""
    counts = [review.counts for review in reviews if review.arm == arm]
    return rate_of(
        sum(getattr(one, name) for one in counts), sum(getattr(one, SHARES[name][1]) for one in counts)
    )


def record_review(store: Store, rollout: int, arm: Arm, key: str, report: Report) -> None:
    """Count a review for its version if a model was asked."""
    counts = count_review(report)
    if counts.asked:
        review = RolloutReview(change_key=key, arm=arm, at=report.created_at, counts=counts)
        store.rollouts.add_review(rollout, review)


def count_review(report: Report) -> ReviewCounts:
    """Count replies and findings that the contract coerced, dropped or rejected."""
    asked = [reply for reply in report.replies if reply.kind == "model"]
    replies = [reply for reply in asked if reply.state != "none"]
    return ReviewCounts(
        asked=len(asked),
        replies=len(replies),
        coerced=_replies_with(report, Reason.COERCION_APPLIED),
        incompatible=_replies_with(report, Reason.INCOMPATIBLE_VERSION),
        rejected=sum(reply.state == "rejected" for reply in replies),
        findings=sum(reply.findings + reply.dropped for reply in replies),
        dropped=sum(reply.dropped for reply in replies),
    )


def _replies_with(report: Report, code: Reason) -> int:
    models = {reply.specialist for reply in report.replies if reply.kind == "model"}
    return len({item.specialist for item in report.diagnostics if item.code is code} & models)


def _measured_versions(new: Versions) -> Versions:
    """Load the prompts, and keep their digest and the absolute path of their folder."""
    folder = Path(new.folder) if new.folder else None
    prompts = load_prompts(new.prompt, folder, new.schema_version)
    own = str(folder.absolute()) if folder and new.prompt != CURRENT_PROMPT_VERSION else None
    if own and not own.isprintable():
        raise SettingsError("the folder of prompts has a name that cannot be kept; rename it")
    return new.model_copy(update={"folder": own, "digest": prompts.digest})


def _not_as_measured(new: Versions) -> list[str]:
    try:
        prompts = load_prompts(new.prompt, Path(new.folder) if new.folder else None, new.schema_version)
    except SettingsError as error:
        return [f"its prompts cannot be used: {error}"]
    return [] if prompts.digest == new.digest else ["its text has changed since the rollout began"]


def _conclude(store: Store, rollout: Rollout, decision: RolloutDecision) -> Rollout:
    if not store.rollouts.conclude(rollout, decision):
        raise InputError(
            f"somebody else has just decided about {rollout.new.name}: see `affidavit rollout status`"
        )
    return rollout


def _decide(state: RolloutState, by: str, why: str) -> RolloutDecision:
    return RolloutDecision(state=state, at=now_iso(), by=_storable(by), why=_storable(why))


def _storable(text: str) -> str:
    return text[:MAX_TEXT_LENGTH].encode("utf-8", "replace").decode("utf-8")


def _digest(text: str) -> bytes:
    # The name of a folder need not be UTF-8.
    return hashlib.sha256(text.encode(errors="surrogatepass")).digest()


def _side(revision: Revision) -> str:
    return revision.commit or revision.tree
