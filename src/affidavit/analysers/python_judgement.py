"""Judge diagnostics of Python by their code: undefined names, injections, hidden text, notebooks."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from affidavit.analysers.engine.analyser import Disclaimer, Excuse
from affidavit.analysers.python_syntax import (
    Spot,
    ancestors,
    expects,
    is_only_for_type_checkers,
    is_unevaluated_annotation,
    makes_names,
    text_of,
)
from affidavit.ports import Tree

CELLS = re.compile(rb"^# Databricks notebook source\b|^# (In ?\[|%%)|\bget_ipython\(", re.MULTILINE)
RUNNERS = (
    (
        "a notebook",
        CELLS,
        "dbutils display displayHTML exit get_ipython In Out quit sc spark sql sqlContext table",
    ),
    # `c.ServerApp.port = 1` in the settings of Jupyter and others.
    (
        "IPython",
        re.compile(rb"\bget_config\(|^c(\.[A-Z]\w*)+\.\w+[ \t]*=", re.MULTILINE),
        "c get_config load_subconfig",
    ),
    # `Import('env')` is SCons, also in the extra scripts of PlatformIO; it may define any name.
    ("SCons", re.compile(rb"^Import\(\s*['\"(\[]", re.MULTILINE), ""),
)
"""Programs that run Python files with additional names, how their files are recognised, and the names."""
NEWER_NAMES = frozenset(("aiter", "anext", "BaseExceptionGroup", "ExceptionGroup", "WindowsError"))
MAGIC = re.compile(rb"\s*(\w+\s*=\s*)?([%!]{1,2}[A-Za-z])")
"""A notebook command: `%time`, `%%bash`, `!ls`, `x = !ls`."""


def provider_of(name: str, text: bytes) -> str | None:
    """Return the program that provides a name to the file; None if none is known."""
    for program, files, names in RUNNERS:
        if (not names or name in names.split()) and files.search(text):
            return program
    return "the file itself, at run time," if makes_names(text) else None


def why_expected(spot: Spot) -> str | None:
    """Return why a failure is not a finding: the code around it expects the exception."""
    raised = spot.inspection.rules[spot.diagnostic.rule].raises
    return f"the code around it expects {raised[0]}" if raised and expects(spot, raised) else None


def judge_no_python(spot: Spot) -> Excuse | None:
    """Return why code that Python rejects is not a finding: a notebook accepts it."""
    if MAGIC.match(b"".join(spot.rows[:1])):
        command = "the line is a notebook command, which IPython accepts"
        return Disclaimer(command, lambda before: any(map(MAGIC.match, before.split(b"\n"))))
    return None


# Overrides and isolates; the plain marks U+200E and U+200F are not among them.
REORDERING = frozenset(map(chr, [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]))
WHOLE_COMMAND = re.compile(r"(\w*_)?(cmds?|command|commands|command_?line|cmd_?line|argv|script|shell_?cmd)")
ROUND_TRIP = re.compile(r"[\w.]*\bloads\(\s*[\w.]*\bdumps\(")
UNSAFE = re.compile(rb"\b(C?Unsafe|C)?Loader$")
STATEMENT = re.compile(
    rb"[rbfu]*['\"]{1,3}[\s\\n(]*(select|insert|update|delete|with|create|drop|alter|replace|merge|explain|truncate)\b",
    re.IGNORECASE,
)


def judge_undefined_name(spot: Spot) -> Excuse | None:
    """Return why an undefined name is not a finding; None if it is one."""
    if is_unevaluated_annotation(spot):
        return "the name is in an annotation that is never evaluated"
    if is_only_for_type_checkers(spot):
        return "the code is only read by type checkers"
    name = next(iter(spot.names), "")
    # A name that was already undefined comes from outside: an injected builtin, a notebook, a build tool.
    if name in NEWER_NAMES or was_reported(spot):
        return "the same undefined name was used before the change, or a newer Python has it"
    if installer := installer_of(name, spot.inspection.base):
        return f"{installer} puts the name among the builtins"
    if provider := provider_of(name, spot.text):
        return Disclaimer(
            f"{provider} gives the name to the file",
            lambda before: provider_of(name, before) is not None,
            is_open=True,
        )
    if installer := installer_of(name, spot.head):
        said = f"{installer} puts the name among the builtins"
        return Disclaimer(said, lambda _before: False, is_open=True)
    return None


def was_reported(spot: Spot) -> bool:
    """Return whether the analyser reported the same somewhere at base."""
    said = spot.diagnostic.rule, spot.diagnostic.message
    return said in {(one.rule, one.message) for one in spot.inspection.base_diagnostics}


def judge_shell_command(spot: Spot) -> str | None:
    """Return why a shell command is not a finding: no input reaches it."""
    command = _first_argument(spot)
    if command is not None and is_given_whole(command, WHOLE_COMMAND):
        return "the function is given the whole command, so that nothing is put into it here"
    is_open = command is not None and carries_input(command)
    return None if is_open else "no text from outside the function reaches the command"


def _first_argument(spot: Spot) -> Node | None:
    """Return the first argument of a call; `subprocess` also takes it as `args`."""
    given = _arguments(spot)
    plain = (one for one in given if one.type != "keyword_argument")
    return next(plain, None) or next((value for one in given if (value := _value_of(one, b"args"))), None)


def _arguments(spot: Spot) -> list[Node]:
    call = spot.first_above("call")
    given = call.child_by_field_name("arguments") if call is not None else None
    return [one for one in given.named_children if one.type != "comment"] if given is not None else []


def judge_sql_text(spot: Spot) -> str | None:
    """Return why a text is not a finding: it is not SQL, or no input reaches it."""
    node = _expression(spot.node)
    if node is None or not STATEMENT.match(node.text or b""):
        return "the text does not begin as an SQL statement does"
    return None if carries_input(node) else "no text from outside the function reaches the statement"


def _expression(node: Node | None) -> Node | None:
    """Return the largest string expression around a node."""
    if node is None:
        return None
    if node.type in ("string_start", "string_content", "string_end", "identifier"):
        node = node.parent or node
    for parent, _child in ancestors(node):
        if parent.type not in ("binary_operator", "concatenated_string", "attribute", "call", "string"):
            break
        node = parent
    return node


def judge_unpickling(spot: Spot) -> str | None:
    """Return why reading a pickle is not a finding: the same expression wrote it."""
    is_own = ROUND_TRIP.match(text_of(spot.first_above("call")))
    return "the same expression wrote the data" if is_own else None


def judge_evaluation(spot: Spot) -> str | None:
    """Return why `eval` is not a finding: its text is written here."""
    first = _first_argument(spot)
    is_written = first is not None and first.type == "string"
    is_filled_in = first is not None and any(child.type == "interpolation" for child in first.children)
    return "the text is written here, and nothing is put into it" if is_written and not is_filled_in else None


def judge_yaml_loader(spot: Spot) -> str | None:
    """Return why reading YAML is not a finding: the loader that is named makes plain objects."""
    loaders = (_value_of(one, b"Loader") for one in _arguments(spot))
    named = next((one.text or b"" for one in loaders if one is not None), b"")
    is_safe = named and not UNSAFE.search(named)
    return "only plain objects are made by the loader that is named" if is_safe else None


def _value_of(argument: Node, name: bytes) -> Node | None:
    """Return the value of an argument with this keyword."""
    named = argument.child_by_field_name("name") if argument.type == "keyword_argument" else None
    return argument.child_by_field_name("value") if named is not None and named.text == name else None


def judge_reordered_text(spot: Spot) -> str | None:
    """Return why an invisible character is not a finding: it reorders nothing."""
    if not REORDERING.isdisjoint(b"".join(spot.rows).decode("utf-8", errors="replace")):
        return None
    return "a mark of direction, as texts written from right to left have it, hides nothing"


def installer_of(name: str, tree: Tree) -> str | None:
    """Return the file that adds the name to the builtins, if any."""
    sets = rf"^[^#]*\bbuiltins\b.*\b{re.escape(name)}\b.*[=,]"
    hits = tree.search(sets + (r"|^[^#]*\bgettext\b.*\binstall\(" if name == "_" else ""), max_hits=1)
    return hits[0].path if hits else None


# Does input reach an expression?

CONSTANT = re.compile(r"_{0,2}[A-Z][A-Z0-9_]*")
# Names of tables and columns and finished parts come from the program, not from outside.
PROGRAM_TEXT = re.compile(
    r"(?:.*_)?(?:tables?|columns?|cols?|fields?|schemas?|database|db|index|alias|quoted|sql"
    r"|query|where|suffix|prefix|table_?name|column_?name|lhs|rhs|rows?)",
    re.IGNORECASE,
)
SOURCES = frozenset({"input", "argv", "request", "environ", "getenv", "stdin"})
PASSING_METHODS = frozenset(
    [
        "format",
        "strip",
        "lstrip",
        "rstrip",
        "lower",
        "upper",
        "title",
        "join",
        "get",
        "replace",
        "encode",
        "decode",
    ]
)
PASSING_FUNCTIONS = frozenset({"str", "format", "list", "tuple"})
HARMLESS_TYPES = frozenset({"int", "float", "bool"})
OWN = frozenset({"self", "cls"})
GIVING = {
    "assignment": ("left", "right"),
    "augmented_assignment": ("left", "right"),
    "for_statement": ("left", "right"),
    "named_expression": ("name", "value"),
}
UNPACKING = ("pattern_list", "tuple_pattern", "list_pattern")
MAX_STEPS = 200


def carries_input(node: Node) -> bool:
    """Return whether the value of an expression can hold text from outside the function."""
    return _Search().carries(node)


def is_given_whole(node: Node, names: re.Pattern[str]) -> bool:
    """Return whether an expression is an unchanged parameter with one of these names.

    It may also be a variable that holds such a parameter, or an item of it.
    """
    function, name = _enclosing_function(node), text_of(node)
    if function is None or node.type != "identifier" or not names.fullmatch(name):
        return False
    values = list(_assignments(function, name))
    if values:
        return len(values) == 1 and text_of(values[0]) != name and is_given_whole(values[0], names)
    return _is_parameter(function, name)


class _Search:
    """Searches in a limited number of steps, and visits no name twice."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._steps = 0

    def carries(self, node: Node | None) -> bool:
        self._steps += 1
        if node is None or self._steps > MAX_STEPS:
            return False
        if node.type == "identifier":
            return self._name_carries(node)
        if node.type == "attribute":
            member = text_of(node.child_by_field_name("attribute"))
            owner = node.child_by_field_name("object")
            if member in SOURCES or text_of(owner) in SOURCES:
                return True
            is_own = PROGRAM_TEXT.fullmatch(member) or CONSTANT.fullmatch(member)
            return not is_own and self.carries(owner)
        if node.type == "call":
            return self._call_carries(node)
        if node.type in ("subscript", "keyword_argument"):
            return self.carries(node.child_by_field_name("value"))
        return any(self.carries(child) for child in node.named_children if child.type != "comment")

    def _name_carries(self, node: Node) -> bool:
        name = text_of(node)
        if name in SOURCES:
            return True
        if name in self._seen or name in OWN or CONSTANT.fullmatch(name) or PROGRAM_TEXT.fullmatch(name):
            return False
        self._seen.add(name)
        function = _enclosing_function(node)
        scope = function if function is not None else _module(node)
        assigned = list(_assignments(scope, name))
        if assigned:
            return any(self.carries(value) for value in assigned)
        return function is not None and _is_parameter(function, name)

    def _call_carries(self, node: Node) -> bool:
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        if function is None:
            return False
        if function.type == "attribute":
            member = text_of(function.child_by_field_name("attribute"))
            if member in PASSING_METHODS:
                return self.carries(function.child_by_field_name("object")) or self.carries(arguments)
            return member in SOURCES
        name = text_of(function)
        return name in SOURCES or (name in PASSING_FUNCTIONS and self.carries(arguments))


