"""Judge the new diagnostics of ty: the change must cause them, and no dynamic code may explain them."""

import re
import sys

from tree_sitter import Node

from affidavit.analysers.analyser import Disclaimer, Excuse, Inspection
from affidavit.analysers.encoding import as_utf8
from affidavit.analysers.python_judgement import judge_no_python, judge_undefined_name, was_reported
from affidavit.analysers.python_modules import (
    ModulePlace,
    absolute_module,
    has_folder,
    imported_place,
    is_made_elsewhere,
    is_redefined_below,
    module_places,
    package_root,
    search_python,
    source_folders,
)
from affidavit.analysers.python_syntax import (
    ancestors,
    expects,
    is_awaited_to_fail,
    is_imported_on_trial,
    is_only_for_type_checkers,
    makes_names,
    mentions,
    node_at,
    star_imports,
)
from affidavit.analysers.rule import names_in
from affidavit.analysers.ty_attributes import why_given, why_uncertain
from affidavit.analysers.ty_rules import CALL_RULES, TY_RULES
from affidavit.ports import Tree
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.symbols.changed import ChangedSymbol

RULES = {rule.id: rule for rule in TY_RULES}
CALLEE = re.compile(r"(?:of|to) (?P<kind>function |bound method |class )?`(?P<name>[^`]+)`(?::.*)?$")


FIXED_FIELDS = re.compile(r"@([\w.]+\.)?(dataclass|define|frozen|mutable|attrs|s)\b|\bNamedTuple\b")
PYDANTIC = re.compile(r"\s*(from|import)\s+\.*pydantic\b")
ABOVE = 4
"""So many lines end with the header of a class and its decorators."""
METHOD = re.compile(r"\(\s*(self|cls)\b")
# Nothing hides these: they are compiled in, or loaded before the program's own folder is looked at.
LOADED_ALREADY = frozenset(sys.builtin_module_names) | {
    *("abc", "codecs", "encodings", "genericpath", "io", "ntpath", "os", "posixpath", "site", "stat")
}
MAX_DEFINITIONS = 500


def judge_ty(diagnostic: AnalyserDiagnostic, inspection: Inspection) -> Excuse | None:
    """Return why a new diagnostic of ty is not a finding; None if it is one."""
    rule = RULES.get(diagnostic.rule)
    content = inspection.repository.head.read(diagnostic.path)
    if rule is None or content is None:
        return "the rule is not one of ours, or the file cannot be read"
    text = as_utf8(diagnostic.path, content)
    if rule.raises and expects(text, diagnostic.line, diagnostic.column, rule.raises):
        return f"the code around it expects {rule.raises[0]}"
    if is_only_for_type_checkers(text, diagnostic.line, diagnostic.column):
        return "the code is only read by type checkers"
    if diagnostic.rule == "ty/unresolved-reference":
        return _undefined_name(diagnostic, inspection, text)
    if diagnostic.rule == "ty/invalid-syntax":
        is_elsewhere = inspection.change.file_at(diagnostic.path) is None
        no_python = judge_no_python(diagnostic, inspection, text)
        return "the change does not touch the file" if is_elsewhere else no_python
    if diagnostic.rule != "ty/unused-awaitable" and was_reported(diagnostic, inspection):
        return "the analyser said the same of other code before the change, so it is no news"
    return _judge_special(diagnostic, inspection, text)


def _undefined_name(diagnostic: AnalyserDiagnostic, inspection: Inspection, text: bytes) -> Excuse | None:
    known = judge_undefined_name(diagnostic, inspection, text)
    if isinstance(known, str) or not _is_open(text, inspection):
        return known
    return Disclaimer(
        "a module that is not here may bring the name along: everything is imported from it",
        lambda before: _is_open(before, inspection) or (known is not None and known.said_before(before)),
        is_open=True,
    )


def _is_open(text: bytes, inspection: Inspection) -> bool:
    """Return whether the file imports `*` from a module outside of the repository."""
    modules = star_imports(text)
    foreign = [name for name in modules if name.partition(".")[0] not in sys.stdlib_module_names]
    return any(not module_places(inspection.repository.head, module) for module in foreign)


