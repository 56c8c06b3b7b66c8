"""`affidavit label`, run as a user runs it."""

import json
from hashlib import sha256
from pathlib import Path

import pytest

from affidavit.records.report import Report
from affidavit.store.open import open_store
from claims import candidate, change_of, finding, report_on
from commands import Done, affidavit
from repositories import Repo

ADDRESS = "https://example.org/shop"
TITLE = "The total is wrong"
HOSTILE = "red \x1b[31m\u202e title"


def a_report(review_id: str = "5c1f0a9e-aaaa") -> Report:
    candidates = [
        candidate(finding(), fingerprint="3f9a1c0be2d4"),
        candidate(finding(title=HOSTILE), id="logic-1", fingerprint="3f9b00000000"),
    ]
    return report_on(change_of("app.py", repository=ADDRESS), *candidates, review_id=review_id)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    Repo(tmp_path).git("remote", "add", "origin", ADDRESS)
    folder = tmp_path / "affidavit-data"
    open_store(folder).reports.save(a_report())
    return folder


def label(data: Path, *arguments: str | Path) -> Done:
    return affidavit("label", *arguments, cwd=data.parent, data=data)


def test_a_finding_is_labelled_and_the_list_shows_it(data: Path) -> None:
    done = label(data, "last", "3f9a", "wrong", "--why", "it is checked above", "--by", "ann")
    assert (done.code, done.err) == (0, "")
    assert TITLE in done.out
    assert "wrong: 100%" in done.out
    listed = label(data, "5c1f").out
    assert "wrong   3f9a1c0be2d4" in listed
    assert "it is checked above" in listed
    assert "1 of 2 findings labelled" in listed


def test_a_label_is_attached_to_the_very_bytes_of_the_report(data: Path) -> None:
    """A report is never rewritten, so that its signature stays good: a label names its digest."""
    file = data.parent / "signed.json"
    file.write_text(a_report("77aa").model_dump_json(indent=3) + "\n\n")
    before = file.read_bytes()
    done = label(data, file, "3f9a", "wrong", "--format", "json")
    assert json.loads(done.out)["report_digest"] == sha256(before).hexdigest()
    assert file.read_bytes() == before
    assert open_store(data).reports.load_bytes("77aa") == before


def test_relabelling_says_what_was_before_and_keeps_it(data: Path) -> None:
    label(data, "last", "logic-0", "wrong", "--by", "ann")
    done = label(data, "last", "logic-0", "valid")
    assert "before: wrong" in done.out
    history = open_store(data).labels.history(open_store(data).reports.ids()[0], "logic-0")
    assert [entry.label for entry in history] == ["wrong", "valid"]


def test_a_label_is_taken_back(data: Path) -> None:
    label(data, "last", "3f9a", "wrong")
    done = label(data, "last", "3f9a", "--remove")
    assert done.code == 0
    assert "not measured yet" in done.out
    again = label(data, "last", "3f9a", "--remove")
    assert again.code == 2
    assert "no label" in again.err


def test_the_report_of_a_review_that_was_not_kept_is_kept_with_the_label(tmp_path: Path) -> None:
    data = tmp_path / "fresh"
    file = tmp_path / "report.json"
    file.write_text(a_report("unkept").model_dump_json())
    assert label(data, file).code == 0
    assert open_store(data).reports.count() == 0
    assert label(data, file, "logic-0", "nit").code == 0
    kept = open_store(data).reports.load("unkept")
    assert kept is not None
    assert kept.id == "unkept"


def test_text_of_a_change_cannot_act_on_the_terminal(data: Path) -> None:
    for done in (label(data, "last"), label(data, "last", "logic-1", "nit")):
        assert "red" in done.out
        assert "\x1b" not in done.out
        assert "\u202e" not in done.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "no stored report"),
        ([""], "no stored report"),
        (["x" * 5000], "no stored report"),
        (["last", "3f9", "wrong"], "several findings"),
        (["last", "zzz", "wrong"], "no finding 'zzz'"),
        (["last", "3f9a", "maybe"], "'valid', 'wrong', 'nit'"),
        (["last", "3f9a", "valid", "--remove"], "--remove"),
        (["last", "--remove"], "--remove"),
        (["last", "3f9a"], "no label given"),
        (["last", "3f9a", "--why", "because"], "no label given"),
        (["."], "directory"),
    ],
)
def test_bad_input_is_refused_with_what_to_do(data: Path, arguments: list[str], said: str) -> None:
    done = label(data, *arguments)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err


def test_a_beginning_that_several_reports_share_is_refused(data: Path) -> None:
    open_store(data).reports.save(a_report("5c1f0a9e-bbbb"))
    done = label(data, "5c1f")
    assert done.code == 2
    assert "several reports" in done.err


def test_an_empty_store_says_what_to_do(tmp_path: Path) -> None:
    done = label(tmp_path / "nothing", "last")
    assert done.code == 2
    assert "affidavit review" in done.err


def test_the_list_as_json_is_whole(data: Path) -> None:
    label(data, "last", "3f9a", "nit", "--by", "ann")
    listed = json.loads(label(data, "last", "--format", "json").out)
    assert [(one["id"], one["label"] and one["label"]["label"]) for one in listed["findings"]] == [
        ("logic-0", "nit"),
        ("logic-1", None),
    ]
