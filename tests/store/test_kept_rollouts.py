import threading

from affidavit.records.lab.rollout import (
    AUTOMATICALLY,
    Decision,
    ReviewCounts,
    RolloutPlan,
    RolloutReview,
    Versions,
)
from affidavit.store.open import Store

PLAN = RolloutPlan(
    old=Versions(prompt="1.0.0", schema_version="1.1"),
    new=Versions(prompt="1.1.0", schema_version="1.1"),
    share=0.5,
    slo_dropped=0.05,
    min_reviews=3,
    started_at="2026-01-01T00:00:00.000Z",
)


def decided(why: str, by: str = "ada") -> Decision:
    return Decision(action="start", versions="1.1.0", at="2026-01-01T00:00:00.000Z", by=by, why=why)


def reviewed(change: str, at: str, findings: int = 1) -> RolloutReview:
    counts = ReviewCounts(findings=findings)
    return RolloutReview(change_key=change, report_id="r", arm="new", at=at, counts=counts)


def test_a_rollout_is_kept_with_the_decision_that_began_it(store: Store) -> None:
    begun = store.rollouts.begin(PLAN, decided("try it"))
    assert begun
    assert store.rollouts.newest("running") == store.rollouts.numbered(begun.number) == begun
    assert [(one.why, one.rollout) for one in store.rollouts.decisions()] == [("try it", begun.number)]


def test_of_rollouts_that_begin_at_once_one_is_kept(store: Store) -> None:
    start, begun = threading.Barrier(4), []

    def begin() -> None:
        start.wait()
        begun.append(store.rollouts.begin(PLAN, decided("me first")))

    threads = [threading.Thread(target=begin) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(one is not None for one in begun) == [False, False, False, True]
    assert len(store.rollouts.decisions()) == 1


def test_a_rollout_is_resized_and_concluded_only_while_it_is_what_it_was(store: Store) -> None:
    begun = store.rollouts.begin(PLAN, decided("try it"))
    assert begun
    larger = PLAN.model_copy(update={"share": 0.9})
    assert store.rollouts.resize(begun.number, larger, decided("more"))
    assert store.rollouts.conclude(begun, "promoted", decided("good"))
    assert not store.rollouts.conclude(begun, "rolled_back", decided("too late"))
    assert not store.rollouts.resize(begun.number, PLAN, decided("too late"))
    promoted = store.rollouts.newest("promoted")
    assert promoted
    assert promoted.share == 0.9
    assert [one.why for one in store.rollouts.decisions()] == ["try it", "more", "good"]


def test_the_newest_review_of_a_change_counts(store: Store) -> None:
    begun = store.rollouts.begin(PLAN, decided("try it"))
    assert begun
    store.rollouts.add_review(begun.number, reviewed("a", "2026-01-02"))
    store.rollouts.add_review(begun.number, reviewed("b", "2026-01-01"))
    counted = store.rollouts.add_review(begun.number, reviewed("a", "2026-01-03", findings=7))
    assert [(one.change_key, one.counts.findings) for one in counted] == [("b", 1), ("a", 7)]
    assert store.rollouts.reviews(begun.number) == counted


def test_automatic_decisions_are_announced_once(store: Store) -> None:
    store.rollouts.retire("prompt", "0.9.0", decided("by rule", by=AUTOMATICALLY))
    store.rollouts.retire("prompt", "0.9.0", decided("by hand"))
    assert store.rollouts.retired("prompt") == {"0.9.0"}
    assert store.rollouts.retired("schema") == frozenset()
    ((number, decision),) = store.rollouts.unannounced()
    assert decision.why == "by rule"
    store.rollouts.announce([number])
    assert store.rollouts.unannounced() == []
