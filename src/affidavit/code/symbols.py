"""What Python text defines, and which definitions a change adds, removes or alters."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import tree_sitter_python
from tree_sitter import Language, Node, Parser

from affidavit.ports import Repository, Tree
from affidavit.records.change import Change, FileChange

SymbolKind = Literal["function", "class", "method", "constant"]
SymbolFate = Literal["added", "removed", "resigned", "touched"]

MAX_BYTES = 2_000_000
MAX_DEPTH = 400
PYTHON_ENDS = (".py", ".pyi")
# What a formatter may change in a header.
LAYOUT = re.compile(r"\s+|,(?=\s*[)\]])")
WHITE_SPACE = re.compile(r"\s+")


@dataclass(frozen=True)
class Definition:
    """One definition: `qualified` is its dotted name in the module, `signature` its folded header."""

    name: str
    qualified: str
    kind: SymbolKind
    line: int
    end_line: int
    signature: str


@dataclass(frozen=True)
class ChangedSymbol:
    """A definition that the change adds, removes, gives another signature or touches inside."""

    file: str
    """The path at head; at base for a file that the change deletes."""
    name: str
    qualified: str
    kind: SymbolKind
    fate: SymbolFate
    head_line: int | None
    base_line: int | None
    signature: str
    """At head; at base for a removed one."""


@lru_cache(maxsize=1)
def python_language() -> Language:
    """The grammar, loaded once."""
    return Language(tree_sitter_python.language())


def parse_python(text: bytes) -> Node | None:
    """The syntax tree of a text, or None where it is too large to be worth parsing."""
    # The parser is linear in the size of the text, so bounding the size bounds the time.
    if len(text) > MAX_BYTES:
        return None
    return Parser(python_language()).parse(text).root_node


def definitions(text: bytes) -> list[Definition]:
    """The functions, classes, methods and constants of a module; none where the text is too large."""
    root = parse_python(text)
    return [] if root is None else list(_defined_in(root, "", inside_class=False, depth=0))


def _defined_in(scope: Node, prefix: str, *, inside_class: bool, depth: int) -> Iterator[Definition]:
    if depth > MAX_DEPTH:
        return
    for node in scope.named_children:
        if node.type in ("function_definition", "class_definition"):
            yield from _definition(node, prefix, inside_class=inside_class, depth=depth)
        elif node.type == "expression_statement":
            yield from _assigned(node, prefix)
        elif node.type != "lambda":
            # Definitions also stand below decorators, conditions and try statements.
            yield from _defined_in(node, prefix, inside_class=inside_class, depth=depth + 1)


def _definition(node: Node, prefix: str, *, inside_class: bool, depth: int) -> Iterator[Definition]:
    name = _text(node.child_by_field_name("name"))
    body = node.child_by_field_name("body")
    if not name:
        return
    is_class = node.type == "class_definition"
    outer = node.parent if node.parent is not None and node.parent.type == "decorated_definition" else node
    header_end = body.start_byte if body is not None else node.end_byte
    header = (node.text or b"")[: header_end - node.start_byte]
    kind: SymbolKind = "class" if is_class else "method" if inside_class else "function"
    yield Definition(
        name=name,
        qualified=prefix + name,
        kind=kind,
        line=node.start_point.row + 1,
        end_line=outer.end_point.row + 1,
        signature=_folded(header),
    )
    if is_class and body is not None:
        yield from _defined_in(body, f"{prefix}{name}.", inside_class=True, depth=depth + 1)


def _assigned(statement: Node, prefix: str) -> Iterator[Definition]:
    for node in statement.named_children:
        target = node.child_by_field_name("left") if node.type == "assignment" else None
        if target is None or target.type != "identifier":
            continue
        name = _text(target)
        yield Definition(
            name=name,
            qualified=prefix + name,
            kind="constant",
            line=node.start_point.row + 1,
            end_line=node.end_point.row + 1,
            signature=name,
        )


def _text(node: Node | None) -> str:
    return "" if node is None else (node.text or b"").decode("utf-8", errors="replace")


def _folded(header: bytes) -> str:
    # A comment between header and body belongs to neither.
    text = header.decode("utf-8", errors="replace")
    return WHITE_SPACE.sub(" ", text).strip()


def changed_symbols(change: Change, repository: Repository) -> list[ChangedSymbol]:
    """The definitions of changed Python files that the change adds, removes, re-signs or touches."""
    return [
        symbol
        for file in change.files
        if not file.is_partial and not file.is_binary and file.path.endswith(PYTHON_ENDS)
        for symbol in _changed_in(file, repository)
    ]


def _changed_in(file: FileChange, repository: Repository) -> list[ChangedSymbol]:
    before = _by_name(repository.base, file.base_path)
    after = _by_name(repository.head, file.head_path)
    touched_head, touched_base = set(file.changed_lines("head")), set(file.changed_lines("base"))
    removed = [
        _changed(file.path, "removed", old, base=old) for name, old in before.items() if name not in after
    ]
    found = []
    for qualified, new in after.items():
        old = before.get(qualified)
        fate = _fate(old, new, touched_base, touched_head)
        if fate is not None:
            found.append(_changed(file.path, fate, new, base=old, head=new))
    return [*found, *removed]


def _by_name(tree: Tree, path: str | None) -> dict[str, Definition]:
    content = tree.read(path) if path is not None else None
    return {} if content is None else {found.qualified: found for found in definitions(content)}


def _fate(
    old: Definition | None, new: Definition, touched_base: set[int], touched_head: set[int]
) -> SymbolFate | None:
    if old is None:
        return "added"
    if LAYOUT.sub("", old.signature) != LAYOUT.sub("", new.signature):
        return "resigned"
    lines_head, lines_base = range(new.line, new.end_line + 1), range(old.line, old.end_line + 1)
    is_alike = touched_head.isdisjoint(lines_head) and touched_base.isdisjoint(lines_base)
    return None if is_alike else "touched"


def _changed(
    file: str,
    fate: SymbolFate,
    shown: Definition,
    *,
    base: Definition | None = None,
    head: Definition | None = None,
) -> ChangedSymbol:
    return ChangedSymbol(
        file=file,
        name=shown.name,
        qualified=shown.qualified,
        kind=shown.kind,
        fate=fate,
        head_line=head.line if head else None,
        base_line=base.line if base else None,
        signature=shown.signature,
    )
