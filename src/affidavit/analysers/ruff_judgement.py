"""Which new diagnostics of ruff count: not those that the code expects, and no injection of constants."""

import re

from tree_sitter import Node

from affidavit.analysers.analyser import Inspection
from affidavit.analysers.ruff_rules import RUFF_RULES
from affidavit.analysers.rule import names_in
from affidavit.analysers.syntax import (
    ancestors,
    expects,
    is_test_code,
    node_at,
)
from affidavit.analysers.undefined import judge_undefined_name
from affidavit.records.evidence import AnalyserDiagnostic

RULES = {rule.id: rule for rule in RUFF_RULES}
DEFINES = re.compile(r"\s*(async\s+def|def|class)\b")
# What makes a part of a statement that cannot carry a stranger's text.
TRUSTED_CALLS = frozenset({"quote_name", "quote_ident", "qn", "quote", "Identifier", "len", "int", "join"})
CONSTANT = re.compile(r"_{0,2}[A-Z][A-Z0-9_]*")


def judge_ruff(diagnostic: AnalyserDiagnostic, inspection: Inspection) -> str | None:
    """The reason why a new diagnostic of ruff is no finding; None where it is one."""
    rule = RULES.get(diagnostic.rule)
    if rule is None:
        return "the rule is not one of ours"
    if not rule.counts_in_tests and is_test_code(diagnostic.path):
        return "the rule says nothing about tests"
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


def _seems_safe(diagnostic: AnalyserDiagnostic, _inspection: Inspection, text: bytes) -> str | None:
    if "seems safe" in diagnostic.message:
        return "the command is a constant"
    return _constant_parts(diagnostic, _inspection, text)


def _constant_parts(diagnostic: AnalyserDiagnostic, _inspection: Inspection, text: bytes) -> str | None:
    node = _expression(node_at(text, diagnostic.line, diagnostic.column))
    if node is not None and all(_is_trusted(part) for part in _inserted(node)):
        return "only constants, quoted names and placeholders are put into the text"
    return None


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


def _inserted(node: Node) -> list[Node]:
    """What is put into a text: by an f-string, by `%` and `+`, by `format`."""
    if node.type in ("string", "concatenated_string"):
        return [part for child in node.named_children for part in _inserted(child)]
    if node.type == "interpolation":
        return list(node.named_children[:1])
    if node.type in ("binary_operator", "parenthesized_expression", "tuple", "argument_list", "call"):
        return [part for child in node.named_children for part in _inserted(child)]
    if node.type == "attribute" and node.named_children and node.named_children[0].type == "string":
        return []
    if node.type in ("string_start", "string_content", "string_end", "integer", "comment"):
        return []
    return [node]


def _is_trusted(node: Node) -> bool:
    words = [(name.text or b"").decode("utf-8", errors="replace") for name in _identifiers(node)]
    return bool(words) and (bool(CONSTANT.fullmatch(words[-1])) or not TRUSTED_CALLS.isdisjoint(words))


def _identifiers(node: Node) -> list[Node]:
    if node.type == "identifier":
        return [node]
    return [found for child in node.named_children for found in _identifiers(child)]


def _same_values(diagnostic: AnalyserDiagnostic, _inspection: Inspection, _text: bytes) -> str | None:
    return None if names_in(diagnostic.message) else "the message names no key"


SPECIAL = {
    "ruff/F821": judge_undefined_name,
    "ruff/F811": _redefinition,
    "ruff/S602": _seems_safe,
    "ruff/S605": _seems_safe,
    "ruff/S608": _constant_parts,
    "ruff/F601": _same_values,
}
