"""Judge the new diagnostics of ty: the change must cause them, and no dynamic code may explain them."""

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace

from affidavit.analysers.engine.analyser import Disclaimer, Excuse, Inspection
from affidavit.analysers.python_judgement import (
    judge_no_python,
    judge_undefined_name,
    was_reported,
    why_expected,
)
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
    subclass_files,
)
from affidavit.analysers.python_syntax import (
    Spot,
    is_awaited_to_fail,
    is_imported_on_trial,
    is_only_for_type_checkers,
    makes_names,
    mentions,
    star_imports,
    text_of,
)
from affidavit.analysers.ty_attributes import SELF, class_around, why_given, why_uncertain
from affidavit.analysers.ty_rules import CALL_RULES
from affidavit.ports import Tree
from affidavit.records.evidence import AnalyserDiagnostic

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
    """Return why a new diagnostic of ty is not a finding; None if it is one.

    What the change writes may withhold a finding, but not drop it: an empty `other/pkg/lib.py` would
    excuse every use of what `pkg/lib.py` lacks.
    """
    spot = Spot.of(diagnostic, inspection)
    excuse = _why_no_finding(spot)
    if not isinstance(excuse, str):
        return excuse
    otherwise = _why_no_finding(replace(spot, inspection=inspection.as_at_base))
    if isinstance(otherwise, str):
        return excuse
    return otherwise or Disclaimer(excuse, lambda _before: False, is_open=True)


def _why_no_finding(spot: Spot) -> Excuse | None:
    diagnostic, inspection = spot.diagnostic, spot.inspection
    if expected := why_expected(spot):
        return expected
    if is_only_for_type_checkers(spot):
        return "the code is only read by type checkers"
    if diagnostic.rule == "ty/unresolved-reference":
        return _undefined_name(spot)
    if diagnostic.rule == "ty/invalid-syntax":
        is_elsewhere = inspection.change.file_at(diagnostic.path) is None
        return "the change does not touch the file" if is_elsewhere else judge_no_python(spot)
    if diagnostic.rule != "ty/unused-awaitable" and was_reported(spot):
        return "the analyser said the same of other code before the change, so it is no news"
    special = _broken_call if diagnostic.rule in CALL_RULES else SPECIAL.get(diagnostic.rule)
    return special(spot) if special else None


def _undefined_name(spot: Spot) -> Excuse | None:
    known = judge_undefined_name(spot)
    if isinstance(known, str) or not _is_open(spot.text, spot.head):
        return known
    return Disclaimer(
        "a module that is not here may bring the name along: everything is imported from it",
        lambda before: _is_open(before, spot.head) or (known is not None and known.said_before(before)),
        is_open=True,
    )


def _is_open(text: bytes, head: Tree) -> bool:
    """Return whether the file imports `*` from a module outside of the repository."""
    foreign = [one for one in star_imports(text) if one.partition(".")[0] not in sys.stdlib_module_names]
    return any(not module_places(head, module) for module in foreign)


# Calls


def _broken_call(spot: Spot) -> str | None:
    if is_awaited_to_fail(spot):
        return "the code around it expects a failure"
    callees = [node.child_by_field_name("function") for node, _ in spot.around if node.type == "call"]
    firsts = {re.split(r"\W", text_of(one), maxsplit=1)[0] for one in callees}
    if any(is_imported_on_trial(spot.text, name) for name in firsts - {""}):
        return "what is called depends on which of several imports succeeds"
    called = _called_names(spot)
    named = CALLEE.search(spot.diagnostic.message)
    if named is None:
        is_known = any(_constructor_changed(name, spot.inspection) for name in called)
        return None if is_known else "the analyser does not name what is called, or it decides at run time"
    return _broken_named_call(spot, named, called)


def _broken_named_call(spot: Spot, named: re.Match[str], called: list[str]) -> str | None:
    owner, _, name = named["name"].rpartition(".")
    if owner == "object" or named["kind"] == "class ":
        return "what is really called depends on code that is not here"
    if not any(_names_agree(candidate, owner, name) for candidate in called):
        return "what is called stands in a variable"
    if not owner and _has_several_definitions(name, spot.head):
        return "the function has several definitions"
    is_caused = any(
        symbol.fate in ("signature_changed", "added") and _is_same_name(symbol.qualified, named["name"])
        for symbol in spot.inspection.symbols
    )
    if not is_caused and not spot.is_changed:
        return "neither the call nor the signature is part of the change"
    return None


def _called_names(spot: Spot) -> list[str]:
    """Return the last names of the possible callees at a diagnostic, also their original names."""
    found: list[str] = []
    for parent, child in spot.around:
        if parent.type != "call":
            continue
        function = parent.child_by_field_name("function")
        if function is not None and function.type in ("attribute", "identifier"):
            name = text_of(function.child_by_field_name("attribute") or function)
            found += [name, *_originals(name, spot.text)]
        # A diagnostic about an argument stands inside the arguments of its call; any other stands where the
        # call begins, and there a chain of calls begins too.
        if child == parent.child_by_field_name("arguments"):
            break
    return found


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


def _is_same_name(qualified: str, named: str) -> bool:
    return qualified == named or qualified.endswith(f".{named}")


def _constructor_changed(called: str, inspection: Inspection) -> bool:
    """Return whether the change touches the only class of this name, and it takes its fields as arguments.

    Pydantic's models also take arguments that they do not declare.
    """
    head = inspection.head
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


