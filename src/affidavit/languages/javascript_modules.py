"""JavaScript and TypeScript: find the file of the repository that an import refers to."""

import re
from collections.abc import Iterator, Mapping

from tree_sitter import Node

from affidavit.languages.grammars import Grammar, matches, node_text
from affidavit.languages.javascript_packages import PathConfigurations, read_packages
from affidavit.languages.language import Extract, Resolved, Statement, resolved_file
from affidavit.languages.tree_files import TreeFiles, below, join, nearest, parent, upwards

ENDINGS = (
    ".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".json", ".vue", ".svelte",
)  # fmt: skip
# TypeScript imports name the built file: `a.js` for `a.ts`.
WRITTEN_FOR = {
    ".js": (".ts", ".tsx", ".d.ts", ".jsx"),
    ".jsx": (".tsx",),
    ".mjs": (".mts", ".d.mts"),
    ".cjs": (".cts", ".d.cts"),
}
BUILT_FOLDERS = frozenset(("dist", "lib", "build", "out", "esm", "cjs", "es", "umd", "types"))


class JavaScriptModules:
    """Resolves imports to files, by path rules and by packages of the same repository."""

    def __init__(self, files: TreeFiles, _extracts: Mapping[str, Extract]) -> None:
        self._files = files
        self._packages = read_packages(files)
        self._configurations = PathConfigurations(files, self._packages.values())
        self._folders_of_name: dict[str, list[str]] = {}
        for package in self._packages.values():
            if package.name and "node_modules" not in package.folder.split("/"):
                self._folders_of_name.setdefault(package.name, []).append(package.folder)

    def resolve(self, path: str, statement: Statement) -> tuple[Resolved]:
        """Resolve an import to one file."""
        return resolved_file(self._find(parent(path), statement.name), statement.names)

    def _find(self, folder: str, name: str) -> str | None:
        plain = name.partition("?")[0]
        if plain.startswith("."):
            return self._file_at(join(folder, plain), folder_too=True)
        if plain.startswith("/") or ":" in plain or not plain:
            return None
        return self._by_path_rules(folder, plain) or self._by_package(folder, plain)

    def _file_at(self, place: str | None, *, folder_too: bool) -> str | None:
        if place is None:
            return None
        found = self._files.first(_spellings(place)) if place else None
        if found is None and folder_too and place in self._files.folders:
            return self._entry(place)
        return found

    def _entry(self, folder: str) -> str | None:
        """Return the entry that the package.json of a folder names, or its index."""
        package = self._packages.get(folder)
        for entry in package.entries if package else ():
            found = self._built_from(folder, entry)
            if found:
                return found
        index = below(folder, "index")
        return self._files.first(index + ending for ending in ENDINGS)

    def _by_path_rules(self, folder: str, name: str) -> str | None:
        for around in upwards(folder):
            rules = self._configurations.rules_in(around)
            if rules is None:
                continue
            found = next(
                (file for place in rules.places(name) if (file := self._file_at(place, folder_too=True))),
                None,
            )
            if found:
                return found
        return None

    def _by_package(self, folder: str, name: str) -> str | None:
        parts = name.split("/")
        count = 2 if name.startswith("@") else 1
        home = self._package_folder(folder, "/".join(parts[:count]))
        if home is None:
            return None
        rest = "/".join(parts[count:])
        if not rest:
            return self._entry(home) or self._entry(below(home, "src"))
        place = join(home, rest)
        return self._file_at(place, folder_too=True) or self._file_at(
            join(below(home, "src"), rest), folder_too=True
        )

    def _package_folder(self, folder: str, name: str) -> str | None:
        for around in upwards(folder):
            place = below(around, f"node_modules/{name}")
            if place in self._packages:
                return place
        return nearest(below(folder, "x"), self._folders_of_name.get(name, ()))

    def _built_from(self, folder: str, target: str) -> str | None:
        """Return the file that a package names, or the source that it is built from."""
        for candidate in _sources(target):
            found = self._file_at(join(folder, candidate), folder_too=candidate.rstrip("/") not in (".", ""))
            if found:
                return found
        return None


