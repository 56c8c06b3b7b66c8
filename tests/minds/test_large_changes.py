"""A change that fits into no conversation is looked at in parts, and the report says who saw which lines."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from affidavit.agents.model_agents import LENSES
from affidavit.records.report import Report
from model_server import serving
from panelists import PLAN, claim, panelists, result, review, task_in, told_in
from repositories import Repo

FILES, LINES = 300, 80
FIRST, LAST = "pkg/m000.py", "pkg/m299.py"
EVERYBODY = {**PLAN, "questions": {lens: [] for lens in LENSES}}
MISSING = {
    "code_examined": "def f0(items):",
    "is_absence_finding": True,
    "searches": [{"pattern": "handles_empty", "paths": ["pkg/m000.py"]}],
}


def module(number: int) -> str:
    lines = [f"def f{number}(items):"]
    lines += [f"    total_{line} = items[{line}] + {number} * {line}" for line in range(LINES)]
    return "\n".join([*lines, "    return items", ""])


@dataclass
class Reviewed:
    """One review, and everything that the models were told."""

    report: Report
    told: list[str]
    sizes: list[int]

    def parts(self, lens: str) -> list[str]:
        return [told for told in self.told if task_in(told) == lens]


def reviewed(repo: Repo, specialist: Any) -> Reviewed:
    off = ("--analysers-off", "ty,kingfisher,ruff,references")
    said = json.dumps(
        [{"body": "On the first?", "file": FIRST}, {"body": "On the last?", "file": LAST}]
    ).encode()
    with serving(panelists(specialist, plan=EVERYBODY, is_one_cause=True)) as (address, script):
        done = review(repo.path, address, *off, "--discussion", "-", stdin=said)
    assert done.code in (0, 1), done.err
    bodies = [body for body in script.requests if len(body["messages"]) > 1]
    sizes = [len(json.dumps(body)) for body in script.requests]
    return Reviewed(Report.model_validate_json(done.out), [told_in(body) for body in bodies], sizes)


def first_and_last(told: str) -> dict[str, Any]:
    """What is missing, from whoever sees the first file; nothing from all others."""
    if task_in(told) == "logic" and "=== pkg/m000.py" in told:
        return result(claim("pkg/m000.py", 1, "def f0(items):", evidence=MISSING))
    return result()


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Reviewed:
    repo = Repo(tmp_path_factory.mktemp("many") / "repo")
    repo.commit("base", {"README": "x\n"})
    files: dict[str, str | bytes | None] = {f"pkg/m{number:03}.py": module(number) for number in range(FILES)}
    files["pkg/m299.py"] = "handles_empty = True\n"
    repo.commit("Add them all", files)
    return reviewed(repo, first_and_last)


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Reviewed:
    repo = Repo(tmp_path_factory.mktemp("long") / "repo")
    repo.commit("base", {"README": "x\n"})
    body = "\n\n".join(module(number) for number in range(370))
    assert body.count("\n") > 30_000
    repo.commit("Add it", {"long.py": body})
    found = claim("long.py", 20_000, body.split("\n")[19_999])
    return reviewed(
        repo, lambda told: result(found) if task_in(told) in ("logic", "reliability") else result()
    )


def test_every_file_of_300_is_shown_to_every_lens_once(many: Reviewed) -> None:
    for lens in ("logic", "reliability"):
        parts = many.parts(lens)
        assert len(parts) > 3
        shown = [part.count(f"=== pkg/m{number:03}.py ") for number in range(FILES) for part in parts]
        assert sum(shown) == FILES


def test_no_request_is_larger_than_a_conversation_holds(many: Reviewed, long: Reviewed) -> None:
    assert max([*many.sizes, *long.sizes]) < 600_000


def test_a_comment_is_read_with_the_part_that_it_speaks_of_and_by_the_planner(many: Reviewed) -> None:
    (planner,) = [told for told in many.told if told.endswith("Plan the review of this change.")]
    assert "On the first?" in planner
    assert "On the last?" in planner
    # The two talks are held at once; whichever is heard first says nothing.
    first, last = sorted(many.parts("triage"), key=lambda told: f"=== {LAST} " in told)
    assert ("On the first?" in first, "On the last?" in first) == (True, False)
    assert ("On the first?" in last, "On the last?" in last) == (False, True)


def test_each_part_says_what_else_the_change_touches(many: Reviewed) -> None:
    for part in many.parts("logic"):
        assert "Not in this part of the diff, but changed too:" in part
        assert "You see one part of a larger change." in part


def test_coverage_names_for_each_hunk_the_specialists_of_its_part(many: Reviewed) -> None:
    report = many.report
    assert report.plan is not None
    by_path = {path: chunk.number for chunk in report.plan.chunks for path in chunk.paths}
    for file in report.coverage:
        number = by_path.get(file.path)
        if number is None:
            continue
        name = "logic" if number == 1 else f"logic@{number}"
        logic = {who for who in file.hunks[0].examined_by if who.startswith("logic")}
        assert (file.state, logic) == ("examined", {name})
    assert report.incomplete == ()


def test_what_is_said_to_be_missing_is_searched_in_the_whole_change(many: Reviewed) -> None:
    (found,) = [one for one in many.report.candidates if one.kind == "model"]
    assert [f"{hit.path}:{hit.line}" for run in found.searches for hit in run.hits] == ["pkg/m299.py:1"]
    asked = [told for told in many.told if "pkg/m299.py:1: handles_empty = True" in told]
    assert len(asked) == 1


def test_every_line_of_a_file_of_30000_is_shown_to_every_lens_once(long: Reviewed) -> None:
    parts = long.parts("logic")
    assert len(parts) > 5
    numbers = [int(line.split(":")[0]) for part in parts for line in part.split("\n") if line.startswith("+")]
    assert sorted(numbers) == list(range(1, len(numbers) + 1))
    assert len(numbers) > 30_000
    assert all("Shown here in part only" in part for part in parts)


def test_a_part_of_a_long_file_begins_with_a_definition(long: Reviewed) -> None:
    for part in long.parts("logic"):
        first = next(line for line in part.split("\n") if line.startswith("+"))
        assert ": def f" in first


def test_coverage_says_who_saw_which_lines_of_a_long_hunk(long: Reviewed) -> None:
    (file,) = long.report.coverage
    (hunk,) = file.hunks
    assert (file.state, file.reason) == ("examined", "")
    logic = [[name for name in part.examined_by if name.startswith("logic")] for part in hunk.parts]
    assert logic == [["logic"], *[[f"logic@{number}"] for number in range(2, len(logic) + 1)]]
    assert sum(part.new_count for part in hunk.parts) == hunk.new_count


def test_one_model_in_several_parts_and_lenses_is_no_agreement_with_itself(long: Reviewed) -> None:
    (found,) = long.report.shown
    said = {one.specialist for one in long.report.candidates}
    assert len(said) > len({name.partition("@")[0] for name in said}) > 1
    assert found.agreed_by == ()


def test_a_verifier_reads_the_lines_around_a_claim_and_not_the_long_hunk(long: Reviewed) -> None:
    asked = [told for told in long.told if not task_in(told) and "# The finding" in told]
    assert asked
    assert max(len(told) for told in asked) < 40_000
