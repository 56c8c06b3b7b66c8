"""Rust: its files, what they define, declare and use, and how its tests are recognised."""

import re

from affidavit.languages.engine.grammars import Grammar, NodeFields
from affidavit.languages.engine.language import ImportRules, Language, Scoping, SignsOfTests
from affidavit.languages.rust.imports import extract_rust, rust_resolver

SYMBOLS = """
(function_item name: (identifier) @name) @function
(function_signature_item name: (identifier) @name) @function
(struct_item name: (type_identifier) @name) @class
(enum_item name: (type_identifier) @name) @class
(union_item name: (type_identifier) @name) @class
(enum_variant name: (identifier) @name) @constant
(trait_item name: (type_identifier) @name) @interface
(type_item name: (type_identifier) @name) @type
(const_item name: (identifier) @name) @constant
(static_item name: (identifier) @name) @constant
(macro_definition name: (identifier) @name) @function
(mod_item name: (identifier) @name body: (_)) @namespace
(impl_item type: (_) @name) @scope
"""

USES = NodeFields(
    members={
        "field_expression": ("field", ("value",)),
        "scoped_identifier": ("name", ("path",)),
        "scoped_type_identifier": ("name", ("path",)),
    },
    calls={"call_expression": ("function",), "macro_invocation": ("macro",)},
    keys={"field_initializer": "field"},
)
RUST = Language(
    name="rust",
    endings=("rs",),
    grammars=(Grammar("rust", "tree_sitter_rust", SYMBOLS, uses=USES),),
    imports=ImportRules(extract_rust, rust_resolver),
    tests=SignsOfTests(re.compile(rb"#\[(?:\w+::)*(?:test|rstest|quickcheck)\b")),
    folder_stems=("mod", "main", "lib"),
    is_typed=True,
    scoping=Scoping(is_open=True),
)
