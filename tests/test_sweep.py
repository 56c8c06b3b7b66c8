"""A sweep reviews the last commits of repositories, keeps what was shown, with labels, and goes on later."""

import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from bench.commits import revision_of
from bench.sweep import main
from bench.sweep_table import (
    LABELS,
    Shown,
    as_markdown,
    joined,
    objections,
    read_log,
    read_table,
    write_log,
    write_table,
)

from repositories import Repo

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "evaluation" / "sweep"
ROW = Shown("one", "a1", "high", "yes", "ruff/F821", "app.py:2", "`undefd` is not defined")


@pytest.fixture
def repository(tmp_path):
    """Three commits after the first: one with a fault, one clean, one that changes nothing."""
    repo = Repo(tmp_path / "one")
    repo.commit("Begin", {"app.py": "x = 1\n"})
    repo.commit("Break", {"app.py": "x = 1\nprint(undefd)\n"})
    repo.commit("Go on", {"notes.txt": "no code\n"})
    repo.git("commit", "--allow-empty", "-qm", "Say something")
    return repo


@dataclass(frozen=True)
class Swept:
    said: str
    error: str = ""


@pytest.fixture
def sweep(capsys):
    """The command, here: what it needs is loaded already, and the process of its reviews stays."""

    def run(out, *arguments):
        try:
            main([*map(str, arguments), "--out", str(out)])
        except SystemExit as ending:
            return Swept(capsys.readouterr().out, str(ending))
        return Swept(capsys.readouterr().out)

    return run


def test_what_was_shown_is_printed_and_kept(repository, tmp_path, sweep):
    done = sweep(tmp_path / "out", repository.path)
    assert "3 commits, 3 of them to review" in done.said
    assert "BLOCKING high" in done.said
    assert "shown: 1 findings in 1 commits\nblocking: 1 findings in 1 commits\n" in done.said
    assert "repositories: 1\ncommits: 3 (whole 2, empty 1)\n" in done.said
    assert f"reviewed by the revision: {revision_of(ROOT)} 3" in done.said
    assert "files: 2; read by a specialist, whole or in part: 2 of 2" in done.said
    [row] = read_table(tmp_path / "out" / "findings.tsv")
    assert (row.repository, row.severity, row.blocking, row.place) == ("one", "high", "yes", "app.py:2")
    assert row.commit == repository.git("rev-parse", "HEAD~2")[:12]


def test_it_is_a_command_of_its_own(repository, tmp_path):
    command = [sys.executable, "-m", "bench", "sweep", repository.path, "--commits", "0", "--out", tmp_path]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "0 commits, 0 of them to review" in done.stdout


def test_a_sweep_goes_on_where_it_stopped_and_keeps_labels(repository, tmp_path, sweep):
    out = tmp_path / "out"
    sweep(out, repository.path, "--commits", "2")
    done = sweep(out, repository.path)
    assert "3 commits, 1 of them to review" in done.said
    table = out / "findings.tsv"
    write_table(
        table, [replace(row, label="valid", reason="it raises NameError") for row in read_table(table)]
    )
    again = sweep(out, repository.path, "--again")
    assert "3 commits, 1 of them to review" in again.said
    assert [(row.label, row.reason) for row in read_table(table)] == [("valid", "it raises NameError")]


def test_what_another_revision_reviewed_is_renewed_in_its_place_and_nothing_else(repository, tmp_path, sweep):
    out = tmp_path / "out"
    sweep(out, repository.path)
    rows = read_log(out / "commits.jsonl")
    other = replace(rows[0], repository="two", shown=[replace(ROW, repository="two")])
    write_log(out / "commits.jsonl", [*(replace(row, revision="0ld") for row in rows[1:]), rows[0], other])
    write_table(out / "findings.tsv", [replace(ROW, repository="two", label="valid", reason="it fails")])
    done = sweep(out, repository.path, "--renew")
    assert "3 commits, 2 of them to review" in done.said
    renewed = read_log(out / "commits.jsonl")
    assert len((out / "commits.jsonl").read_text().splitlines()) == len(renewed) == 4
    assert "0ld" not in {row.revision for row in renewed}
    assert {row.state for row in read_table(out / "findings.tsv")} == {"shown"}


def test_a_review_that_ran_out_of_time_does_not_replace_one_that_was_done(repository, tmp_path, sweep):
    out = tmp_path / "out"
    sweep(out, repository.path, "--commits", "2")
    before = [replace(row, revision="0ld") for row in read_log(out / "commits.jsonl")]
    write_log(out / "commits.jsonl", before)
    done = sweep(out, repository.path, "--commits", "2", "--renew", "--timeout", "0.01")
    assert "ran out of time" in done.said
    assert read_log(out / "commits.jsonl") == before


