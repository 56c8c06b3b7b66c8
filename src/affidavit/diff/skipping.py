"""Mark the changed files that are skipped, each with its reason, and whether they are excused.

A change must not hide itself: only base, and the target branch's tip where it is known, excuse a file. What a
file says of itself, a vendored folder and attributes count only if base has them already. Unreadable files
(a new lock, a minified or binary file) are skipped without an excuse and prevent an approval.
"""

import re
from collections.abc import Callable, Sequence
from functools import cached_property

from affidavit.diff.hunks import fill_gaps
from affidavit.git.glob import matches_file
from affidavit.git.text import is_binary
from affidavit.git.tree import REGULAR_MODES
from affidavit.languages.test_files import EXAMPLE_PLACE, TEST_PLACE
from affidavit.ports import Repository, Tree
from affidavit.records.change import Change, FileChange, SkipReason

LOCK_FILES = frozenset((
    "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb",
    "deno.lock", "poetry.lock", "pdm.lock", "uv.lock", "pixi.lock", "pipfile.lock", "pylock.toml",
    "conda-lock.yml", "cargo.lock", "gemfile.lock", "composer.lock", "go.sum", "go.work.sum", "gopkg.lock",
    "mix.lock", "pubspec.lock", "podfile.lock", "package.resolved", "flake.lock", "gradle.lockfile",
    "packages.lock.json", "paket.lock", "cartfile.resolved", "requirements.lock", ".terraform.lock.hcl",
    "module.bazel.lock",
))  # fmt: skip
VENDORED_FOLDERS = frozenset((
    "vendor", "vendors", "_vendor", "third_party", "third-party", "thirdparty", "node_modules",
    "bower_components", "site-packages", ".yarn", "godeps",
))  # fmt: skip
_MINIFIED_NAME = re.compile(r"[.-]min\.(js|mjs|cjs|css)$|\.(js|css)\.map$|\.bundle\.js$", re.IGNORECASE)
_GENERATED_NAME = re.compile(
    r"_pb2(_grpc)?\.pyi?$|\.pb\.(go|cc|h|gw\.go|validate\.go)$|_grpc\.pb\.go$|\.pb\.dart$|_pb\.(js|d\.ts|ts)$"
    r"|\.g\.(cs|dart)$|\.freezed\.dart$|\.designer\.cs$|\.generated\.\w+$|_generated\.\w+$|\.gen\.\w+$"
    r"|zz_generated\.[\w.]+$|(^|/)__generated__/|(^|/)generated/",
    re.IGNORECASE,
)
_GENERATED_MARK = re.compile(
    # Written so that the pattern does not match this file.
    r"@generat(?:ed)\b|\bcode generat(?:ed) by\b.*\bdo not edit\b|\bautomatically generat(?:ed)\b.*\bdo not\b"
    r"|<auto-generat(?:ed)|\bgenerat(?:ed) by\b.*\b(?:compiler|do not edit|do not modify)\b",
    re.IGNORECASE,
)
MARK_LINES = 40
"""A licence may precede the mark."""
LONG_LINE = 5_000
DRAWING = ".svg"
MEDIA_ENDINGS = tuple(
    f".{ending}"
    for ending in (
        *("avif", "bmp", "gif", "ico", "icns", "jpeg", "jpg", "png", "tif", "tiff", "webp"),
        *("eot", "otf", "ttf", "woff", "woff2"),
        *("flac", "m4a", "mov", "mp3", "mp4", "ogg", "wav", "webm"),
    )
)
"""Pictures, fonts, sound and film."""
MINIFIED_ENDINGS = (".js", ".mjs", ".cjs", ".css", ".svg", ".json")


