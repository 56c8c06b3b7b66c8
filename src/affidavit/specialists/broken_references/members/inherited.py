"""Python: attributes that a class no longer has, and that it or a class built on it still uses."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from affidavit.languages.engine.grammars import ancestors, node_text
from affidavit.specialists.broken_references.ground import Break, Ground, is_guarded
from affidavit.specialists.broken_references.members.python_classes import (
    PythonClass,
    PythonClasses,
    is_set,
    members,
)

RULE = "references/removed-attribute"
BUILT_ON = r"^\s*class\s+\w+\s*\(.*\b(?:{})\b"
SET_ELSEWHERE = r"[\w\])]\s*\.\s*(?:{})\s*(?::[^=]*)?=(?!=)"
QUOTED = r"[\"'](?:{})[\"']"
MAX_BELOW = 200


def find_lost_members(ground: Ground) -> Iterator[Break]:
    """Uses by `self`, where all classes around are known and none of them has the attribute."""
    head = PythonClasses(ground.repository.head, lambda: ground.head_imports)
    base = PythonClasses(ground.repository.base, lambda: ground.base_imports)
    for file in ground.code_files:
        if file.head_path != file.base_path or not file.path.endswith(".py"):
            continue
        before, after = base.of(file.path), head.of(file.path)
        for name in before.keys() & after.keys():
            lost = before[name].provides - after[name].provides
            for member in sorted(one for one in lost if not one.startswith("__")):
                yield from _uses(ground, head, after[name], member)


def _uses(ground: Ground, classes: PythonClasses, owner: PythonClass, member: str) -> Iterator[Break]:
    family = _family(ground, classes, owner)
    if family is None or _is_given_elsewhere(ground, member):
        return
    for one in family:
        if not _surely_lacks(classes, one, family, member):
            continue
        for node in members(one.node):
            attribute = node.child_by_field_name("attribute")
            is_use = node_text(attribute, one.text) == member and not is_set(node)
            if not is_use or is_guarded(node, one.text) or _is_static(node, one.text):
                continue
            written = node_text(node, one.text)
            message = f"`{written}` is used, but `{owner.name}` does not have it any more"
            cause = ground.cause(owner.path, f"{owner.name}.{member}")
            yield Break(RULE, one.path, node.start_point.row + 1, message, cause)


def _family(ground: Ground, classes: PythonClasses, owner: PythonClass) -> list[PythonClass] | None:
    """The class and all that are built on it, as far as their names say so; None where there are too many."""
    family, waiting = [owner], [owner]
    while waiting:
        current = waiting.pop()
        paths = {hit.path for hit in ground.search([current.name], BUILT_ON) if hit.path.endswith(".py")}
        for one in (found for path in sorted(paths) for found in classes.of(path).values()):
            is_built = current.name in one.bases and classes.resolve(one.path, current.name) is current
            if is_built and one not in family:
                family.append(one)
                waiting.append(one)
        if len(family) > MAX_BELOW:
            return None
    return family


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
