"""Let the tools that read base and head read installed packages too."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

from affidavit.errors import AffidavitError, InputError
from affidavit.git.repository import GitRepository
from affidavit.ports import ToolSource
from affidavit.records.change import Change, Revision
from affidavit.tools.arguments import Answer
from affidavit.tools.installed_packages import Package, Packages
from affidavit.tools.open_packages import OpenPackages, hash_of

DEPENDENCY = "dependency"
TOOLS = ("get_file_context", "search", "list_files", "find_definition", "outline")
MAX_NAMED = 5
"""Packages that the description names as examples; the answer to a wrong name lists more."""

MakeTools = Callable[[GitRepository, Change], ToolSource]


class WithDependencies:
    """Tools that answer calls about packages and pass on all others."""

    def __init__(self, own: ToolSource, packages: OpenPackages, make_tools: MakeTools) -> None:
        self._own = own
        self._packages = packages
        self._make_tools = make_tools

    @property
    def descriptions(self) -> list[dict[str, Any]]:
        """Describe the tools; some have one more branch."""
        return [_with_branch(one, self._packages.packages) for one in self._own.descriptions]

    def call(self, name: str, arguments: object) -> Answer:
        """Answer a call from the package it names."""
        if not isinstance(arguments, Mapping) or not _is_about_dependency(arguments):
            return self._own.call(name, arguments)
        try:
            return self._answer(name, dict(arguments))
        except AffidavitError as error:
            return {"error": str(error).encode("utf-8", "backslashreplace").decode()}

    def _answer(self, name: str, arguments: dict[str, Any]) -> Answer:
        if name not in TOOLS:
            raise InputError(
                f"{name} reads head and base only; dependencies are read with {', '.join(TOOLS)}"
            )
        wanted = arguments.pop("package", None)
        if not isinstance(wanted, str):
            raise InputError(f"name the package; there are {self._packages.packages.listed()}")
        package = self._packages.packages.named(wanted)
        repository = self._packages.opened(package)
        inner = self._make_tools(repository, _no_change(package))
        arguments.pop("branch", None)
        answer = inner.call(name, {**arguments, "branch": "head"})
        if "error" in answer:
            return {"error": str(answer["error"]).replace("branch 'head'", f"package {package.name}")}
        return _signed(answer, package, repository)


def _is_about_dependency(arguments: Mapping[str, Any]) -> bool:
    branch = arguments.get("branch")
    return isinstance(branch, str) and branch.strip().lower() == DEPENDENCY


def _signed(answer: Answer, package: Package, repository: GitRepository) -> Answer:
    """Add package, version and hash to an answer."""
    said: Answer = {**answer, "branch": DEPENDENCY, "package": package.name, "version": package.version}
    for name in ("files", "definitions"):
        rows = said.get(name, ())
        said |= {name: [_with_hash(one, repository) for one in rows]} if rows else {}
    return _with_hash(said, repository)


def _with_hash(row: Answer, repository: GitRepository) -> Answer:
    """Add the hash of the file that a row names."""
    path = row.get("file_path") if isinstance(row, dict) else None
    content = repository.head.read(path) if isinstance(path, str) else None
    return row if content is None else {**row, "sha256": hash_of(content)}


def _no_change(package: Package) -> Change:
    side = Revision(tree="0" * 40)
    return Change(target=package.name, source="range", base=side, head=side, files=())


def _with_branch(tool: dict[str, Any], packages: Packages) -> dict[str, Any]:
    if tool["function"]["name"] not in TOOLS:
        return tool
    described = deepcopy(tool)
    properties = described["function"]["parameters"]["properties"]
    # Every request has the descriptions, so only one of them explains packages.
    is_first = described["function"]["name"] == TOOLS[0]
    properties["branch"] = _one_branch_more(properties["branch"], is_described=is_first)
    what = f"With branch '{DEPENDENCY}': whose source to read. There are {packages.listed(MAX_NAMED)}."
    properties["package"] = {"type": "string", **({"description": what} if is_first else {})}
    return described


def _one_branch_more(branch: dict[str, Any], *, is_described: bool) -> dict[str, Any]:
    more = f"'{DEPENDENCY}': the installed source of a package."
    if "enum" in branch:
        named = {**branch, "enum": [*branch["enum"], DEPENDENCY]}
        return {**named, "description": more} if is_described else named
    return {**branch, "description": f"{branch['description']} Or {more}"}
