from datetime import UTC, datetime, timedelta, timezone

from kept_reports import report_of, shown

from affidavit.quality.labels import (
    MAX_TEXT_LENGTH,
    add_label,
    labels_of,
)
from affidavit.records.measure import Label
from affidavit.store.open import Store

ONE, TWO = shown("logic-0", "aaaa"), shown("logic-1", "bbbb")


def test_a_label_is_kept_with_who_and_why_and_from_where(store: Store) -> None:
    entry = add_label(
        store, report_of([ONE]), ONE, Label.WRONG, why="it is checked above", by="ann", source="page"
    )
    assert labels_of(store, "r1") == {"logic-0": entry}
    assert (entry.why, entry.by, entry.source) == ("it is checked above", "ann", "page")


def test_a_report_that_was_not_kept_is_kept_with_its_first_label(store: Store) -> None:
    report = report_of([ONE])
    add_label(store, report, ONE, Label.VALID)
    assert store.reports.load("r1") == report


def test_labelling_again_replaces_the_label_and_keeps_what_was_before(store: Store) -> None:
    report = report_of([ONE])
    add_label(store, report, ONE, Label.WRONG, by="ann")
    add_label(store, report, ONE, Label.VALID, by="bo")
    assert labels_of(store, "r1")["logic-0"].label is Label.VALID
    history = store.labels.history("r1", "logic-0")
    assert [(entry.label, entry.by) for entry in history] == [(Label.WRONG, "ann"), (Label.VALID, "bo")]


def test_a_label_that_was_taken_back_is_gone_and_remembered(store: Store) -> None:
    report = report_of([ONE])
    add_label(store, report, ONE, Label.WRONG)
    add_label(store, report, ONE, None)
    assert labels_of(store, "r1") == {}
    assert store.labels.with_findings() == []
    assert [entry.label for entry in store.labels.history("r1", "logic-0")] == [Label.WRONG, None]


def test_keeping_the_report_again_leaves_its_labels(store: Store) -> None:
    report = report_of([ONE])
    add_label(store, report, ONE, Label.WRONG)
    store.reports.save(report)
    assert labels_of(store, "r1")["logic-0"].label is Label.WRONG


def test_a_label_is_about_one_finding_of_one_report(store: Store) -> None:
    report = report_of([ONE, TWO])
    add_label(store, report, ONE, Label.WRONG)
    store.reports.save(report_of([ONE, TWO], "r2"))
    assert list(labels_of(store, "r1")) == ["logic-0"]
    assert labels_of(store, "r2") == {}


def test_the_time_of_a_label_is_kept_in_utc(store: Store) -> None:
    evening = datetime(2026, 5, 1, 23, 30, tzinfo=timezone(timedelta(hours=-2)))
    entry = add_label(store, report_of([ONE]), ONE, Label.NIT, at=evening)
    assert datetime.fromisoformat(entry.at) == evening
    assert datetime.fromisoformat(entry.at).tzinfo == UTC


def test_text_that_no_database_holds_is_made_to_fit(store: Store) -> None:
    add_label(store, report_of([ONE]), ONE, Label.WRONG, why="\udcff" + "x" * 10_000, by="a\0b")
    entry = labels_of(store, "r1")["logic-0"]
    assert entry.why.startswith("?x")
    assert len(entry.why) == MAX_TEXT_LENGTH
    assert entry.by == "a\ufffdb"
