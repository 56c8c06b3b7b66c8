"""Rust: calls by a path of modules (`calc::fee(1)`, `crate::calc::fee(1)`) that surely ends in one file."""

import re
from collections.abc import Callable, Iterator

from tree_sitter import Node

from affidavit.languages.engine.grammars import node_text
from affidavit.specialists.broken_references.calls.callee import (
    Callee,
    Site,
    call_of,
    enclosing,
    places_of,
    sound,
)
from affidavit.specialists.broken_references.ground import Ground, Parsed

BY_PATH = r"::\s*(?:{})\b"
PATH = re.compile(r"(?:r#)?\w+(?:::(?:r#)?\w+)*")
MAX_DEPTH = 30

IsSure = Callable[[Node], bool]
"""Whether nothing before an item, such as `#[cfg(…)]` or `#[path = …]`, changes what it means."""


def calls_by_path(ground: Ground, callee: Callee, is_sure: IsSure) -> Iterator[Site]:
    """Calls that name the file's module before the function, outside of the file's own inline modules."""
    modules = Modules(ground, is_sure)
    paths = {hit.path for hit in ground.search([callee.name], BY_PATH) if hit.path.endswith(".rs")}
    for path in sorted(paths - {callee.old.path}):
        parsed = sound(ground, path)
        for place in places_of(parsed, callee.name) if parsed is not None else ():
            scoped = place.node.parent
            call = call_of(scoped) if scoped is not None and scoped.type == "scoped_identifier" else None
            if parsed is None or call is None or place.receiver is None or any(_inline(call)):
                continue
            if modules.meant(parsed, place.receiver) == callee.old.path:
                yield Site(parsed, call, f"{place.receiver}::{callee.name}")


def _inline(node: Node) -> Iterator[Node]:
    return enclosing(node, ("mod_item",))


class Modules:
    """The tree of modules as the files themselves declare it: `mod calc;`, once and without a condition."""

    def __init__(self, ground: Ground, is_sure: IsSure) -> None:
        self._ground = ground
        self._is_sure = is_sure

    def meant(self, parsed: Parsed, path: str) -> str | None:
        """The file that a path of modules means in a file; None where that is not certain."""
        plain = "".join(path.split())
        parts = plain.split("::") if PATH.fullmatch(plain) else []
        return self._walk(parsed.path, self._absolute(parsed, parts)) if parts else None

    def _absolute(self, parsed: Parsed, parts: list[str]) -> list[str]:
        """The path with what `use crate::shop::calc;` says of its first name."""
        places = places_of(parsed, parts[0]) if parts[0] not in ("crate", "self", "super") else []
        taken = [place for place in places if place.role in ("import", "binding")]
        if not taken:
            return parts
        uses = [
            one
            for one in self._ground.head_imports.imports_of(parsed.path)
            if parts[0] in one.names and not one.is_conditional
        ]
        statement = next(enclosing(taken[0].node, ("use_declaration",)), None)
        is_plain = len(taken) == len(uses) == 1 and statement is not None and self._is_sure(statement)
        # Of two declarations with one name, one is for another build.
        is_only = is_plain and not any(place.role == "definition" for place in places)
        return [*uses[0].name.split("::"), *parts] if is_only else []

    def _walk(self, path: str, parts: list[str]) -> str | None:
        at: str | None = path if parts else None
        rest = parts
        if rest and rest[0] == "crate":
            at, rest = self._root(path), rest[1:]
        elif rest and rest[0] == "self":
            rest = rest[1:]
        while at is not None and rest and rest[0] == "super":
            at, rest = self._declaring(at), rest[1:]
        for part in rest:
            at = self._child(at, part) if at is not None else None
        return at

    def _root(self, path: str) -> str | None:
        at = path
        for _ in range(MAX_DEPTH):
            if not self._declarations(at):
                return at
            above = self._declaring(at)
            if above is None:
                return None
            at = above
        return None

    def _declarations(self, path: str) -> list[str]:
        """The files that declare the module of a file, or seem to."""
        stem = _stem(path)
        importers = self._ground.head_imports.importers_of(path)
        return sorted({one.path for one in importers if one.name == stem and not one.names})

    def _declaring(self, path: str) -> str | None:
        found = self._declarations(path)
        return found[0] if len(found) == 1 and self._child(found[0], _stem(path)) == path else None

    def _child(self, path: str, name: str) -> str | None:
        """The file of `mod name;` in a file, where it stands alone and under no condition."""
        parsed = sound(self._ground, path)
        if parsed is None:
            return None
        declared = [
            node
            for node in parsed.root.named_children
            if node.type == "mod_item" and node_text(node.child_by_field_name("name"), parsed.text) == name
        ]
        is_only = len(declared) == 1 and declared[0].child_by_field_name("body") is None
        if not is_only or not self._is_sure(declared[0]):
            return None
        targets = {
            one.target
            for one in self._ground.head_imports.imports_of(path)
            if one.name == name and not one.names and one.line == declared[0].start_point.row + 1
        }
        return targets.pop() if len(targets) == 1 else None


def _stem(path: str) -> str:
    folder, _, name = path.rpartition("/")
    return folder.rpartition("/")[2] if name == "mod.rs" else name.removesuffix(".rs")
