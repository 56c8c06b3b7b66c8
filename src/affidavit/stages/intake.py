"""Open the user's target as a Change with its pair of trees."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from affidavit.contract.reply_text import writable
from affidavit.diff.between import files_between, join_type_changes
from affidavit.diff.parse import FileDiff, parse_diff
from affidavit.diff.patched_tree import (
    PlacedDiff,
    describe_file,
    is_opaque,
    is_wholly_shown,
    place_diff,
    shown_tree,
)
from affidavit.diff.rebuild import OpenedChange, rebuild_change
from affidavit.errors import EmptyChangeError, InputError, MalformedDiffError, NotARepositoryError
from affidavit.git.command import Location
from affidavit.git.location import NOTHING_MORE, Allowed, find_repository, repository_name
from affidavit.git.objects import ObjectStore
from affidavit.git.repository import GitRepository, commit_tree
from affidavit.git.revisions import (
    RevisionRange,
    commits_between,
    find_commit,
    first_parent,
    merge_base,
    one_commit,
    parse_range,
    resolve_commit,
)
from affidavit.git.text import decode_path
from affidavit.git.tree import GitTree
from affidavit.git.worktree import Snapshot, snapshot_index, snapshot_working_tree
from affidavit.records.change import (
    Change,
    ChangeSource,
    Comment,
    Commit,
    Dismissed,
    FileChange,
    Revision,
    WordsFrom,
)
from affidavit.records.report import name_some

__all__ = ["ChangeRequest", "OpenedChange", "open_change", "rebuild_change"]

STANDARD_INPUT = "-"
MAX_DIFF_BYTES = 200_000_000
DIFF_ENDINGS = (".diff", ".patch", ".txt")


@dataclass(frozen=True)
class ChangeRequest:
    """The change to review; without a target, the uncommitted changes."""

    target: str | None = None
    staged: bool = False
    repo: Path | None = None
    title: str = ""
    description: str = ""
    diff_text: bytes | None = None
    """The diff itself, for the target `-`."""
    discussion: tuple[Comment, ...] = ()
    """Earlier comments on the change."""
    address: str | None = None
    """The pull request that the change is; its words and comments come from there."""
    dismissals: tuple[Dismissed, ...] = ()
    """People's decisions there on findings of earlier reviews."""
    allowed: Allowed = NOTHING_MORE
    """What the repository may read and run beyond its own folder."""
    may_be_empty: bool = False
    """Whether two equal trees also count as a change; an empty diff never does."""


@dataclass(frozen=True)
class TreePair:
    """The two trees of a change, and how the user would name them."""

    source: ChangeSource
    target: str
    base: GitTree
    head: GitTree
    tip: GitTree | None = None
    """The target branch, if the change was measured from one."""
    base_name: str = ""
    head_name: str = ""
    commits: tuple[Commit, ...] = ()
    default_title: str = ""
    notices: tuple[str, ...] = ()


def open_change(request: ChangeRequest) -> OpenedChange:
    """Open the change that is asked for. The caller closes it.

    A target that names both a revision and a file is the file if that holds a diff, else the revision.
    """
    if request.staged and request.target:
        raise InputError(f"--staged takes no target, but {request.target!r} was given")
    diff = _diff_text(request)
    try:
        location = find_repository(request.repo, request.allowed)
    except NotARepositoryError:
        if diff is None:
            _refuse_missing_file(request.target or "")
        if diff is None or request.repo is not None:
            raise
        return _open_diff(diff, request, None)
    with ObjectStore(location).closed_on_failure() as store:
        if diff is not None and _is_meant_as_diff(diff, request, store):
            return _open_diff(diff, request, store)
        return _opened(store, location, _sides(store, location, request), request)


def _diff_text(request: ChangeRequest) -> bytes | None:
    if request.diff_text is not None:
        return request.diff_text
    if request.target == STANDARD_INPUT:
        raise InputError("the target - means standard input, but no text came from there")
    if not request.target or "\0" in request.target:
        return None
    file = Path(request.target)
    try:
        if not file.is_file():
            return None
        if file.stat().st_size > MAX_DIFF_BYTES:
            raise InputError(f"{file} is larger than {MAX_DIFF_BYTES // 1_000_000} MB: too large for a diff")
        return file.read_bytes()
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from error


