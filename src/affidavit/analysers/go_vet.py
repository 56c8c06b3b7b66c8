"""Go: compile the packages of a side and vet those that compile, with the project's own module only."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from affidavit.analysers.engine.analyser import (
    Analyser,
    Excuse,
    Faults,
    Inspection,
    Invocation,
    Printed,
    Reading,
)
from affidavit.analysers.engine.rule import RuleMaker
from affidavit.analysers.registry import listed
from affidavit.ports import Tree
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.finding import Severity

NAME = "go-vet"
COMPILE = f"{NAME}/compile"
MODULE = "go.mod"
FIELDS = "Dir,ImportPath,ForTest,GoFiles,Error,DepsErrors"
ENVIRONMENT = {
    "GOTOOLCHAIN": "local",
    "GOPROXY": "off",
    "CGO_ENABLED": "0",
    "GOFLAGS": "",
    "GOENV": "off",
    "GOWORK": "off",
    "GOTELEMETRY": "off",
}
# Files without a module are compiled as one module.
NO_MODULE = b"module change.invalid/loose\n\ngo 1.21\n"
LACKS_PACKAGES = "packages that it imports are not in the repository"
DOES_NOT_COMPILE = "its package, or one that it imports, does not compile"
LEFT_OUT = "it belongs to no package that is built here"
# An indented line is a note on the error above it.
AT = re.compile(
    r"^(?P<file>[^\s:][^\n:]*\.go):(?P<line>\d+):(?P<column>\d+): (?P<message>[^\n]+)$", re.MULTILINE
)
ONLY_LOOSE = re.compile(r"redeclared in this block|requires go1\.")
rule = RuleMaker(NAME)


@dataclass(frozen=True)
class Package:
    """A package of the listing; one with its tests is listed beside it."""

    name: str
    folder: str
    files: tuple[str, ...]
    errors: tuple[str, ...]

    @property
    def compile_errors(self) -> list[str]:
        """Return the errors of the compiler; others are about packages that cannot be found."""
        return [error for error in self.errors if error.startswith("# ")]


def _documents(text: str) -> Iterator[dict[str, Any]]:
    """Split a stream of JSON objects."""
    decoder, at = json.JSONDecoder(), 0
    while (start := text.find("{", at)) >= 0:
        found, at = decoder.raw_decode(text, start)
        yield found


def _packages(text: str) -> list[Package]:
    found = []
    for row in _documents(text):
        files = tuple(row.get("GoFiles", ()))
        # The generated test program is in the cache.
        if "ImportPath" in row and not any(file.startswith("/") for file in files):
            errors = [row["Error"]] if "Error" in row else []
            texts = tuple(error["Err"] for error in (*errors, *row.get("DepsErrors", ())))
            name = row.get("ForTest") or row["ImportPath"].partition(" ")[0]
            found.append(Package(name, row.get("Dir", ""), files, texts))
    return found


def invoke_go(_base: Tree, paths: Sequence[str]) -> Invocation:
    """List and compile all packages of the module at the root, else of the one with the most files."""
    modules = [str(PurePosixPath(path).parent) for path in paths if PurePosixPath(path).name == MODULE]
    sizes = {
        folder: sum(PurePosixPath(path).is_relative_to(folder) for path in paths)
        for folder in sorted(modules)
        if "vendor" not in PurePosixPath(folder).parts
    }
    chosen = max(sizes, key=lambda folder: (folder == ".", sizes[folder]), default=".")
    return Invocation(
        arguments=("vet", "-C", chosen, "-json"),
        listing=("list", "-C", chosen, "-e", "-test", "-export", "-gcflags=-e", f"-json={FIELDS}", "./..."),
        files={} if sizes else {MODULE: NO_MODULE},
        environment=ENVIRONMENT,
    )


def compiled_packages(listing: str) -> list[str]:
    """Return the packages that compile: a single broken one would end the run."""
    packages = _packages(listing)
    broken = {package.name for package in packages if package.errors}
    return sorted({package.name for package in packages} - broken)


def read_go(text: str) -> list[AnalyserDiagnostic]:
    """Return the errors of the compiler, from the listing, and the reports of vet."""
    found = [
        AnalyserDiagnostic(
            rule=COMPILE,
            path=f"{package.folder}/{PurePosixPath(at['file']).name}",
            line=int(at["line"]),
            column=int(at["column"]),
            message=at["message"],
        )
        for package in _packages(text)
        for error in package.compile_errors
        for at in AT.finditer(error)
        if PurePosixPath(at["file"]).name in package.files
    ]
    for row in _documents(text):
        for checks in row.values() if "ImportPath" not in row else ():
            for check, reports in checks.items():
                found += [_vetted(check, one) for one in reports if "posn" in one]
    return list({(one.path, one.line, one.column, one.message): one for one in found}.values())


def _vetted(check: str, report: dict[str, Any]) -> AnalyserDiagnostic:
    path, line, column = report["posn"].rsplit(":", 2)
    return AnalyserDiagnostic(
        rule=f"{NAME}/{check}", path=path, line=int(line), column=int(column), message=report["message"]
    )


def read_go_files(printed: Printed) -> Reading:
    """Return the files of the packages that were compiled and vetted, and why the others were not."""
    read, failed = set(), Faults()
    for package in _packages(printed.listing):
        paths = [f"{package.folder}/{file}" for file in package.files]
        if package.errors:
            lacks = len(package.compile_errors) < len(package.errors)
            why = LACKS_PACKAGES if lacks else DOES_NOT_COMPILE
            failed.update(dict.fromkeys(paths, ("unresolved", why)))
        read.update(paths)
    modules = {MODULE, "vendor/modules.txt"}
    return Reading(frozenset((read - failed.keys()) | modules), failed, ("unresolved", LEFT_OUT))


def judge_go(diagnostic: AnalyserDiagnostic, inspection: Inspection) -> Excuse | None:
    """Drop errors that may be old, and those that only files without a module get."""
    if inspection.may_be_old(diagnostic):
        return "it is not known what the compiler reported before the change"
    has_module = any(PurePosixPath(path).name == MODULE for path in inspection.head.entries())
    if not has_module and ONLY_LOOSE.search(diagnostic.message):
        return "the files belong to no module"
    return None


RULES = [
    *rule(
        "compile",
        "Compile error: {message}",
        "The build of the package fails.",
        "Fix what the compiler names.",
        severity=Severity.HIGH,
        failing_input="Building the package of {file}.",
        equivalents=(
            "references/removed-attribute",
            "references/removed-import",
            "references/removed-module",
        ),
    ),
    *rule(
        "errorsas ifaceassert nilfunc unmarshal",
        "{message}",
        "The call fails, or never does what it says.",
        "Fix what vet names.",
        severity=Severity.HIGH,
    ),
    *rule(
        "appends assign atomic bools copylocks defers directive httpresponse loopclosure lostcancel printf "
        "shift sigchanyzer slog stringintconv structtag testinggoroutine timeformat unusedresult waitgroup",
        "{message}",
        "The code does not do what it seems to do.",
        "Fix what vet names.",
    ),
]

GO_VET = Analyser(
    **listed("go-vet"),
    executable="go",
    invoke=invoke_go,
    read_output=read_go,
    rules={one.id: one for one in RULES},
    elsewhere="install Go from https://go.dev/dl, or your system's package golang",
    read_files=read_go_files,
    subject="Go that does not compile or does not do what it seems to do",
    version_tried="1.27.3",
    has_package_version=False,
    judge=judge_go,
    version_arguments=("version",),
    reads_any_path=True,
    from_listing=compiled_packages,
    home_arguments=("env", "GOROOT"),
    defines_in=(".go",),
    kept_cache="GOCACHE",
)
