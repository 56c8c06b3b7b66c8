"""What several analysers of Python report, held to the code: undefined names, injections, hidden text."""

import re

from tree_sitter import Node

from affidavit.analysers.analyser import Disclaimer, Excuse, Inspection
from affidavit.analysers.python_runners import judge_fault, provider_of
from affidavit.analysers.python_syntax import (
    ancestors,
    is_only_for_type_checkers,
    is_unevaluated_annotation,
    node_at,
)
from affidavit.analysers.python_taint import carries_input, is_given_whole
from affidavit.analysers.rule import names_in
from affidavit.ports import Tree
from affidavit.records.evidence import AnalyserDiagnostic

# Overrides and isolates; the plain marks U+200E and U+200F are not among them.
REORDERING = frozenset(map(chr, [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]))
WHOLE_COMMAND = re.compile(r"(\w*_)?(cmds?|command|commands|command_?line|cmd_?line|argv|script|shell_?cmd)")
ROUND_TRIP = re.compile(rb"[\w.]*\bloads\(\s*[\w.]*\bdumps\(")
LOADER = re.compile(rb"(?:[\w.]+\.)?(\w+)")
UNSAFE_LOADERS = (b"Loader", b"UnsafeLoader", b"CLoader", b"CUnsafeLoader")
STATEMENT = re.compile(
    rb"[rbfu]*['\"]{1,3}[\s\\n(]*(select|insert|update|delete|with|create|drop|alter|replace|merge|explain|truncate)\b",
    re.IGNORECASE,
)


def judge_undefined_name(
    diagnostic: AnalyserDiagnostic, inspection: Inspection, text: bytes
) -> Excuse | None:
    """The reason why an undefined name is no finding; None where it is one."""
    if is_unevaluated_annotation(text, diagnostic.line, diagnostic.column):
        return "the name is in an annotation that is never evaluated"
    if is_only_for_type_checkers(text, diagnostic.line, diagnostic.column):
        return "the code is only read by type checkers"
    name = next(iter(names_in(diagnostic.message)), "")
    if provider := provider_of(name, diagnostic.path, b""):
        return f"{provider} gives the name to the file"
    # A name that was undefined before comes from outside: an injected builtin, a notebook, a build tool.
    was_undefined = any(
        known.rule == diagnostic.rule and known.message == diagnostic.message
        for known in inspection.base_diagnostics
    )
    if was_undefined:
        return "the same undefined name was used before the change"
    if installer := installer_of(name, inspection.repository.base):
        return f"{installer} puts the name among the builtins"
    return _given_by_the_change(name, diagnostic.path, inspection, text)


def _given_by_the_change(name: str, path: str, inspection: Inspection, text: bytes) -> Disclaimer | None:
    """What the file or the change says of where the name comes from, which nobody else has said."""
    if provider := provider_of(name, path, text):
        return Disclaimer(
            f"{provider} gives the name to the file",
            lambda before: provider_of(name, path, before) is not None,
            is_open=True,
        )
    if installer := installer_of(name, inspection.repository.head):
        said = f"{installer} puts the name among the builtins"
        return Disclaimer(said, lambda _before: False, is_open=True)
    return None


def judge_no_python(diagnostic: AnalyserDiagnostic, _inspection: Inspection, text: bytes) -> Excuse | None:
    """The reason why code that Python refuses is no finding: another program runs it."""
    return judge_fault(diagnostic.line, diagnostic.message, text)


def judge_shell_command(diagnostic: AnalyserDiagnostic, _inspection: Inspection, text: bytes) -> str | None:
    """The reason why a command given to a shell is no finding: nothing from outside reaches it."""
    around = ancestors(node_at(text, diagnostic.line, diagnostic.column))
    command = _first_argument(next((node for node, _ in around if node.type == "call"), None))
    if command is not None and is_given_whole(command, text, WHOLE_COMMAND):
        return "the function is given the whole command, so that nothing is put into it here"
    is_open = command is not None and carries_input(command)
    return None if is_open else "no text from outside the function reaches the command"


def _first_argument(call: Node | None) -> Node | None:
    """What a call is given first; `subprocess` takes it by its name `args`, too."""
    given = _arguments(call)
    plain = (one for one in given if one.type != "keyword_argument")
    return next(plain, None) or next((value for one in given if (value := _value_of(one, b"args"))), None)


def _arguments(call: Node | None) -> list[Node]:
    given = call.child_by_field_name("arguments") if call is not None else None
    return [one for one in given.named_children if one.type != "comment"] if given is not None else []


