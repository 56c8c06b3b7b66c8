"""What the search for broken references finds and does not hand in is noted, with the reason."""

import asyncio

import pytest
from broken_shop import GONE, PYTHON, Files

from affidavit.analysers.references.specialist import BrokenReferences
from affidavit.analysers.rulebook import why_rules_are_off
from affidavit.config.settings import Settings
from affidavit.records.diagnostics import SetAside
from affidavit.records.finding import Severity
from python_changes import Case, Open

IMPORT, ATTRIBUTE = "references/removed-import", "references/removed-attribute"
GO: Files = {
    "go.mod": "module shop\n\ngo 1.22\n",
    "core/core.go": "package core\n\nfunc Load() int { return 1 }\n",
    "a/a.go": 'package a\n\nimport "shop/core"\n\nvar A = core.Load()\n',
    "b/b.go": 'package b\n\nimport "shop/core"\n\nvar B = core.Load()\n',
}
RENAMED_GO: Files = {"core/core.go": "package core\n\nfunc Fetch() int { return 1 }\n"}
LIB: Files = {"lib.ts": "export function load() { return 1 }\n"}
RENAMED: Files = {"lib.ts": "export function fetchAll() { return 1 }\n"}
USE = 'import { load } from "./lib"\nload()\n'


def set_aside(case: Case, *off: str) -> list[SetAside]:
    """What is noted; nothing is handed in, and every note has its record."""
    quiet = BrokenReferences(why_off=why_rules_are_off(Settings(rules_off=off)))
    assert quiet.look(case.case).breaks == ()
    notes = asyncio.run(quiet.examine(case.case)).diagnostics
    assert all(one.is_set_aside and one.specialist == "references" for one in notes)
    return [one.set_aside for one in notes if one.set_aside]


def test_what_a_rule_would_say_that_is_off_is_noted_in_each_file(case: Open) -> None:
    found = set_aside(case(GO, RENAMED_GO), ATTRIBUTE)
    assert [(one.rule, one.file, one.line) for one in found] == [
        (ATTRIBUTE, "a/a.go", 5),
        (ATTRIBUTE, "b/b.go", 5),
    ]
    assert {(one.reason, one.severity) for one in found} == {("the rule is off", Severity.HIGH)}
    assert "`core.Load`" in found[0].message


@pytest.mark.parametrize("comment", ["// @ts-ignore", "/* eslint-disable */", "// @ts-nocheck"])
def test_what_an_old_comment_silences_is_noted_with_the_comment(comment: str, case: Open) -> None:
    found = set_aside(case({**LIB, "app.ts": f"{comment}\n{USE}"}, RENAMED))
    assert [(one.rule, one.file, one.line) for one in found] == [(IMPORT, "app.ts", 2)]
    assert found[0].reason == f"`{comment}` in line 1 suppresses it since before the change"


def test_a_rule_that_is_off_by_its_twin_of_another_analyser_names_that_one(case: Open) -> None:
    one = case({**PYTHON, "app.py": "from shop.prices import total\n"}, GONE)
    (found,) = set_aside(one, "ty/import-not-found")
    assert (found.rule, found.reason) == (
        IMPORT,
        "ty/import-not-found, its duplicate, is off",
    )


def test_what_is_handed_in_leaves_no_note(case: Open) -> None:
    one = case({**PYTHON, "app.py": "from shop.prices import total\n"}, GONE)
    reply = asyncio.run(BrokenReferences().examine(one.case))
    assert (len(reply.suppressed), reply.diagnostics) == (1, ())


TWO_USES = "from shop import prices\n\nprices.total([])  # type: ignore\nprices.total([1])\n"


def test_an_old_comment_at_one_place_leaves_the_others_of_its_file_broken(case: Open) -> None:
    found = BrokenReferences().look(case({**PYTHON, "app.py": TWO_USES}, GONE).case)
    assert [(one.rule, one.line, one.suppressed_by) for one in found.breaks] == [(ATTRIBUTE, 4, "")]
    assert [(one.rule, one.line) for one, _ in found.dropped] == [(ATTRIBUTE, 3)]


def test_a_comment_of_the_change_at_one_place_withholds_no_other(case: Open) -> None:
    before = {**PYTHON, "app.py": TWO_USES.replace("  # type: ignore", "")}
    found = BrokenReferences().look(case(before, {**GONE, "app.py": TWO_USES}).case)
    assert [(one.line, one.suppressed_by) for one in found.breaks] == [(3, "line 3: # type: ignore"), (4, "")]
