"""A report that was changed anywhere does not pass: what its inputs come to is compared with all of it."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from affidavit.config.settings import Settings
from affidavit.recheck.additions import ADDED
from affidavit.recheck.fields import class_in
from affidavit.records.report import Report
from commands import affidavit
from long_tests import IS_LONG, seeded_chance
from model_server import serving
from remade import Machine, Made
from repositories import Repo
from scripted_model import model

BASE = {
    "affidavit.toml": 'severity_threshold = "low"\n',
    "app.py": "def total(items):\n    return sum(items)\n",
    ".affidavit/ignored.toml": '[[ignore]]\nfingerprint = "0123456789abcdef"\nwhy = "never"\n',
}
HEAD = {
    "app.py": "def total(items):\n    result = 1\n    for item in items:\n        result += itm\n"
    "    return result\n",
    "run.py": "import subprocess\n\n\ndef run(name):\n    subprocess.run(f'tar {name}', shell=True)\n",
    "notes.txt": "a\n",
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = Repo(tmp_path_factory.mktemp("forged"))
    repo.commit("Base", BASE)
    repo.commit("Sum by hand\n\nIt is faster.", HEAD)
    return repo


@pytest.fixture(scope="module")
def machine() -> Machine:
    return Machine()


@pytest.fixture(scope="module")
def mechanical(repository: Repo, machine: Machine) -> Made:
    done = affidavit("review", "HEAD", "--format", "report", "--no-store", cwd=repository.path)
    return Made(repository.path, json.loads(done.out), machine)


@pytest.fixture(scope="module")
def modelled(repository: Repo, machine: Machine) -> Made:
    with serving(model()) as (address, _):
        options = ("--model", "openai:scripted", "--base-url", address, "--format", "report", "--no-store")
        done = affidavit("review", "HEAD", *options, cwd=repository.path, env={"OPENAI_API_KEY": "none"})
    return Made(repository.path, json.loads(done.out), machine)


@pytest.fixture(params=["mechanical", "modelled"])
def made(request: pytest.FixtureRequest) -> Made:
    value: Made = request.getfixturevalue(request.param)
    return value


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


def changed(value: Any) -> Any:
    """Another value of the same kind, as a forger would write it."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        others = {"high": "low", "low": "high", "verified": "likely", "act": "nit", "head": "base"}
        return others.get(value, value + "x")
    if value is None:
        return "x"
    return ["x"] if value == [] else {"x": "x"}


def forged(content: Any, path: tuple[str, ...], change: Callable[[Any], Any] = changed) -> Any:
    copy = json.loads(json.dumps(content))
    place = copy
    for name in path[:-1]:
        place = place[int(name) if isinstance(place, list) else name]
    last: Any = int(path[-1]) if isinstance(place, list) else path[-1]
    place[last] = change(place[last])
    return copy


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
    """Derived: never holds. Free: still holds. On its word: whatever it comes to, no failure of ours."""
    wrong = []
    for path in tried(made.content):
        kind = class_in(made.content, path)
        outcome = made.outcome(forged(made.content, path))
        if (kind == "derived" and outcome is True) or (kind == "free" and outcome is False):
            wrong.append((".".join(path), kind, outcome))
    assert wrong == []


def each(content: Any, change: Callable[[Any], None], **updates: Any) -> Any:
    copy = json.loads(json.dumps(content))
    for candidate in copy["candidates"]:
        change(candidate)
    approve(copy)
    copy.update(updates)
    return copy


def approve(copy: Any) -> None:
    """What a forger would make of the verdict."""
    summary = "No problems found (linters only, no model)."
    copy["verdict"].update(decision="comment", blocking=[], summary=summary)
    copy["gate"].update(failed_by=[], exit_code=0)