def _missing_import(spot: Spot) -> Excuse | None:
    if not spot.inspection.knows_whole_tree:
        return "only a part of the repository is known"
    if not spot.names:
        return "the message names no module"
    if spot.diagnostic.message.startswith("Module"):
        return _missing_member(spot, spot.names[0], spot.names[-1])
    return _missing_module(spot, absolute_module(spot.names[0], spot.diagnostic.path))


def _missing_module(spot: Spot, module: str) -> str | None:
    base, head = spot.inspection.base, spot.head
    before, after = imported_place(base, module), imported_place(head, module)
    # The stub of a module that is gone makes no module.
    is_stub = bool(after and before and after.path.endswith(".pyi") and not before.path.endswith(".pyi"))
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
    return None if spot.is_changed else "the import is not part of the change"


def _is_seen(place: ModulePlace, tree: Tree) -> bool:
    """Return whether a source folder has the module; `import redis` does not mean `examples/redis/`."""
    return place.root.rstrip("/") in {"", *(folder.removeprefix(".") for folder in source_folders(tree))}


def _missing_member(spot: Spot, module: str, member: str) -> Excuse | None:
    base, head = spot.inspection.base, spot.head
    place = imported_place(head, module)
    if place is None or not _is_seen(place, head):
        return "the module is not one of this repository, or stands in it more than once"
    if is_made_elsewhere(head, f"{module}.{member}"):
        return "the member may be made by a build"
    if _was_removed(member, place.path, spot.inspection):
        return None
    is_over = _is_put_over(place, module, spot)
    if not is_over and not spot.is_changed:
        return "the import is not part of the change"
    said = "the module may define the name at run time"
    if not is_over and _may_define(base.read(place.path) or b"", member):
        return said
    is_new = _may_define(head.read(place.path) or b"", member)
    return Disclaimer(said, lambda _before: False, is_open=True) if is_new else None


def _is_put_over(place: ModulePlace, module: str, spot: Spot) -> bool:
    """Return whether the change adds a module that hides an older one of its name."""
    base = spot.inspection.base
    if base.entry(place.path) is not None:
        return False
    if any(one.root == place.root for one in module_places(base, module)):
        return True
    is_shadow = module in sys.stdlib_module_names and module not in LOADED_ALREADY
    # A script finds what lies beside it, a package what lies beside the package.
    return is_shadow and package_root(spot.head, spot.diagnostic.path) == place.root.rstrip("/")


def _may_define(text: bytes, member: str) -> bool:
    """Return whether a module has the name, imports `*`, or makes names at run time."""
    is_open = bool(star_imports(text, is_relative=True)) or makes_names(text)
    return is_open or any(mentions(text, name) for name in (member, "__getattr__"))


def _was_removed(member: str, path: str, inspection: Inspection) -> bool:
    """Return whether the change removed a name from a module, or a module from a package."""
    if any((one.fate, one.file, one.qualified) == ("removed", path, member) for one in inspection.symbols):
        return True
    package = path.rpartition("/")[0]
    gone = {file.base_path for file in inspection.change.files} - inspection.head.entries().keys()
    return f"{package}/{member}.py" in gone or f"{package}/{member}/__init__.py" in gone


def _missing_attribute(spot: Spot) -> Excuse | None:
    message, head = spot.diagnostic.message, spot.head
    if len(spot.names) != 2 or message.startswith("Unresolved"):
        return "the message does not name an owner and an attribute"
    owner, attribute = spot.names
    if message.startswith("Module") and module_places(head, owner):
        whole = f"{owner}.{attribute}"
        if module_places(head, whole) or has_folder(head, whole):
            return "a module of that name exists"
        return why_given(attribute, head) or _missing_member(spot, owner, attribute)
    is_self = spot.node is not None and SELF.fullmatch(owner) is not None
    class_name = class_around(spot.node) if spot.node and is_self else owner.rpartition(".")[2]
    is_removed = any(
        symbol.fate == "removed" and _is_same_name(symbol.qualified, f"{class_name}.{attribute}")
        for symbol in spot.inspection.symbols
    )
    if is_removed:
        has_heirs = is_self and subclass_files(head, class_name)
        is_redefined = has_heirs or is_redefined_below(head, class_name, attribute)
        return "a subclass defines the attribute" if is_redefined else None
    if not spot.is_changed:
        return "the change neither removed the attribute nor asks for it"
    return why_uncertain(spot, owner, attribute)


# Coroutines


def _unused_awaitable(spot: Spot) -> str | None:
    if "CoroutineType" not in spot.diagnostic.message:
        return "only a coroutine does nothing without await"
    return None if spot.is_changed else _awaiting(spot)


def _awaiting(spot: Spot) -> str | None:
    words = set(re.findall(rb"\w+", b"".join(spot.rows[:1])))
    is_caused = any(
        symbol.fate == "signature_changed" and symbol.name.encode() in words
        for symbol in spot.inspection.symbols
    )
    return None if is_caused else "neither the call nor what is called is part of the change"


SPECIAL: Mapping[str, Callable[[Spot], Excuse | None]] = {
    "ty/import-not-found": _missing_import,
    "ty/missing-attribute": _missing_attribute,
    "ty/invalid-await": _awaiting,
    "ty/unused-awaitable": _unused_awaitable,
}
