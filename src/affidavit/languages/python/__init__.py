"""Python: its files, what they define and import, and how its tests are recognised."""

import re

from affidavit.languages.engine.grammars import Grammar, NodeFields
from affidavit.languages.engine.language import ImportRules, Language, Scoping, SignsOfTests
from affidavit.languages.python.imports import extract_python
from affidavit.languages.python.modules import python_resolver

SYMBOLS = """
(function_definition name: (identifier) @name) @function
(class_definition name: (identifier) @name) @class
(expression_statement (assignment left: (identifier) @name) @constant)
(type_alias_statement left: (type (identifier) @name)) @type
"""

USES = NodeFields(
    members={"attribute": ("attribute", ("object",))},
    calls={"call": ("function",)},
    keys={"keyword_argument": "name", "pair": "key"},
    binds={"type_alias_statement": "left"},
)
GRAMMAR = Grammar("python", "tree_sitter_python", SYMBOLS, uses=USES)
PYTHON = Language(
    name="python",
    endings=("py", "pyi", "pyw"),
    grammars=(GRAMMAR,),
    imports=ImportRules(extract_python, python_resolver),
    tests=SignsOfTests(
        re.compile(
            rb"^[ \t]*(?:async[ \t]+)?def[ \t]+test|^class[ \t]+\w+\([^)]*Test(?:s|Case\w*)?\b", re.MULTILINE
        ),
        are_named=True,
    ),
    interpreters=("python", "pypy", "uv"),
    folder_stems=("__init__", "__main__"),
    scoping=Scoping(members_need_object=True),
)