def _judge_special(diagnostic: AnalyserDiagnostic, inspection: Inspection, text: bytes) -> Excuse | None:
    if diagnostic.rule in CALL_RULES:
        return _broken_call(diagnostic, inspection, text)
    if diagnostic.rule == "ty/import-not-found":
        return _missing_import(diagnostic, inspection)
    if diagnostic.rule == "ty/missing-attribute":
        return _missing_attribute(diagnostic, inspection, text)
    if diagnostic.rule in ("ty/invalid-await", "ty/unused-awaitable"):
        return _awaiting(diagnostic, inspection, text)
    return None


def _stands_on_changed_line(diagnostic: AnalyserDiagnostic, inspection: Inspection) -> bool:
    file = inspection.change.file_at(diagnostic.path)
    lines = range(diagnostic.line, (diagnostic.end_line or diagnostic.line) + 1)
    return file is not None and not set(file.changed_lines("head")).isdisjoint(lines)


# Calls


def _broken_call(diagnostic: AnalyserDiagnostic, inspection: Inspection, text: bytes) -> str | None:
    called = _called_names(text, diagnostic)
    if is_awaited_to_fail(text, diagnostic.line, diagnostic.column):
        return "the code around it expects a failure"
    if any(is_imported_on_trial(text, name) for name in _first_names(text, diagnostic)):
        return "what is called depends on which of several imports succeeds"
    named = CALLEE.search(diagnostic.message)
    if named is None:
        is_known = any(_constructor_changed(name, inspection) for name in called)
        return None if is_known else "the analyser does not name what is called, or it decides at run time"
    return _broken_named_call(named, called, diagnostic, inspection)


def _broken_named_call(
    named: re.Match[str], called: list[str], diagnostic: AnalyserDiagnostic, inspection: Inspection
) -> str | None:
    owner, _, name = named["name"].rpartition(".")
    if owner == "object" or named["kind"] == "class ":
        return "what is really called depends on code that is not here"
    if not any(_names_agree(candidate, owner, name) for candidate in called):
        return "what is called stands in a variable"
    if not owner and _has_several_definitions(name, inspection.repository.head):
        return "the function has several definitions"
    is_caused = _signature_changed(named["name"], inspection)
    if not is_caused and not _stands_on_changed_line(diagnostic, inspection):
        return "neither the call nor the signature is part of the change"
    if owner and name != "__init__" and is_redefined_below(inspection.repository.head, owner, name):
        return "a subclass defines the method differently"
    if named["kind"] == "function " and owner and not is_caused:
        return "the method may be bound at run time"
    return None


def _called_names(text: bytes, diagnostic: AnalyserDiagnostic) -> list[str]:
    """Return the last names of the possible callees at a diagnostic, also their original names."""
    found: list[str] = []
    for parent, child in ancestors(node_at(text, diagnostic.line, diagnostic.column)):
        if parent.type != "call":
            continue
        function = parent.child_by_field_name("function")
        name = _last_name(function) if function is not None else None
        found += [name, *_originals(name, text)] if name else []
        # A diagnostic about an argument stands inside the arguments of its call; any other stands where the
        # call begins, and there a chain of calls begins too.
        if child == parent.child_by_field_name("arguments"):
            break
    return found


def _first_names(text: bytes, diagnostic: AnalyserDiagnostic) -> set[str]:
    """Return the first names of the possible callees: `etree` of `etree.XMLParser(…)`."""
    around = ancestors(node_at(text, diagnostic.line, diagnostic.column))
    functions = (node.child_by_field_name("function") for node, _ in around if node.type == "call")
    texts = ((one.text or b"").decode("utf-8", errors="replace") for one in functions if one is not None)
    return {found[0] for one in texts if (found := re.match(r"\w+", one))}


def _last_name(function: Node) -> str | None:
    if function.type == "attribute":
        named = function.child_by_field_name("attribute")
        return (named.text or b"").decode("utf-8", errors="replace") if named else None
    if function.type == "identifier":
        return (function.text or b"").decode("utf-8", errors="replace")
    return None


