"""Mark the changed files that are not looked at, each with its reason, and whether they are excused.

A change must not be able to hide itself: only base excuses a file from being looked at. What a file says of
itself (a mark in its first lines, or lines as long as a minifier makes them) is believed only where base says
it already, and a vendored folder only where base has it. Attributes (`linguist-generated`,
`linguist-vendored`) come from base. What nobody can read with profit (a new lock, a minified or binary file)
is skipped without an excuse: it stands between the change and an approval.
"""

import re
from collections.abc import Callable, Sequence
from functools import cached_property

from affidavit.git.search.glob import matches_any, matches_file
from affidavit.git.text import is_binary
from affidavit.git.tree import REGULAR_MODES
from affidavit.ports import Repository, Tree
from affidavit.records.change import Change, FileChange, SkipReason

LOCK_FILES = frozenset(
    {
        "package-lock.json",
        "npm-shrinkwrap.json",
        "yarn.lock",
        "pnpm-lock.yaml",
        "bun.lock",
        "bun.lockb",
        "deno.lock",
        "poetry.lock",
        "pdm.lock",
        "uv.lock",
        "pixi.lock",
        "pipfile.lock",
        "pylock.toml",
        "conda-lock.yml",
        "cargo.lock",
        "gemfile.lock",
        "composer.lock",
        "go.sum",
        "go.work.sum",
        "gopkg.lock",
        "mix.lock",
        "pubspec.lock",
        "podfile.lock",
        "package.resolved",
        "flake.lock",
        "gradle.lockfile",
        "packages.lock.json",
        "paket.lock",
        "cartfile.resolved",
        "requirements.lock",
        ".terraform.lock.hcl",
        "module.bazel.lock",
    }
)
VENDORED_FOLDERS = frozenset(
    {
        "vendor",
        "vendors",
        "_vendor",
        "third_party",
        "third-party",
        "thirdparty",
        "node_modules",
        "bower_components",
        "site-packages",
        ".yarn",
        "godeps",
    }
)
_MINIFIED_NAME = re.compile(r"[.-]min\.(js|mjs|cjs|css)$|\.(js|css)\.map$|\.bundle\.js$", re.IGNORECASE)
_GENERATED_NAME = re.compile(
    r"_pb2(_grpc)?\.pyi?$|\.pb\.(go|cc|h|gw\.go|validate\.go)$|_grpc\.pb\.go$|\.pb\.dart$|_pb\.(js|d\.ts|ts)$"
    r"|\.g\.(cs|dart)$|\.freezed\.dart$|\.designer\.cs$|\.generated\.\w+$|_generated\.\w+$|\.gen\.\w+$"
    r"|zz_generated\.[\w.]+$|(^|/)__generated__/|(^|/)generated/",
    re.IGNORECASE,
)
_GENERATED_MARK = re.compile(
    # Spelled so that the pattern does not mark this very file.
    r"@generat(?:ed)\b|\bcode generat(?:ed) by\b.*\bdo not edit\b|\bautomatically generat(?:ed)\b.*\bdo not\b"
    r"|<auto-generat(?:ed)|\bgenerat(?:ed) by\b.*\b(?:compiler|do not edit|do not modify)\b",
    re.IGNORECASE,
)
MARK_LINES = 40
"""A licence may stand above the mark."""
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
    change: Change, repository: Repository, include: Sequence[str] = (), exclude: Sequence[str] = ()
) -> Change:
    """The change with a reason set at every file that is skipped. `include` means: only these paths."""
    attributes, before = Attributes(repository.base), _Before(repository.base)
    files = []
    for file in change.files:
        reason = (
            _unreadable(file, repository)
            or _filtered(file, include, exclude)
            or _by_attributes(file, attributes)
            or _by_name(file, before)
            or _by_content(file, repository)
        )
        is_excused = reason is not None and _is_excused(file, reason, before)
        files.append(file.model_copy(update={"skipped": reason, "excused": is_excused}))
    return change.model_copy(update={"files": tuple(files)})


class _Before:
    """What base has already, by name."""

    def __init__(self, base: Tree) -> None:
        self._base = base

    @cached_property
    def locks(self) -> frozenset[str]:
        """The names of its lock files."""
        return frozenset(path.rsplit("/", 1)[-1] for path in self._base.entries() if _is_lock(path))

    @cached_property
    def vendored(self) -> frozenset[str]:
        """Its vendored folders."""
        return frozenset(folder for path in self._base.entries() if (folder := _vendored_folder(path)))


def _is_excused(file: FileChange, reason: SkipReason, before: _Before) -> bool:
    """Whether base, or the user who chose the paths, says that it need not be looked at."""
    if file.is_link and reason is not SkipReason.EXCLUDED:
        # Whatever stands around it, a link may lead anywhere.
        return False
    match reason:
        case SkipReason.TOO_LARGE | SkipReason.SUBMODULE:
            return False
        case SkipReason.BINARY:
            # What is seen or heard is not read; anything else that is binary may be run.
            return file.path.lower().endswith(MEDIA_ENDINGS)
        case SkipReason.LOCK:
            return file.base_path is not None or file.path.rsplit("/", 1)[-1] in before.locks
        case SkipReason.MINIFIED:
            return file.base_path is not None
    return True


