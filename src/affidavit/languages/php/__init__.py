"""PHP: its files, what they define, use and include, and how its tests are recognised."""

import re

from affidavit.languages.engine.grammars import Grammar, NodeFields
from affidavit.languages.engine.language import ImportRules, Language, Scoping, SignsOfTests
from affidavit.languages.php.imports import extract_php, php_resolver

SYMBOLS = """
(function_definition name: (name) @name) @function
(class_declaration name: (name) @name) @class
(trait_declaration name: (name) @name) @class
(enum_declaration name: (name) @name) @class
(enum_case name: (name) @name) @constant
(interface_declaration name: (name) @name) @interface
(method_declaration name: (name) @name) @method
(const_element . (name) @name) @constant
(property_element name: (variable_name (name) @name)) @constant
"""

USES = NodeFields(
    members={
        "member_access_expression": ("name", ("object",)),
        "nullsafe_member_access_expression": ("name", ("object",)),
        "member_call_expression": ("name", ("object",)),
        "nullsafe_member_call_expression": ("name", ("object",)),
        "scoped_call_expression": ("name", ("scope",)),
    },
    calls={
        "function_call_expression": ("function",),
        "member_call_expression": ("name",),
        "nullsafe_member_call_expression": ("name",),
        "scoped_call_expression": ("name",),
    },
)
ENDINGS = ("php", "phtml")
PHP = Language(
    name="php",
    endings=ENDINGS,
    # `inc` is parsed as PHP, but does not name the language: others use the ending, too.
    grammars=(Grammar("php", "tree_sitter_php", SYMBOLS, "language_php", (*ENDINGS, "inc"), USES),),
    imports=ImportRules(extract_php, php_resolver),
    tests=SignsOfTests(
        re.compile(rb"function[ \t]+test|@test\b|#\[Test\b|^(?:it|test|describe)\(", re.MULTILINE)
    ),
    interpreters=("php",),
    scoping=Scoping(folder_has_classes=True, is_open=True, users_import=False),
)