def mark_skipped(
    change: Change, repository: Repository, leaves_out: Callable[[str], bool] = lambda _path: False
) -> Change:
    """Set a reason at every file that is skipped; the settings leave paths out."""
    attributes = [Attributes(tree) for tree in repository.excusing]
    before = _AlreadyThere(repository.excusing)

    def by_place(path: str) -> SkipReason | None:
        if leaves_out(path):
            return SkipReason.EXCLUDED
        by_attributes = _for_all([_by_attributes(path, one) for one in attributes])
        return by_attributes or _by_name(path, before)

    files = []
    for file in change.files:
        reasons = [by_place(name) for name in _names(file)]
        reason = _unreadable(file, repository) or _for_all(reasons) or _by_content(file, repository)
        is_excused = reason is not None and _is_excused(file, reason, before)
        marked = file.model_copy(update={"skipped": reason, "excused": is_excused})
        files.append(marked if reason else _shown_whole_if_moved(marked, repository, by_place))
    return change.model_copy(update={"files": tuple(files)})


def _names(file: FileChange) -> list[str]:
    return [name for name in (file.path, file.old_path) if name is not None]


def _for_all(reasons: Sequence[SkipReason | None]) -> SkipReason | None:
    """Return the first reason, if all paths or trees have one."""
    return reasons[0] if all(reasons) else None


def _shown_whole_if_moved(
    file: FileChange, repository: Repository, by_place: Callable[[str], SkipReason | None]
) -> FileChange:
    """Show all lines of a file that comes from another kind of place, where nobody reviewed them."""
    old, new = file.base_path or file.old_path, file.head_path
    content = repository.head.read(new) if new else None
    if old is None or new is None or content is None or file.is_partial or file.is_binary:
        return file.model_copy(update={"came_from": ""})
    before, after = (
        _kind(path, by_place(path) or _by_own_words(path, tree.lines(path) or []))
        for path, tree in ((old, repository.base), (new, repository.head))
    )
    if before == after:
        return file.model_copy(update={"came_from": ""})
    return file.model_copy(update={"came_from": before, "hunks": fill_gaps(file.hunks, content)})


def _kind(path: str, reason: SkipReason | None) -> str:
    if reason is not None:
        return str(reason)
    places = (("tests", TEST_PLACE), ("examples", EXAMPLE_PLACE))
    return " and ".join(name for name, place in places if place.search(path)) or "product"


class _AlreadyThere:
    """The names that all trees have already."""

    def __init__(self, trees: Sequence[Tree]) -> None:
        self._trees = trees

    @cached_property
    def locks(self) -> frozenset[str]:
        return self._named(lambda path: path.rsplit("/", 1)[-1] if is_lock(path) else "")

    @cached_property
    def vendored(self) -> frozenset[str]:
        return self._named(_vendored_folder)

    def _named(self, name_of: Callable[[str], str]) -> frozenset[str]:
        found = ({name for path in tree.entries() if (name := name_of(path))} for tree in self._trees)
        return frozenset.intersection(*map(frozenset, found))


def _is_excused(file: FileChange, reason: SkipReason, before: _AlreadyThere) -> bool:
    """Check whether base, or the user who chose the paths, excuses the file from review."""
    if file.is_link and reason is not SkipReason.EXCLUDED:
        # A link may lead anywhere.
        return False
    match reason:
        case SkipReason.TOO_LARGE | SkipReason.SUBMODULE:
            return False
        case SkipReason.BINARY:
            # Pictures, sound and film are not read; other binary files may be run.
            return all(name.lower().endswith(MEDIA_ENDINGS) for name in _names(file))
        case SkipReason.LOCK:
            return file.base_path is not None or file.path.rsplit("/", 1)[-1] in before.locks
        case SkipReason.MINIFIED:
            return file.base_path is not None
    return True


def _unreadable(file: FileChange, repository: Repository) -> SkipReason | None:
    if file.is_submodule:
        return SkipReason.SUBMODULE
    if file.is_binary:
        return SkipReason.BINARY
    tree = repository.base if file.head_path is None else repository.head
    entry = tree.entry(file.path)
    if entry is None or entry.mode not in REGULAR_MODES or tree.lines(file.path) is not None:
        return None
    content = tree.read(file.path)
    return (
        SkipReason.BINARY if content is not None and is_binary(content, file.path) else SkipReason.TOO_LARGE
    )


