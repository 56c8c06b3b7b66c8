"""Python: attributes that a class no longer has, and that it or a class built on it still uses."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from affidavit.languages.engine.grammars import ancestors, node_text
from affidavit.specialists.broken_references.ground import Break, Ground, is_guarded
from affidavit.specialists.broken_references.members.heirs import Heirs
from affidavit.specialists.broken_references.members.python_classes import (
    PythonClass,
    PythonClasses,
    is_set,
    members,
)

RULE = "references/removed-attribute"
SET_ELSEWHERE = r"[\w\])]\s*\.\s*(?:{})\s*(?::[^=]*)?=(?!=)"
QUOTED = r"[\"'](?:{})[\"']"


def find_lost_members(ground: Ground) -> Iterator[Break]:
    """Uses by `self`, where all classes around are known and none of them has the attribute."""
    head = PythonClasses(ground.repository.head, lambda: ground.head_imports)
    base = PythonClasses(ground.repository.base, lambda: ground.base_imports)
    lost = [
        (after, member)
        for file in ground.code_files
        if file.head_path == file.base_path and file.path.endswith(".py")
        for after, member in _lost(base.of(file.path), head.of(file.path))
    ]
    heirs = Heirs(ground, head)
    heirs.load(owner.name for owner, _ in lost)
    for owner, member in lost:
        yield from _uses(ground, head, heirs, owner, member)


def _lost(before: dict[str, PythonClass], after: dict[str, PythonClass]) -> Iterator[tuple[PythonClass, str]]:
    for name in before.keys() & after.keys():
        for member in sorted(before[name].provides - after[name].provides):
            if not member.startswith("__"):
                yield after[name], member


def _uses(
    ground: Ground, classes: PythonClasses, heirs: Heirs, owner: PythonClass, member: str
) -> Iterator[Break]:
    family = heirs.family(owner)
    found = [(one, node) for one in family or () for node in _used_by(one, member)]
    if not found or family is None or _is_given_elsewhere(ground, member):
        return
    lacking = {id(one) for one in family if _surely_lacks(classes, one, family, member)}
    for one, node in found:
        if id(one) in lacking:
            message = f"`{node_text(node, one.text)}` is used, but `{owner.name}` does not have it any more"
            cause = ground.cause(owner.path, f"{owner.name}.{member}")
            yield Break(RULE, one.path, node.start_point.row + 1, message, cause)


def _used_by(one: PythonClass, member: str) -> Iterator[Node]:
    for node in members(one.node):
        attribute = node.child_by_field_name("attribute")
        is_use = node_text(attribute, one.text) == member and not is_set(node)
        if is_use and not is_guarded(node, one.text) and not _is_static(node, one.text):
            yield node


def _surely_lacks(classes: PythonClasses, one: PythonClass, family: list[PythonClass], member: str) -> bool:
    """Nothing that the class builds on has the attribute, and nothing that is built on it brings it along."""
    for other in family:
        above = classes.above(other)
        if other is not one and (above is None or one not in above):
            if above is None and _may_build_on(other, one):
                return False
            continue
        if above is None or any(part.is_open or member in part.provides for part in above):
            return False
    return True


def _may_build_on(other: PythonClass, one: PythonClass) -> bool:
    """A class whose bases are not all known may still have this one among them."""
    return one.name in other.bases or len(other.bases) > 1


def _is_given_elsewhere(ground: Ground, member: str) -> bool:
    """Some code sets the attribute on an object from outside, or has its name as a text."""
    given = [hit for hit in ground.search([member], SET_ELSEWHERE) if not _is_by_self(hit.text, member)]
    return bool(given) or any(hit.path.endswith(".py") for hit in ground.search([member], QUOTED))


def _is_by_self(line: str, member: str) -> bool:
    return re.search(rf"\b(?:self|cls)\s*\.\s*{re.escape(member)}\b", line) is not None


def _is_static(node: Node, text: bytes) -> bool:
    for above in ancestors(node):
        if above.type == "decorated_definition":
            return "staticmethod" in node_text(above, text).partition("def ")[0]
    return False
