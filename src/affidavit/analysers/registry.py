"""List the built-in analysers by the files they read; each module is loaded on use."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, cast

from affidavit.git.glob import matches_file
from affidavit.records.change import FileChange

if TYPE_CHECKING:
    from affidavit.analysers.engine.analyser import Analyser
    from affidavit.analysers.engine.rule import Rule

WhyOff = Callable[[str, str], str | None]
"""Returns why the settings switch a rule off at a path; None if it counts."""


def nothing_is_off(_rule: str, _path: str) -> str | None:
    """Count every rule: there are no settings."""
    return None


Scope = Literal["file", "project"]
PYTHON = ("*.py", "*.pyi", "*.pyw")
TYPESCRIPT = ("*.ts", "*.tsx", "*.mts", "*.cts")


@dataclass(frozen=True, kw_only=True)
class Listed:
    """The conditions under which an analyser reads a file."""

    name: str
    patterns: tuple[str, ...]
    """Globs of file names, or of whole paths, that it reads."""
    scope: Scope = "file"
    """`file`: only changed files are run; `project`: every file of the side."""
    languages: tuple[str, ...] = ()
    looks_for: str = ""
    """The only thing that it looks for; then a file without diagnostics does not count as reviewed."""
    reads_every_line: bool = False
    """It reads all added lines, also of files that are skipped, binary, or incomplete."""
    reads_any_case: bool = True
    """File names match in any case, and are written in the case that the tool expects."""

    def whole(self) -> "Analyser":
        """Return the analyser itself."""
        module = import_module(f"affidavit.analysers.{self.name.replace('-', '_')}")
        return cast("Analyser", getattr(module, self.name.replace("-", "_").upper()))

    @property
    def reads_for_meaning(self) -> bool:
        """Return whether it reviews a file as a whole, not for one thing only."""
        return not self.looks_for

    def concerns(self, file: FileChange) -> bool:
        """Return whether the analyser reads a changed file, or read it under the name that it had before."""
        was_read = self.scope == "project" and file.old_path is not None and self.covers(file.old_path)
        return was_read or self.looks_at(file)

    def looks_at(self, file: FileChange) -> bool:
        """Return whether the analyser gets a changed file: one that it covers and that is known whole."""
        if self.reads_every_line:
            return not file.is_submodule and self.covers(file.path)
        is_unknown = file.is_partial or file.is_binary or file.is_submodule or file.is_link
        return not (is_unknown or file.skipped) and self.covers(file.path)

    def covers(self, path: str) -> bool:
        """Return whether the analyser reads the file; a pattern with a slash must match the whole path."""
        return self.name_for(path) is not None

    def name_for(self, path: str) -> str | None:
        """Return the name that the analyser accepts for a file: `a.py` for `a.PY`; None if there is none."""
        return _name_for(path, self.patterns, reads_any_case=self.reads_any_case)


@lru_cache(maxsize=100_000)
def _name_for(path: str, patterns: tuple[str, ...], *, reads_any_case: bool) -> str | None:
    names = (path, *_other_cases(path)) if reads_any_case else (path,)
    return next((name for name in names if any(matches_file(name, pattern) for pattern in patterns)), None)


def _other_cases(path: str) -> Iterator[str]:
    """Return the path with its file name in the cases that tools expect."""
    folder, slash, name = path.rpartition("/")
    if name == name.lower():
        return
    stem, dot, ending = name.rpartition(".")
    if dot:
        yield f"{folder}{slash}{stem}{dot}{ending.lower()}"
    yield f"{folder}{slash}{name.lower()}"
    yield f"{folder}{slash}{name.capitalize()}"


LISTED = (
    # The slowest first, so that the others run meanwhile.
    Listed(name="ty", patterns=PYTHON, scope="project", languages=("Python",)),
    Listed(
        name="go-vet",
        patterns=("*.go", "go.mod", "vendor/modules.txt"),
        scope="project",
        languages=("Go",),
        reads_any_case=False,
    ),
    Listed(name="tsc", patterns=TYPESCRIPT, scope="project", languages=("TypeScript",)),
    Listed(
        name="kingfisher",
        patterns=("*",),
        languages=("any text",),
        looks_for="secrets",
        reads_every_line=True,
    ),
    Listed(name="ruff", patterns=PYTHON, languages=("Python",)),
    Listed(
        name="oxlint",
        patterns=("*.js", "*.mjs", "*.cjs", "*.jsx", "*.ts", "*.mts", "*.cts", "*.tsx"),
        languages=("JavaScript", "TypeScript", "JSX"),
    ),
    Listed(name="shellcheck", patterns=("*.sh", "*.bash", "*.ksh", "*.dash"), languages=("Shell",)),
    Listed(
        name="hadolint",
        patterns=(
            "Dockerfile",
            "Dockerfile.*",
            "*.Dockerfile",
            "*.dockerfile",
            "Containerfile",
            "Containerfile.*",
        ),
        languages=("Dockerfile",),
    ),
    Listed(
        name="zizmor",
        patterns=(
            ".github/workflows/*.yml",
            ".github/workflows/*.yaml",
            "action.yml",
            "action.yaml",
            ".github/dependabot.yml",
            ".github/dependabot.yaml",
        ),
        languages=("GitHub workflows",),
    ),
    Listed(name="yamllint", patterns=("*.yaml", "*.yml"), languages=("YAML",)),
)


def listed(name: str) -> Mapping[str, Any]:
    """Return the entry of an analyser, for its description."""
    return vars(next(one for one in LISTED if one.name == name))


@cache
def all_analysers() -> "tuple[Analyser, ...]":
    """Load every built-in analyser."""
    return tuple(one.whole() for one in LISTED)


@cache
def all_rules() -> "Mapping[str, Rule]":
    """Return the rules of every built-in analyser by id."""
    return {rule.id: rule for analyser in all_analysers() for rule in analyser.rules.values()}