def withheld(code: str, detail: str) -> Callable[[Any], None]:
    def change(candidate: Any) -> None:
        candidate["withheld"] = {"code": code, "detail": detail}

    return change


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
    "an older version of the report": lambda content: each(
        content, lambda _: None, candidates=[], inputs=None, report_version="1.0"
    ),
    "another version of the program": lambda content: each(
        content, lambda _: None, candidates=[], affidavit_version="0.0.1"
    ),
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
    assert mechanical.content["schema_version"] == "1.1"
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


def test_a_commit_that_is_not_here_excuses_only_what_it_says_of_itself(made: Made) -> None:
    elsewhere = forged(made.content, ("change", "head", "commit"), lambda _: "1" * 40)
    assert made.outcome(elsewhere) is None
    assert made.outcome(forged(elsewhere, ("candidates", "0", "steps", "0", "what"))) is False
    assert made.outcome(silenced(elsewhere, affidavit_version="9.9")) is False


def test_a_letter_that_was_lost_excuses_nothing_where_the_tree_is_here(made: Made) -> None:
    assert made.outcome(FORGERIES["a letter that was lost"](made.content)) is False


def test_the_commits_are_named_by_their_hashes(made: Made) -> None:
    """Their names are on the report's word."""
    renamed = forged(made.content, ("change", "head", "name"))
    details = [proof.detail for proof in made.recheck(renamed).proofs if proof.kind == "change"]
    commits = [made.content["change"][side]["commit"][:12] for side in ("base", "head")]
    sides = f"base commit {commits[0]}, head commit {commits[1]}"
    flags = " and flags" if "flag" in made.content["settings"]["origins"].values() else ""
    target = f"settings from the base commit{flags} (no target branch)"
    assert details == [f"{sides}, {target}, files and lines are as recorded"]


def test_the_base_of_a_commit_is_its_first_parent(repository: Repo, machine: Machine) -> None:
    """A tree of the forger's choice would hide what the commit adds."""
    tree = repository.git("rev-parse", "HEAD^{tree}")
    entries = [line for line in repository.git("ls-tree", tree).splitlines() if "notes.txt" not in line]
    chosen = repository.git("mktree", stdin="\n".join(entries).encode() + b"\n")
    other = repository.git("commit-tree", chosen, "-p", "HEAD~1", "-m", "Chosen")
    options = ("--format", "report", "--no-store")
    made = Made(
        repository.path,
        json.loads(affidavit("review", f"{other}..HEAD", *options, cwd=repository.path).out),
        machine,
    )
    assert made.outcome(made.content) is True
    as_commit = forged(made.content, ("change", "source"), lambda _: "commit")
    for forgery in (as_commit, forged(as_commit, ("change", "base", "commit"), lambda _: None)):
        done = made.recheck(forgery)
        details = [proof.detail for proof in done.proofs if proof.holds is False and proof.kind == "change"]
        assert ["is not its first parent" in one for one in details] == [True]
    without_commit = forged(made.content, ("change", "base", "commit"), lambda _: None)
    assert made.outcome(without_commit) is False
    details = [proof.detail for proof in made.recheck(without_commit).proofs if proof.kind == "change"]
    assert f"base tree {chosen[:12]}" in details[0]


def test_a_first_commit_is_compared_with_the_empty_tree(repository: Repo, machine: Machine) -> None:
    options = ("--format", "report", "--no-store")
    done = affidavit("review", "HEAD~1", *options, cwd=repository.path)
    made = Made(repository.path, json.loads(done.out), machine)
    details = [proof.detail for proof in made.recheck(made.content).proofs if proof.kind == "change"]
    assert made.outcome(made.content) is True
    assert details[0].startswith("base tree 4b825dc642cb")


