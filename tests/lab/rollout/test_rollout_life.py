"""A rollout through its life: slice, alarm, roll back, start again, promote, retire."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from rollouts import (
    BROKEN_FINDING,
    FINDING,
    ScriptedModel,
    book_in,
    new_version,
    own_prompts,
    review_change,
    review_with,
    started,
)

from affidavit.errors import InputError, SettingsError
from affidavit.lab.labels.book import add_label
from affidavit.lab.rollout.book import BUILT_IN, RolloutBook
from affidavit.lab.rollout.choice import choose_outside_rollouts, choose_prompts
from affidavit.lab.rollout.counts import count_review
from affidavit.lab.rollout.decisions import (
    change_slice,
    compare_rollout,
    promote,
    record_review,
    retire,
    roll_back,
)
from affidavit.lab.rollout.slice import arm_of, change_key
from affidavit.prompts import current_prompts
from affidavit.records.report import Reply
from affidavit.stages.looking.intake import ChangeRequest, OpenedChange, open_change
from affidavit.stages.looking.parse import read_replies
from affidavit.store.open import open_store
from repositories import Repo

SUM = (
    "def total(items):\n    result = {}\n    for item in items:\n        result += item\n    return result\n"
)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenedChange]:
    repo = Repo(tmp_path_factory.mktemp("rollout") / "repo")
    repo.commit("base", {"app.py": SUM.format(0)})
    repo.commit("Start at 1", {"app.py": SUM.format(1)})
    with open_change(ChangeRequest(target="HEAD", repo=repo.path)) as change:
        yield change


@pytest.fixture
def book(tmp_path: Path) -> RolloutBook:
    return book_in(tmp_path / "data")


@pytest.fixture
def prompts(tmp_path: Path) -> Path:
    return own_prompts(tmp_path / "prompts", "1.5.0")


def specialist(**options: Any) -> ScriptedModel:
    return ScriptedModel("specialist", **options)


def test_a_rollout_lives(book: RolloutBook, prompts: Path, opened: OpenedChange) -> None:
    bad = specialist(findings={"1.5.0": [BROKEN_FINDING, BROKEN_FINDING]})
    started(book, new_version(prompts), share=0.5, why="ask for less")
    seen = [review_change(book, opened, number, bad) for number in range(30)]
    decided = [decision for _, decision in seen if decision]
    assert {report.prompt_version for report, _ in seen} == {"1.0.0", "1.5.0"}
    assert [(one.action, one.by) for one in decided] == [("roll_back", "automatically")]
    assert "above the SLO of 5%" in decided[0].why
    after = seen[[decision is not None for _, decision in seen].index(True) + 1 :]
    assert {report.prompt_version for report, _ in after} == {"1.0.0"}
    assert book.running() is None

    good = specialist()
    started(book, new_version(prompts, "1.6.0"))
    with pytest.raises(InputError, match="only 0 of 3 reviews"):
        promote(book, by="ada", why="too early")
    for number in range(3):
        report, _ = review_change(book, opened, number, good)
        assert (report.prompt_version, len(report.shown)) == ("1.6.0", 1)
    promote(book, by="ada", why="as good")
    report, _ = review_change(book, opened, 99, good)
    assert (report.prompt_version, book.running()) == ("1.6.0", None)

    with pytest.raises(InputError, match="in the next major only"):
        retire(book, "1.0.0", by="ada", why="old")
    started(book, new_version(prompts, "2.0.0"))
    promote(book, by="ada", why="a new major", is_forced=True)
    retire(book, "1.0.0", by="ada", why="nobody uses it")
    assert book.retired("prompt") == {"1.0.0"}
    with pytest.raises(SettingsError, match="prompt version 1.0.0 is retired"):
        choose_prompts(book, opened.change, version="1.0.0")
    actions = [decision.action for decision in book.decisions()]
    assert actions == ["start", "roll_back", "start", "promote", "start", "promote", "retire"]
    assert "forced although only 0 of 3 reviews" in book.decisions()[5].why
    assert book.decisions()[0].why.startswith("ask for less; 50% of the changes")


def test_each_reply_is_read_by_the_version_it_was_asked_for(
    book: RolloutBook, prompts: Path, opened: OpenedChange
) -> None:
    started(book, new_version(prompts))
    stale = specialist(says_version="1.0.0")
    report, _ = review_change(book, opened, 1, stale)
    assert report.prompt_version == "1.5.0"
    assert {reply.state for reply in report.replies} == {"rejected"}
    counts = count_review(report)
    assert counts.replies == counts.incompatible == counts.rejected > 0
    assert "These are the words of 1.5.0." in stale.heard[0].instructions


def test_incompatible_versions_alone_roll_a_version_back(
    book: RolloutBook, prompts: Path, opened: OpenedChange
) -> None:
    started(book, new_version(prompts))
    decided = [review_change(book, opened, n, specialist(says_version="1.0.0"))[1] for n in range(3)]
    assert [decision and decision.action for decision in decided] == [None, None, "roll_back"]


def test_a_schema_version_is_tried_beside_the_current_one(
    book: RolloutBook, prompts: Path, opened: OpenedChange
) -> None:
    without_evidence = {name: value for name, value in FINDING.items() if name != "verification"}
    started(book, new_version(prompts, schema_version="1.0"))
    model = specialist(findings={"1.5.0": [without_evidence]})
    report, _ = review_change(book, opened, 1, model)
    assert (report.schema_version, {reply.state for reply in report.replies}) == ("1.0", {"accepted"})
    assert "verification" not in str(model.heard[0].schema)


def test_a_schema_that_the_parser_does_not_read_is_not_rolled_out(book: RolloutBook, prompts: Path) -> None:
    with pytest.raises(SettingsError, match=r"the parser does not read schema version '1\.7'"):
        started(book, new_version(prompts, schema_version="1.7"))


def test_what_becomes_of_findings_is_counted(book: RolloutBook, prompts: Path, opened: OpenedChange) -> None:
    elsewhere = {
        **FINDING,
        "id": "g",
        "verification": {**FINDING["verification"], "code_examined": "nowhere()"},
    }
    coerced = {**FINDING, "id": "h", "line": "2"}
    said = [FINDING, elsewhere, coerced, BROKEN_FINDING]
    report = review_with(opened, choose_prompts(book, opened.change), specialist(findings={"1.0.0": said}))
    counts = count_review(report)
    assert (counts.findings, counts.dropped, counts.coerced) == (
        4 * counts.replies,
        counts.replies,
        counts.replies,
    )
    assert counts.not_quoted == counts.replies
    assert counts.confirmed == counts.judged == len(counts.shown) == 1
    assert counts.cost_usd == pytest.approx(0.01 * sum(usage.requests for usage in report.usage))


def test_a_reply_of_a_newer_schema_than_asked_for_is_read_by_the_one_asked_for(opened: OpenedChange) -> None:
    text = json.dumps(
        {"schema_version": "1.1", "prompt_version": "1.5.0", "findings": [{**FINDING, "verification": 0}]}
    )
    asked = Reply(specialist="logic", kind="model", text=text, prompt_version="1.5.0", schema_version="1.0")
    assert read_replies([asked], opened.change).replies[0].state == "accepted"
    current = asked.model_copy(update={"schema_version": None})
    assert read_replies([current], opened.change).replies[0].state == "all_dropped"


def test_a_cost_of_which_a_part_is_unknown_is_unknown(book: RolloutBook, opened: OpenedChange) -> None:
    report = review_with(opened, choose_prompts(book, opened.change), specialist())
    unpriced = report.usage[0].model_copy(update={"cost_usd": None})
    assert count_review(report).cost_usd is not None
    assert count_review(report.model_copy(update={"usage": (*report.usage, unpriced)})).cost_usd is None


def test_the_newest_review_of_a_change_counts(book: RolloutBook, prompts: Path, opened: OpenedChange) -> None:
    rollout = started(book, new_version(prompts))
    for _ in range(5):
        review_change(book, opened, 1, specialist(findings={"1.5.0": [BROKEN_FINDING]}))
    assert len(book.reviews(rollout.number)) == 1
    assert book.running() is not None


def test_a_larger_slice_keeps_those_who_are_in(
    book: RolloutBook, prompts: Path, opened: OpenedChange
) -> None:
    small = started(book, new_version(prompts), share=0.1)
    large = change_slice(book, 0.3, by="ada", why="all is well")
    keys = [change_key(opened.change.model_copy(update={"request": f"r{n}"})) for n in range(200)]
    first = {key for key in keys if arm_of(small, key) == "new"}
    second = {key for key in keys if arm_of(large, key) == "new"}
    assert first < second
    assert "10% to 30% of the changes: all is well" in book.decisions()[-1].why


def test_a_version_is_promoted_without_a_person_only_where_that_was_asked_for(
    book: RolloutBook, prompts: Path, opened: OpenedChange
) -> None:
    many = specialist(
        findings={version: [{**FINDING, "id": str(n)} for n in range(90)] for version in ("1.5.0", "1.6.0")}
    )
    started(book, new_version(prompts), slo_dropped=0.6)
    assert [review_change(book, opened, n, many)[1] for n in range(5)] == [None] * 5
    roll_back(book, by="ada", why="again")
    started(book, new_version(prompts, "1.6.0"), slo_dropped=0.6, auto_promote=True)
    decided = [review_change(book, opened, n, many)[1] for n in range(5)]
    assert [one and (one.action, one.by) for one in decided if one] == [("promote", "automatically")]
    assert book.current().prompt == "1.6.0"


def test_a_promotion_can_be_taken_back(book: RolloutBook, prompts: Path, opened: OpenedChange) -> None:
    started(book, new_version(prompts))
    promote(book, by="ada", why="good", is_forced=True)
    assert choose_prompts(book, opened.change).prompts.version == "1.5.0"
    _, current = roll_back(book, by="ada", why="not so good")
    assert current == BUILT_IN
    assert choose_prompts(book, opened.change).prompts == current_prompts()
    with pytest.raises(InputError, match="nothing to roll back"):
        roll_back(book, by="ada", why="again")


def test_there_is_no_way_back_to_a_retired_version(book: RolloutBook, prompts: Path) -> None:
    started(book, new_version(prompts, "2.0.0"))
    promote(book, by="ada", why="a new major", is_forced=True)
    retire(book, "1.0.0", by="ada", why="old")
    with pytest.raises(InputError, match="is retired, so there is no way back"):
        roll_back(book, by="ada", why="regret")
    with pytest.raises(InputError, match="retired already"):
        retire(book, "1.0.0", by="ada", why="once more")
    with pytest.raises(InputError, match="was ever used here"):
        retire(book, "1.0.7", by="ada", why="never there")
    with pytest.raises(InputError, match="prompt version 1.0.0 is retired"):
        started(book, BUILT_IN)


def test_only_one_rollout_runs_at_a_time(book: RolloutBook, prompts: Path) -> None:
    started(book, new_version(prompts))
    with pytest.raises(InputError, match="a rollout of 1.5.0 .* is running"):
        started(book, new_version(prompts, "1.6.0"))


def test_the_current_version_is_not_rolled_out_again(book: RolloutBook) -> None:
    with pytest.raises(InputError, match="is what every review uses already"):
        started(book, BUILT_IN)


def test_a_late_review_of_a_decided_rollout_decides_nothing(
    book: RolloutBook, prompts: Path, opened: OpenedChange
) -> None:
    rollout = started(book, new_version(prompts), min_reviews=1)
    chosen = choose_prompts(book, opened.change)
    report = review_with(opened, chosen, specialist(findings={"1.5.0": [BROKEN_FINDING]}))
    roll_back(book, by="ada", why="by hand")
    decisions = [record_review(book, rollout, "new", f"late {n}", report) for n in range(5)]
    started(book, new_version(prompts, "1.6.0"), min_reviews=1)
    decisions += [record_review(book, rollout, "new", f"later {n}", report) for n in range(5)]
    assert decisions == [None] * 10
    assert [decision.by for decision in book.decisions()] == ["ada"] * 3


def test_reviews_that_end_at_once_leave_one_decision(
    book: RolloutBook, prompts: Path, opened: OpenedChange
) -> None:
    rollout = started(book, new_version(prompts))
    chosen = choose_prompts(book, opened.change)
    report = review_with(opened, chosen, specialist(findings={"1.5.0": [BROKEN_FINDING]}))
    with ThreadPoolExecutor(6) as together:
        ended = [
            together.submit(record_review, book, rollout, "new", f"change {n}", report) for n in range(12)
        ]
    decided = [one.result() for one in ended if one.result()]
    assert [one.action for one in decided if one] == ["roll_back"]
    assert [one.action for one in book.decisions()] == ["start", "roll_back"]
    assert len(book.reviews(rollout.number)) == 12


def test_a_review_in_which_nobody_was_asked_does_not_count(
    book: RolloutBook, prompts: Path, opened: OpenedChange
) -> None:
    rollout = started(book, new_version(prompts))
    report = review_with(opened, choose_prompts(book, opened.change), specialist())
    nobody = report.model_copy(update={"replies": (), "candidates": ()})
    assert record_review(book, rollout, "new", "change 1", nobody) is None
    assert book.reviews(rollout.number) == []


def test_specialists_without_a_reply_are_counted(book: RolloutBook, opened: OpenedChange) -> None:
    report = review_with(opened, choose_prompts(book, opened.change), specialist())
    silent = report.replies[0].model_copy(update={"state": "none"})
    counts = count_review(report.model_copy(update={"replies": (*report.replies, silent)}))
    assert (counts.asked - counts.replies, counts.unanswered) == (1, 1)


def test_work_outside_of_rollouts_is_not_drawn(
    book: RolloutBook, prompts: Path, opened: OpenedChange
) -> None:
    started(book, new_version(prompts))
    assert choose_outside_rollouts(book).prompts.version == "1.0.0"
    promote(book, by="ada", why="good", is_forced=True)
    assert choose_outside_rollouts(book).prompts.version == "1.5.0"


def test_two_who_decide_at_once_leave_one_decision(book: RolloutBook, prompts: Path) -> None:
    rollout = started(book, new_version(prompts))
    decision = book.decisions()[0]
    assert book.conclude(rollout, "rolled_back", decision)
    assert not book.conclude(rollout, "promoted", decision)
    assert not book.resize(rollout, 0.5, decision)
    assert len(book.decisions()) == 2


def test_words_that_change_during_a_rollout_are_not_used(
    book: RolloutBook, prompts: Path, opened: OpenedChange
) -> None:
    started(book, new_version(prompts))
    specialist_prompt = prompts / "1.5.0" / "specialist.md"
    specialist_prompt.write_text(specialist_prompt.read_text() + "\nAnd more.\n")
    chosen = choose_prompts(book, opened.change)
    assert (chosen.prompts.version, chosen.rollout) == ("1.0.0", None)
    assert "their text has changed since the rollout began" in chosen.notice


def test_prompts_that_are_gone_do_not_stand_in_the_way_of_a_review(
    book: RolloutBook, prompts: Path, opened: OpenedChange
) -> None:
    started(book, new_version(prompts))
    (prompts / "1.5.0" / "logic.md").unlink()
    chosen = choose_prompts(book, opened.change)
    assert chosen.prompts.version == "1.0.0"
    assert "logic.md" in chosen.notice


def test_promoted_prompts_that_are_gone_are_an_error_that_says_what_to_do(
    book: RolloutBook, prompts: Path, opened: OpenedChange
) -> None:
    started(book, new_version(prompts))
    promote(book, by="ada", why="good", is_forced=True)
    (prompts / "1.5.0" / "logic.md").unlink()
    with pytest.raises(SettingsError, match="promoted prompts 1.5.0 .* cannot be used: .*rollout rollback"):
        choose_prompts(book, opened.change)


def test_a_forced_version_counts_for_no_rollout(
    book: RolloutBook, prompts: Path, opened: OpenedChange
) -> None:
    started(book, new_version(prompts))
    for version in ("1.0.0", "1.5.0"):
        chosen = choose_prompts(book, opened.change, version=version)
        assert (chosen.prompts.version, chosen.rollout) == (version, None)


def test_a_store_that_is_not_there_is_not_made_by_looking(tmp_path: Path, opened: OpenedChange) -> None:
    book = book_in(tmp_path / "data")
    assert choose_prompts(book, opened.change).prompts == current_prompts()
    assert (book.decisions(), book.labels(), book.unannounced()) == ([], {}, [])
    assert not (tmp_path / "data").exists()


def test_what_people_called_wrong_is_in_the_comparison(
    tmp_path: Path, book: RolloutBook, prompts: Path, opened: OpenedChange
) -> None:
    rollout = started(book, new_version(prompts))
    report, _ = review_change(book, opened, 1, specialist())
    store = open_store(tmp_path / "data")
    store.reports.save(report)
    add_label(store, report, report.shown[0], "wrong", why="no", by="ada")
    wrong = compare_rollout(book, rollout).share("wrong").new
    assert wrong is not None
    assert (wrong.count, wrong.n) == (1, 1)


def test_an_automatic_decision_is_told_once(book: RolloutBook, prompts: Path, opened: OpenedChange) -> None:
    started(book, new_version(prompts))
    assert book.unannounced() == []
    for number in range(3):
        review_change(book, opened, number, specialist(findings={"1.5.0": [BROKEN_FINDING]}))
    ((number, decision),) = book.unannounced()
    assert decision.action == "roll_back"
    book.announce([number])
    assert book.unannounced() == []
