"""JavaScript and TypeScript: calls of a function by its file and its importers, of a method by its class."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from affidavit.analysers.silencing_comments import suppressions_in
from affidavit.git.text import text_lines
from affidavit.languages.engine.grammars import ancestors, node_text
from affidavit.specialists.broken_references.calls.callee import (
    Callee,
    Site,
    call_of,
    called_alone,
    enclosing,
    places_of,
    sound,
    text_of,
)
from affidavit.specialists.broken_references.calls.everywhere import EVERYWHERE
from affidavit.specialists.broken_references.ground import Ground, Parsed
from affidavit.specialists.broken_references.members.known_objects import (
    DECLARED,
    may_live_on,
    uses_of_known_objects,
)
from affidavit.specialists.broken_references.members.methods import class_is_plain, knowing_files
from affidavit.specialists.broken_references.names.commonjs import REPLACING

MODULE = re.compile(rb"^\s*(?:import|export)\b", re.MULTILINE)
THIS_CHANGES = ("function_declaration", "function_expression", "generator_function", "object", "class")
CLASSES = ("class_declaration", "abstract_class_declaration", "class")
EXTENDED = r"\bextends\s+(?:{})\b"
KNOWN = r"\bdeclare\b.*\b(?:{0})\b|\b(?:function|const|let|var)\s+(?:{0})\b"
IMPORTS_BY_ITSELF = r"[\"'](?:{})(?:/[\w-]+)?[\"']"
IMPORTERS = ("unplugin-auto-import", "unimport", "nuxt", "wxt", "@nuxt", "vite-plugin-auto-import")
EXPECTED = re.compile(rb"@ts-(?:expect-error|ignore)\b")
UNCHECKED = b"@ts-nocheck"
READY = (
    r"\b{0}\s*(?:\|\||\?\?|&&|\?|===?|!==?)|(?:typeof|!|\(|&&|\|\|)\s*{0}\b|\b(?:undefined|null)\s*[!=]==?\s*{0}\b"
    r"|\barguments\b|\b{0}\s*=[^=]"
)


def javascript_calls(ground: Ground, callee: Callee) -> Iterator[Site]:
    """Every call that surely means the function or method, and whose author expects no error there."""
    if callee.owner:
        found = _calls_of_method(ground, callee)
    else:
        found = _calls_of_function(ground, callee) if callee.old.kind == "function" else iter(())
    return (site for site in found if not _expects_errors(site))


def _expects_errors(site: Site) -> bool:
    text = site.parsed.text
    lines = text.splitlines()[max(site.call.start_point.row - 1, 0) : site.call.end_point.row + 1]
    is_said = UNCHECKED in text or any(EXPECTED.search(line) for line in lines)
    return is_said and not _is_silenced(site)


def _is_silenced(site: Site) -> bool:
    """A comment that is known to silence the line is weighed with all others, and leaves a trace."""
    said = suppressions_in(site.parsed.path, text_lines(site.parsed.text))
    return any(one.tool == "tsc" and one.concerns(range(site.line, site.line + 1)) for one in said)


def _calls_of_function(ground: Ground, callee: Callee) -> Iterator[Site]:
    path = callee.old.path
    own = sound(ground, path)
    wanted = 0 if callee.is_gone else 1
    if own is None or not MODULE.search(own.text) or ground.count_defined([path], callee.name) != wanted:
        # What is no module shares its names with other scripts.
        return
    if callee.is_gone:
        if callee.old.language == "typescript" and not _is_known_elsewhere(ground, callee, own):
            yield from called_alone(own, callee.name)
        return
    yield from called_alone(own, callee.name, 1)
    if not _is_exported(callee.node):
        return
    renamed = re.compile(rb"\b" + re.escape(callee.name.encode()) + rb"\s+as\b")
    for one in ground.head_imports.importers_of(path):
        parsed = sound(ground, one.path) if callee.name in one.names and one.name.startswith(".") else None
        if parsed is None or REPLACING.search(parsed.text) or renamed.search(parsed.text):
            continue
        yield from called_alone(parsed, callee.name, imports=1)


def _is_known_elsewhere(ground: Ground, callee: Callee, own: Parsed) -> bool:
    """The file has the name from somewhere else, everybody has it, or a tool may import it by itself."""
    if any(place.role in ("import", "binding", "definition") for place in places_of(own, callee.name)):
        return True
    if callee.name in EVERYWHERE or ground.search([callee.name], KNOWN):
        return True
    hits = ground.search(IMPORTERS, IMPORTS_BY_ITSELF)
    return any(hit.path.rpartition("/")[2] == "package.json" for hit in hits)


def _is_exported(definition: Node) -> bool:
    """`export function f` or `export const f`: under its own name, and for everybody."""
    statement = next((above for above in ancestors(definition) if above.type == "export_statement"), None)
    return statement is not None and b"default" not in (statement.text or b"")[:20]


def _calls_of_method(ground: Ground, callee: Callee) -> Iterator[Site]:
    path = callee.old.path
    wanted = 0 if callee.is_gone else 1
    is_alone = ground.count_defined([path], callee.old.qualified) == wanted
    if not is_alone or not class_is_plain(ground, callee.old) or ground.search([callee.owner], EXTENDED):
        return
    if len(ground.search([callee.owner], DECLARED)) != 1:
        return
    if callee.is_gone and may_live_on(ground, callee.old, callee.owner):
        return
    own = sound(ground, path)
    if own is not None:
        yield from _by_the_class(own, callee)
    for known in sorted(knowing_files(ground, callee.old)) if not callee.is_gone else ():
        parsed = sound(ground, known)
        for place in uses_of_known_objects(parsed, callee.old, callee.owner) if parsed is not None else ():
            call = call_of(place.node.parent) if place.node.parent is not None else None
            if parsed is not None and call is not None and not REPLACING.search(parsed.text):
                yield Site(parsed, call, f"{place.receiver}.{callee.name}")


def _by_the_class(parsed: Parsed, callee: Callee) -> Iterator[Site]:
    for place in places_of(parsed, callee.name):
        member = place.node.parent
        call = call_of(member) if member is not None and place.receiver == "this" else None
        if call is None:
            continue
        around = next(enclosing(call, (*THIS_CHANGES, *CLASSES)), None)
        if (
            around is not None
            and around.type in CLASSES
            and text_of(around, "name", parsed.text) == callee.owner
        ):
            yield Site(parsed, call, f"this.{callee.name}")


def is_ready_for_less(callee: Callee, text: bytes, count: int) -> bool:
    """The function asks whether it got the parameters that a call leaves out, or does not use them."""
    body = callee.node.child_by_field_name("body")
    if body is None and (value := callee.node.child_by_field_name("value")) is not None:
        body = value.child_by_field_name("body")
    written = node_text(body, text)
    left_out = callee.after.names[count:] if callee.after is not None else ()
    for name in left_out:
        if not re.search(rf"\b{re.escape(name)}\b", written) or not name.isidentifier():
            return True
        if re.search(READY.format(re.escape(name)), written):
            return True
    return not left_out


def shifts_arguments(callee: Callee, count: int) -> bool:
    """The parameters that are left take other arguments than before: not only the last ones are gone."""
    before, after = callee.before.names, callee.after.names if callee.after is not None else ()
    return count > len(after) and before[: len(after)] != after and set(after) <= set(before)