@pytest.mark.parametrize("source", ["staged", "working_tree"])
def test_what_is_not_committed_starts_from_a_commit_or_from_nothing(
    repository: Repo, machine: Machine, source: str
) -> None:
    done = affidavit("review", "HEAD", "--format", "report", "--no-store", cwd=repository.path)
    made = Made(repository.path, json.loads(done.out), machine)
    without_commit = forged(made.content, ("change", "base", "commit"), lambda _: None)
    recheck = made.recheck(forged(without_commit, ("change", "source"), lambda _: source))
    details = [proof.detail for proof in recheck.proofs if proof.kind == "change" and proof.holds is False]
    assert ["names no commit at base" in one for one in details] == [True]


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


def test_a_title_that_somebody_gave_is_on_its_word(repository: Repo, machine: Machine) -> None:
    done = affidavit(
        "review", "HEAD", "--title", "A title", "--format", "report", "--no-store", cwd=repository.path
    )
    made = Made(repository.path, json.loads(done.out), machine)
    done_again = made.recheck(made.content)
    assert "title" in done_again.words
    assert all(proof.holds for proof in done_again.proofs)


def deleted(content: Any, *path: str, **updates: Any) -> Any:
    """A copy of the report without one field."""
    copy = json.loads(json.dumps(content))
    place = copy
    for name in path[:-1]:
        place = place[name]
    del place[path[-1]]
    return {**copy, **updates}


def test_a_field_that_came_later_than_the_report_is_no_difference(made: Made) -> None:
    older = deleted(made.content, "settings", "fold", report_version="2.0")
    done = made.recheck(older)
    assert [proof for proof in done.proofs if not proof.holds] == []
    assert "its version, 2.0: which fields it can have" in done.words


@pytest.mark.parametrize("version", ["2.0", "2.1"])
@pytest.mark.parametrize("name", ["severity_threshold", "analysers_off", "fail_on", "origins", "sources"])
def test_no_older_version_excuses_a_field_that_it_had(made: Made, name: str, version: str) -> None:
    assert made.outcome(deleted(made.content, "settings", name, report_version=version)) is False


def test_a_field_that_the_version_has_cannot_be_deleted(made: Made) -> None:
    assert made.outcome(deleted(made.content, "settings", "fold")) is False
    assert made.outcome(deleted(made.content, "change", "title_from")) is False


def test_what_follows_from_a_later_field_is_compared_where_the_field_is_lacking(
    tmp_path_factory: pytest.TempPathFactory, machine: Machine
) -> None:
    """Base says which rules are off and what folds; an older version does not hide what comes of it."""
    repo = Repo(tmp_path_factory.mktemp("folding"))
    repo.commit("Base", {"affidavit.toml": 'fold = "medium"\n', "app.py": "x = 1\n"})
    repo.commit("Change", {"app.py": "x = undefd\n"})
    done = affidavit("review", "HEAD", "--format", "report", "--no-store", cwd=repo.path)
    made = Made(repo.path, json.loads(done.out), machine)
    assert made.outcome(made.content) is True
    copy = deleted(made.content, "settings", "fold", report_version="2.0")
    assert made.outcome(copy) is not False
    del copy["settings"]["origins"]["fold"]
    assert made.outcome(copy) is False


def test_a_report_of_a_version_that_keeps_its_inputs_fails_without_them(made: Made) -> None:
    assert made.outcome({**made.content, "inputs": None}) is False
    assert made.outcome({**made.content, "inputs": None, "affidavit_version": "9.9"}) is False


@pytest.mark.parametrize("name", ["title", "description"])
def test_words_of_the_commits_cannot_be_others(made: Made, name: str) -> None:
    assert made.outcome(forged(made.content, ("change", name))) is False
    hidden = forged(made.content, ("change", name))
    hidden["change"][f"{name}_from"] = "default"
    assert made.outcome(hidden) is False


@pytest.mark.parametrize("name", ["prompt_version", "schema_version"])
def test_what_no_model_read_has_the_version_of_this_release(mechanical: Made, name: str) -> None:
    assert mechanical.outcome({**mechanical.content, name: "7.7.7"}) is False