def _refuse_missing_file(target: str) -> None:
    """Raise for a missing file, before its name is looked up as a commit."""
    if target.startswith(("/", "./", "../", "~/")) or target.endswith(DIFF_ENDINGS):
        what = "is a folder, not a diff" if Path(target).is_dir() else "does not exist"
        raise InputError(f"{target} {what}; pass a diff file, a commit or a range")


def _is_meant_as_diff(diff: bytes, request: ChangeRequest, store: ObjectStore) -> bool:
    if request.diff_text is not None or not _names_revision(store, request.target or ""):
        return True
    try:
        parse_diff(diff)
    except (MalformedDiffError, EmptyChangeError):
        return False
    return True


def _names_revision(store: ObjectStore, target: str) -> bool:
    span = parse_range(target)
    names = (span.old, span.new) if span else (target,)
    return all(find_commit(store, name) for name in names)


# Changes between two trees of the repository


def _sides(store: ObjectStore, location: Location, request: ChangeRequest) -> TreePair:
    if request.staged:
        return _uncommitted(store, snapshot_index(store, location), "staged")
    if not request.target:
        snapshot = snapshot_working_tree(store, location, runs_filters=request.allowed.filters)
        return _uncommitted(store, snapshot, "working_tree")
    if not _names_revision(store, request.target):
        _refuse_missing_file(request.target)
    if span := parse_range(request.target):
        return _range(store, location, request.target, span)
    return _single_commit(store, location, request.target)


def _uncommitted(store: ObjectStore, snapshot: Snapshot, source: ChangeSource) -> TreePair:
    parent = find_commit(store, "HEAD")
    base = commit_tree(store, parent) if parent else GitTree(store, store.empty_tree())
    name, title = {
        "staged": ("index", "What is staged"),
        "working_tree": ("working tree", "What is not committed yet"),
    }[source]
    return TreePair(
        source=source,
        target="--staged" if source == "staged" else "",
        base=base,
        head=_uncommitted_tree(store, snapshot.tree, parent),
        base_name="HEAD" if parent else "nothing",
        head_name=name,
        default_title=title,
        notices=snapshot.notices,
    )


def _uncommitted_tree(store: ObjectStore, tree: str, parent: str | None) -> GitTree:
    return GitTree(store, tree, partial(store.write_commit, tree, parent), is_committed=False)


def _range(store: ObjectStore, location: Location, target: str, span: RevisionRange) -> TreePair:
    old, new = (resolve_commit(store, location, name) for name in (span.old, span.new))
    base = merge_base(store, location, old, new) if span.since_merge_base else old
    return TreePair(
        source="range",
        target=target,
        base=commit_tree(store, base),
        head=commit_tree(store, new),
        tip=commit_tree(store, old) if span.since_merge_base else None,
        base_name=span.old,
        head_name=span.new,
        commits=commits_between(store, base, new),
        default_title=target,
    )


def _single_commit(store: ObjectStore, location: Location, target: str) -> TreePair:
    commit = resolve_commit(store, location, target)
    parent = first_parent(store, location, commit)
    return TreePair(
        source="commit",
        target=target,
        base=commit_tree(store, parent) if parent else GitTree(store, store.empty_tree()),
        head=commit_tree(store, commit),
        base_name=f"{target}^" if parent else "nothing",
        head_name=target,
        commits=one_commit(store, commit),
        default_title=target,
    )


def _opened(store: ObjectStore, location: Location, sides: TreePair, request: ChangeRequest) -> OpenedChange:
    with ThreadPoolExecutor() as beside:
        # What both trees have is listed while git compares them.
        for tree in (sides.base, sides.head):
            beside.submit(tree.entries)
        repository = beside.submit(repository_name, store.git, location)
        files = files_between(store, sides.base, sides.head)
    change = _change(sides, files, request, repository.result())
    if change.why_empty and not request.may_be_empty:
        raise EmptyChangeError(change.why_empty)
    return OpenedChange(change, GitRepository(store, sides.base, sides.head, sides.tip), sides.notices)


