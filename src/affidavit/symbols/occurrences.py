"""Find every place of a word in a file, with its role, its receiver and the definition around it."""

import re
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Literal, NamedTuple

from tree_sitter import Node

from affidavit.git.tree import read_all
from affidavit.languages.grammars import ancestors, node_text, parse
from affidavit.languages.registry import LANGUAGES, grammar_of
from affidavit.ports import Tree
from affidavit.symbols.definitions import Definition, defined_in, innermost

Role = Literal["call", "import", "name", "key", "definition", "binding", "text"]

MAX_OCCURRENCES = 2000
FIELDS = LANGUAGES.node_fields
TEXT_TYPES = re.compile(r"comment|string|heredoc|regex|char|^text$|jsx_text|shebang|escape")
IMPORT_TYPES = re.compile(
    r"^(?:import|use_|using_directive|namespace_use|future_import|export_clause|preproc_include)"
)
DEFINING_TYPES = re.compile(
    r"(?:_definition|_declaration|_item|_spec|_elem|_signature|_declarator|_specifier|_def|_case|_assignment)$"
    r"|^(?:method|singleton_method|class|module|enumerator|type_alias|enum_variant|enum_constant|const_element"
    r"|property_element|mod_item|internal_module|enum_body)$"
)
NOT_DEFINING = frozenset(
    (
        "import_declaration", "using_declaration", "augmented_assignment", "export_specifier",
        "import_specifier", "elaborated_type_specifier",
    )
)  # fmt: skip
DEFINING_FIELDS = ("name", "declarator", "property")
# Where variables are declared, an assignment makes none: it uses one.
BINDING_TYPES = re.compile(
    r"parameter|^(?:as_pattern_target|let_declaration|for_in_clause|for_statement|for_in_statement|range_clause"
    r"|assignment$|named_expression|object_pattern|array_pattern|pattern_list|tuple_pattern|catch_clause"
    r"|short_var_declaration|var_spec|const_spec|init_declarator|aliased_import|import_spec|closure_parameters"
    r"|foreach_statement|enhanced_for_statement|nonlocal_statement|delete_statement|list_pattern"
    r"|list_splat_pattern|dictionary_splat_pattern|splat_pattern|rest_pattern)"
)
# These may be between a name and the node that binds it.
GROUPING = frozenset(("expression_list", "tuple", "list", "type"))
BINDING_FIELDS = ("name", "pattern", "left", "parameter", "alias", "declarator")
WRAPPING = frozenset(("generic_function", "generic_type", "template_function", "parenthesized_expression"))


@dataclass(frozen=True)
class WordOccurrence:
    """One place of a word. `receiver` is the text before its dot, None without a dot."""

    line: int
    role: Role
    receiver: str | None
    node: Node


def occurrences(root: Node, text: bytes, name: str) -> list[WordOccurrence]:
    pattern = re.compile(rb"(?<![\w\x80-\xff])" + re.escape(name.encode()) + rb"(?![\w\x80-\xff])")
    places = islice(pattern.finditer(text), MAX_OCCURRENCES)
    return [_occurrence(root, text, place.start(), place.end()) for place in places]


def _occurrence(root: Node, text: bytes, start: int, end: int) -> WordOccurrence:
    node = root.descendant_for_byte_range(start, end) or root
    if (node.start_byte, node.end_byte) != (start, end) or is_text(node):
        return WordOccurrence(text.count(b"\n", 0, start) + 1, "text", None, node)
    receiver, whole = _member(node, text)
    role = _role(node, whole, is_member=receiver is not None)
    return WordOccurrence(node.start_point.row + 1, role, receiver, node)


def is_text(node: Node) -> bool:
    """Check whether a node is part of a comment, a string or the like."""
    return TEXT_TYPES.search(node.type) is not None


def _member(node: Node, text: bytes) -> tuple[str | None, Node]:
    """Return the receiver before the dot and the whole expression; without a dot, None and the node."""
    parent = node.parent
    fields = FIELDS.members.get(parent.type) if parent is not None else None
    if parent is None or fields is None or parent.child_by_field_name(fields[0]) != node:
        return None, node
    receiver = next((found for field in fields[1] if (found := parent.child_by_field_name(field))), None)
    return (None, node) if receiver is None else (node_text(receiver, text), parent)


def _role(node: Node, whole: Node, *, is_member: bool) -> Role:
    parent = node.parent
    if parent is None:
        return "text"
    if any(IMPORT_TYPES.search(above.type) for above in islice(ancestors(node), 5)):
        return "binding" if _is_one_of(parent, ("alias",), node) else "import"
    if not is_member and _is_defining(parent, node):
        return "definition"
    if _is_called(whole):
        return "call"
    if not is_member and _is_key(parent, node):
        return "key"
    return "binding" if not is_member and _is_binding(parent, node) else "name"