def test_minds_that_nobody_asked_have_said_nothing(mechanical: Made, modelled: Made) -> None:
    for name in ("planner", "judgements"):
        copy = json.loads(json.dumps(mechanical.content))
        copy["inputs"][name] = modelled.content["inputs"][name]
        assert mechanical.outcome(copy) is False, name


def silenced(content: Any, **updates: Any) -> Any:
    """Everything that was found is gone, and every count says so."""
    copy = each(content, lambda _: None, candidates=[], replies=[], **updates)
    counts = copy["verdict"]["counts"]
    counts.update(candidates=0, shown=0, folded=0, withheld=0, blocking=0, withheld_by_code={})
    counts["by_severity"] = dict.fromkeys(counts["by_severity"], 0)
    return copy


def with_versions(content: Any, version: str) -> Any:
    """All analysers are said to have had another version, and to have found nothing."""
    copy = silenced(content)
    for run in [
        *copy["analyser_runs"],
        *(r for one in copy["inputs"]["replies"] for r in one["analyser_runs"]),
    ]:
        run["version"] = version
    for reply in copy["inputs"]["replies"]:
        found = json.loads(reply["text"] or "{}")
        reply["text"] = reply["text"] and json.dumps({**found, "findings": []})
    return copy


OTHER_VERSIONS: dict[str, Callable[[Any], Any]] = {
    "of Affidavit": lambda content: silenced(content, affidavit_version="9.9"),
    "of Affidavit, with replies": lambda content: {
        **silenced(content, affidavit_version="9.9"),
        "replies": [{**reply, "state": "clean", "findings": 0} for reply in content["replies"]],
    },
    "of the report": lambda content: silenced(content, report_version="9.9"),
    "of the first reports": lambda content: silenced(content, report_version="1.0", inputs=None),
    "of the analysers": lambda content: with_versions(content, "0.0.1"),
    "of Affidavit, everything of low severity": lambda content: each(
        content,
        lambda one: one["finding"] and one["finding"].update(severity="low"),
        affidavit_version="9.9",
    ),
    "of Affidavit, everything a nit": lambda content: each(
        content, lambda one: one.update(worth="nit"), affidavit_version="9.9"
    ),
    "of Affidavit, everything refuted": lambda content: each(
        content, withheld("refuted", "no"), affidavit_version="9.9"
    ),
    "of Affidavit, said not to have run and to have examined": lambda content: silenced(
        content,
        affidavit_version="9.9",
        not_run=[{"name": reply["specialist"], "reason": "off"} for reply in content["replies"]],
    ),
}


@pytest.mark.parametrize("forge", OTHER_VERSIONS.values(), ids=OTHER_VERSIONS.keys())
def test_another_version_excuses_nothing_that_blocks_in_every_version(
    made: Made, forge: Callable[[Any], Any]
) -> None:
    assert made.outcome(forge(made.content)) is False


def test_an_honest_report_of_another_version_does_not_fail(made: Made) -> None:
    assert made.outcome({**made.content, "affidavit_version": "9.9"}) is None


KEPT_FIELDS = Path(__file__).parent / "fields_2.0.txt"


def test_every_field_that_is_added_is_in_the_table_of_additions() -> None:
    """Or reports that were written before it would fail."""
    schemas = [Report.model_json_schema(), Settings.model_json_schema()]
    records = {schema["title"]: schema for schema in schemas if "title" in schema}
    for schema in schemas:
        records |= schema["$defs"]
    kept = set(KEPT_FIELDS.read_text().split())
    known = {name.partition(".")[0] for name in kept}
    fields = {
        f"{name}.{field}"
        for name, one in records.items()
        for field in one.get("properties", ())
        if name in known
    }
    new = {name.rpartition(".")[2] for name in fields - kept}
    added = {one.pattern.removesuffix(".**").rpartition(".")[2] for one in ADDED}
    assert new <= added
    # A record that came later may have got a field later still.
    assert added <= {field for one in records.values() for field in one.get("properties", ())}
