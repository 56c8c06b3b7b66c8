"""A report cannot name another change, another base or other words of the commits than git has."""

import json
from pathlib import Path

import pytest

from commands import affidavit
from forging import forged, silenced
from remade import Machine, Made
from repositories import Repo


def test_a_commit_that_is_not_here_excuses_only_what_it_says_of_itself(made: Made) -> None:
    elsewhere = forged(made.content, ("change", "head", "commit"), lambda _: "1" * 40)
    assert made.outcome(elsewhere) is None
    assert made.outcome(forged(elsewhere, ("candidates", "0", "steps", "0", "what"))) is False
    assert made.outcome(silenced(elsewhere)) is False


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


def test_a_merge_base_that_is_called_the_tip_of_the_target_is_said(tmp_path: Path, machine: Machine) -> None:
    repo = Repo(tmp_path / "parted")
    base = repo.commit("Base", {"a.py": "a = 1\n"})
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit("Change", {"a.py": "a = 2\n"})
    repo.git("checkout", "-q", "main")
    tip = repo.commit("Go on", {"b.py": "b = 1\n"})
    done = affidavit("review", "main...feature", "--format", "report", "--no-store", cwd=repo.path)
    made = Made(repo.path, json.loads(done.out), machine)
    said = f"that main was at {base[:12]}; it is at {tip[:12]} here"
    assert said not in made.recheck(made.content).words
    tree = repo.git("rev-parse", f"{base}^{{tree}}")
    relabelled = forged(made.content, ("change", "tip", "commit"), lambda _: base)
    relabelled = forged(relabelled, ("change", "tip", "tree"), lambda _: tree)
    assert said in made.recheck(relabelled).words


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


@pytest.mark.parametrize("name", ["title", "description"])
def test_words_of_the_commits_cannot_be_others(made: Made, name: str) -> None:
    assert made.outcome(forged(made.content, ("change", name))) is False
    hidden = forged(made.content, ("change", name))
    hidden["change"][f"{name}_from"] = "default"
    assert made.outcome(hidden) is False


def test_a_title_that_somebody_gave_is_on_its_word(repository: Repo, machine: Machine) -> None:
    done = affidavit(
        "review", "HEAD", "--title", "A title", "--format", "report", "--no-store", cwd=repository.path
    )
    made = Made(repository.path, json.loads(done.out), machine)
    done_again = made.recheck(made.content)
    assert "title" in done_again.words
    assert all(proof.holds for proof in done_again.proofs)
