"""A rollout through its life: slice, counts, SLO, promotion, roll-back."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rollouts import (
    BROKEN_FINDING,
    FINDING,
    ScriptedModel,
    a_review,
    a_rollout,
    new_version,
    own_prompts,
    review_change,
    review_with,
    reviews,
    started,
)

from affidavit.errors import InputError, SettingsError
from affidavit.prompts import current_prompts
from affidavit.quality.prompts import choose_outside_rollouts, choose_prompts
from affidavit.quality.rollout import (
    BUILT_IN,
    count_review,
    current_versions,
    promote,
    rate_in,
    record_review,
    roll_back,
    running_rollout,
    why_not_promote,
)
from affidavit.records.measure import Rollout
from affidavit.records.report import Reply
from affidavit.stages.intake import ChangeRequest, OpenedChange, open_change
from affidavit.stages.parse import read_replies
from affidavit.store.open import Store, open_store
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
def store(tmp_path: Path) -> Store:
    return open_store(tmp_path / "data")


@pytest.fixture
def prompts(tmp_path: Path) -> Path:
    return own_prompts(tmp_path / "prompts", "1.5.0")


def specialist(**options: Any) -> ScriptedModel:
    return ScriptedModel("specialist", **options)


def promoted(store: Store, prompts: Path, **options: Any) -> Rollout:
    rollout = started(store, new_version(prompts), min_reviews=1, **options)
    store.rollouts.add_review(rollout.number, a_review())
    return promote(store, by="ada", why="good")


def test_a_rollout_lives(store: Store, prompts: Path, opened: OpenedChange) -> None:
    bad = specialist(findings={"1.5.0": [BROKEN_FINDING, BROKEN_FINDING]})
    started(store, new_version(prompts), share=0.5)
    seen = [review_change(store, opened, number, bad) for number in range(12)]
    assert {report.prompt_version for report in seen} == {"2.0.0", "1.5.0"}
    with pytest.raises(InputError, match="findings that the contract dropped: .*, above the SLO of 5%"):
        promote(store, by="ada", why="I like it")
    roll_back(store, by="ada", why="findings are lost")
    assert (review_change(store, opened, 1, bad).prompt_version, running_rollout(store)) == ("2.0.0", None)

    started(store, new_version(prompts, "1.6.0"))
    with pytest.raises(InputError, match="only 0 of 3 reviews"):
        promote(store, by="ada", why="too early")
    for number in range(3):
        report = review_change(store, opened, number, specialist())
        assert (report.prompt_version, len(report.shown)) == ("1.6.0", 1)
    promote(store, by="grace", why="as good")
    assert review_change(store, opened, 99, specialist()).prompt_version == "1.6.0"
    decided = [(one.state, one.by, one.why) for each in store.rollouts.all() for one in each.decisions]
    assert decided == [
        ("running", "ada", "try it"),
        ("rolled_back", "ada", "findings are lost"),
        ("running", "ada", "try it"),
        ("promoted", "grace", "as good"),
    ]


def test_a_version_within_its_slo_may_be_promoted(prompts: Path, store: Store) -> None:
    rollout = started(store, new_version(prompts))
    assert why_not_promote(rollout, [*reviews(3), a_review(4, dropped=1)]) == []


@pytest.mark.parametrize(
    ("seen", "problem"),
    [
        (reviews(2), "only 2 of 3 reviews"),
        ([], "only 0 of 3 reviews"),
        ([*reviews(2), *reviews(9, "old")], "only 2 of 3 reviews"),
        (reviews(3, dropped=1), "findings that the contract dropped: 3 of 30, above the SLO of 5%"),
        (reviews(3, rejected=1), "replies that the contract rejected"),
        (reviews(3, findings=0), "no model handed anything in"),
    ],
)
def test_what_prevents_a_promotion_is_said(store: Store, prompts: Path, seen: Any, problem: str) -> None:
    (said,) = why_not_promote(started(store, new_version(prompts)), seen)
    assert problem in said


def test_a_share_counts_the_reviews_of_its_arm() -> None:
    seen = [*reviews(3, dropped=2), *reviews(2, "old", dropped=1)]
    old, new = rate_in(seen, "old", "dropped"), rate_in(seen, "new", "dropped")
    assert old
    assert new
    assert ((old.count, old.n), (new.count, new.n)) == ((2, 20), (6, 30))
    assert rate_in([], "new", "dropped") is None


def test_each_reply_is_read_by_the_version_it_was_asked_for(
    store: Store, prompts: Path, opened: OpenedChange
) -> None:
    started(store, new_version(prompts))
    stale = specialist(says_version="2.0.0")
    report = review_change(store, opened, 1, stale)
    assert report.prompt_version == "1.5.0"
    assert {reply.state for reply in report.replies} == {"rejected"}
    counts = count_review(report)
    assert counts.replies == counts.incompatible == counts.rejected > 0
    assert "These are the words of 1.5.0." in stale.heard[0].instructions


def test_a_schema_version_is_tried_beside_the_current_one(
    store: Store, prompts: Path, opened: OpenedChange
) -> None:
    without_evidence = {name: value for name, value in FINDING.items() if name != "verification"}
    started(store, new_version(prompts, schema_version="1.0"))
    model = specialist(findings={"1.5.0": [without_evidence]})
    report = review_change(store, opened, 1, model)
    assert (report.schema_version, {reply.state for reply in report.replies}) == ("1.0", {"accepted"})
    assert "verification" not in str(model.heard[0].schema)


def test_a_schema_that_the_parser_does_not_read_is_not_rolled_out(store: Store, prompts: Path) -> None:
    with pytest.raises(SettingsError, match=r"the parser does not read schema version '1\.7'"):
        started(store, new_version(prompts, schema_version="1.7"))


def test_what_the_contract_makes_of_replies_is_counted(store: Store, opened: OpenedChange) -> None:
    said = [FINDING, {**FINDING, "id": "h", "line": "2"}, BROKEN_FINDING]
    report = review_with(opened, choose_prompts(store, opened.change), specialist(findings={"2.0.0": said}))
    counts = count_review(report)
    assert counts.replies > 0
    assert (counts.findings, counts.dropped, counts.coerced) == (
        3 * counts.replies,
        counts.replies,
        counts.replies,
    )


def test_a_reply_of_a_newer_schema_than_asked_for_is_read_by_the_one_asked_for(opened: OpenedChange) -> None:
    text = json.dumps(
        {"schema_version": "1.1", "prompt_version": "1.5.0", "findings": [{**FINDING, "verification": 0}]}
    )
    asked = Reply(specialist="logic", kind="model", text=text, prompt_version="1.5.0", schema_version="1.0")
    assert read_replies([asked], opened.change).replies[0].state == "accepted"
    current = asked.model_copy(update={"schema_version": None})
    assert read_replies([current], opened.change).replies[0].state == "all_dropped"


def test_the_newest_review_of_a_change_counts(store: Store, prompts: Path, opened: OpenedChange) -> None:
    rollout = started(store, new_version(prompts))
    for _ in range(3):
        review_change(store, opened, 1, specialist(findings={"1.5.0": [BROKEN_FINDING]}))
    assert len(store.rollouts.reviews(rollout.number)) == 1


def test_a_promotion_can_be_undone(store: Store, prompts: Path, opened: OpenedChange) -> None:
    promoted(store, prompts)
    assert choose_prompts(store, opened.change).prompts.version == "1.5.0"
    roll_back(store, by="ada", why="not so good")
    assert current_versions(store) == BUILT_IN
    assert choose_prompts(store, opened.change).prompts == current_prompts()
    with pytest.raises(InputError, match="nothing to roll back"):
        roll_back(store, by="ada", why="again")


def test_only_one_rollout_runs_at_a_time(store: Store, prompts: Path) -> None:
    started(store, new_version(prompts))
    with pytest.raises(InputError, match="another rollout is running"):
        started(store, new_version(prompts, "1.6.0"))


def test_the_current_version_is_not_rolled_out_again(store: Store) -> None:
    with pytest.raises(InputError, match="is already used by every review"):
        started(store, BUILT_IN)


def test_a_review_in_which_nobody_was_asked_does_not_count(
    store: Store, prompts: Path, opened: OpenedChange
) -> None:
    rollout = started(store, new_version(prompts))
    report = review_with(opened, choose_prompts(store, opened.change), specialist())
    nobody = report.model_copy(update={"replies": (), "candidates": ()})
    record_review(store, rollout.number, "new", "change 1", nobody)
    assert store.rollouts.reviews(rollout.number) == []


def test_work_outside_of_rollouts_is_not_drawn(store: Store, prompts: Path) -> None:
    started(store, new_version(prompts))
    assert choose_outside_rollouts(store).prompts.version == "2.0.0"
    roll_back(store, by="ada", why="once more")
    promoted(store, prompts)
    assert choose_outside_rollouts(store).prompts.version == "1.5.0"


def test_words_that_change_during_a_rollout_are_not_used(
    store: Store, prompts: Path, opened: OpenedChange
) -> None:
    started(store, new_version(prompts))
    specialist_prompt = prompts / "1.5.0" / "specialist.md"
    specialist_prompt.write_text(specialist_prompt.read_text() + "\nAnd more.\n")
    chosen = choose_prompts(store, opened.change)
    assert (chosen.prompts.version, chosen.rollout) == ("2.0.0", None)
    assert "their text has changed since the rollout began" in chosen.notice


def test_prompts_that_are_gone_do_not_stand_in_the_way_of_a_review(
    store: Store, prompts: Path, opened: OpenedChange
) -> None:
    started(store, new_version(prompts))
    (prompts / "1.5.0" / "logic.md").unlink()
    chosen = choose_prompts(store, opened.change)
    assert chosen.prompts.version == "2.0.0"
    assert "logic.md" in chosen.notice


def test_promoted_prompts_that_are_gone_are_an_error_that_says_what_to_do(
    store: Store, prompts: Path, opened: OpenedChange
) -> None:
    promoted(store, prompts)
    (prompts / "1.5.0" / "logic.md").unlink()
    with pytest.raises(SettingsError, match="promoted prompts 1.5.0 .* cannot be used: .*rollout rollback"):
        choose_prompts(store, opened.change)


def test_a_version_that_was_asked_for_counts_for_no_rollout(
    store: Store, prompts: Path, opened: OpenedChange
) -> None:
    started(store, new_version(prompts))
    for version in ("2.0.0", "1.5.0"):
        chosen = choose_prompts(store, opened.change, version=version)
        assert (chosen.prompts.version, chosen.rollout) == (version, None)


def test_a_store_that_is_not_there_is_not_made_by_looking(tmp_path: Path, opened: OpenedChange) -> None:
    store = open_store(tmp_path / "data")
    assert choose_prompts(store, opened.change).prompts == current_prompts()
    with pytest.raises(InputError):
        roll_back(store, by="ada", why="nothing")
    assert not (tmp_path / "data").exists()


def test_two_who_decide_at_once_leave_one_decision(store: Store, prompts: Path) -> None:
    rollout = started(store, new_version(prompts))
    decision = a_rollout().decisions[0].model_copy(update={"state": "rolled_back"})
    assert store.rollouts.conclude(rollout, decision)
    assert not store.rollouts.conclude(rollout, decision.model_copy(update={"state": "promoted"}))