def _change(
    sides: TreePair, files: tuple[FileChange, ...], request: ChangeRequest, repository: str | None
) -> Change:
    words = words_of_commits(sides.commits) if sides.commits else (sides.default_title, "")
    return Change(
        source=sides.source,
        target=writable(sides.target),
        repository=writable(repository) if repository else repository,
        request=request.address,
        title=writable(request.title or words[0]),
        title_from=_words_from(request.title, sides),
        description=writable(request.description or words[1]),
        description_from=_words_from(request.description, sides),
        base=_revision(sides.base, sides.base_name),
        head=_revision(sides.head, sides.head_name),
        tip=_revision(sides.tip, sides.base_name) if sides.tip else None,
        commits=sides.commits,
        files=files,
        discussion=request.discussion,
        dismissals=request.dismissals,
    )


def _revision(tree: GitTree, name: str) -> Revision:
    commit = tree.commit if tree.is_committed else None
    return Revision(tree=tree.revision, commit=commit, name=writable(name))


def _words_from(given: str, sides: TreePair) -> WordsFrom:
    return "given" if given else "commits" if sides.commits else "default"


def words_of_commits(commits: Sequence[Commit]) -> tuple[str, str]:
    """Return title and description from the commits, for a change without others."""
    if len(commits) == 1:
        return writable(commits[0].subject), writable(commits[0].body)
    # The first commit names the purpose; later ones are often "fix lint" and merges.
    others = len(commits) - 1
    listed = "\n".join(f"- {commit.subject}" for commit in commits)
    title = f"{commits[0].subject} (and {others} more commit{'s' * (others > 1)})"
    return writable(title), writable(listed)


# Changes that come as a diff


def _open_diff(data: bytes, request: ChangeRequest, store: ObjectStore | None) -> OpenedChange:
    files = parse_diff(data)
    placed = place_diff(store, files) if store else None
    if store and store.location and placed:
        return _placed(store, store.location, files, placed, request)
    why = "there is no repository here"
    if store:
        store.close()
        why = "no recent commit of this repository has what the diff was made from"
    return _unplaced(files, request, why)


def _placed(
    store: ObjectStore, location: Location, files: list[FileDiff], placed: PlacedDiff, request: ChangeRequest
) -> OpenedChange:
    head = _uncommitted_tree(store, placed.head_tree, placed.base.commit)
    notices = tuple(
        f"{decode_path(file.name)}: the diff does not contain its new content" for file in placed.unknown
    )
    sides = TreePair(
        source="diff",
        target=request.target or STANDARD_INPUT,
        base=placed.base,
        head=head,
        base_name=(placed.base.commit or "")[:12],
        head_name="diff",
        default_title=_diff_title(request),
        notices=notices,
    )
    unknown = (describe_file(file, placed.base, head, is_partial=False) for file in placed.unknown)
    changed = (*files_between(store, placed.base, head), *unknown)
    if placed.base.revision == head.revision and not any(is_opaque(file) for file in files):
        raise EmptyChangeError("nothing to review: the diff changes no line")
    change = _change(sides, changed, request, repository_name(store.git, location))
    return OpenedChange(change, GitRepository(store, placed.base, head), notices)


def _unplaced(files: list[FileDiff], request: ChangeRequest, why: str) -> OpenedChange:
    with ObjectStore(None).closed_on_failure() as store:
        base = shown_tree(store, files, "base")
        head = shown_tree(store, files, "head")
        changed = tuple(
            describe_file(file, base, head, is_partial=not is_wholly_shown(file))
            for file in join_type_changes(files)
        )
    sides = TreePair(
        source="diff",
        target=request.target or STANDARD_INPUT,
        base=base,
        head=head,
        base_name="diff",
        head_name="diff",
        default_title=_diff_title(request),
    )
    partial = [file.path for file in changed if file.is_partial]
    notice = f"{why}: only the lines that the diff shows are known of {name_some(partial)}"
    notices = (notice,) if partial else ()
    return OpenedChange(_change(sides, changed, request, None), GitRepository(store, base, head), notices)


def _diff_title(request: ChangeRequest) -> str:
    if not request.target or request.target == STANDARD_INPUT:
        return "A diff from standard input"
    return Path(request.target).name
