"""Series of reviews in the store, as a file and on a server."""

from affidavit.records.iteration import IterationSummary
from affidavit.store.open import Store
from reports import a_report


def summary(store: Store, number: int, tree: str) -> IterationSummary:
    report = a_report(id=f"r-{number}-{tree}")
    store.reports.save(report)
    return IterationSummary(number=number, report_id=report.id, tree=tree, score=0.5, verdict="refine")


def test_a_series_keeps_its_reviews_in_their_order(store: Store) -> None:
    for number, tree in ((1, "a"), (2, "b"), (3, "a")):
        store.iterations.add("repo", "feature", summary(store, number, tree))
    store.iterations.add("repo", "other", summary(store, 1, "c"))
    assert [one.tree for one in store.iterations.of("repo", "feature")] == ["a", "b", "a"]
    assert [one.iteration for one in store.iterations.of("repo", "feature")] == [1, 2, 3]
    assert [(one.series, one.newest.iteration) for one in store.iterations.series()] == [
        ("other", 1),
        ("feature", 3),
    ]
    assert store.iterations.of("elsewhere", "feature") == []


def test_a_second_review_of_the_same_head_takes_the_place_of_the_first(store: Store) -> None:
    store.iterations.add("repo", "feature", summary(store, 1, "a"))
    again = summary(store, 1, "a").model_copy(update={"score": 0.9})
    store.iterations.add("repo", "feature", again)
    assert [one.summary.score for one in store.iterations.of("repo", "feature")] == [0.9]
