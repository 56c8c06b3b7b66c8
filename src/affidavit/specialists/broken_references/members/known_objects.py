"""Calls of a removed method on objects whose class the file itself shows: `new Cart().pay()`."""

import re
from collections.abc import Iterator

from affidavit.languages.engine.grammars import matches, node_text
from affidavit.records.context import Symbol
from affidavit.specialists.broken_references.ground import Break, Ground, Parsed, is_guarded
from affidavit.specialists.broken_references.members.methods import RULE, class_is_plain, knowing_files
from affidavit.symbols.definitions import symbols_of
from affidavit.symbols.occurrences import Occurrence, occurrences

# How a language declares a variable that holds a new object. Python has a type checker that knows more.
JAVASCRIPT_NEW = (
    "(lexical_declaration kind: _ @kind (variable_declarator name: (identifier) @name"
    " value: (new_expression constructor: (identifier) @class)))"
)
NEW = {
    "javascript": JAVASCRIPT_NEW,
    "typescript": JAVASCRIPT_NEW,
    "java": (
        "(variable_declarator name: (identifier) @name"
        " value: (object_creation_expression type: (type_identifier) @class !body))"
    ),
}
DECLARED = r"\b(?:class|interface|enum|record|namespace|module)\s+(?:{})\b"
SET = r"\.\s*(?:{})\s*=(?![=>])"
MADE = re.compile(rb"\bprototype\b|Object\.(?:assign|define)|\bsetattr\b|applyMixins|\bmixin", re.IGNORECASE)


def find_methods_lost_by_known_objects(ground: Ground) -> Iterator[Break]:
    """Whatever the method is called: the object's class is known, and does not have it."""
    for old in ground.gone:
        if old.kind != "method" or old.language not in NEW or not class_is_plain(ground, old):
            continue
        owner = old.qualified.rpartition(".")[0]
        message = f"`{old.name}` is called on `{owner}`, which does not have it any more"
        found = [
            Break(RULE, path, place.line, message, ground.cause(old.path, old.qualified))
            for path in sorted(_places_to_look(ground, old))
            if (parsed := ground.parsed(path)) is not None
            for place in uses_of_known_objects(parsed, old, owner)
        ]
        if found and not may_live_on(ground, old, owner):
            yield from found


def _places_to_look(ground: Ground, old: Symbol) -> set[str]:
    knowing = knowing_files(ground, old)
    if old.language != "java":
        return knowing
    folder = old.path.rpartition("/")[0]
    return knowing | {
        path
        for path in ground.repository.head.entries()
        if path.endswith(".java") and path.rpartition("/")[0] == folder
    }


def may_live_on(ground: Ground, old: Symbol, owner: str) -> bool:
    """The class still has the word, or stands in several places, or some line gives an object the member."""
    head = ground.repository.head
    lines = head.lines(old.path) or []
    own = [one for one in symbols_of(head, old.path) if one.qualified == owner]
    if len(own) != 1 or MADE.search(head.read(old.path) or b""):
        return True
    word = re.compile(rf"(?<![\w$]){re.escape(old.name)}(?![\w$])")
    above = lines[own[0].line - 2].strip() if own[0].line > 1 else ""
    is_marked = above.startswith("@") or lines[own[0].line - 1].lstrip().startswith("@")
    if is_marked or any(_declares(line, word) for line in lines[own[0].line - 1 : own[0].end_line]):
        return True
    return len(ground.search([owner], DECLARED)) != 1 or bool(ground.search([old.name], SET))


def _declares(line: str, word: re.Pattern[str]) -> bool:
    """The word stands there, and not after a dot."""
    return any(line[: found.start()].rstrip()[-1:] != "." for found in word.finditer(line))


def uses_of_known_objects(parsed: Parsed, old: Symbol, owner: str) -> list[Occurrence]:
    if parsed.language.name not in NEW or parsed.root.has_error or old.name.encode() not in parsed.text:
        return []
    known = _variables(parsed, owner)
    makers = (f"new {owner}(", f"(new {owner}(")
    return [
        place
        for place in occurrences(parsed.root, parsed.text, old.name)
        if place.role == "call"
        and place.receiver is not None
        and (place.receiver in known or _is_new(place.receiver, makers))
        and not is_guarded(place.node, parsed.text)
    ]


def _is_new(receiver: str, makers: tuple[str, ...]) -> bool:
    """`new Cart()` and nothing behind it: what a call on it gives back is another object."""
    plain = receiver.strip("()") if receiver.startswith("(new ") else receiver
    return receiver.startswith(makers) and plain.count("(") <= 1 and not re.search(r"\)\s*\.", receiver)


def _variables(parsed: Parsed, owner: str) -> set[str]:
    """The variables that hold an object of the class and nothing else; and the class itself."""
    text = parsed.text
    named = occurrences(parsed.root, text, owner)
    found = set() if any(place.role == "binding" for place in named) else {owner}
    for captured in matches(parsed.grammar, NEW[parsed.language.name], parsed.root):
        name = node_text(captured["name"][0], text)
        kind = node_text(captured["kind"][0], text) if "kind" in captured else ""
        is_lasting = kind != "let" and _is_bound_once(parsed, name)
        if node_text(captured["class"][0], text) == owner and is_lasting:
            found.add(name)
    return found


def _is_bound_once(parsed: Parsed, name: str) -> bool:
    places = occurrences(parsed.root, parsed.text, name)
    bound = [place for place in places if place.role in ("definition", "binding", "import")]
    is_given_again = any(
        (holder := place.node.parent) is not None
        and holder.type in ("assignment_expression", "augmented_assignment")
        and holder.child_by_field_name("left") == place.node
        for place in places
    )
    return len(bound) == 1 and not is_given_again
