"""C and C++: files, definitions, and the headers that includes refer to."""

import re
from collections.abc import Mapping

from tree_sitter import Node

from affidavit.languages.grammars import Grammar, NodeFields, matches, node_text
from affidavit.languages.language import (
    Extract,
    ImportRules,
    Language,
    Resolved,
    Scoping,
    Statement,
    resolved_file,
)
from affidavit.languages.tree_files import MAX_CANDIDATES, TreeFiles, below, join, nearest, parent, upwards

KEYWORD = re.compile(rb"#[ \t]*(?:include|include_next|import)\b")
QUERY = """
(preproc_include path: (string_literal) @quoted)
(preproc_include path: (system_lib_string) @angled)
"""
HEADER_FOLDERS = ("include", "inc", "includes", "src", "source", "lib")


def extract_c(grammar: Grammar, root: Node, text: bytes) -> Extract:
    found = []
    for captured in matches(grammar, QUERY, root):
        form, (node, *_) = next(iter(captured.items()))
        found.append(Statement(node.start_point.row + 1, node_text(node, text)[1:-1], form=form))
    return Extract(tuple(found))


class Headers:
    """The files of a tree that can be included; the compiler's search path is guessed."""

    def __init__(self, files: TreeFiles, _extracts: Mapping[str, Extract]) -> None:
        self._files = files

    def resolve(self, path: str, statement: Statement) -> tuple[Resolved]:
        """Resolve an include to one file."""
        return resolved_file(self._find(path, statement), statement.names)

    def _find(self, path: str, statement: Statement) -> str | None:
        folder, name, form = parent(path), statement.name, statement.form
        beside = join(folder, name)
        if form == "quoted" and beside is not None and beside in self._files.blobs:
            return beside
        plain = join("", name)
        if not plain:
            return None
        around = (
            below(base, plain)
            for outer in upwards(folder)
            for base in (outer, *(below(outer, each) for each in HEADER_FOLDERS))
        )
        return self._files.first(around) or self._far(folder, plain, form)

    def _far(self, folder: str, plain: str, form: str) -> str | None:
        same_name = self._files.by_name.get(plain.rpartition("/")[2], [])[:MAX_CANDIDATES]
        ends = [path for path in same_name if path.endswith(f"/{plain}")]
        if form == "angled":
            # <string.h> is the system's, unless a folder of headers has it.
            ends = [
                path
                for path in ends
                if parent(path[: -len(plain)] + "x").rpartition("/")[2] in HEADER_FOLDERS
            ]
        return nearest(below(folder, "x"), ends)


C_SYMBOLS = """
(function_definition declarator: (function_declarator declarator: (identifier) @name)) @function
(function_definition
  declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @function
(declaration declarator: (function_declarator declarator: (identifier) @name)) @function
(declaration
  declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @function
(declaration declarator: (init_declarator declarator: (identifier) @name value: (_) @cut)) @constant
(declaration declarator: (identifier) @name) @constant
(struct_specifier name: (_) @name body: (_)) @class
(union_specifier name: (_) @name body: (_)) @class
(enum_specifier name: (_) @name body: (_)) @class
(enumerator name: (identifier) @name) @constant
(type_definition declarator: (type_identifier) @name) @type
(preproc_def name: (identifier) @name value: (_) @cut) @constant
(preproc_function_def name: (identifier) @name) @function
"""
CPP_SYMBOLS = (
    C_SYMBOLS
    + """
(class_specifier name: (_) @name body: (_)) @class
(namespace_definition name: (_) @name) @namespace
(function_definition declarator: (function_declarator declarator: (field_identifier) @name)) @method
(function_definition declarator: (_ (function_declarator declarator: (field_identifier) @name))) @method
(field_declaration declarator: (function_declarator declarator: (field_identifier) @name)) @method
(field_declaration declarator: (_ (function_declarator declarator: (field_identifier) @name))) @method
(function_definition declarator: (function_declarator declarator: (qualified_identifier) @name)) @method
(function_definition declarator: (_ (function_declarator declarator: (qualified_identifier) @name))) @method
(alias_declaration name: (type_identifier) @name) @type
"""
)

RULES = ImportRules(extract_c, Headers, KEYWORD)
CPP_ENDINGS = ("cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "ipp")
C_USES = NodeFields(
    members={"field_expression": ("field", ("argument",))}, calls={"call_expression": ("function",)}
)
CPP_USES = NodeFields(
    members={"qualified_identifier": ("name", ("scope",))}, calls={"new_expression": ("type",)}
)
C_GRAMMAR = Grammar("c", "tree_sitter_c", C_SYMBOLS, uses=C_USES)
C = Language(
    name="c",
    endings=("c", "h"),
    grammars=(C_GRAMMAR,),
    imports=RULES,
    tests=None,  # no framework is common enough to recognise tests by its words
    is_typed=True,
    scoping=Scoping(is_open=True, users_import=False),
)
CPP = Language(
    name="c++",
    endings=CPP_ENDINGS,
    # `inl` is parsed as C++, but does not name the language: others use the ending, too.
    grammars=(Grammar("cpp", "tree_sitter_cpp", CPP_SYMBOLS, endings=(*CPP_ENDINGS, "inl"), uses=CPP_USES),),
    imports=RULES,
    tests=None,
    dialect_of=C.name,
    is_typed=True,
    scoping=Scoping(has_overloads=True, is_open=True, users_import=False),
)