def judge_sql_text(diagnostic: AnalyserDiagnostic, _inspection: Inspection, text: bytes) -> str | None:
    """The reason why a text is no finding: it is no SQL statement, or nothing from outside reaches it."""
    node = _expression(node_at(text, diagnostic.line, diagnostic.column))
    if node is None or not STATEMENT.match(node.text or b""):
        return "the text does not begin as an SQL statement does"
    return None if carries_input(node) else "no text from outside the function reaches the statement"


def _expression(node: Node | None) -> Node | None:
    """The largest expression around a node that is still one text."""
    if node is None:
        return None
    if node.type in ("string_start", "string_content", "string_end", "identifier"):
        node = node.parent or node
    for parent, _child in ancestors(node):
        if parent.type not in ("binary_operator", "concatenated_string", "attribute", "call", "string"):
            break
        node = parent
    return node


def judge_unpickling(diagnostic: AnalyserDiagnostic, _inspection: Inspection, text: bytes) -> str | None:
    """The reason why reading a pickle is no finding: the same expression wrote it."""
    around = (node for node, _ in ancestors(node_at(text, diagnostic.line, diagnostic.column)))
    call = next((node for node in around if node.type == "call"), None)
    is_own = call is not None and ROUND_TRIP.match(call.text or b"")
    return "what is read was written by the same expression" if is_own else None


def judge_evaluation(diagnostic: AnalyserDiagnostic, _inspection: Inspection, text: bytes) -> str | None:
    """The reason why `eval` is no finding: its text is written here."""
    around = (node for node, _ in ancestors(node_at(text, diagnostic.line, diagnostic.column)))
    first = _first_argument(next((node for node in around if node.type == "call"), None))
    if first is None or first.type != "string":
        return None
    has_gaps = any(child.type == "interpolation" for child in first.children)
    return None if has_gaps else "the text is written here, and nothing is put into it"


def judge_yaml_loader(diagnostic: AnalyserDiagnostic, _inspection: Inspection, text: bytes) -> str | None:
    """The reason why reading YAML is no finding: the loader that is named makes plain objects."""
    around = (node for node, _ in ancestors(node_at(text, diagnostic.line, diagnostic.column)))
    call = next((node for node in around if node.type == "call"), None)
    named = next((one for one in map(_loader, _arguments(call)) if one), b"")
    is_safe = bool(named) and named not in UNSAFE_LOADERS
    return "only plain objects are made by the loader that is named" if is_safe else None


def _loader(argument: Node) -> bytes:
    """The last name of what is given as `Loader`."""
    value = _value_of(argument, b"Loader")
    named = LOADER.match(value.text or b"") if value is not None else None
    return named[1] if named else b""


def _value_of(argument: Node, name: bytes) -> Node | None:
    """The value of an argument that is given by this name."""
    named = argument.child_by_field_name("name") if argument.type == "keyword_argument" else None
    return argument.child_by_field_name("value") if named is not None and named.text == name else None


def judge_reordered_text(diagnostic: AnalyserDiagnostic, _inspection: Inspection, text: bytes) -> str | None:
    """The reason why an invisible mark is no finding: it reorders nothing."""
    lines = text.decode("utf-8", errors="replace").split("\n")[diagnostic.line - 1 : diagnostic.line]
    if any(character in REORDERING for line in lines for character in line):
        return None
    return "a mark of direction, as texts written from right to left have it, hides nothing"


TRANSLATING = frozenset(["_", "gettext", "lgettext", "lngettext", "ngettext", "npgettext", "pgettext"])
"""What `install` of the module gettext and of its translations can put there."""
# Not in a comment.
INSTALLS = r"^[^#]*\binstall\("
MAX_INSTALLS = 50


def installer_of(name: str, tree: Tree) -> str | None:
    """The file that puts the name among the builtins; None where none is known to."""
    if not name.isidentifier():
        return None
    hits = tree.search(_sets(name), max_hits=1)
    if hits:
        return hits[0].path
    installs = tree.search(INSTALLS, max_hits=MAX_INSTALLS) if name in TRANSLATING else []
    return next((hit.path for hit in installs if b"gettext" in (tree.read(hit.path) or b"")), None)


def _sets(name: str) -> str:
    module, word = "(__builtin__|__builtins__|builtins)", re.escape(name)
    return (
        rf"^[^#]*\b({module}\.{word}\s*=[^=]"
        rf"|{module}(\.__dict__)?\[['\"]{word}['\"]\]\s*="
        rf"|setattr\(\s*{module}\s*,\s*['\"]{word}['\"])"
    )
