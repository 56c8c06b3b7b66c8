"""A report that was changed anywhere does not pass: what its inputs come to is compared with all of it."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from forging import class_in, deleted, each, forged, withheld
from long_tests import IS_LONG, seeded_chance
from remade import Made


def test_a_report_as_it_was_written_holds_in_every_field(made: Made) -> None:
    done = made.recheck(made.content)
    assert [proof for proof in done.proofs if not proof.holds] == []
    assert made.content["verdict"]["blocking"]


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if isinstance(value, dict) and value:
        for name, item in value.items():
            yield from leaves(item, (*path, name))
    elif isinstance(value, list) and value:
        for number, item in enumerate(value):
            yield from leaves(item, (*path, str(number)))
    else:
        yield path


def one_of_each(content: Any) -> Iterator[tuple[str, ...]]:
    """A leaf of each kind of field: of a list's items, the first that has it."""
    seen: set[tuple[str, ...]] = set()
    for path in leaves(content):
        shape = tuple("*" if name.isdecimal() else name for name in path)
        if shape not in seen:
            yield path
        seen.add(shape)


def tried(content: Any) -> list[tuple[str, ...]]:
    """Of each part of a report a field of each class, and a quarter of the others; in long tests, all."""
    paths = list(one_of_each(content))
    if IS_LONG:
        return paths
    chance = seeded_chance()
    chance.shuffle(paths)
    of_each = {(path[0], class_in(content, path)): path for path in paths}
    others = sorted(set(paths) - set(of_each.values()))
    return [*of_each.values(), *chance.sample(others, len(others) // 4)]


def test_any_single_field_that_is_changed_does_what_its_class_says(made: Made) -> None:
    """Derived: never holds. Free: still holds. Not verified: whatever it comes to, no failure of ours."""
    wrong = []
    for path in tried(made.content):
        kind = class_in(made.content, path)
        outcome = made.outcome(forged(made.content, path))
        if (kind == "derived" and outcome is True) or (kind == "free" and outcome is False):
            wrong.append((".".join(path), kind, outcome))
    assert wrong == []


def without_candidates(content: Any, **settings: Any) -> Any:
    copy = each(content, lambda _: None, candidates=[])
    copy["settings"].update(settings)
    return copy


def answered(role: str) -> Any:
    usage = {"role": role, "model": "large", "requests": 1}
    return {"outcome": "answered", "text": '{"groups": []}', "usage": usage}


FORGERIES: dict[str, Callable[[Any], Any]] = {
    "analysers switched off": lambda content: without_candidates(
        content, analysers_off=["ty", "ruff", "references"]
    ),
    "analysers switched off by a flag that nobody gave": lambda content: without_candidates(
        content, analysers_off=["ty", "ruff"], origins={"analysers_off": "flag"}
    ),
    "rules switched off": lambda content: without_candidates(content, rules_off=["ruff/F821", "ruff/S602"]),
    "everything a duplicate": lambda content: each(content, withheld("duplicate_of", "ruff-0")),
    "everything a nit": lambda content: each(content, lambda one: one.update(worth="nit")),
    "everything folded": lambda content: each(content, lambda one: one.update(worth="maybe")),
    "everything dismissed": lambda content: each(content, withheld("dismissed", "never")),
    "everything refuted": lambda content: each(content, withheld("refuted", "no")),
    "everything suppressed": lambda content: each(content, withheld("suppressed", "noqa")),
    "everything below the threshold": lambda content: each(content, withheld("below_threshold", "low")),
    "everything of low severity": lambda content: each(
        content, lambda one: one["finding"] and one["finding"].update(severity="low")
    ),
    "no candidate at all": lambda content: each(content, lambda _: None, candidates=[]),
    "no input at all": lambda content: each(content, lambda _: None, candidates=[], inputs=None),
    "an empty file list": lambda content: {**content, "change": {**content["change"], "files": []}},
    "coverage of a file that is not there": lambda content: {
        **content,
        "coverage": [*content["coverage"], {**content["coverage"][0], "path": "other.py"}],
    },
    "an excuse for every specialist": lambda content: each(
        content,
        lambda _: None,
        candidates=[],
        replies=[{**reply, "state": "none", "findings": 0} for reply in content["replies"]],
        not_run=[{"name": reply["specialist"], "reason": "off"} for reply in content["replies"]],
    ),
    "another gate": lambda content: {
        **content,
        "gate": {"fail_on": "critical", "failed_by": [], "exit_code": 0},
        "settings": {**content["settings"], "fail_on": "critical"},
    },
    "another author": lambda content: forged(content, ("change", "commits", "0", "author")),
    "another subject": lambda content: forged(content, ("change", "commits", "0", "subject")),
    "another summary": lambda content: forged(content, ("verdict", "summary")),
    "another fingerprint": lambda content: forged(content, ("candidates", "0", "fingerprint")),
    "another step": lambda content: forged(content, ("candidates", "0", "steps", "0", "what")),
    "analysers that are called minds": lambda content: {
        **content,
        "candidates": [{**one, "kind": "outside"} for one in content["candidates"]],
        "inputs": {
            **content["inputs"],
            "replies": [{**reply, "kind": "outside"} for reply in content["inputs"]["replies"]],
        },
    },
    "a commit without a commit": lambda content: {
        **content,
        "change": {**content["change"], "head": {**content["change"]["head"], "commit": None}},
    },
    "a joiner invented, or taken out": lambda content: forged(
        content, ("inputs", "joiner"), lambda joiner: None if joiner else answered("joiner")
    ),
    "a severity that was claimed": lambda content: forged(
        content, ("candidates", "0", "claimed_severity"), lambda _: "low"
    ),
    "other findings carried": lambda content: forged(
        content, ("candidates", "0", "carries"), lambda _: [content["candidates"][1]["fingerprint"]]
    ),
    "a first wording": lambda content: forged(
        content,
        ("candidates", "0", "first_wording"),
        lambda _: {"title": "a", "message": "b", "severity": "low"},
    ),
    "a judged severity": lambda content: forged(
        content, ("candidates", "0", "judgements", "0", "severity"), lambda _: "low"
    ),
    "every file excused": lambda content: forged(
        content, ("change", "files"), lambda files: [{**file, "excused": True} for file in files]
    ),
    "analysers that had nothing to do": lambda content: {
        **content,
        "analyser_runs": [{**run, "state": "nothing_to_do"} for run in content["analyser_runs"]],
    },
    "a letter that looks the same": lambda content: json.loads(
        json.dumps(content).replace("ruff-", "ru\uff46f-")
    ),
    "another order": lambda content: {**content, "candidates": content["candidates"][::-1]},
    "replies cut off": lambda content: forged(content, ("inputs", "replies"), lambda replies: replies[:2]),
    "an answer twice": lambda content: forged(
        content, ("inputs", "replies"), lambda replies: [*replies, replies[0]]
    ),
    "a setting that nobody can choose": lambda content: forged(
        content, ("settings", "origins"), lambda origins: {**origins, "zzz": "flag"}
    ),
    "problems by a flag": lambda content: forged(
        content, ("settings", "origins"), lambda origins: {**origins, "problems": "flag"}
    ),
    "a letter that was lost": lambda content: forged(
        forged(content, ("change", "files", "0", "hunks", "0", "lines", "0"), lambda line: f"{line}\ufffd"),
        ("change", "files", "0", "new_blob"),
        lambda _: "1" * 40,
    ),
    "files skipped": lambda content: {
        **content,
        "change": {
            **content["change"],
            "files": [{**file, "skipped": "generated"} for file in content["change"]["files"]],
        },
    },
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES.keys())
def test_a_forged_report_does_not_hold(made: Made, forge: Callable[[Any], Any]) -> None:
    assert made.outcome(forge(made.content)) is not True


def judgements_of(content: Any, change: Callable[[Any], Any]) -> Any:
    return forged(content, ("inputs", "judgements"), change)


def test_a_judgement_that_nobody_asked_for_does_not_hold(modelled: Made) -> None:
    assert modelled.content["inputs"]["judgements"]
    twice = judgements_of(modelled.content, lambda given: [*given, given[0]])
    of_nothing = judgements_of(modelled.content, lambda given: [*given, {**given[0], "candidate": "x-0"}])
    assert modelled.outcome(twice) is False
    assert modelled.outcome(of_nothing) is False


def test_nobody_has_spent_anything_where_no_model_was_asked(mechanical: Made) -> None:
    spent = [{"role": "verifier", "model": "large", "requests": 4}]
    assert mechanical.outcome({**mechanical.content, "usage": spent}) is False


@pytest.mark.parametrize("version", ["1.0", "1.2"])
def test_a_schema_that_no_model_was_asked_for_is_that_of_the_release(mechanical: Made, version: str) -> None:
    assert mechanical.content["schema_version"] == "1.3"
    assert mechanical.outcome({**mechanical.content, "schema_version": version}) is False


@pytest.mark.parametrize("path", [("measured",), ("usage",), ("analyser_runs", "0", "is_cached")])
def test_a_field_that_nobody_proves_is_not_deleted_either(made: Made, path: tuple[str, ...]) -> None:
    copy = json.loads(json.dumps(made.content))
    place = copy
    for name in path[:-1]:
        place = place[int(name) if isinstance(place, list) else name]
    del place[path[-1]]
    assert made.outcome(copy) is False


def test_the_figure_of_an_error_rate_is_named_as_on_its_word(made: Made) -> None:
    rate = {"count": 0, "n": 1000, "share": 0.0, "low": 0.0, "high": 0.004}
    words = made.recheck({**made.content, "measured": rate}).words
    assert any("the error rate of the installation: wrong: 0%" in one and "n=1000" in one for one in words)


@pytest.mark.parametrize("name", ["said_by", "folded", "agreed_by"])
def test_a_field_is_not_deleted_because_it_has_its_usual_value(made: Made, name: str) -> None:
    usual = {"said_by": [], "folded": False, "agreed_by": []}
    at = next(number for number, one in enumerate(made.content["candidates"]) if one[name] == usual[name])
    copy = json.loads(json.dumps(made.content))
    del copy["candidates"][at][name]
    assert made.outcome(copy) is False


def test_a_letter_that_was_lost_excuses_nothing_where_the_tree_is_here(made: Made) -> None:
    assert made.outcome(FORGERIES["a letter that was lost"](made.content)) is False


def test_the_request_is_listed_as_on_its_word(made: Made) -> None:
    address = "https://github.com/owner/other/pull/7"
    words = made.recheck(forged(made.content, ("change", "request"), lambda _: address)).words
    assert f"that it is a review of {address}" in words


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("id", "9f3c"),
        ("id", "{9f3c0a52-8d6e-4d0c-9d0b-2f6f0a3f1e11}"),
        ("created_at", "yesterday"),
        ("created_at", "2026-01-02"),
        ("created_at", "2026-01-02T03:04:05"),
    ],
)
def test_the_id_is_a_uuid_and_the_time_a_time(mechanical: Made, name: str, text: str) -> None:
    done = mechanical.recheck({**mechanical.content, name: text})
    failed = [proof.detail for proof in done.proofs if proof.holds is False]
    assert [name in one and text in one for one in failed] == [True]