def _originals(alias: str, text: bytes) -> list[str]:
    """Return the names that the file imports under another one: `load` for `ld`."""
    code = text.decode("utf-8", errors="replace")
    is_set = re.search(rf"\b{re.escape(alias)}\s*=[^=]", code) is not None
    return [] if is_set else re.findall(rf"\b(\w+) as {re.escape(alias)}\b", code)


def _names_agree(called: str, owner: str, name: str) -> bool:
    if name in ("__init__", "__new__"):
        # A class in a variable (`cls`, `klass`) may be any subclass.
        return called == owner.rpartition(".")[2] or called[:1].isupper() or called == name
    return called == name


def _signature_changed(qualified: str, inspection: Inspection) -> bool:
    return any(
        symbol.fate in ("signature_changed", "added") and _is_same_name(symbol.qualified, qualified)
        for symbol in inspection.symbols
    )


def _is_same_name(qualified: str, named: str) -> bool:
    return qualified == named or qualified.endswith(f".{named}")


def _constructor_changed(called: str, inspection: Inspection) -> bool:
    """Return whether the change touches the only class of this name, and it takes its fields as arguments.

    Pydantic's models also take arguments that they do not declare.
    """
    head = inspection.repository.head
    hits = search_python(head, rf"^\s*class\s+{re.escape(called)}\b", 2)
    if len(hits) != 1:
        return False
    lines = head.lines(hits[0].path) or []
    header = "\n".join(lines[max(hits[0].line - ABOVE, 0) : hits[0].line])
    is_changed = any(
        symbol.kind == "class" and symbol.name == called and symbol.fate != "removed"
        for symbol in inspection.symbols
    )
    return is_changed and bool(FIXED_FIELDS.search(header)) and not any(map(PYDANTIC.match, lines))


def _has_several_definitions(name: str, tree: Tree) -> bool:
    """Return whether one file defines the function more than once."""
    definition = rf"^\s*(async\s+)?def\s+{re.escape(name)}\b"
    hits = search_python(tree, definition, MAX_DEFINITIONS)
    paths = [hit.path for hit in hits if not METHOD.search(hit.text)]
    return len(paths) > len(set(paths))


# Imports and attributes


def _missing_import(diagnostic: AnalyserDiagnostic, inspection: Inspection) -> Excuse | None:
    if not inspection.knows_whole_tree:
        return "only a part of the repository is known"
    names = names_in(diagnostic.message)
    if not names:
        return "the message names no module"
    if diagnostic.message.startswith("Module"):
        return _missing_member(names[0], names[-1], diagnostic, inspection)
    return _missing_module(absolute_module(names[0], diagnostic.path), diagnostic, inspection)


def _missing_module(module: str, diagnostic: AnalyserDiagnostic, inspection: Inspection) -> str | None:
    base, head = inspection.repository.base, inspection.repository.head
    before, after = imported_place(base, module), imported_place(head, module)
    # The stub of a module that is gone makes no module.
    is_stub = after is not None and before is not None and _is_stub_of(after.path, before.path)
    if (module_places(head, module) and not is_stub) or has_folder(head, module):
        return "the module exists"
    if is_made_elsewhere(head, module, but_for=".pyi" if is_stub else ""):
        return "the module may be made by a build"
    if module_places(base, module):
        return None
    parent, _, _ = module.rpartition(".")
    packages = [place for place in module_places(head, parent) if "__init__" in place.path] if parent else []
    if len(packages) != 1 or not _is_seen(packages[0], head):
        return "the module is not one of this repository"
    return None if _stands_on_changed_line(diagnostic, inspection) else "the import is not part of the change"


def _is_stub_of(stub: str, path: str) -> bool:
    return stub.endswith(".pyi") and not path.endswith(".pyi")


def _is_seen(place: ModulePlace, tree: Tree) -> bool:
    """Return whether a source folder has the module; `import redis` does not mean `examples/redis/`."""
    return place.root.rstrip("/") in {"", *(folder.removeprefix(".") for folder in source_folders(tree))}


