"""Find the commits that people name."""

import difflib
import re
from dataclasses import dataclass

from affidavit.errors import GitError, InputError, UnknownRevisionError
from affidavit.git.command import Git, Location, complaint
from affidavit.git.objects import ObjectStore
from affidavit.records.change import Commit

MAX_COMMITS = 500
NAMES_OF_HERE = ("HEAD", "@")


@dataclass(frozen=True)
class RevisionRange:
    """`A..B`, or `A...B` for what B did since it left A."""

    old: str
    new: str
    since_merge_base: bool


def parse_range(target: str) -> RevisionRange | None:
    """Read a range; nothing after the dots means HEAD. None if the text is no range."""
    match = re.fullmatch(r"(.*?)(\.{2,3})([^.].*|)", target, re.DOTALL)
    if match is None or target.strip(".") == "":
        return None
    old, dots, new = match.groups()
    # Nothing before the dots means an empty variable in a script; HEAD would make an empty change.
    return RevisionRange(old, new or "HEAD", dots == "...") if old else None


def find_commit(store: ObjectStore, name: str) -> str | None:
    """Return the commit that a name means: None if there is none, an error if there are two."""
    if not name or name.startswith("-") or "\0" in name or "\n" in name:
        return None
    done = store.git.attempt("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    found = done.stdout.decode().strip()
    # `^main` resolves, too: to `^` and the id, which excludes a commit and names none.
    if done.returncode != 0 or not found.isalnum():
        return None
    plain = re.split(r"[~^:]|@\{", name)[0]
    if plain not in NAMES_OF_HERE:
        _refuse_ambiguous(store, plain)
    return found


def _refuse_ambiguous(store: ObjectStore, name: str) -> None:
    """Raise if a tag, a branch and a commit share a name: one could be pushed to replace another."""
    prefixes = ("", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/")
    listed = store.git.attempt("show-ref", "--dereference", "--", name).stdout.decode("utf-8", "replace")
    found: dict[str, str] = {}
    for line in listed.split("\n"):
        commit, _, reference = line.partition(" ")
        # The commit of an annotated tag comes after the tag itself.
        reference = reference.removesuffix("^{}")
        if reference in [f"{prefix}{name}" for prefix in prefixes]:
            found[reference] = commit
    if found and re.fullmatch(r"[0-9a-f]{4,39}", name):
        commits = store.git.run("rev-parse", f"--disambiguate={name}").decode().split()
        found |= {f"commit {one}": one for one in commits if store.kind(one) == "commit"}
    if len(set(found.values())) > 1:
        meanings = " and ".join(f"{meaning} ({commit[:12]})" for meaning, commit in sorted(found.items()))
        raise InputError(f"{name!r} is ambiguous: it means {meanings}; write the one that you mean in full")


def branch_named(git: Git, name: str) -> str:
    """Return the branch that a name means; empty for a commit's id, a tag or anything computed."""
    if name in NAMES_OF_HERE:
        done = git.attempt("symbolic-ref", "--quiet", "--short", "HEAD")
        return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else ""
    short = name.removeprefix("refs/heads/").removeprefix("refs/remotes/")
    for prefix in ("refs/heads/", "refs/remotes/"):
        done = git.attempt("rev-parse", "--verify", "--quiet", "--end-of-options", f"{prefix}{short}")
        if done.returncode == 0:
            return short if prefix == "refs/heads/" else short.partition("/")[2]
    return ""


def is_part_of(git: Git, commit: str, other: str) -> bool:
    """Check whether a commit is another one or an ancestor of it; a missing one is not."""
    return git.attempt("merge-base", "--is-ancestor", commit, other).returncode == 0


def resolve_commit(store: ObjectStore, location: Location, name: str) -> str:
    """Return the id of the commit that a name means, or raise an error that says what to do."""
    found = find_commit(store, name)
    if found:
        return found
    if name == "HEAD":
        raise UnknownRevisionError("there is no commit yet: review uncommitted changes instead")
    advice = "; check the spelling, or run `git fetch` if only the remote has it"
    if location.is_shallow:
        advice = f"; this clone is shallow and may lack it: {shallow_clone_advice()}"
    elif close := _close_names(store, name):
        advice = f"; did you mean {' or '.join(close)}?"
    raise UnknownRevisionError(f"there is no commit called {name!r} here{advice}")


def shallow_clone_advice() -> str:
    """Name the command that gets the history which a shallow clone lacks."""
    return (
        "run `git fetch --unshallow` (or `git fetch --deepen=100`) and try again; "
        "that contacts the remote that the repository names (`git remote -v` shows it)"
    )


def _close_names(store: ObjectStore, name: str) -> list[str]:
    listed = store.git.run("for-each-ref", "--count=5000", "--format=%(refname:short)")
    return difflib.get_close_matches(name, listed.decode("utf-8", "replace").split("\n"), n=3, cutoff=0.7)


def merge_base(store: ObjectStore, location: Location, old: str, new: str) -> str:
    """Return the last commit that two histories share."""
    done = store.git.attempt("merge-base", old, new)
    if done.returncode == 0:
        return done.stdout.decode().split()[0]
    if done.returncode != 1:
        raise GitError(f"git merge-base failed: {complaint(done.stderr)}")
    if location.is_shallow:
        raise UnknownRevisionError(
            f"this clone is shallow and lacks the commit where the two sides parted: {shallow_clone_advice()}"
        )
    raise InputError("the two sides have no commit in common: use A..B to compare them as they are")


def first_parent(store: ObjectStore, location: Location, commit: str) -> str | None:
    """Return the first parent of a commit; None for a root commit."""
    # The object itself is read: at the edge of a shallow clone git pretends that there is no parent.
    content = store.git.run("cat-file", "commit", commit)
    header = content.split(b"\n\n", 1)[0].split(b"\n")
    parents = [line.split(b" ", 1)[1].decode() for line in header if line.startswith(b"parent ")]
    if not parents:
        return None
    if store.kind(parents[0]) is None:
        raise UnknownRevisionError(
            f"the parent of {commit[:12]} is not in this clone"
            + (f", which is shallow: {shallow_clone_advice()}" if location.is_shallow else "")
        )
    return parents[0]


def commits_between(store: ObjectStore, old: str | None, new: str) -> tuple[Commit, ...]:
    """Return the last 500 commits of new that are not in old, oldest first."""
    span = [f"^{old}"] if old else []
    return _log(store, f"--max-count={MAX_COMMITS}", "--topo-order", new, *span)


def one_commit(store: ObjectStore, commit: str) -> tuple[Commit, ...]:
    return _log(store, "--max-count=1", commit)


def _log(store: ObjectStore, *args: str) -> tuple[Commit, ...]:
    form = "--format=%H%n%an%n%aI%n%s%n%b"
    listed = store.git.run("log", "-z", "--reverse", "--no-color", "--encoding=UTF-8", form, *args, "--")
    return tuple(_commit(text) for text in listed.decode("utf-8", "replace").split("\0") if text)


def _commit(text: str) -> Commit:
    sha, author, date, subject, body = text.split("\n", 4)
    return Commit(sha=sha, author=author, date=date, subject=subject, body=body.strip())
