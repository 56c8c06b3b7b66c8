"""JavaScript: read what `package.json` and `tsconfig.json` files say about imports."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from affidavit.languages.tree_files import TreeFiles, below, join, parent, read_json, table, texts, upwards

MAX_EXTENDS = 20
# TypeScript replaces this by the folder of the configuration that extends the others.
CONFIGURED_FOLDER = "${configDir}"
ENTRY_FIELDS = ("source", "module", "main", "browser", "types", "typings")


@dataclass(frozen=True)
class NodePackage:
    folder: str
    name: str
    entries: tuple[str, ...]


@dataclass(frozen=True)
class PathRules:
    """`paths` and `baseUrl` of a configuration, as paths of the tree."""

    base: str | None = None
    paths: dict[str, list[str]] = field(default_factory=dict)
    """In the order to try them: the longest prefix first."""

    def places(self, name: str) -> Iterator[str | None]:
        """Yield the places where the rules look for a name."""
        for pattern, targets in self.paths.items():
            filling = match_star(pattern, name)
            if filling is not None:
                yield from (join("", target.replace("*", filling)) for target in targets)
        if self.base is not None:
            yield join(self.base, name)


def read_packages(files: TreeFiles) -> dict[str, NodePackage]:
    found = {}
    for path, text in files.configurations("package.json").items():
        settings = read_json(text)
        name = settings.get("name")
        found[parent(path)] = NodePackage(
            folder=parent(path),
            name=name if isinstance(name, str) else "",
            entries=tuple(entry for key in ENTRY_FIELDS for entry in texts(settings.get(key))),
        )
    return found


def match_star(pattern: str, name: str) -> str | None:
    """Return the text that the star in a pattern matches; None if the name does not match."""
    before, star, after = pattern.partition("*")
    if not star:
        return "" if name == pattern else None
    is_match = len(name) >= len(before) + len(after) and name.startswith(before) and name.endswith(after)
    return name[len(before) : len(name) - len(after)] if is_match else None


class PathConfigurations:
    """The `tsconfig.json` and `jsconfig.json` files of a tree, with what they extend."""

    def __init__(self, files: TreeFiles, packages: Iterable[NodePackage] = ()) -> None:
        self._files = files
        self._packages: dict[str, list[str]] = {}
        for package in (each for each in packages if each.name):
            self._packages.setdefault(package.name, []).append(package.folder)
        self._settings = self._read_with_what_they_extend()
        self._rules = {
            folder: rules
            for name in ("jsconfig.json", "tsconfig.json")
            for path in files.named(name)
            if (rules := self._rules_of(path, with_references=True)) and (folder := parent(path)) is not None
        }

    def rules_in(self, folder: str) -> PathRules | None:
        return self._rules.get(folder)

    def _read_with_what_they_extend(self) -> dict[str, dict[str, object]]:
        """Read each configuration and the ones it extends, which may have any name."""
        waiting = {
            path
            for name, paths in self._files.by_name.items()
            if name.startswith(("tsconfig", "jsconfig")) and name.endswith(".json")
            for path in paths
        }
        settings: dict[str, dict[str, object]] = {}
        for _ in range(MAX_EXTENDS):
            texts_of_paths = self._files.settings(sorted(waiting))
            settings |= {path: read_json(text) for path, text in texts_of_paths.items()}
            waiting = {
                wider for path in waiting & settings.keys() for wider in self._extended(path, settings[path])
            }
            waiting -= settings.keys()
            if not waiting:
                break
        return settings

    def _rules_of(self, path: str, *, with_references: bool) -> PathRules | None:
        base: str | None = None
        paths: dict[str, object] | None = None
        home = parent(path)
        for config, settings in self.chain(path):
            options = table(settings.get("compilerOptions"))
            base_url = options.get("baseUrl")
            if base is None and isinstance(base_url, str):
                base = join(*_seen_from(parent(path), parent(config), base_url))
            if paths is None and "paths" in options:
                paths, home = table(options["paths"]), parent(config)
        if base is not None or paths:
            # All `paths` are relative to the `baseUrl`, even an inherited one; without it, to their own file.
            return PathRules(base, _located(paths or {}, home if base is None else base, parent(path)))
        return self._referenced(path) if with_references else None

    def _referenced(self, path: str) -> PathRules | None:
        """Return the rules of the projects that a configuration lists."""
        references = self._settings.get(path, {}).get("references")
        for reference in references if isinstance(references, list) else ():
            for name in texts(table(reference).get("path")):
                place = join(parent(path), name)
                config = self._files.first((place, f"{place}/tsconfig.json"))
                if config in self._settings and parent(config) == parent(path):
                    rules = self._rules_of(config, with_references=False)
                    if rules is not None:
                        return rules
        return None

    def chain(self, path: str) -> Iterator[tuple[str, dict[str, object]]]:
        """Yield a configuration and those it extends, the nearest first, each once."""
        waiting, seen = [path], set[str]()
        while waiting and len(seen) < MAX_EXTENDS:
            config = waiting.pop()
            if config in seen or config not in self._settings:
                continue
            seen.add(config)
            yield config, self._settings[config]
            # The last of several wins, with all that it extends.
            waiting.extend(self._extended(config, self._settings[config]))

    def _extended(self, config: str, settings: dict[str, object]) -> Iterator[str]:
        for name in texts(settings.get("extends")):
            places = self._extended_places(parent(config), name)
            found = self._files.first(
                spelling
                for place in places
                if place is not None
                for spelling in (place, f"{place}.json", f"{place}/tsconfig.json")
            )
            if found is not None:
                yield found

    def _extended_places(self, folder: str, name: str) -> Iterator[str | None]:
        if name.startswith("."):
            yield join(folder, name)
            return
        yield from (join(below(around, "node_modules"), name) for around in upwards(folder))
        parts = name.split("/")
        count = 2 if name.startswith("@") else 1
        for home in self._packages.get("/".join(parts[:count]), ()):
            yield join(home, "/".join(parts[count:])) if parts[count:] else home


def _seen_from(project: str, folder: str, target: str) -> tuple[str, str]:
    """Return the folder that a path of a configuration starts from, and the rest of the path."""
    if target.startswith(CONFIGURED_FOLDER):
        return project, target.removeprefix(CONFIGURED_FOLDER).lstrip("/") or "."
    return folder, target


def _located(paths: dict[str, object], root: str, project: str) -> dict[str, list[str]]:
    return {
        pattern: [
            place
            for target in texts(paths[pattern])
            if (place := join(*_seen_from(project, root, target))) is not None
        ]
        for pattern in sorted(paths, key=lambda each: -len(each.partition("*")[0]))
    }