def _missing_member(
    module: str, member: str, diagnostic: AnalyserDiagnostic, inspection: Inspection
) -> Excuse | None:
    base, head = inspection.repository.base, inspection.repository.head
    place = imported_place(head, module)
    if place is None or not _is_seen(place, head):
        return "the module is not one of this repository, or stands in it more than once"
    if is_made_elsewhere(head, f"{module}.{member}"):
        return "the member may be made by a build"
    if _was_removed(member, place.path, inspection):
        return None
    is_over = _is_put_over(place, module, diagnostic.path, inspection)
    if not is_over and not _stands_on_changed_line(diagnostic, inspection):
        return "the import is not part of the change"
    said = "the module may define the name at run time"
    if not is_over and _may_define(base.read(place.path) or b"", member):
        return said
    is_new = _may_define(head.read(place.path) or b"", member)
    return Disclaimer(said, lambda _before: False, is_open=True) if is_new else None


def _is_put_over(place: ModulePlace, module: str, user: str, inspection: Inspection) -> bool:
    """Return whether the change adds a module that hides an older one of its name."""
    base, head = inspection.repository.base, inspection.repository.head
    if base.entry(place.path) is not None:
        return False
    if any(one.root == place.root for one in module_places(base, module)):
        return True
    is_shadow = module in sys.stdlib_module_names and module not in LOADED_ALREADY
    # A script finds what lies beside it, a package what lies beside the package.
    return is_shadow and package_root(head, user) == place.root.rstrip("/")


def _may_define(text: bytes, member: str) -> bool:
    """Return whether a module has the name, imports `*`, or makes names at run time."""
    is_open = bool(star_imports(text, is_relative=True)) or makes_names(text)
    return is_open or any(mentions(text, name) for name in (member, "__getattr__"))


def _was_removed(member: str, path: str, inspection: Inspection) -> bool:
    """Return whether the change removed a name from a module, or a module from a package."""
    if any(_removes(symbol, path, member) for symbol in inspection.symbols):
        return True
    package = path.rpartition("/")[0]
    gone = {file.base_path for file in inspection.change.files} - inspection.repository.head.entries().keys()
    return f"{package}/{member}.py" in gone or f"{package}/{member}/__init__.py" in gone


def _removes(symbol: ChangedSymbol, path: str, qualified: str) -> bool:
    return symbol.fate == "removed" and symbol.file == path and symbol.qualified == qualified


def _missing_attribute(diagnostic: AnalyserDiagnostic, inspection: Inspection, text: bytes) -> Excuse | None:
    names = names_in(diagnostic.message)
    if len(names) != 2 or diagnostic.message.startswith("Unresolved"):
        return "the message does not name an owner and an attribute"
    owner, attribute = names
    if diagnostic.message.startswith("Module") and module_places(inspection.repository.head, owner):
        return _missing_in_module(owner, attribute, diagnostic, inspection)
    class_name = owner.rpartition(".")[2]
    removed = any(
        symbol.fate == "removed" and _is_same_name(symbol.qualified, f"{class_name}.{attribute}")
        for symbol in inspection.symbols
    )
    if not removed and not _stands_on_changed_line(diagnostic, inspection):
        return "the change neither removed the attribute nor asks for it"
    if not removed:
        return why_uncertain(diagnostic, owner, attribute, inspection, text)
    is_redefined = is_redefined_below(inspection.repository.head, class_name, attribute)
    return "a subclass defines the attribute" if is_redefined else None


def _missing_in_module(
    module: str, attribute: str, diagnostic: AnalyserDiagnostic, inspection: Inspection
) -> Excuse | None:
    head = inspection.repository.head
    if module_places(head, f"{module}.{attribute}") or has_folder(head, f"{module}.{attribute}"):
        return "a module of that name exists"
    given = why_given(attribute, head)
    return given or _missing_member(module, attribute, diagnostic, inspection)


# Coroutines


def _awaiting(diagnostic: AnalyserDiagnostic, inspection: Inspection, text: bytes) -> str | None:
    if diagnostic.rule == "ty/unused-awaitable":
        if "CoroutineType" not in diagnostic.message:
            return "only a coroutine does nothing without await"
        if _stands_on_changed_line(diagnostic, inspection):
            return None
    words = set(re.findall(rb"\w+", text.split(b"\n")[diagnostic.line - 1]))
    is_caused = any(
        symbol.fate == "signature_changed" and symbol.name.encode() in words for symbol in inspection.symbols
    )
    return None if is_caused else "neither the call nor what is called is part of the change"