def test_what_is_on_its_word_is_listed(modelled: Made) -> None:
    words = " | ".join(modelled.recheck(modelled.content).words)
    assert "the planner's answer, by scripted" in words
    assert "replies by scripted: logic" in words
    assert "judgements by scripted" in words
    assert "chosen by flag: model = openai:scripted" in words
    assert "title" not in words


def test_a_field_cannot_be_deleted(made: Made) -> None:
    assert made.outcome(deleted(made.content, "settings", "fold")) is False
    assert made.outcome(deleted(made.content, "change", "title_from")) is False


def test_a_report_without_its_inputs_does_not_hold(made: Made) -> None:
    assert made.outcome(deleted(made.content, "inputs")) is False
    with pytest.raises(ValidationError):
        made.recheck({**made.content, "inputs": None})


@pytest.mark.parametrize("name", ["prompt_version", "schema_version"])
def test_what_no_model_read_has_the_version_of_this_release(mechanical: Made, name: str) -> None:
    assert mechanical.outcome({**mechanical.content, name: "7.7.7"}) is False


def test_minds_that_nobody_asked_have_said_nothing(mechanical: Made, modelled: Made) -> None:
    for name in ("planner", "judgements"):
        copy = json.loads(json.dumps(mechanical.content))
        copy["inputs"][name] = modelled.content["inputs"][name]
        assert mechanical.outcome(copy) is False, name
