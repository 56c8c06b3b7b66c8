"""A report of another release is refused; an analyser of another version excuses nothing that blocks."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from affidavit import __version__
from affidavit.errors import InputError
from affidavit.ports import Case
from affidavit.proof.running.own_names import own_names
from affidavit.rechecking.check import without_commands
from affidavit.rechecking.derive import derive_change, derive_report, derived_settings
from affidavit.records.report import REPORT_VERSION, Report, why_not_derived
from affidavit.stages.intake import rebuild_change
from affidavit.stages.review import collect_replies
from commands import affidavit
from forging import each, silenced, withheld
from remade import Machine, Made
from repositories import Repo

OFF = 'analysers_off = ["kingfisher", "ty", "references"]\n'
TWO_NAMES = "def a():\n    return first\n\n\ndef b():\n    return second\n\n\ndef c():\n    return first\n"
MINOR = "def d(items=[]):\n    items.append(1)\n    return items\n"
ANOTHER_PATCH = __version__.rpartition(".")[0] + ".99"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    repo = Repo(tmp_path_factory.mktemp("versions"))
    repo.commit("Base", {"affidavit.toml": OFF, "app.py": "def a():\n    return 1\n"})
    repo.commit("Change", {"app.py": TWO_NAMES, "minor.py": MINOR})
    done = affidavit("review", "HEAD", "--format", "report", "--no-store", cwd=repo.path)
    return Made(repo.path, json.loads(done.out), Machine())


FORGED: dict[str, Callable[[Any], Any]] = {
    "as it was": lambda content: content,
    "silenced": silenced,
    "everything refuted": lambda content: each(content, withheld("refuted", "no")),
    "without inputs": lambda content: {**silenced(content), "inputs": {}},
}


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED.keys())
@pytest.mark.parametrize("version", ["9.9", "9.9.1", "0.0.1"])
def test_a_report_of_another_release_is_refused_and_the_release_named(
    made: Made, forge: Callable[[Any], Any], version: str
) -> None:
    with pytest.raises(InputError, match=rf"pip install affidavit=={version} "):
        made.recheck({**forge(made.content), "affidavit_version": version})


@pytest.mark.parametrize(
    "version",
    ["", "1", "latest", "9.9; rm -rf /", "9.9\x1b[31m", "9.9.9.9.9", "9" * 5000, "\u0661.\u0661", "9.9\n"],
)
def test_a_version_that_is_none_is_not_repeated(made: Made, version: str) -> None:
    with pytest.raises(InputError) as refused:
        made.recheck({**made.content, "affidavit_version": version})
    assert str(refused.value) == "the report does not name a release of Affidavit"


@pytest.mark.parametrize("version", ["9.9", "2.10", "0.9", "1.0\x1b[31m"])
def test_another_version_of_the_report_is_refused(made: Made, version: str) -> None:
    with pytest.raises(InputError, match=rf"does not have the version {REPORT_VERSION}"):
        made.recheck({**made.content, "report_version": version})


def test_releases_of_one_minor_line_derive_each_others_reports(made: Made) -> None:
    other = {**made.content, "affidavit_version": ANOTHER_PATCH}
    done = made.recheck(other)
    assert [proof for proof in done.proofs if not proof.holds] == []
    assert f"that Affidavit {ANOTHER_PATCH} made it" in done.words
    assert made.outcome(silenced(other)) is False


@pytest.mark.parametrize("version", ["0.1.0", "0.1", "0.1.7", "0.1.0rc1", "0.1.0.dev3", "0.1.2.post1"])
def test_the_minor_line_is_the_first_two_numbers(version: str) -> None:
    assert why_not_derived(version, REPORT_VERSION) == ""


def test_a_report_of_another_release_is_neither_rechecked_nor_posted(made: Made) -> None:
    place = made.folder.parent / "other.json"
    address = "https://github.com/owner/shop/pull/7"
    change = {**made.content["change"], "request": address}
    place.write_text(json.dumps({**made.content, "change": change, "affidavit_version": "9.9.1"}))
    for arguments in (("recheck", place, "--format", "json"), ("post", place), ("post", place, "--yes")):
        done = affidavit(*arguments, cwd=made.folder)
        assert (done.code, done.out) == (2, "")
        assert "pip install affidavit==9.9.1" in done.err


def test_a_report_whose_form_is_unknown_names_the_release_that_wrote_it(made: Made) -> None:
    place = made.folder.parent / "unreadable.json"
    place.write_text(json.dumps({"affidavit_version": "9.9.1", "report_version": "3.0", "new": 1}))
    done = affidavit("recheck", place, cwd=made.folder)
    assert (done.code, "pip install affidavit==9.9.1" in done.err) == (2, True)


def of_other_analysers(content: Any, version: str = "0.0.1") -> Any:
    """The report as if every analyser had had another version."""
    copy = json.loads(json.dumps(content))
    runs = [*copy["analyser_runs"], *(r for one in copy["inputs"]["replies"] for r in one["analyser_runs"])]
    for run in runs:
        run["version"] = version
    return copy


def unsaid(reply: Any, names: set[str]) -> None:
    """Take findings out of a recorded reply."""
    if names and reply["text"]:
        said = json.loads(reply["text"])
        said["findings"] = [one for one in said["findings"] if one["id"] not in names]
        reply["text"] = json.dumps(said)


def without(content: Any, *ids: str) -> Any:
    """The report as if these had never been found; every count says so."""
    copy = json.loads(json.dumps(content))
    gone = [one for one in copy["candidates"] if one["id"] in ids]
    assert len(gone) == len(ids)
    copy["candidates"] = [one for one in copy["candidates"] if one["id"] not in ids]
    verdict, counts = copy["verdict"], copy["verdict"]["counts"]
    verdict["blocking"] = [one for one in verdict["blocking"] if one not in ids]
    copy["gate"]["failed_by"] = [one for one in copy["gate"]["failed_by"] if one not in ids]
    counts["blocking"] = len(verdict["blocking"])
    for one in gone:
        counts["candidates"] -= 1
        counts["shown"] -= 1
        counts["folded"] -= one["folded"]
        counts["by_severity"][one["finding"]["severity"]] -= 1
    for reply in copy["inputs"]["replies"]:
        unsaid(reply, {one["finding"]["id"] for one in gone if one["specialist"] == reply["specialist"]})
    return copy


def by_line(made: Made) -> dict[int, str]:
    candidates = [one for one in made.content["candidates"] if one["finding"]["file"] == "app.py"]
    assert all(one["withheld"] is None for one in candidates)
    return {one["finding"]["line"]: one["id"] for one in candidates}


def minor(made: Made) -> str:
    (found,) = [one["id"] for one in made.content["candidates"] if one["finding"]["file"] == "minor.py"]
    assert found not in made.content["verdict"]["blocking"]
    return str(found)


def test_the_report_as_it_was_written_holds(made: Made) -> None:
    assert made.outcome(made.content) is True
    assert len(made.content["verdict"]["blocking"]) == 3


def test_an_honest_report_of_other_analysers_cannot_be_derived(made: Made) -> None:
    done = made.recheck(of_other_analysers(made.content))
    assert {proof.holds for proof in done.proofs if proof.kind == "analyser"} == {None}
    assert [proof for proof in done.proofs if proof.holds is False] == []


@pytest.mark.parametrize("line", [2, 6, 10])
def test_another_version_of_an_analyser_excuses_nothing_that_blocks(made: Made, line: int) -> None:
    gone = by_line(made)[line]
    assert made.outcome(without(of_other_analysers(made.content), gone)) is False


def as_it_would_follow(made: Made, content: Any) -> Any:
    """The report that follows from forged inputs: whoever forges well makes all of it fit."""
    report = Report.model_validate(content)
    with rebuild_change(report.change, made.folder) as opened:
        settings = derived_settings(report, opened.repository)
        case = Case(derive_change(report.change, opened.repository, settings), opened.repository)
        replies = asyncio.run(collect_replies(made.machine.assemble(without_commands(settings)), case))
        derived = derive_report(report, case, settings, replies, own_names(opened.repository))
        return asyncio.run(derived).report.model_dump(mode="json")


def test_silence_under_another_version_of_every_analyser_fails(made: Made) -> None:
    copy = of_other_analysers(made.content)
    for reply in copy["inputs"]["replies"]:
        unsaid(reply, {one["finding"]["id"] for one in made.content["candidates"]})
    silent = as_it_would_follow(made, copy)
    assert (silent["verdict"]["blocking"], silent["gate"]["exit_code"]) == ([], 0)
    failed = [proof.detail for proof in made.recheck(silent).proofs if proof.holds is False]
    assert len(failed) == 3
    assert all("which blocks" in detail for detail in failed)


def test_a_line_beside_is_the_same_place_for_another_version(made: Made) -> None:
    copy = of_other_analysers(made.content)
    (moved,) = [one for one in copy["candidates"] if one["id"] == by_line(made)[6]]
    moved["finding"]["line"] = 5
    failed = [proof.detail for proof in made.recheck(copy).proofs if proof.holds is False]
    assert [detail for detail in failed if "which blocks" in detail] == []


def test_an_analyser_that_was_asked_otherwise_fails(made: Made) -> None:
    copy = json.loads(json.dumps(made.content))
    for run in [r for one in copy["inputs"]["replies"] for r in one["analyser_runs"]]:
        run["command"] = run["command"] and [*run["command"], "--rule=other"]
    assert made.outcome(copy) is False


def test_an_analyser_that_is_said_to_have_had_nothing_to_do_fails(made: Made) -> None:
    copy = of_other_analysers(made.content)
    for reply in copy["inputs"]["replies"]:
        for run in reply["analyser_runs"]:
            run.update(state="nothing_to_do", command=[])
    assert made.outcome(copy) is False


@pytest.fixture(scope="module")
def renamed(tmp_path_factory: pytest.TempPathFactory) -> Made:
    repo = Repo(tmp_path_factory.mktemp("renamed"))
    use = "from lib import helper\n\nprint(helper())\n"
    off = OFF.replace(', "references"', "")
    repo.commit(
        "Base", {"affidavit.toml": off, "lib.py": "def helper():\n    return 1\n", "u1.py": use, "u2.py": use}
    )
    repo.commit("Change", {"lib.py": "def other():\n    return 1\n"})
    done = affidavit("review", "HEAD", "--format", "report", "--no-store", cwd=repo.path)
    return Made(repo.path, json.loads(done.out), Machine())


def test_a_place_that_a_blocking_finding_stands_for_is_left_out_by_no_version(renamed: Made) -> None:
    assert renamed.outcome(renamed.content) is True
    copy = of_other_analysers(renamed.content)
    assert renamed.outcome(copy) is not False
    (place,) = [one for one in copy["candidates"] if one["withheld"]]
    copy["candidates"].remove(place)
    counts = copy["verdict"]["counts"]
    counts["candidates"] -= 1
    counts["withheld"] -= 1
    counts["withheld_by_code"] = {}
    assert renamed.outcome(copy) is False
