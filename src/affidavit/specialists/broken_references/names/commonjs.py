"""CommonJS: calls of what a module no longer puts into its `exports`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from affidavit.languages.engine.grammars import node_text, parse
from affidavit.languages.javascript import JAVASCRIPT_GRAMMAR
from affidavit.records.context import Import
from affidavit.specialists.broken_references.ground import Break, Ground, Parsed, is_guarded
from affidavit.symbols.occurrences import Occurrence, occurrences

RULE = "references/removed-attribute"
ENDINGS = (".js", ".cjs")
EXPORTS = re.compile(rb"(?<![\w$.])(?:module\s*\.\s*)?exports(?![\w$])")
# What replaces modules in tests may bring the name; `await import` and bundlers may, too.
REPLACING = re.compile(rb"\bmock\(|\bdoMock\(|proxyquire|rewire|mockery|\bsinon\b|require\.cache")
OTHER_WAYS = re.compile(
    rb"\bmodule\s*\[|^\s*export\b|__exportStar|defineProperty|\bmodule\b(?!\s*\.\s*exports\b)", re.MULTILINE
)
MAIN = re.compile(rb"require\.main\s*={2,3}\s*module\b")
SET = r"\.\s*(?:{})\s*=(?![=>])"


@dataclass(frozen=True)
class _Bound:
    """What a file takes out of a module: a name of its own for the whole of it, or for one export."""

    local: str
    taken: str | None
    node: Node


def find_removed_commonjs_names(ground: Ground) -> Iterator[Break]:
    """Calls in files that require the module; only where all that it exports can be read."""
    for file in ground.code_files:
        path = file.path
        if file.head_path != file.base_path or not path.endswith(ENDINGS):
            continue
        before = exported_names(ground.repository.base.read(path) or b"")
        after = exported_names(ground.repository.head.read(path) or b"")
        lost = before - after if before is not None and after is not None else frozenset()
        lost -= _set_elsewhere(ground, lost)
        for one in ground.head_imports.importers_of(path) if lost else ():
            parsed = ground.parsed(one.path) if one.name.startswith(".") else None
            if parsed is not None and parsed.language.family == "javascript":
                yield from _calls(ground, parsed, one, path, lost)


def _set_elsewhere(ground: Ground, names: frozenset[str]) -> set[str]:
    """Names that some line sets on some object, which may be the module."""
    hits = ground.search(sorted(names), SET)
    return {
        name for name in names if any(re.search(rf"\.\s*{re.escape(name)}\s*=", hit.text) for hit in hits)
    }


def exported_names(text: bytes) -> frozenset[str] | None:
    """The names that a module exports; None where its text does not show them all."""
    root = parse(JAVASCRIPT_GRAMMAR, text)
    if root is None or root.has_error or OTHER_WAYS.search(MAIN.sub(b"", text)):
        return None
    names: set[str] = set()
    read = whole = 0
    for node in root.named_children:
        for target, value in _assignments(node):
            written = re.sub(r"\s", "", node_text(target, text))
            if written in ("module.exports", "exports"):
                keys = _keys(value, text)
                if keys is None:
                    return None
                names |= keys
                whole += written == "module.exports"
                read += 1
            elif written.startswith(("this.", "this[")):
                return None
            elif found := re.fullmatch(r"(?:module\.)?exports\.([\w$]+)", written):
                names.add(found[1])
                read += 1
    is_all = read == len(EXPORTS.findall(text)) and whole <= 1
    return frozenset(names) if is_all and read else None


def _assignments(statement: Node) -> Iterator[tuple[Node, Node]]:
    """Each side of `a = b = c`, where a statement is nothing else."""
    node = statement.named_children[0] if statement.type == "expression_statement" else None
    targets = []
    while node is not None and node.type == "assignment_expression":
        target, value = node.child_by_field_name("left"), node.child_by_field_name("right")
        if target is None or value is None:
            return
        targets.append(target)
        node = value
    # `module.exports = exports = {…}` gives the same to both.
    yield from ((target, node) for target in targets if node is not None)


def _keys(value: Node, text: bytes) -> set[str] | None:
    if value.type != "object":
        return None
    names: set[str] = set()
    for child in value.named_children:
        key = child if child.type == "shorthand_property_identifier" else None
        if child.type == "pair":
            key = child.child_by_field_name("key")
        elif child.type == "method_definition":
            key = child.child_by_field_name("name")
        elif child.type == "comment":
            continue
        if key is None or key.type not in (
            "property_identifier",
            "shorthand_property_identifier",
            "string",
        ):
            return None
        names.add(node_text(key, text).strip("\"'"))
    return names


def _calls(ground: Ground, parsed: Parsed, one: Import, path: str, lost: frozenset[str]) -> Iterator[Break]:
    if parsed.root.has_error or REPLACING.search(parsed.text):
        return
    for bound in _bound(parsed, one):
        if _is_bound_again(parsed, bound):
            continue
        names = lost if bound.taken is None else lost & {bound.taken}
        for name in sorted(names):
            for place in _places(parsed, bound, name):
                written = f"{bound.local}.{name}" if bound.taken is None else bound.local
                message = f"`{written}` is called, but `{path}` does not have it any more"
                yield Break(RULE, parsed.path, place.line, message, ground.cause(path, name))


def _bound(parsed: Parsed, one: Import) -> Iterator[_Bound]:
    """The constants that the file makes of `require(…)`."""
    for statement in parsed.root.named_children:
        if statement.type not in ("lexical_declaration", "variable_declaration"):
            continue
        for declared in statement.named_children:
            name, value = declared.child_by_field_name("name"), declared.child_by_field_name("value")
            if name is None or value is None or not _requires(value, parsed.text, one.name):
                continue
            if name.type == "identifier":
                yield _Bound(node_text(name, parsed.text), None, name)
            elif name.type == "object_pattern":
                yield from _taken(name, parsed.text)


def _requires(value: Node, text: bytes, name: str) -> bool:
    written = node_text(value, text)
    return re.fullmatch(rf"require\(\s*[\"'`]{re.escape(name)}[\"'`]\s*\)", written) is not None


def _taken(pattern: Node, text: bytes) -> Iterator[_Bound]:
    """`{a, b: c}`; what has a default is ready for its absence."""
    for child in pattern.named_children:
        if child.type == "shorthand_property_identifier_pattern":
            yield _Bound(node_text(child, text), node_text(child, text), child)
        elif child.type == "pair_pattern":
            key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            if key is not None and value is not None and value.type == "identifier":
                yield _Bound(node_text(value, text), node_text(key, text).strip("\"'"), value)


def _is_bound_again(parsed: Parsed, bound: _Bound) -> bool:
    """The file uses the name for something else as well, or gives it another value."""
    for place in occurrences(parsed.root, parsed.text, bound.local):
        is_other = place.node.start_byte != bound.node.start_byte
        holder = place.node.parent
        is_target = holder is not None and holder.child_by_field_name("left") == place.node
        if is_other and (is_target or place.role in ("definition", "binding")):
            return True
    return False


def _places(parsed: Parsed, bound: _Bound, name: str) -> list[Occurrence]:
    """Where the export is called; none where the file asks for it first, or sets it itself."""
    word = name if bound.taken is None else bound.local
    places = occurrences(parsed.root, parsed.text, word)
    receiver = bound.local if bound.taken is None else None
    uses = [place for place in places if place.receiver == receiver and place.role in ("call", "name")]
    if bound.taken is None and any(not _is_call(place) for place in uses):
        # `if (a.f)`, `a.f = …`, `a.f || other`: nothing is proven by the calls then.
        return []
    if bound.taken is not None and any(place.role == "name" for place in uses if not _is_call(place)):
        return []
    return [place for place in uses if not is_guarded(place.node, parsed.text)]


def _is_call(place: Occurrence) -> bool:
    whole = place.node.parent if place.receiver is not None else place.node
    holder = whole.parent if whole is not None else None
    if holder is None or whole is None:
        return False
    called = holder.child_by_field_name("function") or holder.child_by_field_name("constructor")
    is_optional = any(child.type == "optional_chain" for child in (*holder.children, *whole.children))
    return called == whole and not is_optional