def test_commits_of_a_day_and_later_can_be_left_out(repository, tmp_path, sweep):
    done = sweep(tmp_path / "out", repository.path, "--before", "2026-01-01")
    assert "0 commits, 0 of them to review" in done.said


def test_a_review_that_takes_too_long_is_ended_and_named(repository, tmp_path, sweep):
    done = sweep(tmp_path / "out", repository.path, "--timeout", "0.01", "--commits", "1")
    assert "ran out of time" in done.said


def test_a_folder_that_is_no_repository_is_named(tmp_path, sweep):
    done = sweep(tmp_path / "out", tmp_path)
    assert str(tmp_path) in done.error


def test_a_repository_is_named_by_where_it_came_from(repository, tmp_path, sweep):
    repository.git("remote", "add", "origin", "https://example.org/group/project.git")
    sweep(tmp_path / "out", repository.path)
    assert [row.repository for row in read_table(tmp_path / "out" / "findings.tsv")] == ["group/project"]


def test_a_labelled_finding_that_is_shown_no_more_stays_as_silent():
    before = replace(ROW, label="wrong", reason="a template")
    assert joined([], [before, replace(ROW, rule="ruff/F811")]) == [replace(before, state="silent")]


def test_a_label_follows_a_finding_whose_severity_changed():
    before = replace(ROW, label="nit", reason="tests only", severity="high")
    [row] = joined([replace(ROW, severity="low", blocking="no")], [before])
    assert (row.severity, row.label, row.state) == ("low", "nit", "shown")


def test_a_label_that_is_none_is_refused(tmp_path):
    write_table(tmp_path / "t.tsv", [replace(ROW, label="good")])
    with pytest.raises(SystemExit, match=", ".join(LABELS)):
        read_table(tmp_path / "t.tsv")


def test_what_has_no_label_in_a_table_that_is_kept_is_an_error(repository, tmp_path, sweep):
    out, kept = tmp_path / "out", tmp_path / "kept.tsv"
    write_table(kept, [])
    done = sweep(out, repository.path, "--labels", kept)
    assert "no label: one" in done.error
    write_table(
        kept, [replace(row, label="valid", reason="it fails") for row in read_table(out / "findings.tsv")]
    )
    again = sweep(out, "--labels", kept)
    assert again.error == ""
    assert "wrong, of the blocking: 0 of 1, 0% [0.0\u201379.3]" in again.said
    assert "commits that something wrong would have stopped: 0 of 3" in again.said


def test_a_blocking_finding_that_is_wrong_is_an_objection():
    wrong = replace(ROW, label="wrong", reason="a template")
    silent, small = replace(wrong, state="silent"), replace(wrong, blocking="no")
    assert objections([silent, small]) == []
    [said] = objections([wrong])
    assert said.startswith("blocking and wrong: one a1 ruff/F821 app.py:2")


def test_a_whole_tree_is_reviewed_as_if_it_were_new(repository, tmp_path, sweep):
    repository.commit("Leave the past alone", {"settings.txt": "x\n", "old.py": "print(gone)\n"})
    excluded = '[tool.ruff]\nexclude = ["old.py"]\n[tool.ty.src]\nexclude = ["old.py"]\n'
    repository.commit("Exclude", {"pyproject.toml": excluded})
    done = sweep(tmp_path / "out", repository.path, "--whole")
    assert "1 commits, 1 of them to review" in done.said
    assert [row.place for row in read_table(tmp_path / "out" / "findings.tsv")] == ["app.py:2"]


def test_everything_in_the_kept_sweep_was_read_and_nothing_that_blocks_is_wrong():
    assert objections(read_table(KEPT / "findings.tsv")) == []
    rows = [*read_table(KEPT / "findings.tsv"), *read_table(KEPT / "whole" / "findings.tsv")]
    assert all(row.label and row.reason for row in rows)


@pytest.mark.parametrize("folder", [KEPT, KEPT / "whole"], ids=["commits", "whole trees"])
def test_the_documents_have_the_figures_of_the_kept_sweep(folder):
    figures = as_markdown(read_log(folder / "commits.jsonl"), read_table(folder / "findings.tsv"))
    assert figures in (ROOT / "docs" / "measuring.md").read_text(encoding="utf-8")


def test_the_kept_sweep_names_every_shown_finding_once():
    for folder in (KEPT, KEPT / "whole"):
        shown = {one.key for row in read_log(folder / "commits.jsonl") for one in row.shown}
        assert shown == {row.key for row in read_table(folder / "findings.tsv") if row.state == "shown"}