def _by_name(path: str, before: _AlreadyThere) -> SkipReason | None:
    reason = next((reason for reason, says in _NAME_TESTS if says(path)), None)
    is_new_folder = reason is SkipReason.VENDORED and _vendored_folder(path) not in before.vendored
    return None if is_new_folder else reason


def is_lock(path: str) -> bool:
    return path.rsplit("/", 1)[-1].lower() in LOCK_FILES


def _vendored_folder(path: str) -> str:
    """Return the outermost vendored folder of a path; empty if there is none."""
    parts = path.split("/")[:-1]
    depths = (depth for depth, part in enumerate(parts, start=1) if part.lower() in VENDORED_FOLDERS)
    return "/".join(parts[: next(depths, 0)])


_NAME_TESTS: tuple[tuple[SkipReason, Callable[[str], object]], ...] = (
    (SkipReason.LOCK, is_lock),
    (SkipReason.VENDORED, _vendored_folder),
    (SkipReason.MINIFIED, _MINIFIED_NAME.search),
)


def is_written_elsewhere(path: str, attributes: "Attributes") -> bool:
    """Check by name and attributes for a lock, vendored, minified or generated file, or a drawing."""
    is_named = any(says(path) for _, says in _NAME_TESTS) or _GENERATED_NAME.search(path) is not None
    return is_named or path.lower().endswith(DRAWING) or _by_attributes(path, attributes) is not None


def _by_attributes(path: str, attributes: "Attributes") -> SkipReason | None:
    if attributes.says(path, "linguist-generated"):
        return SkipReason.GENERATED
    return SkipReason.VENDORED if attributes.says(path, "linguist-vendored") else None


def _by_content(file: FileChange, repository: Repository) -> SkipReason | None:
    if file.base_path is None:
        return None
    reasons = {
        _by_own_words(path, tree.lines(path) or [])
        for path, tree in (
            *((file.base_path, tree) for tree in repository.excusing),
            (file.head_path, repository.head),
        )
        if path is not None
    }
    return reasons.pop() if len(reasons) == 1 else None


def _by_own_words(path: str, lines: Sequence[str]) -> SkipReason | None:
    if _has_mark(lines):
        return SkipReason.GENERATED
    return SkipReason.MINIFIED if is_packed(path, lines) else None


def _has_mark(lines: Sequence[str]) -> bool:
    return _GENERATED_MARK.search("\n".join(line[:LONG_LINE] for line in lines[:MARK_LINES])) is not None


def is_packed(path: str, lines: Sequence[str]) -> bool:
    """Check for lines as long as minifiers make them."""
    return path.endswith(MINIFIED_ENDINGS) and any(len(line) > LONG_LINE for line in lines)


class Attributes:
    """The .gitattributes of a tree; a deeper folder and a later line win."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._rules: dict[str, list[tuple[str, list[str]]]] = {}

    def says(self, path: str, attribute: str) -> bool:
        """Check whether the attribute is set or true for a path."""
        is_set = False
        folders = path.split("/")[:-1]
        for depth in range(len(folders) + 1):
            folder = "".join(f"{part}/" for part in folders[:depth])
            for pattern, words in self._rules_of(folder):
                if any(attribute in word for word in words) and matches_file(
                    path.removeprefix(folder), pattern
                ):
                    is_set = _last_word(words, attribute, is_set)
        return is_set

    def _rules_of(self, folder: str) -> list[tuple[str, list[str]]]:
        if folder not in self._rules:
            lines = self._tree.lines(f"{folder}.gitattributes") or []
            rows = [line.split() for line in lines if line.strip() and not line.lstrip().startswith("#")]
            self._rules[folder] = [(row[0], row[1:]) for row in rows]
        return self._rules[folder]


def _last_word(words: Sequence[str], attribute: str, before: bool) -> bool:
    is_set = before
    for word in words:
        name, _, value = word.lstrip("-!").partition("=")
        if name == attribute:
            is_set = not word.startswith(("-", "!")) and value in ("", "true")
    return is_set