def _enclosing_function(node: Node) -> Node | None:
    return next((parent for parent, _ in ancestors(node) if parent.type == "function_definition"), None)


def _module(node: Node) -> Node:
    *_, (top, _child) = ancestors(node)
    return top


def _assignments(scope: Node, name: str) -> Iterator[Node]:
    """Return the values that a name is assigned in a scope, and those it loops over."""
    waiting = [scope]
    while waiting:
        node = waiting.pop()
        if node is not scope and node.type in ("function_definition", "class_definition", "lambda"):
            continue
        if node.type in GIVING:
            target, value = map(node.child_by_field_name, GIVING[node.type])
            if target is not None and value is not None:
                yield from _given(target, value, name)
        waiting += node.named_children


def _given(target: Node, value: Node, name: str) -> Iterator[Node]:
    """Yield the part of a value that a name gets; unpacking gives each name its own."""
    if target.type not in UNPACKING:
        if text_of(target) == name:
            yield value
        return
    targets, values = target.named_children, value.named_children
    is_paired = value.type in ("expression_list", "tuple", "list") and len(targets) == len(values)
    for one, part in zip(targets, values if is_paired else [value] * len(targets), strict=True):
        yield from _given(one, part, name)


def _is_parameter(function: Node, name: str) -> bool:
    """Return whether it is a parameter of the function that may be a text."""
    parameters = function.child_by_field_name("parameters")
    return any(
        re.findall(r"\w+", text_of(one))[:1] == [name]
        and text_of(one.child_by_field_name("type")) not in HARMLESS_TYPES
        for one in (parameters.named_children if parameters is not None else ())
    )
