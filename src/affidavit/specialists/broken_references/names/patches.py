"""Tests that replace, by its dotted name, what a Python module no longer has."""

from collections.abc import Iterator

from tree_sitter import Node

from affidavit.languages.engine.grammars import ancestors, matches, node_text
from affidavit.languages.python.modules import module_name
from affidavit.specialists.broken_references.ground import WORD, Break, Ground, Parsed, is_guarded

RULE = "references/removed-patch-target"
STRINGS = (
    "(call function: (_) @function arguments: (argument_list . (string (string_content) @dotted)) @given)"
)
DOTTED = r"[\"'][\w.]+\.(?:{})\b"
PATCHING = ("patch", "setattr", "patch.dict")


def find_removed_patch_targets(ground: Ground) -> Iterator[Break]:
    """Calls such as `patch("package.module.name")` of a name that the module lost."""
    lost = {path: names for path, names in ground.lost_names.items() if path.endswith(".py")}
    hits = ground.search(sorted({name for names in lost.values() for name in names}), DOTTED)
    by_path: dict[str, set[str]] = {}
    for hit in hits:
        if hit.path.endswith(".py"):
            by_path.setdefault(hit.path, set()).update(WORD.findall(hit.text))
    for path, words in sorted(by_path.items()):
        meant = {module: names for module, names in lost.items() if not words.isdisjoint(names)}
        parsed = ground.parsed(path) if meant else None
        if parsed is None:
            continue
        for module, names in meant.items():
            yield from _patched(ground, parsed, module, names)


def _patched(ground: Ground, parsed: Parsed, path: str, names: list[str]) -> Iterator[Break]:
    module = module_name(path)
    for captured in matches(parsed.grammar, STRINGS, parsed.root):
        function = node_text(captured["function"][0], parsed.text)
        given, string = captured["given"][0], captured["dotted"][0]
        name = _named(node_text(string, parsed.text), module, names)
        if name is None or not function.endswith(PATCHING) or _is_lenient(given, parsed.text):
            continue
        if not _is_expected(string, parsed.text):
            message = f"`{name}` is replaced in `{path}`, which does not have it any more"
            yield Break(RULE, parsed.path, string.start_point.row + 1, message, ground.cause(path, name))


def _named(dotted: str, module: str, names: list[str]) -> str | None:
    """The lost name that the string means: `a.b.name` or what hangs on it, seen from any root above."""
    parts = dotted.split(".")
    for position in range(2, len(parts)):
        prefix = ".".join(parts[:position])
        if parts[position] in names and (module == prefix or module.endswith(f".{prefix}")):
            return parts[position]
    return None


def _is_lenient(given: Node, text: bytes) -> bool:
    options = node_text(given, text).replace(" ", "")
    return "create=True" in options or "raising=False" in options


def _is_expected(node: Node, text: bytes) -> bool:
    """The code around waits for a failure; what merely replaces inside of `with` does not."""
    for above in ancestors(node):
        if above.type == "with_statement":
            clause = node_text(next(iter(above.named_children), None), text)
            if "raises" in clause or "suppress" in clause:
                return True
        elif above.type in ("try_statement", "if_statement") and is_guarded(node, text):
            return True
    return False
