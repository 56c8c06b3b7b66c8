"""JavaScript: what `package.json` and `tsconfig.json` files say about where imports lead."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from affidavit.code.imports.settings_files import read_json, table, texts
from affidavit.code.imports.survey import Survey, join, parent

MAX_EXTENDS = 20
ENTRY_FIELDS = ("source", "module", "main", "browser", "types", "typings")


@dataclass(frozen=True)
class Package:
    """One `package.json`."""

    folder: str
    name: str
    entries: tuple[str, ...]
    exports: object
    imports: dict[str, object]


@dataclass(frozen=True)
class PathRules:
    """`paths` and `baseUrl` of a configuration, as paths of the tree."""

    base: str | None = None
    paths: dict[str, list[str]] = field(default_factory=dict)
    """In the order in which they are tried: the longest prefix first."""

    def places(self, name: str) -> Iterator[str | None]:
        """Where the rules have a name looked for."""
        for pattern, targets in self.paths.items():
            filling = match_star(pattern, name)
            if filling is not None:
                yield from (join("", target.replace("*", filling)) for target in targets)
        if self.base is not None:
            yield join(self.base, name)


def read_packages(survey: Survey) -> dict[str, Package]:
    """The packages of the tree by their folder."""
    found = {}
    for path, text in survey.configurations("package.json").items():
        told = read_json(text)
        name = told.get("name")
        found[parent(path)] = Package(
            folder=parent(path),
            name=name if isinstance(name, str) else "",
            entries=tuple(entry for key in ENTRY_FIELDS for entry in texts(told.get(key))),
            exports=told.get("exports"),
            imports=table(told.get("imports")),
        )
    return found


def entry_targets(exports: object, subpath: str) -> Iterator[str]:
    """The files that an `exports` or `imports` value names for a subpath such as `.` or `./x`."""
    told = table(exports)
    if not any(key.startswith((".", "#")) for key in told):
        if subpath == ".":
            yield from _leaves(exports)
        return
    if subpath in told:
        yield from _leaves(told[subpath])
        return
    for pattern in sorted((key for key in told if "*" in key), key=len, reverse=True):
        filling = match_star(pattern, subpath)
        if filling is not None:
            yield from (leaf.replace("*", filling) for leaf in _leaves(told[pattern]))
            return


def _leaves(value: object, depth: int = 0) -> Iterator[str]:
    """The strings in a tree of conditions, in the order in which they are written."""
    if isinstance(value, str):
        yield value
    elif depth < 20 and isinstance(value, list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _leaves(part, depth + 1)


def match_star(pattern: str, name: str) -> str | None:
    """What the star in a pattern stands for; None where the name does not match."""
    before, star, after = pattern.partition("*")
    if not star:
        return "" if name == pattern else None
    is_match = len(name) >= len(before) + len(after) and name.startswith(before) and name.endswith(after)
    return name[len(before) : len(name) - len(after)] if is_match else None


class PathConfigurations:
    """The `tsconfig.json` and `jsconfig.json` files of a tree, with what they extend."""

    def __init__(self, survey: Survey) -> None:
        self._survey = survey
        names = [
            name
            for name in survey.by_name
            if name.startswith(("tsconfig", "jsconfig")) and name.endswith(".json")
        ]
        self._told = {
            path: read_json(text) for name in names for path, text in survey.configurations(name).items()
        }
        self._rules = {
            folder: rules
            for name in ("jsconfig.json", "tsconfig.json")
            for path in survey.named(name)
            if (rules := self._rules_of(path, with_references=True)) and (folder := parent(path)) is not None
        }

    def rules_in(self, folder: str) -> PathRules | None:
        """The rules that the configuration of a folder sets."""
        return self._rules.get(folder)

    def _rules_of(self, path: str, *, with_references: bool) -> PathRules | None:
        base: str | None = None
        paths: dict[str, list[str]] | None = None
        for config in self._chain(path):
            options = table(self._told[config].get("compilerOptions"))
            base_url = options.get("baseUrl")
            if base is None and isinstance(base_url, str):
                base = join(parent(config), base_url)
            if paths is None and "paths" in options:
                root = join(parent(config), base_url) if isinstance(base_url, str) else base or parent(config)
                paths = _located(table(options["paths"]), root or "")
        if base is not None or paths:
            return PathRules(base, paths or {})
        return self._referenced(path) if with_references else None

    def _referenced(self, path: str) -> PathRules | None:
        """A file that only lists projects has its rules in them."""
        references = self._told.get(path, {}).get("references")
        for reference in references if isinstance(references, list) else ():
            for name in texts(table(reference).get("path")):
                place = join(parent(path), name)
                config = self._survey.first((place, f"{place}/tsconfig.json"))
                if config in self._told and parent(config) == parent(path):
                    rules = self._rules_of(config, with_references=False)
                    if rules is not None:
                        return rules
        return None

    def _chain(self, path: str) -> Iterator[str]:
        """A configuration and what it extends, the nearest first; each once, so that no ring holds us."""
        waiting, seen = [path], set[str]()
        while waiting and len(seen) < MAX_EXTENDS:
            config = waiting.pop(0)
            if config in seen or config not in self._told:
                continue
            seen.add(config)
            yield config
            for name in reversed(texts(self._told[config].get("extends"))):
                place = join(parent(config), name) if name.startswith(".") else f"node_modules/{name}"
                found = self._survey.first((place, f"{place}.json", f"{place}/tsconfig.json"))
                if found is not None:
                    waiting.append(found)


def _located(paths: dict[str, object], root: str) -> dict[str, list[str]]:
    return {
        pattern: [place for target in texts(paths[pattern]) if (place := join(root, target)) is not None]
        for pattern in sorted(paths, key=lambda each: -len(each.partition("*")[0]))
    }