def _is_defining(parent: Node, node: Node) -> bool:
    if parent.type in NOT_DEFINING or not DEFINING_TYPES.search(parent.type):
        return False
    return _is_one_of(parent, DEFINING_FIELDS, node) or parent.type == "const_element"


def _is_called(whole: Node) -> bool:
    expression, parent = whole, whole.parent
    if whole.type in FIELDS.calls:
        return True
    while parent is not None and parent.type in WRAPPING:
        expression, parent = parent, parent.parent
    if parent is None:
        return False
    fields = FIELDS.calls.get(parent.type)
    return parent.type == "decorator" or (fields is not None and _is_one_of(parent, fields, expression))


def _is_key(parent: Node, node: Node) -> bool:
    field = FIELDS.keys.get(parent.type)
    if field is not None:
        return parent.child_by_field_name(field) == node
    above = parent.parent
    return (
        parent.type == "literal_element" and above is not None and above.child_by_field_name("key") == parent
    )


def _is_binding(parent: Node, node: Node) -> bool:
    if node.type == "shorthand_property_identifier_pattern" or _is_captured(node, parent):
        return True
    for child, holder in _upwards(node, parent):
        if holder.type in FIELDS.binds:
            return _is_one_of(holder, (FIELDS.binds[holder.type],), child)
        if BINDING_TYPES.search(holder.type):
            has_fields = any(holder.child_by_field_name(field) is not None for field in BINDING_FIELDS)
            return _is_one_of(holder, BINDING_FIELDS, child) or not has_fields
        if holder.type not in GROUPING:
            return False
    return False


def _is_captured(node: Node, parent: Node) -> bool:
    """Check for a name in a pattern of Python's `case`, as in `case [first, Point(x=name)]`."""
    if parent.type == "as_pattern":
        return parent.named_children[-1] == node
    is_alone = parent.type == "dotted_name" and parent.named_child_count == 1
    holder = parent.parent
    return is_alone and holder is not None and holder.type in ("case_pattern", "keyword_pattern")


def _upwards(node: Node, parent: Node) -> Iterator[tuple[Node, Node]]:
    child: Node = node
    for holder in (parent, *islice(ancestors(parent), 2)):
        yield child, holder
        child = holder


def _is_one_of(parent: Node, fields: tuple[str, ...], node: Node) -> bool:
    return any(node in parent.children_by_field_name(field) for field in fields)


MAX_RECEIVER = 200
SCOPES = frozenset(("class_definition", "function_definition", "lambda"))
# What is bound inside of these is known inside of them only.
LOCAL_SCOPES = re.compile(r"function|method|lambda|closure|comprehension|generator_expression|class")


class WordPlace(NamedTuple):
    """One place of a word. `receiver` is the end of the text before its dot, None without a dot."""

    line: int
    role: Role
    receiver: str | None
    within: str
    """The dotted name of the definition around the place."""
    is_in_class_body: bool
    is_of_file: bool = True
    """Whether it binds a name of the file: outside of functions, or after `global`."""


def find_places(
    tree: Tree, wanted: Mapping[str, Collection[str]], *, deadline: float
) -> tuple[dict[tuple[str, str], list[WordPlace]], list[str]]:
    """Return the places by path and word, and the unparsed files; the deadline is CPU time of this thread."""
    found: dict[tuple[str, str], list[WordPlace]] = {}
    unparsed = dict.fromkeys(wanted)
    for path, content in read_all(tree, wanted):
        if time.thread_time() > deadline:
            break
        grammar = grammar_of(path)
        root = parse(grammar, content) if grammar else None
        if grammar is not None and root is not None:
            del unparsed[path]
            definitions = defined_in(root, content, grammar)
            for word in wanted[path]:
                found[path, word] = _places(occurrences(root, content, word), definitions)
    return found, list(unparsed)


def _places(found: list[WordOccurrence], definitions: list[Definition]) -> list[WordPlace]:
    declared = {
        _local_scope(one.node)
        for one in found
        if (one.node.parent is not None and one.node.parent.type == "global_statement")
    }
    return [_place(one, definitions, declared) for one in found]


def _place(one: WordOccurrence, definitions: list[Definition], declared: set[int | None]) -> WordPlace:
    around = innermost(definitions, one.line)
    receiver = one.receiver[-MAX_RECEIVER:] if one.receiver is not None else None
    is_bare = receiver is None and one.role != "text"
    within = around.qualified if around else ""
    is_of_file = one.role != "binding" or _local_scope(one.node) in (None, *declared)
    return WordPlace(one.line, one.role, receiver, within, is_bare and _is_in_class_body(one), is_of_file)


def _local_scope(node: Node) -> int | None:
    """Return the innermost function, class or the like around a place; None at the top of the file."""
    return next((above.id for above in ancestors(node) if LOCAL_SCOPES.search(above.type)), None)


def _is_in_class_body(one: WordOccurrence) -> bool:
    around = (above.type for above in ancestors(one.node))
    return next((kind for kind in around if kind in SCOPES), "") == "class_definition"
