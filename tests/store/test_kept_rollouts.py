"""Rollouts in both databases."""

import threading

from affidavit.records.measure import ReviewCounts, RolloutDecision, RolloutPlan, RolloutReview, Versions
from affidavit.store.open import Store

PLAN = RolloutPlan(
    old=Versions(prompt="1.0.0", schema_version="1.1"),
    new=Versions(prompt="1.1.0", schema_version="1.1"),
    share=0.5,
    slo_dropped=0.05,
    min_reviews=3,
    decisions=(RolloutDecision(state="running", at="2026-01-01", by="ada", why="try it"),),
)


def reviewed(change: str, at: str, findings: int = 1) -> RolloutReview:
    return RolloutReview(change_key=change, arm="new", at=at, counts=ReviewCounts(findings=findings))


def test_a_rollout_is_kept_with_the_decision_that_began_it(store: Store) -> None:
    begun = store.rollouts.begin(PLAN)
    assert begun
    assert store.rollouts.newest("running") == begun
    assert begun.decisions[0].why == "try it"


def test_of_rollouts_that_begin_at_once_one_is_kept(store: Store) -> None:
    start, begun = threading.Barrier(4), []

    def begin() -> None:
        start.wait()
        begun.append(store.rollouts.begin(PLAN))

    threads = [threading.Thread(target=begin) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(one is not None for one in begun) == [False, False, False, True]
    assert len(store.rollouts.all()) == 1


def test_a_rollout_is_concluded_only_while_it_is_what_it_was(store: Store) -> None:
    begun = store.rollouts.begin(PLAN)
    assert begun
    good = RolloutDecision(state="promoted", at="2026-01-02", by="ada", why="good")
    assert store.rollouts.conclude(begun, good)
    assert not store.rollouts.conclude(begun, good.model_copy(update={"state": "rolled_back"}))
    promoted = store.rollouts.newest("promoted")
    assert promoted
    assert [one.why for one in promoted.decisions] == ["try it", "good"]


def test_the_newest_review_of_a_change_counts(store: Store) -> None:
    begun = store.rollouts.begin(PLAN)
    assert begun
    store.rollouts.add_review(begun.number, reviewed("a", "2026-01-02"))
    store.rollouts.add_review(begun.number, reviewed("b", "2026-01-01"))
    store.rollouts.add_review(begun.number, reviewed("a", "2026-01-03", findings=7))
    counted = store.rollouts.reviews(begun.number)
    assert [(one.change_key, one.counts.findings) for one in counted] == [("b", 1), ("a", 7)]
