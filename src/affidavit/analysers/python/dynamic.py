"""Whether a file can give itself a name while it runs, by code that no analyser follows: yes or no."""

import re

from tree_sitter import Node

from affidavit.analysers.python.syntax import ancestors, nodes_in, tree_of

# A text without any of these has no such call; parsing takes longer.
HINT = re.compile(rb"\b(exec|execfile|globals|locals|vars)\b")
RUNS = frozenset({b"exec", b"execfile"})
OF_MODULE = b"globals"
OF_PLACE = frozenset({b"locals", b"vars"})
"""What gives the names of the module outside of functions, and a copy that changes nothing inside of one."""
READING = frozenset(b"get keys values items copy __contains__ __getitem__".split())
FUNCTIONS = ("function_definition", "lambda")


def makes_names(text: bytes) -> bool:
    """Whether the file can make any name, as far as its code tells."""
    return gives_name(text, None)


def gives_name(text: bytes, name: str | None) -> bool:
    """Whether code of the file may give it the name: a call in a comment or a text is no code."""
    if not HINT.search(text):
        return False
    root = tree_of(text)
    return root is not None and any(_may_give(node, name) for node in nodes_in(root))


def _may_give(node: Node, name: str | None) -> bool:
    if node.type == "exec_statement":
        return not _is_in_function(node)
    function = node.child_by_field_name("function") if node.type == "call" else None
    arguments = node.child_by_field_name("arguments")
    if function is None or arguments is None or function.type != "identifier":
        return False
    given = [one for one in arguments.named_children if one.type != "comment"]
    if function.text in RUNS:
        # With other arguments it is these that say where the names go.
        return len(given) == 1 and not _is_in_function(node) and _may_hold(given[0], name)
    is_own = function.text == OF_MODULE or (function.text in OF_PLACE and not _is_in_function(node))
    return is_own and not given and _is_written(node, name)


def _may_hold(code: Node, name: str | None) -> bool:
    """Whether code that is run may define the name; if it is written here, it says so."""
    is_open = code.type != "string" or any(child.type == "interpolation" for child in code.children)
    written = (code.text or b"").decode("utf-8", "replace")
    is_named = name is not None and re.search(rf"\b{re.escape(name)}\b", written) is not None
    return is_open or name is None or is_named or "*" in written


def _is_written(names: Node, name: str | None) -> bool:
    """The table of names is set, changed or handed on, and not just read."""
    parent = names.parent
    if parent is None or parent.type in ("comparison_operator", "not_operator", "expression_statement"):
        return False
    if parent.type == "subscript" and parent.child_by_field_name("value") == names:
        return _is_target(parent) and _is_key(parent.child_by_field_name("subscript"), name)
    if parent.type == "attribute":
        method = parent.child_by_field_name("attribute")
        return method is None or method.text not in READING
    return True


def _is_target(node: Node) -> bool:
    return any(
        child == parent.child_by_field_name("left")
        for parent, child in ancestors(node)
        if parent.type in ("assignment", "augmented_assignment", "for_statement")
    )


def _is_key(key: Node | None, name: str | None) -> bool:
    is_written = key is not None and key.type == "string" and len(key.named_children) == 3
    content = key.named_children[1].text if is_written and key is not None else None
    return content is None or name is None or content == name.encode()


def _is_in_function(node: Node) -> bool:
    return any(parent.type in FUNCTIONS for parent, _ in ancestors(node))