def _spellings(place: str) -> Iterator[str]:
    """Yield the files that an import of this path may refer to, in the order to try them."""
    yield place
    for written, sources in WRITTEN_FOR.items():
        if place.endswith(written):
            yield from (place.removesuffix(written) + source for source in sources)
    yield from (place + ending for ending in ENDINGS)


def _sources(target: str) -> Iterator[str]:
    """Yield the path, and the usual source of a built file: `dist/a.js` comes from `src/a.ts`."""
    yield target
    parts = target.removeprefix("./").split("/")
    count = 0
    while count < len(parts) - 1 and parts[count] in BUILT_FOLDERS:
        count += 1
    if count:
        rest = "/".join(parts[count:]).replace(".d.ts", ".js").replace(".d.mts", ".mjs")
        plain = rest.removesuffix(".js").removesuffix(".mjs").removesuffix(".cjs")
        for folder in ("src/", ""):
            yield folder + rest
            if plain and plain != rest:
                yield folder + plain


KEYWORD = re.compile(rb"\bimport\b|\bfrom\s*[\"']|\brequire\s*[(.]")
QUERY = """
(import_statement source: (string) @source) @import
(export_statement source: (string) @source) @export
(call_expression function: (import) arguments: (arguments . [(string) (template_string)] @source)) @call
(call_expression function: (identifier) @callee
  arguments: (arguments . [(string) (template_string)] @source)
  (#eq? @callee "require")) @call
"""
TYPESCRIPT_QUERY = QUERY + "(import_require_clause source: (string) @source) @import"


def extract_javascript(grammar: Grammar, root: Node, text: bytes) -> Extract:
    query = QUERY if grammar.name == "javascript" else TYPESCRIPT_QUERY
    found = [
        statement for captured in matches(grammar, query, root) for statement in _statement(captured, text)
    ]
    return Extract(tuple(sorted(set(found))))


def _statement(captured: dict[str, list[Node]], text: bytes) -> Iterator[Statement]:
    kind, node = next(
        (kind, nodes[0]) for kind, nodes in captured.items() if kind in ("import", "export", "call")
    )
    source = captured["source"][0]
    if any(child.type == "template_substitution" for child in source.named_children):
        return
    name = node_text(source, text)[1:-1]
    if kind == "call":
        yield Statement(_line(source), name, _destructured(node, text))
    else:
        yield Statement(_line(source), name, tuple(_names(node, text)))


def _line(source: Node) -> int:
    return source.start_point.row + 1


def _names(node: Node, text: bytes) -> Iterator[str]:
    if node.type == "export_statement" and not any(c.type == "export_clause" for c in node.named_children):
        yield "*"
    clauses = [c for c in node.named_children if c.type in ("import_clause", "export_clause")]
    for part in (part for clause in clauses for part in clause.named_children):
        if part.type == "identifier":
            yield "default"
        elif part.type == "namespace_import":
            yield "*"
        elif part.type == "export_specifier":
            yield node_text(part.child_by_field_name("name"), text)
        elif part.type == "named_imports":
            yield from (node_text(each.child_by_field_name("name"), text) for each in part.named_children)


def _destructured(call: Node, text: bytes) -> tuple[str, ...]:
    """Return the names in `const {a, b: c} = require(…)`, with or without `await`."""
    holder = call.parent
    if holder is not None and holder.type == "await_expression":
        holder = holder.parent
    pattern = (
        holder.child_by_field_name("name")
        if holder is not None and holder.type == "variable_declarator"
        else None
    )
    if pattern is None or pattern.type != "object_pattern":
        return ()
    keys = [part.child_by_field_name("key") or part for part in pattern.named_children]
    return tuple(node_text(key, text) for key in keys if key.type.startswith(("shorthand", "property")))
