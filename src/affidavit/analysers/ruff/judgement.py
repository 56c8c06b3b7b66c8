"""Which new diagnostics of ruff count: not those that the code expects, and no injection of constants."""

import re

from tree_sitter import Node

from affidavit.analysers.analyser import Inspection
from affidavit.analysers.python.syntax import (
    ancestors,
    expects,
    node_at,
)
from affidavit.analysers.python.taint import carries_input
from affidavit.analysers.python.undefined import judge_undefined_name
from affidavit.analysers.ruff.rules import RUFF_RULES
from affidavit.analysers.ruff.shared_defaults import judge_shared_default
from affidavit.records.evidence import AnalyserDiagnostic

RULES = {rule.id: rule for rule in RUFF_RULES}
# Overrides and isolates; the plain marks U+200E and U+200F are not among them.
REORDERING = frozenset(map(chr, [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]))
STATEMENT = re.compile(
    rb"[rbfu]*['\"]{1,3}[\s\\n(]*(select|insert|update|delete|with|create|drop|alter|replace|merge|explain|truncate)\b",
    re.IGNORECASE,
)
DEFINES = re.compile(r"\s*(async\s+def|def|class)\b")


def judge_ruff(diagnostic: AnalyserDiagnostic, inspection: Inspection) -> str | None:
    """The reason why a new diagnostic of ruff is no finding; None where it is one."""
    rule = RULES.get(diagnostic.rule)
    if rule is None:
        return "the rule is not one of ours"
    text = inspection.repository.head.read(diagnostic.path)
    if text is None:
        return "the file cannot be read at head"
    if rule.raises and expects(text, diagnostic.line, diagnostic.column, rule.raises):
        return f"the code around it expects {rule.raises[0]}"
    special = SPECIAL.get(diagnostic.rule)
    return special(diagnostic, inspection, text) if special else None


def _redefinition(diagnostic: AnalyserDiagnostic, _inspection: Inspection, text: bytes) -> str | None:
    lines = text.decode("utf-8", errors="replace").split("\n")
    earlier = re.search(r"line (\d+)", diagnostic.message)
    numbers = [diagnostic.line, int(earlier[1])] if earlier else [diagnostic.line]
    both_define = all(0 < number <= len(lines) and _defines(lines, number) for number in numbers)
    return None if both_define else "one of the two is an import or an assignment"


def _defines(lines: list[str], number: int) -> bool:
    # The number may be that of a decorator above the definition.
    for line in lines[number - 1 : number + 5]:
        if DEFINES.match(line):
            return True
        if not line.lstrip().startswith("@"):
            return False
    return False


def judge_shell_command(diagnostic: AnalyserDiagnostic, _inspection: Inspection, text: bytes) -> str | None:
    """The reason why a command given to a shell is no finding: nothing from outside reaches it."""
    around = ancestors(node_at(text, diagnostic.line, diagnostic.column))
    call = next((node for node, _ in around if node.type == "call"), None)
    arguments = call.child_by_field_name("arguments") if call is not None else None
    command = arguments.named_children[0] if arguments is not None and arguments.named_children else None
    is_open = command is not None and carries_input(command)
    return None if is_open else "no text from outside the function reaches the command"


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


def judge_reordered_text(diagnostic: AnalyserDiagnostic, _inspection: Inspection, text: bytes) -> str | None:
    """The reason why an invisible mark is no finding: it reorders nothing."""
    lines = text.decode("utf-8", errors="replace").split("\n")[diagnostic.line - 1 : diagnostic.line]
    if any(character in REORDERING for line in lines for character in line):
        return None
    return "a mark of direction, as texts written from right to left have it, hides nothing"


SPECIAL = {
    "ruff/B006": judge_shared_default,
    "ruff/PLE2502": judge_reordered_text,
    "ruff/F821": judge_undefined_name,
    "ruff/F811": _redefinition,
    "ruff/S602": judge_shell_command,
    "ruff/S605": judge_shell_command,
    "ruff/S608": judge_sql_text,
}
