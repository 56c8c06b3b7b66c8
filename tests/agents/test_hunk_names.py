"""Each hunk is told by the definitions that it changes."""

import pytest

from affidavit.agents.map_text import MAX_NAMES, names_in
from affidavit.records.change import Change
from affidavit.records.context import SymbolChange
from affidavit.stages.intake import ChangeRequest, open_change
from affidavit.symbols.changed import symbol_changes
from repositories import Repo

FILLER = "".join(f"\tstep{number}()\n" for number in range(8))
GO = f"package grpc\n\nfunc adjustParams() {{\n{FILLER}}}\n\nfunc resetTransport() {{\n\tbackoff := 1\n}}\n"


def changed(repo: Repo, path: str, before: str, after: str | None) -> tuple[Change, list[SymbolChange]]:
    repo.commit("base", {path: before})
    repo.commit("head", {path: after})
    with open_change(ChangeRequest(target="HEAD", repo=repo.path)) as opened:
        return opened.change, symbol_changes(opened.change, opened.repository)


def named(change: Change, symbols: list[SymbolChange]) -> list[str]:
    return [names_in(hunk, file, symbols) for file in change.files for hunk in file.hunks]


def test_a_hunk_is_named_after_what_it_changes_and_not_after_what_stands_above_it(repo: Repo) -> None:
    change, symbols = changed(repo, "clientconn.go", GO, GO.replace("backoff := 1", "backoff := 2"))
    assert "adjustParams" in change.files[0].hunks[0].heading
    assert named(change, symbols) == ["resetTransport"]


def test_a_hunk_over_several_definitions_is_named_after_each(repo: Repo) -> None:
    before = "def one():\n    return 1\n\n\nclass Cart:\n    def two(self):\n        return 2\n"
    change, symbols = changed(repo, "app.py", before, before.replace("return", "yield"))
    assert named(change, symbols) == ["one, Cart.two"]


def test_a_hunk_that_only_removes_is_named_after_what_is_gone(repo: Repo) -> None:
    before = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"
    change, symbols = changed(repo, "app.py", before, before.partition("\n\n\n")[0] + "\n")
    assert named(change, symbols) == ["two"]


def test_a_hunk_outside_of_every_definition_has_no_name(repo: Repo) -> None:
    before = "def one():\n" + "    step()\n" * 9 + "\n\none()\n"
    change, symbols = changed(repo, "app.py", before, before.replace("\n\none()", "\n\none(1)"))
    assert "one" in change.files[0].hunks[0].heading
    assert named(change, symbols) == [""]


def test_of_a_hunk_over_very_many_definitions_a_few_are_named_and_the_rest_counted(repo: Repo) -> None:
    after = "".join(f"def step_{number}():\n    pass\n" for number in range(MAX_NAMES + 3))
    change, symbols = changed(repo, "app.py", "", after)
    assert named(change, symbols)[0].startswith("step_0, step_1, ")
    assert named(change, symbols)[0].endswith(" and 3 more")


@pytest.mark.parametrize("path", ["notes.unknown", "script.lua"])
def test_where_no_grammar_reads_a_file_the_heading_of_git_is_kept(repo: Repo, path: str) -> None:
    before = "heading one\n" + "  step\n" * 9
    change, symbols = changed(repo, path, before, before + "  last\n")
    assert named(change, symbols) == [change.files[0].hunks[0].heading] == ["heading one"]
