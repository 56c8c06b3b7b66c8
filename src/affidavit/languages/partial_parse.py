"""Parse a file only as far as its imports go: most stand at its head."""

import re

from tree_sitter import Node

from affidavit.languages.grammars import parse

CONDITIONS = frozenset(
    (
        "block", "statement_block", "function_body", "compound_statement", "body_statement",
        "arrow_function", "if_statement", "if", "unless", "ternary_expression", "binary_expression",
        "switch_case", "case_statement", "try_statement", "begin", "do_block", "method", "singleton_method",
        "if_modifier", "unless_modifier", "rescue_modifier",
    )
)  # fmt: skip


def parse_head(grammar: str, text: bytes, keyword: re.Pattern[bytes]) -> tuple[Node | None, bytes]:
    """The tree up to the last line that has the keyword, and the text of that tree.

    A head that is not well-formed was cut inside of something: then the whole text is parsed.
    """
    last = 0
    for match in keyword.finditer(text):
        last = match.end()
    end = text.find(b"\n", last)
    if 0 <= end < len(text) * 3 // 4:
        head = text[: end + 1]
        root = parse(grammar, head)
        if root is not None and not root.has_error:
            return root, head
    return parse(grammar, text), text
