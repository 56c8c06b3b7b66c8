from hashlib import sha256

import pytest
from sqlalchemy import select, update

from affidavit.errors import StoreError
from affidavit.store.open import Store
from affidavit.store.tables import FINDINGS, REPORTS
from reports_to_keep import FINGERPRINT, report


def test_a_kept_report_comes_back_as_it_was(store: Store) -> None:
    kept = report()
    store.reports.save(kept)
    assert store.reports.load("r1") == kept


def test_the_bytes_that_were_written_come_back_byte_for_byte(store: Store) -> None:
    kept = report(title="Größe ☃ \x7f \u2028")
    written = f"{kept.model_dump_json(indent=3)}\r\n ".encode()
    store.reports.save(kept, written)
    assert store.reports.load_bytes("r1") == written
    assert store.reports.load("r1") == kept


def test_bytes_that_are_no_text_at_all_come_back_too(store: Store) -> None:
    store.reports.save(report(), bytes(range(256)))
    assert store.reports.load_bytes("r1") == bytes(range(256))


def test_the_digest_of_the_bytes_is_kept_beside_them(store: Store) -> None:
    store.reports.save(report(), b"{}")
    with store.database.transaction() as connection:
        assert connection.execute(select(REPORTS.c.digest)).scalar_one() == sha256(b"{}").hexdigest()


def test_a_report_that_was_changed_in_the_store_is_not_given_out(store: Store) -> None:
    store.reports.save(report())
    with store.database.transaction() as connection:
        connection.execute(update(REPORTS).values(body=report(title="Forged").model_dump_json().encode()))
    with pytest.raises(StoreError, match="has changed since it was stored"):
        store.reports.load("r1")
    assert list(store.reports.each()) == [None]


def test_a_report_kept_twice_is_kept_once(store: Store) -> None:
    store.reports.save(report())
    store.reports.save(report(title="Again"))
    loaded = store.reports.load("r1")
    assert loaded is not None
    assert (loaded.change.title, store.reports.count()) == ("Again", 1)


def test_an_unknown_report_is_none(store: Store) -> None:
    assert store.reports.load("nothing") is None
    assert not store.reports.has("nothing")


def test_a_finding_is_found_by_its_fingerprint(store: Store) -> None:
    store.reports.save(report())
    found = store.reports.find_fingerprint(FINGERPRINT)
    assert found is not None
    assert (found.title, found.file, found.line) == ("The total is wrong", "app.py", 2)
    assert store.reports.find_fingerprint("f" * 16) is None


def test_a_finding_that_a_report_no_longer_has_is_forgotten(store: Store) -> None:
    kept = report()
    store.reports.save(kept)
    store.reports.save(kept.model_copy(update={"candidates": ()}))
    assert store.reports.find_fingerprint(FINGERPRINT) is None


def test_two_findings_of_the_same_name_are_kept_as_one(store: Store) -> None:
    kept = report()
    store.reports.save(kept.model_copy(update={"candidates": kept.candidates * 2}))
    with store.database.transaction() as connection:
        assert len(connection.execute(select(FINDINGS)).all()) == 1


def test_a_title_that_no_database_can_hold_is_searched_for_in_a_form_that_it_can(store: Store) -> None:
    (candidate,) = report().candidates
    assert candidate.finding
    odd = candidate.finding.model_copy(update={"title": "a\0b"})
    odd_candidate = candidate.model_copy(update={"finding": odd})
    kept = report().model_copy(update={"candidates": (odd_candidate,)})
    store.reports.save(kept)
    found = store.reports.find_fingerprint(FINGERPRINT)
    assert found is not None
    assert found.title == "a\N{REPLACEMENT CHARACTER}b"
    assert store.reports.load("r1") == kept


def test_a_report_that_this_version_cannot_read_is_a_clear_error(store: Store) -> None:
    store.reports.save(report("x"), b"{}")
    with pytest.raises(StoreError, match="another version"):
        store.reports.load("x")
    assert list(store.reports.each()) == [None]


def test_ids_are_found_by_their_beginning_as_it_is_written(store: Store) -> None:
    for review_id in ("a%b", "a_b", "axb", "Axb"):
        store.reports.save(report(review_id))
    assert store.reports.ids("a%") == ["a%b"]
    assert set(store.reports.ids("a")) == {"a%b", "a_b", "axb"}


def test_reports_of_one_moment_are_ordered_by_the_characters_of_their_ids(store: Store) -> None:
    at_once = {"created_at": "2026-01-01T00:00:00.000Z"}
    for review_id in ("b", "C", "a", "_"):
        store.reports.save(report(review_id).model_copy(update=at_once))
    assert store.reports.ids() == ["b", "a", "_", "C"]
    assert [one.id for one in store.reports.each() if one] == ["C", "_", "a", "b"]


def test_reports_since_a_date_are_read_oldest_first(store: Store) -> None:
    for day in ("03", "01", "02"):
        made = {"created_at": f"2026-01-{day}T08:00:00.000Z"}
        store.reports.save(report(f"r{day}").model_copy(update=made))
    assert [one.id for one in store.reports.each("2026-01-02") if one] == ["r02", "r03"]
    assert store.reports.ids() == ["r03", "r02", "r01"]


def test_what_fails_halfway_leaves_nothing_behind(store: Store) -> None:
    kept = report()
    store.reports.save(kept)
    (candidate,) = kept.candidates
    assert candidate.finding
    no_line = candidate.model_copy(update={"finding": candidate.finding.model_copy(update={"line": None})})
    broken = kept.model_copy(update={"candidates": (no_line,), "created_at": "2030"})
    with pytest.raises(StoreError, match="cannot be used"):
        store.reports.save(broken)
    assert store.reports.load("r1") == kept
    assert store.reports.find_fingerprint(FINGERPRINT)
