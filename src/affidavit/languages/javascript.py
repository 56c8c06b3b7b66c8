"""JavaScript and TypeScript: their files, definitions, imports and tests."""

import re

from affidavit.languages.grammars import Grammar, NodeFields
from affidavit.languages.javascript_modules import KEYWORD, JavaScriptModules, extract_javascript
from affidavit.languages.language import ImportRules, Language, Scoping, SignsOfTests

_FUNCTION_VALUE = "[(arrow_function body: (_) @cut) (function_expression body: (_) @cut)]"
SYMBOLS = f"""
(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(class_declaration name: (_) @name) @class
(method_definition name: [(property_identifier) (private_property_identifier)] @name) @method
(program (_ (variable_declarator name: (identifier) @name value: {_FUNCTION_VALUE}) @function))
(program (_ (variable_declarator name: (identifier) @name value: (class body: (_) @cut)) @class))
(program (_ (variable_declarator name: (identifier) @name) @constant))
(program (_ (_ (variable_declarator name: (identifier) @name value: {_FUNCTION_VALUE}) @function)))
(program (_ (_ (variable_declarator name: (identifier) @name value: (class body: (_) @cut)) @class)))
(program (export_statement (_ (variable_declarator name: (identifier) @name) @constant)))
(assignment_expression left: (member_expression property: (property_identifier) @name)
  right: {_FUNCTION_VALUE}) @function
"""
JAVASCRIPT_SYMBOLS = (
    SYMBOLS
    + f"""
(field_definition property: [(property_identifier) (private_property_identifier)] @name
  value: {_FUNCTION_VALUE}) @method
(field_definition property: [(property_identifier) (private_property_identifier)] @name) @constant
"""
)
TYPESCRIPT_SYMBOLS = (
    SYMBOLS
    + f"""
(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @class
(enum_body name: (property_identifier) @name @constant)
(enum_assignment name: (property_identifier) @name) @constant
(internal_module name: (_) @name body: (_)) @module
(module name: (identifier) @name body: (_)) @module
(internal_module body: (_ (_ (_ (variable_declarator name: (identifier) @name) @constant))))
(function_signature name: (identifier) @name) @function
(method_signature name: (property_identifier) @name) @method
(abstract_method_signature name: (property_identifier) @name) @method
(interface_body (property_signature name: (property_identifier) @name) @constant)
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name
  value: {_FUNCTION_VALUE}) @method
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name) @constant
"""
)

RULES = ImportRules(extract_javascript, JavaScriptModules, KEYWORD)
TESTS = SignsOfTests(re.compile(rb"(?<![.\w])(?:it|test|describe|suite)(?:\.\w+)?[ \t]*[(`]"))
QUOTES = "\"'`"
JAVASCRIPT_USES = NodeFields(
    members={"member_expression": ("property", ("object",))},
    calls={
        "call_expression": ("function",),
        "new_expression": ("constructor",),
        "jsx_self_closing_element": ("name",),
        "jsx_opening_element": ("name",),
    },
    keys={"pair": "key", "pair_pattern": "key"},
    binds={
        "pair_pattern": "value",
        "assignment_pattern": "left",
        "object_assignment_pattern": "left",
        "arrow_function": "parameter",
        "function_expression": "name",
    },
)
TYPESCRIPT_USES = NodeFields(
    members={
        "nested_type_identifier": ("name", ("module",)),
        "nested_identifier": ("property", ("object",)),
    }
)
JAVASCRIPT_GRAMMAR = Grammar("javascript", "tree_sitter_javascript", JAVASCRIPT_SYMBOLS, uses=JAVASCRIPT_USES)
JAVASCRIPT = Language(
    name="javascript",
    endings=("js", "mjs", "cjs", "jsx"),
    grammars=(JAVASCRIPT_GRAMMAR,),
    imports=RULES,
    tests=TESTS,
    interpreters=("node",),
    folder_stems=("index",),
    quotes=QUOTES,
    scoping=Scoping(members_need_object=True),
)
TYPESCRIPT = Language(
    name="typescript",
    endings=("ts", "tsx", "mts", "cts"),
    grammars=(
        Grammar(
            "typescript",
            "tree_sitter_typescript",
            TYPESCRIPT_SYMBOLS,
            "language_typescript",
            uses=TYPESCRIPT_USES,
        ),
        Grammar("tsx", "tree_sitter_typescript", TYPESCRIPT_SYMBOLS, "language_tsx", ("tsx",)),
    ),
    imports=RULES,
    tests=TESTS,
    interpreters=("deno", "bun"),
    dialect_of=JAVASCRIPT.name,
    folder_stems=JAVASCRIPT.folder_stems,
    is_typed=True,
    quotes=QUOTES,
    scoping=Scoping(has_overloads=True, members_need_object=True),
)
