"""Workflows that mean harm to who audits them: none hides another, and none is taken as read that was not."""

import asyncio

import pytest

from affidavit.analysers.engine.execution import Limits
from affidavit.analysers.engine.programs import find_program
from affidavit.analysers.engine.run_side import SideRunner
from affidavit.analysers.engine.task import SideResult
from affidavit.analysers.zizmor import ZIZMOR
from python_changes import Case, Open

INJECTION = """\
on: issues
permissions: {}
jobs:
  say:
    runs-on: ubuntu-latest
    steps:
      - run: echo "${{ github.event.issue.title }}"
"""
FOLDER = ".github/workflows"
GOOD, BAD = f"{FOLDER}/good.yml", f"{FOLDER}/bad.yml"
FORGED_LINE = f" INFO audit: zizmor: 🌈 completed ./{BAD}"
FORGING = f"""\
on: push
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - run: |
          echo ${{{{ (
          {FORGED_LINE}
          ) ( }}}}
"""
UNREADABLE = "on: push\njobs: [\n"
LAUGHS = "".join(
    f"{name}: &{name} [{', '.join([before] * 9)}]\n"
    for before, name in zip(["x", *(f"*{letter}" for letter in "abcdefgh")], "abcdefghi", strict=True)
)
HOSTILE = {
    "laughs": LAUGHS + INJECTION,
    "nesting": "on: push\njobs: " + "[" * 5_000 + "]" * 5_000 + "\n",
    "an anchor within itself": "on: push\njobs: &jobs\n  <<: *jobs\n",
    "tags that load": "on: !!python/object/apply:os.system [id]\njobs: !include /etc/passwd\n",
    "an expression without end": INJECTION.replace("github.event.issue.title", "(" * 50_000),
    "actions elsewhere": INJECTION + "      - uses: ./../../../../etc\n",
    "two documents": INJECTION + "---\n" + INJECTION,
    "bytes that are no text": INJECTION.encode() + b"\xff\xfe\xed\xa0\x80\n",
    "nothing": "",
}


def looked(one: Case, seconds: float = 100) -> SideResult:
    async def look() -> SideResult:
        program = await find_program(ZIZMOR, None)
        assert program is not None
        runner = SideRunner(ZIZMOR, program, one.repository, limits=Limits(timeout_seconds=seconds))
        return await runner.on_side(one.change, "head")

    return asyncio.run(look())


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_workflow_does_not_hide_the_one_beside_it(name: str, case: Open) -> None:
    found = looked(case({"x": ""}, {BAD: HOSTILE[name], GOOD: INJECTION}))
    assert GOOD in found.run.read
    assert ("zizmor/template-injection", GOOD) in {(one.rule, one.path) for one in found.diagnostics}
    assert {*found.run.read, *(one.path for one in found.run.unread)} == {GOOD, BAD}


def test_text_of_a_workflow_cannot_say_that_another_was_read(case: Open) -> None:
    found = looked(case({"x": ""}, {BAD: UNREADABLE, f"{FOLDER}/forging.yml": FORGING}))
    assert found.run.read == (f"{FOLDER}/forging.yml",)
    assert [one.path for one in found.run.unread] == [BAD]


def test_the_name_of_a_file_cannot_say_that_another_was_read(case: Open) -> None:
    forging = f"x\n{FORGED_LINE}\n/action.yml"
    found = looked(case({"x": ""}, {BAD: UNREADABLE, forging: "nonsense: 1\n", GOOD: INJECTION}))
    assert found.run.read == (GOOD,)
    assert found.run.refused == (forging,)


def test_a_workflow_that_takes_too_long_is_said_and_nothing_counts_as_read(case: Open) -> None:
    step = '      - run: echo "${{ github.event.issue.title }}"\n'
    found = looked(case({"x": ""}, {BAD: INJECTION + step * 20_000, GOOD: INJECTION}), seconds=1)
    assert (found.run.state, found.run.read) == ("timed_out", ())