def _filtered(file: FileChange, include: Sequence[str], exclude: Sequence[str]) -> SkipReason | None:
    is_included = not include or matches_any(file.path, include)
    return None if is_included and not matches_any(file.path, exclude) else SkipReason.EXCLUDED


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


def _by_name(file: FileChange, before: _Before) -> SkipReason | None:
    # A file that the change renames into a skipped place was reviewed before, and still is.
    names = [name for name in (file.path, file.base_path) if name is not None]
    for reason, says in _NAME_TESTS:
        if all(says(name) for name in names):
            is_new_folder = (
                reason is SkipReason.VENDORED and _vendored_folder(file.path) not in before.vendored
            )
            return None if is_new_folder else reason
    return None


def _is_lock(path: str) -> bool:
    return path.rsplit("/", 1)[-1].lower() in LOCK_FILES


def _is_vendored(path: str) -> bool:
    return bool(_vendored_folder(path))


def _vendored_folder(path: str) -> str:
    """The outermost folder of other people's code that a file lies in; empty: none."""
    parts = path.split("/")[:-1]
    depths = (depth for depth, part in enumerate(parts, start=1) if part.lower() in VENDORED_FOLDERS)
    return "/".join(parts[: next(depths, 0)])


def _has_minified_name(path: str) -> bool:
    return _MINIFIED_NAME.search(path) is not None


_NAME_TESTS: tuple[tuple[SkipReason, Callable[[str], bool]], ...] = (
    (SkipReason.LOCK, _is_lock),
    (SkipReason.VENDORED, _is_vendored),
    (SkipReason.MINIFIED, _has_minified_name),
)


def is_written_elsewhere(path: str, attributes: "Attributes") -> bool:
    """By its name, or by what base says of it: a lock, vendored, minified or generated file, or a drawing."""
    is_named = any(says(path) for _, says in _NAME_TESTS) or _GENERATED_NAME.search(path)
    if is_named or path.lower().endswith(DRAWING):
        return True
    return attributes.says(path, "linguist-generated") or attributes.says(path, "linguist-vendored")


def _by_attributes(file: FileChange, attributes: "Attributes") -> SkipReason | None:
    path = file.base_path or file.path
    if attributes.says(path, "linguist-generated"):
        return SkipReason.GENERATED
    return SkipReason.VENDORED if attributes.says(path, "linguist-vendored") else None


def _by_content(file: FileChange, repository: Repository) -> SkipReason | None:
    texts = [
        (path, tree.lines(path) or [])
        for path, tree in ((file.base_path, repository.base), (file.head_path, repository.head))
        if path is not None
    ]
    if file.base_path is None:
        return None
    if all(_has_mark(lines) for _, lines in texts):
        return SkipReason.GENERATED
    return SkipReason.MINIFIED if all(is_packed(path, lines) for path, lines in texts) else None


def _has_mark(lines: Sequence[str]) -> bool:
    return any(_GENERATED_MARK.search(line[:LONG_LINE]) for line in lines[:MARK_LINES])


def is_packed(path: str, lines: Sequence[str]) -> bool:
    """The file has lines as long as a minifier makes them."""
    return path.endswith(MINIFIED_ENDINGS) and any(len(line) > LONG_LINE for line in lines)


class Attributes:
    """What the .gitattributes files of a tree say of a path; a deeper folder and a later line win."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._rules: dict[str, list[tuple[str, list[str]]]] = {}

    def says(self, path: str, attribute: str) -> bool:
        """The attribute is set, or has the value true."""
        is_set = False
        folders = path.split("/")[:-1]
        for depth in range(len(folders) + 1):
            folder = "".join(f"{part}/" for part in folders[:depth])
            for pattern, words in self._rules_of(folder):
                if _speaks_of(words, attribute) and matches_file(path.removeprefix(folder), pattern):
                    is_set = _last_word(words, attribute, is_set)
        return is_set

    def _rules_of(self, folder: str) -> list[tuple[str, list[str]]]:
        if folder not in self._rules:
            lines = self._tree.lines(f"{folder}.gitattributes") or []
            rows = [line.split() for line in lines if line.strip() and not line.lstrip().startswith("#")]
            self._rules[folder] = [(row[0], row[1:]) for row in rows]
        return self._rules[folder]


def _speaks_of(words: Sequence[str], attribute: str) -> bool:
    return any(attribute in word for word in words)


def _last_word(words: Sequence[str], attribute: str, before: bool) -> bool:
    is_set = before
    for word in words:
        name, _, value = word.lstrip("-!").partition("=")
        if name == attribute:
            is_set = not word.startswith(("-", "!")) and value in ("", "true")
    return is_set
